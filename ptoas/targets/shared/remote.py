"""Transfers and signals between ranks: a transfer goes through tiles as a collective does, a signal is a
scalar access."""

from __future__ import annotations

from ptoas.dialects.pto import remote
from ptoas.dialects.pto.enums import AtomicType
from ptoas.targets.pipes import ALL, Pipes, S
from ptoas.targets.row import Call, Row, Rows
from ptoas.targets.rules import comm as c
from ptoas.targets.rules import remote as r
from ptoas.targets.rules.staging import staging_is_no_larger_than_the_data
from ptoas.targets.shared.comm import COLLECT
from ptoas.targets.specs import Types, tile, view

HEADER = "pto/comm/pto_comm_inst.hpp"


def _call(name: str, arguments: str, template: str = "") -> Call:
    return Call(f"comm::{name}", template=template, arguments=arguments, header=HEADER)


_SIGNAL = Row(views={"signal": view("i32", empty=False)}, pipe=S, source="public TNOTIFY and TWAIT pages")


def transfers(moved: Types, added: Types) -> Rows:
    """Transfers and signals of a target: the types that it moves, and those that it adds in memory."""
    transfer = Row(
        tiles={"staging": tile(empty=False)},
        views={"src": view(moved, empty=False), "dst": view(empty=False)},
        rules=(
            c.ping_and_pong_have_one_type,
            c.chunks_divide_the_data,
            staging_is_no_larger_than_the_data,
            r.transfer_keeps_the_shape,
            r.transfer_keeps_the_layout,
        ),
        pipe=COLLECT,
        source="public TPUT and TGET pages",
    )
    return {
        remote.CommTPutOp: transfer.override(
            rules=(r.atomic_put_is_an_addition(types=added),),
            defaults={"atomicType": AtomicType.AtomicNone},
            call=_call("TPUT", "dst src staging", "#atomicType?"),
        ),
        remote.CommTGetOp: transfer.override(call=_call("TGET", "dst src staging")),
        remote.CommTNotifyOp: _SIGNAL.override(
            rules=(r.one_element_is_notified,),
            # The library ends with a barrier of all pipes.
            pipe=Pipes(S, after=((ALL, ALL),), events=()),
            call=_call("TNOTIFY", "signal value #notifyOp"),
        ),
        remote.CommTWaitOp: _SIGNAL.override(call=_call("TWAIT", "signal cmp_value #cmp")),
        remote.CommTTestOp: _SIGNAL.override(call=_call("TTEST", "signal cmp_value #cmp")),
    }
