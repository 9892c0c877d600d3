"""Maintenance of a store: what it holds, what can be deleted, whether everything in it is whole."""
