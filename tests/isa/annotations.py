"""Reading the annotated programs of this directory; see README.md for the format."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
TARGETS = ("cpu", "a2a3", "a5", "a5-custom")
TOGETHER = "*"

_TITLE = re.compile(r"^# === (.+)$")
_NOTE = re.compile(r"(?:#|//) (\w+)(?:\[([^\]]*)\])?: *(.*?) *(?=(?:#|//) \w+(?:\[[^\]]*\])?:|$)")
_WORDS = ("expect", "cpp", "run", "options", "args", "types")
_OPTIONS = ("aicore", "sync", "legalize", "isa", "blocks", "ranks")

Expected = Counter[tuple[int, str]]
"""Number of expected occurrences of a code on a line."""

Notes = dict[str, list[tuple[int, str]]]
"""Expectations as written, by target, with their line."""


READ = {"PTO-P085"}
"""The note of a text that parses."""


@dataclass
class Program:
    """One program of a file, with what is expected of it."""

    file: str
    title: str
    line: int
    """The line of the file that the program's text begins on."""
    text: str
    findings: dict[str, Expected] = field(default_factory=dict)
    """Expected codes by target, and under `*` for all targets together."""
    cpp: Notes = field(default_factory=dict)
    """Expected C++ statements."""
    run: Notes = field(default_factory=dict)
    """Assertions that must hold after a run."""
    options: dict[str, str] = field(default_factory=dict)
    """Options by name; one without a value has its name for one."""
    args: list[str] = field(default_factory=list)
    """Arguments of a run, `NAME=VALUE`."""
    types: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The element types that each target takes in a program about `T`; all others are refused."""

    def of_type(self, element: str) -> str:
        """The text with an element type in place of `T`."""
        return re.sub(r"(?<=x)T\b|\bT\b", element, self.text)

    @property
    def name(self) -> str:
        return f"{self.file}: {self.title}"

    def expected(self, target: str) -> Expected:
        return self.findings.get(target, Counter())

    def refusal(self, notes: Notes, target: str) -> Expected | None:
        """The codes that stand where statements or values could, when the program is refused."""
        found = Counter(note for note in notes[target] if note[1].startswith("PTO-"))
        assert not found or found.total() == len(notes[target]), f"{self.name}: a refusal has no results"
        return found or None

    @property
    def front_end(self) -> bool:
        """True if the program does not parse."""
        codes = {code for counter in self.findings.values() for _, code in counter}
        return any(code.startswith("PTO-P") for code in codes - READ)


def _targets(text: str | None) -> tuple[str, ...]:
    if text is None:
        return TARGETS
    names = tuple(name for name in re.split(r"[ ,]+", text.strip()) if name)
    unknown = [name for name in names if name not in (*TARGETS, TOGETHER)]
    assert not unknown, f"unknown target in a comment: {unknown}"
    return names


def _annotate(program: Program, number: int, line: str) -> None:
    for word, targets, rest in _NOTE.findall(line):
        assert word in _WORDS, f"{program.name}, line {number}: what is `{word}`?"
        chosen = _targets(targets or None)
        if word == "options":
            program.options |= {
                option.partition("=")[0]: option.partition("=")[2] or option for option in rest.split()
            }
            assert set(program.options) <= set(_OPTIONS), f"{program.name}, line {number}: {rest}?"
            continue
        if word == "args":
            program.args += rest.split()
            continue
        for target in chosen:
            if word == "types":
                program.types[target] = tuple(rest.split())
            elif word == "expect":
                codes = [code for code in re.split(r"[ ,]+", rest) if code]
                assert codes, f"{program.name}, line {number}: no code"
                program.findings.setdefault(target, Counter()).update((number, code) for code in codes)
            else:
                getattr(program, word).setdefault(target, []).append((number, rest))


def read(path: Path) -> list[Program]:
    """The programs of a file, those about `T` left out."""
    return [program for program in _read(path) if not program.types]


def _read(path: Path) -> list[Program]:
    programs: list[Program] = []
    body: list[str] = []
    last = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        title = _TITLE.match(line)
        if title:
            programs.append(Program(path.name, title[1], number + 1, ""))
            body = []
            continue
        if not programs:
            assert not line.strip() or line.startswith("#"), (
                f"{path.name}:{number}: text before the first title"
            )
            continue
        body.append(line)
        programs[-1].text = "\n".join(body) + "\n"
        alone = line.lstrip().startswith(("#", "//"))
        if not alone and line.strip():
            last = number
        _annotate(programs[-1], last if alone else number, line)
    return programs


@cache
def _everything() -> tuple[Program, ...]:
    return tuple(program for path in sorted(HERE.glob("*.pto")) for program in _read(path))


@cache
def all_programs() -> tuple[Program, ...]:
    """Every program of every file, those about `T` left out."""
    return tuple(program for program in _everything() if not program.types)


@cache
def type_lists() -> tuple[Program, ...]:
    """The programs that say for which element types they hold."""
    return tuple(program for program in _everything() if program.types)
