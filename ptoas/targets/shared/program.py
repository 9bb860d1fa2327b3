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
    events,
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
    visibility,
)

MODULE = ProgramRules(
    (
        module.target_attribute_is_a_string,
        module.named_target_exists,
        module.module_names_the_checked_target,
        module.tail_hint_exists,
        module.function_does_not_call_itself,
    )
)

PIPES = ProgramRules((fences.synchronisation_names_working_pipes,), frozenset({"sync"}))

CORES = ProgramRules((core_kinds.instruction_runs_on_its_core,))

SECTIONS = ProgramRules(
    (core_sync.section_is_not_nested, core_sync.barrier_names_the_cores_that_reach_it),
    frozenset({"core_sync"}),
)

PARTS = ProgramRules((core_parts.core_parts_are_independent,), frozenset({"core_sync", "channel"}))

STEPS = ProgramRules((core_parts.function_separates_cube_and_vector_code,), frozenset({"matmul"}))
"""Rules for targets with two kinds of cores."""

CONTROL_AREA = ProgramRules((core_sync.counters_have_a_control_area,), frozenset({"core_sync"}))

RINGS = ProgramRules((core_sync.rings_do_not_overlap_tiles,), frozenset({"channel"}))
"""Rules for targets with limited local memory."""

COLLECTIVES = ProgramRules((comm.only_the_root_calls, comm.destination_is_local), frozenset({"comm"}))
"""Rules on the callers of collectives."""

STAGING = ProgramRules((staging.staging_tiles_do_not_overlap,), frozenset({"comm", "remote"}))

TRANSFERS = ProgramRules((asynchronous.asynchronous_transfer_is_awaited,), frozenset({"asynchronous"}))
"""Rules on the end of asynchronous transfers."""

FENCES = ProgramRules((remote.store_is_fenced_before_its_notification,), frozenset({"remote"}))
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

VARIABLES = ProgramRules((arrays.local_variable_stays_in_its_function,), frozenset({"arrays", "local_types"}))

PLACEMENT = ProgramRules(
    (
        placement.all_tiles_have_an_address,
        placement.tile_has_an_address_before_its_use,
        placement.destination_does_not_overlap_its_index,
        placement.live_tiles_do_not_overlap_in_part,
        placement.tile_is_written_before_it_is_read,
        overlapping_tiles.overwritten_bytes_are_not_read,
    )
)

ACCUMULATORS = ProgramRules((matmul.an_accumulator_is_one_buffer,), frozenset({"matmul"}))
"""Rules for targets that accumulate into their destination; the simulator reads the given accumulator."""

LEFTOVERS = ProgramRules((overwritten.overwritten_operand_is_not_read,))
"""Rules for targets that work in their operands; the simulator does not touch scratch tiles."""

BUDGETS = ProgramRules(
    (budget.placed_tile_ends_inside_its_memory, budget.live_tiles_fit, budget.tiles_of_a_kernel_fit)
)
"""Rules for targets with limited memory."""

FLAGS = ProgramRules(
    (
        sync.accesses_of_two_pipes_are_ordered,
        sync.flag_is_set_before_its_wait,
        sync.flag_is_not_set_twice,
        sync.set_flag_is_waited_for,
        sync.flag_connects_two_pipes,
        cores_of_flags.flag_connects_pipes_of_one_core,
        sync.internal_flags_are_clear,
        sync.accesses_of_one_pipe_are_ordered,
        visibility.cache_is_clean_at_the_end,
        visibility.stored_line_is_cleaned_before_dma,
        visibility.line_is_invalidated_before_it_is_loaded_again,
        visibility.line_of_dma_is_cleaned_before_it_is_stored_to,
        visibility.all_stored_lines_of_a_view_are_cleaned,
        visibility.store_is_fenced_before_it_is_loaded,
    ),
    frozenset({"sync"}),
)

EVENTS = ProgramRules(
    (
        events.event_is_awaited_once_in_its_block,
        events.recorded_event_is_awaited,
        events.library_call_has_these_events,
    )
)

