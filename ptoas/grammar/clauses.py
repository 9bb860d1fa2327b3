"""Checks of `wait(...)` and `record` after an instruction, which concern no instruction in particular."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Attribute, Operation

from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import accesses_memory
from ptoas.dialects.pto.types import EventType
from ptoas.grammar import tree as t
from ptoas.grammar.problems import StatementProblem, UndefinedName


def check_event_name(tree: t.Statement) -> None:
    """Raise an error if `record` has no name for its event: the last one of the statement."""
    body = cast(t.InstructionNode, tree.body)
    if body.record is None:
        return
    returns = body.typing is not None and bool(body.typing.outputs)
    if tree.event is None or tree.event.count != 1 or (returns and not tree.results):
        names = "%dst, %e" if returns else "%e"
        fix = f"give it one: `{names} = {body.opcode.text} ... record`"
        raise StatementProblem("PTO-P041", "the event of `record` has no name", body.record, fix)


def check_clauses(tree: t.Statement, types: Sequence[Attribute | None], cls: type[Operation]) -> None:
    """Raise an error for the first clause that does not fit its instruction or its events."""
    body = cast(t.InstructionNode, tree.body)
    first = body.clauses
    if first is None:
        return
    if not issubclass(cls, PtoOp) or not accesses_memory(cls):
        word = "record" if first is body.record else "wait"
        message = f"`{body.opcode.text}` accesses no memory, so it has no `{word}`"
        node = t.Node(first.start, first.start + len(word))
        raise StatementProblem("PTO-P053", message, node, "write it behind an instruction that does")
    for event in body.events:
        type = types[event.slot]
        if type is None:
            raise UndefinedName(event)
        if not isinstance(type, EventType):
            message = f"`wait` takes events, which instructions with `record` make; this is a {type}"
            raise StatementProblem("PTO-P040", message, event)
