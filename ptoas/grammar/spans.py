"""The place of an operand, a type or an attribute in its statement, found by reading the statement again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from xdsl.ir import Operation

from ptoas.diagnostics import Source, Span
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.grammar import tree as t
from ptoas.grammar.attributes import Resolver
from ptoas.grammar.instructions import InstructionReader
from ptoas.grammar.layout import RawStatement, cut
from ptoas.grammar.opcodes import opcode_class
from ptoas.grammar.problems import StatementProblem
from ptoas.grammar.syntax import SyntaxProblem, parse_statement
from ptoas.location import SourceLocation


def nodes_in(node: Any) -> Iterator[t.Node]:
    """Every node below, in the order of the text."""
    if isinstance(node, tuple):
        for item in cast("tuple[Any, ...]", node):
            yield from nodes_in(item)
    elif isinstance(node, t.Node):
        yield node
        for name in node.fields:
            yield from nodes_in(getattr(node, name))


def values_in(statement: t.Statement) -> list[t.Value]:
    return [node for node in nodes_in(statement.body) if isinstance(node, t.Value)]


def _statement(op: Operation) -> tuple[SourceLocation, t.Statement] | None:
    location = op.location
    if not isinstance(location, SourceLocation):
        return None
    text = location.source.text[location.start : location.end]
    try:
        statement = parse_statement(text)
    except SyntaxProblem:
        return None  # a statement with a region; only its first line is shown
    return location, statement


def _span(location: SourceLocation, node: t.Node) -> Span:
    return Span(location.source, location.start + node.start, max(1, node.end - node.start))


def _reader(op: Operation) -> tuple[SourceLocation, InstructionReader, list[t.Node]] | None:
    """The reader of an instruction's statement and the nodes of its operands, in operand order."""
    found = _statement(op)
    if found is None or not isinstance(op, PtoOp) or not isinstance(found[1].body, t.Instruction):
        return None
    location, statement = found
    types = _slot_types(op, statement)
    try:
        known = opcode_class(found[1].body.opcode.text, types)
        if known is None or known[0] is not type(op):
            return None
        reader = InstructionReader(statement, types, Resolver(True))
        plan = reader.plan(*known)
    except StatementProblem:
        return None
    return location, reader, list(plan.operand_nodes)


def _slot_types(op: PtoOp, statement: t.Statement) -> list[Any]:
    """The types of the statement's names, taken from the operation's operands by their kind and order."""
    text_names = {v.slot for v in values_in(statement)} | {r.slot for r in statement.results}
    size = max(text_names, default=-1) + 1
    location = cast(SourceLocation, op.location)
    from ptoas.grammar.syntax import value_names

    names = value_names(location.source.text[location.start : location.end])
    by_name = {value.name_hint: value.type for value in op.operands if value.name_hint}
    types: list[Any] = [None] * size
    used = iter([value for value in op.operands if not value.name_hint])
    for slot in sorted(text_names - {r.slot for r in statement.results}):
        name = names[slot]
        if name in by_name:
            types[slot] = by_name[name]
        else:
            nameless = next(used, None)
            types[slot] = nameless.type if nameless is not None else None
    return types


def find_operand(op: Operation, index: int) -> Span | None:
    found = _reader(op)
    if found is None:
        return None
    location, _, nodes = found
    return _span(location, nodes[index]) if index < len(nodes) else None


def find_operand_type(op: Operation, index: int) -> Span | None:
    """The type written for an operand: in its group, or at its place in the signature."""
    found = _reader(op)
    if found is None:
        return None
    location, reader, nodes = found
    if index >= len(nodes):
        return None
    wanted = nodes[index]
    for group in (n for n in nodes_in(reader.body) if isinstance(n, t.Group)):
        items = [i for i in group.items if isinstance(i, t.Value | t.Indexed)]
        for item, type in zip(items, group.types, strict=False):
            if item.start == wanted.start:
                return _span(location, type)
    typing = reader.body.typing
    if typing is None or not typing.inputs:
        return None
    items = [i for i in reader.body.items if isinstance(i, t.Value | t.Indexed)]
    if len(items) == len(typing.inputs):
        for item, type in zip(items, typing.inputs, strict=True):
            if item.start == wanted.start:
                return _span(location, type)
    return None


def find_result_type(op: Operation, index: int) -> Span | None:
    found = _statement(op)
    if found is None or not isinstance(found[1].body, t.Instruction):
        return None
    location, statement = found
    typing = cast(t.Instruction, statement.body).typing
    if typing is None:
        return None
    types = typing.outputs if typing.outputs else (typing.inputs or ())[-1:]
    return _span(location, types[index]) if index < len(types) else None


def find_field(op: Operation, name: str) -> Span | None:
    found = _statement(op)
    if found is None:
        return None
    location, statement = found
    for node in nodes_in(statement.body):
        if isinstance(node, t.Entry | t.Keyed) and node.key == name:
            return _span(location, node)
    if isinstance(statement.body, t.Instruction) and isinstance(op, PtoOp):
        return _find_suffix(op, name, location, statement.body)
    return None


def _find_suffix(op: PtoOp, name: str, location: SourceLocation, body: t.Instruction) -> Span | None:
    value = getattr(op.properties.get(name), "data", None)
    field = op.signature().fields.get(name)
    if value is None or field is None or field.enum is None:
        return None
    at = body.opcode.start
    for word in body.opcode.text.split("."):
        if field.enum.member(word) is value:
            return _span(location, t.Node(at, at + len(word)))
        at += len(word) + 1
    return None


# --- arguments -------------------------------------------------------------------------------------


def find_argument_type(func: Operation, index: int) -> Span | None:
    """The type of a function's argument, in its head or in the bare program's `.arg`."""
    location = func.location
    if not isinstance(location, SourceLocation):
        return None
    types = _argument_types(location.source, location.start)
    return types[index] if index < len(types) else None


@lru_cache(maxsize=64)
def _argument_types(source: Source, start: int) -> list[Span]:
    """The places of the types of the arguments of the function that starts there."""
    heads, declarations = _heads(source)
    raws = [heads[start]] if start in heads else declarations
    found: list[Span] = []
    for raw in raws:
        try:
            body = parse_statement(raw.text).body
        except SyntaxProblem:
            return []
        assert isinstance(body, t.Function | t.Arg)
        for node in body.params if isinstance(body, t.Function) else (body,):
            offset = raw.source_offset(node.type.start)
            found.append(Span(source, offset, node.type.end - node.type.start))
    return found


@lru_cache(maxsize=1)
def _heads(source: Source) -> tuple[dict[int, RawStatement], list[RawStatement]]:
    """The functions of a file by their places, and what a bare program declares."""
    functions: dict[int, RawStatement] = {}
    declarations: list[RawStatement] = []
    for raw in cut(source.text, _say_nothing):
        if raw.text.startswith(".arg"):
            declarations.append(raw)
        inside = raw.regions if raw.text.startswith(("module", "builtin.module")) else []
        for each in (raw, *(statement for region in inside for statement in region)):
            if each.text.startswith("func.func"):
                functions[each.start] = each
    return functions, declarations


def _say_nothing(code: str, message: str, offset: int, length: int) -> None:
    """The file was read before, and found good."""
