"""Differences in transfers, views and communication."""

from __future__ import annotations

from ptoas.differences.difference import Difference

ROWS: tuple[Difference, ...] = (
    Difference(
        "a column-major tile and row-major memory",
        "writes the transfer out",
        "refused: nd memory goes into row-major tiles, dn memory into column-major ones",
        "header of TLOAD, `TLOAD_TILE_IMPL`: ND to ND, DN to DN or NZ to NZ is asserted for `vec`",
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
    Difference(
        "a gather from memory into `mat`, with its index in memory",
        "takes it on a5",
        "refused: the index is a tile",
        "D28: for this instruction the documents are the law; the August header has the form",
        """
func.func @f(%table: !pto.memref<64x32xf16>, %idx: !pto.memref<1x32xi32>) {
  %d = pto.alloc_tile : !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>
  pto.mgather ins(%table, %idx {coalesce = #pto.coalesce<row>} : !pto.memref<64x32xf16>, !pto.memref<1x32xi32>) outs(%d : !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>)
  return
}
""",
        "PTO-P040",
        "a5",
    ),
    Difference(
        "the index of an Elem gather",
        "takes one index a row",
        "refused: an index for each element",
        "document 000, Tile Constraints",
        """
.arg %table : !pto.memref<64x32xf32>
.arg %idx : !pto.tile<16x8xi32, valid=16x1>
%d = mgather.elem %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<16x8xi32, valid=16x1>) -> !pto.tile<16x32xf32>
""",
        "PTO-A203",
        "a5",
    ),
    Difference(
        "a gathered result without room for all ranks",
        "takes it",
        "refused",
        "document 003: the root's tensor holds the parts of all ranks, one after the other",
        """
func.func @f(%dst: !pto.memref<256xf32>, %a: !pto.memref<256xf32>, %b: !pto.memref<256xf32>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x256xf32>
  pto.comm.tgather(%dst, recv(%t), group(%a, %b) : !pto.memref<256xf32>, !pto.tile_buf<vec, 1x256xf32>, !pto.memref<256xf32>, !pto.memref<256xf32>) {root = 0 : i32}
  return
}
""",
        "PTO-C103",
    ),
    Difference(
        "what is scattered, without a part for every rank",
        "takes it",
        "refused",
        "page of TSCATTER: the root's tensor has at least as many rows as all ranks together get",
        """
func.func @f(%src: !pto.memref<256xf32>, %a: !pto.memref<256xf32>, %b: !pto.memref<256xf32>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x256xf32>
  pto.comm.tscatter(%src, recv(%t), group(%a, %b) : !pto.memref<256xf32>, !pto.tile_buf<vec, 1x256xf32>, !pto.memref<256xf32>, !pto.memref<256xf32>) {root = 0 : i32}
  return
}
""",
        "PTO-C103",
    ),
    Difference(
        "a staging tile that does not divide what it stages",
        "takes it",
        "refused; a tile with open valid extents takes any rest",
        "header of TGATHER: static extents are asserted to divide",
        """
func.func @f(%dst: !pto.memref<8x48xf32>, %a: !pto.memref<4x48xf32>, %b: !pto.memref<4x48xf32>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 4x32xf32>
  pto.comm.tgather(%dst, recv(%t), group(%a, %b) : !pto.memref<8x48xf32>, !pto.tile_buf<vec, 4x32xf32>, !pto.memref<4x48xf32>, !pto.memref<4x48xf32>) {root = 0 : i32}
  return
}
""",
        "PTO-C105",
    ),
    Difference(
        "a memref in local memory",
        "takes it where pointers are cast",
        "refused: local memory is tiles",
        "the tile ISA has no other name for it",
        """
func.func @f(%m: memref<8xf32, #pto.address_space<vec>>) {
  return
}
""",
        "PTO-P021",
    ),
    Difference(
        "a view that a branch chooses",
        "writes it out",
        "refused where it is lowered: choose the pointer",
        "extents and strides are part of a tensor's C++ type",
        """
func.func @f(%c: i1, %p: !pto.ptr<f32>, %q: !pto.ptr<f32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = pto.make_tensor_view %p, shape = [%c1, %c8], strides = [%c8, %c1] : !pto.tensor_view<1x8xf32>
  %b = pto.make_tensor_view %q, shape = [%c1, %c8], strides = [%c8, %c1] : !pto.tensor_view<1x8xf32>
  %v = arith.select %c, %a, %b : !pto.tensor_view<1x8xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  pto.tload ins(%v : !pto.tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
  return
}
""",
        "PTO-L004",
    ),
    Difference(
        "a load into `scaling`",
        "takes it",
        "refused: by way of `mat`",
        "header of TLOAD, `CheckNormalTileData`: the destination is asserted to be in `vec` or `mat`",
        """
func.func @f(%x: !pto.memref<1x32xf16>) {
  %t = pto.alloc_tile : !pto.tile_buf<scaling, 1x32xf16>
  pto.tload ins(%x : !pto.memref<1x32xf16>) outs(%t : !pto.tile_buf<scaling, 1x32xf16>)
  return
}
""",
        "PTO-I102",
        "a5",
    ),
    Difference(
        "an accumulator or tile that is larger than the memory it is stored to",
        "takes it",
        "refused: rows and columns are compared",
        "header of TSTORE: valid extents are asserted to be those of the memory",
        """
.arg %s : !pto.tile<16x32xf32>
.arg %o : !pto.memref<1x32xf32>
tstore %s, %o : (!pto.tile<16x32xf32>, !pto.memref<1x32xf32>)
""",
        "PTO-M204",
        "a5",
    ),
)
