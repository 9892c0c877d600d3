"""Thin Prefect tasks around the storage layer."""
