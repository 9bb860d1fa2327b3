"""Walk of `insert-sync` over a function: an access that comes too early gets a flag or a barrier.

The accesses, their conflicts and their phases are those of `verify` (`ptoas.analysis.order`), and so are the
actions of what orders pipes by itself. The states are not: `verify` joins flags that are raised in several
places, and this walk has to know since when each pipe knows of an access, to raise a flag before that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from xdsl.dialects import func, scf
from xdsl.ir import Block, Operation

from ptoas.analysis.clocks import NUMBER
from ptoas.analysis.effects import Effects
from ptoas.analysis.flow import certainly_runs
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.order import Accesses, StaticAccess
from ptoas.analysis.phases import Phases
from ptoas.analysis.storage import StorageMap
from ptoas.analysis.structure import (
    LOOPS,
    ancestor_in,
    is_of,
    of_kinds,
)
from ptoas.analysis.sync_actions import Acquire, Barrier, Release, SyncKey, is_sync_op, sync_action
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.lowering.flag_pairs import Pair, SlotFlags
from ptoas.lowering.happens_before import NEVER, MarkedState, PipeRecord, State
from ptoas.targets import Target

REDUNDANCY_BUDGET = 100_000
"""Steps spent at most on finding needless pairs of one function."""

Checkpoints = dict[Operation, tuple["State", int]]
"""The state before each operation of a function's body, and its time."""


BRANCHES = (scf.IfOp, scf.IndexSwitchOp)
"""Operations of whose regions one runs."""

Step = tuple[int, Operation]
"""An operation, and how many before it are none of this pass's business."""

Need = tuple[StaticAccess, PipeRecord, StaticAccess]
"""An access that has to be done, what is known of it, and the one that needs it."""


Candidate = tuple[Pair | SlotFlags, int, list[Need]]
"""Flags, the time as of which they tell of their source, and what needs them."""


class _Unordered(Exception):
    """An access that nothing orders was found while only checking."""


@dataclass
class Frame:
    """A block that is being walked: since when, and at which operation."""

    block: Block
    since: int
    op: Operation
    began: int = 0
    """The start time of the operation."""


