"""Predicts what a build will compute and why, and explains afterwards why an artifact changed."""
