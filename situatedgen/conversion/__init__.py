"""Question and answer into a statement, by rules on parses: yes/no and multiple-choice items."""
