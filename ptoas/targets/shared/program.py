"""What targets ask of functions and modules as a whole."""

from __future__ import annotations

from functools import cache
from itertools import chain

from ptoas.targets.rule import Rule
from ptoas.targets.rules import arrays as r
from ptoas.targets.rules import asynchronous as a
from ptoas.targets.rules import budget as b
from ptoas.targets.rules import comm as c
from ptoas.targets.rules import core_sync, cores_of_flags, cube, remote
from ptoas.targets.rules import fences as h
from ptoas.targets.rules import generated_indices as g
from ptoas.targets.rules import lints as n
from ptoas.targets.rules import matmul as k
from ptoas.targets.rules import module as t
from ptoas.targets.rules import mx as x
from ptoas.targets.rules import overwritten as o
from ptoas.targets.rules import placement as u
from ptoas.targets.rules import scalar as e
from ptoas.targets.rules import staging as s
from ptoas.targets.rules import sync as f
from ptoas.targets.rules import tiles as v

MODULE = (t.target_attribute_is_text, t.named_target_exists, t.module_names_the_checked_target)

PLACEMENT = (
    v.tile_is_made_of_32_byte_rows,
    v.fractal_tile_is_made_of_blocks,
    v.tile_has_a_layout_of_its_memory,
    v.open_extent_is_given,
    e.step_of_a_loop_is_positive,
    r.local_variable_stays_where_it_is_declared,
    u.every_tile_is_placed,
    u.a_tile_has_its_address_before_it_is_used,
    u.destination_is_apart_from_its_index,
    k.an_accumulator_is_one_buffer,
    u.live_tiles_do_not_overlap_in_part,
    u.a_tile_is_written_before_it_is_read,
)

LEFTOVERS = (o.what_is_overwritten_is_not_read,)
"""For targets that work in their operands; the simulator does not touch scratch tiles."""

CORES = (
    h.synchronisation_names_pipes_that_work,
    cores_of_flags.a_tail_is_one_that_exists,
    core_sync.an_instruction_is_on_its_core,
    core_sync.a_section_stands_by_itself,
    core_sync.a_part_needs_nothing_of_the_other,
    core_sync.a_barrier_is_for_the_cores_that_reach_it,
)

RINGS = (core_sync.rings_lie_beside_tiles,)
"""For targets whose local memories end somewhere."""

LINTS = (
    n.a_body_has_one_block,
    n.a_result_is_read,
    n.what_is_written_is_read_before_it_is_overwritten,
    n.a_tile_is_used,
    g.generated_indices_stay_inside,
)
"""What only deserves a look."""

RANKS = (
    c.the_root_alone_calls,
    s.staging_tiles_are_apart,
    a.what_was_started_is_awaited,
)
"""Who may call a collective, and how an asynchronous transfer ends."""

FENCES = (remote.a_put_is_fenced_before_it_is_notified,)
"""For targets whose writes are not seen at once."""

BUDGETS = (
    b.placed_tile_ends_inside_its_memory,
    b.live_tiles_fit,
    b.kernel_fits,
)
"""For targets whose memories end somewhere."""

FLAGS = (
    f.pipes_wait_for_each_other,
    f.a_flag_is_raised_before_it_is_awaited,
    f.a_flag_is_raised_once,
    f.a_raised_flag_is_awaited,
    f.a_flag_joins_two_pipes,
    cores_of_flags.a_flag_stays_on_its_core,
    cube.phases_of_an_accumulator_take_turns,
    f.own_flags_of_an_instruction_are_down,
    f.a_pipe_ends_what_it_depends_on,
)


@cache
def device_program() -> tuple[Rule, ...]:
    return tuple(chain(MODULE, CORES, RINGS, RANKS, FENCES, PLACEMENT, LEFTOVERS, BUDGETS, FLAGS, LINTS))


@cache
def simt_program() -> tuple[Rule, ...]:
    """What a launch of SIMT kernels and a matrix unit with scales ask for, too."""
    return (
        *device_program(),
        b.kernel_fits_the_default_budget,
        x.scales_are_where_the_matrix_unit_looks,
        c.every_rank_triggers_the_ccu,
    )


@cache
def simulator_program() -> tuple[Rule, ...]:
    return (*MODULE, *CORES, *RANKS, *PLACEMENT, v.tile_type_has_a_valid_element, *LINTS)
