"""Differential tests: random programs, run in every way there is, leave the same bytes behind."""
