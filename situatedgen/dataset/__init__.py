"""The published dataset: configurations, statistics, card, figures, report, folder; diffs and releases of it."""
