"""The machine of `ptoas run`: actors, each with a target's memories and pipes, in NumPy.

- What there is: `memory.py`, `tiles.py`, `machine.py` (one core), `actors.py` (who works on it).
- How a function becomes Python source, once: `compile.py` with `control.py`, `placement.py`, `scalars.py`,
  `instructions.py`. What each instruction does is in `ptoas/ops`.
- What is noticed while it runs: `checks.py` (uninitialised bytes), `budget.py`, `race.py` (pipes of a core).
- Several actors: `scheduler.py` lets one go on at a time, `clocks.py` says what comes before what,
  `sharing.py` is their common memory, `accesses.py` what they did to it, `conflicts.py` what nothing orders.
"""
