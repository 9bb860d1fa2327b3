"""Collectives: chunk by chunk through the staging tiles, in by MTE2, out by MTE3 (document 003)."""

from __future__ import annotations

from ptoas.dialects.pto import comm
from ptoas.dialects.pto.enums import Event
from ptoas.targets.pipes import MTE2, MTE3, Pipes, V
from ptoas.targets.row import Row, Rows, with_rules
from ptoas.targets.rules import comm as c
from ptoas.targets.rules.staging import staging_is_no_larger_than_the_data
from ptoas.targets.specs import Types, tile, view

_TWO = (Event.EVENT_ID0, Event.EVENT_ID1)


def _staged(written: str) -> Pipes:
    at = {"staging": (MTE2, MTE3), written: MTE3}
    return Pipes(MTE2, at, after=((MTE3, MTE2),), inside=((MTE2, MTE3),), events=_TWO)


COLLECT, DISTRIBUTE = _staged("dst"), _staged("group")
REDUCE = Pipes(
    MTE2,
    {"staging": (MTE2, V), "acc": (MTE2, V, MTE3), "dst": MTE3},
    after=((MTE3, MTE2),),
    inside=((MTE2, V), (V, MTE2), (V, MTE3), (MTE2, MTE3)),
    events=(*_TWO, Event.EVENT_ID2),
)

_COLLECTIVE = Row(
    tiles={"staging": tile()},
    rules=(
        c.ping_and_pong_have_one_type,
        c.ranks_have_one_shape,
        c.chunks_divide_the_data,
        staging_is_no_larger_than_the_data,
        c.local_memory_has_the_layout_of_a_rank,
        c.ccu_has_a_context,
        c.root_is_a_rank,
    ),
    source="003, Memory constraints",
)


def collectives(moved: Types, reduced: Types, *, ccu: bool) -> Rows:
    """The collectives of a target: the types that it loads and stores, those that it reduces, and whether it
    has a collective unit."""
    dst, src = {"dst": view(moved)}, {"src": view(moved)}
    rows: Rows = {
        comm.CommTGatherOp: _COLLECTIVE.override(
            views=dst, rules=(c.local_memory_holds_all_ranks,), pipe=COLLECT
        ),
        comm.CommTScatterOp: _COLLECTIVE.override(
            views=src, rules=(c.local_memory_holds_all_ranks,), pipe=DISTRIBUTE
        ),
        comm.CommTBroadcastOp: _COLLECTIVE.override(
            views=src, rules=(c.local_memory_has_the_shape_of_a_rank,), pipe=DISTRIBUTE
        ),
        comm.CommTReduceOp: _COLLECTIVE.override(
            rules=(
                c.local_memory_has_the_shape_of_a_rank,
                c.reduction_takes_the_element_type(types=reduced),
            ),
            pipe=REDUCE,
        ),
    }
    if ccu:
        return rows
    return with_rules(rows, dict.fromkeys(rows, (c.collective_unit_exists,)))
