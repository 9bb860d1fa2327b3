"""Copying tiles into and out of the slots of a ring.

A slot is in the memory of the consumer, or in global memory, from where a pop copies it into a slot of a ring
in the consumer's memory. There it lies row by row, without gaps between its valid columns.
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.ir import Attribute

from ptoas.diagnostics import Note
from ptoas.dialects.pto.channel import ChannelOp, PopOp, PushOp
from ptoas.dialects.pto.core_enums import Flow, PushLayout
from ptoas.dialects.pto.enums import BLayout, SLayout, TileLoc
from ptoas.dialects.pto.types import TileType
from ptoas.grammar.spans import span_of
from ptoas.machine.arrays import Array, np
from ptoas.machine.channels import Pushed, Ring, difference
from ptoas.machine.dtypes import dtype_of
from ptoas.machine.machine import Machine
from ptoas.machine.memory import Pointer, View
from ptoas.machine.slots import PoppedSlot, SlotBits
from ptoas.machine.tiles import Tile

GENERATIONS = 2
"""Number of successive tiles of one slot that are distinguished, so that the use of an old one is
detected.
"""

KEPT = 256
"""Maximum number of tiles whose destinations are kept; a loop over fresh ones starts over."""

Part = tuple[slice, slice]


def part_of(valid: tuple[int, int], split: int, lane: int) -> Part:
    """Rows and columns of a whole tile that one vector core has to do with."""
    rows, cols = valid
    if split in (1, 3):
        half = (rows + 1) // 2
        return (slice(half, rows) if lane else slice(0, half)), slice(0, cols)
    if split in (2, 4):
        half = (cols + 1) // 2
        return slice(0, rows), (slice(half, cols) if lane else slice(0, half))
    return slice(0, rows), slice(0, cols)


def whole_of(valid: tuple[int, int], split: int) -> tuple[int, int]:
    """Extents of the tile that two halves make."""
    rows, cols = valid
    return (rows * 2 if split == 1 else rows), (cols * 2 if split == 2 else cols)


def shape_of(part: Part) -> tuple[int, int]:
    rows, cols = part
    return rows.stop - rows.start, cols.stop - cols.start


def place_of_half(valid: tuple[int, int], split: int, lane: int) -> tuple[int, int]:
    """The row and the column at which a vector core puts its half."""
    return (lane * valid[0] if split == 1 else 0), (lane * valid[1] if split == 2 else 0)


# --- in the consumer's memory ---------------------------------------------------------------------


def slot_type(ring: Ring, type: TileType, split: int, element: Attribute) -> TileType:
    """Layout of a pushed tile in the consumer's memory: rows of a vector core's half, or blocks for L1."""
    rows, cols = type.shape
    if ring.flow is Flow.V2C:
        whole = whole_of((rows, cols), split)
        return TileType.of(
            element, *whole, loc=TileLoc.Mat, blayout=BLayout.ColMajor, slayout=SLayout.RowMajor
        )
    rows, cols = rows // 2 if split == 1 else rows, cols // 2 if split == 2 else cols
    epilogue = ring.channel.first.acc_push_epilogue
    match epilogue.layout if epilogue is not None else PushLayout.NZ2ND:
        case PushLayout.NZ2DN:
            return TileType.of(element, rows, cols, blayout=BLayout.ColMajor)
        case PushLayout.NZ2NZ:
            return TileType.of(element, rows, cols, blayout=BLayout.ColMajor, slayout=SLayout.RowMajor)
        case _:
            return TileType.of(element, rows, cols, blayout=BLayout.RowMajor)


PushTargets: TypeAlias = list[tuple[int, Tile, Part | None]]
"""Consumers of a push: the tile in the memory of each, and the part of the pushed tile that it receives."""


class LocalSlots:
    """Slots in the memory of the consumer."""

    def __init__(self, ring: Ring):
        self.ring = ring
        self.stored: dict[tuple[int, int], Tile] = {}
        """Layout of the tile pushed last, by consumer and slot."""
        self.kept: dict[tuple[object, ...], Tile] = {}
        self.bits: dict[tuple[int, int, int], SlotBits] = {}
        self.targets: dict[tuple[Tile, int, int], PushTargets] = {}
        """Destinations of pushed tiles."""
        self.agreed: set[tuple[PopOp, Tile]] = set()
        """Pops, and tiles of slots with a layout that they can read."""

    @property
    def loc(self) -> TileLoc:
        return TileLoc.Vec if self.ring.flow is Flow.C2V else TileLoc.Mat

    def _address(self, slot: int) -> int:
        base = next(iter(self.ring.bases.values()), 0)
        return base + slot * self.ring.size

    def put(self, m: Machine, op: PushOp, tile: Tile, bits: Array, element: Attribute, number: int) -> None:
        ring = self.ring
        slot = number % ring.slots
        split = op.halves
        key = (tile, slot, split)
        targets = self.targets.get(key)
        if targets is None:
            if len(self.targets) >= KEPT:
                self.targets.clear()
            targets = self.targets[key] = self._targets(m, op, tile, element, slot)
        for consumer, target, part in targets:
            self.stored[consumer, slot] = target
            if part is not None:
                target.store_raw(bits[part])
        if ring.flow is Flow.C2V:
            return
        ((_, target, _),) = targets
        row, col = place_of_half(tile.valid, split, m.role.lane if split else 0)
        target.store_at(row, col, bits)

    def _targets(self, m: Machine, op: PushOp, tile: Tile, element: Attribute, slot: int) -> PushTargets:
        """Return each consumer's copy of the slot and its share of the tile; the halves of two producers have
        their places."""
        ring, split = self.ring, op.halves
        type = slot_type(ring, tile.type, split, element)
        if ring.flow is Flow.V2C:
            (consumer,) = ring.consumers
            whole = self._target(m, op, consumer, slot, type, whole_of(tile.valid, split))
            return [(consumer, whole, None)]
        targets: PushTargets = []
        for consumer in ring.consumers:
            part = part_of(tile.valid, split, ring.cluster.machines[consumer].role.lane)
            targets.append((consumer, self._target(m, op, consumer, slot, type, shape_of(part)), part))
        return targets

    def _target(
        self, m: Machine, op: ChannelOp, consumer: int, slot: int, type: TileType, valid: tuple[int, int]
    ) -> Tile:
        key = (consumer, slot, type, valid)
        found = self.kept.get(key)
        if found is None:
            memory = self.ring.cluster.machines[consumer].memory(self.loc)
            address = self._address(slot)
            check_bytes(m, op, self.ring, type.size_bytes)
            if address < 0 or address + self.ring.size > memory.size:
                message = (
                    f"slot {slot} of {self.ring.name} is {address:#x} to {address + self.ring.size:#x}; "
                    f"{memory.loc.value} of {m.target.name} has {memory.size} bytes"
                )
                raise m.refuse("PTO-R909", message, op)
            found = self.kept[key] = Tile(type, memory, address, valid, "slot")
        return found

    def take(self, m: Machine, op: PopOp, type: TileType, valid: tuple[int, int], number: int) -> PoppedSlot:
        """The tile is where it was put; it only gets its name."""
        ring, slot = self.ring, number % self.ring.slots
        generation = number // ring.slots % GENERATIONS
        stored = self.stored[m.core, slot]
        if (op, stored) not in self.agreed:
            check_layout(m, op, type, stored.type, ring.pushes_of(number)[0][1])
            self.agreed.add((op, stored))
        bits = self.bits.get((m.core, slot, generation))
        if bits is None:
            bits = self.bits[m.core, slot, generation] = SlotBits(ring.size, stored.address)
        key = (op, m.core, slot, generation, valid)
        tile = self.kept.get(key)
        if tile is None:
            name = op.popped.name_hint or "popped"
            tile = self.kept[key] = Tile(type, stored.memory, stored.address, valid, name, bits)
        pop = PoppedSlot(op, number, tile)
        bits.hold(pop, stored, lambda: mark(stored, bits))
        return pop


def mark(tile: Tile, bits: SlotBits) -> None:
    """The bytes that a push has written."""
    copy = Tile(tile.type, tile.memory, tile.address, tile.valid, tile.name, bits)
    region = copy.region
    region.view[region.select] = True


def check_bytes(m: Machine, op: ChannelOp, ring: Ring, size: int) -> None:
    if size > ring.size:
        raise m.refuse(
            "PTO-R908",
            f"the tile takes {size} bytes, a slot of {ring.name} has {ring.size}: it would overwrite the "
            "next one",
            op,
            fix=f"set slot_size = {size} on both sides, and enlarge the rings",
        )


def check_layout(m: Machine, op: PopOp, type: TileType, stored: TileType, pushed: Pushed) -> None:
    """A tile is read as it was written: the same rows of the same length, in the same order."""
    if type.geometry == stored.geometry or 1 in stored.shape:
        return

    raise difference(
        m, op, pushed, f"the tile is popped as {type}, and lies in its slot as {stored}", f"pop a {stored}"
    )


# --- in global memory -------------------------------------------------------------------------------


class MemorySlots:
    """Slots in global memory; who pops copies them."""

    def __init__(self, ring: Ring, memory: Pointer | View):
        self.ring = ring
        buffer = memory.buffer
        self.buffer = buffer
        self.start = memory.offset * buffer.dtype.size
        if ring.flow is Flow.V2C and len(ring.channel.first.flows) == 2:
            self.start += ring.slots * ring.size
        self.bytes = buffer.raw.view(np.uint8)
        self.latest: dict[tuple[int, int], PoppedSlot] = {}
        """Return the last tile copied into each slot of a consumer's own ring."""
        self.kept: dict[tuple[object, ...], Tile] = {}
        self.bits: dict[tuple[int, int, int], SlotBits] = {}

    def check(self, m: Machine, op: ChannelOp, slot: int) -> None:
        """Stop if a slot that is used lies outside the buffer; slots that nothing reaches take no bytes."""
        ring = self.ring
        first = self.start + slot * ring.size
        end = first + ring.size
        if first < 0 or end > len(self.bytes):
            needed = self.start + ring.slots * ring.size
            raise m.refuse(
                "PTO-R909",
                f"slot {slot} of {ring.name} is bytes {first} to {end} of %{self.buffer.name}, which has "
                f"{len(self.bytes)}",
                op,
                fix=f"give it {needed} bytes: {ring.slots} slots of {ring.size}",
            )

    def _window(self, slot: int, valid: tuple[int, int], row: int, first: int, element: Attribute) -> Array:
        """Elements of a slot: `row` from row to row, from element `first` on."""
        dtype = dtype_of(element)
        size = dtype.size
        start = self.start + slot * self.ring.size + first * size
        return np.ndarray(valid, dtype.raw, self.bytes, start, (row * size, size))

    def put(self, m: Machine, op: PushOp, tile: Tile, bits: Array, element: Attribute, number: int) -> None:
        slot, split = number % self.ring.slots, op.halves
        self.check(m, op, slot)
        rows, cols = tile.valid
        size = dtype_of(element).size
        halves = 2 if self.ring.flow is Flow.V2C and split in (1, 2) else 1
        check_bytes(m, op, self.ring, rows * cols * size * halves)
        row, first = gm_place(tile.valid, split, m.role.lane) if halves == 2 else (cols, 0)
        window = self._window(slot, tile.valid, row, first, element)
        if self.ring.flow is Flow.V2C and not split:
            check_repeated(m, op, self.ring, number, tile.valid, window, bits)
        window[...] = bits

    def take(self, m: Machine, op: PopOp, type: TileType, valid: tuple[int, int], number: int) -> PoppedSlot:
        """Copy the slot, or a vector core's part of it, into the consumer's own ring."""
        ring = self.ring
        slot, split, lane = number % ring.slots, op.halves, m.role.lane
        self.check(m, op, slot)
        check_extents(m, op, ring, valid, number)
        row, first = valid[1], 0
        if ring.flow is Flow.C2V and split:
            row, first = gm_place(valid, split, lane)
        source = self._window(slot, valid, row, first, type.element_type)
        tile, bits = self._local(m, op, type, valid, number)
        pop = PoppedSlot(op, number, tile, copied=True)
        bits.hold(pop, (type, valid), lambda: mark(tile, bits))
        self.latest[m.core, number % ring.local_slots] = pop
        tile.store_raw(source)
        return pop

    def _local(
        self, m: Machine, op: PopOp, type: TileType, valid: tuple[int, int], number: int
    ) -> tuple[Tile, SlotBits]:
        ring = self.ring
        slot = number % ring.local_slots
        before = self.latest.get((m.core, slot))
        if before is not None:
            before.end(op, "overwritten by a later pop")
        generation = number // ring.local_slots % GENERATIONS
        address = next(iter(ring.bases.values()), 0) + slot * ring.size
        memory = m.memory(type.loc.data)
        if address < 0 or address + type.size_bytes > memory.size:
            message = (
                f"slot {slot} of the ring of {ring.name} is at {address:#x}; {memory.loc.value} of "
                f"{m.target.name} has {memory.size} bytes"
            )
            raise m.refuse("PTO-R909", message, op)
        size = max(ring.size, type.size_bytes)
        bits = self.bits.get((m.core, slot, generation))
        if bits is None or len(bits.written) < size:
            bits = self.bits[m.core, slot, generation] = SlotBits(size, address)
        key = (m.core, slot, generation, type, valid)
        tile = self.kept.get(key)
        if tile is None or tile.bits is not bits:
            name = op.popped.name_hint or "popped"
            tile = self.kept[key] = Tile(type, memory, address, valid, name, bits)
        return tile, bits


