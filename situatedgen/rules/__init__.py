"""The paper's rules as small pure functions."""
