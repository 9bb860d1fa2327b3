"""Differences in what belongs to the matrix unit."""

from __future__ import annotations

from ptoas.differences.difference import Difference

ROWS: tuple[Difference, ...] = (
    Difference(
        "`tmatmul.acc` with two accumulators",
        "takes them",
        "refused: the destination is the accumulator",
        "D37: the devices ignore the other one",
        """
.arg %c : !pto.tile<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
.arg %d : !pto.tile<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
.arg %a : !pto.tile<left, 16x16xf16, slayout=row_major>
.arg %b : !pto.tile<right, 16x16xf16, slayout=col_major>
tmatmul.acc %d, %c, %a, %b : (!pto.tile<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.tile<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.tile<left, 16x16xf16, slayout=row_major>, !pto.tile<right, 16x16xf16, slayout=col_major>)
""",
        "PTO-K106",
    ),
    Difference(
        "from `acc` to `vec` on a2a3",
        "takes it",
        "refused: by way of `mat`, or of memory",
        "header of TMOV on a2a3: `acc` goes to `mat` alone",
        """
.arg %c : !pto.tile<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
%d = tmov %c : (!pto.tile<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) -> !pto.tile<vec, 16x16xf16>
""",
        "PTO-E401",
    ),
    Difference(
        "a right operand with fewer valid columns than a block row",
        "takes it",
        "refused unless the tile is compact",
        "header of TEXTRACT steps over physical columns, TMATMUL over valid ones; the library's own tests of such extents use `TileRightCompact`",
        """
.arg %a : !pto.tile<left, 16x64xf16, slayout=row_major>
.arg %b : !pto.tile<right, 64x32xf16, valid=64x16, slayout=col_major>
%d = tmatmul %a, %b : (!pto.tile<left, 16x64xf16, slayout=row_major>, !pto.tile<right, 64x32xf16, valid=64x16, slayout=col_major>) -> !pto.tile<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
""",
        "PTO-K105",
        "a5",
    ),
    Difference(
        "scales of an mx product without `tget_scale_addr`",
        "takes them",
        "refused: the unit finds scales by the address of their operand",
        "header of TGET_SCALE_ADDR",
        """
func.func @f() {
  %a = pto.alloc_tile : !pto.tile_buf<left, 16x64xf8E4M3FN, slayout=row_major>
  %sa = pto.alloc_tile : !pto.tile_buf<scaling, 16x2x!pto.f8E8M0, slayout=row_major, fractal=32>
  %b = pto.alloc_tile : !pto.tile_buf<right, 64x32xf8E4M3FN, slayout=col_major>
  %sb = pto.alloc_tile : !pto.tile_buf<scaling, 2x32x!pto.f8E8M0, blayout=col_major, slayout=col_major, fractal=32>
  %d = pto.alloc_tile : !pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
  pto.tmatmul.mx ins(%a, %sa, %b, %sb : !pto.tile_buf<left, 16x64xf8E4M3FN, slayout=row_major>, !pto.tile_buf<scaling, 16x2x!pto.f8E8M0, slayout=row_major, fractal=32>, !pto.tile_buf<right, 64x32xf8E4M3FN, slayout=col_major>, !pto.tile_buf<scaling, 2x32x!pto.f8E8M0, blayout=col_major, slayout=col_major, fractal=32>) outs(%d : !pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>)
  return
}
""",
        "PTO-G203",
        "a5",
    ),
    Difference(
        "scales of columns that fill more than their memory",
        "takes 4 KB on a2a3",
        "refused: 2 KB",
        "header `buffer_limits.hpp`: the size of the buffer",
        """
func.func @f() {
  %s = pto.alloc_tile : !pto.tile_buf<scaling, 1x512xui64>
  return
}
""",
        "PTO-U103",
    ),
    Difference(
        "boxes in `scaling` that an instruction fills",
        "takes them",
        "refused: one plain row",
        "header of TMOV into `scaling`: the rows are asserted to be one",
        """
func.func @f(%m: !pto.tile_buf<mat, 16x16xi64>) {
  %s = pto.alloc_tile : !pto.tile_buf<scaling, 16x16xi64, slayout=row_major>
  pto.tmov ins(%m : !pto.tile_buf<mat, 16x16xi64>) outs(%s : !pto.tile_buf<scaling, 16x16xi64, slayout=row_major>)
  return
}
""",
        "PTO-V109",
    ),
    Difference(
        "pairs of fp4 that are moved within the unified buffer",
        "writes the call",
        "refused where it is lowered: bitcast the tiles to ui8",
        "header of TMOV and TINSERT on A5: bytes are counted there, and pairs elsewhere",
        """
.arg %s : !pto.tile<16x64xf4E2M1x2>
%d = tmov %s : (!pto.tile<16x64xf4E2M1x2>) -> !pto.tile<16x64xf4E2M1x2>
""",
        "PTO-L004",
        "a5",
    ),
    Difference(
        "accumulators of i32 as f16 without a scale",
        "takes it",
        "refused: with a scale",
        "header of TSTORE and TMOV: the pairs of types are asserted",
        """
.arg %c : !pto.tile<acc, 16x16xi32, blayout=col_major, slayout=row_major, fractal=1024>
.arg %o : !pto.memref<16x16xf16>
tstore %c, %o : (!pto.tile<acc, 16x16xi32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.memref<16x16xf16>)
""",
        "PTO-K201",
    ),
    Difference(
        "accumulators as f8E5M2",
        "takes it with a scale",
        "refused: f8E4M3FN and others",
        "header `common.hpp` of A5: the types are asserted",
        """
func.func @f(%c: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, %d: !pto.tile_buf<mat, 16x32xf8E5M2, valid=16x16, blayout=col_major, slayout=row_major>, %k: i64) {
  pto.tmov ins(%c : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, %k : i64) outs(%d : !pto.tile_buf<mat, 16x32xf8E5M2, valid=16x16, blayout=col_major, slayout=row_major>)
  return
}
""",
        "PTO-K201",
        "a5",
    ),
    Difference(
        "a part of a matrix that begins inside of a block",
        "takes any row",
        "refused: whole blocks of 16",
        "header of TEXTRACT counts blocks: the rest of the index is lost",
        """
func.func @f(%s: !pto.tile_buf<mat, 64x32xf32, blayout=col_major, slayout=row_major>, %d: !pto.tile_buf<left, 32x32xf32, blayout=col_major, slayout=row_major>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  pto.textract ins(%s, %c4, %c0 : !pto.tile_buf<mat, 64x32xf32, blayout=col_major, slayout=row_major>, index, index) outs(%d : !pto.tile_buf<left, 32x32xf32, blayout=col_major, slayout=row_major>)
  return
}
""",
        "PTO-K204",
        "a5",
    ),
    Difference(
        "an accumulator in halves that is converted on its way",
        "takes it",
        "refused: as it is",
        "header of TMOV on A5: no quantisation is asserted where two destinations are written",
        """
.arg %c : !pto.tile<acc, 32x64xf32, blayout=col_major, slayout=row_major, fractal=1024>
%d = tmov %c {accToVecMode = #pto<acc_to_vec_mode dual_mode_split_m>} : (!pto.tile<acc, 32x64xf32, blayout=col_major, slayout=row_major, fractal=1024>) -> !pto.tile<16x64xf16>
""",
        "PTO-K302",
        "a5",
    ),
    Difference(
        "plain rows in `mat` on their way to `left` or `right`",
        "takes them",
        "refused: blocks, which `tload` makes, or one row",
        "header of TMOV takes them for blocks of another order, and transposes what is none",
        """
.arg %m : !pto.tile<mat, 16x16xf16>
%d = tmov %m : (!pto.tile<mat, 16x16xf16>) -> !pto.tile<left, 16x16xf16, slayout=row_major>
""",
        "PTO-K120",
    ),
    Difference(
        "plain rows in `vec` on their way to blocks in `mat`",
        "takes them",
        "refused: by way of blocks in `vec`, which `tmov` makes",
        "header of TINSERT and TMOV on A5 copies bytes: `mat` then holds rows where blocks are meant",
        """
.arg %s : !pto.tile<32x32xf16>
%d = tmov %s : (!pto.tile<32x32xf16>) -> !pto.tile<mat, 32x32xf16, blayout=col_major, slayout=row_major>
""",
        "PTO-K120",
        "a5",
    ),
    Difference(
        "the row more of `row_plus_one`",
        "counts it beside the rows where it places tiles and windows, and writes the rows alone in C++",
        "one of the tile's rows: 17 for 16 that are valid",
        "header of TMOV on A5 writes steps of 17, those of TINSERT and TEXTRACT read steps of the tile's rows; public TMOV page: `Rows = Vec_S0 + 1`",
        """
.arg %s : !pto.tile<16x32xf16>
%d = tmov %s : (!pto.tile<16x32xf16>) -> !pto.tile<16x32xf16, blayout=col_major, slayout=row_major, compact=row_plus_one>
""",
        "PTO-K127",
        "a5",
    ),
    Difference(
        "room of a compact operand",
        "that of its physical extents",
        "that of the valid ones, in whole blocks",
        "headers of TEXTRACT, TMOV and TSTORE: compact tiles are packed; the library's own tests place them so",
        """
func.func @f(%m: !pto.tile_buf<mat, 128x256xf32, slayout=col_major>) {
  %c0 = arith.constant 0 : index
  %r = pto.alloc_tile : !pto.tile_buf<right, 128x256xf32, valid=22x215, slayout=col_major, compact=normal>
  pto.textract ins(%m, %c0, %c0 : !pto.tile_buf<mat, 128x256xf32, slayout=col_major>, index, index) outs(%r : !pto.tile_buf<right, 128x256xf32, valid=22x215, slayout=col_major, compact=normal>)
  return
}
""",
    ),
    Difference(
        "a compact left operand of f32 on a2a3",
        "writes the tile alone",
        "writes `SetKAligned(true)` too",
        "header of TEXTRACT rounds columns that it transposes up to 16, that of TMATMUL walks them so where it is told",
        """
func.func @f(%m: !pto.tile_buf<mat, 32x32xf32, slayout=col_major>) {
  %l = pto.alloc_tile : !pto.tile_buf<left, 32x32xf32, valid=32x20, slayout=row_major, compact=normal>
  pto.tmov ins(%m : !pto.tile_buf<mat, 32x32xf32, slayout=col_major>) outs(%l : !pto.tile_buf<left, 32x32xf32, valid=32x20, slayout=row_major, compact=normal>)
  return
}
""",
    ),
    Difference(
        "blocks that are copied within the unified buffer",
        "takes any layout on both sides",
        "refused where the bytes do not arrive: `textract` copies Nz",
        "header of TMOV on A5 copies rows at a step that a tile of blocks has not",
        """
.arg %s : !pto.tile<32x32xf16, blayout=col_major, slayout=row_major>
%d = tmov %s : (!pto.tile<32x32xf16, blayout=col_major, slayout=row_major>) -> !pto.tile<32x32xf16, blayout=col_major, slayout=row_major>
""",
        "PTO-K120",
        "a5",
    ),
)
