"""Inlay hints: result shapes, tile addresses and inserted flags."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from ptoas.dialects.pto.types import TileType, ViewType
from ptoas.lsp.describe import short_type
from ptoas.lsp.names import Kind
from ptoas.lsp.places import position_of
from ptoas.lsp.session import EditorSettings, File


def inlay_hints(file: File, first: int, last: int, settings: EditorSettings) -> list[lsp.InlayHint]:
    """The hints between two offsets."""
    hints = list(_shapes(file)) if settings.shapes else []
    target = file.planned_target(settings) if settings.addresses or settings.flags else None
    if target is not None:
        hints += _addresses(file, target) if settings.addresses else ()
        hints += _flags(file, target) if settings.flags else ()
    source = file.document.source
    shown = [hint for at, hint in sorted(hints, key=lambda each: each[0]) if first <= at <= last]
    for hint in shown:
        hint.position = position_of(source, int(hint.data or 0))
        hint.data = None
    return shown


Hint = tuple[int, lsp.InlayHint]


def _hint(at: int, label: str, why: str, after: bool = True) -> Hint:
    # Where it goes is worked out for those that are asked for.
    hint = lsp.InlayHint(lsp.Position(0, 0), label, lsp.InlayHintKind.Type, tooltip=why, data=at)
    hint.padding_left, hint.padding_right = after, not after
    return at, hint


def _shapes(file: File) -> Iterator[Hint]:
    """Behind a result, its shape, where the statement does not spell it."""
    for name in file.names.of_kind(Kind.VALUE):
        if name.definition is None or name.statement is None or name.argument:
            continue
        value = name.value(file.document)
        if value is None or not isinstance(value.type, TileType | ViewType):
            continue
        text = short_type(value.type)
        if text not in name.statement.raw.text:
            yield _hint(name.definition.end, f": {text}", f"`{value.type}`")


def _addresses(file: File, target: str) -> Iterator[Hint]:
    """Behind a tile that the author did not place, where it will lie."""
    defined = {
        (name.statement.start, name.text): name.definition.end
        for name in file.names.of_kind(Kind.VALUE)
        if name.definition is not None and name.statement is not None
    }
    for placed in file.parts:
        planned = placed.part.plan(target)
        for (start, text), address in planned.addresses.items() if planned else ():
            now = placed.moved(start)
            at = None if now is None else defined.get((now, text))
            if at is not None and address.why is not None:
                why = f"on {target}: {address.size:,} bytes, {placed.text(address.why)}"
                yield _hint(at, f"@ {address.loc} {address.first:#06x}", why)


def _flags(file: File, target: str) -> Iterator[Hint]:
    """Inserted flags: set after a statement, waited for before one."""
    ends = {statement.start: statement.end for statement in file.document.statements}
    for placed in file.parts:
        planned = placed.part.plan(target)
        for added in planned.added if planned else ():
            now = placed.moved(added.anchor)
            if now is None or now not in ends:
                continue
            at = now if added.before else ends[now]
            yield _hint(at, added.text, f"on {target}: {placed.text(added.why)}", after=not added.before)
