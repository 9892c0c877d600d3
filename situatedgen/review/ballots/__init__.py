"""Ballots: what people say of several texts at once, which of them is best and how good each is."""
