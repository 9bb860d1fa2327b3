"""Speed of `ptoas.parse` beside xDSL's own parser, and the start-up time.

*Nothing seen before* is a text with everything that the parsers keep thrown away; *seen before* is the same
text again. xDSL reads the generic form of the same module, types memoised as ours are: it is its tokens and
operations that are compared, not our type grammar.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.figures import Row, in_turns
from benchmarks.generate import program

ROOT = Path(__file__).resolve().parent.parent
LEAST = {1_000: None, 11_000: 1.0, 100_000: 1.5, 300_000: 1.5}
"""Sizes, and how many times as fast as xDSL's parser ours is at least; no limit where a start costs most."""


def measure(quick: bool = False) -> list[Row]:
    return [*start(2 if quick else 8), *parsing(2 if quick else 5)]


def parsing(repeats: int) -> list[Row]:
    rows: list[Row] = []
    whole: dict[int, list[float]] = {}
    for size, least in LEAST.items():
        # A small text is read in a millisecond or ten: more samples until Python has settled.
        more = 4 if size <= 11_000 else 1
        cold, warm, cold_xdsl, warm_xdsl, operations = samples(size, more * repeats)
        beside = "xDSL's parser, generic form"
        kb = f"parse {size // 1000} KB, an operation"
        rows.append(Row(f"{kb}, nothing seen before", beside, cold, cold_xdsl, at_least=least, speed=True))
        rows.append(Row(f"{kb}, seen before", beside, warm, warm_xdsl, speed=True))
        whole[size] = [time * operations for time in cold]
    # Linear: three times the text, and room for what drifts.
    rows.append(Row("parse 300 KB", "parse 100 KB", whole[300_000], whole[100_000], at_most=3.5))
    return rows


def samples(size: int, repeats: int) -> tuple[list[float], list[float], list[float], list[float], int]:
    """Seconds an operation: ours cold and warm, xDSL's cold and warm; and how many operations."""
    from xdsl.parser import Parser

    import ptoas
    from ptoas import clear_caches
    from ptoas.compiler.forms import print_module
    from ptoas.dialects.pto.type_text import xdsl_context

    text = program(size, seed=size)
    module = ptoas.parse(text)
    generic = print_module(module, form="generic")
    operations = sum(1 for _ in module.walk())

    def ours() -> object:
        return ptoas.parse(text)

    def theirs() -> object:
        return Parser(xdsl_context(), generic).parse_module()

    assert module.is_structurally_equivalent(theirs())  # pyright: ignore[reportArgumentType]
    found: list[list[float]] = [[], [], [], []]
    for _ in range(repeats):
        for function, at in ((ours, 0), (theirs, 2)):
            clear_caches()
            ((cold, warm),) = in_turns(function, repeats=2, per=operations)
            found[at].append(cold)
            found[at + 1].append(warm)
    return (*found, operations)  # pyright: ignore[reportReturnType]


# --- start-up --------------------------------------------------------------------------------------


def child_environment() -> dict[str, str]:
    """Ours, but Python keeps compiled modules, as it does for an installed package."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT)}


def children_time() -> float:
    """Processor time of all processes started so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def spawn(code: str) -> None:
    command = [sys.executable, "-c", code]
    subprocess.run(command, check=True, env=child_environment(), stdout=subprocess.DEVNULL)


def in_a_process(benchmark: str, *words: str) -> Any:
    """The output of a benchmark part that runs in its own process."""
    command = [sys.executable, "-m", f"benchmarks.{benchmark}", *words]
    done = subprocess.run(command, check=True, env=child_environment(), stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def command_line(*arguments: str) -> str:
    """The command as its script starts it."""
    words = ["ptoas", *arguments]
    return f"import sys; sys.argv = {words!r}\nfrom ptoas.cli.command import command\ncommand()"


def start(repeats: int) -> list[Row]:
    imports = "import lark, xdsl.dialects.func, xdsl.dialects.arith, xdsl.dialects.scf"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.pto")
        path.write_text(program(1_000, seed=3), encoding="utf-8")
        small = str(path)
        commands = {
            "convert a 1 KB file": (("convert", small, "--to", "dps"), None),
            "verify a 1 KB file": (("verify", small, "--target", "a5"), 2.3),
            "lower a 1 KB file": (("lower", small, "--target", "a5"), 2.5),
            "run a 1 KB file": (("run", small, "--target", "a5"), 3.0),
            "ptoas --version": (("--version",), 0.5),
            "ptoas --help": (("--help",), 0.5),
        }
        codes = [imports, *(command_line(*arguments) for arguments, _ in commands.values())]
        for code in codes:
            spawn(code)  # writes what Python caches
        floor, *times = in_turns(
            *(lambda code=code: spawn(code) for code in codes), repeats=repeats, clock=children_time
        )
    beside = "importing lark and xDSL's func, arith, scf"
    return [
        Row(f"{what}, the whole process", beside, time, floor, at_most=limit)
        for (what, (_, limit)), time in zip(commands.items(), times, strict=True)
    ]
