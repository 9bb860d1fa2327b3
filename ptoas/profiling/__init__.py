"""Profiling: a run's instructions with durations from `targets/*/costs.py`, on a timeline of pipes.

`record.py` writes down what a run does, `static.py` what a program would do; `timeline.py` gives each
instruction a start; `reasons.py`, `patterns.py` and `remarks.py` look at the result, `profile.py` holds it,
`summary.py` and `export.py` tell it. The package `ptoas.report` draws it.
"""
