"""Rows of channel instructions that targets share."""

from __future__ import annotations

from collections.abc import Callable

from ptoas.analysis.channels import declaration_of, flow_of
from ptoas.dialects.pto import channel as c
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.types import TileType
from ptoas.targets.pipes import Pipe
from ptoas.targets.row import Forms, Row, Rows, Unsupported
from ptoas.targets.rules import channel as r
from ptoas.targets.shared.channel_model import ChannelModel

ROWS: Rows = {
    c.ReserveBufferOp: Row(rules=(r.reserved_buffer_has_size_and_address,)),
    c.ImportReservedBufferOp: Row(),
    c.DeclareTileOp: Row(),
    c.DeclareGlobalOp: Row(),
}

INITS = (c.AicInitializePipeOp, c.AivInitializePipeOp, c.InitializeL2LPipeOp, c.InitializeL2G2LPipeOp)
PUSHES = (c.TPushToAivOp, c.TPushToAicOp, c.TPushOp)
POPS = (c.TPopFromAicOp, c.TPopFromAivOp, c.TPopOp)
ALLOCS = (c.TAllocToAivOp, c.TAllocToAicOp, c.TAllocOp)
FREES = (c.TFreeFromAicOp, c.TFreeFromAivOp, c.TFreeOp)


def _in_memory(op: c.ChannelOp) -> bool:
    init = declaration_of(op)
    return init is not None and init.memory is not None


def channel_rows(model: ChannelModel) -> Rows:
    """The rows of a target whose cores pass tiles in this way."""

    def pushing(op: c.ChannelOp) -> Pipe:
        return model.pushes(flow_of(op) or Flow.C2V)

    def popping(op: c.ChannelOp) -> Pipe:
        return model.pops(flow_of(op) or Flow.C2V, _in_memory(op))

    def freeing(op: c.ChannelOp) -> Pipe | None:
        """A pop that copies has given the slot back already."""
        in_memory = _in_memory(op)
        return None if in_memory else model.frees(flow_of(op) or Flow.C2V, in_memory)

    numbers = Row(model=model, rules=(r.channel_parameters_are_in_range,))
    where = [r.channel_has_one_place_for_slots]
    if model.needs_memory:
        where.append(r.slots_are_in_global_memory)
    if not model.both_ways_in_memory:
        where.append(r.channel_in_global_memory_has_one_direction)
    views = numbers if model.views is None else Unsupported(model.views)
    declared = {} if model.views is None else {c.DeclareGlobalOp: views}
    rows: Rows = {**declared, **{op: numbers.override(rules=tuple(where)) for op in INITS}}
    if model.needs_memory:
        rows[c.InitializeL2LPipeOp] = Unsupported(
            "the cores reach each other through global memory alone; initialize_l2g2l_pipe"
        )
    for op in PUSHES:
        view = numbers.override(ignores=("entry",)) if model.views is None else views
        rows[op] = Forms(_passes_tile("entry"), {True: numbers.override(pipe=pushing), False: view})
    for op in POPS:
        ignored = ("entry",) if op is c.TPopOp else ()
        view = numbers.override(ignores=ignored) if model.views is None else views
        rows[op] = Forms(_passes_tile("popped"), {True: numbers.override(pipe=popping), False: view})
    for op in FREES:
        rows[op] = numbers.override(frees=freeing)
    for op in ALLOCS:
        rows[op] = views
    return rows


def _passes_tile(name: str) -> Callable[[c.ChannelOp], bool]:
    return lambda op: isinstance(getattr(op, name).type, TileType)
