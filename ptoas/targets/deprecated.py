"""Spellings of earlier tools that are read, each with the one of today: notes, which `--fix` follows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from ptoas.analysis.structure import walk
from ptoas.diagnostics import Diagnostic, Edit, Severity, Source, Span
from ptoas.dialects.pto.element_types import CPP_NAMES
from ptoas.grammar.layout import blank, strings_and_comments
from ptoas.ir.location import SourceLocation

_DEPRECATED: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "PTO-P085",
        "tile_view",
        r"!pto\.tile_view(?=<)",
        "!pto.partition_tensor_view",
        "`!pto.tile_view` is called `!pto.partition_tensor_view` today",
    ),
    (
        "PTO-P086",
        "address_space<gm>",
        r"memref<(?<![\w.!]memref<)([^<>,]*(?:![\w.]+)?), *#pto\.address_space<gm>>",
        r"!pto.memref<\1>",
        "a memref in the address space `gm` is written `!pto.memref<...>` today",
    ),
    (
        "PTO-P087",
        "<loc=",
        r"<(?<![\w.!]<)(?=\s*loc\s*=)",
        "!pto.tile_buf<",
        "a tile's type is written with its name, `!pto.tile_buf<...>`, today",
    ),
    *(
        (
            "PTO-P088",
            word,
            rf"(?<=[x<,=\s(:]){word}(?![\w.$]|\s*=)",
            element.text,
            f"`{word}` is a C++ name of the element type `{element.text}`",
        )
        for word, element in CPP_NAMES.items()
    ),
)
"""Deprecated spellings: a code, a word that every text with the spelling contains, its pattern, its
replacement. The patterns begin with a character that is found quickly, and use lookbehind from there.
"""


def deprecated_spellings(module: ModuleOp) -> Iterator[Diagnostic]:
    """A note for each spelling that the text of a module has and that has another name by now."""
    source = _source(module)
    if source is None:
        return
    text: str | None = None
    for code, word, pattern, replacement, message in _DEPRECATED:
        if word not in source.text:
            continue
        if text is None:
            text = blank(source.text, strings_and_comments(source.text))
        edits: list[Edit] = []
        for match in re.finditer(pattern, text):
            edits.append(Edit(Span(source, match.start(), len(match.group())), match.expand(replacement)))
        if edits:
            first, more = edits[0], f" (used {len(edits)} times)" if len(edits) > 1 else ""
            yield Diagnostic(
                code, message + more, first.span, Severity.NOTE, fix=f"`{first.text}`", edits=tuple(edits)
            )


def _source(module: ModuleOp) -> Source | None:
    """The text that a module was read from."""
    if isinstance(module.location, SourceLocation):
        return module.location.source
    for op in walk(module):
        if isinstance(op.location, SourceLocation):
            return op.location.source
    return None
