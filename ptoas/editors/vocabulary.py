"""The vocabulary of the language by kind, taken from the dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ptoas.dialects.pto import CHAPTERS, OTHERS, PTO, instructions_of
from ptoas.dialects.pto.core_enums import CORE_ENUM_ATTRIBUTES
from ptoas.dialects.pto.element_types import ELEMENT_TYPES
from ptoas.dialects.pto.enums import ENUM_ATTRIBUTES, PtoEnumAttr
from ptoas.dialects.syntax_errors import DIRECTIVES
from ptoas.grammar.assembly_format import part_words
from ptoas.grammar.mlir import OPCODES as MLIR_OPCODES
from ptoas.grammar.syntax import STRUCTURE

WORDS = (
    *("to", "step", "else", "do", "case", "default", "iter_args", "attributes", "ins", "outs", "loc"),
    *("private", "public", "nested", "no_inline", "true", "false", "unit"),
)
"""Keywords of pto.lark that do not start a statement."""

SCALARS = ("index", "none")


def _sorted(words: Iterable[str]) -> list[str]:
    """Longer words first, so that a word is not taken for its beginning."""
    return sorted(set(words), key=lambda word: (-len(word), word))


def vocabulary() -> dict[str, list[str]]:
    """Every list of words, without those of plugins."""
    own = [op for chapter in CHAPTERS if chapter not in OTHERS for op in instructions_of(chapter)]
    enums = (*ENUM_ATTRIBUTES, *CORE_ENUM_ATTRIBUTES)
    suffixes = {
        value
        for op in own
        for name in op.SUFFIXES
        if (enum := op.signature().fields[name].enum) is not None
        for value in enum.spellings()
    }
    elements = [text for each in ELEMENT_TYPES for text in (each.text, *each.aliases)]
    types = [each.name.removeprefix("pto.") for each in PTO.attributes if not issubclass(each, PtoEnumAttr)]
    return {
        "instructions": _sorted(name for op in own for name in (op.mnemonic(), *op.ALIASES, *op.OVERLOADS)),
        "suffixes": _sorted(suffixes),
        "mlir": _sorted([*STRUCTURE, *MLIR_OPCODES]),
        "directives": _sorted(DIRECTIVES),
        "words": _sorted([*WORDS, *(word for word in part_words(own) if re.fullmatch(r"[a-z_]\w*", word))]),
        "types": _sorted(types),
        "scalars": _sorted(
            [*SCALARS, "i1", *(text for text in elements if re.fullmatch(r"[a-zA-Z]\w*", text))]
        ),
        "enums": _sorted(each.name.removeprefix("pto.") for each in enums),
        "members": _sorted(value for each in enums for value in each.spellings()),
        "attributes": _sorted(name for op in own for name in (*op.signature().fields, *op.KEYS)),
    }
