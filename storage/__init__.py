"""Parquet artifacts kept by content, and the runner that makes only what is missing."""
