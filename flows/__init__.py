"""Prefect flows, the command line and the review server: wiring only."""
