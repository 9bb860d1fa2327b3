"""Copies of operations whose values keep their full names."""

from __future__ import annotations

from typing import TypeVar

from xdsl.ir import Operation, SSAValue

from ptoas.ir.names import set_name

Op = TypeVar("Op", bound=Operation)


def clone(op: Op, values: dict[SSAValue, SSAValue] | None = None) -> Op:
    """Clone an operation with all that is in it; values keep their full names.

    `values` maps values that the operation uses to those that the clone is to use instead, and is extended by
    the values that both define. xDSL's `clone` alone would shorten `tile_12` to `tile`.
    """
    mapped = dict[SSAValue, SSAValue]() if values is None else values
    outside = set(mapped)
    copy = op.clone(mapped, clone_name_hints=False)
    for value, cloned in mapped.items():
        if value not in outside:
            set_name(cloned, value.name_hint)
    return copy
