"""Differences in channels, sections and cores."""

from __future__ import annotations

from ptoas.differences.difference import Difference

ROWS: tuple[Difference, ...] = (
    Difference(
        "more pops than pushes",
        "takes them",
        "refused where both can be counted; more pushes than pops are a warning while the ring has room",
        "header of TPOP: it waits until a slot is full, and nobody fills one",
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
  pto.tfree_from_aic {split = 0}
  %u = pto.tpop_from_aic {split = 0} -> !pto.tile_buf<vec, 16x16xf32>
  pto.tprint ins(%u : !pto.tile_buf<vec, 16x16xf32>)
  pto.tfree_from_aic {split = 0}
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
        "a scale that is set in a block around its push",
        "asks for it in the same block",
        "accepted: what is set before stays set",
        "header of SET_QUANT_SCALAR: a register, which keeps its value",
        """
!acc = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
!vec = !pto.tile_buf<vec, 16x16xf16>
func.func @cube(%acc: !acc) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @vector} -> i32
  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = qf322f16_pre_scalar, relu = no_relu>} (c2v_consumer_buf = %ring : i32)
  %yes = arith.constant true
  %s = arith.constant 2.0 : f32
  pto.set_quant_scalar(%s : f32)
  scf.if %yes {
    pto.tpush_to_aiv(%acc : !acc) {split = 0}
  }
  return
}
func.func @vector(%acc: !acc) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = qf322f16_pre_scalar, relu = no_relu>} (c2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {split = 0} -> !vec
  pto.tprint ins(%t : !vec)
  pto.tfree_from_aic {split = 0}
  return
}
""",
        None,
        "a5",
    ),
    Difference(
        "a channel that converts and that nobody pops",
        "asks for a pop, whose type it needs",
        "accepted: what is not pushed needs no type",
        "`acc_push_epilogue` says the types",
        """
!acc = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
!vec = !pto.tile_buf<vec, 16x16xf16>
func.func @cube(%acc: !acc) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @vector} -> i32
  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = f32_f16, relu = no_relu>} (c2v_consumer_buf = %ring : i32)
  return
}
func.func @vector(%acc: !acc) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = f32_f16, relu = no_relu>} (c2v_consumer_buf = %ring : i32)
  return
}
""",
        None,
        "a5",
    ),
    Difference(
        "bytes without a sign word as results of a conversion",
        "asks for `si8` or `ui8`",
        "accepted: a signless type is signed",
        "D10",
        """
!acc = !pto.tile_buf<acc, 16x16xi32, blayout=col_major, slayout=row_major, fractal=1024>
!vec = !pto.tile_buf<vec, 16x32xi8, valid=16x16>
func.func @cube(%acc: !acc) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @vector} -> i32
  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = req8_scalar, relu = no_relu>} (c2v_consumer_buf = %ring : i32)
  %s = arith.constant 2.0 : f32
  pto.set_quant_scalar(%s : f32)
  pto.tpush_to_aiv(%acc : !acc) {split = 0}
  return
}
func.func @vector(%acc: !acc) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = req8_scalar, relu = no_relu>} (c2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {split = 0} -> !vec
  pto.tprint ins(%t : !vec)
  pto.tfree_from_aic {split = 0}
  return
}
""",
        None,
        "a5",
    ),
    Difference(
        "64-bit words as scales of columns of what is pushed",
        "asks for f16, bf16 or f32 on a5",
        "accepted",
        "header of SET_QUANT_VECTOR takes any type; the library's own test of pushes with scales declares `uint64_t`",
        """
!acc = !pto.tile_buf<acc, 16x16xi32, blayout=col_major, slayout=row_major, fractal=1024>
!vec = !pto.tile_buf<vec, 16x16xf16>
func.func @cube(%acc: !acc) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @vector} -> i32
  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = deqf16_vec, relu = no_relu>} (c2v_consumer_buf = %ring : i32)
  %fp = pto.alloc_tile : !pto.tile_buf<scaling, 1x16xui64>
  pto.set_quant_vector(%fp : !pto.tile_buf<scaling, 1x16xui64>)
  pto.tpush_to_aiv(%acc : !acc) {split = 0}
  return
}
func.func @vector(%acc: !acc) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = deqf16_vec, relu = no_relu>} (c2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {split = 0} -> !vec
  pto.tprint ins(%t : !vec)
  pto.tfree_from_aic {split = 0}
  return
}
""",
        None,
        "a5",
    ),
    Difference(
        "halves that fill more than a slot",
        "takes them",
        "refused: both vector cores push to one slot",
        "header of TPUSH: the second core writes behind the first",
        """
!nz = !pto.tile_buf<vec, 16x16xf32, blayout=col_major, slayout=row_major>
!mat = !pto.tile_buf<mat, 32x16xf32, blayout=col_major, slayout=row_major>
func.func @cube() attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<mat>, auto = true} -> i32
  pto.aic_initialize_pipe {dir_mask = 2, slot_size = 1024} (v2c_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aiv {split = 1} -> !mat
  pto.tfree_from_aiv {split = 1}
  return
}
func.func @vector(%v: !nz) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @cube} -> i32
  pto.aiv_initialize_pipe {dir_mask = 2, slot_size = 1024} (v2c_consumer_buf = %ring : i32)
  pto.tpush_to_aic(%v : !nz) {split = 1}
  return
}
""",
        "PTO-H124",
        "a5",
    ),
    Difference(
        "slots on a2a3 that are not in global memory",
        "the text says no device, and A5 is not the default: it looks at `pto.device-spec`",
        "refused on a2a3; a program that names its device is for that one",
        "header of TPUSH on A2/A3: the cores reach each other through global memory alone",
        """
!acc = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
!vec = !pto.tile_buf<vec, 16x16xf32>
func.func @cube(%acc: !acc) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @vector} -> i32
  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024} (c2v_consumer_buf = %ring : i32)
  pto.tpush_to_aiv(%acc : !acc) {split = 0}
  return
}
func.func @vector(%acc: !acc) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024} (c2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {split = 0} -> !vec
  pto.tprint ins(%t : !vec)
  pto.tfree_from_aic {split = 0}
  return
}
""",
        "PTO-H103",
    ),
    Difference(
        "slots in a tensor that is declared alone",
        "writes it out",
        "refused where it is lowered: the slots need an address",
        "`declare_global` has none; `make_tensor_view` gives one",
        """
func.func @cube() attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %slots = pto.declare_global -> !pto.tensor_view<16x16xf32>
  %pipe = "pto.initialize_l2g2l_pipe"(%slots) <{dir_mask = 1 : i8, slot_size = 1024 : i32, slot_num = 8 : i32, flag_base = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!pto.tensor_view<16x16xf32>) -> !pto.pipe
  return
}
""",
        "PTO-L004",
    ),
    Difference(
        "a workspace of a barrier over all cores that is a memref",
        "asks for a pointer or a view",
        "accepted: a memref in global memory is a view",
        "D9",
        """
func.func @f(%w: memref<16xi32, #pto.address_space<gm>>) {
  pto.syncall(%w : memref<16xi32, #pto.address_space<gm>>) mode = #pto.sync_all_mode<soft>, core_type = #pto.sync_core_type<aiv_only>
  return
}
""",
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
    Difference(
        "instructions of both kinds of cores in one function without sections",
        "wraps each run of them in a section, with nothing between the sections that orders them",
        "accepted with a warning (`PTO-H223`): a run does one after the other",
        "public memory model: the cube core and vector cores run at the same time",
        """
func.func @f(%l: !pto.tile_buf<left, 16x16xf32, slayout=row_major>, %r: !pto.tile_buf<right, 16x16xf32, slayout=col_major>, %acc: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, %x: !pto.tile_buf<vec, 16x16xf32>) {
  pto.tmatmul ins(%l, %r : !pto.tile_buf<left, 16x16xf32, slayout=row_major>, !pto.tile_buf<right, 16x16xf32, slayout=col_major>) outs(%acc : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>)
  pto.tadd ins(%x, %x : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) outs(%x : !pto.tile_buf<vec, 16x16xf32>)
  return
}
""",
    ),
)
