"""Releases as files: sums of every file, an archive that is the same each time, and what checks a download."""
