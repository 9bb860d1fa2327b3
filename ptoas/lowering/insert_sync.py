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

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.clocks import NUMBER
from ptoas.analysis.effects import Flag
from ptoas.analysis.function import FunctionFacts, has_manual_sync
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import (
    Order,
    bodies_of,
    callees_first,
    calls_in,
    of_kinds,
    walk,
)
from ptoas.analysis.sync_actions import EffectsOf, event_of, event_pipes
from ptoas.dialects.pto.clauses import first_clause
from ptoas.dialects.pto.enums import Event, EventAttr, Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.sync import BarrierOp, BufferTokenOp, FlagOp, RecordOp, SetFlagOp, WaitFlagOp
from ptoas.dialects.sync_tail import BARRIER, tail_of
from ptoas.lowering.allocate_events import allocate_events
from ptoas.lowering.flag_pairs import Pair
from ptoas.lowering.options import chosen_target
from ptoas.lowering.provenance import add_reason
from ptoas.lowering.synchroniser import Synchroniser
from ptoas.targets import Target


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
        if not target.has_pipes:
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
            if self.sync in ("all", "manual") or has_manual_sync(ops):
                number_events(function, ops, target, used)
            else:
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
    """Insert a barrier of all pipes before every access, and around calls."""
    for op in ops:
        effects = target.effects(op)
        if isinstance(op, func.CallOp) or effects.accesses or effects.implicit:
            barrier = BarrierOp(Pipe.PIPE_ALL, location=op.location)
            Rewriter.insert_op(barrier, InsertPoint.before(first_clause(op)))


def flags_of(function: func.FuncOp, target: Target, used: Mapping[str, frozenset[Flag]]) -> frozenset[Flag]:
    """The flags that go up and down while a function runs: its own, those of its instructions and of what it
    calls, which are in `used`."""
    found: set[Flag] = set()
    for op in walk(function):
        match op:
            case FlagOp():
                found.update(_flags_of(op, target))
            case RecordOp(event_id=EventAttr() as event):
                pipes = event_pipes(op, target.effects)
                found.update(() if pipes is None else ((*pipes, event.data),))
            case func.CallOp():
                found |= used.get(op.callee.string_value(), frozenset())
            case PtoOp():
                found.update(target.effects(op).reserved_events)
            case _:
                pass
    return frozenset(found)


def _flags_of(op: FlagOp, target: Target) -> list[Flag]:
    """The flag that an operation raises or awaits; if its event is unknown, all that it may be."""
    event = event_of(op, Knowledge().constant)
    return [(*op.flag[:2], each) for each in (target.events if event is None else (event,))]


def synchronise(
    function: func.FuncOp,
    ops: Sequence[Operation],
    target: Target,
    used: Mapping[str, frozenset[Flag]] = MappingProxyType({}),
) -> None:
    """Put the flags that `function` needs on `target` into it; `ops` is all that is in it, and `used` are the
    flags of the functions it calls."""
    walker = Synchroniser(FunctionFacts(function, Knowledge(), ops=ops), target)
    pairs = walker.run()
    reserved, events = _reserved(ops, walker.effects, used), event_pairs(ops, target)
    flags = [pair for pair in pairs if not pair.is_barrier and target.connects(*pair.pipes)]
    slots = list(walker.slot_flags.values())
    pairs += allocate_events([*events, *flags], slots, Order(function, ops), reserved, len(target.events))
    _write(pairs, walker.calls, target)
    _write_events(events, target)
    for each in slots:
        if each.event >= 0:
            each.write(target.events, walker.constants)


def number_events(
    function: func.FuncOp, ops: Sequence[Operation], target: Target, used: Mapping[str, frozenset[Flag]]
) -> None:
    """Give the events of a function with manual synchronisation ids that its own flags do not have."""
    pairs = event_pairs(ops, target)
    if not pairs:
        return
    flags = frozenset(flag for op in of_kinds(ops, FlagOp) for flag in _flags_of(op, target))
    reserved = _reserved(ops, target.effects, used)
    allocate_events(pairs, (), Order(function, ops), reserved, len(target.events), flags)
    _write_events(pairs, target)


