"""What each instruction does, in NumPy: mirrors the chapters of the dialect."""