DEVICE_EVENTS = ProgramRules(
    (events.event_orders_pipes_of_one_core, events.events_do_not_outnumber_event_ids), frozenset({"sync"})
)

LINES = ProgramRules((visibility.each_core_stores_to_lines_of_its_own,), frozenset({"scalar"}))
"""Rules for targets with a scalar data cache."""

ORDERED_VECTORS = ProgramRules((sync.barrier_names_an_unordered_pipe,), frozenset({"sync"}))
"""Rules for targets whose vector pipe keeps the order itself."""

PHASES = ProgramRules((cube.accumulator_phases_alternate,), frozenset({"matmul"}))

LINTS = ProgramRules(
    (
        lints.body_has_one_block,
        lints.result_is_used,
        lints.value_is_read_before_it_is_overwritten,
        lints.tile_is_used,
        lints.move_destination_is_not_its_source,
        lints.loop_accumulates_in_one_tile,
        missing_stores.kernel_has_an_output,
        missing_stores.output_is_written,
    )
)
"""Lints."""

INDICES = ProgramRules((generated_indices.computed_indices_are_in_range,), frozenset({"gather"}))

SIMT = ProgramRules((budget.kernel_fits_the_default_budget,))
"""Rules on launches of SIMT kernels."""

SCALES = ProgramRules((mx.scales_are_at_the_address_of_their_operand,), frozenset({"matmul"}))
"""Rules of a matrix unit with scales."""

TRIGGERS = ProgramRules((comm.every_rank_triggers_the_ccu,), frozenset({"comm"}))

ELEMENTS = ProgramRules((tiles.tile_type_has_a_valid_element,))
"""Rules for targets without rows that state the element types of each memory."""

CHANNELS = ProgramRules(
    (
        channel_ends.channel_has_two_ends,
        channel_ends.channel_ends_agree,
        channel_ends.imported_ring_is_reserved,
        channel_ends.reserved_ring_holds_all_slots,
        channel_ends.channel_number_is_declared_once,
        channel_use.channel_is_declared_before_its_use,
        channel_use.channel_has_one_split,
        channel_entries.split_tile_has_two_halves,
        channel_entries.pushed_tile_fits_a_slot,
        channel_entries.channel_tiles_are_in_their_memories,
        channel_entries.popped_tile_matches_the_pushed_one,
        channel_epilogue.push_conversion_matches_the_pop,
        channel_scales.push_scale_is_set_before_it,
        channel_scales.scale_matches_the_quant_of_its_channel,
        channel_use.pushes_pops_and_frees_balance,
        channel_use.slot_is_not_used_after_tfree,
        channel_use.pop_extents_are_open_in_its_type,
    ),
    frozenset({"channel"}),
)
"""Rules for programs whose cores pass tiles to each other."""

DEVICE_CHANNELS = ProgramRules(
    (
        channel_ends.channels_have_enough_flags,
        channel_entries.slot_matches_the_tensor_of_its_channel,
        channel_epilogue.push_through_memory_has_a_supported_layout,
    ),
    frozenset({"channel"}),
)
"""Rules for targets where views can be passed, too, and flags run out."""

CHANNELS_IN_LOCAL_MEMORY = ProgramRules(
    (channel_entries.halves_fit_local_memory, channel_use.whole_tiles_go_to_the_first_vector_core),
    frozenset({"channel"}),
)

EVERYWHERE = (
    *(MODULE, PIPES, CORES, SECTIONS, PARTS, COLLECTIVES, STAGING, TRANSFERS, TILES, LOOPS, VARIABLES),
    *(PLACEMENT, LINTS, INDICES, CHANNELS, EVENTS),
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
    DEVICE_EVENTS,
    LINES,
    PHASES,
    DEVICE_CHANNELS,
)

SIMT_DEVICES = (*DEVICES, ORDERED_VECTORS, SIMT, SCALES, TRIGGERS, CHANNELS_IN_LOCAL_MEMORY)
"""Rules of SIMT launches and of a matrix unit with scales."""

SIMULATOR = (*EVERYWHERE, ELEMENTS)
