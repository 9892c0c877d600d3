"""The rules of the paper as small pure functions."""
