"""Marked calls for unknown instructions, which `--allow-unregistered` keeps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, UnregisteredOp
from xdsl.ir import SSAValue

from ptoas.ir.names import name_of
from ptoas.lowering.cpp.handlers import emits
from ptoas.lowering.cpp.names import comment_text
from ptoas.lowering.cpp.scalars import is_scalar

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter

_SEGMENTS = "operandSegmentSizes"


@emits(UnregisteredOp)
def emit_unknown(emit: FunctionEmitter, op: UnregisteredOp) -> None:
    """`pto.tnew ins(%a : ...) outs(%b : ...)` is `TNEW(b, a)`, marked: nothing about it was checked."""
    scalars = all(is_scalar(result.type) for result in op.results)
    if op.regions or len(op.results) > 1 or not scalars:
        raise emit.unsupported(op, "unknown, it has a C++ form only without regions and tile results")
    call = re.sub(r"\W", "_", name_of(op).removeprefix("pto.").upper())
    left_out = ", ".join(f"{key} = {value}" for key, value in op.attributes.items() if key not in _OURS)
    suffix = f"; left out: {left_out}" if left_out else ""
    emit.line(f"// {comment_text(f'UNKNOWN to ptoas, neither checked nor synchronised{suffix}')}")
    text = f"{call}({', '.join(emit.argument(value) for value in _call_order(op))})"
    if op.results:
        emit.define(op.results[0], text, needed=True)
    else:
        emit.line(f"{text};")


_OURS = ("op_name__", _SEGMENTS)


def _call_order(op: UnregisteredOp) -> list[SSAValue]:
    """Destinations first, where the text says which they are."""
    sizes = op.attributes.get(_SEGMENTS)
    if not isinstance(sizes, DenseArrayBase):
        return list(op.operands)
    ins = int(sizes.get_values()[0])
    return [*op.operands[ins:], *op.operands[:ins]]