def event_pairs(ops: Sequence[Operation], target: Target) -> list[Pair]:
    """The flags of the events of a function; one from a pipe to itself is a barrier, which has no id."""
    pairs: list[Pair] = []
    for record in of_kinds(ops, RecordOp):
        pipes = event_pipes(record, target.effects)
        if pipes is None or pipes[0] is pipes[1]:
            continue
        assert record.wait is not None, "it has two ends"
        pair = Pair(NUMBER[pipes[0]], NUMBER[pipes[1]], record, record.wait, 0, False)
        pair.record = record
        pairs.append(pair)
    return pairs


def _reserved(
    ops: Sequence[Operation], effects: EffectsOf, used: Mapping[str, frozenset[Flag]]
) -> dict[Operation, Collection[Flag]]:
    """The flags that instructions, and what is called, raise and take down themselves."""
    found: dict[Operation, Collection[Flag]] = {
        op: used.get(op.callee.string_value(), ()) for op in of_kinds(ops, func.CallOp)
    }
    for op in of_kinds(ops, PtoOp):
        if flags := effects(op).reserved_events:
            found[op] = flags
    return found


def leave_tail(function: func.FuncOp) -> None:
    """Insert the barrier or flag that the function requests at its end."""
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


def _write(pairs: list[Pair], calls: Iterable[func.CallOp], target: Target) -> None:
    starts: dict[Block, list[Operation]] = {}
    for pair in pairs:
        source, destination = pair.pipes
        if pair.is_barrier or not target.connects(source, destination) or pair.event < 0:
            # Where no flag goes that way, or events have all ids, each core waits for all of its own.
            drained = source if pair.is_barrier else Pipe.PIPE_ALL
            barrier = BarrierOp(drained, location=pair.before.location)
            add_reason(barrier, pair.reason)
            Rewriter.insert_op(barrier, InsertPoint.before(first_clause(pair.before)))
            continue
        event = target.events[pair.event]
        parts = _parts_of_flag(source, destination, event)
        raising = SetFlagOp.create(properties=parts, location=pair.before.location)
        waiting = WaitFlagOp.create(properties=parts, location=pair.before.location)
        for flag in (raising, waiting):
            add_reason(flag, pair.reason)
        Rewriter.insert_op(waiting, InsertPoint.before(first_clause(pair.before)))
        if pair.after is None:
            starts.setdefault(pair.block, []).append(raising)
        else:
            Rewriter.insert_op(raising, _after_flags(pair.after))
    for block, raising in starts.items():
        Rewriter.insert_op(raising, InsertPoint.at_start(block))
    for call in calls:
        # A called function starts and ends with all pipes idle.
        for point in (InsertPoint.before(call), InsertPoint.after(call)):
            barrier = BarrierOp(Pipe.PIPE_ALL, location=call.location)
            add_reason(barrier, lambda: "a called function starts and ends with all pipes idle")
            Rewriter.insert_op(barrier, point)


def _write_events(pairs: Sequence[Pair], target: Target) -> None:
    for pair in pairs:
        if pair.record is not None and pair.event >= 0:
            pair.record.event_id = EventAttr(target.events[pair.event])


@cache
def _parts_of_flag(source: Pipe, destination: Pipe, event: Event) -> Mapping[str, Attribute]:
    """Attributes of a flag's two instructions; cached, as a program repeats them."""
    raising, _ = SetFlagOp(source, destination, event), WaitFlagOp(source, destination, event)
    return MappingProxyType(raising.properties)


def _after_flags(op: Operation) -> InsertPoint:
    """Behind the event of `op` and the flags already raised after it, in the order of their making."""
    while isinstance(op.next_op, SetFlagOp | RecordOp):
        op = op.next_op
    return InsertPoint.after(op)
