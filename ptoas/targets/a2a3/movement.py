"""Copies between the memories of A2/A3: blocks of 32 bytes."""

from __future__ import annotations

from dataclasses import replace

from ptoas.dialects.pto import movement as d
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.a2a3.elementwise import VECTORS_AND_SCALARS
from ptoas.targets.facts import Facts
from ptoas.targets.pipes import MTE2, MTE3, Pipe, Pipes, S, V
from ptoas.targets.row import Call, Forms, Rows, Scratch
from ptoas.targets.rules import movement as m
from ptoas.targets.rules.fixpipe import part_is_made_of_blocks
from ptoas.targets.shared.fixpipe import Cube, moves
from ptoas.targets.shared.movement import (
    CONCAT,
    CONCAT_COUNTED,
    EXTRACT,
    MOVE,
    TRANSPOSE,
    FillModel,
    fill_pad,
    move,
    no_boxes,
)
from ptoas.targets.shared.scratch import BLOCK
from ptoas.targets.specs import NINE, element_of, elements, tile_type

WAYS = {"mat": "left right bias scaling", "vec": "vec", "acc": "mat"}
EXTRACTED = {"mat": "left right", "vec": "vec", "acc": "mat"}
INSERTED = {"vec": "vec", "acc": "mat"}
LAYOUTS = {
    "mat left": "nz-* zn-* row-*",
    "mat right": "nz-* zn-*",
    "acc mat": "*-nz",
    "vec vec": "nd-nd dn-dn nz-nz zn-zn zz-zz nn-nn",
}

CUBE = Cube(
    types=elements("i8 f16 bf16 f32"),
    plain={"f32": "f16 bf16"},
    scaled={"f32": "i8", "i32": "i8 ui8 f16 i16"},
    bias={"i32": "i32", "f32": "f32", "f16": "f32"},
    scaling={"i64": "i64", "ui64": "ui64"},
    ways=WAYS,
    layouts=LAYOUTS,
    squares="src",
    by_source=True,
)

SAME = {"src": "R C", "dst": "R C"}
PART = EXTRACT.of(NINE).override(rules=(m.part_starts_at_a_block, m.part_is_no_larger(by_pairs=True)))
BLOCKS = (m.part_is_inside_the_tile, part_is_made_of_blocks)


def _in_squares(src: TileType, dst: TileType) -> bool:
    """Return True if TTRANS turns squares of a tile into scratch and copies them to the destination; else it
    copies single elements (pto/npu/a2a3/TTrans.hpp header: TTransOperation).
    """
    size = element_size(src.element_type)
    blocks, rest = divmod(src.cols * size, BLOCK)
    return dst.cols % (32 if size == 1 else 16) == 0 and rest == 0 and blocks <= 255


def _transposed(know: Facts) -> TileType:
    """Squares are transposed through a tile like the source, and single elements by way of one block."""
    src, dst = know.tile("src").type, know.tile("dst").type
    if _in_squares(src, dst):
        return TileType.of(src.element_type, src.rows, src.cols)
    return TileType.of(src.element_type, 1, BLOCK // element_size(src.element_type))


def _transpose_form(op: d.TTransOp) -> str:
    is_square = _in_squares(tile_type(op.src), tile_type(op.destination))
    return "squares" if is_square else "elements"


TURNED = TRANSPOSE.of(NINE, ignores=(), scratch={"tmp": Scratch(_transposed)})


def _concatenated(op: d.TConcatOp) -> Pipe | Pipes:
    """Pipes of TCONCAT: parts that do not start at a block are copied by the scalar pipe
    (pto/npu/a2a3/TConcat.hpp header: TConcatImpl). Vector instructions do not wait for it.
    """
    src = tile_type(op.src0)
    known = src.valid_cols != DYNAMIC
    if known and src.valid_cols * element_size(src.element_type) % BLOCK == 0:
        return V
    # With dynamic extents the handshakes may not happen.
    waits = ((V, S), (MTE2, S))
    at = {"src1": S if known else (V, S), "dst": (V, S)}
    return Pipes(V, at, before=waits) if known else Pipes(V, at, inside=waits)


COUNTED = Pipes(
    V,
    {"src0_idx": S, "src1_idx": S, "src1": (V, S), "dst": (V, S)},
    before=((MTE2, S),),
    inside=((V, S), (S, MTE3)),
    after=((S, V),),
)
"""The scalar pipe reads how many columns there are, once they are loaded, and copies what does not start at
a block (pto/npu/a2a3/TConcat.hpp header: TConcatIdx)."""


def _filled(op: d.TFillPadOp) -> Pipe | Pipes:
    """The scalar pipe pads the rest of a block of bytes, after a handshake with vectors and before a barrier
    of its own stores, `dsb`, which holds back all that follows (pto/npu/a2a3/TFillPad.hpp header:
    Handle32BAlignedPad_Byte; Handle32BAlignedPad_Other and the rest are vector instructions)."""
    return V if element_of(op.destination).size > 1 else Pipes(V, inside=((V, S),))


ROWS: Rows = {
    # The copy moves whole blocks of the physical tile.
    d.TMovOp: move(
        moves("TMOV", MOVE.of(NINE, shape=SAME, call=Call(by_rows=True)), CUBE, shape=SAME),
        no_boxes("A2/A3 has no products of blocks with exponents, and no move that reorders them"),
    ),
    d.TFillPadOp: fill_pad(NINE, FillModel(keeps_bursts=True), pipe=_filled),
    # Single elements are transposed by the scalar pipe, between two handshakes with vectors
    # (pto/npu/a2a3/TTrans.hpp header: TransTailTiles).
    d.TTransOp: Forms(
        _transpose_form,
        {
            "squares": TURNED.override(no_alias=(("tmp", "src"),)),
            "elements": TURNED.override(no_alias=(("dst", "src"),), pipe=VECTORS_AND_SCALARS),
        },
    ),
    d.TConcatOp: CONCAT.of(NINE, pipe=_concatenated).override(rules=(m.concatenation_fits,)),
    d.TConcatIdxOp: CONCAT_COUNTED.of(NINE, pipe=COUNTED),
    d.TExtractOp: moves("TEXTRACT", PART, replace(CUBE, ways=EXTRACTED), *BLOCKS, at="row col"),
    d.TInsertOp: moves("TINSERT", PART, replace(CUBE, ways=INSERTED), *BLOCKS, at="row col"),
}
