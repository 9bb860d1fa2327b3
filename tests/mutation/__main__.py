"""The command: `python -m tests.mutation --help`."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

from .rooms import DESELECTED, ROOMS
from .runner import KILLED, NOT_RUN, SURVIVED, TIMED_OUT, Module, Mutant, run_room
from .survivors import explained

SAMPLE = 40
"""Mutants of each room that end in some twenty minutes together."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--room", choices=ROOMS, action="append", help="all of them unless named")
    parser.add_argument("--module", action="append", help="only modules whose path contains this")
    parser.add_argument("--line", help="only lines that contain this")
    parser.add_argument("--again", metavar="FILE", help="only what FILE, the output of a run, lists as alive")
    parser.add_argument(
        "--sample",
        type=int,
        default=SAMPLE,
        metavar="N",
        help=f"at most N mutants of a room, chosen by --seed ({SAMPLE}); 0: all, which takes hours",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--examples", type=int, default=20, metavar="N", help="at most N examples of a property; 0: all"
    )
    parser.add_argument(
        "--seconds", type=float, default=60, metavar="S", help="at most S seconds of tests for a mutant"
    )
    parser.add_argument("--verbose", action="store_true", help="say of each mutant which test noticed it")
    options = parser.parse_args()
    if options.room is None or len(options.room) > 1:
        # A room has its own process: what it has imported and traced concerns no other.
        rest = [a for a in sys.argv[1:] if a != "--room" and a not in ROOMS]
        command = [sys.executable, "-m", "tests.mutation", *rest]
        return max(
            subprocess.run([*command, "--room", room], check=False).returncode
            for room in options.room or ROOMS
        )
    return report(options.room[0], options)


def select(modules: list[Module], options: argparse.Namespace) -> list[tuple[Module, Mutant]]:
    chosen = [(module, mutant) for module in modules for mutant in module.mutants()]
    if options.line:
        chosen = [(module, mutant) for module, mutant in chosen if options.line in mutant.text]
    if options.again:
        lines = Path(options.again).read_text().splitlines()
        alive = {(head, text.strip()) for head, text in pairwise(lines) if text.startswith("    ")}
        chosen = [
            (module, mutant)
            for module, mutant in chosen
            if any(
                text == mutant.text and head.startswith(module.path) and head.endswith(f": {mutant.change}")
                for head, text in alive
            )
        ]
    if 0 < options.sample < len(chosen):
        kept = random.Random(options.seed).sample(range(len(chosen)), options.sample)
        chosen = [chosen[n] for n in sorted(kept)]
    return chosen


def report(name: str, options: argparse.Namespace) -> int:
    room = ROOMS[name]
    modules = [
        m for m in room.modules if not options.module or any(part in m.path for part in options.module)
    ]
    chosen = select(modules, options)
    start = time.monotonic()
    results = run_room(
        modules,
        room.tests,
        DESELECTED,
        chosen,
        options.examples or None,
        options.seconds,
        options.verbose,
        room.keep,
    )
    known = explained()
    unexplained = 0
    used: set[int] = set()
    for result in results:
        mutant = result.mutant
        if result.outcome not in (SURVIVED, NOT_RUN):
            continue
        reasons = [n for n, e in enumerate(known) if e.covers(result.module, mutant.text, mutant.change)]
        used.update(reasons)
        if not reasons:
            unexplained += 1
            print(f"{result.module}:{mutant.line}: {result.outcome}: {mutant.change}\n    {mutant.text}")
    if not (options.line or options.again or options.sample):
        paths = {module.path for module in modules}
        for n, entry in enumerate(known):
            if entry.module in paths and n not in used:
                print(f"{entry.module}: explained, but no survivor: {', '.join(entry.changes)}: {entry.text}")
    counts = Counter(result.outcome for result in results)
    alive = counts[SURVIVED] + counts[NOT_RUN]
    print(
        f"{name}: {len(results)} mutants, {counts[KILLED]} killed, {counts[TIMED_OUT]} timed out, "
        f"{alive - unexplained} explained, {unexplained} unexplained; {time.monotonic() - start:.0f} s"
    )
    sys.stdout.flush()
    return 1 if unexplained else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
