"""Differences in what belongs to the matrix unit."""

from __future__ import annotations

from ptoas.differences.difference import Difference

ROWS: tuple[Difference, ...] = (
    Difference(
        "an accumulator with rows of blocks",
        "takes `blayout=row_major`",
        "refused",
        "header of TMATMUL: the accumulator is asserted to have columns of blocks",
        """
func.func @f() {
  %a = pto.alloc_tile : !pto.tile_buf<acc, 16x16xf32, blayout=row_major, slayout=row_major, fractal=1024>
  return
}
""",
        "PTO-V109",
    ),
    Difference(
        "the layout of scales of columns",
        "takes any box",
        "refused: one plain row",
        "header of TMOV into `scaling`, `CheckTMovMatToFb`: one row, no boxes",
        """
func.func @f() {
  %a = pto.alloc_tile : !pto.tile_buf<scaling, 16x16xf16, slayout=row_major>
  return
}
""",
        "PTO-V109",
    ),
    Difference(
        "the words of scales of columns",
        "takes f16, bf16 and f32 on a5",
        "refused: 64 bits a column, a float in the lower half",
        "the pipe behind the accumulator reads 8 bytes a column; tests of the public library fill them so",
        """
.arg %c : !pto.tile<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
.arg %s : !pto.tile<scaling, 1x16xf16>
.arg %d : !pto.tile<mat, 16x32xi8, valid=16x16, blayout=col_major, slayout=row_major>
tmov %d, %c, %s : (!pto.tile<mat, 16x32xi8, valid=16x16, blayout=col_major, slayout=row_major>, !pto.tile<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.tile<scaling, 1x16xf16>)
""",
        "PTO-K202",
        "a5",
    ),
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
)
