"""Prefect flows and the command line: wiring only."""
