"""Walk of `insert-sync` over a function: an access that comes too early gets a flag or a barrier.

The walk is that of `verify` (`ptoas.analysis.pipe_walk`, which says why its state is another one).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby

from xdsl.dialects import func
from xdsl.ir import Block, Operation, Region

from ptoas.analysis.clocks import NUMBER
from ptoas.analysis.effects import Effects
from ptoas.analysis.flow import certainly_runs
from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.order import StaticAccess
from ptoas.analysis.pipe_walk import PipeWalk
from ptoas.analysis.structure import ancestor_in
from ptoas.analysis.sync_actions import Acquire, Action, Release, SyncKey
from ptoas.dialects.pto.enums import Pipe
from ptoas.lowering.flag_pairs import Pair, SlotFlags
from ptoas.lowering.happens_before import PipeRecord, State
from ptoas.targets import Target

REDUNDANCY_BUDGET = 100_000
"""Operations walked at most to find needless pairs of one function."""

Need = tuple[StaticAccess, PipeRecord, StaticAccess]
"""An access that has to be done, what is known of it, and the one that needs it."""


Candidate = tuple[Pair | SlotFlags, int, list[Need]]
"""Flags, the time as of which they tell of their source, and what needs them."""


@dataclass
class Frame:
    """Position of the walk in a block."""

    block: Block
    since: int
    op: Operation
    began: int = 0
    """The start time of the operation."""


class Synchroniser(PipeWalk[State]):
    """Walks a function, loops twice when they are first met, and puts a pair wherever an access comes too
    early."""

    def __init__(self, facts: FunctionFacts, target: Target):
        super().__init__(facts, target, unsure=True)
        self.connects = target.connects
        self.state = State(self.accesses)
        """The state at the operation that is being walked."""
        self.frames: list[Frame] = []
        self.time = 0
        self.ended: dict[Operation, int] = {}
        self.pairs: list[Pair] = []
        self.slot_flags: dict[tuple[object, ...], SlotFlags] = {}
        self.entered: dict[Operation, int] = {}
        """Start of the latest run of each loop."""
        self.awaited: dict[Operation, list[Pair]] = {}
        self.raised: dict[Operation, list[Pair]] = {}
        self.raised_at_start: dict[Block, list[Pair]] = {}
        self.calls: dict[func.CallOp, None] = {}
        self.recorded: dict[SyncKey, tuple[int, int]] = {}
        """The pipe and the time of each event; functions with flags or tokens are left alone."""
        self.checking = False
        """True once all pairs are placed."""
        self.insertions = 0
        self.relied_on = 0
        """The marks of the pairs that some access needs; `ALL` if they are not enough for one."""
        self.aside: list[tuple[int, list[State]]] = []
        """States of other paths that are joined later, and how many blocks deep they were put aside."""
        self.iteration_states: dict[Operation, State] = {}
        """The state left by one iteration of a loop on its own, or by one for each of its tiles."""

    def run(self) -> list[Pair]:
        """Insert missing flags, then remove those that later insertions made redundant."""
        self._walk()
        if self.slot_flags or not self._may_be_needless():
            return self.pairs
        self.checking = True
        for number, pair in enumerate(self.pairs):
            pair.mark = 1 << number
        # A needed one may be taken for a needless one, as what an access stands for is forgotten.
        relied_on = self._walk()
        doubtful = [pair for pair in self.pairs if not pair.mark & relied_on]
        for pair in doubtful[: REDUNDANCY_BUDGET // len(self.facts.ops)]:
            awaited = self.awaited[pair.before]
            at = awaited.index(pair)
            del awaited[at]
            self._unraise(pair)
            if self._walk() < 0:
                awaited.insert(at, pair)
                self._raise(pair)
            else:
                self.pairs.remove(pair)
        return self.pairs

    def _walk(self) -> int:
        """Walk the function; return the marks of the pairs that it relies on."""
        self.relied_on = 0
        self.iteration_states.clear()
        self.region(self.facts.func.body, State(self.accesses))
        return self.relied_on

    def _may_be_needless(self) -> bool:
        """Return True if any pair may be redundant, by a quick test.

        Each was needed when it was put in. What makes it needless was put in later and is awaited before the
        access that needs it; so both order what lies before their block, since what lies in it was ordered in
        its turn.
        """
        crossing = [pair for pair in self.pairs if pair.crosses]
        if len({pair.turn for pair in crossing}) < 2:
            return False
        place = {op: at for at, op in enumerate(self.facts.ops)}
        earliest = len(place)
        crossing.sort(key=lambda pair: pair.turn, reverse=True)
        for _, group in groupby(crossing, key=lambda pair: pair.turn):
            members = list(group)
            if earliest <= max(place[second.op] for pair in members for _, second in pair.why):
                return True
            earliest = min(earliest, *(place[pair.before] for pair in members))
        return False

    # --- walking ---------------------------------------------------------------------------------

    def block(self, block: Block, state: State) -> State:
        first = block.first_op
        if first is None:
            return state
        self.time += 1
        self.frames.append(Frame(block, self.time, first))
        for pair in self.raised_at_start.get(block, ()):
            pair.set_at = self.time
        state = super().block(block, state)
        self.frames.pop()
        return state

    def visit(self, op: Operation, state: State) -> None:
        self.time += 1
        self.state, frame = state, self.frames[-1]
        frame.op, frame.began = op, self.time
        self.wait(op, state, self.time)
        for flags in self.slot_flags.values():
            if flags.before is op:
                self.await_slot(flags)
        super().visit(op, state)
        if not op.regions:
            self._end(op)

    def structured(self, op: Operation, state: State) -> State:
        state = super().structured(op, state)
        self._end(op)
        return state

    def _end(self, op: Operation) -> None:
        self.ended[op] = self.time
        for pair in self.raised.get(op, ()):
            pair.set_at = self.time

    def wait(self, op: Operation, state: State, now: int) -> None:
        """Apply the waits in front of `op`."""
        for pair in self.awaited.get(op, ()):
            set_at = now if pair.is_barrier else pair.set_at
            state.signal(pair.source, pair.destination, set_at, now, pair.mark)

    def branches(self, regions: Iterable[Region], state: State) -> State:
        exits: list[State] = []
        self.aside += [(len(self.frames), [state]), (len(self.frames), exits)]
        for region in regions:
            exits.append(self.region(region, state.copy()))
        del self.aside[-2:]
        return reduce(State.join, exits)

    def loop(self, loop: Operation, state: State) -> State:
        """First an iteration by itself; then one that follows what came before the loop, or an iteration.

        A loop inside a loop is met again. What its iteration by itself leaves behind is known then: pairs
        that were added since order more, never less.
        """
        self.entered[loop] = began = self.time
        self.aside.append((len(self.frames), [state]))
        phases = [touch.phase for touch in self.accesses.phased.get(loop, ()) if touch.phase is not None]
        period = max((phase.period for phase in phases), default=1)
        if loop not in self.iteration_states:
            alone = state.empty()
            for _ in range(period):
                _, alone = self.turn(loop, alone)
            self.iteration_states[loop] = alone
        # Of several iterations the order of time matters.
        alone, self.time = self.iteration_states[loop].just_now(self.time, in_order=period > 1)
        entry = self.start(loop, state).join(alone)
        self.time += 1
        left, _ = self.turn(loop, entry)
        self.wait(loop, left, began)
        self.aside.pop()
        for flags in self.slot_flags.values():
            if flags.loop is loop:
                # In a part of the body the last flag may be from an iteration before the last.
                last = self.ended[flags.after] if flags.block is flags.loop.body.block else began
                left.signal(flags.source, flags.destination, last, self.time)
                state.signal(flags.source, flags.destination, began, self.time)
        return left if certainly_runs(loop, self.constants) else left.join(state)

    def turn(self, loop: Operation, state: State) -> tuple[State, State]:
        return super().turn(loop, self.repeat(loop, state))

    # --- operations ------------------------------------------------------------------------------

    def access(self, op: Operation, touches: Sequence[StaticAccess], effects: Effects, state: State) -> None:
        needed: dict[tuple[int, int], list[Need]] = {}
        apart: dict[tuple[object, ...], tuple[SlotFlags, list[Need]]] = {}
        for touch in touches:
            for other, record in state.conflicts(touch):
                self.relied_on |= record.without[touch.lane]
                at = other.pipe if other.pipe is touch.pipe else effects.flag_pipe(touch.pipe)
                flags = self.slots_between(other, touch, at)
                if flags is None:
                    needed.setdefault((other.lane, NUMBER[at]), []).append((other, record, touch))
                    continue
                known, needs = apart.setdefault(flags.key, (flags, []))
                if known is not flags:
                    known.include(flags)
                needs.append((other, record, touch))
        if not self.checking and (needed or apart):
            self.insert(needed, list(apart.values()))
            for pair in effects.before:
                self.handshake(pair, state)
        for touch in touches:
            state.add(touch, self.time)

    def action(self, op: Operation) -> Action | None:
        if isinstance(op, func.CallOp):
            self.calls[op] = None
        return super().action(op)

    def handshake(self, pair: tuple[Pipe, Pipe], state: State) -> None:
        source, destination = pair
        if source is Pipe.PIPE_ALL:
            state.barrier_all()
        else:
            state.signal(NUMBER[source], NUMBER[destination], self.time, self.time)

    def release(self, op: Operation, action: Release, state: State) -> None:
        self.recorded[action.key] = NUMBER[action.pipe], self.time

    def acquire(self, op: Operation, action: Acquire, state: State) -> None:
        if action.key in self.recorded:
            source, set_at = self.recorded[action.key]
            state.signal(source, NUMBER[action.pipe], set_at, self.time)

    # --- inserting -------------------------------------------------------------------------------

    def insert(
        self, needed: dict[tuple[int, int], list[Need]], apart: list[tuple[SlotFlags, list[Need]]]
    ) -> None:
        self.insertions += 1
        candidates: list[Candidate] = []
        for pipes, found in needed.items():
            pair = self.place(pipes, *max(found, key=lambda each: each[1].time)[:2])
            pair.why = [(first, second) for first, _, second in found]
            candidates.append((pair, pair.set_at, found))
        for flags, found in apart:
            flags.why = [(first, second) for first, _, second in found]
            candidates.append((flags, max(record.time for _, record, _ in found), found))
        candidates.sort(key=lambda candidate: candidate[1])
        chosen, covered = list(candidates), list[Candidate]()
        for candidate in candidates:
            flags = candidate[0]
            if isinstance(flags, SlotFlags) and flags.key in self.slot_flags:
                continue
            others = [each for each in chosen if each is not candidate]
            # What was left out for the sake of this one has to be covered without it, too.
            left_out = [*covered, candidate]
            if all(self._covering(need, pair, others) for pair, _, found in left_out for need in found):
                chosen, covered = others, left_out
        for pair, _, found in covered:
            for need in found:
                by, phase = self._covering(need, pair, chosen), need[0].phase
                if isinstance(by, SlotFlags) and phase is not None and phase.loop is by.loop:
                    by.covered.append(need[0])
        for each, _, _ in chosen:
            if isinstance(each, Pair):
                self.add(each)
                continue
            known = self.slot_flags.setdefault(each.key, each)
            if known is not each:
                known.include(each)
            self.await_slot(known)

    def _covering(
        self, need: Need, pair: Pair | SlotFlags, others: list[Candidate]
    ) -> Pair | SlotFlags | None:
        """Another flag to the same pipe that carries the knowledge."""
        first, record, _ = need
        for other, set_at, _ in others:
            if other.destination != pair.destination:
                continue
            if isinstance(other, SlotFlags) and (first.phase is None or first.phase.loop is not other.loop):
                # The first iterations wait for what came before the loop.
                set_at = self.entered[other.loop]
            if record.comes_before(other.source) <= set_at:
                return other
        return None

    def slots_between(self, first: StaticAccess, second: StaticAccess, pipe: Pipe) -> SlotFlags | None:
        """Flags that wait for an iteration before the last, if that is the one that is needed."""
        if first.age < 2 or not self.connects(first.pipe, pipe):
            return None
        return SlotFlags.between(first, second, NUMBER[pipe])

    def await_slot(self, flags: SlotFlags) -> None:
        """Each wait is for what came before the loop, and for those accesses that it was made for."""
        self.state.signal(flags.source, flags.destination, self.entered[flags.loop], self.time)
        for touch in flags.awaited:
            self.state.acquire(touch, flags.destination, self.time)

    def place(self, pipes: tuple[int, int], touch: StaticAccess, record: PipeRecord) -> Pair:
        """Raise as early and wait as late as one block allows."""
        depth = max(n for n, frame in enumerate(self.frames) if frame.since <= record.time)
        frame = self.frames[depth]
        producer = ancestor_in(frame.block, touch.op)
        if producer is not frame.op:
            crosses = depth < len(self.frames) - 1
            if pipes[0] == pipes[1]:
                return Pair(*pipes, None, frame.op, frame.began, crosses)
            return Pair(*pipes, producer, frame.op, self.ended[producer], crosses)
        # Both lie in one loop (or in two regions of one operation): an earlier iteration is waited for.
        inner = self.frames[depth + 1]
        return Pair(*pipes, None, inner.op, inner.began if pipes[0] == pipes[1] else inner.since, True)

    def learn(self, pair: Pair) -> None:
        """Apply the knowledge of a new pair to the current state, and to the saved ones after the wait."""
        depth, frame = next((n, f) for n, f in enumerate(self.frames) if f.block is pair.block)
        states = [state for deep, states in self.aside if deep > depth for state in states]
        for state in (self.state, *states):
            state.signal(pair.source, pair.destination, pair.set_at, frame.began)

    def add(self, pair: Pair) -> None:
        for known in self.awaited.get(pair.before, ()):
            if (known.source, known.destination) == (pair.source, pair.destination):
                # One wait in front of a loop or branch is enough: for the later of the two.
                known.why += pair.why
                known.crosses, known.turn = known.crosses or pair.crosses, self.insertions
                if known.set_at < pair.set_at:
                    self._unraise(known)
                    known.after, known.set_at = pair.after, pair.set_at
                    self._raise(known)
                self.learn(known)
                return
        pair.turn = self.insertions
        self.pairs.append(pair)
        self.awaited.setdefault(pair.before, []).append(pair)
        self._raise(pair)
        self.learn(pair)

    def _raise(self, pair: Pair) -> None:
        if pair.is_barrier:
            return
        if pair.after is None:
            self.raised_at_start.setdefault(pair.block, []).append(pair)
        else:
            self.raised.setdefault(pair.after, []).append(pair)

    def _unraise(self, pair: Pair) -> None:
        if pair.is_barrier:
            return
        where = self.raised_at_start[pair.block] if pair.after is None else self.raised[pair.after]
        where.remove(pair)
