"""Evaluation of predictions: the paper's metrics, with confidence intervals, significance tests and a report page."""
