"""Comparing and selecting on A2/A3."""

from __future__ import annotations

from xdsl.dialects.builtin import i32

from ptoas.dialects.pto import compare as c
from ptoas.dialects.pto.types import TileType
from ptoas.targets.pipes import Pipes, S, V
from ptoas.targets.row import Rows, Scratch
from ptoas.targets.rules.compare import integers_are_compared_for_equality
from ptoas.targets.shared.compare import COMPARE, COMPARE_SCALAR, SELECT, SELECT_SCALAR
from ptoas.targets.specs import tile

# The addresses of the mask, four bytes each.
ADDRESSES = Scratch(lambda _: TileType.of(i32, 1, 16), lambda know: 16 if know.tile("dst").size == 2 else 8)

ROWS: Rows = {
    c.TCmpOp: COMPARE.of("i32 f16 f32").override(rules=(integers_are_compared_for_equality,)),
    c.TCmpSOp: COMPARE_SCALAR.of("i16 u16 i32 f16 f32").override(rules=(integers_are_compared_for_equality,)),
    c.TSelOp: SELECT.of("i16 u16 i32 u32 f16 bf16 f32").override(
        tiles={"tmp": tile("i32 u32 f32")},
        ignores=(),
        scratch={"tmp": ADDRESSES},
        no_alias=(*SELECT.no_alias, *(("tmp", slot) for slot in ("dst", "mask", "src0", "src1"))),
    ),
    # The scalar pipe writes the scalar to the scratch tile, from where vectors fetch it.
    c.TSelSOp: SELECT_SCALAR.of(
        "i16 u16 i32 u32 f16 bf16 f32",
        ignores=(),
        pipe=Pipes(V, {"tmp": (S, V)}, inside=((S, V),)),
        no_alias=(*SELECT_SCALAR.no_alias, ("tmp", "mask"), ("tmp", "src")),
    ),
}
