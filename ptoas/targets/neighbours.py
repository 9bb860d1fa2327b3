"""Rows that all targets have in common, and lists that differ: the neighbours of the gathers."""

from __future__ import annotations

from ptoas.dialects.pto import comm, elementwise, expand, memory, movement, reduce, scalar, sync, views
from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.elementwise import ELEMENTWISE_OPS
from ptoas.targets.rule import Rule, Table
from ptoas.targets.rules import comm as c
from ptoas.targets.rules import elementwise as e
from ptoas.targets.rules import memory as m
from ptoas.targets.rules import module as t
from ptoas.targets.rules import placement as u
from ptoas.targets.rules import sync as f
from ptoas.targets.rules import tiles as v

VIEWS: Table = {
    views.MakeTensorViewOp: (v.view_extents_are_positive, v.view_type_says_what_the_operands_say),
    views.PartitionViewOp: (
        v.view_extents_are_positive,
        v.partition_is_inside_its_view,
        v.view_type_says_what_the_operands_say,
    ),
    views.AllocTileOp: (
        v.tile_address_is_a_multiple_of_32,
        v.valid_extent_is_inside_the_tile,
    ),
    views.TAssignOp: (v.tile_address_is_a_multiple_of_32,),
    views.SubviewOp: (
        v.window_is_inside_the_tile,
        v.window_has_the_type_of_the_tile,
        v.window_of_a_fractal_tile_is_made_of_blocks,
    ),
    views.SetValidShapeOp: (v.valid_extent_is_inside_the_tile, v.reshaped_tile_is_open),
}

SCALARS: Table = {
    scalar.LoadScalarOp: (),
    scalar.StoreScalarOp: (),
    scalar.AddPtrOp: (),
    scalar.GetBlockIdxOp: (),
    scalar.GetBlockNumOp: (),
    memory.TPrintOp: (m.print_takes_the_element_type,),
    sync.SetFlagOp: (),
    sync.WaitFlagOp: (),
    sync.BarrierOp: (),
}

# Operation by operation the same laws; the element types are in the target's lists.
_ELEMENTWISE = (
    e.arithmetic_takes_the_element_type,
    e.arithmetic_tiles_are_vec,
    e.arithmetic_is_row_major,
    e.arithmetic_shapes_are_equal,
)
_REDUCTION = (
    e.arithmetic_takes_the_element_type,
    e.arithmetic_tiles_are_vec,
    e.reduction_keeps_the_rows,
    e.reduction_layouts,
)

ARITHMETIC: Table = {
    **{op: _ELEMENTWISE for op in ELEMENTWISE_OPS},
    expand.TRowExpandOp: (
        e.arithmetic_takes_the_element_type,
        e.arithmetic_tiles_are_vec,
        e.row_expand_keeps_the_rows,
    ),
    expand.TColExpandOp: (
        e.arithmetic_takes_the_element_type,
        e.arithmetic_tiles_are_vec,
        e.arithmetic_is_row_major,
        e.column_expand_keeps_the_columns,
    ),
    reduce.TRowSumOp: _REDUCTION,
    reduce.TRowMaxOp: _REDUCTION,
    expand.TExpandSOp: (e.arithmetic_takes_the_element_type, e.arithmetic_tiles_are_vec),
    elementwise.TCIOp: (
        e.arithmetic_takes_the_element_type,
        e.arithmetic_tiles_are_vec,
        e.sequence_is_one_row,
    ),
    elementwise.TCvtOp: (
        e.arithmetic_tiles_are_vec,
        e.arithmetic_is_row_major,
        e.arithmetic_shapes_are_equal,
    ),
    movement.TMovOp: (e.arithmetic_takes_the_element_type,),
}

_COLLECTIVE = (
    c.staging_is_vec,
    c.ping_and_pong_have_one_type,
    c.ranks_have_one_shape,
    c.chunks_divide_the_data,
    c.ccu_has_its_trigger,
)

COLLECTIVES: Table = {
    comm.CommTGatherOp: (*_COLLECTIVE, c.root_is_a_rank, c.local_memory_holds_all_ranks),
    comm.CommTScatterOp: (*_COLLECTIVE, c.root_is_a_rank, c.local_memory_holds_all_ranks),
    comm.CommTBroadcastOp: (*_COLLECTIVE, c.root_is_a_rank, c.local_memory_has_the_shape_of_a_rank),
    comm.CommTReduceOp: (
        *_COLLECTIVE,
        c.root_is_a_rank,
        c.local_memory_has_the_shape_of_a_rank,
        c.reduction_takes_the_element_type,
    ),
}

MODULE = (
    t.target_attribute_is_text,
    t.named_target_exists,
    t.module_names_the_checked_target,
)

PLACEMENT = (
    v.tile_is_made_of_32_byte_rows,
    v.fractal_tile_is_made_of_blocks,
    v.open_extent_is_given,
    u.every_tile_is_placed,
    u.a_tile_has_its_address_before_it_is_used,
    u.destination_is_apart_from_its_index,
    u.live_tiles_do_not_overlap_in_part,
    u.a_tile_is_written_before_it_is_read,
)

RANKS = (c.the_root_alone_calls,)
"""Who may call a collective."""

BUDGETS = (u.placed_tile_ends_inside_its_memory, u.live_tiles_fit)
"""For targets whose memories end somewhere."""

FLAGS = (
    f.pipes_wait_for_each_other,
    f.a_flag_is_raised_before_it_is_awaited,
    f.a_flag_is_raised_once,
    f.a_raised_flag_is_awaited,
    f.a_flag_joins_two_pipes,
    f.own_flags_of_an_instruction_are_down,
)


def also(table: Table, rules: dict[type, tuple[Rule, ...]]) -> Table:
    """The table with more rules for some instructions."""
    extended = dict(table)
    for op, more in rules.items():
        row = table[op]
        assert isinstance(row, tuple)
        extended[op] = (*row, *more)
    return extended


def conversions(pairs: dict[str, str]) -> dict[str, str]:
    """Conversions of TCVT by canonical element names."""

    def canonical(text: str) -> str:
        return BY_TEXT[text].text.removeprefix("!pto.")

    return {canonical(source): " ".join(map(canonical, sinks.split())) for source, sinks in pairs.items()}


def with_ccu_refused(table: Table) -> Table:
    """Targets without a collective unit."""
    return also(table, dict.fromkeys(comm.COMM_OPS, (c.collective_unit_exists,)))
