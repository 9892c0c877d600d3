"""Fetch the built-in sources from the web into a folder: download, unpack, verify checksums."""
