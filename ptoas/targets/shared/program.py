"""What targets ask of functions and modules as a whole.

Each part is imported, and asked, where a program has an instruction of the chapters that it names: most
programs have neither ranks nor channels, nor flags by hand.
"""

from __future__ import annotations

from ptoas.targets.rule import Rule, asked

Rules = tuple[Rule, ...]


@asked()
def module() -> Rules:
    from ptoas.targets.rules import module as t

    return (
        t.target_attribute_is_text,
        t.named_target_exists,
        t.module_names_the_checked_target,
        t.a_tail_is_one_that_exists,
        t.no_function_calls_itself,
    )


@asked("sync")
def pipes() -> Rules:
    from ptoas.targets.rules import fences as h

    return (h.synchronisation_names_pipes_that_work,)


@asked()
def cores() -> Rules:
    from ptoas.targets.rules import core_kinds as c

    return (c.an_instruction_is_on_its_core,)


@asked("core_sync")
def sections() -> Rules:
    from ptoas.targets.rules import core_sync as c

    return (c.a_section_stands_by_itself, c.a_barrier_is_for_the_cores_that_reach_it)


@asked("core_sync channel")
def parts() -> Rules:
    from ptoas.targets.rules import core_parts as c

    return (c.a_part_needs_nothing_of_the_other,)


@asked("matmul")
def steps() -> Rules:
    """For targets whose cores are of two kinds."""
    from ptoas.targets.rules import core_parts as c

    return (c.a_function_says_which_core_runs_what,)


@asked("core_sync")
def control_area() -> Rules:
    from ptoas.targets.rules import core_sync as c

    return (c.counters_have_a_control_area,)


@asked("channel")
def rings() -> Rules:
    """For targets whose local memories end somewhere."""
    from ptoas.targets.rules import core_sync as c

    return (c.rings_lie_beside_tiles,)


@asked("comm")
def collectives() -> Rules:
    """Who may call a collective."""
    from ptoas.targets.rules import comm as c

    return (c.the_root_alone_calls, c.destination_is_local)


@asked("comm remote")
def staging() -> Rules:
    from ptoas.targets.rules import staging as s

    return (s.staging_tiles_are_apart,)


@asked("asynchronous")
def transfers() -> Rules:
    """How an asynchronous transfer ends."""
    from ptoas.targets.rules import asynchronous as a

    return (a.what_was_started_is_awaited,)


@asked("remote")
def fences() -> Rules:
    """For targets whose writes are not seen at once."""
    from ptoas.targets.rules import remote

    return (remote.a_put_is_fenced_before_it_is_notified,)


@asked()
def tiles() -> Rules:
    from ptoas.targets.rules import tiles as v

    return (
        v.tile_is_made_of_32_byte_rows,
        v.fractal_tile_is_made_of_blocks,
        v.tile_has_a_layout_of_its_memory,
        v.open_extent_is_given,
    )


@asked("scf")
def loops() -> Rules:
    from ptoas.targets.rules import scalar as e

    return (e.step_of_a_loop_is_positive,)


@asked("arrays local_types")
def variables() -> Rules:
    from ptoas.targets.rules import arrays as r

    return (r.local_variable_stays_where_it_is_declared,)


@asked()
def placement() -> Rules:
    from ptoas.targets.rules import placement as u

    return (
        u.every_tile_is_placed,
        u.a_tile_has_its_address_before_it_is_used,
        u.destination_is_apart_from_its_index,
        u.live_tiles_do_not_overlap_in_part,
        u.a_tile_is_written_before_it_is_read,
    )


@asked("matmul")
def accumulators() -> Rules:
    """For targets that add to their destination; the simulator reads the accumulator that it is given."""
    from ptoas.targets.rules import matmul as k

    return (k.an_accumulator_is_one_buffer,)


@asked()
def leftovers() -> Rules:
    """For targets that work in their operands; the simulator does not touch scratch tiles."""
    from ptoas.targets.rules import overwritten as o

    return (o.what_is_overwritten_is_not_read,)


