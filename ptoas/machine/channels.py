"""The rings of a channel while a block runs: who has pushed, popped and freed how much, and what lies where.

A producer may push while fewer than `slots` tiles are pushed and not freed, a consumer pop when one is pushed
and not popped. With tiles that are split both vector cores are one party: a slot that they fill is full when
both have, one that they empty is free when both have freed it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, Operation

from ptoas.analysis.sync_actions import SlotKey
from ptoas.diagnostics import Note
from ptoas.dialects.pto.channel import ChannelOp, FreeOp, PopOp, PushOp
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.element_types import element_text
from ptoas.dialects.pto.enums import KernelKind, Pipe
from ptoas.grammar.spans import span_of
from ptoas.machine.machine import Machine, label
from ptoas.machine.slots import PoppedSlot

if TYPE_CHECKING:
    from ptoas.analysis.channels import Channel
    from ptoas.machine.cluster import Cluster
    from ptoas.targets.shared.channel_model import ChannelModel

SPLITS = ("not", "by rows", "by columns", "by odd rows", "by odd columns")


@dataclass(frozen=True)
class Pushed:
    """The contents that a producer put into a slot."""

    op: PushOp
    element: Attribute
    valid: tuple[int, int]
    split: int


class Ring:
    """One direction of a channel in one block."""

    def __init__(
        self, cluster: Cluster, channel: Channel, flow: Flow, model: ChannelModel, sparse: bool = False
    ):
        init = channel.first
        self.cluster = cluster
        self.channel = channel
        self.flow = flow
        self.model = model
        self.slots, self.local_slots, self.size = init.slots, init.local_slots, init.bytes_of_slot
        self.in_memory = init.memory is not None
        self.views = init.is_of_views
        self.filling_pipe = model.pushes(flow)
        self.freeing_pipe = model.frees(flow, self.in_memory)
        self.push_wait_pipe = self._waiting_pipe(self.filling_pipe)
        self.pop_wait_pipe = self._waiting_pipe(model.pops(flow, self.in_memory))
        self.frees_at_pop = model.frees_at_pop(self.in_memory, self.views)
        self.sparse = sparse
        self.period = self.slots if self.slots <= 2 else self.slots // 2
        lanes = (0, 1) if model.both_lanes or not channel.nosplit else (0,)
        vector = [core for lane in lanes if (core := cluster.vector(lane)) is not None]
        cube = [] if cluster.cube is None else [cluster.cube]
        self.producers, self.consumers = (cube, vector) if flow is Flow.C2V else (vector, cube)
        self.heads = dict.fromkeys(self.producers, 0)
        self.tails = dict.fromkeys(self.consumers, 0)
        self.freed = dict.fromkeys(self.consumers, 0)
        self.pushed: dict[tuple[int, int], Pushed] = {}
        """Contents by slot and producer."""
        self.held: dict[int, deque[PoppedSlot]] = {core: deque() for core in self.consumers}
        """Slots that each consumer has popped and not released, the oldest first."""
        self.bases: dict[int, int] = {}
        """Address of the ring in the consumer's memory, as declared by each core."""
        self.opened: dict[int, Operation] = {}
        """The declaration of the channel on each core."""
        self.data: Any = None
        """The slots, once a core has declared the channel."""
        self.allocated: dict[int, int] = {}
        """Number of slots that each producer has allocated, to fill them by stores."""
        self.noted: set[tuple[Operation, int]] = set()
        self.last_push: PushOp | None = None
        self.last_pop: PopOp | None = None

    @property
    def name(self) -> str:
        arrow = "cube to vector" if self.flow is Flow.C2V else "vector to cube"
        return f"{self.channel.name} ({arrow})"

    def state(self) -> str:
        """`8 slots, 9 pushed, 1 popped, 1 freed`."""
        parts = [
            f"{min(counts.values(), default=0)} {word}"
            for word, counts in (("pushed", self.heads), ("popped", self.tails), ("freed", self.freed))
        ]
        return f"{self.slots} slot{'s' * (self.slots > 1)}, {', '.join(parts)}"

    def picture(self) -> str:
        """A sign for each slot: `#` full, `o` popped and not given back, `.` empty."""
        pushed, popped = min(self.heads.values(), default=0), min(self.tails.values(), default=0)
        freed = min(self.freed.values(), default=0)
        signs = ["."] * self.slots
        for number in range(freed, max(pushed, popped)):
            signs[number % self.slots] = "o" if number < popped else "#"
        return f"[{''.join(signs)}]"

    def _numbers(self, machine: Machine, cores: Sequence[int]) -> list[int]:
        """Actors of the block, for those who wait for them."""
        return [machine.number_of(core) for core in cores]

    # --- declarations ---

    def open(self, machine: Machine, op: Operation, base: int | None) -> None:
        core = machine.core
        if core in self.opened:
            raise machine.refuse(
                "PTO-R919",
                f"{self.channel.name} is declared a second time",
                op,
                notes=(Note("the first time", span_of(self.opened[core])),),
                fix="declare each channel once, before loops",
            )
        self.opened[core] = op
        if base is None:
            return
        for other, known in self.bases.items():
            if known != base:
                raise machine.refuse(
                    "PTO-R909",
                    f"the ring of {self.name} is at {base:#x} here and at {known:#x} for "
                    f"{self.cluster.machines[other].role.name}",
                    op,
                    notes=(Note("the other declaration", span_of(self.opened[other])),),
                    fix="take the address from import_reserved_buffer",
                )
        self.bases[core] = base

    def slots_of(self, machine: Machine, op: ChannelOp) -> Any:
        assert self.data is not None, f"{op.name} on {machine.role.name} has been let through"
        return self.data

    def _check_open(self, machine: Machine, op: ChannelOp, cores: Sequence[int]) -> int:
        core = machine.core
        if core not in self.opened:
            message = f"{self.channel.name} is used before it is declared"
            raise machine.refuse("PTO-R910", message, op, fix="move the initialize_pipe in front of it")
        if core not in cores:
            raise self._not_taking_part(machine, op)
        return core

    def _not_taking_part(self, machine: Machine, op: ChannelOp) -> Exception:
        if machine.role.kind is KernelKind.Vector and machine.role.lane:
            return machine.refuse(
                "PTO-R911",
                f"tiles of {self.channel.name} are not split, so only vector core 0 takes part on "
                f"{machine.target.name}; this is {machine.role.name}",
                op,
                fix="execute it only where get_subblock_idx is 0, or split the tiles",
            )
        return machine.refuse("PTO-R910", f"{self.name} has no end of this kind on this core", op)

    # --- order ---

    def _free_slots(self, core: int) -> int:
        """The number of slots that the producer may fill now."""
        head, freed = self.heads[core], min(self.freed.values(), default=0)
        if self.sparse and head >= self.slots:
            # Consumers release slots in batches, and a producer waits at the start of each.
            portions = (head - self.slots) // self.period + 1
            return 1 if freed >= portions * self.period else 0
        return self.slots - (head - freed)

    def await_slot(self, machine: Machine, op: ChannelOp) -> int:
        """Wait for an empty slot; its number, counted from the first."""
        core = self._check_open(machine, op, self.producers)
        actor = machine.actor
        actor.point()
        if self._free_slots(core) < 1:
            actor.wait_until(
                lambda: self._free_slots(core) > 0,
                lambda: f"waits for an empty slot of {self.name}: {self.state()}",
                op,
                self._numbers(machine, self.consumers),
            )
        number = self.heads[core]
        if number >= self.slots:
            for consumer in self.consumers:
                actor.clocks.acquire(SlotKey(self, False, number % self.slots, consumer), self.push_wait_pipe)
        return number

    def fill(self, machine: Machine, pushed: Pushed) -> None:
        """The slot that the producer waited for is full."""
        core = machine.core
        number = self.heads[core]
        slot = number % self.slots
        self.pushed[slot, core] = pushed
        machine.actor.clocks.release(SlotKey(self, True, slot, core), self.filling_pipe, again=True)
        self.heads[core] = number + 1
        self.last_push = pushed.op

    def await_tile(self, machine: Machine, op: PopOp) -> int:
        """Wait for a full slot; its number, counted from the first."""
        core = self._check_open(machine, op, self.consumers)
        actor = machine.actor
        actor.point()
        heads, number = self.heads, self.tails[core]
        if min(heads.values(), default=0) <= number:
            actor.wait_until(
                lambda: min(heads.values(), default=0) > number,
                lambda: f"waits for a tile from {self.name}: {self.state()}",
                op,
                self._numbers(machine, self.producers),
            )
        for producer in self.producers:
            actor.clocks.acquire(SlotKey(self, True, number % self.slots, producer), self.pop_wait_pipe)
        self.tails[core] = number + 1
        self.last_pop = op
        return number

    def _waiting_pipe(self, pipe: Pipe) -> Pipe | None:
        return None if self.model.stops_core or self.model.one_pipe else pipe

    def give_back(self, machine: Machine, number: int) -> None:
        """The slot is free for the producer."""
        core = machine.core
        key = SlotKey(self, False, number % self.slots, core)
        machine.actor.clocks.release(key, self.freeing_pipe, again=True)
        self.freed[core] = number + 1

    def release(self, machine: Machine, op: FreeOp) -> PoppedSlot:
        """Release the oldest popped slot."""
        core = self._check_open(machine, op, self.consumers)
        pops = self.held[core]
        if not pops:
            message = f"no popped slot of {self.name} is left to free: {self.state()}"
            raise machine.refuse("PTO-R904", message, op, fix="use one tfree for each tpop, after it")
        oldest = pops.popleft()
        oldest.give_back(op)
        if not self.frees_at_pop:
            self.give_back(machine, oldest.number)
        return oldest

    # --- agreement ---

    def pushes_of(self, number: int) -> list[tuple[int, Pushed]]:
        """The contents of a slot, by producer."""
        slot = number % self.slots
        return [(core, self.pushed[slot, core]) for core in self.producers]

    def check_pop(self, machine: Machine, op: PopOp, number: int, element: Attribute, split: int) -> None:
        """A tile is popped as it was pushed."""
        slot = number % self.slots
        for core in self.producers:
            pushed = self.pushed[slot, core]
            if pushed.split == split and (pushed.element is element or pushed.element == element):
                continue
            note = (Note(f"pushed by {label(pushed.op)}", span_of(pushed.op)),)
            if pushed.split != op.halves:
                raise machine.refuse(
                    "PTO-R906",
                    f"the tile is split {_split(op.halves)} here, but it was pushed split "
                    f"{_split(pushed.split)}",
                    op,
                    notes=note,
                    fix=f"use split = {pushed.split} on both sides",
                )
            what = f"{element_text(element)} is popped, {element_text(pushed.element)} was pushed"
            raise difference(machine, op, pushed, what, "pop the element type that is pushed")

    def finish(self) -> None:
        """Check at the end of a block that every pushed tile was popped and every popped slot freed."""
        for core in self.consumers:
            machine = self.cluster.machines[core]
            left = min(self.heads.values(), default=0) - self.tails[core]
            if left > 0:
                _, pushed = self.pushes_of(self.tails[core])[0]
                raise machine.fail(
                    "PTO-R902",
                    f"{self.name}: {left} tile{'s' * (left > 1)} pushed and never popped by "
                    f"{machine.role.name}: {self.state()}; the next kernel would pop them",
                    pushed.op,
                    fix="pop every tile that is pushed",
                )
            for pop in self.held[core]:
                raise machine.fail(
                    "PTO-R903",
                    f"{self.name}: {machine.role.name} never frees slots that it pops here "
                    f"({len(self.held[core])} of {self.tails[core]})",
                    pop.op,
                    fix="add a tfree after the last use of the tile",
                )
        unequal = max(self.heads.values(), default=0) - min(self.heads.values(), default=0)
        if unequal:
            most = max(self.heads, key=lambda core: self.heads[core])
            counts = ", ".join(
                f"{self.cluster.machines[core].role.name} {count}" for core, count in self.heads.items()
            )
            pushed = self.pushed[(self.heads[most] - 1) % self.slots, most]
            raise self.cluster.machines[most].fail(
                "PTO-R902",
                f"{self.name}: the vector cores push a different number of tiles ({counts}); the last "
                "tiles stay incomplete",
                pushed.op,
                fix="push the same number of halves on both vector cores",
            )


def difference(machine: Machine, op: PopOp, pushed: Pushed, what: str, fix: str) -> Exception:
    """A tile is popped as something else than it was pushed as."""
    note = Note(f"pushed by {label(pushed.op)}", span_of(pushed.op))
    return machine.refuse("PTO-R907", what, op, notes=(note,), fix=fix)


def _split(split: int) -> str:
    return f"{split} ({SPLITS[split]})" if 0 <= split < len(SPLITS) else str(split)
