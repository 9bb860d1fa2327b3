"""Flags that fixes add: their places, their event ids, and the spelling that the function uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.scf import ForOp, IfOp
from xdsl.ir import Operation

from ptoas.analysis.effects import Flag, Pair
from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.sync_actions import event_of
from ptoas.analysis.sync_flow import FlagMisuse, SyncFlow
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.sync import FlagOp, SetsFlag
from ptoas.grammar.spans import span_of
from ptoas.targets.fixit import Fixit

_BRACKET = re.compile(r"(pto\.)?\w+\s*\[\s*(#pto\.|<|\"|)")
_SPELLINGS = {
    "#pto.": ("#pto.pipe<{}>", "#pto.pipe<{}>", "#pto.event<{}>"),
    "<": ("<{}>",) * 3,
    '"': ('"{}"',) * 3,
    "": ("{}",) * 3,
}
"""Spellings of the three attributes of a flag, by the first characters after the bracket."""


class FlagWriter:
    """Writes flags as the first flag of a function is written, or else as its first instruction is."""

    def __init__(self, facts: FunctionFacts):
        texts = [_text(op) for op in facts.ops if isinstance(op, FlagOp)]
        found = next((match for text in texts if (match := _BRACKET.match(text))), None)
        if found is not None:
            self.prefix, self.bracket = found[1] or "", found[2]
        else:
            first = next((_text(op) for op in facts.ops if isinstance(op, PtoOp)), "pto.")
            self.prefix, self.bracket = ("pto.", "<") if "pto." in first.partition("(")[0] else ("", "")

    def flag(self, word: str, flag: Flag) -> str:
        parts = (form.format(part.value) for form, part in zip(_SPELLINGS[self.bracket], flag, strict=True))
        return f"{self.prefix}{word}[{', '.join(parts)}]"


def _text(op: Operation) -> str:
    span = span_of(op)
    return span.source.text[span.offset : span.offset + span.length]


@dataclass
class FreeEvents:
    """Event ids that a function does not use, each of which is handed out once."""

    facts: FunctionFacts
    analysis: SyncFlow
    events: Sequence[Event]
    _taken: dict[Pair, set[Event | None]] = field(default_factory=dict[Pair, "set[Event | None]"])

    def take(self, pair: Pair) -> Event | None:
        """An event id for a flag between two pipes, None if all are in use."""
        taken = self._taken.setdefault(pair, set(self._used(pair)))
        event = next((event for event in self.events if event not in taken), None)
        taken.add(event)
        return event

    def _used(self, pair: Pair) -> Iterator[Event | None]:
        for op in self.facts.ops:
            if isinstance(op, FlagOp) and op.flag[:2] == pair:
                yield event_of(op, self.facts.knowledge.constant)
        for effects in self.analysis.accesses.does.values():
            yield from (event for source, sink, event in effects.reserved_events if (source, sink) == pair)


Fix = tuple[str, tuple[Fixit, ...]]
"""A fix as text and as edits."""


def missing_flag(facts: FunctionFacts, first: Operation, second: Operation, flag: Flag) -> Fix:
    """Order two accesses by a flag; of two iterations, by one that is up when the loop begins and ends."""
    writer = FlagWriter(facts)
    set_flag, wait_flag = writer.flag("set_flag", flag), writer.flag("wait_flag", flag)
    before, after = _anchors(first, second)
    if facts.positions[before] < facts.positions[after]:
        words = (
            f"add `{set_flag}` after {_place(facts, before)} and `{wait_flag}` before {_place(facts, after)}"
        )
        return words, (_add("after", set_flag, before), _add("before", wait_flag, after))
    loop, (start, end) = _enclosing_loop(after, before)
    if loop is None:
        return f"add `{set_flag}` after the first access and `{wait_flag}` before the second", ()
    line = facts.line(loop)
    words = (
        f"add `{set_flag}` before the loop in line {line} and after {_place(facts, end)}, "
        f"and `{wait_flag}` before {_place(facts, start)} and after the loop"
    )
    return words, (
        _add("before", set_flag, loop),
        _add("before", wait_flag, start),
        _add("after", set_flag, end),
        _add("after", wait_flag, loop),
    )


def missing_barrier(facts: FunctionFacts, pair: Pair, second: Operation) -> Fix:
    """Order two accesses where no event id is left."""
    barrier = f"pto.barrier <{Pipe.PIPE_ALL.value}>"
    names = " to ".join(pipe.value for pipe in pair)
    words = f"no event id is left for {names}: add `{barrier}` before {_place(facts, second)}"
    return words, (_add("before", barrier, second),)


def missing_wait_before(facts: FunctionFacts, misuse: FlagMisuse, second: Operation) -> Fix | None:
    """Wait for a flag before an access, None if it is set in a branch or a loop that the access is not in."""
    place = _in_block_of(misuse.op, second)
    if place is None:
        return None
    wait = FlagWriter(facts).flag("wait_flag", misuse.flag)
    return f"add `{wait}` before {_place(facts, place)}", (_add("before", wait, place),)


def missing_wait_between(facts: FunctionFacts, misuse: FlagMisuse) -> Fix:
    """Wait for a flag before it is set again: by a statement that follows, or by the next iteration."""
    writer, op = FlagWriter(facts), misuse.op
    set_flag, wait_flag = writer.flag("set_flag", misuse.flag), writer.flag("wait_flag", misuse.flag)
    words = f"add `{wait_flag}` {{}} it, or use another event id"
    other = _earlier_set(facts, misuse)
    loop, _ = _enclosing_loop(op)
    if loop is None or facts.positions[other] < facts.positions[op]:
        if _in_block_of(other, op) is None:
            where = f"after line {facts.line(other)}, before"
            return words.format(where), (_add("after", wait_flag, other),)
        branch = _outside_branches(facts, misuse.flag, op, other)
        where = "before" if branch is op else f"before {_place(facts, branch)}, which surrounds"
        return words.format(where), (_add("before", wait_flag, branch),)
    following = _first_after(facts, misuse.flag, loop)
    if following is None or isinstance(following, SetsFlag):
        where = "after" if other is op else f"after line {facts.line(other)}, before"
        return words.format(where), (_add("after", wait_flag, other),)
    if following.parent is not loop.parent:
        return (
            f"move the `wait_flag` of line {facts.line(following)} after it",
            (_add("after", wait_flag, other), Fixit("remove", safe=False, op=following)),
        )
    first = loop.body.block.first_op
    assert first is not None, "the loop sets the flag"
    return (
        f"add `{set_flag}` before the loop in line {facts.line(loop)} and `{wait_flag}` at its start",
        (_add("before", set_flag, loop), _add("before", wait_flag, first)),
    )


def _earlier_set(facts: FunctionFacts, misuse: FlagMisuse) -> Operation:
    """The set that comes before another one; of a loop that waits at its end, one before the loop."""
    assert misuse.other is not None
    loop, _ = _enclosing_loop(misuse.op)
    if loop is None or not _is_balanced(facts, misuse.flag, loop):
        return misuse.other
    before = [op for op in _flags(facts, misuse.flag) if facts.positions[op] < facts.positions[loop]]
    return before[-1] if before and isinstance(before[-1], SetsFlag) else misuse.other


def _is_balanced(facts: FunctionFacts, flag: Flag, loop: Operation) -> bool:
    """Return True if a loop first sets a flag and waits for it in the end."""
    inside = [isinstance(op, SetsFlag) for op in _flags(facts, flag, loop)]
    return inside[:1] == [True] and not inside[-1]


def missing_wait(facts: FunctionFacts, misuse: FlagMisuse) -> Fix:
    """Wait for a flag after its loop if the loop waits at its start, or else at once."""
    wait = FlagWriter(facts).flag("wait_flag", misuse.flag)
    loop, _ = _enclosing_loop(misuse.op)
    if loop is not None and not isinstance(_flags(facts, misuse.flag, loop)[0], SetsFlag):
        return f"add `{wait}` after the loop in line {facts.line(loop)}", (_add("after", wait, loop),)
    return f"add `{wait}` after it, or remove it", (_add("after", wait, misuse.op),)


def missing_set(facts: FunctionFacts, misuse: FlagMisuse) -> Fix:
    """Set a flag on the paths to a wait that lack it: right before it, before its loop, or at the end."""
    writer = FlagWriter(facts)
    set_flag, wait_flag = writer.flag("set_flag", misuse.flag), writer.flag("wait_flag", misuse.flag)
    if misuse.kind == "unset":
        return f"add `{set_flag}` before it, on every path", (_add("before", set_flag, misuse.op),)
    loop, _ = _enclosing_loop(misuse.op)
    if loop is None:
        return _set_in_a_branch(facts, misuse, set_flag)
    inside = any(isinstance(op, SetsFlag) for op in _flags(facts, misuse.flag, loop))
    if inside == _is_set_before(facts, misuse.flag, loop):
        return _set_in_a_branch(facts, misuse, set_flag)
    line = facts.line(loop)
    if inside:
        words = f"add `{set_flag}` before the loop in line {line}"
        edits = [_add("before", set_flag, loop)]
    else:
        words = f"add `{set_flag}` at the end of the loop in line {line}"
        last = loop.body.block.last_op and loop.body.block.last_op.prev_op
        assert last is not None, "the loop waits"
        edits = [_add("after", set_flag, last)]
    if not _is_awaited_after(facts, misuse.flag, loop):
        words += f", and `{wait_flag}` after the loop"
        edits.append(_add("after", wait_flag, loop))
    return words, tuple(edits)


def _set_in_a_branch(facts: FunctionFacts, misuse: FlagMisuse, set_flag: str) -> Fix:
    """Take away a flag that only some paths set: the accesses that it should order then need a flag of their
    own."""
    words = f"add `{set_flag}` to the other paths, or take the flag away and order the accesses anew"
    return words, tuple(Fixit("remove", safe=False, op=op) for op in _flags(facts, misuse.flag))


def _add(kind: str, text: str, op: Operation) -> Fixit:
    return Fixit("before" if kind == "before" else "after", text, safe=False, op=op)


def _place(facts: FunctionFacts, op: Operation) -> str:
    """The place of an operation in words."""
    return f"the `{op.name}` of line {facts.line(op)}" if op.regions else f"line {facts.line(op)}"


def _flags(facts: FunctionFacts, flag: Flag, inside: Operation | None = None) -> list[FlagOp]:
    """The operations that set a flag, or wait for it, in a function or inside of one of its loops."""
    return [
        op
        for op in facts.ops
        if isinstance(op, FlagOp) and op.flag[:2] == flag[:2]
        if event_of(op, facts.knowledge.constant) is flag[2]
        if inside is None or inside.is_ancestor(op)
    ]


def _is_set_before(facts: FunctionFacts, flag: Flag, loop: ForOp) -> bool:
    """Return True if the last operation before a loop sets the flag."""
    before = [op for op in _flags(facts, flag) if facts.positions[op] < facts.positions[loop]]
    return bool(before) and isinstance(before[-1], SetsFlag) and before[-1].parent is loop.parent


def _first_after(facts: FunctionFacts, flag: Flag, loop: ForOp) -> FlagOp | None:
    """Return the next set_flag or wait_flag of a flag after a loop."""
    start = facts.positions[loop]
    after = (op for op in _flags(facts, flag) if facts.positions[op] > start and not loop.is_ancestor(op))
    return next(after, None)


def _is_awaited_after(facts: FunctionFacts, flag: Flag, loop: ForOp) -> bool:
    """Return True if a flag is awaited next after a loop, and as often as the loop is run."""
    following = _first_after(facts, flag, loop)
    return not isinstance(following, SetsFlag | None) and following.parent is loop.parent


def _in_block_of(op: Operation, other: Operation) -> Operation | None:
    """The operation of the block of `op` that holds `other`."""
    place: Operation | None = other
    while place is not None and place.parent is not op.parent:
        place = place.parent_op()
    return place


def _outside_branches(facts: FunctionFacts, flag: Flag, op: Operation, other: Operation) -> Operation:
    """Return the ancestor of an operation in the block of another one.

    Only branches, and loops that set and await the flag, may lie between them; else return the operation.
    """
    place = op
    while place.parent is not other.parent:
        parent = place.parent_op()
        loop = isinstance(parent, ForOp) and _is_balanced(facts, flag, parent)
        if parent is None or not (loop or isinstance(parent, IfOp)):
            return op
        place = parent
    return place


def _anchors(first: Operation, second: Operation) -> tuple[Operation, Operation]:
    """The operations of the innermost common block that hold two operations."""
    place: Operation = first
    while (other := _in_block_of(place, second)) is None:
        parent = place.parent_op()
        assert parent is not None, "both are in one function"
        place = parent
    return place, other


def _enclosing_loop(*ops: Operation) -> tuple[ForOp | None, tuple[Operation, ...]]:
    """The innermost `scf.for` around operations of one block, and what holds them in its body."""
    parent = ops[0].parent_op()
    while parent is not None and not isinstance(parent, ForOp):
        ops = (parent,) * len(ops)
        parent = parent.parent_op()
    return parent, ops
