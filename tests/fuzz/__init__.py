"""A fuzzer of the whole tool: no text may break it. `python -m tests.fuzz --help`."""
