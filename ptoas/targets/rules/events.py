"""Events that instructions record and wait for (D46)."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from ptoas.analysis.effects import Flag, Pair
from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.sync_actions import event_of, event_pipe, event_pipes
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.sync import EventClauseOp, FlagOp, RecordOp, TSyncOp
from ptoas.dialects.pto.types import EventType
from ptoas.targets.rule import Related, Violation, Violations, function_rule, target_rule
from ptoas.targets.target import Target

_FLAGS = "use set_flag and wait_flag"


def _opcode(op: Operation | None) -> str:
    return f"`{op.mnemonic()}`" if isinstance(op, PtoOp) else "nothing"


@function_rule(
    "PTO-F111",
    source="D46; headers of TSYNC: Event",
    reason="An event is a flag: each wait takes it down, so a second one would wait forever, and one that is "
    "not awaited on every way is still up when it is recorded again.",
)
def event_is_awaited_once_in_its_block(facts: FunctionFacts, _target: Target) -> Violations:
    """An event must be awaited by one instruction, in the block that records it."""
    for number, type in enumerate(facts.func.function_type.inputs):
        if isinstance(type, EventType):
            yield Violation(
                "events can't be passed to functions",
                op=facts.func,
                slot=("argument", number),
                fix="record and await it in one function, or use set_flag and wait_flag",
            )
    for op in facts.instances(TSyncOp):
        record = op.event.owner
        if not isinstance(record, RecordOp):
            message = f"`{value_name(op.event)}` is not recorded in this block: events can't be passed on"
            yield _at_wait(op, message, _FLAGS)
    for record in facts.instances(RecordOp):
        users = [use.operation for use in record.result.uses]
        waits = sorted((op for op in users if isinstance(op, TSyncOp)), key=facts.positions.__getitem__)
        yield from (_passed_on(record, op) for op in users if not isinstance(op, TSyncOp))
        yield from (_elsewhere(record, op) for op in waits if op.parent is not record.parent)
        yield from (_again(record, waits[0], op) for op in waits[1:] if op.parent is record.parent)


def _passed_on(record: RecordOp, user: Operation) -> Violation:
    return Violation(
        f"`{value_name(record.result)}` is passed on by `{user.name}`: events stay where they are recorded",
        op=user,
        fix=_FLAGS,
        related=(Related("recorded here", record),),
    )


def _elsewhere(record: RecordOp, wait: TSyncOp) -> Violation:
    place = "outside of this body, which may run several times or never"
    message = f"`{value_name(record.result)}` is recorded {place}"
    fix = f"wait for it before the loop or branch, or {_FLAGS}"
    return _at_wait(wait, message, fix, Related("recorded here", record))


def _again(record: RecordOp, first: TSyncOp, second: TSyncOp) -> Violation:
    fix = f"remove this wait: what came before the first one is done; for another pipe {_FLAGS}"
    message = f"`{value_name(record.result)}` has already been awaited"
    return _at_wait(second, message, fix, Related("awaited here", first))


def _at_wait(wait: TSyncOp, message: str, fix: str, *related: Related) -> Violation:
    return Violation(message, op=wait, slot="event", part="value", fix=fix, related=related)


@function_rule(
    "PTO-F112",
    source="D46",
    reason="An event that nothing waits for orders nothing.",
    severity=Severity.WARNING,
)
def recorded_event_is_awaited(facts: FunctionFacts, _target: Target) -> Violations:
    """An instruction should wait for each event that is recorded."""
    for record in facts.instances(RecordOp):
        if not record.result.uses:
            yield Violation(
                f"nothing waits for `{value_name(record.result)}`",
                op=record,
                fix=f"add `wait({value_name(record.result)})` to the instruction that must come after it, or "
                "remove `record`",
            )


@target_rule(
    "PTO-F113",
    source="headers of TLOAD, TPREFETCH and TSORT32: WaitEvents",
    reason="The call has no parameters for events, or returns none.",
)
def library_call_has_these_events(facts: FunctionFacts, target: Target) -> Violations:
    """Only instructions whose call takes events wait for them, and only those whose call returns one record
    it."""
    for op in facts.instances(EventClauseOp):
        instruction, records = op.instruction, isinstance(op, RecordOp)
        if instruction is not None and (instruction.RETURNS_EVENT if records else instruction.TAKES_EVENTS):
            if target.has_pipes and event_pipe(op, target.effects) is None:
                yield _refused(op, f"{_opcode(instruction)} runs on no pipe of {target.name}")
            continue
        what = "returns no event" if records else "takes no events"
        yield _refused(
            op,
            f"the call of {_opcode(instruction)} {what}"
            if instruction is not None
            else f"there is no instruction {'before' if records else 'after'} this",
        )


def _refused(op: EventClauseOp, why: str) -> Violation:
    return Violation(why, op=op, fix=_FLAGS)


@target_rule(
    "PTO-F114",
    source="headers of TSYNC: Event",
    reason="An event is a flag of one core. On A5 an event from one of PIPE_M, PIPE_MTE1 and PIPE_FIX to "
    "itself does nothing.",
    on="a5",
)
def event_orders_pipes_of_one_core(facts: FunctionFacts, target: Target) -> Violations:
    """An event must order two pipes of one core."""
    for _, wait, (source, sink) in _awaited(facts, target):
        if not target.connects(source, sink):
            message = f"no core has both {source.value} and {sink.value}, so no event can connect them"
            yield _at_wait(wait, message, "use set_intra_block and wait_intra_block, or a channel")
        elif source is sink and source in target.idle_events:
            message = f"an event from {source.value} to itself orders nothing on {target.name}"
            yield _at_wait(wait, message, f"use `pto.barrier #pto.pipe<{source.value}>`")


def _awaited(facts: FunctionFacts, target: Target) -> Iterator[tuple[RecordOp, TSyncOp, Pair]]:
    """The events that are awaited, with their pipes."""
    for wait in facts.instances(TSyncOp):
        record = wait.event.owner
        pair = event_pipes(record, target.effects) if isinstance(record, RecordOp) else None
        if isinstance(record, RecordOp) and pair is not None and record.wait is wait:
            yield record, wait, pair


@target_rule(
    "PTO-F115",
    source="headers of TSYNC: Event",
    reason="There are eight flags from one pipe to another.",
)
def events_do_not_outnumber_event_ids(facts: FunctionFacts, target: Target) -> Violations:
    """Each event that is pending between two pipes needs an event id of its own."""
    awaited = sorted(_awaited(facts, target), key=lambda each: facts.positions[each[0]])
    taken = _taken(facts, target) if awaited else set[Flag]()
    up: dict[Pair, list[int]] = {}
    for record, wait, pair in awaited:
        if pair[0] is pair[1]:
            continue  # a barrier
        now = facts.positions[record]
        up[pair] = [*(end for end in up.get(pair, ()) if end > now), facts.positions[wait]]
        free = len(target.events) - len({flag for flag in taken if flag[:2] == pair})
        if len(up[pair]) > free:
            source, sink = pair
            yield Violation(
                f"{len(up[pair])} events from {source.value} to {sink.value} are recorded but not awaited "
                f"here; {free} event ids are available",
                op=record,
                fix=f"record one event, at the last instruction of {source.value}; it covers those before",
            )


def _taken(facts: FunctionFacts, target: Target) -> set[Flag]:
    """The flags of the function's own, and of its instructions."""
    found = {flag for op in facts.ops for flag in facts.effects(op, target).reserved_events}
    for op in facts.instances(FlagOp):
        event = event_of(op, facts.knowledge.constant)
        found |= {(*op.flag[:2], each) for each in (target.events if event is None else (event,))}
    return found
