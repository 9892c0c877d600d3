"""Releases: checksums, a reproducible archive, and verification of a download."""
