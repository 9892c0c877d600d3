"""Exact similarity search for candidate pairs: every pair above a threshold, independent of block sizes."""
