"""The two ends of a channel: their declarations, their agreement, the rings that they name."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.analysis.channels import FLAGS, ChannelEnd, Channels, flow_of, ring_source
from ptoas.analysis.counts import together
from ptoas.analysis.kinds import origin_of
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import walk
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.channel import (
    HandleInitOp,
    ImportReservedBufferOp,
    InitializePipeOp,
    PipeInitOp,
    PushOp,
    ReserveBufferOp,
)
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.enums import AddressSpace
from ptoas.targets.rule import Related, Violation, Violations, channel_rule, mismatch
from ptoas.targets.rules.channel import valid_channels
from ptoas.targets.target import Target


@channel_rule(
    "PTO-H110",
    source="PTOAS aic_initialize_pipe: pairs of two functions",
    reason="A pushed tile must be popped by the other side.",
)
def channel_has_two_ends(channels: Channels, target: Target) -> Violations:
    """A channel must be declared once on the cube side and once on the vector side, with the same ring, or
    the same number if there is no ring. One end alone with a flag_base is a warning, because the other may
    be in another module."""
    if any(True for _ in _lost(channels)):
        return  # PTO-H112 reports the ring that is imported but not reserved
    for channel in channels.all:
        # A number that is declared twice is another rule's.
        distinct = {_declared(end): end.kind for end in channel.ends}
        kinds = sorted(kind.value for kind in distinct.values() if kind is not None)
        if kinds == ["cube", "vector"]:
            continue
        found = " and ".join(kinds) or "no known core"
        *others, last = channel.ends
        yield Violation(
            f"{channel.name} is declared for {found}; it needs one declaration for cube and one for vector",
            op=last.init,
            fix="use the result of reserve_buffer on one side, and of import_reserved_buffer on the other",
            related=tuple(Related("also declared here", end.init) for end in others),
            severity=Severity.WARNING if len(kinds) == 1 and _fixes_flags(last.init) else None,
        )


def _fixes_flags(init: PipeInitOp) -> bool:
    """Return True if the declaration fixes the flags, so that the other end can be compiled separately."""
    return isinstance(init, HandleInitOp) and init.flag_base is not None


def _declared(end: ChannelEnd) -> object:
    """The key of a declaration in its function."""
    init = end.init
    return (end.function, init.SIDE, init.number) if isinstance(init, InitializePipeOp) else init


def _lost(channels: Channels) -> Iterator[ImportReservedBufferOp]:
    for function in channels.functions.values():
        for op in walk(function):
            if isinstance(op, ImportReservedBufferOp) and channels.ring(op.result) is None:
                yield op


@channel_rule(
    "PTO-H111",
    source="PTOAS aic_initialize_pipe: both ends agree",
    reason="Both ends count the slots of the same ring.",
)
def channel_ends_agree(channels: Channels, target: Target) -> Violations:
    """Both ends of a channel must have the same dir_mask, slot_size, slot_num, local_slot_num and
    acc_push_epilogue."""
    for channel in channels.all:
        if len(channel.ends) != 2:
            continue
        first, second = (end.init for end in channel.ends)
        here, there = _declared_values(second), _declared_values(first)
        for name, found in here.items():
            if found != there[name]:
                yield mismatch(
                    f"{name} of {channel.name}",
                    found,
                    f"{there[name]} as on the other side",
                    op=second,
                    field=name if name in second.properties else None,
                    related=(Related("the other side", first),),
                )


def _declared_values(init: PipeInitOp) -> dict[str, object]:
    return {
        "dir_mask": init.dir_mask.value.data,
        "slot_size": init.bytes_of_slot,
        "slot_num": init.slots,
        "local_slot_num": "none" if (own := init.local_slot_num) is None else own.value.data,
        "acc_push_epilogue": init.acc_push_epilogue or "none",
    }


@channel_rule(
    "PTO-H112",
    source="PTOAS reserve_buffer, import_reserved_buffer",
    reason="The producer writes into the buffer that the consumer reserved.",
)
def imported_ring_is_reserved(channels: Channels, target: Target) -> Violations:
    """import_reserved_buffer must name a function and a buffer that this function reserves; the names of a
    function's buffers must be unique."""
    seen: set[object] = set()
    for function in channels.functions.values():
        for op in walk(function):
            if not isinstance(op, ReserveBufferOp):
                continue
            name = op.buffer_name.data
            if (function, name) in seen:
                yield Violation(
                    f'the function reserves "{name}" twice', op=op, field="name", fix="give it another name"
                )
            seen.add((function, name))
    for op in _lost(channels):
        peer = op.peer_func.string_value()
        if peer not in channels.functions:
            yield Violation(f"the module has no function @{peer}", op=op, field="peer_func")
            continue
        origin = origin_of(channels.functions[peer])
        known = ", ".join(f'"{name}"' for function, name in channels.reserved if function == origin)
        message = f'@{peer} reserves no buffer "{op.buffer_name.data}"'
        yield Violation(message, op=op, field="name", fix=f"use {known}" if known else None)


