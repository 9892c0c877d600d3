"""A language model behind an address, shown a few training examples and asked for each case (appendix C.1)."""
