"""Rows of reductions along rows and down columns."""

from __future__ import annotations

from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.facts import Facts
from ptoas.targets.pipes import V
from ptoas.targets.row import Call, Forms, Row, Scratch
from ptoas.targets.rules.reduce import sums_of_pairs_fit_the_scratch_tile
from ptoas.targets.shared.scratch import placeholder
from ptoas.targets.specs import INDEX, ND, ND_OR_COLUMN, T, tile

ROW_REDUCTION = Row(
    tiles={"src": tile(None, ND, empty=False), "dst": tile(T, ND_OR_COLUMN)},
    valid={"src": "R C", "dst": "R 1"},
    idle=True,
    pipe=V,
    ignores=("tmp",),
    scratch={"tmp": placeholder("src")},
)
"""Row reduction whose scratch tile is only an argument of the call."""

COLUMN_REDUCTION = Row(
    tiles={"src": tile(None, ND), "dst": tile(T, ND)},
    valid={"src": "_ C", "dst": "1 C"},
    idle=True,
    pipe=V,
)

ROW_ARG = ROW_REDUCTION.override(
    tiles={"src": tile(T, ND, empty=False), "dst": tile(INDEX, ND_OR_COLUMN)}, idle=False
)

COLUMN_ARG = ROW_ARG.override(
    tiles={"src": tile(T, ND, empty=False), "dst": tile(INDEX, ND)}, valid={"src": "_ C", "dst": "1 C"}
)


def column_sum(plain: Row, in_pairs: Row) -> Forms:
    """A sum down columns: row after row, or with a scratch tile for the sums of pairs of rows."""
    with_scratch = in_pairs.override(call=Call(arguments="dst src tmp #isBinary"))
    return Forms(lambda op: op.tmp is not None or op.in_pairs, {False: plain, True: with_scratch})


def _pairs(know: Facts) -> TileType:
    src = know.tile("src").type
    return TileType.of(src.element_type, max(1, -(-src.rows // 2)), src.cols)


def _least_pairs(know: Facts) -> int:
    """A row of the scratch tile for every two rows of the source, unless they are not summed in pairs."""
    rows, tmp = know.tile("src").valid_rows, know.tile("tmp")
    used = know.target.value(know.op, "isBinary") and rows != DYNAMIC
    return -(-rows // 2) * tmp.cols * tmp.size if used else 0


SUM_OF_PAIRS = COLUMN_REDUCTION.override(
    tiles={"tmp": tile(None, ND)},
    rules=(sums_of_pairs_fit_the_scratch_tile,),
    scratch={"tmp": Scratch(_pairs, _least_pairs)},
    model="pairs",
)
