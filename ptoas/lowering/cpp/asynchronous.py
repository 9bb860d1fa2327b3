"""Sessions, events and contexts: variables of the library's own types.

comm::AsyncSession session;
comm::BuildAsyncSession<comm::DmaEngine::SDMA>(scratch, ..., session, 0, comm::sdma::SdmaBaseConfig{32768, 0, 1});
comm::AsyncEvent event = comm::TPUT_ASYNC<comm::DmaEngine::SDMA>(dstGM, srcGM, session);
const bool done = event.Wait(session);
"""  # noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Attribute, SSAValue

from ptoas.dialects.pto import asynchronous as a
from ptoas.dialects.pto.types import AsyncEventType, AsyncSessionType, PrefetchAsyncContextType
from ptoas.lowering.cpp.handlers import emits
from ptoas.targets.row import Row

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter

HANDLE_TYPES: dict[type[Attribute], str] = {
    AsyncSessionType: "comm::AsyncSession",
    AsyncEventType: "comm::AsyncEvent",
    PrefetchAsyncContextType: "PrefetchAsyncContext",
}

_ENGINE = "<comm::DmaEngine::SDMA>"


def _workspace(emit: FunctionEmitter, pointer: SSAValue) -> str:
    return f"reinterpret_cast<__gm__ uint8_t *>({emit.text(pointer)})"


def _name_of_call(emit: FunctionEmitter, op: a.BuildAsyncSessionOp | a.AsyncTransferOp) -> str:
    row = emit.target.row(op)
    assert isinstance(row, Row) and row.call.name is not None
    return row.call.name


@emits(a.BuildAsyncSessionOp)
def _build(emit: FunctionEmitter, op: a.BuildAsyncSessionOp) -> None:
    """Emit the session; a library that copies at once needs none."""
    name, call = emit.name(op.session), _name_of_call(emit, op)
    emit.line(f"comm::AsyncSession {name};")
    if not call:
        return
    sync, block, offset, queues = (
        emit.target.value(op, each) for each in ("sync_id", "block_bytes", "comm_block_offset", "queue_num")
    )
    arguments = [emit.text(op.scratch), _workspace(emit, op.workspace), name, str(sync)]
    arguments.append(f"comm::sdma::SdmaBaseConfig{{{block}, {offset}, {queues}}}")
    if op.channel_group_idx is not None:
        arguments.append(str(op.channel_group_idx.value.data))
    emit.line(f"{call}{_ENGINE}({', '.join(arguments)});")


@emits(a.CommTPutAsyncOp, a.CommTGetAsyncOp)
def _transfer(emit: FunctionEmitter, op: a.AsyncTransferOp) -> None:
    given = [emit.argument(value) for value in (op.dst, op.src, op.session)]
    arguments = ", ".join([*given, *emit.waits(op)])
    emit.line(f"comm::AsyncEvent {emit.name(op.event)} = {_name_of_call(emit, op)}{_ENGINE}({arguments});")


@emits(a.WaitAsyncEventOp, a.TestAsyncEventOp)
def _ask(emit: FunctionEmitter, op: a.EventOp) -> None:
    method = "Wait" if isinstance(op, a.WaitAsyncEventOp) else "Test"
    emit.define(op.completed, f"{emit.text(op.event)}.{method}({emit.text(op.session)})", needed=True)


@emits(a.MakePrefetchAsyncContextOp)
def _context(emit: FunctionEmitter, op: a.MakePrefetchAsyncContextOp) -> None:
    emit.line(f"PrefetchAsyncContext {emit.name(op.ctx)}({_workspace(emit, op.workspace)});")


@emits(a.GetPrefetchAsyncSessionOp)
def _session(emit: FunctionEmitter, op: a.GetPrefetchAsyncSessionOp) -> None:
    emit.rename(op.session, f"{emit.text(op.ctx)}.session")


@emits(a.TPrefetchAsyncOp)
def _prefetch(emit: FunctionEmitter, op: a.TPrefetchAsyncOp) -> None:
    arguments = ", ".join([emit.argument(op.src), emit.text(op.ctx), *emit.waits(op)])
    emit.line(f"comm::AsyncEvent {emit.name(op.event)} = TPREFETCH_ASYNC({arguments});")
