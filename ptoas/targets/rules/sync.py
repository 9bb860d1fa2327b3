"""Flags and pipes in functions with manual synchronisation (D21; document 000, Pipe / Synchronisation
Model).
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from ptoas.analysis.effects import Flag
from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.storage import Storage
from ptoas.analysis.sync_flow import FlagMisuse, Hazard, SyncFlow
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.sync import BufferTokenOp, DrainOp, FlagOp
from ptoas.targets.fixit import Fixit
from ptoas.targets.rule import Related, Violation, Violations, function_rule, target_rule
from ptoas.targets.rules.sync_fixes import (
    Fix,
    FreeEvents,
    missing_barrier,
    missing_flag,
    missing_set,
    missing_wait,
    missing_wait_before,
    missing_wait_between,
)
from ptoas.targets.target import Target


def _name(flag: Flag) -> str:
    source, sink, event = flag
    return f"{event.value} ({source.value} to {sink.value})"


def _analysis(facts: FunctionFacts, target: Target) -> SyncFlow | None:
    """The analysis that these rules share; `None` if the compiler inserts the flags."""
    if not facts.has_manual_sync:
        return None
    key = (target.name, "sync")
    found = facts.analyses.get(key)
    if not isinstance(found, SyncFlow):
        found = SyncFlow(facts, target)
        found.run()
        facts.analyses[key] = found
    return found


def _misuses(facts: FunctionFacts, target: Target, *kinds: str) -> Iterator[FlagMisuse]:
    analysis = _analysis(facts, target)
    if analysis is not None:
        yield from (misuse for misuse in analysis.misuses.values() if misuse.kind in kinds)


def _opcode(op: Operation) -> str:
    assert isinstance(op, PtoOp), "nothing else touches memory"
    return op.mnemonic()


@target_rule(
    "PTO-F101",
    source="000, Pipe / Synchronisation Model; D21",
    reason="Pipes run in parallel; without a flag the second access may happen first.",
)
def accesses_of_two_pipes_are_ordered(facts: FunctionFacts, target: Target) -> Violations:
    """Conflicting accesses from different pipes must be ordered by set_flag/wait_flag."""
    analysis = _analysis(facts, target)
    if analysis is None:
        return
    events = FreeEvents(facts, analysis, target.events)
    for hazard in analysis.hazards.values():
        # If a wait is between the two, its missing set_flag is the mistake: PTO-F102.
        if hazard.pair[0] is not hazard.pair[1] and _between(hazard, analysis, facts, "unset") is None:
            yield _hazard(hazard, analysis, facts, events)


def _hazard(hazard: Hazard, analysis: SyncFlow, facts: FunctionFacts, events: FreeEvents) -> Violation:
    forgotten = _between(hazard, analysis, facts, "left up")
    wait = None if forgotten is None else missing_wait_before(facts, forgotten, hazard.second.op)
    if forgotten is not None and wait is not None:
        flag = forgotten.flag
        return _too_early(
            hazard,
            facts,
            f"nothing waits for {_name(flag)}, set in line {facts.line(forgotten.op)}",
            wait,
        )
    event = events.take(hazard.pair)
    if event is None:
        fix = missing_barrier(facts, hazard.pair, hazard.second.op)
    else:
        fix = missing_flag(facts, hazard.first.op, hazard.second.op, (*hazard.pair, event))
    return _too_early(hazard, facts, "no flag orders them", fix)


def _between(hazard: Hazard, analysis: SyncFlow, facts: FunctionFacts, kind: str) -> FlagMisuse | None:
    """A flag between the two accesses that would order them, if it were awaited, or raised."""
    place = facts.positions
    for misuse in analysis.misuses.values():
        inside = place[hazard.first.op] < place[misuse.op] < place[hazard.second.op]
        if misuse.kind == kind and misuse.flag[:2] == hazard.pair and inside:
            return misuse
    return None


def _raised_with_another_id(misuse: FlagMisuse, facts: FunctionFacts, target: Target) -> FlagMisuse | None:
    """A flag of the same pipes that was raised before, and that nothing awaits."""
    place = facts.positions
    for other in _misuses(facts, target, "left up"):
        if (
            other.flag[:2] == misuse.flag[:2]
            and other.flag != misuse.flag
            and place[other.op] < place[misuse.op]
        ):
            return other
    return None


def _too_early(hazard: Hazard, facts: FunctionFacts, found: str, fix: Fix) -> Violation:
    words, edits = fix
    first, second = hazard.first, hazard.second
    turn = facts.positions[first.op] >= facts.positions[second.op]
    when = " of the previous iteration" if turn else ""
    verbs = {True: "write", False: "read"}
    done = {True: "has written", False: "has read"}
    at = second.op.operands.index(second.value) if second.value in second.op.operands else None
    return Violation(
        f"`{_opcode(second.op)}` on {second.pipe.value} may {verbs[second.write]} "
        f"`{value_name(second.value)}` before `{_opcode(first.op)}` on {first.pipe.value} in line "
        f"{facts.line(first.op)}{when} {done[first.write]} it: {found}",
        op=second.op,
        slot=None if at is None else ("operand", at),
        part="value",
        fix=_partial_overlap(hazard) or words,
        fixit=() if _partial_overlap(hazard) else edits,
        related=(
            Related(f"`{_opcode(first.op)}` {verbs[first.write]}s it here", first.op),
            *_manual_sync_note(hazard, facts),
        ),
    )


def _manual_sync_note(hazard: Hazard, facts: FunctionFacts) -> Iterator[Related]:
    """The note, given once, that a single flag switches the insertion off (D21)."""
    hazards = [each for each in facts.analyses.values() if isinstance(each, SyncFlow)]
    if facts.sync_override is not None or not any(
        hazard is next(iter(h.hazards.values()), None) for h in hazards
    ):
        return
    flags = [op for op in facts.ops if isinstance(op, FlagOp | BufferTokenOp)]
    if flags:
        yield Related(
            "this flag switches the function to manual synchronisation; no flags are inserted (override with "
            "`--sync auto`)",
            flags[0],
        )


def _partial_overlap(hazard: Hazard) -> str | None:
    """The overlap of two tiles that share only a part of their bytes: no order of the accesses is
    correct.
    """
    one, other = hazard.first.place, hazard.second.place
    if not isinstance(one, Storage) or not isinstance(other, Storage) or one.root is other.root:
        return None
    if one.start is None or other.start is None or one.start == other.start:
        return None
    names = (
        f"{value_name(one.root)} (from byte {one.start}) and {value_name(other.root)} (from {other.start})"
    )
    return f"place {names} apart: they overlap, so one overwrites the other in any order"


def _misused(misuse: FlagMisuse, message: str, fix: Fix, *related: Related) -> Violation:
    words, edits = fix
    return Violation(message, op=misuse.op, fix=words, fixit=edits, related=related)


@target_rule(
    "PTO-F102",
    source="D21; public set_flag and wait_flag pages",
    reason="Otherwise the pipe waits for ever.",
)
def flag_is_set_before_its_wait(facts: FunctionFacts, target: Target) -> Violations:
    """Every wait_flag needs a matching set_flag before it, on every path and in every loop iteration."""
    for misuse in _misuses(facts, target, "unset", "maybe unset"):
        found, related = "has no matching `set_flag` before it", ()
        raised = _raised_with_another_id(misuse, facts, target)
        if raised is not None and misuse.kind == "unset":
            event = raised.flag[2].value
            line = facts.line(raised.op)
            message = f"`wait_flag` for {_name(misuse.flag)} waits for ever: line {line} sets {event} instead"
            fix = (f"wait for {event}", (Fixit("word", event, misuse.flag[2].value, safe=False),))
            yield _misused(
                misuse, message, fix, Related(f"{event} is set here and never waited for", raised.op)
            )
            continue
        if misuse.other is not None:
            found = "has a matching `set_flag` on some paths only"
            related = (Related("some paths do not reach this `set_flag`", misuse.other),)
        message = f"`wait_flag` for {_name(misuse.flag)} {found}, so it can wait for ever"
        yield _misused(misuse, message, missing_set(facts, misuse), *related)


@target_rule(
    "PTO-F103",
    source="D21; public set_flag and wait_flag pages",
    reason="A flag is one bit: set twice, it satisfies only one wait, and the second wait never ends.",
)
def flag_is_not_set_twice(facts: FunctionFacts, target: Target) -> Violations:
    """A flag must be waited for before it is set again, on every path and in every loop iteration."""
    for misuse in _misuses(facts, target, "set twice"):
        message = f"{_name(misuse.flag)} is set twice without a `wait_flag` in between"
        fix = missing_wait_between(facts, misuse)
        yield _misused(misuse, message, fix, Related("set here", misuse.other))


@target_rule(
    "PTO-F104",
    source="D21; public set_flag and wait_flag pages",
    reason="The flag stays set and satisfies a wait of whatever runs next on the core.",
    severity=Severity.WARNING,
)
def set_flag_is_waited_for(facts: FunctionFacts, target: Target) -> Violations:
    """Every flag that is set must be waited for before the function ends."""
    analysis = _analysis(facts, target)
    if analysis is None:
        return
    # PTO-F101 reports missing waits, PTO-F102 waits for another id.
    found = [_between(hazard, analysis, facts, "left up") for hazard in analysis.hazards.values()]
    found += [_raised_with_another_id(misuse, facts, target) for misuse in _misuses(facts, target, "unset")]
    for misuse in _misuses(facts, target, "left up"):
        if misuse in found:
            continue
        message = f"{_name(misuse.flag)} is set but never waited for"
        yield _misused(misuse, message, missing_wait(facts, misuse))


@function_rule(
    "PTO-F105",
    source="public set_flag and wait_flag pages",
    reason="Use a barrier to order instructions within one pipe, or all pipes.",
)
def flag_connects_two_pipes(facts: FunctionFacts, _target: Target) -> Violations:
    """A flag must connect two different pipes, neither of them PIPE_ALL."""
    for op in facts.instances(FlagOp):
        source, sink, _ = op.flag
        if source is sink or Pipe.PIPE_ALL in (source, sink):
            first, second = [name for name in op.signature().fields if name != "event_id"]
            yield Violation(
                f"a flag orders two different pipes, not {source.value} and {sink.value}",
                op=op,
                field=second if source is sink else first,
                fix=f"use `{barrier_text(source)}`",
            )


@target_rule(
    "PTO-F106",
    source="000, Pipe / Synchronisation Model, A2/A3; public headers",
    reason="The instruction sets and waits for this flag itself; if it is already set, the instruction "
    "continues too early.",
    on="a2a3",
)
def internal_flags_are_clear(facts: FunctionFacts, target: Target) -> Violations:
    """A flag that an instruction uses internally must not be set when it starts."""
    for misuse in _misuses(facts, target, "reserved"):
        message = f"`{_opcode(misuse.op)}` uses {_name(misuse.flag)} internally, but it is still set"
        fix = ("use another event id, or wait for the flag before", ())
        yield _misused(misuse, message, fix, Related("set here", misuse.other))


def barrier_text(pipe: Pipe) -> str:
    """A barrier as text."""
    return f"pto.barrier #pto.pipe<{pipe.value}>"


@target_rule(
    "PTO-F107",
    source="D26",
    reason="The pipe starts an instruction before the previous one has finished.",
)
def accesses_of_one_pipe_are_ordered(facts: FunctionFacts, target: Target) -> Violations:
    """Conflicting accesses from one pipe must be ordered by a barrier of that pipe."""
    analysis = _analysis(facts, target)
    for hazard in analysis.hazards.values() if analysis is not None else ():
        pipe = hazard.second.pipe
        if hazard.pair[0] is hazard.pair[1]:
            found = "no barrier orders them"
            fix = f"add `{barrier_text(pipe)}` before line {facts.line(hazard.second.op)}"
            yield _too_early(hazard, facts, found, (fix, (Fixit("before", barrier_text(pipe)),)))


@target_rule(
    "PTO-F108",
    source="D26",
    reason="The hardware orders this pipe itself, and the compiler has no barrier for it.",
)
def barrier_names_an_unordered_pipe(facts: FunctionFacts, target: Target) -> Violations:
    """A barrier of PIPE_V is only allowed if the vector pipe does not keep its own order."""
    for op in facts.instances(DrainOp):
        if op.drained is Pipe.PIPE_V and Pipe.PIPE_V not in target.overlapping_pipes:
            yield Violation(
                f"no barrier of {op.drained.value} exists here: the hardware keeps this pipe in order",
                op=op,
                field=next(iter(op.signature().fields)),
                fix="remove it",
                fixit=Fixit("remove"),
            )
