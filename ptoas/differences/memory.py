"""Differences in transfers, views and communication."""

from __future__ import annotations

from ptoas.differences.difference import Difference

ROWS: tuple[Difference, ...] = (
    Difference(
        "a column-major tile and row-major memory",
        "writes the transfer out",
        "refused: nd memory goes into row-major tiles, dn memory into column-major ones",
        "header of TLOAD, `CheckTileData`: the layouts of tile and tensor are asserted to match",
        """
func.func @f(%x: !pto.memref<16x16xf32, nd>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32, blayout=col_major>
  pto.tload ins(%x : !pto.memref<16x16xf32, nd>) outs(%t : !pto.tile_buf<vec, 16x16xf32, blayout=col_major>)
  return
}
""",
        "PTO-M103",
    ),
    Difference(
        "a tile that is valid for another shape than the memory",
        "compares the number of elements",
        "refused: rows and columns are compared",
        "header of TLOAD: it copies the tensor's rows, `validCol` elements each",
        """
func.func @f(%x: !pto.memref<32x16xf32>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
  pto.tload ins(%x : !pto.memref<32x16xf32>) outs(%t : !pto.tile_buf<vec, 16x32xf32>)
  return
}
""",
        "PTO-M104",
    ),
    Difference(
        "`mgather` without a mode",
        "asks for `coalesce`",
        "accepted: it is the target's own default, and a warning where several targets are checked",
        "D8; documents 000 and 001 have the form without a mode",
        """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.tile<1x8xi32>
%d = mgather %table, %idx : (!pto.memref<64x8xf32>, !pto.tile<1x8xi32>) -> !pto.tile<8x8xf32>
""",
    ),
    Difference(
        "the index of a Row gather",
        "takes 8x1 beside 1x8 on a2a3, and 8x32 on a5",
        "refused: one index for each row",
        "document 000, Tile Constraints",
        """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.tile<8x32xi32>
%d = mgather.row %table, %idx : (!pto.memref<64x8xf32>, !pto.tile<8x32xi32>) -> !pto.tile<8x8xf32>
""",
        "PTO-A201",
        "a5",
    ),
    Difference(
        "extents of collectives and signals that only the run knows",
        "refuses them, and takes dynamic extents of a put or get of a partition alone",
        "accepted: `run` checks them",
        "headers of TBROADCAST, TNOTIFY and TGET take shapes at run time",
        """
func.func @f(%signal: !pto.partition_tensor_view<?xi32>, %value: i32) {
  pto.comm.tnotify(%signal, %value : !pto.partition_tensor_view<?xi32>, i32) {notifyOp = #pto<notify_op set>}
  return
}
""",
    ),
    Difference(
        "a subview that leaves a valid extent open",
        "asks for a `valid` operand",
        "accepted: it is what is valid of the source inside of the window",
        "the type says `?`, and the source knows",
        """
func.func @f(%x: !pto.memref<16x32xf32>, %o: !pto.memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
  pto.tload ins(%x : !pto.memref<16x32xf32>) outs(%t : !pto.tile_buf<vec, 16x32xf32>)
  %w = pto.subview %t[%c0, %c0] sizes [8, 32] : !pto.tile_buf<vec, 16x32xf32> -> !pto.tile_buf<vec, 8x32xf32, valid=?x32>
  pto.tstore ins(%w : !pto.tile_buf<vec, 8x32xf32, valid=?x32>) outs(%o : !pto.memref<8x32xf32>)
  return
}
""",
    ),
)
