"""`a5`: Ascend A5, gathers as SIMT launches of up to 1024 threads (document 000)."""

from __future__ import annotations

from ptoas.dialects.pto.elementwise import TCvtOp
from ptoas.dialects.pto.enums import Coalesce, TileLoc
from ptoas.dialects.pto.expand import TRowExpandOp
from ptoas.dialects.pto.gather import MGatherOp, MScatterOp, TGatherBOp, TGatherOp, TScatterOp
from ptoas.dialects.pto.memory import TLoadOp, TStoreOp
from ptoas.dialects.pto.movement import TMovOp
from ptoas.targets.neighbours import (
    ARITHMETIC,
    BUDGETS,
    COLLECTIVES,
    FLAGS,
    MODULE,
    PLACEMENT,
    RANKS,
    SCALARS,
    VIEWS,
    also,
    conversions,
)
from ptoas.targets.pipes import a5_pipes
from ptoas.targets.rule import Table
from ptoas.targets.rules import elementwise as e
from ptoas.targets.rules import gather as a
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.rules import memory as m
from ptoas.targets.rules import portability as w
from ptoas.targets.rules import scatter as s
from ptoas.targets.rules import tile_gather as b
from ptoas.targets.target import KB, Target, UbLayout
from ptoas.targets.type_lists import A5_TYPES

MEMORIES = {
    TileLoc.Vec: 256 * KB,
    TileLoc.Mat: 512 * KB,
    TileLoc.Left: 64 * KB,
    TileLoc.Right: 64 * KB,
    TileLoc.Acc: 256 * KB,
    TileLoc.Bias: 4 * KB,
    TileLoc.Scaling: 4 * KB,
    TileLoc.ScaleLeft: 4 * KB,
    TileLoc.ScaleRight: 4 * KB,
}

UB = UbLayout(total=256 * KB, reserved=8 * KB, data_cache=32 * KB, default_budget=128 * KB)


CONVERSIONS = conversions(
    {
        "f32": "f32 f16 bf16 i16 i32 i64 f8e4m3 f8e5m2 hif8",
        "f16": "f32 i32 i16 i8 u8 hif8",
        "bf16": "f32 i32 f16",
        "i16": "u8 f16 f32 u32 i32",
        "i32": "f32 i16 u16 i64 u8",
        "i64": "f32 i32",
        "u8": "f16 u16",
        "i8": "f16 i16 i32",
        "u32": "u8 u16 i16",
        "f8e4m3": "f32",
        "f8e5m2": "f32",
        "hif8": "f32",
    }
)

FACTS = {
    "store from": (TileLoc.Vec, TileLoc.Acc),
    "64-bit pad is zero": True,
    "index gathers are full": True,
    "conversions": CONVERSIONS,
    "moves": {
        "mat": "left right bias scaling scale_left scale_right",
        "vec": "vec mat",
        "acc": "vec mat",
    },
}

NEIGHBOURS: Table = {
    **VIEWS,
    **SCALARS,
    MScatterOp: (
        s.scatter_takes_the_element_type,
        s.scatter_index_is_32_bits,
        s.scatter_tiles_are_vec,
        s.scatter_source_has_no_boxes,
        s.scatter_table_is_nd,
        s.scatter_atomic_takes_the_element_type,
        s.scatter_contiguous_dimension_is_a_multiple_of_32_bytes,
        s.scatter_row_index_is_one_dimensional,
        s.scatter_elem_index_has_the_shape_of_the_source,
        s.scatter_source_is_not_empty,
        s.scatter_table_is_packed,
        s.scatter_extents_are_equally_dynamic,
        s.scatter_conflict_goes_without_atomics,
    ),
    TGatherOp: (
        # Index form
        b.tile_gather_takes_the_element_type,
        b.tile_gather_takes_the_index_type,
        b.tile_gather_keeps_the_element_type,
        b.tile_gather_index_is_full,
        b.tile_gather_destination_is_full,
        # Mask form
        b.mask_gather_takes_the_element_type,
        b.tile_gather_tiles_are_vec,
        b.mask_gather_is_row_major,
        b.mask_gather_keeps_the_element_size,
        # Compare form
        b.compare_gather_takes_the_source_type,
        b.compare_gather_gives_positions,
        b.compare_gather_has_the_mode,
        # Portability
        w.index_type_is_taken_everywhere,
    ),
    TGatherBOp: (
        b.block_gather_takes_the_element_type,
        b.block_gather_offsets_are_32_bits,
        b.block_gather_has_an_offset_for_each_block,
        b.block_gather_and_scatter_tiles_are_vec,
    ),
    TScatterOp: (
        b.tile_scatter_takes_the_element_type,
        b.tile_scatter_index_has_the_width_of_the_data,
        b.block_gather_and_scatter_tiles_are_vec,
    ),
    TLoadOp: (
        m.load_takes_the_element_type,
        m.load_goes_to_vec_or_mat,
        m.load_is_not_empty,
        m.load_of_64_bits_is_plain,
        m.load_keeps_the_layout,
        m.load_fills_the_valid_region,
    ),
    TStoreOp: (
        m.store_comes_from_a_memory_with_a_way_out,
        m.store_is_not_empty,
        m.store_takes_the_element_type,
        m.store_keeps_the_layout,
        m.store_empties_the_valid_region,
        m.store_atomic_takes_the_element_type,
        m.store_of_an_accumulator_is_a_matrix,
    ),
    **also(
        ARITHMETIC,
        {
            TCvtOp: (e.conversion_exists,),
            TMovOp: (e.move_has_a_way,),
            TRowExpandOp: (e.row_expand_source_has_one_column,),
        },
    ),
    **COLLECTIVES,
}

INSTRUCTIONS: Table = {
    **NEIGHBOURS,
    MGatherOp: (
        # Supported data types
        a.gather_takes_the_element_type,
        a.gather_index_is_32_bits,
        # Tile and memory types
        a.gather_destination_is_vec,
        a.gather_index_is_vec,
        a.gather_destination_has_no_boxes,
        a.gather_table_is_nd,
        g.row_width_is_the_valid_columns,
        g.gather_table_is_packed,
        # Shape constraints
        a.gather_contiguous_dimension_is_a_multiple_of_32_bytes,
        a.gather_tile_has_the_least_shape,
        g.row_index_is_one_dimensional,
        g.elem_index_has_the_shape_of_the_destination,
        g.gather_destination_is_not_empty,
        # Dynamic runtime shapes
        g.row_index_is_as_dynamic_as_the_destination,
        g.elem_index_is_as_dynamic_as_the_destination,
        g.row_width_is_as_dynamic_as_the_destination,
        # UB memory budget
        a.gather_fits_the_default_budget,
        # Portability
        w.gather_names_its_mode,
        w.wrap_gives_one_result,
        w.table_form_is_taken_everywhere,
    ),
}

A5 = Target(
    name="a5",
    title="Ascend A5",
    summary="SIMT gathers: packed ND tables, float8 and hifloat8, 216 KB of UB (128 KB by default)",
    default_coalesce=Coalesce.Row,
    memories=MEMORIES,
    ub=UB,
    sign_extends_index=False,
    row_stride_is_dim3=False,
    row_capacity_dims=(3,),
    elem_capacity_dims=(0, 1, 2, 3, 4),
    element_types=A5_TYPES,
    pipe_model=a5_pipes,
    instructions=INSTRUCTIONS,
    gathers_into_columns=True,
    needs_packed_table=True,
    program=(*MODULE, *RANKS, *PLACEMENT, *BUDGETS, *FLAGS),
    facts=FACTS,
)
