"""`cpu`: the C++ simulator of the instruction library, as documents 000 and 001 define it."""

from __future__ import annotations

from ptoas.dialects.pto.enums import Coalesce, TileLoc
from ptoas.dialects.pto.gather import MGatherOp, MScatterOp, TGatherBOp, TGatherOp, TScatterOp
from ptoas.dialects.pto.memory import TLoadOp, TPrintOp, TStoreOp
from ptoas.dialects.pto.reduce import TRowSumOp
from ptoas.targets.neighbours import (
    ARITHMETIC,
    COLLECTIVES,
    MODULE,
    PLACEMENT,
    RANKS,
    SCALARS,
    VIEWS,
    also,
    with_ccu_refused,
)
from ptoas.targets.pipes import cpu_pipes
from ptoas.targets.rule import Table
from ptoas.targets.rules import elementwise as e
from ptoas.targets.rules import gather as a
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.rules import memory as m
from ptoas.targets.rules import portability as w
from ptoas.targets.rules import scatter as s
from ptoas.targets.rules import tile_gather as b
from ptoas.targets.rules import tiles as v
from ptoas.targets.target import Target
from ptoas.targets.type_lists import CPU_TYPES, FLOAT8

INSTRUCTIONS: Table = {
    **VIEWS,
    **also(SCALARS, {TPrintOp: (m.simulator_prints_tiles,)}),
    MGatherOp: (
        # Supported data types
        a.gather_takes_the_element_type,
        a.gather_index_is_32_bits,
        # Tile and memory types
        a.gather_destination_is_vec,
        a.gather_index_is_vec,
        a.gather_destination_is_row_major,
        a.gather_index_is_row_major,
        a.gather_table_is_nd,
        # Shape constraints
        g.gather_index_has_the_rows_of_the_destination,
        g.gather_index_is_a_column_or_a_match,
        a.gather_row_is_a_multiple_of_32_bytes,
        a.gather_tile_has_the_least_shape,
        g.gather_table_has_two_dimensions,
        # CPU reference form: neither Coalesce nor GatherOOB
        a.cpu_has_no_row_mode,
        a.cpu_has_no_out_of_bounds_mode,
        # Portability
        w.gather_names_its_mode,
        w.wrap_gives_one_result,
        w.table_form_is_taken_everywhere,
    ),
    MScatterOp: (
        s.scatter_takes_the_element_type,
        s.scatter_index_is_32_bits,
        s.scatter_tiles_are_vec,
        s.scatter_source_is_row_major,
        s.scatter_index_is_row_major,
        s.scatter_table_is_nd,
        s.scatter_atomic_takes_the_element_type,
        s.scatter_index_has_the_rows_of_the_source,
        s.scatter_contiguous_dimension_is_a_multiple_of_32_bytes,
        s.scatter_table_has_two_dimensions,
        s.scatter_conflict_goes_without_atomics,
        s.simulator_scatters_rows_as_meant,
    ),
    TGatherOp: (
        b.tile_gather_takes_the_element_type,
        b.tile_gather_takes_the_index_type,
        b.tile_gather_keeps_the_element_type,
        b.tile_gather_tiles_are_vec,
        b.tile_gather_destination_is_full,
        b.mask_gather_is_row_major,
        b.mask_gather_keeps_the_element_size,
        b.cpu_has_no_compare_gather,
        w.index_type_is_taken_everywhere,
    ),
    TGatherBOp: (
        b.block_gather_takes_the_element_type,
        b.block_gather_offsets_are_32_bits,
        b.block_gather_destination_is_row_major,
        b.block_gather_has_an_offset_for_each_block,
        b.block_gather_and_scatter_tiles_are_vec,
    ),
    TScatterOp: (b.tile_scatter_takes_the_element_type, b.block_gather_and_scatter_tiles_are_vec),
    TLoadOp: (
        m.load_takes_the_element_type,
        m.load_goes_to_vec_or_mat,
        m.load_keeps_the_layout,
        m.load_fills_the_valid_region,
    ),
    TStoreOp: (
        m.store_takes_the_element_type,
        m.store_comes_from_a_memory_with_a_way_out,
        m.store_keeps_the_layout,
        m.store_empties_the_valid_region,
        m.store_atomic_takes_the_element_type,
    ),
    **also(ARITHMETIC, {TRowSumOp: (e.sum_keeps_the_physical_rows,)}),
    **with_ccu_refused(COLLECTIVES),
}

CPU = Target(
    name="cpu",
    title="CPU simulator",
    summary="the reference in plain C++: element-wise gathers, no modes, no bounds, no pipes, host memory",
    default_coalesce=Coalesce.Elem,
    memories=dict.fromkeys(TileLoc, None),
    ub=None,
    sign_extends_index=True,
    row_stride_is_dim3=True,
    row_capacity_dims=(3,),
    elem_capacity_dims=(0, 1, 2, 3, 4),
    element_types=CPU_TYPES,
    aicore_types={"mgather": FLOAT8, "mscatter": FLOAT8},
    pipe_model=cpu_pipes,
    instructions=INSTRUCTIONS,
    program=(*MODULE, *RANKS, *PLACEMENT, v.tile_type_has_a_valid_element),
    facts={"store from": (TileLoc.Vec, TileLoc.Mat, TileLoc.Acc)},
    has_row_mode=False,
    checks_bounds=False,
    has_pipes=False,
)
