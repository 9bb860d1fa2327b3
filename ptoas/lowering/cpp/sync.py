"""Flags, barriers, fences and buffer tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from ptoas.dialects.pto.core_types import EventIdArrayType
from ptoas.dialects.pto.enums import EventAttr, Pipe
from ptoas.dialects.pto.sync import (
    AcquiresToken,
    BufferTokenOp,
    CmoCacheInvalidOp,
    DeclareEventIdArrayOp,
    DrainOp,
    EventIdArrayGetOp,
    EventIdArraySetOp,
    FenceBarrierAllOp,
    FlagOp,
    SetsFlag,
)
from ptoas.dialects.pto.types import ViewType
from ptoas.ir.caches import memoize
from ptoas.lowering.cpp.handlers import emits

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter


@emits(FlagOp)
def _flag(emit: FunctionEmitter, op: Operation) -> None:
    source, sink, event = cast(FlagOp, op).flag
    if isinstance(event, EventAttr):
        emit.line(_flag_call(op.__class__, source, sink, event.data.value))
    else:
        emit.line(_flag_call(op.__class__, source, sink, f"static_cast<event_t>({emit.text(event)})"))


@memoize
def _flag_call(kind: type[Operation], source: Pipe, sink: Pipe, event: str) -> str:
    call = "set_flag" if issubclass(kind, SetsFlag) else "wait_flag"
    return f"{call}({source.value}, {sink.value}, {event});"


@emits(DrainOp)
def _barrier(emit: FunctionEmitter, op: DrainOp) -> None:
    emit.line(f"pipe_barrier({op.drained.value});")


@emits(FenceBarrierAllOp)
def _fence(emit: FunctionEmitter, op: FenceBarrierAllOp) -> None:  # noqa: ARG001 - a handler
    """All pipes come to their end, then memory does."""
    emit.line("pipe_barrier(PIPE_ALL);")
    emit.line("dsb(DSB_DDR);")


@emits(CmoCacheInvalidOp)
def _cache(emit: FunctionEmitter, op: CmoCacheInvalidOp) -> None:
    if op.addr is None:
        emit.line("dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);")
        return
    viewed = isinstance(op.addr.type, ViewType)
    pointer = emit.view(op.addr).pointer if viewed else emit.text(op.addr)
    emit.line(f"dcci((__gm__ void *)({pointer}), cache_line_t::SINGLE_CACHE_LINE);")


@emits(BufferTokenOp)
def _token(emit: FunctionEmitter, op: BufferTokenOp) -> None:
    call = "get_buf" if isinstance(op, AcquiresToken) else "rls_buf"
    token = op.token
    number = str(token.value.data) if isinstance(token, IntegerAttr) else emit.text(token)
    mode = 0 if op.mode is None else op.mode.value.data
    emit.line(f"{call}({op.pipe.value}, {number}, {mode});")


@emits(DeclareEventIdArrayOp)
def _declare(emit: FunctionEmitter, op: DeclareEventIdArrayOp) -> None:
    assert isinstance(op.result.type, EventIdArrayType)
    emit.line(f"int32_t {emit.name(op.result)}[{op.result.type.size}];")


@emits(EventIdArrayGetOp)
def _get(emit: FunctionEmitter, op: EventIdArrayGetOp) -> None:
    """A copy: later stores to the array do not change it."""
    emit.define(op.result, f"{emit.text(op.array)}[{emit.text(op.index)}]")


@emits(EventIdArraySetOp)
def _set(emit: FunctionEmitter, op: EventIdArraySetOp) -> None:
    value = f"static_cast<int32_t>({emit.text(op.value)})"
    emit.line(f"{emit.text(op.array)}[{emit.text(op.index)}] = {value};")
