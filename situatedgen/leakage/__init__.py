"""Leakage from train into dev and test: nearest neighbours, unseen keywords, hubs, balance, and limits on them."""
