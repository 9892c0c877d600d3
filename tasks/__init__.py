"""Thin Prefect tasks around the runner."""
