"""Channels as they are declared: directions, slots, where the slots are."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from ptoas.analysis.channels import Channels, ring_source
from ptoas.analysis.kinds import origin_of
from ptoas.dialects.pto.channel import (
    AicInitializePipeOp,
    HandleInitOp,
    ImportReservedBufferOp,
    InitializePipeOp,
    PipeInitOp,
    ReserveBufferOp,
)
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.enums import AddressSpace, KernelKind
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Related, Violation, mismatch, rule
from ptoas.targets.rules.channel_examples import (
    EVERYWHERE,
    LOCAL,
    PAIR,
    both,
    once,
    there_and_back,
    with_more_channels,
)
from ptoas.targets.target import Target

Violations = Iterator[Violation]

STEP = 256
MOST_FLAGS = 16


# --- one declaration -------------------------------------------------------------------------------


@rule(
    "PTO-H101",
    source="PTOAS aic_initialize_pipe, aiv_initialize_pipe",
    reason="A channel goes from the cube core to the vector cores, back, or both ways.",
    failing=both(PAIR, "dir_mask = 1", "dir_mask = 4"),
    passing=PAIR,
    on=EVERYWHERE,
)
def a_channel_has_a_direction(op: PipeInitOp, know: Facts) -> Violations:
    """dir_mask is 1 (cube to vector), 2 (vector to cube) or 3 (both)."""
    mask = op.dir_mask.value.data
    if mask not in (1, 2, 3):
        yield mismatch("dir_mask", mask, "1, 2 or 3", field="dir_mask")


@rule(
    "PTO-H102",
    source="PTOAS aic_initialize_pipe, aiv_initialize_pipe",
    reason="A ring without a slot never holds a tile.",
    failing=both(PAIR, "slot_size = 1024", "slot_size = 0"),
    passing=PAIR,
    on=EVERYWHERE,
)
def a_ring_has_slots(op: PipeInitOp, know: Facts) -> Violations:
    """A ring has at least one slot, of at least one byte."""
    for name in ("slot_size", "slot_num"):
        given = op.properties.get(name)
        number = op.bytes_of_slot if name == "slot_size" else op.slots
        if given is not None and number < 1:
            yield mismatch(name, number, "at least 1", field=name)


@rule(
    "PTO-H103",
    source="PTOAS local_slot_num: only where a pop copies",
    reason="Slots of the consumer's own are filled by copies; where the ring itself is in its memory there "
    "are none.",
    failing=both(PAIR, "slot_size = 1024", "slot_size = 1024, local_slot_num = 9"),
    passing=both(PAIR, "slot_size = 1024", "slot_size = 1024, local_slot_num = 2"),
    on=EVERYWHERE,
)
def local_slots_are_copies(op: PipeInitOp, know: Facts) -> Violations:
    """local_slot_num is at most slot_num, and is said of rings in global memory alone."""
    if op.local_slot_num is None:
        return
    number = op.local_slot_num.value.data
    if not 1 <= number <= op.slots:
        yield mismatch("local_slot_num", number, f"1 to {op.slots}, the slots", field="local_slot_num")
    elif op.memory is None or op.is_of_views:
        yield mismatch(
            "local_slot_num",
            number,
            "none: this channel copies nothing",
            field="local_slot_num",
            fix="remove it",
        )


@rule(
    "PTO-H104",
    source="PTOAS aic_initialize_pipe, aiv_initialize_pipe",
    reason="The slots have to be somewhere, and in one place.",
    failing=once(PAIR, ", c2v_consumer_buf = %ring : i32", ""),
    passing=PAIR,
    on=EVERYWHERE,
)
def a_channel_says_where_its_slots_are(op: PipeInitOp, know: Facts) -> Violations:
    """A channel has a ring in the consumer's memory for each of its directions, or a tensor that holds the
    slots; at most one of gm_slot_buffer and gm_slot_tensor is given."""
    if not isinstance(op, InitializePipeOp):
        return
    if op.gm_slot_buffer is not None and op.gm_slot_tensor is not None:
        yield Violation(
            "slots in global memory: found gm_slot_buffer and gm_slot_tensor, required one of them",
            slot="gm_slot_tensor",
            part="value",
        )
    if op.is_of_views:
        return
    for flow in op.flows:
        if op.consumer(flow) is None:
            name = f"{flow.value}_consumer_buf"
            yield Violation(
                f"{name}: found none, required the address of a ring for tiles from "
                f"{'cube to vector' if flow is Flow.C2V else 'vector to cube'}",
                fix=f"{name} = what reserve_buffer, or import_reserved_buffer on the other side, gives",
            )


@rule(
    "PTO-H105",
    source="pto/npu/a2a3/TPush.hpp header",
    reason="The cores of A2/A3 reach each other through global memory alone.",
    failing=LOCAL,
    passing=PAIR,
    on="a2a3",
)
def slots_are_in_global_memory(op: PipeInitOp, know: Facts) -> Violations:
    """On a2a3 the slots of a channel are in global memory."""
    if op.memory is None:
        yield Violation(
            "slots in global memory: found none, required gm_slot_buffer or gm_slot_tensor",
            fix=f"gm_slot_buffer = a pointer to {op.slots * op.bytes_of_slot * len(op.flows)} bytes",
        )


@rule(
    "PTO-H106",
    source="pto/npu/a5/TPush.hpp header: DIR_BOTH_GM has no push",
    reason="The library of A5 has no push for channels through global memory that go both ways.",
    failing=there_and_back("gm_slot_buffer = %gm : !pto.ptr<f32>, "),
    passing=there_and_back(),
    on="a5 a5-custom",
)
def slots_in_global_memory_go_one_way(op: PipeInitOp, know: Facts) -> Violations:
    """On a5 a channel whose slots are in global memory has one direction."""
    if op.memory is not None and len(op.flows) == 2:
        yield mismatch("dir_mask", 3, "1 or 2 where the slots are in global memory", field="dir_mask")


@rule(
    "PTO-H107",
    source="PTOAS reserve_buffer",
    reason="A ring lies where a tile could: in the unified buffer or L1, at a whole 256 bytes.",
    failing=once(PAIR, "auto = true", "auto = false, base = 100"),
    passing=once(PAIR, "auto = true", "auto = false, base = 256"),
    on=EVERYWHERE,
)
def a_ring_has_a_place(op: ReserveBufferOp, know: Facts) -> Violations:
    """reserve_buffer has a size, is of vec or mat, and has a base, a multiple of 256 inside the memory, where
    auto is false, and there alone."""
    size, base = op.size.value.data, op.address
    if size < 1:
        yield mismatch("size", size, "at least 1", field="size")
    if op.space.data not in (AddressSpace.Vec, AddressSpace.Mat):
        yield mismatch("location", op.space.data.value, "vec or mat", field="location")
        return
    if op.is_auto and base is not None:
        yield mismatch("base", base, "none with auto = true", field="base", fix="auto = false, or no base")
    elif not op.is_auto and base is None:
        yield Violation("base: found none, required one with auto = false", fix="auto = true, or a base")
    elif base is not None:
        from ptoas.lowering.rings import loc_of

        if base < 0 or base % STEP:
            yield mismatch("base", base, f"a multiple of {STEP}", field="base")
        limit = know.target.memories.get(loc_of(op))
        if limit is not None and base + size > limit:
            yield mismatch("end of the ring", base + size, f"at most {limit}, the memory", field="size")


# --- both ends ---------------------------------------------------------------------------------------


@rule(
    "PTO-H120",
    source="PTOAS aic_initialize_pipe: pairs of two functions",
    reason="A tile that is pushed has to be popped by somebody.",
    failing=once(PAIR, "c2v_consumer_buf = %ring : i32", "c2v_consumer_buf = %other : i32")
    .replace(
        "  pto.aic_init",
        '  %other = pto.import_reserved_buffer {name = "other", peer_func = @vector} -> i32\n  pto.aic_init',
        1,
    )
    .replace(
        "  pto.aiv_init",
        '  %other = pto.reserve_buffer {name = "other", size = 8192, location = #pto.address_space<vec>, '
        "auto = true} -> i32\n  pto.aiv_init",
        1,
    ),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def a_channel_has_two_ends(channels: Channels, target: Target) -> Violations:
    """A channel is declared once by a cube function and once by a vector function, which name the same ring,
    or the same number where there is none."""
    for channel in channels.all:
        kinds = [end.kind for end in channel.ends]
        if len(kinds) == 2 and set(kinds) == set(KernelKind):
            continue
        if any(_is_lost(op, channels) for f in channels.functions.values() for op in f.walk()):
            return  # which is said where a ring is imported that nobody reserves
        init = channel.ends[-1].init
        known = [str(kind.value) for kind in kinds if kind is not None]
        found = " and ".join(known) or "none that says what kind it is"
        yield Violation(
            f"ends of {channel.name}: found {found}, required one of the cube and one of a vector core",
            op=init,
            part="statement",
            fix=_other_end(init),
            related=tuple(Related("an end", end.init) for end in channel.ends[:-1]),
        )


def _other_end(init: PipeInitOp) -> str:
    if isinstance(init, HandleInitOp):
        return "give both ends the same ring or flag_base"
    other = "aiv" if isinstance(init, AicInitializePipeOp) else "aic"
    return (
        f"{other}_initialize_pipe with the ring that reserve_buffer gives on one side, and "
        "import_reserved_buffer on the other"
    )


def _is_lost(op: Operation, channels: Channels) -> bool:
    return isinstance(op, ImportReservedBufferOp) and channels.ring(op.result) is None


@rule(
    "PTO-H121",
    source="PTOAS aic_initialize_pipe: both ends agree",
    reason="The two ends are one ring: they count its slots alike.",
    failing=once(PAIR, "slot_size = 1024", "slot_size = 2048"),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def the_ends_of_a_channel_agree(channels: Channels, target: Target) -> Violations:
    """Both ends of a channel have the same dir_mask, slot_size, slot_num, local_slot_num and
    acc_push_epilogue."""
    for channel in channels.all:
        if len(channel.ends) != 2:
            continue
        first, second = (end.init for end in channel.ends)
        for name in ("dir_mask", "slot_size", "slot_num", "local_slot_num", "acc_push_epilogue"):
            here, there = _said(second, name), _said(first, name)
            if here != there:
                place = {"field": name} if name in second.properties else {}
                yield mismatch(
                    f"{name} of {channel.name}",
                    here,
                    f"{there}, as on the other side",
                    op=second,
                    related=(Related("the other side", first),),
                    **place,
                )


def _said(init: PipeInitOp, name: str) -> object:
    match name:
        case "slot_num":
            return init.slots
        case "local_slot_num":
            return init.local_slots
        case _:
            given = init.properties.get(name)
            return getattr(getattr(given, "value", None), "data", given)


@rule(
    "PTO-H122",
    source="PTOAS reserve_buffer, import_reserved_buffer",
    reason="The producer writes to where the consumer has left room.",
    failing=once(
        PAIR, 'import_reserved_buffer {name = "ring"', 'import_reserved_buffer {name = "wring"'
    ).replace("pto.aic_initialize_pipe {dir_mask = 1", "pto.aic_initialize_pipe {dir_mask = 1", 1),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def an_imported_ring_is_reserved(channels: Channels, target: Target) -> Violations:
    """import_reserved_buffer names a function, and a buffer that this reserves."""
    for function in channels.functions.values():
        names: set[str] = set()
        for op in function.walk():
            if isinstance(op, ReserveBufferOp):
                if op.buffer_name.data in names:
                    yield mismatch(
                        "name",
                        f'"{op.buffer_name.data}"',
                        "one that the function uses once",
                        op=op,
                        field="name",
                    )
                names.add(op.buffer_name.data)
            if isinstance(op, ImportReservedBufferOp) and channels.ring(op.result) is None:
                yield from _not_reserved(op, channels)


def _not_reserved(op: ImportReservedBufferOp, channels: Channels) -> Violations:
    peer = op.peer_func.string_value()
    if peer not in channels.functions:
        yield mismatch("peer_func", f"@{peer}", "a function of the module", op=op, field="peer_func")
        return
    origin = origin_of(channels.functions[peer])
    known = [name for function, name in channels.reserved if function == origin]
    listed = ", ".join(f'"{name}"' for name in known) or "nothing"
    yield mismatch(
        "name", f'"{op.buffer_name.data}"', f"what @{peer} reserves: {listed}", op=op, field="name"
    )


@rule(
    "PTO-H123",
    source="PTOAS reserve_buffer: size of a ring",
    reason="The slots that do not fit lie on whatever comes next.",
    failing=both(PAIR, "size = 8192", "size = 4096"),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def a_reserved_ring_holds_all_slots(channels: Channels, target: Target) -> Violations:
    """A reserved buffer has room for all slots of its ring, in the memory of whoever pops: vec for the vector
    cores, mat for the cube core."""
    for end in channels.ends():
        init = end.init
        for flow in init.flows:
            source = ring_source(init.consumer(flow))
            if not isinstance(source, ReserveBufferOp):
                continue
            slots = init.slots if init.memory is None else min(init.local_slots, init.slots)
            needed, size = slots * init.bytes_of_slot, source.size.value.data
            if size < needed:
                yield mismatch(
                    "size",
                    size,
                    f"at least {needed}: {slots} slots of {init.bytes_of_slot} bytes",
                    op=source,
                    field="size",
                    related=(Related("the channel", init),),
                )
            wanted = AddressSpace.Vec if flow is Flow.C2V else AddressSpace.Mat
            if source.space.data is not wanted:
                yield mismatch("location", source.space.data.value, wanted.value, op=source, field="location")


@rule(
    "PTO-H124",
    source="PTOAS initialize_pipe: one id, one declaration",
    reason="What counts the slots would begin anew.",
    failing=once(
        PAIR,
        "  pto.tpush_to_aiv",
        "  pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024} "
        "(gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %ring : i32)\n  pto.tpush_to_aiv",
    ),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def a_number_is_declared_once(channels: Channels, target: Target) -> Violations:
    """A function declares each number of a channel once."""
    seen: dict[object, PipeInitOp] = {}
    for end in channels.ends():
        init = end.init
        if not isinstance(init, InitializePipeOp):
            continue
        key = (end.function, init.SIDE, init.number)
        if key in seen:
            yield Violation(
                f"{init.mnemonic()}: found a second declaration of channel {init.number}, required one",
                op=init,
                part="statement",
                fix="give it another id",
                related=(Related("the first", seen[key]),),
            )
        seen.setdefault(key, init)


@rule(
    "PTO-H125",
    source="pto/npu/a5/TPush.hpp header: FlagID + 1 < 16",
    reason="The cores of a block have 16 flags, and a channel takes two for each direction.",
    failing=with_more_channels(8),
    passing=with_more_channels(7),
    on="a2a3 a5 a5-custom",
    scope="channels",
)
def there_are_flags_for_all_channels(channels: Channels, target: Target) -> Violations:
    """The channels of a function need at most 16 flags: two for each direction of each."""
    for channel in channels.all:
        if channel.flag_base + channel.width > MOST_FLAGS:
            needed = channel.flag_base + channel.width
            yield mismatch(
                f"flags up to {channel.name}",
                needed,
                f"at most {MOST_FLAGS}",
                op=channel.ends[-1].init,
                part="statement",
                fix="let one channel of both directions stand for two, or use fewer",
            )
