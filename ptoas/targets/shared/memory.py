"""Rows of loads, stores and prints that targets share."""

from __future__ import annotations

from dataclasses import replace

from ptoas.dialects.pto.enums import AtomicType, PrintFormat, ReluPreMode, TileLoc
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.dialects.pto.types import TileType
from ptoas.targets.pipes import ALL, FIX, MTE2, MTE3, Pipe, Pipes, S
from ptoas.targets.row import Call, Forms, Row
from ptoas.targets.rule import Rule
from ptoas.targets.rules import fixpipe as f
from ptoas.targets.rules import memory as m
from ptoas.targets.specs import T, Types, elements, tile, view

PRINTED = elements("i8 u8 i16 u16 i32 u32 f16 f32")


def _store_pipe(op: TStoreOp) -> Pipe:
    type = op.src.type
    return FIX if isinstance(type, TileType) and type.loc.data is TileLoc.Acc else MTE3


STORE = Row(
    tiles={"src": tile(T, locs="vec mat acc")},
    rules=(
        m.store_keeps_the_layout,
        m.transfer_names_the_layout_of_its_memory,
        m.store_has_the_shape_of_the_memory,
        f.scales_are_in_scaling,
        f.relu_mode_is_supported,
    ),
    pipe=_store_pipe,
    defaults={"atomicType": AtomicType.AtomicNone, "reluPreMode": ReluPreMode.NoRelu},
    call=Call(
        template="#stPhase~ type:src type:mem #atomicType? #reluPreMode?",
        arguments="mem src pre_quant",
        only_with="atomicType reluPreMode stPhase pre_quant",
    ),
)
STORE_FP = Call(
    "TSTORE_FP",
    template="type:src type:mem type:fp #atomicType? #reluPreMode?",
    arguments="mem src fp",
)
PRINT = Row(
    tiles={"src": tile(PRINTED, locs=tuple(TileLoc))},
    views={"src": view(PRINTED)},
    pipe=Pipes(S, before=((ALL, ALL),)),
    defaults={"printFormat": PrintFormat.Width8_Precision4},
    call=Call(template="#printFormat?", arguments="src tmp"),
)


def printing(through_memory: str) -> Forms:
    """TPRINT of a device: the scalar pipe reaches the unified buffer and global memory; tiles elsewhere are
    copied to the scratch memory, out of those that have a way there."""
    rows = {
        is_given: PRINT.override(tiles={"src": tile(PRINTED, locs=locs)})
        for is_given, locs in {False: "vec", True: through_memory}.items()
    }
    return Forms(
        lambda op: op.tmp is not None,
        {**rows, True: rows[True].override(rules=(m.print_memory_holds_the_tile,))},
    )


def prefetch(types: Types) -> Row:
    """A prefetch moves bytes as they lie, so memory and tile need not have one type."""
    return Row(
        tiles={"dst": tile(types, locs="vec mat")},
        views={"src": view(types, empty=False)},
        rules=(m.prefetch_keeps_the_element_size,),
        pipe=MTE2,
        source="public TPREFETCH header",
    )


def load(types: Types, *, empty: bool = False, dn_to_nz: bool = False) -> Row:
    """A tile that is valid for nothing is loaded with nothing; `empty`: memory may have no elements, too."""
    return Row(
        tiles={"dst": tile(types, locs="vec mat")},
        views={"mem": view(empty=empty)},
        rules=(
            m.load_keeps_the_layout(dn_to_nz=dn_to_nz),
            m.transfer_names_the_layout_of_its_memory,
            m.load_has_the_shape_of_the_memory,
        ),
        pipe=MTE2,
    )


def store(types: Types, locs: str, *rules: Rule, empty: bool = False) -> Forms:
    """Stores, and those of an accumulator with a scale for each column, which have a call of their own."""
    row = STORE.override(tiles={"src": tile(types, locs=locs)}, views={"mem": view(empty=empty)}, rules=rules)
    return Forms(lambda op: op.fp is not None, {False: row, True: replace(row, call=STORE_FP)})
