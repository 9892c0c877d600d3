"""Fetches the built-in sources from their homes into a folder: downloaded, unpacked, checked."""
