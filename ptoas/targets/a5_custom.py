"""`a5-custom`: the earlier custom MGATHER of A5, with rules of its own (document 002)."""

from __future__ import annotations

from ptoas.dialects.pto.gather import MGatherOp
from ptoas.targets.a5 import FACTS, MEMORIES, NEIGHBOURS, UB
from ptoas.targets.neighbours import BUDGETS, FLAGS, MODULE, PLACEMENT, RANKS
from ptoas.targets.pipes import a5_custom_pipes
from ptoas.targets.rule import Table
from ptoas.targets.rules import gather as a
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.rules import portability as w
from ptoas.targets.target import Target
from ptoas.targets.type_lists import A5_CUSTOM_TYPES

INSTRUCTIONS: Table = {
    **NEIGHBOURS,
    MGatherOp: (
        # Data Types (A5), Index Types
        a.gather_takes_the_element_type,
        a.gather_index_is_32_bits,
        # Tile Constraints
        a.gather_destination_is_vec,
        a.gather_index_is_vec,
        g.gather_index_has_the_rows_of_the_destination,
        g.custom_index_has_one_column_or_the_destinations,
        # Shape Constraints
        a.gather_table_is_nd,
        # The tile itself, and the budget that all SIMT kernels share
        a.gather_contiguous_dimension_is_a_multiple_of_32_bytes,
        a.gather_tile_has_the_least_shape,
        a.gather_fits_the_default_budget,
        # Portability
        w.gather_names_its_mode,
        w.wrap_gives_one_result,
        w.table_form_is_taken_everywhere,
    ),
}

A5_CUSTOM = Target(
    name="a5-custom",
    title="Ascend A5, custom instruction",
    summary="the earlier SIMT gather: the index tile's columns choose the mode, no hifloat8",
    default_coalesce=None,
    memories=MEMORIES,
    ub=UB,
    sign_extends_index=False,
    row_stride_is_dim3=False,
    row_capacity_dims=(3,),
    elem_capacity_dims=(3, 4),
    element_types=A5_CUSTOM_TYPES,
    pipe_model=a5_custom_pipes,
    instructions=INSTRUCTIONS,
    gathers_into_columns=True,
    program=(*MODULE, *RANKS, *PLACEMENT, *BUDGETS, *FLAGS),
    facts=FACTS,
)
