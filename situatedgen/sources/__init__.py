"""Readers for the source collections, built-in and user-defined."""

from pathlib import Path


def sample_folder() -> Path:
    """The folder of the small sample that ships with the package, in the native formats of the five sources."""
    return Path(__file__).parent.parent / "sample"
