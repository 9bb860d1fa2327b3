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
)
