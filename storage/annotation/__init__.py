"""Annotation: the decision log, the service behind the review page, exchange with other tools, gold questions."""
