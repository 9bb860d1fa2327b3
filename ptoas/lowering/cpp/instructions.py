"""Calls of the instruction library: `MNEMONIC(destination, operands...)`, and what departs from that rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xdsl.ir import Operation, SSAValue

from ptoas.dialects.pto.elementwise import TCIOp, TCvtOp
from ptoas.dialects.pto.enums import (
    AtomicType,
    GatherOOB,
    RoundMode,
    ScatterAtomicOp,
    ScatterOOB,
)
from ptoas.dialects.pto.gather import MGatherOp, MScatterOp, TGatherOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.dialects.pto.sync import BarrierOp, SetFlagOp, WaitFlagOp
from ptoas.lowering.cpp.scalars import Handler
from ptoas.lowering.cpp.types import scalar_cpp

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter


def emit_call(emit: FunctionEmitter, op: PtoOp) -> None:
    """The default: destinations first, then the other operands in their order."""
    template = TEMPLATES[type(op)](emit, op) if type(op) in TEMPLATES else []
    arguments = [emit.argument(value) for value in _call_order(op)]
    if type(op) in EXTRA:
        arguments += EXTRA[type(op)](emit, op)
    name = op.mnemonic().upper()
    emit.line(f"{name}{_angle(template)}({', '.join(arguments)});")


def _angle(template: list[str]) -> str:
    return f"<{', '.join(template)}>" if template else ""


def _call_order(op: PtoOp) -> list[SSAValue]:
    outs = [value for slot in op.OUTS for value in op.operands_of(slot)]
    ins = [value for slot, values in op.segments() if slot.name not in op.OUTS for value in values]
    return outs + ins


# --- template arguments --------------------------------------------------------------------------


def _gather(emit: FunctionEmitter, op: Operation) -> list[str]:
    assert isinstance(op, MGatherOp)
    spelling = emit.spelling
    oob = GatherOOB.Undefined if op.gather_oob is None else op.gather_oob.data
    template = [f"Coalesce::{emit.target.coalesce_of(op).name}"] if spelling.gather_coalesce else []
    if spelling.gather_oob and oob is not GatherOOB.Undefined:
        template.append(f"GatherOOB::{oob.name}")
    return template


def _scatter(emit: FunctionEmitter, op: Operation) -> list[str]:
    assert isinstance(op, MScatterOp)
    spelling = emit.spelling
    if not spelling.scatter:
        raise emit.unsupported(op, f"{emit.target.title} has no MSCATTER")
    atomic = ScatterAtomicOp.None_ if op.scatter_atomic_op is None else op.scatter_atomic_op.data
    oob = ScatterOOB.Undefined if op.scatter_oob is None else op.scatter_oob.data
    template = [
        f"Coalesce::{emit.target.coalesce_of(op).name}",
        f"ScatterAtomicOp::{atomic.name.rstrip('_')}",
        f"ScatterOOB::{oob.name}",
    ]
    if op.scatter_conflict is not None and spelling.scatter_conflict:
        return [*template, f"ScatterConflict::{op.scatter_conflict.data.name}"]
    defaults = ["", "ScatterAtomicOp::None", "ScatterOOB::Undefined"]
    while len(template) > 1 and template[-1] == defaults[len(template) - 1]:
        template.pop()
    return template


def _tile_gather(emit: FunctionEmitter, op: Operation) -> list[str]:
    assert isinstance(op, TGatherOp)
    if op.form == "compare":
        raise emit.unsupported(
            op, "the compare form of tgather has no C++ call: the documents declare an index and a mask form"
        )
    if op.mask_pattern is None:
        return []
    template = [emit.tile_type(op.destination), emit.tile_type(op.src)]
    template.append(f"MaskPattern::{op.mask_pattern.data.name}")
    if op.axis is not None and op.axis.data == "col":
        template.append("GatherAxis::GATHER_COL")
    return template


def _tile_store(emit: FunctionEmitter, op: Operation) -> list[str]:
    assert isinstance(op, TStoreOp)
    if op.atomic_type is None or op.atomic_type.data is AtomicType.AtomicNone:
        return []
    return [
        emit.tile_type(op.src),
        emit.tensor_type(op.mem),
        f"AtomicType::{op.atomic_type.data.name}",
    ]


def _sequence(emit: FunctionEmitter, op: Operation) -> list[str]:
    assert isinstance(op, TCIOp)
    descending = op.descending is not None and bool(op.descending.value.data)
    return [emit.tile_type(op.destination), scalar_cpp(op.start.type), str(int(descending))]


Template = Callable[["FunctionEmitter", Operation], list[str]]

TEMPLATES: dict[type[PtoOp], Template] = {
    MGatherOp: _gather,
    MScatterOp: _scatter,
    TGatherOp: _tile_gather,
    TStoreOp: _tile_store,
    TCIOp: _sequence,
}


# --- arguments beyond the operands ---------------------------------------------------------------


def _round_mode(emit: FunctionEmitter, op: Operation) -> list[str]:
    assert isinstance(op, TCvtOp)
    mode = RoundMode.RINT if op.rmode is None else op.rmode.data
    return [f"RoundMode::CAST_{mode.name.removeprefix('CAST_')}"]


EXTRA: dict[type[PtoOp], Template] = {TCvtOp: _round_mode}


# --- synchronisation -----------------------------------------------------------------------------


def _flag(call: str) -> Handler:
    def handle(emit: FunctionEmitter, op: Operation) -> None:
        assert isinstance(op, SetFlagOp | WaitFlagOp)
        emit.line(f"{call}({op.src_pipe.data.value}, {op.dst_pipe.data.value}, {op.event_id.data.value});")

    return handle


def _barrier(emit: FunctionEmitter, op: Operation) -> None:
    assert isinstance(op, BarrierOp)
    emit.line(f"pipe_barrier({op.pipe.data.value});")


SYNC: dict[type[Operation], Handler] = {
    SetFlagOp: _flag("set_flag"),
    WaitFlagOp: _flag("wait_flag"),
    BarrierOp: _barrier,
}
