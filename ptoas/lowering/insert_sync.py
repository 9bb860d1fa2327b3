"""Order the pipes: the fewest pairs of flags, and barriers, that make all dependences hold (D21, D26).

Before:

    pto.tload ins(%m : ...) outs(%i : ...)
    pto.mgather ins(%table, %i : ...) outs(%d : ...) {coalesce = #pto<coalesce row>}
    pto.tstore ins(%d : ...) outs(%o : ...)

After, on `a5`:

    pto.tload ins(%m : ...) outs(%i : ...)
    pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    pto.mgather ins(%table, %i : ...) outs(%d : ...) {coalesce = #pto<coalesce row>}
    pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.tstore ins(%d : ...) outs(%o : ...)

A flag is raised right after the instruction that is waited for, and taken down right before the one that
waits. Both stand in the same block, so every path through branches and loops raises and waits equally often.
What a loop's next iteration needs of the one before is waited for inside the body, raised at its start; what
comes from before a loop or a branch is waited for in front of it. Where a pipe begins an instruction before
the one before it is done, a barrier of the pipe stands right before the instruction that depends on an
earlier one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.clocks import NUMBER, PIPES
from ptoas.analysis.effects import Effects, Flag
from ptoas.analysis.flow import certainly_runs
from ptoas.analysis.function import has_manual_sync
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.order import Accesses, StaticAccess
from ptoas.analysis.storage import StorageMap
from ptoas.analysis.structure import (
    LOOPS,
    Order,
    ancestor_in,
    bodies_of,
    callees_first,
    calls_in,
    is_of,
    of_kinds,
    walk,
)
from ptoas.analysis.sync_actions import Barrier, event_of, is_sync_op, sync_action
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.sync import BarrierOp, BufferTokenOp, FlagOp, SetFlagOp, WaitFlagOp
from ptoas.dialects.sync_tail import BARRIER, tail_of
from ptoas.lowering.allocate_events import allocate_events
from ptoas.lowering.happens_before import MarkedState, PipeRecord, State
from ptoas.lowering.options import chosen_target
from ptoas.lowering.provenance import add_reason, in_order
from ptoas.targets import Target

REDUNDANCY_BUDGET = 100_000
"""Steps spent at most on finding needless pairs of one function."""

Checkpoints = dict[Operation, tuple["State", int]]
"""The state before each operation of a function's body, and its time."""


@dataclass(frozen=True)
class InsertSyncPass(ModulePass):
    """Flags between pipes for functions that have none."""

    name = "insert-sync"
    target: str | None = None
    sync: str | None = None
    """`auto`: replace the program's own flags; `manual`: leave every function alone; `all`: a barrier of all
    pipes before every access, to find out whether a missing flag is the cause of something; none: as D21
    says."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = chosen_target(op, self.target)
        if self.sync == "manual" or not target.has_pipes:
            return
        bodies = bodies_of(op)
        calls = calls_in(bodies)
        called = {name for names in calls.values() for name in names}
        used: dict[str, frozenset[Flag]] = {}
        for function in callees_first(calls):
            ops = bodies[function]
            if self.sync in ("auto", "all"):
                ops = remove_flags(ops)
            if self.sync == "all":
                barrier_everywhere(ops, target)
            elif not has_manual_sync(ops):
                synchronise(function, ops, target, used)
                leave_tail(function)
            if function.sym_name.data in called:
                used[function.sym_name.data] = flags_of(function, target, used)


def remove_flags(ops: Sequence[Operation]) -> list[Operation]:
    """Erase the programmer's flags among the operations of a function; the operations that are left."""
    flags = dict.fromkeys(of_kinds(ops, FlagOp, BufferTokenOp))
    for op in flags:
        Rewriter.erase_op(op)
    return [op for op in ops if op not in flags]


def barrier_everywhere(ops: Sequence[Operation], target: Target) -> None:
    """A barrier of all pipes before every operation that accesses anything, and around calls."""
    for op in ops:
        effects = target.effects(op)
        if isinstance(op, func.CallOp) or effects.accesses or effects.implicit:
            barrier = BarrierOp(Pipe.PIPE_ALL, location=op.location)
            Rewriter.insert_op(barrier, InsertPoint.before(op))


def flags_of(function: func.FuncOp, target: Target, used: Mapping[str, frozenset[Flag]]) -> frozenset[Flag]:
    """The flags that go up and down while a function runs: its own, those of its instructions and of what it
    calls, which are in `used`."""
    found: set[Flag] = set()
    for op in walk(function):
        match op:
            case FlagOp():
                event = event_of(op, Knowledge().constant)
                found.update((*op.flag[:2], each) for each in (target.events if event is None else (event,)))
            case func.CallOp():
                found |= used.get(op.callee.string_value(), frozenset())
            case PtoOp():
                found.update(target.effects(op).reserved_events)
            case _:
                pass
    return frozenset(found)


