"""What is pushed, popped and given back: sides, directions, splits, types, numbers."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from ptoas.analysis.channels import Channel, Channels, End, flow_of, popped_by
from ptoas.analysis.counts import together
from ptoas.analysis.forwarding import passed_on
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import Order
from ptoas.dialects.pto.channel import (
    AllocSlotOp,
    ChannelOp,
    FreeOp,
    PopOp,
    PushOp,
    TPopFromAicOp,
    TPopFromAivOp,
    TPushToAicOp,
)
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.element_types import element_size, element_text
from ptoas.dialects.pto.enums import KernelKind, TileLoc
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.targets.channel_model import ChannelModel
from ptoas.targets.rule import Related, Violation, mismatch, rule
from ptoas.targets.rules.channel_examples import ACC, BACK, EVERYWHERE, PAIR, SPLIT, VEC, both, once
from ptoas.targets.target import Target

Violations = Iterator[Violation]


def _model(channel: Channel, target: Target) -> ChannelModel:
    return target.model(channel.first)


def _sound(channels: Channels) -> Iterator[Channel]:
    """Channels whose declarations make sense; of the others it is said there."""
    for channel in channels.all:
        if all(end.init.dir_mask.value.data in (1, 2, 3) for end in channel.ends):
            yield channel


@rule(
    "PTO-H126",
    source="PTOAS tpush_to_aiv, tpop_from_aic: id and direction",
    reason="Nobody is at the other end.",
    failing=both(PAIR, "{split = 0}", "{id = 3, split = 0}"),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def an_instruction_finds_its_channel(channels: Channels, target: Target) -> Violations:
    """An instruction names a channel that its function declares before it, and that goes in its direction."""
    for function in channels.functions.values():
        uses = [op for op in function.walk() if isinstance(op, ChannelOp)]
        order = Order(function) if uses else None
        for op in uses:
            init = channels.init_of(op)
            number = getattr(op, "number", 0)
            if init is None:
                known = [end.init for end in channels.ends() if end.function is function]
                yield Violation(
                    f"{op.mnemonic()}: found channel {number}, required one that @{function.sym_name.data} "
                    "declares",
                    op=op,
                    field="id" if "id" in op.properties else None,
                    related=tuple(Related("a channel that it declares", each) for each in known[:1]),
                )
                continue
            flow = flow_of(op)
            if init.dir_mask.value.data in (1, 2, 3) and flow is not None and flow not in init.flows:
                yield mismatch(
                    f"direction of channel {number}",
                    f"dir_mask = {init.dir_mask.value.data}",
                    f"{flow.bit} or 3 for {op.mnemonic()}",
                    op=op,
                    part="statement",
                    related=(Related("declared here", init),),
                )
            elif order is not None and order.start[init] > order.start[op]:
                yield Violation(
                    f"{op.mnemonic()}: found before its channel is declared, required after",
                    op=op,
                    part="statement",
                    related=(Related("declared here", init),),
                )


@rule(
    "PTO-H127",
    source="PTOAS split: all 0 or none; nosplit",
    reason="Who takes part in a channel is settled once: vector core 0, or both with their halves.",
    failing=once(PAIR, "split = 0}\n  return", "split = 1}\n  return"),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def tiles_of_a_channel_are_split_alike(channels: Channels, target: Target) -> Violations:
    """The splits of a channel are all 0, or none is, on both sides; nosplit says which."""
    for channel in _sound(channels):
        uses = channel.uses
        said = [end.init for end in channel.ends if end.init.nosplit is not None]
        for use in uses:
            first = uses[0]
            if (use.halves == 0) != (first.halves == 0):
                whole = "0" if first.halves == 0 else "other than 0"
                yield mismatch(
                    f"split of {channel.name}",
                    use.halves,
                    f"{whole}, as everywhere else",
                    op=use,
                    field="split",
                    related=(Related("used here", first),),
                )
                return
        for init in said:
            assert init.nosplit is not None
            nosplit = bool(init.nosplit.value.data)
            if uses and nosplit != (uses[0].halves == 0):
                yield mismatch(
                    f"nosplit of {channel.name}",
                    str(nosplit).lower(),
                    f"{str(not nosplit).lower()}: tiles are{'' if nosplit else ' not'} split",
                    op=init,
                    field="nosplit",
                    related=(Related("used here", uses[0]),),
                )


@rule(
    "PTO-H128",
    source="pto/common/fifo.hpp header, TileSplitAxis; pto/npu/a5/TPush.hpp header",
    reason="Both vector cores get the same number of rows, or of columns.",
    failing=SPLIT.replace("16x16xf32, blayout", "32x16xf32, valid=15x16, blayout")
    .replace("slot_size = 1024", "slot_size = 2048")
    .replace("size = 8192", "size = 16384"),
    passing=SPLIT,
    on=EVERYWHERE,
    scope="channels",
)
def what_is_split_has_halves(channels: Channels, target: Target) -> Violations:
    """A tile that is split by 1 has an even number of rows, by 2 of columns, by 3 an odd number of rows, by 4
    of columns; other splits than 0 to 4 there are not."""
    for channel in _sound(channels):
        for use in channel.uses:
            if not 0 <= use.halves <= 4:
                yield mismatch("split", use.halves, "0 to 4", op=use, field="split")
                continue
            entry = use.pushed.type if isinstance(use, PushOp) and flow_of(use) is Flow.C2V else None
            if not isinstance(entry, TileType) or use.halves == 0:
                continue
            rows = use.halves in (1, 3)
            extent, word = (entry.valid_rows, "rows") if rows else (entry.valid_cols, "columns")
            odd = use.halves > 2
            if extent != DYNAMIC and bool(extent % 2) != odd:
                yield mismatch(
                    f"valid {word}",
                    extent,
                    f"an {'odd' if odd else 'even'} number for split = {use.halves}",
                    op=use,
                    slot="entry",
                )


@rule(
    "PTO-H129",
    source="pto/npu/a5/TPush.hpp header, pushAcc2VecFiFo",
    reason="The pipe that writes both unified buffers at once takes 32-bit elements, and columns by 32.",
    failing=both(both(SPLIT, "split = 1", "split = 2"), "vec, 8x16xf32", "vec, 16x8xf32")
    .replace("memref<8x16xf32>", "memref<16x8xf32>")
    .replace("gm_slot_buffer = %gm : !pto.ptr<f32>, ", ""),
    passing=SPLIT.replace("gm_slot_buffer = %gm : !pto.ptr<f32>, ", ""),
    on="a5 a5-custom",
    scope="channels",
)
def halves_suit_the_unified_buffers(channels: Channels, target: Target) -> Violations:
    """On a5 an accumulator that is split between the unified buffers has 32-bit elements, and by columns a
    multiple of 32 of them."""
    for channel in _sound(channels):
        if channel.first.memory is not None:
            continue
        for use in channel.uses:
            type = use.pushed.type if isinstance(use, PushOp) else None
            if not isinstance(type, TileType) or flow_of(use) is not Flow.C2V or not use.halves:
                continue
            size = element_size(type.element_type)
            if size != 4:
                yield mismatch(
                    "size of an element", size, "4 bytes where a tile is split", op=use, slot="entry"
                )
            cols = {type.cols, type.valid_cols} - {DYNAMIC}
            if use.halves == 2 and any(count % 32 for count in cols):
                found = min(count for count in cols if count % 32)
                yield mismatch("columns", found, "a multiple of 32 for split = 2", op=use, slot="entry")


@rule(
    "PTO-H130",
    source="PTOAS slot_size",
    reason="It would overwrite the next slot.",
    failing=both(both(PAIR, "slot_size = 1024", "slot_size = 512"), "size = 8192", "size = 4096"),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def a_tile_fits_its_slot(channels: Channels, target: Target) -> Violations:
    """What is pushed, both halves together, is no larger than a slot."""
    for channel in _sound(channels):
        limit = channel.first.bytes_of_slot
        for use in channel.uses:
            if not isinstance(use, PushOp) or limit < 1 or channel.first.acc_push_epilogue is not None:
                continue
            size = _bytes(use.pushed.type, use, channel)
            if size is not None and size > limit:
                yield mismatch(
                    "bytes of what is pushed",
                    size,
                    f"at most {limit}, a slot of {channel.name}",
                    op=use,
                    slot="entry",
                    fix=f"slot_size = {size} on both sides",
                    related=(Related("declared here", channel.first),),
                )


def _bytes(type: object, use: PushOp, channel: Channel) -> int | None:
    """What a push fills of a slot; `None` where only the running program knows."""
    if isinstance(type, ViewType):
        count = 1
        for extent in type.shape:
            if extent == DYNAMIC:
                return None
            count *= extent
        halves = 2 if use.halves in (1, 2) and flow_of(use) is Flow.V2C else 1
        return count * element_size(type.element_type) * halves
    assert isinstance(type, TileType)
    unit = element_size(type.element_type)
    if channel.first.memory is None:
        # In the consumer's memory a tile has its physical extents; a half has half of them.
        if flow_of(use) is Flow.V2C:
            return type.rows * type.cols * unit * (2 if use.halves in (1, 2) else 1)
        return type.rows * type.cols * unit // (2 if use.halves in (1, 2) else 1)
    if DYNAMIC in type.valid:
        return None
    rows, cols = type.valid
    return rows * cols * unit * (2 if use.halves in (1, 2) and flow_of(use) is Flow.V2C else 1)


_SIDES = {
    (Flow.C2V, True): (TileLoc.Acc,),
    (Flow.C2V, False): (TileLoc.Vec,),
    (Flow.V2C, True): (TileLoc.Vec,),
    (Flow.V2C, False): (TileLoc.Mat,),
}


@rule(
    "PTO-H131",
    source="PTOAS tpush_to_aiv, tpop_from_aic: locations",
    reason="The cube core pushes what its accumulator holds and pops to L1; vector cores work in the unified "
    "buffer.",
    failing=both(PAIR, ACC, "!pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>"),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def a_tile_comes_from_and_goes_to_its_memory(channels: Channels, target: Target) -> Violations:
    """To the vector cores go tiles of acc and arrive in vec; to the cube core go tiles of vec and arrive in
    mat."""
    for channel in _sound(channels):
        for use in channel.uses:
            if not isinstance(use, PushOp | PopOp):
                continue
            flow, value = flow_of(use), use.pushed if isinstance(use, PushOp) else use.popped
            type = value.type
            if flow is None or not isinstance(type, TileType):
                continue
            wanted = _SIDES[flow, isinstance(use, PushOp)]
            if type.loc.data not in wanted:
                place = {"slot": "entry"} if isinstance(use, PushOp) else {"slot": "result"}
                yield mismatch(
                    f"memory of what {use.mnemonic()} moves",
                    type.loc.data.value,
                    wanted[0].value,
                    op=use,
                    **place,
                )


@rule(
    "PTO-H132",
    source="PTOAS tpush_to_aiv, tpop_from_aic: one type, halves by the split",
    reason="A slot holds bytes: the consumer reads what the producer wrote only if both mean the same tile.",
    failing=both(PAIR, VEC, "!pto.tile_buf<vec, 16x16xi32>").replace(
        "memref<16x16xf32>", "memref<16x16xi32>"
    ),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def a_tile_is_popped_as_it_is_pushed(channels: Channels, target: Target) -> Violations:
    """Both sides of a channel have one element type, and extents that the split makes of each other."""
    for channel in _sound(channels):
        if channel.first.acc_push_epilogue is not None:
            continue
        for flow in channel.first.flows:
            pushes = [u for u in channel.uses if isinstance(u, PushOp) and flow_of(u) is flow]
            pops = [u for u in channel.uses if isinstance(u, PopOp) and flow_of(u) is flow]
            elements: set[object] = {getattr(push.pushed.type, "element_type", None) for push in pushes}
            for pop in pops:
                yield from _same_type(pop, pushes, elements)
                if len(pushes) == 1 and len(pops) == 1:
                    yield from _same_extents(pop, pushes[0], flow)


def _same_type(pop: PopOp, pushes: list[PushOp], elements: set[object]) -> Violations:
    type = pop.popped.type
    assert isinstance(type, TileType | ViewType)
    if not pushes or type.element_type in elements or len(elements) > 1:
        return
    pushed = pushes[0].pushed.type
    assert isinstance(pushed, TileType | ViewType)
    yield mismatch(
        "element type of what is popped",
        element_text(type.element_type),
        f"{element_text(pushed.element_type)}, which is pushed",
        op=pop,
        slot="result",
        related=(Related("pushed here", pushes[0]),),
    )


def _same_extents(pop: PopOp, push: PushOp, flow: Flow) -> Violations:
    """Where both are known: halves of what is pushed, or twice that."""
    popped, pushed = pop.popped.type, push.pushed.type
    if not isinstance(popped, TileType) or not isinstance(pushed, TileType) or pop.halves != push.halves:
        return
    if DYNAMIC in popped.valid or DYNAMIC in pushed.valid or pop.halves > 2:
        return
    whole, part = (pushed, popped) if flow is Flow.C2V else (popped, pushed)
    rows, cols = whole.valid
    wanted = {1: (rows // 2, cols), 2: (rows, cols // 2)}.get(pop.halves, (rows, cols))
    if part.valid != wanted:
        required = (
            wanted
            if flow is Flow.C2V
            else tuple(extent * (2 if pop.halves == at + 1 else 1) for at, extent in enumerate(pushed.valid))
        )
        yield mismatch(
            "extents of what is popped",
            f"{popped.valid_rows}x{popped.valid_cols}",
            f"{required[0]}x{required[1]}: {pushed.valid_rows}x{pushed.valid_cols} is pushed, with split = "
            f"{push.halves}",
            op=pop,
            slot="result",
            related=(Related("pushed here", push),),
        )


@rule(
    "PTO-H133",
    source="PTOAS tpush, tpop, tfree: one for each",
    reason="What is pushed and not popped is found by the next kernel; a pop too many waits for ever.",
    failing=once(
        PAIR, "  pto.tpush_to_aiv", f"  pto.tpush_to_aiv(%acc : {ACC}) {{split = 0}}\n  pto.tpush_to_aiv"
    ),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def pushes_pops_and_frees_balance(channels: Channels, target: Target) -> Violations:
    """Where constants tell, a channel has as many pushes as pops, and as many pops as frees."""
    knowledge = Knowledge()
    for channel in _sound(channels):
        if len(channel.ends) != 2:
            continue
        for flow in channel.first.flows:
            uses = [use for use in channel.uses if flow_of(use) is flow]
            pushes, pops, frees = (
                [use for use in uses if isinstance(use, kind)] for kind in (PushOp, PopOp, FreeOp)
            )
            pushed, popped, freed = (together(ops, knowledge) for ops in (pushes, pops, frees))
            if pushed is not None and popped is not None and pushed != popped:
                place, other = (pushes[-1], pops) if pushed > popped else (pops[-1], pushes)
                yield mismatch(
                    f"pushes and pops of {channel.name}",
                    f"{pushed} and {popped}",
                    "equally many",
                    op=place,
                    part="statement",
                    related=tuple(
                        Related("the other side", op) for op in (pops if pushed > popped else pushes)[:1]
                    ),
                )
            if popped is not None and freed is not None and popped != freed:
                place = (pops if popped > freed else frees)[-1]
                yield mismatch(
                    f"pops and frees of {channel.name}",
                    f"{popped} and {freed}",
                    "equally many",
                    op=place,
                    part="statement",
                    fix="a tfree after the last use of what is popped" if popped > freed else "remove it",
                )


_STORE = f"pto.tstore ins(%t : {VEC}) outs(%out : !pto.memref<16x16xf32>)"
_FREE = "pto.tfree_from_aic {split = 0}"


@rule(
    "PTO-H134",
    source="PTOAS tfree: the tile is not used after it",
    reason="The slot may hold the next tile by then.",
    failing=once(LOCAL, f"  {_STORE}\n  {_FREE}", f"  {_FREE}\n  {_STORE}"),
    passing=LOCAL,
    on="cpu a5 a5-custom",
    scope="channels",
)
def a_popped_tile_is_not_used_after_its_slot_is_free(channels: Channels, target: Target) -> Violations:
    """After tfree the tile that was popped is not used; where a pop copies the slot, it may be."""
    for end in channels.ends():
        channel = channels.of(end.init)
        if _model(channel, target).frees_at_pop(channel.first.memory is not None, channel.first.is_of_views):
            continue
        order = Order(end.function)
        for free in (use for use in end.uses if isinstance(use, FreeOp)):
            for op in _uses_after(free, order):
                yield Violation(
                    f"`{op.name.removeprefix('pto.')}` uses what is popped: found after its slot is given "
                    "back, required before",
                    op=op,
                    part="statement",
                    fix="tfree after it",
                    related=(Related("given back here", free),),
                )


def _uses_after(free: FreeOp, order: Order) -> Iterator[Operation]:
    """Operations that use the tile after it is given back, in the same block or below it."""
    popped = popped_by(free)
    names = [] if popped is None or free.parent is None else [popped]
    for name in names:  # which grows meanwhile
        for use in name.uses:
            op = use.operation
            names += [each for each in passed_on(use) if each not in names]
            if op is free or op not in order.start or order.start[op] < order.start[free]:
                continue
            at: Operation | None = op
            while at is not None and at.parent is not free.parent:
                at = at.parent_op()
            if at is not None and at is not free and not passed_on(use):
                yield op


@rule(
    "PTO-H135",
    source="PTOAS tpop_from_aic, tpush_to_aic: valid extents, aiv_subblockid",
    reason="A tile whose type says its extents needs no others, and one that is not split belongs to no lane.",
    failing=once(
        PAIR, "%t = pto.tpop_from_aic {", "%c = arith.constant 8 : index\n  %t = pto.tpop_from_aic(%c, %c) {"
    ),
    passing=PAIR,
    on=EVERYWHERE,
    scope="channels",
)
def what_a_pop_is_told_is_open(channels: Channels, target: Target) -> Violations:
    """Extents are given to a pop whose type leaves both open, and aiv_subblockid to what is split."""
    for end in channels.ends():
        for use in end.uses:
            yield from _told_too_much(use)


def _told_too_much(use: ChannelOp) -> Violations:
    if isinstance(use, TPopFromAicOp | TPopFromAivOp) and use.valid_row is not None:
        type = use.result.type
        if not isinstance(type, TileType) or type.valid != (DYNAMIC, DYNAMIC):
            yield mismatch(
                "extents", "two values", "none: the type says them", op=use, slot="valid_row", part="value"
            )
    lane = use.aiv_subblockid if isinstance(use, TPopFromAicOp | TPushToAicOp) else None
    if lane is not None and use.halves == 0:
        yield mismatch(
            "aiv_subblockid", "a value", "none with split = 0", op=use, slot="aiv_subblockid", part="value"
        )


@rule(
    "PTO-H136",
    source="PTOAS split 3, 4; pto/npu/a2a3/TPush.hpp header",
    reason="Parts of different sizes are copied from global memory alone, and to the vector cores.",
    failing=BACK.replace("split = 0", "split = 3"),
    passing=BACK,
    on="a2a3 a5 a5-custom",
    scope="channels",
)
def odd_halves_go_to_the_vector_cores_through_memory(channels: Channels, target: Target) -> Violations:
    """Splits 3 and 4 are of channels from cube to vector alone, whose slots are in global memory."""
    for channel in _sound(channels):
        init = channel.first
        for use in channel.uses:
            if use.halves not in (3, 4):
                continue
            if init.flows != (Flow.C2V,) or init.memory is None or init.is_of_views:
                yield mismatch(
                    "split",
                    use.halves,
                    "0 to 2 here: this is not a channel of tiles from cube to vector through global memory",
                    op=use,
                    field="split",
                )


@rule(
    "PTO-H137",
    source="pto/cpu/TPush.hpp header: odd splits",
    reason="The simulator splits even extents only.",
    failing=SPLIT.replace("split = 1", "split = 3").replace(
        "16x16xf32, blayout", "16x16xf32, valid=15x16, blayout"
    ),
    passing=SPLIT,
    on="cpu",
    scope="channels",
)
def the_simulator_splits_evenly(channels: Channels, target: Target) -> Violations:
    """On cpu a tile is split by 0, 1 or 2."""
    for channel in _sound(channels):
        for use in channel.uses:
            if use.halves in (3, 4):
                yield mismatch("split", use.halves, "0, 1 or 2", op=use, field="split")


_TENSOR = "!pto.tensor_view<16x16xf32>"


def _views(entry: str = _TENSOR) -> str:
    head = (
        "  %c1 = arith.constant 1 : index\n  %c16 = arith.constant 16 : index\n"
        f"  %slots = pto.make_tensor_view %gm, shape = [%c16, %c16], strides = [%c16, %c1] : {_TENSOR}\n"
    )
    init = f"_initialize_pipe {{dir_mask = 1, slot_size = 1024}} (gm_slot_tensor = %slots : {_TENSOR})\n"
    kind = "attributes {{pto.kernel_kind = #pto.kernel_kind<{}>}}"
    return (
        f"func.func @cube(%gm: !pto.ptr<f32>) {kind.format('cube')} {{\n{head}  pto.aic{init}"
        f"  %s = pto.talloc_to_aiv {{split = 0}} -> {entry}\n"
        f"  pto.tpush_to_aiv(%s : {entry}) {{split = 0}}\n  return\n}}\n"
        f"func.func @vector(%gm: !pto.ptr<f32>) {kind.format('vector')} {{\n{head}  pto.aiv{init}"
        f"  %s = pto.tpop_from_aic {{split = 0}} -> {entry}\n"
        f"  pto.tfree_from_aic(%s : {entry}) {{split = 0}}\n  return\n}}"
    )


@rule(
    "PTO-H138",
    source="PTOAS gm_slot_tensor: entries match it",
    reason="A slot is a part of the tensor that the channel was declared with.",
    failing=_views("!pto.tensor_view<16x16xi32>"),
    passing=_views(),
    on="a2a3 a5 a5-custom",
    scope="channels",
)
def a_slot_is_as_the_tensor_of_its_channel(channels: Channels, target: Target) -> Violations:
    """Views that go through a channel have the element type, rank and extents of its gm_slot_tensor; half of
    them in one dimension where they are split."""
    for channel in _sound(channels):
        for end in channel.ends:
            memory = end.init.memory
            if memory is None or not isinstance(memory.type, ViewType) or not end.init.is_of_views:
                continue
            for use in end.uses:
                yield from _as_tensor(use, memory.type, end)


def _as_tensor(use: ChannelOp, tensor: ViewType, end: End) -> Violations:
    value = use.pushed if isinstance(use, PushOp) else use.popped if isinstance(use, PopOp) else None
    value = use.slot if isinstance(use, AllocSlotOp) else value
    if value is None:
        return
    type = value.type
    place = {"slot": "entry"} if isinstance(use, PushOp) else {"slot": "result"}
    if not isinstance(type, ViewType):
        yield mismatch("what goes through the channel", type, "a view of a slot", op=use, **place)
        return
    same = type.element_type == tensor.element_type and len(type.shape) == len(tensor.shape)
    halved = end.kind is KernelKind.Vector and use.halves != 0
    for here, there in zip(type.shape, tensor.shape, strict=False):
        same = same and (DYNAMIC in (here, there) or here == there or (halved and here * 2 == there))
    if not same:
        yield mismatch(
            "view of a slot",
            type,
            f"as the tensor of the channel: {tensor}",
            op=use,
            related=(Related("declared here", end.init),),
            **place,
        )
