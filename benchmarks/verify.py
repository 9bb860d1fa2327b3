"""How fast a program is checked: verifying beside parsing, one target beside four, one process beside two.

Run `python benchmarks/verify.py`. Every figure is the best of several runs, and every pair is measured in one
process, one after the other. Two figures have a limit, and the exit code is 1 when one is missed: verifying
for one target costs at most 1.5 times parsing the same file, and two processes check 500 files of 11 KB at
least 1.6 times as fast as one.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from generate import program

SIZES = (1_000, 11_000, 100_000)
MOST = 1.5
LEAST = 1.6

FLAGS = (
    "pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]",
    "pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]",
)


def best(
    function: Callable[[], object], repeats: int, clock: Callable[[], float] = time.process_time
) -> float:
    """The shortest time of several, in seconds; of this process's own time unless told otherwise."""
    times: list[float] = []
    for _ in range(repeats):
        gc.collect()
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


BARRIER = "pto.barrier #pto.pipe<PIPE_ALL>"


def with_flags(text: str) -> str:
    """The program synchronised by hand, so that flags have to be followed: a pair after every load, and a
    barrier where the generated program would need flags of other kinds."""
    lines: list[str] = []
    for line in text.splitlines():
        lines.append(line)
        indent = line[: len(line) - len(line.lstrip())]
        if "pto.tload" in line:
            lines += [indent + flag for flag in FLAGS]
        if " outs(" in line:
            lines.append(indent + BARRIER)
    return "\n".join(lines) + "\n"


def compare(repeats: int) -> float:
    """Print what checking costs beside parsing; the largest ratio for one target."""
    import ptoas
    from ptoas.targets import TARGETS
    from ptoas.targets.verify import verify, verify_targets

    print("Verifying beside parsing the same text, microseconds an operation\n")
    print("| text | operations | parse | verify a5 | ratio | all four targets | with flags, a5 | ratio |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    worst = 0.0
    for size in SIZES:
        text = program(size, seed=size)
        flagged = with_flags(text)
        module, manual = ptoas.parse(text), ptoas.parse(flagged)
        operations = sum(1 for _ in module.walk())
        more = sum(1 for _ in manual.walk())
        parsing = best(lambda text=text: ptoas.parse(text), repeats) / operations
        parsing_flags = best(lambda text=flagged: ptoas.parse(text), repeats) / more
        one = best(lambda module=module: verify(module, "a5"), repeats) / operations
        four = best(lambda module=module: verify_targets(module, TARGETS), repeats) / operations
        flags = best(lambda module=manual: verify(module, "a5"), repeats) / more
        worst = max(worst, one / parsing)
        cells = [f"{len(text) / 1000:.0f} KB", str(operations), f"{parsing * 1e6:.1f}", f"{one * 1e6:.1f}"]
        cells += [f"{one / parsing:.2f}", f"{four * 1e6:.1f}"]
        cells += [f"{flags * 1e6:.1f}", f"{flags / parsing_flags:.2f}"]
        print(f"| {' | '.join(cells)} |")
    return worst


def processes(count: int, repeats: int) -> float:
    """Print what a second process brings; the ratio."""
    from ptoas.verify_files import Options, verify_paths

    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            Path(folder, f"kernel{number}.pto").write_text(program(11_000, seed=number))
        options = Options(targets=("a5",))
        verify_paths([folder], options, jobs=1)
        one = best(lambda: verify_paths([folder], options, jobs=1), repeats, time.perf_counter)
        two = best(lambda: verify_paths([folder], options, jobs=2), repeats, time.perf_counter)
    print(
        f"\n{count} files of 11 KB: one process {one:.2f} s, two {two:.2f} s, {one / two:.2f} times as fast"
    )
    return one / two


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the verifier.")
    parser.add_argument("--files", type=int, default=500, help="how many files two processes share")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    ratio = compare(arguments.repeats)
    speedup = processes(arguments.files, max(2, arguments.repeats // 2))
    print(f"\nVerify / parse: {ratio:.2f} (at most {MOST}). Two processes: {speedup:.2f} (at least {LEAST}).")
    if ratio > MOST:
        return 1
    # One core can't show what two would do.
    return int(speedup < LEAST and (os.cpu_count() or 1) > 1)


if __name__ == "__main__":
    sys.exit(main())
