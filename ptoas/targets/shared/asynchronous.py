"""Asynchronous transfers and prefetches: the scalar pipe hands them to the DMA engine and asks for events."""

from __future__ import annotations

from dataclasses import dataclass

from ptoas.dialects.pto import asynchronous as a
from ptoas.targets.pipes import S
from ptoas.targets.row import Call, Row, Rows
from ptoas.targets.rules import asynchronous as rules
from ptoas.targets.rules import remote as r
from ptoas.targets.shared.remote import HEADER
from ptoas.targets.specs import Types, tile, view


@dataclass(frozen=True)
class Engine:
    """The DMA engine of a target."""

    at_once: bool = False
    """The transfer is done when its start is; otherwise it goes on until it is waited for."""


def asynchronous(moved: Types, engine: Engine) -> Rows:
    """The rows of a target whose engine moves these types."""
    line = (rules.asynchronous_memory_is_one_row,)
    transfer = Row(
        views={"src": view(moved)},
        rules=(r.transfer_keeps_the_shape, r.transfer_keeps_the_layout, *line),
        pipe=S,
        model=engine,
        source="public TPUT_ASYNC page",
    )
    plain = Row(pipe=S, call=Call(header=HEADER))
    return {
        a.BuildAsyncSessionOp: Row(
            tiles={"scratch": tile()},
            rules=(rules.session_settings_are_in_range,),
            pipe=S,
            defaults={"sync_id": 0, "block_bytes": 32768, "comm_block_offset": 0, "queue_num": 1},
            call=Call("" if engine.at_once else "comm::BuildAsyncSession", header=HEADER),
            source="public TPUT_ASYNC page, AsyncSession Construction; block_bytes as the assembler's",
        ),
        a.CommTPutAsyncOp: transfer.override(call=Call("comm::TPUT_ASYNC", header=HEADER)),
        a.CommTGetAsyncOp: transfer.override(call=Call("comm::TGET_ASYNC", header=HEADER)),
        a.WaitAsyncEventOp: plain,
        a.TestAsyncEventOp: plain,
        a.MakePrefetchAsyncContextOp: plain,
        a.GetPrefetchAsyncSessionOp: plain,
        a.TPrefetchAsyncOp: Row(
            views={"src": view(moved)}, rules=line, pipe=S, source="public TPREFETCH_ASYNC page"
        ),
    }
