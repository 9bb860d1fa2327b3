"""Rows of sorting and merging that targets share."""

from __future__ import annotations

from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.facts import Facts
from ptoas.targets.pipes import Pipes, S, V
from ptoas.targets.row import Call, Forms, Row, Scratch
from ptoas.targets.rules.sort import (
    merge_block_length_is_a_multiple_of_64,
    sort_indices_have_one_row_or_all,
    sorted_pairs_fit,
)
from ptoas.targets.specs import ND, ONE_ROW, T, tile


def _tail(know: Facts) -> TileType | None:
    """The scratch tile in which a partial last block is padded; with an open extent any block may be
    partial.
    """
    src = know.tile("src")
    rows, cols = src.type.shape if DYNAMIC in src.valid else src.valid
    if src.valid_cols != DYNAMIC and src.valid_cols % 32 == 0:
        return None
    return TileType.of(src.type.element_type, rows, -(-cols // 32) * 32)


def _tail_bytes(know: Facts) -> int:
    """Bytes to pad one row; rows are padded one after the other."""
    tail = _tail(know)
    return 0 if tail is None else tail.cols * element_size(tail.element_type)


def _merged(know: Facts) -> TileType:
    """A scratch tile for all lists, and for the part that is copied out of it."""
    lists = sum(know.knowledge.tile(value).type.cols for value in know.values("srcs"))
    dst = know.tile("dst").type
    return TileType.of(dst.element_type, 1, max(lists, dst.cols))


SORT = Row(
    tiles={"dst": tile(T, ND), "src": tile(None, ND), "idx": tile("u32", ND), "tmp": tile(None, ND)},
    valid={"src": "R C", "dst": "R _", "idx": "_ C"},
    no_alias=(("dst", "src"), ("dst", "idx"), ("tmp", "src"), ("tmp", "idx"), ("tmp", "dst")),
    scratch={"tmp": Scratch(_tail, _tail_bytes)},
    rules=(sorted_pairs_fit, sort_indices_have_one_row_or_all),
    pipe=V,
    call=Call(arguments="dst src idx tmp"),
)
MERGE_BLOCKS = Row(
    tiles={"dst": tile(T, ONE_ROW), "srcs": tile(None, ONE_ROW)},
    shape={"srcs": "1 C", "dst": "1 C"},
    no_alias=(("dst", "srcs"),),
    rules=(merge_block_length_is_a_multiple_of_64,),
    pipe=V,
    call=Call(arguments="dst srcs block_len"),
)
MERGE_LISTS = Row(
    tiles={"dst": tile(T, ONE_ROW), "srcs": tile(None, ONE_ROW), "tmp": tile(None, ONE_ROW)},
    no_alias=(("tmp", "srcs"), ("tmp", "dst")),
    scratch={"tmp": Scratch(_merged)},
    # The counts come out of a register of the scalar unit.
    pipe=lambda op: Pipes(V, inside=((V, S),)) if op.stops else V,
    defaults={"exhausted": False},
    call=Call(
        template="type:dst type:tmp type:srcs #exhausted",
        arguments="dst excuted tmp srcs",
        words={"exhausted": "{}"},
    ),
)


def merge(types: str, blocks: Row, lists: Row = MERGE_LISTS) -> Forms:
    """The two forms of TMRGSORT."""
    return Forms(lambda op: op.is_blocks, {True: blocks.of(types), False: lists.of(types)})
