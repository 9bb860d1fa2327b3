"""Hover text: instruction reference, types, values with address and last writer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types as lsp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ptoas.dialects.pto.type_parameters import TypeProblem
from ptoas.dialects.pto.type_text import type_from_text
from ptoas.dialects.pto.types import TileType, ViewType
from ptoas.grammar.instructions import opcode_class
from ptoas.grammar.mlir import OPCODES as MLIR_OPCODES
from ptoas.grammar.spans import span_of
from ptoas.lsp.describe import (
    enum_markdown,
    enumerations,
    instruction_markdown,
    target_markdown,
    type_lines,
    type_markdown,
)
from ptoas.lsp.document import Document, SourceStatement, SourceToken
from ptoas.lsp.names import Kind, Name
from ptoas.lsp.places import range_of
from ptoas.lsp.plan import TileAddress
from ptoas.lsp.session import EditorSettings, File
from ptoas.lsp.writers import is_argument, last_writers
from ptoas.targets import TARGETS

_ENUM = re.compile(r"#pto(?:\.(\w+)<|<\s*(\w+)\s)")


def hover(file: File, offset: int, settings: EditorSettings) -> lsp.Hover | None:
    document = file.document
    statement = document.statement_at(offset)
    if statement is None or _in_comment(document, offset):
        return None
    found = file.names.at(offset)
    if found is not None:
        name, place = found
        text = _name(file, name, statement, settings, _number_at(document, place.end))
        return _hover(document, place.start, place.end, text) if text else None
    token = document.token_at(offset)
    text = None if token is None else _token(statement, token, file)
    return None if token is None or text is None else _hover(document, token.start, token.end, text)


def _hover(document: Document, start: int, end: int, text: str) -> lsp.Hover:
    content = lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
    return lsp.Hover(content, range_of(document.source, start, end))


def _in_comment(document: Document, offset: int) -> bool:
    text, blanked = document.source.text, document.blanked
    return offset < len(text) and text[offset] != blanked[offset]


def _token(statement: SourceStatement, token: SourceToken, file: File) -> str | None:
    if token is statement.opcode:
        return _opcode(token, file, statement)
    if statement.tokens[0].kind == "DOT_TARGET" and token.text.strip('"') in TARGETS:
        return target_markdown(TARGETS[token.text.strip('"')])
    match token.kind:
        case "TYPE" | "SCALAR":
            return _type(token.text)
        case "ATTR":
            match = _ENUM.match(token.text)
            enum = enumerations().get(match[1] or match[2]) if match else None
            return None if enum is None else enum_markdown(enum)
        case "KEY" | "OPCODE" | "WORD" | "ATTR_ALIAS":
            return _attribute(token.text.lstrip("#"), statement)
        case _:
            return None


def _opcode(token: SourceToken, file: File, statement: SourceStatement) -> str | None:
    op = file.document.op_at(statement)
    found = opcode_class(token.text, [operand.type for operand in op.operands] if op is not None else [])
    if found is not None:
        return instruction_markdown(found[0])
    if token.text in MLIR_OPCODES or "." in token.text:
        words = (op.__class__.__doc__ or "").strip() if op is not None else ""
        return f"`{token.text}`" + (f"\n\n{words}" if words else "")
    return None


def _attribute(name: str, statement: SourceStatement) -> str | None:
    """An attribute of the statement's instruction, or a value of one."""
    found = opcode_class(statement.opcode.text, []) if statement.opcode else None
    if found is None:
        return None
    op = found[0]
    field = op.signature().fields.get(op.KEYS.get(name, name))
    if field is not None:
        text = f"`{field.name}` of `{op.mnemonic()}`{'' if field.optional else ' (required)'}"
        return text if field.enum is None else f"{text}\n\n{enum_markdown(field.enum)}"
    for each in op.signature().fields.values():
        if each.enum is not None and each.enum.member(name) is not None:
            return f"`{name}`, a value of `{each.name}`\n\n{enum_markdown(each.enum)}"
    return None


def _type(text: str) -> str | None:
    try:
        return type_markdown(type_from_text(text))
    except TypeProblem:
        return None