class Pair:
    """A flag from `source` to `destination`: raised after `after` (or at the block's start), awaited before
    `before`. `crosses`: the accesses that it orders lie in different blocks or iterations.

    From a pipe to itself it is a barrier before `before`.
    """

    __slots__ = (
        "after",
        "before",
        "block",
        "crosses",
        "destination",
        "event",
        "mark",
        "set_at",
        "source",
        "turn",
        "why",
    )

    def __init__(
        self,
        source: int,
        destination: int,
        after: Operation | None,
        before: Operation,
        set_at: int,
        crosses: bool,
    ):
        self.source = source
        self.destination = destination
        self.after = after
        self.before = before
        self.set_at = set_at
        self.event = -1
        self.crosses = crosses
        self.mark = 0
        """A bit of its own, while it is asked what relies on which pair."""
        self.turn = 0
        """The time at which it was inserted, or was raised later."""
        self.why: list[tuple[StaticAccess, StaticAccess]] = []
        """The accesses that it puts in order."""
        block = before.parent
        assert block is not None
        self.block = block

    @property
    def is_barrier(self) -> bool:
        return self.source == self.destination

    @property
    def pipes(self) -> tuple[Pipe, Pipe]:
        return PIPES[self.source], PIPES[self.destination]


BRANCHES = (scf.IfOp, scf.IndexSwitchOp)
"""Operations of whose regions one runs."""

Step = tuple[int, Operation]
"""An operation, and how many before it are none of this pass's business."""

Need = tuple[StaticAccess, PipeRecord, StaticAccess]
"""An access that has to be done, what is known of it, and the one that needs it."""


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
        self.accesses = Accesses(self.effects, target, self.effects.__getitem__, places.of, unsure=True)
        self.state = State(self.accesses)
        self.frames: list[Frame] = []
        self.time = 0
        self.ended: dict[Operation, int] = {}
        self.pairs: list[Pair] = []
        self.awaited: dict[Operation, list[Pair]] = {}
        self.raised: dict[Operation, list[Pair]] = {}
        self.raised_at_start: dict[Block, list[Pair]] = {}
        self.calls: list[func.CallOp] = []
        self.checking = False
        self.turn = 0
        self.relied_on = 0
        """The marks of the pairs that some access needs."""
        self.aside: list[tuple[int, list[State]]] = []
        """States of other paths that are joined later, and how many blocks deep they were put aside."""
        self.iteration_states: dict[Operation, State] = {}
        """The state left by one iteration of a loop on its own."""

    def run(self) -> list[Pair]:
        """Insert what is missing, then drop what later insertions made needless."""
        body = self.function.body.block
        self.walk(body)
        if not self._may_be_needless():
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
        """Skip an operation without accesses of its own."""
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
            action = sync_action(op, self.constants.constant)
            assert isinstance(action, Barrier), "functions with flags or tokens are left alone"
            self.handshake(((action.pipe, action.pipe),))

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
        self.aside.append((len(self.frames), [entry]))
        if op not in self.iteration_states:
            self.state = self.state.empty()
            self._iterate(op)
            self.iteration_states[op] = self.state
        self.state = entry.join(self.iteration_states[op].at(self.time))
        self.time += 1
        self.state = self.wait(op, self._iterate(op), began)
        self.aside.pop()
        if not certainly_runs(op, self.constants):
            self.state = self.state.join(self.wait(op, entry, began))

    def _iterate(self, op: Operation) -> State:
        """Walk the regions once; the state in which the loop would end."""
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
            for touch in touches:
                for other, record in state.conflicts(touch):
                    at = other.pipe if other.pipe is touch.pipe else effects.entrance(touch.pipe)
                    needed.setdefault((other.lane, NUMBER[at]), []).append((other, record, touch))
            if needed:
                if self.checking:
                    raise _Unordered
                self.insert(needed)
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

    def insert(self, needed: dict[tuple[int, int], list[Need]]) -> None:
        self.turn += 1
        candidates = [
            (
                self.place(pipes, *max(found, key=lambda each: each[1].time)),
                [record for _, record, _ in found],
            )
            for pipes, found in needed.items()
        ]
        for (pair, _), found in zip(candidates, needed.values(), strict=True):
            pair.why = [(first, second) for first, _, second in found]
        candidates.sort(key=lambda candidate: candidate[0].set_at)
        chosen, covered = list(candidates), list[tuple[Pair, list[PipeRecord]]]()
        for candidate in candidates:
            others = [each for each in chosen if each is not candidate]
            # What was left out for the sake of this one has to be covered without it, too.
            left_out = [*covered, candidate]
            if all(self._is_covered(r, pair, others) for pair, records in left_out for r in records):
                chosen, covered = others, left_out
        for pair, _ in chosen:
            self.add(pair)

    @staticmethod
    def _is_covered(record: PipeRecord, pair: Pair, others: list[tuple[Pair, list[PipeRecord]]]) -> bool:
        """Return True if another flag to the same pipe carries the knowledge."""
        return any(
            other.destination == pair.destination and record.comes_before(other.source) <= other.set_at
            for other, _ in others
        )

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


