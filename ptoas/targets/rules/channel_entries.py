"""Entries of channels: halves, sizes, memories, types, views of slots."""

from __future__ import annotations

from math import prod

from ptoas.analysis.channels import Channel, Channels, flow_of
from ptoas.analysis.epilogues import result_of
from ptoas.dialects.pto.channel import (
    AllocSlotOp,
    ChannelOp,
    FreeOp,
    PopOp,
    PushOp,
    TPopFromAicOp,
    TPopFromAivOp,
)
from ptoas.dialects.pto.core_enums import Flow, PushQuant
from ptoas.dialects.pto.element_types import element_size, element_text
from ptoas.dialects.pto.enums import KernelKind, TileLoc
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.targets.rule import Related, Violations, channel_rule, mismatch
from ptoas.targets.rules.channel import valid_channels
from ptoas.targets.target import Target

Passed = TileType | ViewType


def passed(use: ChannelOp) -> Passed | None:
    """The type of what an instruction pushes, pops or allocates."""
    match use:
        case PushOp():
            type = use.entry.type
        case PopOp():
            type = use.popped.type
        case AllocSlotOp():
            type = use.slot.type
        case _:
            return None
    assert isinstance(type, TileType | ViewType)
    return type


def place_of(use: ChannelOp) -> str:
    """The slot of the operand or result that is passed."""
    return "result" if isinstance(use, TPopFromAicOp | TPopFromAivOp | AllocSlotOp) else "entry"


def moves(channel: Channel, flow: Flow) -> tuple[list[PushOp], list[PopOp], list[FreeOp]]:
    """Pushes, pops and frees of one direction."""
    uses = [use for use in channel.uses if flow_of(use) is flow]
    return (
        [use for use in uses if isinstance(use, PushOp)],
        [use for use in uses if isinstance(use, PopOp)],
        [use for use in uses if isinstance(use, FreeOp)],
    )


@channel_rule(
    "PTO-H122",
    source="pto/common/fifo.hpp header, TileSplitAxis",
    reason="Both vector cores get the same number of rows or columns; of an odd number the first gets "
    "one more.",
)
def split_tile_has_two_halves(channels: Channels, target: Target) -> Violations:
    """A tile split by 1 must have an even number of rows, by 2 of columns, by 3 an odd number of rows, by 4
    of columns. Splits 3 and 4 need tiles from cube to vector through global memory."""
    for channel in valid_channels(channels, target):
        init = channel.first
        for use in channel.uses:
            odd = use.halves > 2
            of_views = init.is_of_views or isinstance(use, AllocSlotOp)
            if odd and (init.flows != (Flow.C2V,) or init.memory is None or of_views):
                required = "0 to 2: this is no channel of tiles from cube to vector through global memory"
                yield mismatch("split", use.halves, required, op=use, field="split")
                continue
            entry = passed(use)
            if not use.halves or not isinstance(use, PushOp) or not isinstance(entry, TileType):
                continue
            rows = use.halves in (1, 3)
            extent = entry.valid_rows if rows else entry.valid_cols
            # What goes to the cube core is a half already.
            if extent != DYNAMIC and bool(extent % 2) != odd and flow_of(use) is Flow.C2V:
                yield mismatch(
                    f"valid {'rows' if rows else 'columns'} of the tile",
                    extent,
                    f"an {'odd' if odd else 'even'} number for split = {use.halves}",
                    op=use,
                    slot="entry",
                )


