"""Rules of functions and modules as a whole, by the capabilities of a target.

A group names the chapters of which a program must have an instruction before its rules have anything to
say.
"""

from __future__ import annotations

from ptoas.targets.rule import ProgramRules
from ptoas.targets.rules import (
    arrays,
    asynchronous,
    budget,
    channel_ends,
    channel_entries,
    channel_epilogue,
    channel_scales,
    channel_use,
    comm,
    core_kinds,
    core_parts,
    core_sync,
    cores_of_flags,
    cube,
    fences,
    generated_indices,
    lints,
    matmul,
    missing_stores,
    module,
    mx,
    overlapping_tiles,
    overwritten,
    placement,
    remote,
    scalar,
    staging,
    sync,
    tiles,
)

MODULE = ProgramRules(
    (
        module.target_attribute_is_text,
        module.named_target_exists,
        module.module_names_the_checked_target,
        module.a_tail_is_one_that_exists,
        module.no_function_calls_itself,
    )
)

PIPES = ProgramRules((fences.synchronisation_names_pipes_that_work,), frozenset({"sync"}))

CORES = ProgramRules((core_kinds.an_instruction_is_on_its_core,))

SECTIONS = ProgramRules(
    (core_sync.a_section_stands_by_itself, core_sync.a_barrier_is_for_the_cores_that_reach_it),
    frozenset({"core_sync"}),
)

PARTS = ProgramRules((core_parts.a_part_needs_nothing_of_the_other,), frozenset({"core_sync", "channel"}))

STEPS = ProgramRules((core_parts.a_function_says_which_core_runs_what,), frozenset({"matmul"}))
"""Rules for targets with two kinds of cores."""

CONTROL_AREA = ProgramRules((core_sync.counters_have_a_control_area,), frozenset({"core_sync"}))

RINGS = ProgramRules((core_sync.rings_lie_beside_tiles,), frozenset({"channel"}))
"""Rules for targets with limited local memory."""

COLLECTIVES = ProgramRules((comm.the_root_alone_calls, comm.destination_is_local), frozenset({"comm"}))
"""Rules on the callers of collectives."""

STAGING = ProgramRules((staging.staging_tiles_are_apart,), frozenset({"comm", "remote"}))

TRANSFERS = ProgramRules((asynchronous.what_was_started_is_awaited,), frozenset({"asynchronous"}))
"""Rules on the end of asynchronous transfers."""

FENCES = ProgramRules((remote.a_put_is_fenced_before_it_is_notified,), frozenset({"remote"}))
"""Rules for targets whose writes are not visible at once."""

TILES = ProgramRules(
    (
        tiles.tile_is_made_of_32_byte_rows,
        tiles.fractal_tile_is_made_of_blocks,
        tiles.tile_has_a_layout_of_its_memory,
        tiles.open_extent_is_given,
    )
)

LOOPS = ProgramRules((scalar.step_of_a_loop_is_positive,), frozenset({"scf"}))

VARIABLES = ProgramRules(
    (arrays.local_variable_stays_where_it_is_declared,), frozenset({"arrays", "local_types"})
)

PLACEMENT = ProgramRules(
    (
        placement.every_tile_is_placed,
        placement.a_tile_has_its_address_before_it_is_used,
        placement.destination_is_apart_from_its_index,
        placement.live_tiles_do_not_overlap_in_part,
        placement.a_tile_is_written_before_it_is_read,
        overlapping_tiles.overwritten_bytes_are_not_read,
    )
)

ACCUMULATORS = ProgramRules((matmul.an_accumulator_is_one_buffer,), frozenset({"matmul"}))
"""Rules for targets that accumulate into their destination; the simulator reads the given accumulator."""

LEFTOVERS = ProgramRules((overwritten.what_is_overwritten_is_not_read,))
"""Rules for targets that work in their operands; the simulator does not touch scratch tiles."""

BUDGETS = ProgramRules((budget.placed_tile_ends_inside_its_memory, budget.live_tiles_fit, budget.kernel_fits))
"""Rules for targets with limited memory."""

