"""What targets ask of programs whose cores pass tiles to each other; imported where there is such a one."""

from __future__ import annotations

from ptoas.targets.rules import channel_ends, channel_entries, channel_scales, channel_use

CHANNELS = (
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
    channel_entries.a_push_converts_to_what_is_popped,
    channel_scales.a_push_finds_its_scale,
    channel_scales.a_scale_is_of_the_kind_of_its_channel,
    channel_use.pushes_pops_and_frees_balance,
    channel_use.a_slot_is_not_used_after_it_is_free,
    channel_use.what_a_pop_is_told_is_open,
)
"""For programs whose cores pass tiles to each other."""

DEVICE_CHANNELS = (
    *CHANNELS,
    channel_ends.there_are_flags_for_all_channels,
    channel_entries.a_slot_is_as_the_tensor_of_its_channel,
)
"""Where views can be passed, too, and flags run out."""

A5_CHANNELS = (
    channel_entries.halves_suit_local_memory,
    channel_use.whole_tiles_are_for_the_first_vector_core,
)
