"""Static analyses of a program: constants, names, storage, lifetimes, order. Independent of targets."""
