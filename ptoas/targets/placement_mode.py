"""Check of the placement mode that the caller requires of all functions (`--placement`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from xdsl.ir import Operation

from ptoas.analysis.function import FunctionFacts
from ptoas.diagnostics import Diagnostic
from ptoas.dialects.pto.channel import ReserveBufferOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.multi_tile import AllocMultiTileOp
from ptoas.dialects.pto.views import AllocTileOp, TAssignOp
from ptoas.grammar.spans import span_of
from ptoas.targets.facts import Facts
from ptoas.targets.row import Row
from ptoas.targets.target import Target

PLACEMENT_CODE = "PTO-V140"
PLACEMENTS = ("auto", "manual")


def check_placement_mode(
    functions: Iterable[FunctionFacts], target: Target, placement: str, omits: Callable[[PtoOp], bool]
) -> Iterator[Diagnostic]:
    """Report tiles with an address if the compiler is to place them, and tiles without one if not.

    Scratch tiles count, but for instructions that `omits` names.
    """
    for function in functions:
        for op in function.ops:
            found = _by_hand(op) if placement == "auto" else _left_open(op)
            if found is None and placement == "manual" and isinstance(op, PtoOp) and not omits(op):
                found = _without_scratch(op, function, target)
            if found is not None:
                what, fix = found
                message = f"{what}, but the placement is {placement}"
                yield Diagnostic(PLACEMENT_CODE, message, span_of(op), fix=fix)


def _by_hand(op: Operation) -> tuple[str, str] | None:
    match op:
        case AllocTileOp() | AllocMultiTileOp() if op.addr is not None:
            return f"`{op.mnemonic()}` has an address", "remove it"
        case TAssignOp():
            return "`tassign` gives a tile an address", "remove it"
        case ReserveBufferOp() if not op.is_auto:
            return "`reserve_buffer` has a base", "write auto = true"
        case _:
            return None


def _left_open(op: Operation) -> tuple[str, str] | None:
    match op:
        case AllocTileOp() | AllocMultiTileOp() if op.addr is None:
            return f"`{op.mnemonic()}` has no address", "add `addr = %address`"
        case ReserveBufferOp() if op.is_auto:
            return "`reserve_buffer` has no base", "write auto = false and a base"
        case _:
            return None


def _without_scratch(op: PtoOp, function: FunctionFacts, target: Target) -> tuple[str, str] | None:
    row = target.row(op)
    if not isinstance(row, Row):
        return None
    facts = Facts(op, target, function.knowledge, False, (target,), row)
    for slot, scratch in row.scratch.items():
        free = scratch.optional or scratch.instead is not None or slot in row.ignores
        if not free and not op.operands_of(slot) and scratch.needs(facts) is not None:
            return f"`{op.mnemonic()}` has no {slot}", "add a scratch tile"
    return None
