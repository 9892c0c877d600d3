"""Concept sets, as in CommonGen: words in, sentences that use them all out."""
