"""Element types that a target takes, by instruction, or by instruction and form: `tgather.mask`."""

from __future__ import annotations

from functools import cache
from typing import Any

from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.element_types import ElementType
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.targets.row import Forms, Row
from ptoas.targets.target import Target

BY_NAME = {op.mnemonic(): op for op in OPS}


def row_of(target: Target, op: type[PtoOp], form: str = "") -> Row:
    entry = target.entry(op)
    row = entry.rows[form or next(iter(entry.rows))] if isinstance(entry, Forms) else entry
    assert isinstance(row, Row)
    return row


def data_of(target: Target, rule: str, key: str) -> Any:
    """Target-specific data of a rule: the pairs of conversions, the types of an atomic operation."""
    for _, row in target.rows():
        for each in row.rules:
            if each.name == rule and hasattr(each.check, "keywords"):
                return each.check.keywords[key]  # type: ignore[attr-defined]
    return {}


@cache
def types_of(target: Target, key: str, aicore: bool = False) -> tuple[ElementType, ...]:
    match key.split("."):
        case ["mscatter", atomic]:
            return data_of(target, "scatter_atomic_takes_the_element_type", "types").get(atomic, ())
        case ["tstore", "add"]:
            return data_of(target, "store_atomic_takes_the_element_type", "types")
        case ["comm", "treduce", _]:
            return data_of(target, "reduction_takes_the_element_type", "types")
        case ["tgather", "indices"]:
            return row_of(target, BY_NAME["tgather"], "index").tiles["indices"].types or ()
        case ["tgather", form]:
            row, slot = row_of(target, BY_NAME["tgather"], form), "src"
            spec = row.tiles.get(slot)
            if spec is None or spec.types is None:
                spec = row.tiles.get("dst", spec)
        case _:
            row = row_of(target, BY_NAME[key])
            spec = next(spec for spec in row.tiles.values() if spec.types is not None)
    if spec is None or spec.types is None:
        return types_of(target, "tload")
    return spec.types + (spec.aicore if aicore else ())
