"""Provenance of what passes insert: a sentence for each flag, barrier, address and scratch tile.

It is part of an operation's location, which clones keep and a module's text does not show. The sentences are
written when somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ptoas.analysis.order import StaticAccess
from ptoas.grammar.spans import span_of
from ptoas.ir.location import InsertedLocation, Reason, SourceLocation

MOST = 2
"""Accesses that one flag is explained with."""


def add_reason(op: Operation, reason: Reason) -> None:
    """Record why a pass inserted `op`, or where it has its address from."""
    location: Attribute = op.location
    if isinstance(location, SourceLocation | InsertedLocation):
        found = replace(location, reasons=(*location.reasons, reason))
    else:
        found = InsertedLocation(op.location, (reason,))
    op.location = cast("LocationAttr", found)


def reason_of(op: Operation) -> str | None:
    """The compiler's reason for an operation; `None`: the author wrote it."""
    location: Attribute = op.location
    if not isinstance(location, SourceLocation | InsertedLocation) or not location.reasons:
        return None
    return "; ".join(reason() for reason in location.reasons)


def location_of(op: Operation) -> LocationAttr:
    """The location of an operation without its provenance, for what a pass makes out of it."""
    location: Attribute = op.location
    if isinstance(location, InsertedLocation):
        return location.origin
    if isinstance(location, SourceLocation) and location.reasons:
        return cast("LocationAttr", replace(location, reasons=()))
    return op.location


def named(value: SSAValue) -> str:
    return f"%{value.name_hint}" if value.name_hint else "a tile"


def at_line(op: Operation) -> str:
    """`tload (line 5)`; without a text, `tload`."""
    span = span_of(op)
    line = f" (line {span.line})" if span.source.filename != "<built>" else ""
    return op.name.removeprefix("pto.") + line


def in_order(pairs: Iterable[tuple[StaticAccess, StaticAccess]]) -> str:
    """`tload (line 5) writes %a before tadd (line 7) reads it`."""
    found = dict.fromkeys(map(_sentence, pairs))
    more = f" (and {len(found) - MOST} more)" if len(found) > MOST else ""
    return "; ".join(list(found)[:MOST]) + more


def _sentence(pair: tuple[StaticAccess, StaticAccess]) -> str:
    first, second = pair
    verbs = ["writes" if touch.write else "reads" for touch in pair]
    return f"{at_line(first.op)} {verbs[0]} {named(second.value)} before {at_line(second.op)} {verbs[1]} it"
