"""C++ from placed and synchronised operations: names, types, scalars, control flow, instructions."""
