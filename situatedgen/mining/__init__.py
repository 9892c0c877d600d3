"""Exact search for similar vectors: every pair above a floor, however it is cut into blocks."""
