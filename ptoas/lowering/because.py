"""Why the compiler put something into a program: a sentence for each flag, barrier, address and scratch tile.

The sentences are no attributes of the operations, so that a module's text stays what it is; they are made
when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.order import Touch
from ptoas.location import span_of

_KEPT = "_because"

MOST = 2
"""Accesses that one flag is explained with."""


def because(op: Operation, reason: Callable[[], str]) -> None:
    """Remember why `op` was inserted, or where it has its address from."""
    vars(op).setdefault(_KEPT, []).append(reason)


def reason_of(op: Operation) -> str | None:
    """What the compiler has to say about an operation; `None`: it is the author's."""
    found: list[Callable[[], str]] | None = vars(op).get(_KEPT)
    return None if found is None else "; ".join(reason() for reason in found)


def named(value: SSAValue) -> str:
    return f"%{value.name_hint}" if value.name_hint else "a tile"


def at_line(op: Operation) -> str:
    """`tload (line 5)`; without a text, `tload`."""
    span = span_of(op)
    line = f" (line {span.line})" if span.source.filename != "<built>" else ""
    return op.name.removeprefix("pto.") + line


def in_order(pairs: Iterable[tuple[Touch, Touch]]) -> str:
    """`tload (line 5) writes %a before tadd (line 7) reads it`."""
    found = dict.fromkeys(map(_sentence, pairs))
    more = f" (and {len(found) - MOST} more)" if len(found) > MOST else ""
    return "; ".join(list(found)[:MOST]) + more


def _sentence(pair: tuple[Touch, Touch]) -> str:
    first, second = pair
    verbs = ["writes" if touch.write else "reads" for touch in pair]
    return f"{at_line(first.op)} {verbs[0]} {named(second.value)} before {at_line(second.op)} {verbs[1]} it"