@channel_rule(
    "PTO-H123",
    source="pto/npu/a5/TPush.hpp header, pushAcc2VecFiFo, pushVec2MatFiFo",
    reason="The pipe that writes both unified buffers at once takes 32-bit elements in groups of 32 "
    "columns; L1 is written in units of 32 bytes.",
)
def halves_fit_local_memory(channels: Channels, target: Target) -> Violations:
    """On a5 with slots in local memory, a split accumulator must have 32-bit elements, and a multiple of 32
    columns if split by columns; a half by columns that goes to the cube core must have a multiple of 32
    bytes."""
    for channel in valid_channels(channels, target):
        for use in channel.uses:
            entry = passed(use)
            if not use.halves or not isinstance(use, PushOp) or not isinstance(entry, TileType):
                continue
            if channel.first.memory is not None:
                continue
            size, here = element_size(entry.element_type), {"op": use, "slot": "entry"}
            by_columns, to_vector = use.halves == 2, flow_of(use) is Flow.C2V
            if to_vector and size != 4:
                yield mismatch("size of an element", size, "4 bytes where a tile is split", **here)
            unit = 32 if to_vector else 32 // size
            cols = {entry.cols, entry.valid_cols} - {DYNAMIC}
            wrong = [count for count in cols if count % unit]
            if by_columns and wrong:
                yield mismatch(
                    "columns of the tile", min(wrong), f"a multiple of {unit} for split = 2", **here
                )


@channel_rule(
    "PTO-H124",
    source="PTOAS slot_size",
    reason="It would overwrite the next slot.",
)
def pushed_tile_fits_a_slot(channels: Channels, target: Target) -> Violations:
    """A pushed tile, both halves together and after any conversion, must fit a slot; so must a popped tile
    that nothing in the module pushes."""
    for channel in valid_channels(channels, target):
        limit = channel.first.bytes_of_slot
        for flow in channel.first.flows:
            pushes, pops, _ = moves(channel, flow)
            for use in pushes or pops:
                size = _bytes(use, channel) if isinstance(use, PushOp) else _whole(use)
                if size is not None and size > limit:
                    yield mismatch(
                        f"bytes of the {'pushed' if pushes else 'popped'} tile",
                        size,
                        f"at most {limit}, the slot_size of {channel.name}",
                        op=use,
                        slot=place_of(use),
                        fix=f"write slot_size = {size} on both sides",
                        related=(Related("declared here", channel.first),),
                    )


def _bytes(use: PushOp, channel: Channel) -> int | None:
    """Bytes that a push fills of a slot; `None` if only known at run time."""
    entry = passed(use)
    assert entry is not None
    in_memory = channel.first.memory is not None
    to_cube = flow_of(use) is Flow.V2C
    # Slots in global memory hold the valid elements, those in the consumer's memory the physical tile.
    shape = entry.valid if in_memory and isinstance(entry, TileType) else entry.shape
    if DYNAMIC in shape:
        return None
    size = prod(shape) * element_size(result_of(channel, entry.element_type))
    if use.halves not in (1, 2) or (in_memory and not to_cube):
        return size
    return size * 2 if to_cube else size // 2


def _whole(use: PopOp) -> int | None:
    """Bytes that a pop of a whole tile takes from a slot."""
    type = passed(use)
    if not isinstance(type, TileType) or use.halves != 0 or DYNAMIC in type.valid:
        return None
    return prod(type.valid) * element_size(type.element_type)


_MEMORIES = {
    (Flow.C2V, "push"): TileLoc.Acc,
    (Flow.C2V, "pop"): TileLoc.Vec,
    (Flow.V2C, "push"): TileLoc.Vec,
    (Flow.V2C, "pop"): TileLoc.Mat,
}


@channel_rule(
    "PTO-H125",
    source="PTOAS tpush_to_aiv, tpop_from_aic: locations",
    reason="The cube core pushes accumulators and pops into L1; vector cores use the unified buffer.",
)
def channel_tiles_are_in_their_memories(channels: Channels, target: Target) -> Violations:
    """A tile to the vector cores must go from acc to vec; a tile to the cube core must go from vec to mat."""
    for channel in valid_channels(channels, target):
        for use in channel.uses:
            type, flow = passed(use), flow_of(use)
            if not isinstance(type, TileType) or flow is None:
                continue
            expected = _MEMORIES[flow, "push" if isinstance(use, PushOp) else "pop"]
            if type.loc.data is not expected:
                what = f"memory of the tile of {use.mnemonic()}"
                yield mismatch(what, type.loc.data.value, expected.value, op=use, slot=place_of(use))