@asked()
def budgets() -> Rules:
    """For targets whose memories end somewhere."""
    from ptoas.targets.rules import budget as b

    return (b.placed_tile_ends_inside_its_memory, b.live_tiles_fit, b.kernel_fits)


@asked("sync")
def flags() -> Rules:
    from ptoas.targets.rules import cores_of_flags
    from ptoas.targets.rules import sync as f

    return (
        f.pipes_wait_for_each_other,
        f.a_flag_is_raised_before_it_is_awaited,
        f.a_flag_is_raised_once,
        f.a_raised_flag_is_awaited,
        f.a_flag_joins_two_pipes,
        cores_of_flags.a_flag_stays_on_its_core,
        f.own_flags_of_an_instruction_are_down,
        f.a_pipe_ends_what_it_depends_on,
    )


@asked("sync")
def ordered_vectors() -> Rules:
    """For targets whose vector pipe keeps the order itself."""
    from ptoas.targets.rules import sync as f

    return (f.a_barrier_is_of_a_pipe_that_needs_it,)


@asked("matmul")
def phases() -> Rules:
    from ptoas.targets.rules import cube

    return (cube.phases_of_an_accumulator_take_turns,)


@asked()
def lints() -> Rules:
    """What only deserves a look."""
    from ptoas.targets.rules import lints as n
    from ptoas.targets.rules import missing_stores as m

    return (
        n.a_body_has_one_block,
        n.a_result_is_read,
        n.what_is_written_is_read_before_it_is_overwritten,
        n.a_tile_is_used,
        m.a_kernel_stores_something,
        m.an_output_is_written,
    )


@asked("gather")
def indices() -> Rules:
    from ptoas.targets.rules import generated_indices as g

    return (g.generated_indices_stay_inside,)


@asked()
def simt() -> Rules:
    """What a launch of SIMT kernels asks for."""
    from ptoas.targets.rules import budget as b

    return (b.kernel_fits_the_default_budget,)


@asked("matmul")
def scales() -> Rules:
    """What a matrix unit with scales asks for."""
    from ptoas.targets.rules import mx as x

    return (x.scales_are_where_the_matrix_unit_looks,)


@asked("comm")
def triggers() -> Rules:
    from ptoas.targets.rules import comm as c

    return (c.every_rank_triggers_the_ccu,)


@asked()
def elements() -> Rules:
    """For targets without rows that say which memory takes which element."""
    from ptoas.targets.rules import tiles as v

    return (v.tile_type_has_a_valid_element,)


@asked("channel")
def channels() -> Rules:
    """For programs whose cores pass tiles to each other."""
    from ptoas.targets.rules import (
        channel_ends,
        channel_entries,
        channel_epilogue,
        channel_scales,
        channel_use,
    )

    return (
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
    )


@asked("channel")
def device_channels() -> Rules:
    """Where views can be passed, too, and flags run out."""
    from ptoas.targets.rules import channel_ends, channel_entries, channel_epilogue

    return (
        channel_ends.there_are_flags_for_all_channels,
        channel_entries.a_slot_is_as_the_tensor_of_its_channel,
        channel_epilogue.a_push_through_memory_converts_to_rows,
    )


@asked("channel")
def channels_in_local_memory() -> Rules:
    from ptoas.targets.rules import channel_entries, channel_use

    return (
        channel_entries.halves_suit_local_memory,
        channel_use.whole_tiles_are_for_the_first_vector_core,
    )


EVERYWHERE = (
    *(module, pipes, cores, sections, parts, collectives, staging, transfers, tiles, loops, variables),
    *(placement, lints, indices, channels),
)

DEVICES = (
    *EVERYWHERE,
    accumulators,
    steps,
    rings,
    fences,
    leftovers,
    budgets,
    flags,
    phases,
    device_channels,
)

SIMT_DEVICES = (*DEVICES, ordered_vectors, simt, scales, triggers, channels_in_local_memory)
"""What a launch of SIMT kernels and a matrix unit with scales ask for, too."""

SIMULATOR = (*EVERYWHERE, elements)