def synchronise(
    function: func.FuncOp,
    ops: Sequence[Operation],
    target: Target,
    used: Mapping[str, frozenset[Flag]] = MappingProxyType({}),
) -> None:
    """Put the flags that `function` needs on `target` into it; `ops` is all that is in it, and `used` are the
    flags of the functions it calls."""
    walker = Synchroniser(function, ops, target)
    pairs = walker.run()
    reserved: dict[Operation, Collection[Flag]] = {
        op: effects.reserved_events for op, effects in walker.effects.items() if effects.reserved_events
    }
    for call in walker.calls:
        reserved[call] = used.get(call.callee.string_value(), ())
    flags = [pair for pair in pairs if not pair.is_barrier and target.connects(*pair.pipes)]
    allocate_events(flags, Order(function, ops), reserved, len(target.events))
    _write(pairs, walker.calls, target)


def leave_tail(function: func.FuncOp) -> None:
    """Put what the function asks for at its end, where all of its own flags are down."""
    kind = tail_of(function)
    if kind is None:
        return
    for end in [op for op in function.body.walk() if isinstance(op, func.ReturnOp)]:
        flag = (Pipe.PIPE_MTE3, Pipe.PIPE_S, Event.EVENT_ID0)
        tail = (
            [BarrierOp(Pipe.PIPE_ALL, location=end.location)]
            if kind == BARRIER
            else [SetFlagOp(*flag, location=end.location), WaitFlagOp(*flag, location=end.location)]
        )
        for op in tail:
            add_reason(op, lambda: "the function asks for it: pto.auto_sync_tail_hint")
        Rewriter.insert_op(tail, InsertPoint.before(end))


def _write(pairs: list[Pair], calls: list[func.CallOp], target: Target) -> None:
    starts: dict[Block, list[Operation]] = {}
    for pair in pairs:
        source, destination = pair.pipes
        if pair.is_barrier:
            barrier = BarrierOp(source, location=pair.before.location)
            add_reason(barrier, partial(in_order, pair.why))
            Rewriter.insert_op(barrier, InsertPoint.before(pair.before))
            continue
        if not target.connects(source, destination):
            # No flag goes that way: each core of the function waits for all of its own.
            barrier = BarrierOp(Pipe.PIPE_ALL, location=pair.before.location)
            add_reason(barrier, partial(in_order, pair.why))
            Rewriter.insert_op(barrier, InsertPoint.before(pair.before))
            continue
        event = target.events[pair.event]
        parts = _parts_of_flag(source, destination, event)
        raising = SetFlagOp.create(properties=parts, location=pair.before.location)
        waiting = WaitFlagOp.create(properties=parts, location=pair.before.location)
        for flag in (raising, waiting):
            add_reason(flag, partial(in_order, pair.why))
        Rewriter.insert_op(waiting, InsertPoint.before(pair.before))
        if pair.after is None:
            starts.setdefault(pair.block, []).append(raising)
        else:
            Rewriter.insert_op(raising, _after_flags(pair.after))
    for block, raising in starts.items():
        Rewriter.insert_op(raising, InsertPoint.at_start(block))
    for call in dict.fromkeys(calls):
        # A called function starts and ends with all pipes at rest.
        for point in (InsertPoint.before(call), InsertPoint.after(call)):
            barrier = BarrierOp(Pipe.PIPE_ALL, location=call.location)
            add_reason(barrier, lambda: "a called function starts and ends with all pipes at rest")
            Rewriter.insert_op(barrier, point)


@cache
def _parts_of_flag(source: Pipe, destination: Pipe, event: Event) -> Mapping[str, Attribute]:
    """Attributes of a flag's two instructions; cached, as a program repeats them."""
    raising, _ = SetFlagOp(source, destination, event), WaitFlagOp(source, destination, event)
    return MappingProxyType(raising.properties)


def _after_flags(op: Operation) -> InsertPoint:
    """Behind the flags already raised after `op`, so that they stay in the order of their making."""
    while isinstance(op.next_op, SetFlagOp):
        op = op.next_op
    return InsertPoint.after(op)
