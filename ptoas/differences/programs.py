"""Differences in what a program may be, and in who places its tiles."""

from __future__ import annotations

from ptoas.differences.difference import Difference

ROWS: tuple[Difference, ...] = (
    Difference(
        "addresses and levels",
        "level 1 and 2 refuse `addr`, level 3 refuses a tile without it",
        "accepted: a function with addresses is placed by hand, one without by the compiler",
        "D21: the program says it, function by function",
        """
func.func @by_hand(%x: !pto.memref<1x8xf32>) {
  %at = arith.constant 64 : i64
  %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 1x8xf32>
  pto.tload ins(%x : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
  return
}
func.func @by_the_compiler(%x: !pto.memref<1x8xf32>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  pto.tload ins(%x : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
  return
}
""",
    ),
    Difference(
        "scratch tiles in a function placed by hand",
        "asks for an explicit scratch tile at level 3",
        "accepted: the scratch tile gets a place that no tile of the function uses",
        "headers of TROWMAX and others take it as an argument like any other tile",
        """
func.func @f(%s: !pto.memref<16x32xf32>, %o: !pto.memref<16x1xf32>) {
  %a = arith.constant 0 : i64
  %b = arith.constant 4096 : i64
  %x = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x32xf32>
  %m = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 16x1xf32>
  pto.tload ins(%s : !pto.memref<16x32xf32>) outs(%x : !pto.tile_buf<vec, 16x32xf32>)
  pto.trowmax ins(%x : !pto.tile_buf<vec, 16x32xf32>) outs(%m : !pto.tile_buf<vec, 16x1xf32>)
  pto.tstore ins(%m : !pto.tile_buf<vec, 16x1xf32>) outs(%o : !pto.memref<16x1xf32>)
  return
}
""",
    ),
    Difference(
        "`tassign` in a function that the compiler synchronises",
        "refuses it where it inserts synchronisation",
        "accepted: accesses are compared by the addresses that tiles have",
        "D21: placement and synchronisation are two questions",
        """
func.func @f(%x: !pto.memref<1x8xf32>, %o: !pto.memref<1x8xf32>) {
  %at = arith.constant 64 : i64
  %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 1x8xf32>
  %other = arith.constant 128 : i64
  pto.tassign %t, %other : !pto.tile_buf<vec, 1x8xf32>, i64
  pto.tload ins(%x : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%o : !pto.memref<1x8xf32>)
  return
}
""",
    ),
    Difference(
        "loops of blocks",
        "writes them out with gotos",
        "refused where it is lowered or run: write `scf.for` or `scf.while`; branches that go forward become `scf.if`",
        "liveness, order and synchronisation are those of structured control flow",
        """
func.func @f(%c: i1, %x: !pto.memref<1x8xf32>) {
  cf.br ^a
^a:
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  pto.tload ins(%x : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
  cf.cond_br %c, ^a, ^b
^b:
  return
}
""",
        "PTO-L020",
    ),
    Difference(
        "what a call returns of a tile or view",
        "writes it out",
        "refused where it is lowered: such a function is written, and its result is not used",
        "a tile is an address and a type: which bytes the result stands for would not be known when tiles are placed; give it as an argument that the function writes",
        """
func.func private @f(%t: !pto.tile_buf<vec, 8x8xf32>) -> !pto.tile_buf<vec, 8x8xui32> {
  %r = pto.bitcast %t : !pto.tile_buf<vec, 8x8xf32> -> !pto.tile_buf<vec, 8x8xui32>
  return %r : !pto.tile_buf<vec, 8x8xui32>
}
func.func @g(%t: !pto.tile_buf<vec, 8x8xf32>) {
  %r = func.call @f(%t) : (!pto.tile_buf<vec, 8x8xf32>) -> !pto.tile_buf<vec, 8x8xui32>
  pto.tprint ins(%r : !pto.tile_buf<vec, 8x8xui32>)
  return
}
""",
        "PTO-L004",
    ),
    Difference(
        "instructions below the tile level",
        "`pto.simt_launch`, `pto.section.simt`, `pto.fusion_region`, `pto.tile_buf_addr`, `pto.pset_b32` and others are part of it",
        "refused as unknown",
        "registers, predicates and threads are no part of the tile ISA",
        """
func.func @f(%t: !pto.tile_buf<vec, 8x8xf32>) {
  %p = pto.tile_buf_addr %t : !pto.tile_buf<vec, 8x8xf32> -> !pto.ptr<f32, vec>
  return
}
""",
        "PTO-P020",
    ),
    Difference(
        "functions of one logical name in a module beside another backend's",
        "refuses them",
        "accepted: calls go by symbol",
        "one backend here; nothing looks names up by another attribute",
        """
module attributes {pto.target_arch = "a5"} {
  module attributes {pto.backend = "emitc"} {
    func.func @entry(%p: !pto.ptr<f32>) attributes {pto.entry} {
      func.call @helper_a(%p) : (!pto.ptr<f32>) -> ()
      func.call @helper_b(%p, %p) : (!pto.ptr<f32>, !pto.ptr<f32>) -> ()
      return
    }
    func.func public @helper_a(%p: !pto.ptr<f32>) attributes {pto.ptodsl.logical_name = "helper"} {
      return
    }
    func.func public @helper_b(%p: !pto.ptr<f32>, %q: !pto.ptr<f32>) attributes {pto.ptodsl.logical_name = "helper"} {
      return
    }
  }
}
""",
        None,
        "a5",
    ),
    Difference(
        "a while loop that hands on tiles of its own",
        "gives each a place of its own",
        "refused where it is lowered: write it as `scf.for`, or let the tiles be made before it",
        "how many are alive at once only the run knows",
        """
func.func @f(%x: !pto.memref<16x16xf32>, %o: !pto.memref<16x16xf32>, %c: i1) {
  %first = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.tload ins(%x : !pto.memref<16x16xf32>) outs(%first : !pto.tile_buf<vec, 16x16xf32>)
  %last = scf.while (%a = %first) : (!pto.tile_buf<vec, 16x16xf32>) -> !pto.tile_buf<vec, 16x16xf32> {
    scf.condition(%c) %a : !pto.tile_buf<vec, 16x16xf32>
  } do {
  ^body(%b: !pto.tile_buf<vec, 16x16xf32>):
    pto.tstore ins(%b : !pto.tile_buf<vec, 16x16xf32>) outs(%o : !pto.memref<16x16xf32>)
    %next = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
    pto.tload ins(%x : !pto.memref<16x16xf32>) outs(%next : !pto.tile_buf<vec, 16x16xf32>)
    scf.yield %next : !pto.tile_buf<vec, 16x16xf32>
  }
  pto.tstore ins(%last : !pto.tile_buf<vec, 16x16xf32>) outs(%o : !pto.memref<16x16xf32>)
  return
}
""",
        "PTO-L010",
    ),
    Difference(
        "the generic form of an instruction with operands that may be missing",
        "counts operands of `tmov` in an order of its own",
        "refused: the sizes of the segments are those of the order here",
        "the generic form is not part of the ISA; the written forms are read alike",
        """
func.func @f(%s: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, %d: !pto.tile_buf<mat, 16x32xi8, valid=16x16, blayout=col_major, slayout=row_major>, %k: i64) {
  "pto.tmov"(%s, %d, %k) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.tile_buf<mat, 16x32xi8, valid=16x16, blayout=col_major, slayout=row_major>, i64) -> ()
  return
}
""",
        "PTO-P060",
        "a5",
    ),
    Difference(
        "extents from 2^31 on",
        "takes any of 63 bits",
        "refused",
        "extents are `int` in the C++ shapes, and no memory has as much",
        """
func.func @f(%w: !pto.tensor_view<4611686018427387904x4xi32>) {
  return
}
""",
        "PTO-P021",
    ),
)