@channel_rule(
    "PTO-H113",
    source="PTOAS reserve_buffer: size of a ring",
    reason="Slots that do not fit overwrite the memory behind the buffer.",
)
def reserved_ring_holds_all_slots(channels: Channels, target: Target) -> Violations:
    """A reserved buffer must hold all slots of its ring, and be in the memory of the consumer: vec for vector
    cores, mat for the cube core. It is a warning if the missing slots are never used."""
    knowledge = Knowledge()
    for channel in valid_channels(channels, target):
        for init, flow in ((end.init, flow) for end in channel.ends for flow in end.init.flows):
            source = ring_source(init.consumer(flow))
            if not isinstance(source, ReserveBufferOp):
                continue
            slots = init.slots if init.memory is None else init.local_slots
            needed, size = slots * init.bytes_of_slot, source.size.value.data
            if size < needed:
                pushes = [use for use in channel.uses if isinstance(use, PushOp) and flow_of(use) is flow]
                count = together(pushes, knowledge)
                enough = count is not None and count * init.bytes_of_slot <= size
                yield mismatch(
                    "size of the ring",
                    size,
                    f"at least {needed}: {slots} slots of {init.bytes_of_slot} bytes",
                    op=source,
                    field="size",
                    related=(Related("the channel", init),),
                    severity=Severity.WARNING if enough else None,
                )
            expected = AddressSpace.Vec if flow is Flow.C2V else AddressSpace.Mat
            if source.space.data is not expected:
                yield mismatch(
                    "location", source.space.data.value, expected.value, op=source, field="location"
                )


@channel_rule(
    "PTO-H114",
    source="PTOAS initialize_pipe: one id, one declaration",
    reason="A second declaration would restart the count of slots.",
)
def channel_number_is_declared_once(channels: Channels, target: Target) -> Violations:
    """A function must declare each channel number once per side."""
    seen: dict[object, PipeInitOp] = {}
    for end in channels.ends():
        init = end.init
        first = seen.setdefault(_declared(end), init)
        if first is not init and isinstance(init, InitializePipeOp):
            yield Violation(
                f"channel {init.number} is declared twice",
                op=init,
                fix="give this one another id",
                related=(Related("first declared here", first),),
            )


@channel_rule(
    "PTO-H115",
    source="pto/npu/a5/TPush.hpp header: FlagID + 1 < 16",
    reason="The cores of a block have 16 flags.",
)
def channels_have_enough_flags(channels: Channels, target: Target) -> Violations:
    """The channels of a function must not need more than 16 flags, two for each direction of each channel."""
    for channel in channels.all:
        needed = channel.flag_base + channel.width
        if needed > FLAGS:
            yield Violation(
                f"the channels up to {channel.name} need {needed} flags; a block has {FLAGS}",
                op=channel.ends[-1].init,
                fix="use fewer channels, or one for both directions (dir_mask = 3)",
            )
