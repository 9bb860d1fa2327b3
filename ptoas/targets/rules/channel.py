"""Channels as they are declared: directions, slots, where the slots are."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import IntegerAttr

from ptoas.analysis.channels import FLAGS, Channel, Channels
from ptoas.dialects.pto.channel import ChannelOp, InitializePipeOp, PipeInitOp, ReserveBufferOp
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.enums import AddressSpace, TileLoc
from ptoas.targets.facts import Facts
from ptoas.targets.fixit import Fixit
from ptoas.targets.row import Row
from ptoas.targets.rule import Violation, Violations, mismatch, rule
from ptoas.targets.shared.channel_model import ChannelModel
from ptoas.targets.target import Target

STEP = 256
"""Rings begin at multiples of this."""

_BOUNDS: dict[str, tuple[int, int | None]] = {
    "id": (0, None),
    "dir_mask": (1, 3),
    "slot_size": (1, None),
    "slot_num": (1, None),
    "local_slot_num": (1, None),
    "flag_base": (0, FLAGS - 2),
    "split": (0, 4),
}


def out_of_range(op: PipeInitOp | ChannelOp, model: ChannelModel) -> Violations:
    """Numbers of a declaration, or of what is done with a channel, that mean nothing."""
    for name, (least, most) in _BOUNDS.items():
        attribute = op.properties.get(name)
        if not isinstance(attribute, IntegerAttr):
            continue
        number, why = attribute.value.data, ""
        if name == "local_slot_num" and isinstance(op, PipeInitOp):
            most = max(op.slots, 1)  # `slot_num` itself has a finding
        if name == "split" and model.odd_splits is not None:
            most, why = 2, f": {model.odd_splits}"
        if number < least or (most is not None and number > most):
            required = f"at least {least}" if most is None else f"{least} to {most}{why}"
            yield mismatch(name, number, required, field=name)


def valid_channels(channels: Channels, target: Target) -> Iterator[Channel]:
    """Return the channels that the target supports and whose numbers are valid; other rules report the
    rest.
    """
    for channel in channels.all:
        inits = [end.init for end in channel.ends]
        if not all(isinstance(target.row(init), Row) for init in inits):
            continue
        model = target.model(channel.first)
        if not any(True for op in (*inits, *channel.uses) for _ in out_of_range(op, model)):
            yield channel


@rule(
    "PTO-H101",
    source="PTOAS aic_initialize_pipe, tpush_to_aiv; pto/common/fifo.hpp header; pto/cpu/TPush.hpp header",
    reason="Other values describe no channel.",
)
def channel_parameters_are_in_range(op: PipeInitOp | ChannelOp, know: Facts) -> Violations:
    """dir_mask must be 1 (cube to vector), 2 (vector to cube) or 3 (both); slot_size and slot_num at least 1;
    local_slot_num 1 to slot_num; split 0 (whole), 1 (rows) or 2 (columns), or on targets that split odd
    extents 3 (rows) or 4 (columns)."""
    yield from out_of_range(op, know.model)


@rule(
    "PTO-H102",
    source="PTOAS aic_initialize_pipe, aiv_initialize_pipe",
    reason="Every slot has exactly one place; the consumer's own slots are filled by copies from global "
    "memory.",
)
def channel_has_one_place_for_slots(op: PipeInitOp, know: Facts) -> Violations:
    """A channel of tiles needs a ring in the consumer's memory for each direction, a channel of views needs a
    tensor. gm_slot_buffer and gm_slot_tensor exclude each other, a tensor goes with a ring for cube to
    vector only, and local_slot_num needs tiles that are copied from global memory."""
    if op.local_slot_num is not None and (op.memory is None or op.is_of_views):
        number = op.local_slot_num.value.data
        required = "none, because this channel copies nothing"
        fixit = Fixit("drop field", old="local_slot_num")
        yield mismatch(
            "local_slot_num", number, required, field="local_slot_num", fix="remove it", fixit=fixit
        )
    if not isinstance(op, InitializePipeOp):
        return
    if op.gm_slot_buffer is not None and op.gm_slot_tensor is not None:
        message = "gm_slot_buffer and gm_slot_tensor exclude each other"
        yield Violation(message, slot="gm_slot_tensor", part="value")
    if op.is_of_views:
        return
    if op.gm_slot_tensor is not None and op.flows != (Flow.C2V,):
        required = "1 for tiles through gm_slot_tensor"
        yield mismatch("dir_mask", op.dir_mask.value.data, required, field="dir_mask")
    for flow in op.flows:
        if op.consumer(flow) is None:
            name = f"{flow.value}_consumer_buf"
            yield Violation(
                f"`{name}` is missing: the ring for tiles {_way(flow)} has no address",
                fix=f"add `{name} = %ring`, made by reserve_buffer or import_reserved_buffer",
            )


def _way(flow: Flow) -> str:
    return "from cube to vector" if flow is Flow.C2V else "from vector to cube"


@rule(
    "PTO-H103",
    source="pto/npu/a2a3/TPush.hpp header",
    reason="The cores of A2/A3 can only communicate through global memory.",
)
def slots_are_in_global_memory(op: PipeInitOp, know: Facts) -> Violations:
    """On a2a3 the slots of a channel are in global memory."""
    if op.memory is None:
        size = op.slots * op.bytes_of_slot * len(op.flows)
        message = "the channel has no slots in global memory"
        yield Violation(message, fix=f"add `gm_slot_buffer = %pointer`, to {size} bytes of global memory")


@rule(
    "PTO-H104",
    source="pto/npu/a5/TPush.hpp header: DIR_BOTH_GM has no push",
    reason="The A5 library has no push for bidirectional channels through global memory.",
)
def channel_in_global_memory_has_one_direction(op: PipeInitOp, know: Facts) -> Violations:
    """On a5 a channel with slots in global memory must have one direction."""
    if op.memory is not None and len(op.flows) == 2:
        yield mismatch("dir_mask", 3, "1 or 2 for slots in global memory", field="dir_mask")


@rule(
    "PTO-H105",
    source="PTOAS reserve_buffer",
    reason="A ring lies in the unified buffer or L1, aligned to 256 bytes.",
)
def reserved_buffer_has_size_and_address(op: ReserveBufferOp, know: Facts) -> Violations:
    """reserve_buffer needs a size and a location of vec or mat. With auto = false it needs a base, a multiple
    of 256 inside the memory; with auto = true it must have none."""
    size, base, space = op.size.value.data, op.address, op.space.data
    if size < 1:
        yield mismatch("size", size, "at least 1", field="size")
    if space not in (AddressSpace.Vec, AddressSpace.Mat):
        yield mismatch("location", space.value, "vec or mat", field="location")
        return
    if op.is_auto and base is not None:
        fix = "remove `base`, or write `auto = false`"
        yield mismatch("base", base, "none with auto = true", field="base", fix=fix)
    elif not op.is_auto and base is None:
        yield Violation("`auto = false` needs a base", fix="add `base`, or write `auto = true`")
    elif base is not None:
        if base < 0 or base % STEP:
            yield mismatch("base", base, f"a multiple of {STEP}", field="base")
        limit = know.target.memories.get(TileLoc(space.value))
        if limit is not None and base + size > limit:
            yield mismatch(
                "end of the ring", base + size, f"at most {limit}, the end of {space.value}", field="size"
            )