@channel_rule(
    "PTO-H126",
    source="PTOAS tpush_to_aiv, tpop_from_aic: one type, halves by the split",
    reason="A slot holds bytes, so both sides must mean the same tile.",
)
def popped_tile_matches_the_pushed_one(channels: Channels, target: Target) -> Violations:
    """Both sides of a channel must have the same element type, unless a push converts, and extents that match
    the split."""
    for channel in valid_channels(channels, target):
        for flow in channel.first.flows:
            pushes, pops, _ = moves(channel, flow)
            pushed = [(push, type) for push in pushes if (type := passed(push)) is not None]
            for pop in pops:
                type = passed(pop)
                if type is None or not pushed:
                    continue
                # With several pushes, the popped tile is known only at run time.
                fits = [_misfit(channel, flow, push, each, pop, type) for push, each in pushed]
                if None not in fits and fits[0] is not None:
                    what, found, required = fits[0]
                    yield mismatch(
                        f"{what} of the popped tile",
                        found,
                        required,
                        op=pop,
                        slot=place_of(pop),
                        related=(Related("pushed here", pushed[0][0]),),
                    )


def _misfit(
    channel: Channel, flow: Flow, push: PushOp, pushed: Passed, pop: PopOp, popped: Passed
) -> tuple[str, str, str] | None:
    """Compare a pop with its push: the differing property, the found and the required value."""
    epilogue = channel.first.acc_push_epilogue
    converts = epilogue is not None and epilogue.quant is not PushQuant.NoQuant
    if pushed.element_type != popped.element_type and not converts:
        own = element_text(pushed.element_type)
        return "element type", element_text(popped.element_type), f"{own}, as pushed"
    if not isinstance(pushed, TileType) or not isinstance(popped, TileType):
        return None
    if push.halves != pop.halves or push.halves > 2:
        return None
    factors = (2 if push.halves == 1 else 1, 2 if push.halves == 2 else 1)
    for word, one, other, times in zip(("rows", "columns"), pushed.valid, popped.valid, factors, strict=True):
        whole, part = (one, other) if flow is Flow.C2V else (other, one)
        # An odd number that is to be halved is another rule's.
        if DYNAMIC in (whole, part) or whole == part * times or whole % times:
            continue
        if times == 1:
            required = f"{one}, as pushed"
        elif flow is Flow.C2V:
            required = f"{one // 2}, half of the {one} that are pushed"
        else:
            required = f"{one * 2}, twice the {one} that each vector core pushes"
        return f"valid {word}", str(other), required
    return None


@channel_rule(
    "PTO-H130",
    source="PTOAS gm_slot_tensor: entries match it",
    reason="A slot is a part of the tensor that the channel was declared with.",
)
def slot_matches_the_tensor_of_its_channel(channels: Channels, target: Target) -> Violations:
    """Views in a channel must have the element type, rank and extents of its gm_slot_tensor, half of them in
    one dimension if split. The tensor must fill a slot, or half of it."""
    for end in (end for channel in valid_channels(channels, target) for end in channel.ends):
        memory = None if end.init.memory is None else end.init.memory.type
        if not isinstance(memory, ViewType) or not end.init.is_of_views:
            continue
        size = None if DYNAMIC in memory.shape else prod(memory.shape) * element_size(memory.element_type)
        slot = end.init.bytes_of_slot
        if size is not None and size not in (slot, slot // 2):
            yield mismatch("bytes of gm_slot_tensor", size, f"{slot} or {slot // 2}", op=end.init)
        for use in end.uses:
            type = passed(use)
            halved = end.kind is KernelKind.Vector and use.halves != 0
            if type is not None and not _is_slot_of(type, memory, halved):
                yield mismatch(
                    "view of a slot",
                    type,
                    f"{memory}, the tensor of the channel",
                    op=use,
                    slot=place_of(use),
                    related=(Related("declared here", end.init),),
                )


def _is_slot_of(type: Passed, tensor: ViewType, halved: bool) -> bool:
    if not isinstance(type, ViewType) or len(type.shape) != len(tensor.shape):
        return False
    pairs = zip(type.shape, tensor.shape, strict=True)
    return type.element_type == tensor.element_type and all(
        DYNAMIC in (here, there) or here == there or (halved and here * 2 == there) for here, there in pairs
    )
