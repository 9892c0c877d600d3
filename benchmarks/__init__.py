"""Measurements: how fast, how complete and how good the pipeline is, against its peers and a reference."""
