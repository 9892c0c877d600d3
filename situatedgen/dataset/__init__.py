"""The published dataset: configurations, statistics, card, figures, report and folder, plus diffs and releases."""
