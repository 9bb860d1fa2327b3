"""The machine behind `ptoas run`: a target's memories, pipes and instructions, in NumPy.

`memory.py` and `tiles.py` say what exists, the chapters (`gather.py`, `elementwise.py`, ...) what each
instruction does, `compile.py` turns a function into Python source once, and `checks.py`, `race.py` watch
it run.
"""
