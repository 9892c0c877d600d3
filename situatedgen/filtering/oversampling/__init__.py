"""Oversampling: language models write many wrong endings for sentences whose right ending they never saw."""
