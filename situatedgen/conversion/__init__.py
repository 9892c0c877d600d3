"""Converts a question and its answer into a statement by rules on parses: yes/no and multiple-choice items."""
