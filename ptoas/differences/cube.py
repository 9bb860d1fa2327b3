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
)
