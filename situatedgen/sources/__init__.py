"""Readers of source collections."""
