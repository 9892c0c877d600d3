"""Readers of source collections."""

from pathlib import Path


def sample_folder() -> Path:
    """The folder of the small sample that ships with the package, in the five native formats."""
    return Path(__file__).parent.parent / "sample"
