"""Benchmarks of ptoas beside its alternatives. `make bench` runs all of them."""
