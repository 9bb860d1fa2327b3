"""Which chapter has an opcode, without importing the chapters.

Defining two hundred instructions takes longer than reading and checking a small program. The names therefore
stand in a module of their own, `_index.py`, which `python -m ptoas.dialects.pto.index` writes from the
classes. It says which text of the chapters it was made from; where that is not what is there, all chapters
are imported and asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

from ptoas.dialects.pto import CHAPTERS, OTHERS, instructions_of

_HERE = Path(__file__).parent
INDEX = _HERE / "_index.py"
_WORD = r"(?<![@$^#&{:\w])[A-Za-z_]\w*"


@dataclass
class Index:
    """What chapters say of the spelling of their instructions."""

    names: dict[str, str]
    """The chapter by an instruction's name or another name for it."""
    overloads: dict[str, str]
    """The chapter by a name that means an instruction of it for some types of operands only."""
    words: frozenset[str]
    """The words of all templates: `sizes`, `valid`, `recv`; none of them is an opcode."""
    suffixed: frozenset[str]
    """The names that take suffix words: `mgather.row.clamp`."""


def read(chapters: Iterable[str]) -> Index:
    """The index of these chapters, from their classes."""
    index = Index({}, {}, frozenset(), frozenset())
    for chapter in chapters:
        for op in instructions_of(chapter):
            own = (op.mnemonic(), *op.ALIASES)
            index.names |= dict.fromkeys(own, chapter)
            index.overloads |= dict.fromkeys(op.OVERLOADS, chapter)
            index.words |= frozenset(re.findall(_WORD, op.LAYOUT or ""))
            index.suffixed |= frozenset(own if op.SUFFIXES else ())
    index.words -= index.names.keys()
    return index


@cache
def index() -> Index:
    """The index of all chapters, those of other packages included."""
    try:
        from ptoas.dialects.pto import _index as kept
    except ImportError:
        return read(CHAPTERS)
    if origin() != kept.MADE_FROM:
        return read(CHAPTERS)
    found = Index(dict(kept.NAMES), dict(kept.OVERLOADS), frozenset(kept.WORDS), frozenset(kept.SUFFIXED))
    if not OTHERS:
        return found
    theirs = read(OTHERS)
    names = found.names | theirs.names
    words = (found.words | theirs.words) - names.keys()
    return Index(names, found.overloads | theirs.overloads, words, found.suffixed | theirs.suffixed)


def origin() -> int:
    """What the text of the dialect comes to."""
    total = 0
    for name in sorted(os.listdir(_HERE)):  # every start asks: `Path` would take as long as the files do
        if name.endswith(".py") and name != INDEX.name:
            with open(os.path.join(_HERE, name), "rb", buffering=0) as file:
                total = crc32(file.read().replace(b"\r\n", b"\n"), total)
    return total


def write(path: Path = INDEX) -> None:
    """Write the module that `index` looks for."""
    found = read(chapter for chapter in CHAPTERS if chapter not in OTHERS)
    lines = ['"""Made from the chapters by ptoas.dialects.pto.index."""', "", f"MADE_FROM = {origin()}"]
    for name, entries in (("NAMES", found.names), ("OVERLOADS", found.overloads)):
        lines += [f"{name} = {{", *(f"    {key!r}: {value!r}," for key, value in entries.items()), "}"]
    for name, words in (("WORDS", found.words), ("SUFFIXED", found.suffixed)):
        lines += [f"{name} = (", *(f"    {word!r}," for word in sorted(words)), ")"]
    path.write_text("\n".join(lines).replace("'", '"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
