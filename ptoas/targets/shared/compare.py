"""Rows of comparisons and choices by a mask."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import i32

from ptoas.dialects.pto.enums import CmpMode
from ptoas.dialects.pto.types import TileType
from ptoas.targets.pipes import V
from ptoas.targets.row import Call, Row, Scratch
from ptoas.targets.rules.compare import mask_has_a_bit_for_each_column
from ptoas.targets.shared.scratch import placeholder
from ptoas.targets.specs import ROW_MAJOR, T, tile

COMPARE = Row(
    tiles={"dst": tile("i8 u8", ROW_MAJOR), "src0": tile(T, ROW_MAJOR), "src1": tile(None, ROW_MAJOR)},
    valid={"src0": "R C", "src1": "R C", "dst": "R _"},
    rules=(mask_has_a_bit_for_each_column,),
    pipe=V,
    defaults={"cmpMode": CmpMode.EQ},
    call=Call(arguments="dst src0 src1 #cmpMode"),
)

COMPARE_SCALAR = replace(
    COMPARE,
    tiles={"dst": COMPARE.tiles["dst"], "src": COMPARE.tiles["src0"]},
    valid={"src": "R C", "dst": "R _"},
    call=Call(arguments="dst src scalar #cmpMode"),
)

SELECT = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "mask": tile(None, ROW_MAJOR), "src0 src1": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src0 src1": "R C", "mask": "R _"},
    rules=(mask_has_a_bit_for_each_column,),
    pipe=V,
    ignores=("tmp",),
    # A row of results is longer than a row of bits: it would overwrite those of the next rows.
    no_alias=(("dst", "mask"),),
    scratch={"tmp": Scratch(lambda _: TileType.of(i32, 1, 8))},
)

SELECT_SCALAR = replace(
    SELECT,
    tiles={"dst": tile(T, ROW_MAJOR), "mask": tile(None, ROW_MAJOR), "src": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src": "R C", "mask": "R _"},
    scratch={"tmp": placeholder("src")},
)
