"""The cores of one block with their shared channels and counters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from ptoas.analysis.sync_actions import CounterKey
from ptoas.diagnostics import Note
from ptoas.dialects.pto.enums import KernelKind, Pipe
from ptoas.grammar.problems import counted
from ptoas.grammar.spans import span_of
from ptoas.machine.channels import Ring
from ptoas.machine.scheduler import What

if TYPE_CHECKING:
    from ptoas.analysis.channels import Channel
    from ptoas.dialects.pto.core_enums import Flow
    from ptoas.machine.channels import Ring
    from ptoas.machine.machine import Machine

MOST_SET = 15
"""Maximum of a counter: it has four bits."""


@dataclass
class Counter:
    """A counter between cores: the number of sets by each sender, and of waits by each receiver.

    A receiver may take one more when every sender has set it once more.
    """

    sent: dict[int, int] = field(default_factory=dict[int, int])
    taken: dict[int, int] = field(default_factory=dict[int, int])
    last: Operation | None = None
    """The sender that set it last."""

    def left(self, senders: Sequence[int], receiver: int) -> int:
        """The number of further waits that the receiver can pass."""
        sent = min((self.sent.get(sender, 0) for sender in senders), default=0)
        return sent - self.taken.get(receiver, 0)


class Grid:
    """State shared by all blocks of a rank while they run."""

    def __init__(self) -> None:
        self.counters: dict[Hashable, Counter] = {}
        self.syncs: dict[int, tuple[int, Operation]] = {}
        """The number of `syncall`s that each actor has reached, and the last one."""

    def counter(self, key: Hashable) -> Counter:
        return self.counters.setdefault(key, Counter())


class Cluster:
    """One block."""

    def __init__(self, grid: Grid, machines: Sequence[Machine]):
        self.grid = grid
        self.machines = machines
        self.rings: dict[Hashable, Ring] = {}
        self.counters: dict[Hashable, Counter] = {}
        self.repeated: dict[Hashable, bytes] = {}
        """Data stored by one vector core that the other one must store identically."""

    def counter(self, key: Hashable) -> Counter:
        return self.counters.setdefault(key, Counter())

    def ring(self, channel: Channel, flow: Flow, machine: Machine) -> Ring:
        """One direction of a channel in this block."""
        found = self.rings.get((channel, flow))
        if found is None:
            model = machine.target.model(channel.first)
            found = self.rings[channel, flow] = Ring(self, channel, flow, model, machine.sparse_credits)
        return found

    @property
    def cube(self) -> int | None:
        """The core that is the cube core."""
        return next((n for n, m in enumerate(self.machines) if m.role.kind is KernelKind.Cube), None)

    def vector(self, lane: int) -> int | None:
        """The core that is this vector core."""
        for n, machine in enumerate(self.machines):
            if machine.role.kind is KernelKind.Vector and machine.role.lane == lane:
                return n
        return None

    def finish(self, machine: Machine) -> None:
        """A block has come to a good end: nothing may be left for the next kernel to find."""
        for ring in self.rings.values():
            ring.finish()
        for counter in self.counters.values():
            most = max(counter.sent.values(), default=0)
            if counter.last is not None and any(most > taken for taken in counter.taken.values() or (0,)):
                machine.warn(
                    "PTO-R913", f"a counter is set and never awaited: {_counts(counter)}", counter.last
                )


def _counts(counter: Counter) -> str:
    taken = max(counter.taken.values(), default=0)
    return f"set {counted(max(counter.sent.values()), 'time')}, awaited {counted(taken, 'time')}"


def set_counter(machine: Machine, op: Operation, counter: Counter, key: Hashable, pipe: Pipe) -> None:
    """Add one, after all earlier work of the pipe; taking it acquires what the pipe knew."""
    actor = machine.actor
    me = actor.clocks.actor
    number = counter.sent.get(me, 0)
    if number - min(counter.taken.values(), default=0) >= MOST_SET:
        notes = (Note("set here before", span_of(counter.last)),) if counter.last is not None else ()
        raise machine.refuse(
            "PTO-R912",
            f"the counter is set {number + 1} times and awaited {min(counter.taken.values(), default=0)} "
            f"times; it can't exceed {MOST_SET}",
            op,
            notes=notes,
            fix="wait for the counter as often as it is set",
        )
    if number >= MOST_SET:
        machine.hidden_choices[op] = f"sets a counter that counts to {MOST_SET} more often than that"
    counter.sent[me] = number + 1
    counter.last = op
    actor.clocks.release(CounterKey(key, number, me), pipe if machine.target.has_pipes else None)


def take_counter(
    machine: Machine,
    op: Operation,
    counter: Counter,
    key: Hashable,
    pipe: Pipe | None,
    senders: Sequence[int],
    what: What,
) -> None:
    """Wait until every sender has set it once more, and acquire their clocks."""
    actor = machine.actor
    me = actor.clocks.actor
    number = counter.taken.setdefault(me, 0)
    if counter.left(senders, me) < 1:
        actor.wait_until(lambda: counter.left(senders, me) > 0, what, op, on=senders)
    counter.taken[me] = number + 1
    for sender in senders:
        actor.clocks.acquire(CounterKey(key, number, sender), pipe)
