"""The rules, chapter by chapter. The letter of a code is its chapter:

A mgather, S mscatter, B gathers between tiles, M loads and stores, V tiles and views, U use of local memory,
F flags and pipes, E arithmetic, C collectives, W portability, T the target of a module.
"""