class Synchroniser:
    """Walks a function, loops twice when they are first met, and puts a pair wherever an access comes too
    early."""

    def __init__(self, function: func.FuncOp, ops: Sequence[Operation], target: Target):
        """`ops` is all that is in the function, in its order."""
        self.function = function
        self.ops = ops
        self.target = target
        self.effects: dict[Operation, Effects] = {op: target.effects(op) for op in of_kinds(ops, PtoOp)}
        self.constants = Knowledge()
        places = StorageMap(function, self.effects, self.constants)
        self._steps: dict[Block, list[Step]] = {}
        phases = Phases(ops, self.constants)
        self.accesses = Accesses(
            self.effects, target, self.effects.__getitem__, places.of, phases, unsure=True
        )
        self.state = State(self.accesses)
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
        self.calls: list[func.CallOp] = []
        self.recorded: dict[SyncKey, tuple[int, int]] = {}
        """The pipe and the time of each event; functions with flags or tokens are left alone."""
        self.checking = False
        self.turn = 0
        self.relied_on = 0
        """The marks of the pairs that some access needs."""
        self.aside: list[tuple[int, list[State]]] = []
        """States of other paths that are joined later, and how many blocks deep they were put aside."""
        self.iteration_states: dict[Operation, State] = {}
        """The state left by one iteration of a loop on its own, or by one for each of its tiles."""

    def run(self) -> list[Pair]:
        """Insert missing flags, then remove those that later insertions made redundant."""
        body = self.function.body.block
        self.walk(body)
        if self.slot_flags or not self._may_be_needless():
            return self.pairs
        self.checking = True
        doubtful = self._not_relied_on()
        if not doubtful:
            return self.pairs
        known: Checkpoints = {}
        self._is_fully_synchronised(self.steps(body)[0][1], State(self.accesses), {}, known)
        steps = 0
        for pair in doubtful:
            at = self._remove(pair)
            first = ancestor_in(body, pair.before)
            state, self.time = known[first]
            began, seen = self.time, Checkpoints()
            if self._is_fully_synchronised(first, state.copy(), known, seen):
                known |= seen
                self.pairs.remove(pair)
            else:
                self._restore(pair, at)
            steps += self.time - began
            if steps > REDUNDANCY_BUDGET:
                break
        return self.pairs

    def _may_be_needless(self) -> bool:
        """Return True if any pair may be redundant, by a quick test.

        Each was needed when it was put in. What makes it needless was put in later and is awaited before the
        access that needs it; so both order what lies before their block, since what lies in it was ordered in
        its turn.
        """
        crossing = [pair for pair in self.pairs if pair.crosses]
        if len({pair.turn for pair in crossing}) < 2:
            return False
        place = {op: at for at, op in enumerate(self.ops)}
        earliest = len(place)
        crossing.sort(key=lambda pair: pair.turn, reverse=True)
        for _, group in groupby(crossing, key=lambda pair: pair.turn):
            members = list(group)
            if earliest <= max(place[second.op] for pair in members for _, second in pair.why):
                return True
            earliest = min(earliest, *(place[pair.before] for pair in members))
        return False

    def _not_relied_on(self) -> list[Pair]:
        """The pairs that may be needless: no access comes too early for the lack of just that one.

        All are asked in one walk. It may take a needed one for a needless one (what an access stands for is
        forgotten), never the other way round.
        """
        for number, pair in enumerate(self.pairs):
            pair.mark = 1 << number
        self._is_fully_synchronised(
            self.steps(self.function.body.block)[0][1], MarkedState(self.accesses), {}, {}
        )
        found = [pair for pair in self.pairs if not pair.mark & self.relied_on]
        for pair in self.pairs:
            pair.mark = 0
        return found

    def _is_fully_synchronised(
        self, first: Operation | None, state: State, known: Checkpoints, seen: Checkpoints
    ) -> bool:
        """Return True if the current pairs order everything from an operation of the body on.

        Where no more and no less is known than before, nothing can have changed behind it.
        """
        self.state = state
        self.aside.clear()
        self.iteration_states.clear()
        body = self.function.body.block
        steps = self.steps(body)
        start = next((at for at, (_, op) in enumerate(steps) if op is first), len(steps))
        for skipped, op in steps[start:]:
            before = known.get(op)
            if op is not first and before is not None and before[0].is_equal(self.state):
                return True
            self.time += skipped if op is not first else 0
            seen[op] = (self.state.copy(), self.time)
            self.frames = [Frame(body, 0, op)]
            try:
                self.step(self.frames[0], op)
            except _Unordered:
                return False
        return True

    def _remove(self, pair: Pair) -> int:
        """Leave it out; where it stood among those that are awaited at once."""
        awaited = self.awaited[pair.before]
        at = awaited.index(pair)
        del awaited[at]
        self._unraise(pair)
        return at

    def _restore(self, pair: Pair, at: int) -> None:
        self.awaited[pair.before].insert(at, pair)
        self._raise(pair)

    # --- walking ---------------------------------------------------------------------------------

    def walk(self, block: Block) -> None:
        first = block.first_op
        if first is None:
            return
        frame = Frame(block, self.time, first)
        self.frames.append(frame)
        for pair in self.raised_at_start.get(block, ()):
            pair.set_at = self.time
        for skipped, op in self.steps(block):
            self.time += skipped
            self.step(frame, op)
        self.frames.pop()

    def steps(self, block: Block) -> list[Step]:
        """The operations of a block that access anything, order anything or have a body, and its last; for
        each the number of others before it. A loop's are walked several times."""
        found = self._steps.get(block)
        if found is None:
            found = self._steps[block] = []
            skipped = 0
            for op in block.ops:
                if op.regions or op.next_op is None or op in self.accesses.of or is_sync_op(op.__class__):
                    found.append((skipped, op))
                    skipped = 0
                else:
                    skipped += 1
        return found

    def step(self, frame: Frame, op: Operation) -> None:
        frame.op = op
        self.time += 1
        frame.began = self.time
        if op in self.awaited:
            self.wait(op)
        for flags in self.slot_flags.values():
            if flags.before is op:
                self.await_slot(flags)
        touches = self.accesses.of.get(op)
        if touches is None:
            self.visit(op)
        else:
            self.access(op, touches)
        self.ended[op] = self.time
        for pair in self.raised.get(op, ()):
            pair.set_at = self.time

    def wait(self, op: Operation, state: State | None = None, at: int | None = None) -> State:
        """Take down the flags in front of `op`; for a state of another path, at the time when `op` began."""
        state = self.state if state is None else state
        now = self.time if at is None else at
        for pair in self.awaited.get(op, ()):
            set_at = now if pair.is_barrier else pair.set_at
            state.signal(pair.source, pair.destination, set_at, now, pair.mark)
        return state

    def visit(self, op: Operation) -> None:
        """Skip an operation without accesses."""
        kind = op.__class__
        if not op.regions and not is_sync_op(kind):
            return
        if is_of(kind, LOOPS):
            self.visit_loop(op)
        elif is_of(kind, BRANCHES):
            self.visit_branches(op)
        elif op.regions:
            for region in op.regions:
                for block in region.blocks:
                    self.walk(block)
        else:
            if isinstance(op, func.CallOp):
                self.calls.append(op)
            match sync_action(op, self.constants.constant, self.target.effects):
                case Barrier(pipe):
                    self.handshake(((pipe, pipe),))
                case Release(pipe, key):
                    self.recorded[key] = NUMBER[pipe], self.time
                case Acquire(pipe, key) if key in self.recorded:
                    source, set_at = self.recorded[key]
                    self.state.signal(source, NUMBER[pipe], set_at, self.time)
                case _:
                    pass

    def visit_branches(self, op: Operation) -> None:
        entry, began = self.state, self.time
        self.aside.append((len(self.frames), [entry]))
        exits = self.aside[-1][1]
        for region in op.regions:
            # A branch before this one may have put flags in front of the whole.
            self.state = self.wait(op, entry.copy(), began)
            for block in region.blocks:
                self.walk(block)
            exits.append(self.state)
        self.aside.pop()
        self.state = self.wait(op, exits[1], began)
        for each in exits[2:]:
            self.state = self.state.join(self.wait(op, each, began))

    def visit_loop(self, op: Operation) -> None:
        """First an iteration by itself; then one that follows what came before the loop, or an iteration.

        A loop inside a loop is met again. What its iteration by itself leaves behind is known then: pairs
        that were added since order more, never less.
        """
        entry, began = self.state, self.time
        self.entered[op] = began
        self.aside.append((len(self.frames), [entry]))
        period = max(
            (touch.phase.period for touch in self.accesses.phased.get(op, ()) if touch.phase), default=1
        )
        if op not in self.iteration_states:
            self.state = self.state.empty()
            for _ in range(period):
                self._iterate(op)
            self.iteration_states[op] = self.state
        names = self.accesses.next_run(op)
        before = entry.renamed(names) if names else entry
        self.state = before.join(self._just_now(self.iteration_states[op], period))
        self.time += 1
        self.state = self.wait(op, self._iterate(op), began)
        self.aside.pop()
        for flags in self.slot_flags.values():
            if flags.loop is op:
                # In a part of the body the last flag may be from an iteration before the last.
                last = self.ended[flags.after] if flags.block is flags.loop.body.block else began
                self.state.signal(flags.source, flags.destination, last, self.time)
                entry.signal(flags.source, flags.destination, began, self.time)
        if not certainly_runs(op, self.constants):
            self.state = self.state.join(self.wait(op, entry, began))

    def _just_now(self, state: State, period: int) -> State:
        """A state as if it had just been reached; of several iterations the order of time matters."""
        times = state.times()
        if period == 1:
            return state.at(dict.fromkeys(times, self.time) | {NEVER: NEVER})
        ranks = {time: self.time + rank for rank, time in enumerate(sorted(times))}
        self.time += len(ranks)
        return state.at(ranks | {NEVER: NEVER})

    def _iterate(self, op: Operation) -> State:
        """Walk the regions once; the state in which the loop would end."""
        names = self.accesses.next_iteration(op)
        if names:
            self.state = self.state.renamed(names)
        leaving: State | None = None
        for region in op.regions:
            for block in region.blocks:
                self.walk(block)
            if op.__class__ is scf.WhileOp and leaving is None:
                leaving = self.state.copy()  # behind its condition
        return leaving or self.state

    # --- accesses --------------------------------------------------------------------------------

    def access(self, op: Operation, touches: list[StaticAccess]) -> None:
        state, effects = self.state, self.effects[op]
        if effects.before:
            self.handshake(effects.before)
        if isinstance(state, MarkedState):
            for touch in touches:
                self.relied_on |= state.relied_on(touch)
            if self.relied_on < 0:
                raise _Unordered
        else:
            needed: dict[tuple[int, int], list[Need]] = {}
            apart: dict[tuple[object, ...], tuple[SlotFlags, list[Need]]] = {}
            for touch in touches:
                for other, record in state.conflicts(touch):
                    at = other.pipe if other.pipe is touch.pipe else effects.flag_pipe(touch.pipe)
                    flags = self.slots_between(other, touch, at)
                    if flags is None:
                        needed.setdefault((other.lane, NUMBER[at]), []).append((other, record, touch))
                        continue
                    known, needs = apart.setdefault(flags.key, (flags, []))
                    if known is not flags:
                        known.include(flags)
                    needs.append((other, record, touch))
            if needed or apart:
                if self.checking:
                    raise _Unordered
                self.insert(needed, list(apart.values()))
                self.handshake(effects.before)
        for touch in touches:
            state.add(touch, self.time)
        if effects.after:
            self.handshake(effects.after)

    def handshake(self, pairs: tuple[tuple[Pipe, Pipe], ...]) -> None:
        for source, destination in pairs:
            if source is Pipe.PIPE_ALL:
                self.state.barrier_all()
            else:
                self.state.signal(NUMBER[source], NUMBER[destination], self.time, self.time)

    # --- inserting -------------------------------------------------------------------------------

    def insert(
        self, needed: dict[tuple[int, int], list[Need]], apart: list[tuple[SlotFlags, list[Need]]]
    ) -> None:
        self.turn += 1
        candidates: list[Candidate] = []
        for pipes, found in needed.items():
            pair = self.place(pipes, *max(found, key=lambda each: each[1].time))
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
        if not self.target.connects(first.pipe, pipe):
            return None
        return SlotFlags.between(first, second, NUMBER[pipe])

    def await_slot(self, flags: SlotFlags) -> None:
        """Each wait is for what came before the loop, and for those accesses that it was made for."""
        self.state.signal(flags.source, flags.destination, self.entered[flags.loop], self.time)
        for touch in flags.awaited:
            self.state.acquire(touch, flags.destination, self.time)

    def place(self, pipes: tuple[int, int], touch: StaticAccess, record: PipeRecord, _: StaticAccess) -> Pair:
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
        states = [state for deep, states in self.aside if deep > depth + 1 for state in states]
        for state in (self.state, *states):
            state.signal(pair.source, pair.destination, pair.set_at, frame.began)

    def add(self, pair: Pair) -> None:
        for known in self.awaited.get(pair.before, ()):
            if (known.source, known.destination) == (pair.source, pair.destination):
                # One wait in front of a loop or branch is enough: for the later of the two.
                known.why += pair.why
                known.crosses, known.turn = known.crosses or pair.crosses, self.turn
                if known.set_at < pair.set_at:
                    self._unraise(known)
                    known.after, known.set_at = pair.after, pair.set_at
                    self._raise(known)
                self.learn(known)
                return
        pair.turn = self.turn
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
