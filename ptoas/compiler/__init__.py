"""Functions that combine the stages of the compiler: parse, verify, lower, compile, run."""
