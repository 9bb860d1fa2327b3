"""Differences in channels, sections and cores."""

from __future__ import annotations

from ptoas.differences.difference import Difference

ROWS: tuple[Difference, ...] = (
    Difference(
        "pushes without a pop",
        "takes them",
        "refused where both can be counted",
        "what is pushed and never popped fills the ring: the pusher waits for ever",
        """
func.func @cube(%acc: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @vector} -> i32
  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024} (c2v_consumer_buf = %ring : i32)
  pto.tpush_to_aiv(%acc : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) {split = 0}
  pto.tpush_to_aiv(%acc : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) {split = 0}
  return
}
func.func @vector(%acc: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024} (c2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {split = 0} -> !pto.tile_buf<vec, 16x16xf32>
  pto.tprint ins(%t : !pto.tile_buf<vec, 16x16xf32>)
  pto.tfree_from_aic {split = 0}
  return
}
""",
        "PTO-H127",
        "a5",
    ),
    Difference(
        "pops that are not given back",
        "takes them",
        "refused where both can be counted",
        "header of TPOP: a slot is free for the pusher after TFREE alone",
        """
func.func @cube(%acc: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @vector} -> i32
  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024} (c2v_consumer_buf = %ring : i32)
  pto.tpush_to_aiv(%acc : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) {split = 0}
  return
}
func.func @vector(%acc: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024} (c2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {split = 0} -> !pto.tile_buf<vec, 16x16xf32>
  pto.tprint ins(%t : !pto.tile_buf<vec, 16x16xf32>)
  return
}
""",
        "PTO-H127",
        "a5",
    ),
    Difference(
        "ways to split that differ within a channel",
        "takes them within a function",
        "refused",
        "header of TPIPE: the split is part of the channel's type",
        """
func.func @cube(%acc: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @vector} -> i32
  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024} (c2v_consumer_buf = %ring : i32)
  pto.tpush_to_aiv(%acc : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) {split = 0}
  return
}
func.func @vector(%acc: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024} (c2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {split = 1} -> !pto.tile_buf<vec, 8x16xf32>
  pto.tprint ins(%t : !pto.tile_buf<vec, 8x16xf32>)
  pto.tfree_from_aic {split = 1}
  return
}
""",
        "PTO-H121",
        "a5",
    ),
    Difference(
        "an instruction on a core that does not have it",
        "takes it",
        "refused",
        "cube and vector cores have pipes and memories of their own",
        """
func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>, %b: !pto.tile_buf<vec, 16x16xf32>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  pto.tadd ins(%a, %b : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) outs(%a : !pto.tile_buf<vec, 16x16xf32>)
  return
}
""",
        "PTO-H140",
        "a5",
    ),
    Difference(
        "a section in a function that has a kind",
        "takes it",
        "refused: the function says it already",
        "one of the two would be empty",
        """
func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>, %b: !pto.tile_buf<vec, 16x16xf32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  pto.section.vector {
    pto.tadd ins(%a, %b : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) outs(%a : !pto.tile_buf<vec, 16x16xf32>)
  }
  return
}
""",
        "PTO-H141",
        "a5",
    ),
    Difference(
        "a channel with one end",
        "takes it in some forms",
        "refused",
        "nobody would push what is popped",
        """
func.func @vector() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024} (c2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {split = 0} -> !pto.tile_buf<vec, 16x16xf32>
  pto.tprint ins(%t : !pto.tile_buf<vec, 16x16xf32>)
  pto.tfree_from_aic {split = 0}
  return
}
""",
        "PTO-H110",
        "a5",
    ),
    Difference(
        "a push that converts, through global memory",
        "takes every layout on both devices",
        "refused on a5, and on a2a3 unless it is nz2nd",
        "header of TPUSH: the layout of a5 is no layout of memory and does not compile; on a2a3 nothing is stored by columns, and a pop loads rows",
        """
func.func @cube(%gm: !pto.ptr<f32>, %acc: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @vector} -> i32
  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = f32_f16, relu = no_relu>} (gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %ring : i32)
  pto.tpush_to_aiv(%acc : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) {split = 0}
  return
}
func.func @vector(%gm: !pto.ptr<f32>, %out: !pto.memref<16x16xf16>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = f32_f16, relu = no_relu>} (gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {split = 0} -> !pto.tile_buf<vec, 16x16xf16>
  pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf16>) outs(%out : !pto.memref<16x16xf16>)
  pto.tfree_from_aic {split = 0}
  return
}
""",
        "PTO-H220",
        "a5",
    ),
    Difference(
        "a scale that is set in front of a loop of pushes",
        "asks for it in the block of each push",
        "accepted: it stays set",
        "header of SET_QUANT_SCALAR: a register of the core",
        """
func.func @cube(%acc: !pto.tile_buf<acc, 16x16xi32, blayout=col_major, slayout=row_major, fractal=1024>, %s: f32) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @vector} -> i32
  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = deqf16_scalar, relu = no_relu>} (c2v_consumer_buf = %ring : i32)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  pto.set_quant_scalar(%s : f32) {id = 0}
  scf.for %i = %c0 to %c4 step %c1 {
    pto.tpush_to_aiv(%acc : !pto.tile_buf<acc, 16x16xi32, blayout=col_major, slayout=row_major, fractal=1024>) {split = 0}
  }
  return
}
func.func @vector(%out: !pto.memref<16x16xf16>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = deqf16_scalar, relu = no_relu>} (c2v_consumer_buf = %ring : i32)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %t = pto.tpop_from_aic {split = 0} -> !pto.tile_buf<vec, 16x16xf16>
    pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf16>) outs(%out : !pto.memref<16x16xf16>)
    pto.tfree_from_aic {split = 0}
  }
  return
}
""",
        "",
        "a5",
    ),
)
