"""Rows of instructions that generate a tile."""

from __future__ import annotations

from typing import Any

from ptoas.targets.pipes import V
from ptoas.targets.row import Call, Row
from ptoas.targets.specs import ROW_MAJOR, T, tile

TRIANGLE = Row(
    tiles={"dst": tile(T, ROW_MAJOR)},
    pipe=V,
    call=Call(template="type:dst #upperOrLower", arguments="dst diag"),
    defaults={"upperOrLower": 0},
)

RANDOM = Row(tiles={"dst": tile("i32 u32", ROW_MAJOR)}, pipe=V, defaults={"rounds": 10})


def _counted_byte(op: Any) -> int:
    return op.number


HISTOGRAM = Row(
    tiles={"dst": tile("u32", ROW_MAJOR), "src": tile("u16 u32", ROW_MAJOR), "idx": tile("u8")},
    valid={"src": "R _", "dst": "R _"},
    pipe=V,
    call=Call(template="#byte", arguments="dst src idx", words={"byte": "HistByte::BYTE_{}"}),
    defaults={"byte": _counted_byte},
)
