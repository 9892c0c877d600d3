"""Annotation: the decision log, the service behind the review page, import and export, and gold questions."""
