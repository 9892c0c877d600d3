"""The pipeline stages: each is a function that takes tables and returns one table."""
