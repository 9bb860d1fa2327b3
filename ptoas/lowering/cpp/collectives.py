"""Calls of the collectives, with the group and what else they are given (document 003).

SourcesTensor tensors[4] = {SourcesTensor(sources[0]), ...};
comm::ParallelGroup<SourcesTensor> group(tensors, 4, 0);
comm::TGATHER(group, resultGM, ping, pong);
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from ptoas.dialects.pto.comm import CollectiveOp, CommTReduceOp, StagedOp
from ptoas.dialects.pto.enums import CollEngine, ReduceOp
from ptoas.dialects.pto.types import DYNAMIC, GroupType, TileType, ViewType
from ptoas.dialects.pto.views import AllocTileOp, TAssignOp
from ptoas.lowering.cpp.handlers import emits

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter

HOST_NOTE = (
    "The CCU moves the data: every rank, not the root alone, registers its kernel on the host",
    "(HcclCcuKernelRegister) and launches it (HcclCcuKernelLaunch); this call opens the gate.",
)
"""Document 003, CCU path."""


@contextmanager
def kept_extents(emit: FunctionEmitter, op: StagedOp) -> Generator[None]:
    """The library leaves a staging tile valid as its last chunk was; afterwards it is again as it was."""
    tiles = [*op.staging, *((op.acc,) if isinstance(op, CommTReduceOp) and op.acc is not None else ())]
    saved: list[tuple[str, str, str]] = []
    for tile in dict.fromkeys(tiles):
        assert isinstance(tile.type, TileType)
        if not _is_used_later(tile, op):
            continue
        for word, extent in zip(("Row", "Col"), tile.type.valid, strict=True):
            if extent == DYNAMIC:
                variable, name = emit.fresh(f"valid{word}"), emit.text(tile)
                emit.line(f"const unsigned {variable} = {name}.GetValid{word}();")
                saved.append((name, word, variable))
    yield
    for name, word, variable in saved:
        emit.line(f"{name}.SetValid{word}({variable});")


def _is_used_later(tile: SSAValue, op: StagedOp) -> bool:
    """Return True if the tile has uses after this call; a tile made for this call alone has none."""
    if not isinstance(tile.owner, AllocTileOp) or tile.owner.parent is not op.parent:
        return True
    return any(use.operation is not op and not isinstance(use.operation, TAssignOp) for use in tile.uses)


def on_ccu(op: CollectiveOp) -> bool:
    return op.engine is not None and op.engine.data is CollEngine.CCU


@emits(CollectiveOp)
def emit_collective(emit: FunctionEmitter, op: CollectiveOp) -> None:
    """The group, the trigger of the CCU if that is the engine, the call."""
    members, tensor = _members(emit, op)
    tensors, group = emit.fresh("tensors"), emit.fresh("group")
    root = 0 if op.root is None else op.root.value.data
    emit.items(f"{tensor} {tensors}[{len(members)}]", members)
    emit.line(f"comm::ParallelGroup<{tensor}> {group}({tensors}, {len(members)}, {root});")
    arguments = [group, emit.argument(op.local)]
    if isinstance(op, CommTReduceOp) and op.acc is not None:
        arguments.append(emit.argument(op.acc))
    arguments += [emit.argument(tile) for tile in op.staging]
    if isinstance(op, CommTReduceOp):
        reduce = ReduceOp.Sum if op.op is None else op.op.data
        arguments.append(f"comm::ReduceOp::{reduce.name}")
    engine = ""
    if on_ccu(op):
        engine = "<comm::CollEngine::CCU>"
        arguments.append(_trigger(emit, op))
        for line in HOST_NOTE:
            emit.line(f"// {line}")
    name = op.mnemonic().removeprefix("comm.").upper()
    arguments += emit.waits(op)
    with kept_extents(emit, op):
        emit.line(f"{emit.recorded(op)}comm::{name}{engine}({', '.join(arguments)});")


def _trigger(emit: FunctionEmitter, op: CollectiveOp) -> str:
    """The context: the address of the CKE slot, and the gate mask."""
    if len(op.context) != 2:
        raise emit.unsupported(op, "the CCU is triggered with context(%slot_address, %gate_mask)")
    address, mask = (emit.text(value) for value in op.context)
    name = emit.fresh("trigger")
    parts = f"static_cast<uint64_t>({address}), static_cast<uint32_t>({mask})"
    emit.line(f"comm::CcuTriggerContext {name}{{{parts}}};")
    return name


def _is_static(emit: FunctionEmitter, value: SSAValue) -> bool:
    view = emit.view(value)
    return all(isinstance(each, int) for each in (*view.shape, *view.strides))


def _members(emit: FunctionEmitter, op: CollectiveOp) -> tuple[list[str], str]:
    """One tensor a rank, and their common C++ type."""
    members: list[str] = []
    types: list[str] = []
    for value in op.group:
        if isinstance(value.type, GroupType):
            assert isinstance(value.type.member, ViewType)
            if DYNAMIC in (*value.type.member.shape, *(value.type.member.strides or ())):
                why = "the extents of a group of pointers are not known: name each rank's memory"
                raise emit.unsupported(op, f"{why} memory by itself, group(%rank0, %rank1)")
            tensor = emit.member_type(value)
            pointer = emit.text(value)
            members += [f"{tensor}({pointer}[{rank}])" for rank in range(value.type.size)]
            types.append(tensor)
        else:
            tensor = emit.tensor_type(value)
            if types and tensor != types[0] and _is_static(emit, value):
                # Written otherwise: a dimension of one element has a stride that nothing looks at.
                members.append(f"{types[0]}({emit.view(value).pointer})")
                continue
            members.append(emit.argument(value))
            types.append(tensor)
    if len(set(types)) > 1:
        why = "the ranks of a group have one C++ type: the same shape, strides and layout"
        raise emit.unsupported(op, why)
    return members, types[0]
