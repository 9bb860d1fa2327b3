"""The front of `run`: a module and arguments in, results and reports out.

`kernel.py` is what callers hold; a `call.py` binds `arguments.py` to one core or several (`core.py`) and
collects the result. `outcomes.py` is what becomes of several actors together: blocks that take turns, and the
ranks of `ranks/`.
"""
