"""Calls of the instruction library, as declared in the target's rows."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from ptoas.analysis.knowledge import physical_shape
from ptoas.dialects.pto.enums import BLayout, SLayout
from ptoas.dialects.pto.generate import TRandomOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.matmul import TMatmulOp
from ptoas.dialects.pto.memory import TLoadOp, TStoreOp
from ptoas.dialects.pto.slots import destinations_first
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.lowering.cpp.events import emit_alone
from ptoas.lowering.cpp.handlers import emits
from ptoas.lowering.cpp.names import capitalised, identifier
from ptoas.lowering.cpp.scalars import string_literal
from ptoas.lowering.cpp.types import along, scalar_cpp, tile_cpp
from ptoas.targets.row import Call, Row

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter


@emits(PtoOp)
def emit_call(emit: FunctionEmitter, op: PtoOp) -> None:
    """One call, or the two that an instruction takes: name, template arguments, arguments. What it gives is a
    scalar, if it gives anything."""
    if _is_no_op(op):
        emit_alone(emit, op)
        return
    row = emit.target.row(op)
    call = row.call if isinstance(row, Row) else Call()
    if call.unsupported is not None:
        raise emit.unsupported(op, call.unsupported)
    if call.by_rows and _is_column_major(emit, op):
        arguments = [*(_turned(emit, value) for value in destinations_first(op)), *emit.waits(op)]
        name = call.name or op.mnemonic().upper()
        emit.line(f"{emit.recorded(op)}{name}({', '.join(arguments)});")
        return
    waits = emit.waits(op)
    while call is not None:
        template = list(_template(emit, op, call))
        name = call.name or op.mnemonic().upper()
        angle = f"<{', '.join(template)}>" if template else ""
        text = f"{name}{angle}({', '.join([*_arguments(emit, op, call), *waits])})"
        waits, call = [], call.then
        if op.results:
            emit.define(op.results[0], text, needed=True)
        else:
            emit.line(f"{emit.recorded(op) if call is None else ''}{text};")


def _is_no_op(op: PtoOp) -> bool:
    """Return True if a load, store or product has a tile whose type is valid for nothing.

    The library would use the extents of the memory, and has no valid extent of 0 in a type.
    """
    if not isinstance(op, TLoadOp | TStoreOp | TMatmulOp):
        return False
    return any(isinstance(value.type, TileType) and 0 in value.type.valid for value in op.operands)


def _is_column_major(emit: FunctionEmitter, op: PtoOp) -> bool:
    """Return True if all tiles of an instruction are column-major."""
    tiles = [type for value in op.operands if isinstance(type := value.type, TileType)]
    plain = [tile for tile in tiles if tile.slayout is SLayout.NoneBox]
    by_columns = [tile for tile in plain if tile.blayout is BLayout.ColMajor]
    if by_columns and len(by_columns) < len(plain):
        raise emit.unsupported(op, "the library copies row by row, from one layout to itself: use ttrans")
    return bool(by_columns) and len(by_columns) == len(tiles)


def _turned(emit: FunctionEmitter, value: SSAValue) -> str:
    """A column-major tile as the row-major one that its bytes are as well."""
    type = value.type
    assert isinstance(type, TileType)
    name, shape = emit.text(value), physical_shape(value)
    turned = TileType.of(
        type.element_type,
        type.cols,
        type.rows,
        loc=type.loc.data,
        valid=(type.valid_cols, type.valid_rows),
        blayout=BLayout.RowMajor,
    )
    alias = emit.alias(
        tile_cpp(turned, (shape[1], shape[0])), f"{capitalised(identifier(name, 'local'))}RowsTile"
    )
    extents = (f"{name}.GetValidCol()", f"{name}.GetValidRow()")
    dynamic = [text for text, extent in zip(extents, turned.valid, strict=True) if extent == DYNAMIC]
    made = emit.fresh(f"{identifier(name, 'local')}Rows")
    opened = f"({', '.join(dynamic)})" if dynamic else ""
    emit.line(f"{alias} {made}{opened};")
    emit.line(f"TRESHAPE({made}, {name});")
    return made


def _template(emit: FunctionEmitter, op: PtoOp, call: Call) -> list[str]:
    needed = call.only_with.split()
    if needed and not any(_is_given(emit, op, word) for word in needed):
        return []
    words = call.template.split()
    while words and words[-1].endswith("?") and _is_default(emit, op, words[-1].strip("#?")):
        words.pop()
    return [text for word in words for text in _word(emit, op, call, word)]


def _is_given(emit: FunctionEmitter, op: PtoOp, word: str) -> bool:
    """Return True if an attribute differs from its default, or a slot has an operand."""
    fields = op.signature().fields
    return not _is_default(emit, op, word) if word in fields else bool(op.operands_of(word))


def _arguments(emit: FunctionEmitter, op: PtoOp, call: Call) -> list[str]:
    if call.arguments is None:
        return [emit.argument(value) for value in destinations_first(op)]
    return [text for word in call.arguments.split() for text in _word(emit, op, call, word)]


def _word(emit: FunctionEmitter, op: PtoOp, call: Call, word: str) -> Iterator[str]:
    """The C++ text of a word of a call: an attribute, the type of an operand, or operands."""
    kind, _, slot = word.rpartition(":")
    if word.endswith("~") and op.properties.get(word.strip("#~")) is None:
        return
    if word.startswith("#"):
        yield _attribute(emit, op, call, word.strip("#?~"))
    elif word.startswith("="):
        yield word[1:]
    elif word.startswith("&"):
        yield from (f"&{emit.argument(value)}" for value in op.operands_of(word[1:]))
    elif "@" in word:
        yield from _index(emit, op, *word.split("@"))
    elif kind == "type":
        yield from (_type(emit, value) for value in op.operands_of(slot))
    elif kind:
        yield from (_converted(kind, emit.argument(value)) for value in op.operands_of(slot))
    else:
        yield from (emit.argument(value) for value in op.operands_of(word))


def _index(emit: FunctionEmitter, op: PtoOp, slot: str, tile: str) -> Iterator[str]:
    """An index, as the library counts rows or columns of a tile."""
    type = op.values_of(tile)[0].type
    assert isinstance(type, TileType)
    count = along(type)[("row", "col").index(slot)]
    for value in op.operands_of(slot):
        text = emit.argument(value)
        yield text if count == 1 else str(count * int(text)) if text.isdigit() else f"{count} * {text}"


def _converted(type: str, text: str) -> str:
    """A value of a C++ type; a number is one of each."""
    return text if text.isdigit() else f"static_cast<{type}>({text})"


def _type(emit: FunctionEmitter, value: SSAValue) -> str:
    match value.type:
        case TileType():
            return emit.tile_type(value)
        case ViewType():
            return emit.tensor_type(value)
        case _:
            return scalar_cpp(value.type)


def _is_default(emit: FunctionEmitter, op: PtoOp, name: str) -> bool:
    row = emit.target.row(op)
    default = row.defaults.get(name) if isinstance(row, Row) else None
    return emit.target.value(op, name) == (default(op) if callable(default) else default)


def _attribute(emit: FunctionEmitter, op: PtoOp, call: Call, name: str) -> str:
    """An attribute as C++ spells it: a member of the library's enumeration of the same name, or a number."""
    value: Any = emit.target.value(op, name)
    if name in call.words:
        return call.words[name].format(str(value).lower() if isinstance(value, bool) else str(value).upper())
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, str) and not isinstance(value, Enum):
        return string_literal(value)
    return getattr(value, "cpp", None) or f"{type(value).__name__}::{value.name.rstrip('_')}"


# --- random numbers ------------------------------------------------------------------------------


@emits(TRandomOp)
def _random(emit: FunctionEmitter, op: TRandomOp) -> None:
    """Key and counter are arrays."""
    names: list[str] = []
    for name, type, words in (
        ("key", "TRandomKey", (op.k0, op.k1)),
        ("counter", "TRandomCounter", (op.c0, op.c1, op.c2, op.c3)),
    ):
        names.append(emit.fresh(name))
        emit.items(f"{type} {names[-1]}", [f"static_cast<uint32_t>({emit.text(word)})" for word in words])
    arguments = ", ".join([emit.text(op.destination), *names, *emit.waits(op)])
    emit.line(f"{emit.recorded(op)}TRANDOM<{emit.target.value(op, 'rounds')}>({arguments});")
