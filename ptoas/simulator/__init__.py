"""The program in C++ beside the one in NumPy: built with the user's own copy of the instruction library, run
on the same arguments, and compared byte by byte."""
