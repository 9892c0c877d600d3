"""Decisions in the formats of other tools: spreadsheets (CSV) and Label Studio (JSON)."""
