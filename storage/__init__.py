"""Content-addressed Parquet artifacts and the runner that computes only the missing ones."""
