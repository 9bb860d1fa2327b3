"""How fast a program is checked: verifying beside parsing, one target beside four, one process beside two."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from benchmarks.figures import Row, in_turns
from benchmarks.generate import program

SIZES = (1_000, 11_000, 100_000)
FLAGS = (
    "pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]",
    "pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]",
)
BARRIER = "pto.barrier #pto.pipe<PIPE_ALL>"


def measure(quick: bool = False) -> list[Row]:
    rows = [row for size in SIZES for row in checking(size, 2 if quick else 7)]
    # One core can't show what two would do.
    return [*rows, processes(20 if quick else 500, 2 if quick else 4)] if (os.cpu_count() or 1) > 1 else rows


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


def checking(size: int, repeats: int) -> list[Row]:
    import ptoas
    from ptoas.targets import TARGETS
    from ptoas.targets.verify import verify, verify_targets

    text = program(size, seed=size)
    flagged = with_flags(text)
    module, manual = ptoas.parse(text), ptoas.parse(flagged)
    parse, one, four = in_turns(
        lambda: ptoas.parse(text),
        lambda: verify(module, "a5"),
        lambda: verify_targets(module, TARGETS),
        repeats=repeats,
        per=sum(1 for _ in module.walk()),
    )
    parse_flags, flags = in_turns(
        lambda: ptoas.parse(flagged),
        lambda: verify(manual, "a5"),
        repeats=repeats,
        per=sum(1 for _ in manual.walk()),
    )
    kb, beside = f"{size // 1000} KB", "parsing it, seen before"
    return [
        Row(f"verify {kb} for a5, an operation", beside, one, parse, at_most=1.5),
        Row(f"verify {kb} for all targets, an operation", beside, four, parse),
        Row(f"verify {kb} with flags for a5, an operation", beside, flags, parse_flags),
    ]


def processes(count: int, repeats: int) -> Row:
    from ptoas.cli.verify_files import Options, verify_paths

    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            Path(folder, f"kernel{number}.pto").write_text(program(11_000, seed=number))
        options = Options(targets=("a5",))
        verify_paths([folder], options, jobs=1)
        one, two = in_turns(
            lambda: verify_paths([folder], options, jobs=1),
            lambda: verify_paths([folder], options, jobs=2),
            repeats=repeats,
            clock=time.perf_counter,
        )
    return Row(f"verify {count} files of 11 KB, -j 2", "-j 1", two, one, at_least=1.6, speed=True)
