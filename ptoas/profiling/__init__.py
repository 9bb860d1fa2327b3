"""Profiling: a run's instructions with durations from `targets/*/costs.py`, on a timeline of pipes.

`record.py` writes down what a run does, `static.py` what a program would do; `timeline.py` gives each
instruction a start, under the limit of `chip.py`; `dependences.py`, `stalls.py`, `loops.py`, `reasons.py`,
`patterns.py` and `remarks.py` look at the result, all called by `run.py`; `profile.py` holds it, `summary.py`
and `export.py` tell it, and `compare.py` puts two side by side. The package `ptoas.report` draws it.
"""
