"""The stages: tables in, one table out."""
