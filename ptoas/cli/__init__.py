"""The command `ptoas`, a few lines over the library for each of its commands."""