FLAGS = ProgramRules(
    (
        sync.pipes_wait_for_each_other,
        sync.a_flag_is_raised_before_it_is_awaited,
        sync.a_flag_is_raised_once,
        sync.a_raised_flag_is_awaited,
        sync.a_flag_joins_two_pipes,
        cores_of_flags.a_flag_stays_on_its_core,
        sync.own_flags_of_an_instruction_are_down,
        sync.a_pipe_ends_what_it_depends_on,
    ),
    frozenset({"sync"}),
)

ORDERED_VECTORS = ProgramRules((sync.a_barrier_is_of_a_pipe_that_needs_it,), frozenset({"sync"}))
"""Rules for targets whose vector pipe keeps the order itself."""

PHASES = ProgramRules((cube.phases_of_an_accumulator_take_turns,), frozenset({"matmul"}))

LINTS = ProgramRules(
    (
        lints.a_body_has_one_block,
        lints.a_result_is_read,
        lints.what_is_written_is_read_before_it_is_overwritten,
        lints.a_tile_is_used,
        lints.a_move_has_another_destination,
        missing_stores.a_kernel_stores_something,
        missing_stores.an_output_is_written,
    )
)
"""Lints."""

INDICES = ProgramRules((generated_indices.generated_indices_stay_inside,), frozenset({"gather"}))

SIMT = ProgramRules((budget.kernel_fits_the_default_budget,))
"""Rules on launches of SIMT kernels."""

SCALES = ProgramRules((mx.scales_are_where_the_matrix_unit_looks,), frozenset({"matmul"}))
"""Rules of a matrix unit with scales."""

TRIGGERS = ProgramRules((comm.every_rank_triggers_the_ccu,), frozenset({"comm"}))

ELEMENTS = ProgramRules((tiles.tile_type_has_a_valid_element,))
"""Rules for targets without rows that state the element types of each memory."""

CHANNELS = ProgramRules(
    (
        channel_ends.a_channel_has_two_ends,
        channel_ends.the_ends_of_a_channel_agree,
        channel_ends.an_imported_ring_is_reserved,
        channel_ends.a_reserved_ring_holds_all_slots,
        channel_ends.a_number_is_declared_once,
        channel_use.an_instruction_finds_its_channel,
        channel_use.tiles_of_a_channel_are_split_alike,
        channel_entries.what_is_split_has_halves,
        channel_entries.what_is_pushed_fits_a_slot,
        channel_entries.a_tile_comes_from_and_goes_to_its_memory,
        channel_entries.a_tile_is_popped_as_it_is_pushed,
        channel_epilogue.a_push_converts_to_what_is_popped,
        channel_scales.a_push_finds_its_scale,
        channel_scales.a_scale_is_of_the_kind_of_its_channel,
        channel_use.pushes_pops_and_frees_balance,
        channel_use.a_slot_is_not_used_after_it_is_free,
        channel_use.what_a_pop_is_told_is_open,
    ),
    frozenset({"channel"}),
)
"""Rules for programs whose cores pass tiles to each other."""

DEVICE_CHANNELS = ProgramRules(
    (
        channel_ends.there_are_flags_for_all_channels,
        channel_entries.a_slot_is_as_the_tensor_of_its_channel,
        channel_epilogue.a_push_through_memory_converts_to_rows,
    ),
    frozenset({"channel"}),
)
"""Rules for targets where views can be passed, too, and flags run out."""

CHANNELS_IN_LOCAL_MEMORY = ProgramRules(
    (channel_entries.halves_suit_local_memory, channel_use.whole_tiles_are_for_the_first_vector_core),
    frozenset({"channel"}),
)

EVERYWHERE = (
    *(MODULE, PIPES, CORES, SECTIONS, PARTS, COLLECTIVES, STAGING, TRANSFERS, TILES, LOOPS, VARIABLES),
    *(PLACEMENT, LINTS, INDICES, CHANNELS),
)

DEVICES = (
    *EVERYWHERE,
    ACCUMULATORS,
    STEPS,
    RINGS,
    FENCES,
    LEFTOVERS,
    BUDGETS,
    FLAGS,
    PHASES,
    DEVICE_CHANNELS,
)

SIMT_DEVICES = (*DEVICES, ORDERED_VECTORS, SIMT, SCALES, TRIGGERS, CHANNELS_IN_LOCAL_MEMORY)
"""Rules of SIMT launches and of a matrix unit with scales."""

SIMULATOR = (*EVERYWHERE, ELEMENTS)
