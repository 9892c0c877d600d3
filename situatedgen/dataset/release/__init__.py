"""Releases as files: checksums, an archive that is the same each time, and what checks a download."""
