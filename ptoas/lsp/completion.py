"""Completion of instructions, values, types, attributes and attribute values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from lsprotocol import types as lsp

from ptoas.dialects.pto import OPS, PTO
from ptoas.dialects.pto.element_types import ELEMENT_TYPES
from ptoas.dialects.pto.enums import (
    BLayoutAttr,
    CompactModeAttr,
    LayoutAttr,
    PadValueAttr,
    PtoEnumAttr,
    SLayoutAttr,
    TileLocAttr,
)
from ptoas.dialects.pto.geometry import FRACTALS
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.syntax_errors import DIRECTIVES
from ptoas.grammar.assembly_format import assembly_format_of
from ptoas.grammar.instructions import opcode_class
from ptoas.grammar.mlir import OPCODES as MLIR_OPCODES
from ptoas.grammar.syntax import STRUCTURE
from ptoas.lsp.describe import enumerations, instruction_markdown, short_type
from ptoas.lsp.document import Document, SourceStatement
from ptoas.lsp.names import Kind, NameIndex
from ptoas.lsp.places import range_of
from ptoas.lsp.session import File
from ptoas.lsp.signature import call_at, unfinished_statement
from ptoas.targets import TARGETS

TRIGGERS = ("%", "!", "#", "@", ".", "<", "=", "{")

TILE_KEYS: dict[str, Iterable[str]] = {
    "loc": TileLocAttr.spellings(),
    "dtype": [each.text for each in ELEMENT_TYPES],
    "blayout": BLayoutAttr.spellings(),
    "slayout": SLayoutAttr.spellings(),
    "fractal": [str(size) for size in FRACTALS],
    "pad": PadValueAttr.spellings(),
    "compact": CompactModeAttr.spellings(),
    "rows": (),
    "cols": (),
    "valid": (),
    "v_row": (),
    "v_col": (),
}
"""The parameters of a tile type and their values."""

Item = tuple[str, lsp.CompletionItemKind, str]
"""Label, kind and detail of a completion item."""

K = lsp.CompletionItemKind


def complete(file: File, offset: int) -> lsp.CompletionList:
    document = file.document
    text, blanked = document.source.text, document.blanked
    commented = 0 < offset <= len(text) and text[offset - 1] != blanked[offset - 1]
    line = blanked[blanked.rfind("\n", 0, offset) + 1 : max(0, offset - 1)]
    # A `#` with nothing behind it yet reads as a comment, and is the beginning of an attribute.
    opened = commented and text[offset - 1] == "#" and bool(line.strip())
    if commented and not opened:
        return lsp.CompletionList(False, [])
    statement, prefix = unfinished_statement(document, offset - opened)
    prefix += "#" * opened
    typed, items = _items(file, statement, prefix, offset)
    where = range_of(document.source, offset - len(typed), offset)
    return lsp.CompletionList(
        False,
        [
            lsp.CompletionItem(
                label=label,
                kind=kind,
                detail=detail or None,
                filter_text=label,
                sort_text=f"{at:04}",
                text_edit=lsp.TextEdit(where, label),
                data={"opcode": label} if kind is K.Function else None,
            )
            for at, (label, kind, detail) in enumerate(items)
        ],
    )


def resolve(item: lsp.CompletionItem) -> lsp.CompletionItem:
    """Return the reference of an instruction on demand."""
    found = opcode_class(item.label, []) if item.kind == K.Function else None
    if found is not None:
        item.documentation = lsp.MarkupContent(lsp.MarkupKind.Markdown, instruction_markdown(found[0]))
    return item


def _items(file: File, statement: SourceStatement | None, prefix: str, offset: int) -> tuple[str, list[Item]]:
    """The partially typed word and its possible completions."""
    if match := re.search(r"%[\w$.-]*$", prefix):
        return match[0], list(_values(file, statement, prefix, offset))
    if match := re.search(r"@[\w$.]*$", prefix):
        return match[0], list(_named(file.names, Kind.FUNCTION, K.Function))
    if (inside := _angle(prefix)) is not None:
        return inside
    if match := re.search(r"![\w.]*$", prefix):
        own = [(f"!{each}", K.Class, "") for each in _type_names()]
        return match[0], [*_named(file.names, Kind.TYPE, K.Struct), *own]
    if match := re.search(r"#[\w.]*$", prefix):
        return match[0], [*_attributes(prefix), *_named(file.names, Kind.ATTRIBUTE, K.Constant)]
    if match := re.match(r"\.target\s+(\w*)$", prefix):
        return match[1], [(name, K.EnumMember, "target") for name in TARGETS]
    if match := re.match(r"(\.\w*)$", prefix):
        return match[1], [(word, K.Keyword, "") for word in DIRECTIVES]
    if match := re.match(r"(?:%[^=]*=\s*)?([\w.$]*)$", prefix):
        return match[1], list(_opcodes(match[1]))
    typed, found = _inside(prefix)
    call = call_at(prefix)
    if not typed and call is not None and call.slot is not None and not _is_closed(prefix):
        found = [*_values(file, statement, prefix, offset), *found]
    return typed, found


def _is_closed(prefix: str) -> bool:
    """Return True if the cursor follows something other than a comma or bracket, so no operand starts."""
    return not re.search(r"(?:[,(\[=]|^\s*(?:%[^=]*=)?\s*[\w.$]+)\s*$", prefix)


def _inside(prefix: str) -> tuple[str, list[Item]]:
    """Behind an opcode: attributes, words of its template, types."""
    word = re.search(r"[\w.$]*$", prefix)
    typed = word[0] if word else ""
    before = prefix[: len(prefix) - len(typed)].rstrip()
    op = _op(prefix)
    if before.count("{") > before.count("}"):
        entry = before[before.rfind("{") + 1 :].rsplit(",", 1)[-1]
        key = re.match(r"\s*([\w.$-]+)\s*=$", entry)
        if key:
            return typed, list(_field_values(op, key[1]))
        return typed, list(_fields(op)) if op is not None else []
    if before.endswith((":", "->")) or (before.endswith(",") and _after_colon(before)):
        scalars = [(each.text, K.Class, "") for each in ELEMENT_TYPES if not each.text.startswith("!")]
        return typed, [
            *((f"!{name}", K.Class, "") for name in _type_names()),
            *scalars,
            ("index", K.Class, ""),
        ]
    if op is None:
        return typed, []
    if before.endswith(("[", ",")) and before.count("[") > before.count("]"):
        return typed, list(_positional(op, before))
    flat = "%" in before  # a result, or operands without `ins(...)`
    words = [each for each in _template_words(op) if not flat or each not in ("ins(", "outs(")]
    return typed, [(each, K.Keyword, "") for each in words]


def _after_colon(text: str) -> bool:
    colon = text.rfind(":")
    return colon >= 0 and "%" not in text[colon:]


def _op(prefix: str) -> type[PtoOp] | None:
    head = re.match(r'\s*(?:%[^="]*=)?\s*([A-Za-z_][\w$.]*)', prefix)
    found = opcode_class(head[1], []) if head else None
    return None if found is None else found[0]


# --- kinds of items ------------------------------------------------------------------------------


def _opcodes(typed: str) -> Iterator[Item]:
    found = opcode_class(typed.rstrip("."), []) if "." in typed else None
    if found is not None and found[0].SUFFIXES:
        yield from _suffixes(found[0], typed)
    lead = "pto." if typed.startswith("pto.") else ""
    for op in OPS:
        yield f"{lead}{op.mnemonic()}", K.Function, (op.__doc__ or "").strip().split("\n")[0]
    for word in (*STRUCTURE, *MLIR_OPCODES, *(() if typed else DIRECTIVES)):
        yield word, K.Keyword, ""


def _suffixes(op: type[PtoOp], typed: str) -> Iterator[Item]:
    """The attributes that the words after an opcode may spell, without those that are present."""
    stem = typed.rpartition(".")[0]
    words = stem.removeprefix("pto.").removeprefix(op.mnemonic()).split(".")[1:]
    for name in op.SUFFIXES[len(words) :]:
        enum = op.signature().fields[name].enum
        for value in enum.spellings() if enum else ():
            yield f"{stem}.{value}", K.EnumMember, name


def _values(file: File, statement: SourceStatement | None, prefix: str, offset: int) -> Iterator[Item]:
    """Values that are known here, those first that the operand takes, of them the nearest."""
    document = file.document
    call = call_at(prefix)
    slot = call.slot if call is not None else None
    function = _function_at(document, statement, offset)
    ranked: list[tuple[bool, int, Item]] = []
    for name in file.names.of_kind(Kind.VALUE):
        if name.definition is None or name.statement is None or name.statement is statement:
            continue
        own = name.statement.function if name.statement.function is not name.statement else name.statement
        if own is not function or name.definition.start >= offset or not _reaches(name.statement, offset):
            continue
        value = name.value(document)
        fits = value is not None and slot is not None and slot.accepts(value.type)
        detail = short_type(value.type) if value is not None else ""
        ranked.append((not fits, -name.definition.start, (name.shown, K.Variable, detail)))
    seen: set[str] = set()
    for _, _, item in sorted(ranked, key=lambda each: each[:2]):
        if item[0] not in seen:
            seen.add(item[0])
            yield item


def _function_at(
    document: Document, statement: SourceStatement | None, offset: int
) -> SourceStatement | None:
    if statement is not None:
        return statement.function
    return next((each for each in document.functions if each.start <= offset <= each.end), None)


def _reaches(definer: SourceStatement, offset: int) -> bool:
    """Return True if the results of a statement are visible at an offset."""
    holder = definer.parent
    return holder is None or offset <= holder.end


def _named(names: NameIndex, kind: Kind, shown: lsp.CompletionItemKind) -> Iterator[Item]:
    for name in names.of_kind(kind):
        if name.definition is not None:
            yield name.shown, shown, kind.value


@cache
def _type_names() -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.name for each in PTO.attributes if not issubclass(each, PtoEnumAttr)))


def _attributes(prefix: str) -> Iterator[Item]:
    """Enumerations, that of the attribute or the place first."""
    key = re.search(r"([\w.$-]+)\s*=\s*#[\w.]*$", prefix)
    op = _op(prefix)
    if op is not None and key is not None:
        field = op.signature().fields.get(op.KEYS.get(key[1], key[1]))
        if field is not None and field.enum is not None:
            yield from _written_members(field.enum, field.name)
    elif op is not None:
        yield from _positional(op, prefix)
    for enum in enumerations().values():
        yield f"#{enum.name}", K.Enum, ", ".join(enum.spellings())


def _positional(op: type[PtoOp], prefix: str) -> Iterator[Item]:
    """Values of the attribute at this position between brackets."""
    fields = op.signature().fields
    places = [name for name in re.findall(r"#(\w+)", assembly_format_of(op).template) if name in fields]
    at = prefix.count(",", prefix.rfind("[") + 1)
    enum = fields[places[at]].enum if at < len(places) and "[" in prefix else None
    if enum is not None:
        yield from _written_members(enum, places[at])


def _written_members(enum: type[PtoEnumAttr[Any]], detail: str) -> Iterator[Item]:
    return ((f"#{enum.name}<{value}>", K.EnumMember, detail) for value in enum.spellings())


def _fields(op: type[PtoOp]) -> Iterator[Item]:
    for field in op.signature().fields.values():
        values = ", ".join(field.enum.spellings()) if field.enum else ""
        yield field.name, K.Property, values


def _field_values(op: type[PtoOp] | None, key: str) -> Iterator[Item]:
    field = op.signature().fields.get(op.KEYS.get(key, key)) if op is not None else None
    if field is not None and field.enum is not None:
        return _written_members(field.enum, key)
    return ((word, K.Value, "") for word in ("true", "false", "unit"))


@cache
def _template_words(op: type[PtoOp]) -> tuple[str, ...]:
    """The words that an instruction has between its operands: `addr =`, `ins(`."""
    layout = assembly_format_of(op)
    if not layout.every_form and "ins(" not in layout.template:
        return ("ins(",)
    template = re.sub(r"[$^#&]\w+(?::x)?|\{\w+\}", "", layout.template)
    found = re.findall(r"([A-Za-z_]\w*)\s*(=|\(|\[)?", template)
    return tuple(dict.fromkeys(f"{word} =" if mark == "=" else word + mark for word, mark in found))


def _angle(prefix: str) -> tuple[str, list[Item]] | None:
    """Inside the `<...>` of a type or an attribute."""
    depth, at = 0, len(prefix) - 1
    while at >= 0 and depth >= 0:
        char = prefix[at]
        if char == ">" and prefix[at - 1 : at] != "-":
            depth += 1
        elif char == "<":
            depth -= 1
        at -= 1
    if depth >= 0:
        return None
    opened = re.search(r"([#!]?[\w.]*)$", prefix[: at + 1])
    name, body = opened[1] if opened else "", prefix[at + 2 :]
    typed = re.search(r"[\w.$]*$", body)
    word = typed[0] if typed else ""
    if name.startswith("#"):
        return word, list(_members(name, body))
    return word, list(_parameters(name, body[: len(body) - len(word)]))


def _members(name: str, body: str) -> Iterator[Item]:
    short, _, _ = body.partition(" ") if name == "#pto" and " " in body else ("", "", "")
    enum: type[PtoEnumAttr[Any]] | None = enumerations().get(short or name.removeprefix("#pto."))
    if enum is not None:
        yield from ((value, K.EnumMember, enum.name) for value in enum.spellings())
    elif name == "#pto":
        yield from ((each, K.Enum, "") for each in enumerations())


def _parameters(name: str, body: str) -> Iterator[Item]:
    """The parameters of a tile or of memory; after a key, its values."""
    last = body.rsplit(",", 1)[-1]
    key = re.match(r"\s*(\w+)\s*=\s*$", last)
    if "tile" in name or name in ("", "loc"):
        if key:
            yield from ((value, K.EnumMember, key[1]) for value in TILE_KEYS.get(key[1], ()))
            return
        yield from ((loc, K.EnumMember, "location") for loc in TileLocAttr.spellings())
        yield from ((f"{word}=", K.Property, ", ".join(values)) for word, values in TILE_KEYS.items())
    elif name.rpartition(".")[2] in ("memref", "tensor_view", "partition_tensor_view") and body.strip():
        yield from ((value, K.EnumMember, "layout") for value in LayoutAttr.spellings())
        yield "strides=", K.Property, "a stride for each dimension, in elements"
    yield from ((each.text, K.Class, "element type") for each in ELEMENT_TYPES)
