"""Diff of two datasets, example by example, with reasons."""
