"""Speed of checking: verifying beside parsing, one target beside four, a folder in one process, in
several, and again.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.figures import Row, in_turns
from benchmarks.frontend import command_line, in_a_process, spawn
from benchmarks.generate import program

SIZES = (1_000, 11_000, 100_000)
FLAGS = (
    "pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]",
    "pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]",
)
BARRIER = "pto.barrier #pto.pipe<PIPE_ALL>"


def measure(quick: bool = False) -> list[Row]:
    rows = [row for size in SIZES for row in checking(size, 2 if quick else 6)]
    return [*rows, *many(20 if quick else 500, 2 if quick else 6)]


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
    from ptoas.verifier.verify import verify, verify_targets

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


def many(count: int, repeats: int) -> list[Row]:
    """A folder of files: in as many processes as there are cores, and again with nothing changed.

    Whole commands; and `verify` in a process that has read the files before, where two cores have nothing to
    do but to check. A whole `verify` begins with the imports, and meets each type for the first time, a third
    of what one process does: of that two processes do most twice.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as cache,
        tempfile.TemporaryDirectory() as out,
    ):
        for number in range(count):
            Path(folder, f"kernel{number}.pto").write_text(program(11_000, seed=number), encoding="utf-8")
        kept = f"import os; os.environ['PTOAS_CACHE_DIR'] = {cache!r}\n"

        def command(name: str, *words: str) -> Callable[[], None]:
            return lambda: spawn(kept + command_line(name, folder, "--target", "a5", "-q", *words))

        command("verify")()
        again, one, all_cores, lower_one, lower_all = in_turns(
            command("verify"),
            command("verify", "--no-cache", "-j", "1"),
            command("verify", "--no-cache", "-j", "auto"),
            command("lower", "-o", out, "-j", "1"),
            command("lower", "-o", out, "-j", "auto"),
            repeats=repeats,
            clock=time.perf_counter,
        )
        one_seen, all_seen = in_a_process("verify", folder, str(2 * repeats))
    what = f"{count} files of 11 KB"
    rows = [Row(f"verify {what} again, nothing changed", "with --no-cache", again, one, speed=True)]
    # One core can't show what two would do.
    if (os.cpu_count() or 1) > 1:
        seen = f"verify {what}, seen before, -j auto"
        rows.append(Row(seen, "-j 1", all_seen, one_seen, speed=True))
        rows.append(Row(f"verify {what}, -j auto", "-j 1", all_cores, one, at_least=1.5, speed=True))
        rows.append(Row(f"lower {what}, -j auto", "-j 1", lower_all, lower_one, at_least=1.5, speed=True))
    return rows


def seen_before(folder: str, repeats: int) -> list[list[float]]:
    """Samples of checking a folder in one process and in all, with nothing to import or to learn."""
    from ptoas.project.find import find_files
    from ptoas.project.verdicts import reports_of
    from ptoas.project.verify_files import VerifyOptions, verify_file

    files, _ = find_files([folder])
    work = partial(verify_file, options=VerifyOptions(targets=("a5",)))
    reports_of(files, work)
    return in_turns(
        lambda: reports_of(files, work),
        lambda: reports_of(files, work, jobs="auto"),
        repeats=repeats,
        clock=time.perf_counter,
    )


if __name__ == "__main__":
    print(json.dumps(seen_before(sys.argv[1], int(sys.argv[2]))))
