"""Survivors that are explained: `survivors.md` lists them by module, line and change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent

_MODULE = re.compile(r"^## `(.+)`$")
_ENTRY = re.compile(r"^- `(.+)` · (.+?): (.+)$")


@dataclass(frozen=True)
class Explained:
    module: str
    text: str
    changes: tuple[str, ...]
    reason: str

    def covers(self, module: str, text: str, change: str) -> bool:
        return (module, text) == (self.module, self.text) and change in self.changes


def read(text: str) -> list[Explained]:
    """The entries of a list; every other line is prose.

    >>> read("## `a.py`\\n- `return x < y` · < to <=; return None: never equal\\n")
    [Explained(module='a.py', text='return x < y', changes=('< to <=', 'return None'), reason='never equal')]
    """
    module = ""
    found: list[Explained] = []
    for line in text.splitlines():
        heading, entry = _MODULE.match(line), _ENTRY.match(line)
        if heading:
            module = heading[1]
        elif entry:
            found.append(Explained(module, entry[1], tuple(entry[2].split("; ")), entry[3]))
    return found


def explained() -> list[Explained]:
    return read((HERE / "survivors.md").read_text())
