"""The examples of instructions that `explain` and the site show, chosen from the programs here.

`python -m tests.isa.examples` writes `ptoas/data/examples.toml`.
"""

from __future__ import annotations

import re
from pathlib import Path

from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.grammar.parse import parse
from tests.isa.annotations import HERE, Program, read

FILE = Path(__file__).parents[2] / "ptoas" / "data" / "examples.toml"
PREFERRED = ("a5", "a2a3", "cpu", "a5-custom")
ENTRY = """
["{0}"]
target = "{1}"
program = '''
{2}
'''
cpp = '''
{3}
'''
"""
HEAD = "# Written by `python -m tests.isa.examples` from the programs of tests/isa; do not edit.\n"


def text() -> str:
    """The data file."""
    examples = {op.mnemonic(): example_of(op) for op in OPS}
    entries = sorted((name, *example) for name, example in examples.items() if example is not None)
    return HEAD + "".join(ENTRY.format(*entry) for entry in entries)


def example_of(op: type[PtoOp]) -> tuple[str, str, str] | None:
    """A target, the shortest program for it that uses the instruction, run if possible, and its C++."""
    programs = read(HERE / f"{op.mnemonic().replace('.', '_')}.pto")
    found = [
        (not _succeeds(program.run.get(target)), bool(program.findings), PREFERRED.index(target), program)
        for program in programs
        for target in PREFERRED
        if not program.front_end and not program.expected(target)
        if _succeeds(program.cpp.get(target))
        if any(isinstance(each, op) for each in parse(program.text).walk())
    ]
    if not found:
        return None  # no target has it
    _, _, preferred, program = min(found, key=lambda each: (*each[:3], len(each[3].text)))
    target = PREFERRED[preferred]
    return target, _runnable(program, target), "\n".join(line for _, line in program.cpp[target])


def _succeeds(notes: list[tuple[int, str]] | None) -> bool:
    return bool(notes) and not any(text.startswith("PTO-") for _, text in notes or ())


def _runnable(program: Program, target: str) -> str:
    """A program with what its comments expect of it as RUN-CHECK."""
    lines = [re.sub(r" *(#|//) .*", "", line).rstrip() for line in program.text.splitlines()]
    options = (f"--{name}" + f" {value}" * (name != value) for name, value in program.options.items())
    arguments = [*program.args, *options]
    return "\n".join(
        [
            *([f"# ARGS: {' '.join(arguments)}"] if arguments else []),
            *(line for line in lines if line),
            *(f"# RUN-CHECK[{target}]: {check}" for _, check in program.run.get(target, ())),
        ]
    )


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
