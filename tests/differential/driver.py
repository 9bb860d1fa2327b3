"""The command line of the modules that check random programs seed by seed."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable

Verdict = tuple[str | None, str]
"""The fault of a program, if it has one, and its kind."""


def drive(module: str, about: str | None, check: Callable[[int], Iterable[Verdict]], programs: int) -> int:
    """Check `--programs` seeds from `--first` on; the exit code is 1 if something is wrong."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.differential.{module}", description=about)
    parser.add_argument("--programs", type=int, default=programs)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    kinds: Counter[str] = Counter()
    wrong = 0
    for seed in range(options.first, options.first + options.programs):
        for found, kind in check(seed):
            kinds[kind] += 1
            if found is not None:
                wrong += 1
                print(f"seed {seed}: {found}", flush=True)
    listed = "".join(f", {count} {kind}" for kind, count in sorted(kinds.items()))
    print(f"{options.programs} seeds, {wrong} disagreements{listed}")
    return 1 if wrong else 0
