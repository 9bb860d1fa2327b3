"""`a2a3`: Ascend A2 and A3, gathers walked by the scalar pipe with MTE2 bursts (document 000)."""

from __future__ import annotations

from ptoas.dialects.pto.elementwise import TCvtOp
from ptoas.dialects.pto.enums import Coalesce, TileLoc
from ptoas.dialects.pto.gather import MGatherOp, MScatterOp, TGatherBOp, TGatherOp, TScatterOp
from ptoas.dialects.pto.memory import TLoadOp, TStoreOp
from ptoas.dialects.pto.movement import TMovOp
from ptoas.dialects.pto.reduce import TRowMaxOp, TRowSumOp
from ptoas.dialects.pto.views import AllocTileOp
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
    with_ccu_refused,
)
from ptoas.targets.pipes import a2a3_pipes
from ptoas.targets.rule import Table
from ptoas.targets.rules import elementwise as e
from ptoas.targets.rules import gather as a
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.rules import memory as m
from ptoas.targets.rules import portability as w
from ptoas.targets.rules import scatter as s
from ptoas.targets.rules import tile_gather as b
from ptoas.targets.rules import tiles as v
from ptoas.targets.target import KB, Target, UbLayout
from ptoas.targets.type_lists import A2A3_TYPES

CONVERSIONS = conversions(
    {
        "f32": "f16 f32 bf16 i16 i32 i64",
        "f16": "f32 i32 i16 i8 u8",
        "bf16": "f32 i32",
        "i16": "f16 f32",
        "i32": "f32 i16 i64 f16",
        "i64": "f32 i32",
        "u8": "f16",
        "i8": "f16",
    }
)

INSTRUCTIONS: Table = {
    **also(VIEWS, {AllocTileOp: (v.tile_memory_exists,)}),
    **SCALARS,
    MGatherOp: (
        # Supported data types
        a.gather_takes_the_element_type,
        a.gather_index_is_32_bits,
        # Tile and memory types
        a.gather_destination_is_vec,
        a.gather_index_is_vec,
        a.gather_index_is_row_major,
        a.gather_destination_matches_the_table_layout,
        # Shape constraints
        a.gather_row_is_a_multiple_of_32_bytes,
        a.gather_tile_has_the_least_shape,
        g.row_index_is_one_row,
        g.elem_index_has_the_shape_of_the_destination,
        g.gather_destination_is_not_empty,
        # NZ tables
        g.nz_table_has_blocks_of_16_rows,
        g.nz_table_has_blocks_of_32_bytes,
        g.nz_destination_columns_are_whole_blocks,
        g.nz_destination_rows_are_whole_blocks,
        # Portability
        w.gather_names_its_mode,
        w.wrap_gives_one_result,
        w.table_form_is_taken_everywhere,
    ),
    MScatterOp: (
        s.scatter_takes_the_element_type,
        s.scatter_index_is_32_bits,
        s.scatter_tiles_are_vec,
        s.scatter_index_is_row_major,
        s.scatter_source_matches_the_table_layout,
        s.scatter_atomic_takes_the_element_type,
        s.scatter_contiguous_dimension_is_a_multiple_of_32_bytes,
        s.scatter_row_index_is_one_row,
        s.scatter_elem_index_has_the_shape_of_the_source,
        s.scatter_source_is_not_empty,
        s.scatter_nz_table_has_whole_blocks,
        s.scatter_nz_source_has_whole_blocks,
        s.scatter_conflict_is_for_a5,
    ),
    TGatherOp: (
        # Index form
        b.tile_gather_takes_the_element_type,
        b.tile_gather_takes_the_index_type,
        b.tile_gather_keeps_the_element_type,
        b.tile_gather_index_is_full,
        b.tile_gather_destination_is_full,
        b.tile_gather_scratch_is_like_the_index,
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
        b.block_gather_destination_is_row_major,
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
        m.load_keeps_the_layout,
        m.load_fills_the_valid_region,
        m.load_of_64_bits_is_plain,
        m.load_has_few_bursts,
        m.load_makes_fractals_of_two_dimensions,
    ),
    TStoreOp: (
        m.store_comes_from_a_memory_with_a_way_out,
        m.store_is_not_empty,
        m.store_takes_the_element_type,
        m.store_keeps_the_layout,
        m.store_empties_the_valid_region,
        m.store_atomic_takes_the_element_type,
        m.store_of_an_accumulator_is_a_matrix,
        m.store_of_64_bits_is_plain,
        m.store_has_few_bursts,
    ),
    **also(
        ARITHMETIC,
        {
            TCvtOp: (e.conversion_exists,),
            TMovOp: (e.move_has_a_way, e.move_keeps_the_shape),
            TRowSumOp: (e.reduction_scratch_is_large_enough,),
            TRowMaxOp: (e.reduction_scratch_is_large_enough,),
        },
    ),
    **with_ccu_refused(COLLECTIVES),
}

A2A3 = Target(
    name="a2a3",
    aliases=("a2", "a3"),
    title="Ascend A2/A3",
    summary="vector core driven by the scalar pipe: ND and NZ tables, padded row strides, 192 KB of UB",
    default_coalesce=Coalesce.Row,
    memories={
        TileLoc.Vec: 192 * KB,
        TileLoc.Mat: 512 * KB,
        TileLoc.Left: 64 * KB,
        TileLoc.Right: 64 * KB,
        TileLoc.Acc: 128 * KB,
        TileLoc.Bias: 1 * KB,
        TileLoc.Scaling: 2 * KB,
    },
    ub=UbLayout(total=192 * KB),
    sign_extends_index=False,
    row_stride_is_dim3=True,
    row_capacity_dims=(0, 1, 2, 3),
    elem_capacity_dims=(0, 1, 2, 3, 4),
    element_types=A2A3_TYPES,
    pipe_model=a2a3_pipes,
    instructions=INSTRUCTIONS,
    program=(*MODULE, *RANKS, *PLACEMENT, *BUDGETS, *FLAGS),
    facts={
        "store from": (TileLoc.Vec, TileLoc.Mat, TileLoc.Acc),
        "integer compare is eq": True,
        "index gathers are full": True,
        "conversions": CONVERSIONS,
        "moves": {"mat": "left right bias scaling", "vec": "vec", "acc": "mat"},
    },
    has_nz=True,
)