def check_repeated(
    m: Machine, op: PushOp, ring: Ring, number: int, valid: tuple[int, int], window: Array, bits: Array
) -> None:
    """Check that both vector cores push the same bytes of an unsplit tile.

    The second one leaves the bytes of the first, unless one of them has nothing to push.
    """
    for core in ring.producers:
        if core == m.core or ring.heads[core] <= number:
            continue
        other = ring.pushed[number % ring.slots, core]
        if 0 in valid or 0 in other.valid or (other.valid == valid and np.array_equal(window, bits)):
            continue
        first = ring.cluster.machines[core].role.name
        raise m.refuse(
            "PTO-R930",
            f"slot {number % ring.slots} of {ring.name} gets a different tile than from {first}, and either "
            "may be written last",
            op,
            notes=(Note(f"pushed by {first}", span_of(other.op)),),
            fix="push the same tile on both vector cores, or halves with split = 1 or split = 2",
        )


def gm_place(valid: tuple[int, int], split: int, lane: int) -> tuple[int, int]:
    """The row stride and the first element of a vector core's part of a slot."""
    rows, cols = valid
    match split:
        case 1:
            return cols, lane * rows * cols
        case 2:
            return 2 * cols, lane * cols
        case 3:
            return cols, lane * (rows + lane) * cols
        case _:
            return 2 * cols + 2 * lane - 1, lane * (cols + lane)


def check_extents(m: Machine, op: PopOp, ring: Ring, valid: tuple[int, int], number: int) -> None:
    """Rows follow each other without gaps, so that as many columns are popped as were pushed."""

    if 0 in valid:
        return  # nothing is read
    for _, pushed in ring.pushes_of(number):
        if 0 in pushed.valid:
            continue  # of a tile that is not split, one vector core may push all
        if ring.flow is Flow.C2V:
            expected = shape_of(part_of(pushed.valid, pushed.split, m.role.lane))
        else:
            expected = whole_of(pushed.valid, pushed.split)
        if valid[1] != expected[1] or valid[0] > expected[0]:
            raise difference(
                m,
                op,
                pushed,
                f"{valid[0]}x{valid[1]} elements are popped, {expected[0]}x{expected[1]} were pushed",
                f"pop a tile that is valid for {expected[0]}x{expected[1]}",
            )
