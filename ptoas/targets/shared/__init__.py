"""Rows that all targets have in common, chapter by chapter."""