def _number_at(document: Document, end: int) -> int:
    """The index of the result under the cursor: `1` in `%x#1`."""
    found = re.compile(r"#(\d{1,4})").match(document.source.text, end)
    return int(found[1]) if found else 0


def _name(
    file: File, name: Name, statement: SourceStatement, settings: EditorSettings, number: int
) -> str | None:
    match name.kind:
        case Kind.VALUE:
            return "\n\n".join(_value(file, name, statement, settings, number)) or None
        case Kind.FUNCTION:
            return _function(file, name)
        case Kind.BLOCK:
            return f"block `^{name.text}`"
        case _:
            if name.statement is None:
                return None
            text = name.statement.raw.text
            shown = f"```pto\n{text}\n```"
            described = _type(text.partition("=")[2].strip()) if name.kind is Kind.TYPE else None
            return shown + (f"\n\n{described}" if described else "")


def _function(file: File, name: Name) -> str | None:
    if name.statement is None:
        return f"`@{name.text}` is not defined in this file"
    head = name.statement.raw.text.partition("\x00")[0].strip()
    op = file.document.op_at(name.statement)
    blocks = (
        f"\n\n{sum(1 for _ in op.walk()) - 1} operations" if isinstance(op, FuncOp) and op.body.blocks else ""
    )
    return f"```pto\n{head}\n```{blocks}"


def known_value(
    file: File, name: Name, statement: SourceStatement, number: int = 0
) -> tuple[SSAValue, Document, SourceStatement] | None:
    """The value of a name here; where the text has a mistake, the one of that name when it was last whole."""
    value = name.value(file.document, number)
    if value is not None:
        return value, file.document, statement
    good = file.good
    if good is None or good is file.now:
        return None
    function = statement.function
    for other in good.names.of_kind(Kind.VALUE):
        of = other.statement.function if other.statement else None
        same = _head(function) == _head(of)
        if other.text == name.text and same and (value := other.value(good.document, number)) is not None:
            last = good.document.statement_at(other.places[-1].start)
            return value, good.document, last or good.document.statements[-1]
    return None


def _head(function: SourceStatement | None) -> str | None:
    """The name of a function, as its text has it."""
    return None if function is None else next((t.text for t in function.tokens if t.kind == "SYMBOL"), None)


def _value(
    file: File, name: Name, statement: SourceStatement, settings: EditorSettings, number: int
) -> Iterator[str]:
    known = known_value(file, name, statement, number)
    if known is None:
        yield f"`%{name.text}`" + ("" if name.definition else " is not defined")
        return
    value, document, at = known
    yield f"```pto\n%{name.text} : {value.type}\n```"
    yield from type_lines(value.type)
    if isinstance(value.type, TileType):
        address = address_of(file, name, settings)
        if address is not None:
            target, where = address
            last = where.first + where.size - 1
            why = f": {where.why}" if where.why else ", as written"
            yield f"at `{where.first:#06x}` to `{last:#06x}` of `{where.loc}` on {target}{why}"
    if isinstance(value.type, TileType | ViewType):
        yield from _writers(document, value, at)


def _writers(document: Document, value: SSAValue, statement: SourceStatement) -> Iterator[str]:
    found = last_writers(document, value, statement)
    if found.last is not None:
        yield f"last written by {_line(found.last)}"
    elif is_argument(value):
        yield "an argument; nothing before this line writes it"
    elif isinstance(value.type, TileType):
        yield "nothing before this line writes it"
    if found.earlier is not None:
        yield f"in the loop also by {_line(found.earlier)}"


def _line(op: Operation) -> str:
    span = span_of(op)
    return (
        f"`{op.name.removeprefix('pto.')}` on line {span.line}: `{span.source.line_text(span.line).strip()}`"
    )


def address_of(file: File, name: Name, settings: EditorSettings) -> tuple[str, TileAddress] | None:
    """Describe the address of a tile on each target."""
    target = file.planned_target(settings)
    if target is None or name.statement is None:
        return None
    for placed in file.parts:
        planned = placed.part.plan(target)
        for (start, text), address in planned.addresses.items() if planned else ():
            if text == name.text and placed.moved(start) == name.statement.start:
                why = placed.text(address.why) if address.why else None
                return target, address._replace(why=why)
    return None
