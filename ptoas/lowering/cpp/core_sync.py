"""Counters between cores, and barriers over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptoas.dialects.pto.core_enums import SyncAllMode
from ptoas.dialects.pto.core_sync import (
    CounterOp,
    ModedCounterOp,
    SectionOp,
    SetFftsOp,
    SetsCounter,
    SyncAllOp,
)
from ptoas.dialects.pto.enums import KernelKind
from ptoas.dialects.pto.types import PtrType
from ptoas.lowering.cpp.handlers import emits
from ptoas.lowering.cpp.types import element_cpp

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter


@emits(CounterOp)
def _counter(emit: FunctionEmitter, op: CounterOp) -> None:
    dynamic = op.event_id_dyn if isinstance(op, ModedCounterOp) else None
    number = str(op.number) if dynamic is None else emit.text(dynamic)
    pipe = op.working_pipe.value
    sets = isinstance(op, SetsCounter)
    model = emit.target.model(op)
    if model == "by lane":
        emit.line(f"{'set' if sets else 'wait'}_intra_block({pipe}, {number});")
    elif sets:
        emit.line(f"ffts_cross_core_sync({pipe}, getFFTSMsg({op.mode}, {number}));")
    elif model == "whole core":
        emit.line(f"wait_flag_dev({number});")
    else:
        emit.line(f"wait_flag_dev({pipe}, {number});")


@emits(SetFftsOp)
def _ffts(emit: FunctionEmitter, op: SetFftsOp) -> None:
    emit.line(f"set_ffts_base_addr(reinterpret_cast<uint64_t>({emit.text(op.ffts)}));")


@emits(SyncAllOp)
def _syncall(emit: FunctionEmitter, op: SyncAllOp) -> None:
    kind = f"SyncCoreType::{op.core_type.data.name}"
    if op.mode.data is SyncAllMode.Hard or op.workspace is None:
        emit.line(f"SYNCALL<{kind}>();")
        return
    workspace = op.workspace
    if isinstance(workspace.type, PtrType):
        element = element_cpp(workspace.type.element_type)
        tensor = emit.alias(
            f"GlobalTensor<{element}, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>", "WorkspaceTensor"
        )
        name = emit.fresh("workspace")
        emit.line(f"{tensor} {name}({emit.text(workspace)});")
    else:
        name = emit.argument(workspace)
    used = [] if op.used_cores is None else [f"static_cast<int32_t>({emit.text(op.used_cores)})"]
    emit.line(f"SYNCALL<SyncAllMode::Soft, {kind}>({', '.join([name, *used])});")


@emits(SectionOp)
def _section(emit: FunctionEmitter, op: SectionOp) -> None:
    """Emit a section; with a single thread it is an ordinary block."""
    macro = "__DAV_CUBE__" if op.KIND is KernelKind.Cube else "__DAV_VEC__"
    emit.directive(f"#if defined({macro})")
    emit.block(op.body.block)
    emit.directive("#endif")
