"""`python -m tests.differential`: many programs, each in every way; differences are kept with their seed.

python -m tests.differential --programs 10000 --first 0 --jobs 2
python -m tests.differential --show 118            # the program of one seed, and what it does
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from multiprocessing import Pool
from pathlib import Path

import ptoas
from tests.cpp.harness import Built

from .builder import Program
from .compiled import compiled
from .generate import generate
from .ways import walk

CHUNK = 128
"""Programs of one translation unit for each target, times four: few starts of the compiler, little memory."""
MOST_REJECTED = 0.05
REDUCTION_SECONDS = 60.0


@dataclass
class Outcome:
    """Result of a run of seeds."""

    programs: int = 0
    rejected: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    differences: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    ways: Counter[str] = field(default_factory=Counter[str])

    def add(self, other: Outcome) -> None:
        self.programs += other.programs
        self.rejected += other.rejected
        self.differences += other.differences
        self.ways += other.ways


def run_seeds(seeds: range, cpp: bool = True) -> Outcome:
    """Walk these seeds in every way."""
    outcome = Outcome(len(seeds))
    built: list[Built] = []
    for seed in seeds:
        try:
            found = walk(generate(seed), cpp)
        except Exception as error:
            outcome.differences.append((seed, f"{type(error).__name__}: {error}"))
            continue
        if found.rejected is not None:
            outcome.rejected.append((seed, found.rejected))
        outcome.differences += [(seed, each) for each in found.differences]
        outcome.ways.update(found.ways)
        if found.built is not None:
            built.append(found.built)
    if built:
        with tempfile.TemporaryDirectory() as directory:
            for name, what in compiled(built, Path(directory)).items():
                outcome.differences.append((int(name.removeprefix("seed_")), f"C++: {what}"))
    return outcome


def chunks(first: int, count: int) -> list[range]:
    return [range(at, min(at + CHUNK, first + count)) for at in range(first, first + count, CHUNK)]


def save(directory: Path, outcome: Outcome) -> None:
    """Keep every program that failed, with what was found."""
    directory.mkdir(parents=True, exist_ok=True)
    for seed, what in outcome.differences:
        program = generate(seed)
        head = f"// seed {seed} on {program.target}: {what.splitlines()[0]}\n"
        (directory / f"seed_{seed}.pto").write_text(head + program.text)
        if not what.startswith("C++"):
            (directory / f"seed_{seed}_reduced.pto").write_text(head + reduced(program))


def reduced(program: Program) -> str:
    """Reduce a program in which two ways differ."""

    def differs(text: str) -> bool:
        try:
            return bool(walk(replace(program, text=text), cpp=False).differences)
        except Exception:
            return False  # of the arguments, which the program takes no longer

    try:
        return ptoas.reduce(ptoas.parse(program.text), differs, seconds=REDUCTION_SECONDS).text
    except ptoas.UsageError:
        return program.text


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-cpp", action="store_true", help="leave the compiler out")
    parser.add_argument("--keep", type=Path, default=Path("differential-failures"), help="where failures go")
    parser.add_argument("--show", type=int, metavar="SEED", help="print one program and walk it")
    options = parser.parse_args(arguments)
    if options.show is not None:
        program = generate(options.show)
        print(program.text)
        print(f"// target {program.target}, blocks {program.blocks}, legalize {program.legalize}")
        return report(run_seeds(range(options.show, options.show + 1), not options.no_cpp), options.keep)
    started = time.monotonic()
    total = Outcome()
    work = [(chunk, not options.no_cpp) for chunk in chunks(options.first, options.programs)]
    with Pool(options.jobs) as pool:
        for outcome in pool.imap_unordered(_run_chunk, work):
            total.add(outcome)
            for seed, what in (*outcome.differences, *outcome.rejected):
                print(f"\nseed {seed}: {what}", flush=True)
            print(
                f"\r{total.programs}/{options.programs} programs, {len(total.differences)} differences, "
                f"{len(total.rejected)} rejected, {time.monotonic() - started:.0f} s",
                end="",
                flush=True,
            )
    print()
    return report(total, options.keep)


def _run_chunk(work: tuple[range, bool]) -> Outcome:
    return run_seeds(*work)


def report(outcome: Outcome, keep: Path) -> int:
    for way, count in sorted(outcome.ways.items()):
        print(f"  {count:6} {way}")
    for seed, what in outcome.rejected[:10]:
        print(f"rejected: seed {seed}: {what}")
    for seed, what in outcome.differences:
        print(f"seed {seed}: {what}")
    if outcome.differences:
        save(keep, outcome)
        print(f"kept in {keep}; again: python -m tests.differential --show SEED")
    too_many = len(outcome.rejected) > MOST_REJECTED * outcome.programs
    return 1 if outcome.differences or too_many else 0


if __name__ == "__main__":
    sys.exit(main())
