"""Flags that `insert-sync` places: pairs in one block, and those of loops with tiles in turn.

In such a loop an iteration waits for the one that had the same tile. Before, where `%s` is `%i` modulo 2:

    scf.for %i = %c0 to %n step %c1 {
      %t = pto.multi_tile_get %a, %b[%s] : ...
      pto.tload ins(%m : ...) outs(%t : ...)
      pto.tstore ins(%t : ...) outs(%o : ...)
    }

After, without the pair from MTE2 to MTE3:

    pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID1>]
    scf.for %i = %c0 to %n step %c1 {
      %t = pto.multi_tile_get %a, %b[%s] : ...
      pto.wait_flag_dyn[<PIPE_MTE3>, <PIPE_MTE2>, %s]
      pto.tload ins(%m : ...) outs(%t : ...)
      pto.tstore ins(%t : ...) outs(%o : ...)
      pto.set_flag_dyn[<PIPE_MTE3>, <PIPE_MTE2>, %s]
    }
    pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID1>]

All events are up before the loop. Each iteration takes one of them down and raises it again, so all are up
behind the loop too, however many iterations there were, and are taken down there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.arith import SignlessIntegerBinaryOperation
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.clocks import PIPES
from ptoas.analysis.constants import Constants
from ptoas.analysis.order import StaticAccess
from ptoas.analysis.phases import Phase
from ptoas.analysis.structure import ancestor_in
from ptoas.dialects.pto.clauses import first_clause, last_clause
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.dialects.pto.sync import FlagOp, RecordOp, SetFlagDynOp, SetFlagOp, WaitFlagDynOp, WaitFlagOp
from ptoas.lowering.provenance import add_reason, in_order


@dataclass(eq=False, slots=True)
class Pair:
    """A flag from `source` to `destination`: raised after `after` (or at the block's start), awaited before
    `before`.

    From a pipe to itself it is a barrier before `before`.
    """

    source: int
    destination: int
    after: Operation | None
    before: Operation
    set_at: int
    crosses: bool
    """The accesses that it orders lie in different blocks or iterations."""
    why: list[tuple[StaticAccess, StaticAccess]] = field(
        default_factory=list[tuple[StaticAccess, StaticAccess]]
    )
    """The accesses that it puts in order."""
    note: str = ""
    event: int = -1
    mark: int = 0
    """A bit of its own, while it is asked what relies on which pair."""
    turn: int = 0
    """The time at which it was inserted, or was raised later."""
    record: RecordOp | None = None
    """The event of the program whose flag this is; it stays where it is."""

    @property
    def block(self) -> Block:
        assert self.before.parent is not None
        return self.before.parent

    def reason(self) -> str:
        return in_order(self.why) + self.note

    @property
    def is_barrier(self) -> bool:
        return self.source == self.destination

    @property
    def pipes(self) -> tuple[Pipe, Pipe]:
        return PIPES[self.source], PIPES[self.destination]


@dataclass(eq=False)
class SlotFlags:
    """Flags from `source` to `destination` for accesses that are `distance` iterations of `loop` apart.

    They are awaited before `before`, then raised after `after`, both in `block`: the body of the loop, or a
    part of it that only runs in the iterations of one tile.
    """

    loop: scf.ForOp
    block: Block
    source: int
    destination: int
    distance: int
    before: Operation
    after: Operation
    why: list[tuple[StaticAccess, StaticAccess]] = field(
        default_factory=list[tuple[StaticAccess, StaticAccess]]
    )
    covered: list[StaticAccess] = field(default_factory=list[StaticAccess])
    """Accesses that need no flag of their own because `source` knows of them."""
    event: int = -1
    """The first of its events; -1: a pair has taken its place."""
    note: str = ""
    """The reason why it has fewer events than tiles."""

    @property
    def count(self) -> int:
        """The number of events; of a part of the body, whose iterations are the right ones, one."""
        return self.distance if self.block is self.loop.body.block else 1

    @property
    def pipes(self) -> tuple[Pipe, Pipe]:
        return PIPES[self.source], PIPES[self.destination]

    @staticmethod
    def between(first: StaticAccess, second: StaticAccess, destination: int) -> SlotFlags | None:
        """Flags for two accesses that are several iterations apart; None if others do as well."""
        one, other = first.phase, second.phase
        if not isinstance(one, Phase) or not isinstance(other, Phase) or one.distance(other) is None:
            return None
        if first.lane == destination:
            return None
        guarded = one.guard is not None and one.guard is other.guard
        block = one.guard if one.guard is not None and guarded else one.loop.body.block
        before, after = ancestor_in(block, second.op), ancestor_in(block, first.op)
        return SlotFlags(one.loop, block, first.lane, destination, first.age, before, after)

    @property
    def key(self) -> tuple[object, ...]:
        return self.block, self.source, self.destination, self.distance

    @property
    def awaited(self) -> list[StaticAccess]:
        """The accesses, by their age, that each wait acquires."""
        firsts = dict.fromkeys([*(first for first, _ in self.why), *self.covered])
        return [aged for first in firsts for aged in first.ages[first.age : -1]]

    def include(self, other: SlotFlags) -> None:
        """Wait and raise for other accesses with the same key, too."""
        if other.before.is_before_in_block(self.before):
            self.before = other.before
        if self.after.is_before_in_block(other.after):
            self.after = other.after
        self.why += other.why
        self.covered += other.covered

    def write(self, events: tuple[Event, ...], constants: Constants) -> None:
        """Insert the operations."""
        source, destination = self.pipes
        used = events[self.event : self.event + self.count]
        location = self.before.location
        primes: list[Operation] = [SetFlagOp(source, destination, each, location=location) for each in used]
        drains: list[Operation] = [WaitFlagOp(source, destination, each, location=location) for each in used]
        waiting: FlagOp = WaitFlagOp(source, destination, used[0], location=location)
        raising: FlagOp = SetFlagOp(source, destination, used[0], location=location)
        if self.count > 1:
            number = self._number(constants)
            waiting = WaitFlagDynOp(number, source, destination, location=location)
            raising = SetFlagDynOp(number, source, destination, location=location)
        for flag in (*primes, waiting, raising, *drains):
            add_reason(flag, self._reason)
        Rewriter.insert_op(waiting, InsertPoint.before(first_clause(self.before)))
        is_late = self.after.is_before_in_block(self.before)
        Rewriter.insert_op(raising, InsertPoint.after(waiting if is_late else last_clause(self.after)))
        Rewriter.insert_op(primes, InsertPoint.before(self.loop))
        Rewriter.insert_op(drains, InsertPoint.after(self.loop))

    def _reason(self) -> str:
        return f"{in_order(self.why)}, {self.distance} iterations before{self.note}"

    def shorten(self, count: int) -> None:
        """Wait for a later iteration than necessary, because events are exhausted."""
        self.note = f"; only {count} of {self.distance} events are left"
        self.distance = count

    def pairs(self) -> list[Pair]:
        """Its replacement if events run out: a wait for the previous iteration, and one for the last."""
        body, pipes = self.loop.body.block, (self.source, self.destination)
        behind = self.loop.next_op
        assert behind is not None
        note = f"; no events are left for its {self.distance} tiles"
        return [
            Pair(*pipes, None, ancestor_in(body, self.before), 0, True, self.why, note),
            Pair(*pipes, self.loop, behind, 0, True, self.why, note),
        ]

    def _number(self, constants: Constants) -> SSAValue:
        """The number of this iteration's event: another one in each of `count` iterations in a row."""
        induction = self.loop.body.block.args[0]
        start, step = constants.constant(self.loop.lb), constants.constant(self.loop.step)
        point = InsertPoint.before(first_clause(self.before))

        def insert(kind: type[SignlessIntegerBinaryOperation], first: SSAValue, second: SSAValue) -> SSAValue:
            op = kind(first, second)
            Rewriter.insert_op(op, point)
            return op.result

        def number(value: int) -> SSAValue:
            op = arith.ConstantOp(IntegerAttr(value, cast("IndexType", induction.type)))
            Rewriter.insert_op(op, point)
            return op.result

        turn: SSAValue = induction
        if start is None or start < 0:
            turn = insert(arith.SubiOp, turn, self.loop.lb)
        if step is None or gcd(step, self.count) != 1:
            turn = insert(arith.DivUIOp, turn, self.loop.step)
        found = self._remainder(turn, constants)
        if found is None:
            found = insert(arith.RemUIOp, turn, number(self.count))
        return insert(arith.AddiOp, found, number(self.event)) if self.event else found

    def _remainder(self, turn: SSAValue, constants: Constants) -> SSAValue | None:
        """The number by which the program chooses the tile, if that is in turn with the events."""
        for use in turn.uses:
            op = use.operation
            if (
                isinstance(op, arith.RemUIOp | arith.RemSIOp)
                and op.lhs is turn
                and constants.constant(op.rhs) == self.count
                and op.is_before_in_block(self.before)
            ):
                return op.result
        return None
