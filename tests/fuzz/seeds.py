"""The texts that mutation starts from: the programs of tests and examples, and what earlier runs kept."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CORPUS = HERE / "corpus"
REGRESSIONS = HERE / "regressions"
SOURCES = ("tests/isa/*.pto", "tests/golden/*.pto", "examples/*.pto")

_TITLE = re.compile(r"(?m)^# === .*\n")


@cache
def programs() -> tuple[bytes, ...]:
    """Each program by itself: the files of `tests/isa` hold many."""
    found: dict[bytes, None] = {}
    for pattern in SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            for part in _TITLE.split(path.read_text("utf-8")):
                if not all(line.startswith(("#", "//")) or not line for line in part.splitlines()):
                    found[part.encode()] = None
    return tuple(found)


def stored(folder: Path) -> dict[str, bytes]:
    """The files that a folder keeps, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.pto"))}


@cache
def starting_texts() -> tuple[bytes, ...]:
    """All that the mutator starts from."""
    kept = (*stored(CORPUS).values(), *stored(REGRESSIONS).values())
    return tuple(dict.fromkeys((*programs(), *kept)))
