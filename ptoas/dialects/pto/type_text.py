"""Parsing of types. Each distinct text is parsed once."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, cast
from weakref import WeakValueDictionary

from lark import Token
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import (
    Builtin,
    IndexType,
    IntAttr,
    IntegerType,
    NoneAttr,
    NoneType,
    StridedLayoutAttr,
    UnregisteredAttr,
    UnregisteredOp,
)
from xdsl.dialects.builtin import MemRefType as BuiltinMemRefType
from xdsl.dialects.func import Func
from xdsl.dialects.scf import Scf
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects.pto.core_types import EventIdArrayType, PipeType
from ptoas.dialects.pto.element_types import BY_TEXT, CPP_NAMES, OWN_TYPES
from ptoas.dialects.pto.enums import (
    AddressSpace,
    AddressSpaceAttr,
    BLayoutAttr,
    CompactMode,
    CompactModeAttr,
    Layout,
    LayoutAttr,
    PadValue,
    PadValueAttr,
    PtoEnumAttr,
    SLayout,
    SLayoutAttr,
    TileLoc,
    TileLocAttr,
)
from ptoas.dialects.pto.local_types import LocalArrayType, MultiTileType, StructType
from ptoas.dialects.pto.type_parameters import TypeParameter, TypeProblem, parse_type_body
from ptoas.dialects.pto.types import (
    DYNAMIC,
    HANDLES,
    POINTER_SPACES,
    EventType,
    GroupType,
    MemRefType,
    PartitionTensorViewType,
    PtrType,
    TensorViewType,
    TileType,
    ViewType,
)
from ptoas.dialects.syntax_errors import SyntaxProblem
from ptoas.ir.caches import memoize


@cache
def xdsl_context(allow_unregistered: bool = False) -> Context:
    """Context with the dialects of xDSL that are read, and ours."""
    context = Context(allow_unregistered=allow_unregistered)
    for dialect in (Builtin, Func, Arith, Scf):
        context.load_dialect(dialect)
    # Those that few programs need in generic form; ours has all chapters.
    context.register_dialect("cf", lambda: import_module("xdsl.dialects.cf").Cf)
    context.register_dialect("pto", lambda: import_module("ptoas.dialects.pto").PTO)
    return context


_UNREGISTERED_TYPES: WeakValueDictionary[str, type[UnregisteredAttr]] = WeakValueDictionary()
_UNREGISTERED_OPS: WeakValueDictionary[str, type[Operation]] = WeakValueDictionary()
"""Classes of unregistered types and operations in use, one for each name, so that equal types are equal."""


def _unregistered_type(name: str) -> type[UnregisteredAttr]:
    found = _UNREGISTERED_TYPES.get(name)
    if found is None:
        found = _UNREGISTERED_TYPES[name] = UnregisteredAttr.with_name_and_type(name, True)
    return found


def unregistered_op(name: str) -> type[Operation]:
    found = _UNREGISTERED_OPS.get(name)
    if found is None:
        found = _UNREGISTERED_OPS[name] = UnregisteredOp.with_name(name)
    return found


_SCALARS: dict[str, Attribute] = {
    **{text: e.type for text, e in (BY_TEXT | CPP_NAMES).items()},
    "index": IndexType(),
    "none": NoneType(),
    "i1": IntegerType(1),
}


@memoize
def type_from_text(text: str, allow_unregistered: bool = False) -> Attribute:
    """Parse a type; raises `TypeProblem`."""
    if (scalar := _SCALARS.get(text)) is not None:
        return scalar
    name, bracket, body = text.removeprefix("!").partition("<")
    if name == "":
        return _type_of_angle(text)
    if name.startswith("pto."):
        lead = len(text) - len(text.removeprefix("!"))
        return _pto_type(name, body[:-1] if bracket else None, lead, allow_unregistered)
    if text.startswith("!") and "." not in name:
        raise TypeProblem(f"`{text}` is not defined; an alias is defined by `{text} = ...`")
    return _builtin_type(text, allow_unregistered)


def _type_of_angle(text: str) -> Attribute:
    """Parse a type without a name, as the C++ tool prints it: a pointer `<f32>`, a tile `<loc=vec, ...>`."""
    body = text[1:-1].strip()
    name = "pto.ptr" if body in _SCALARS else "pto.tile_buf"
    return _pto_type(name, text[1:-1], -len(name), False)  # its name takes no room in the text


def unexpected(error: ParseError) -> str:
    """Return the end of a message about a text that xDSL can't parse: the part at which it stops."""
    found = error.span.text.strip()
    return f": `{found}` is unexpected" if found else ": it ends too early"


def _builtin_type(text: str, allow_unregistered: bool) -> Attribute:
    if "<" not in text and not text.startswith("!"):
        raise TypeProblem(f"unknown type `{text}`", fix=did_you_mean(text, _SCALARS))
    try:
        parser = Parser(xdsl_context(True), text)
        found = parser.parse_type()
        parser.parse_optional_punctuation(",")
    except ParseError as error:
        start, length = error.span.start, len(error.span.text)
        raise TypeProblem(f"`{text}` is not a valid type{unexpected(error)}", start, length) from None
    except Exception:  # xDSL's parser has no one exception for a wrong text
        raise TypeProblem(f"`{text}` is not a valid type") from None
    if isinstance(found, UnregisteredAttr) and not allow_unregistered:
        raise TypeProblem(f"unknown type `{text}`")
    if isinstance(found, BuiltinMemRefType):
        return _global_memory(cast("BuiltinMemRefType[Attribute]", found))
    return found


def _global_memory(type: BuiltinMemRefType[Attribute]) -> Attribute:
    """Convert MLIR's `memref` in global memory to a view; one without an address space is kept."""
    space: Attribute = type.memory_space
    if isinstance(space, NoneAttr):
        return type
    if space != AddressSpaceAttr(AddressSpace.GM):
        raise TypeProblem(f"`{type}` is not global memory", fix="a tile is a `!pto.tile_buf<...>`")
    if not isinstance(type.layout, NoneAttr | StridedLayoutAttr):
        raise TypeProblem(f"the layout of `{type}` is not a list of strides")
    strides = type.get_strides() if isinstance(type.layout, StridedLayoutAttr) else None
    steps = None if strides is None else [DYNAMIC if step is None else step for step in strides]
    element: Attribute = type.element_type
    shape = [extent if extent >= 0 else DYNAMIC for extent in type.get_shape()]
    return MemRefType.of(shape, element, strides=steps)


def _pto_type(name: str, body: str | None, lead: int, allow_unregistered: bool) -> Attribute:
    reader = _READERS.get(name)
    if reader is None:
        if allow_unregistered:
            unregistered = _unregistered_type(name)
            return unregistered(name, True, False, body or "")
        fix = did_you_mean(name, _READERS, before="!")
        problem = TypeProblem(f"unknown type `!{name}`", 0, lead + len(name), fix)
        problem.unknown = True
        raise problem
    offset = lead + len(name) + 1
    if body is None and name not in _BARE:
        raise TypeProblem(f"`!{name}` needs its parameters in `<...>`")
    body = body or ""
    try:
        return reader(parse_type_body(body))
    except SyntaxProblem as problem:
        fix = _fix_for_cpp(body, problem.offset)
        raise TypeProblem(problem.message, offset + problem.offset, problem.length, fix) from None
    except TypeProblem as problem:
        length = problem.length or len(body)
        raise TypeProblem(problem.message, offset + problem.offset, length, problem.fix) from None
    except VerifyException as error:
        raise TypeProblem(str(error), offset, len(body)) from None


_CPP_ENUMS: dict[str, type[PtoEnumAttr[Any]]] = {
    "BLayout": BLayoutAttr,
    "CompactMode": CompactModeAttr,
    "Layout": LayoutAttr,
    "PadValue": PadValueAttr,
    "SLayout": SLayoutAttr,
    "TileType": TileLocAttr,
}


def _fix_for_cpp(body: str, offset: int) -> str | None:
    """The replacement for a C++ enumerator (`BLayout::RowMajor`), and for the `...` of the documents."""
    if body[offset:].startswith("..."):
        return "`...` stands for the parameters: write them, as in `16x32xf32`"
    name = next((m for m in re.finditer(r"(\w+)::(\w+)", body) if m.end(1) == offset), None)
    enum = None if name is None else _CPP_ENUMS.get(name[1])
    if name is None or enum is None:
        return None
    member = enum.spellings()[0] if name[2] == "None" else enum.member(name[2])
    return None if member is None else f"write `{member}` for `{name.group()}`"


def type_from_body(name: str, body: str) -> Any:
    """The type `!name<body>`, for xDSL's parser."""
    try:
        return type_from_text(f"!{name}<{body}>")
    except TypeProblem as problem:
        raise VerifyException(problem.message) from None


# --- tiles -----------------------------------------------------------------------------------------

_POSITIONS = ("loc", "dtype", "rows", "cols", "blayout", "slayout", "fractal", "pad")
"""The eight positional parameters of AS level 1, in their order."""

_TILE_KEYS = (*_POSITIONS, "v_row", "v_col", "valid", "compact")


def _no_shape(message: str, parameters: list[TypeParameter]) -> TypeProblem:
    """Return the problem of a tile without a shape; `16, 64, f32` is a shape with commas."""
    extents = [each.text for each in parameters if each.key is None and each.text.isdecimal()]
    elements = [each.text for each in parameters if each.key is None and each.is_element]
    if len(extents) != 2 or len(elements) != 1:
        return TypeProblem(message, fix="write `16x32xf32`")
    shape = "x".join([*extents, *elements])
    return TypeProblem("shape and element type of a tile are joined by `x`", fix=f"write `{shape}`")


def _tile(parameters: list[TypeParameter]) -> TileType:
    by_name: dict[str, TypeParameter] = {}
    shape: tuple[int, ...] | None = None

    def take(key: str, parameter: TypeParameter) -> None:
        if key in by_name:
            raise parameter.problem_with_key(f"`{key}` is given twice")
        if key not in _TILE_KEYS:
            fix = did_you_mean(key, _TILE_KEYS)
            raise parameter.problem_with_key(f"a tile has no parameter `{key}`", fix)
        parameter.name = key
        by_name[key] = parameter

    position = 0
    for parameter in parameters:
        if parameter.key is None and parameter.text.startswith("#pto.address_space<"):
            # The C++ tool's older text puts the location last, as an attribute.
            inner = parameter.text[len("#pto.address_space<") : -1]
            take("loc", TypeParameter("loc", "word", [Token("WORD", inner, parameter.start)]))
            continue
        if parameter.key is not None:
            take(parameter.key, parameter)
            if parameter.key in _POSITIONS:
                position = max(position, _POSITIONS.index(parameter.key) + 1)
        elif parameter.kind == "shaped":
            shape = TypeParameter(None, "dims", parameter.tokens[:1]).extents()
            if len(shape) != 2:
                raise parameter.problem(f"a tile has two dimensions, found {len(shape)}", "write `16x32xf32`")
            by_name["dtype"] = parameter
            position = 4
        elif position >= len(_POSITIONS):
            raise parameter.problem(f"too many parameters: `{parameter.text}`")
        else:
            # The location may be left out in front of a type or a shape.
            if position == 0 and parameter.is_element:
                position = 1
            take(_POSITIONS[position], parameter)
            position += 1
    if "dtype" not in by_name:
        raise _no_shape("a tile needs its element type and shape", parameters)
    if shape is None:
        missing = [key for key in ("rows", "cols") if key not in by_name]
        if missing:
            raise _no_shape(f"a tile needs `{'` and `'.join(missing)}`", parameters)
        shape = (by_name["rows"].integer(), by_name["cols"].integer())
    rows, cols = shape
    if DYNAMIC in shape:
        raise by_name["dtype"].problem(
            "the physical shape of a tile must be static", "write `?` in `valid=...`, and a size here"
        )
    valid = by_name["valid"].extents() if "valid" in by_name else (rows, cols)
    if len(valid) != 2:
        raise by_name["valid"].problem("`valid` needs two extents", "write `valid=9x?`")
    return TileType.of(
        by_name["dtype"].element(),
        rows,
        cols,
        loc=by_name["loc"].member(TileLocAttr) if "loc" in by_name else TileLoc("vec"),
        valid=(
            by_name["v_row"].integer() if "v_row" in by_name else valid[0],
            by_name["v_col"].integer() if "v_col" in by_name else valid[1],
        ),
        blayout=by_name["blayout"].member(BLayoutAttr) if "blayout" in by_name else None,
        slayout=by_name["slayout"].member(SLayoutAttr) if "slayout" in by_name else SLayout("none_box"),
        fractal=by_name["fractal"].integer() if "fractal" in by_name else 512,
        pad=by_name["pad"].member(PadValueAttr) if "pad" in by_name else PadValue("null"),
        compact=by_name["compact"].member(CompactModeAttr) if "compact" in by_name else CompactMode("null"),
    )


# --- memory ----------------------------------------------------------------------------------------


def _view(cls: type[ViewType]) -> Callable[[list[TypeParameter]], ViewType]:
    def read(parameters: list[TypeParameter]) -> ViewType:
        if not parameters or parameters[0].kind != "shaped":
            raise TypeProblem("a view of memory must start with its shape", fix="write `64x32xf32`")
        shaped = parameters[0]
        shape = TypeParameter(None, "dims", shaped.tokens[:1]).extents()
        layout = Layout.ND
        strides: list[int] | None = None
        for parameter in parameters[1:]:
            if parameter.key == "strides":
                strides = parameter.numbers()
            elif parameter.key in (None, "layout") and parameter.kind == "word":
                parameter.name = "layout"
                layout = parameter.member(LayoutAttr)
            else:
                raise parameter.problem_with_key(
                    f"a view of memory has no parameter `{parameter.key or parameter.text}`"
                )
        return cls.of(shape, shaped.element(), layout, strides)

    return read


def _ptr(parameters: list[TypeParameter]) -> PtrType:
    if not parameters or not parameters[0].is_element:
        raise TypeProblem("a pointer needs its element type", fix="write `!pto.ptr<f32>`")
    if len(parameters) > 2:
        raise parameters[2].problem("a pointer takes an element type and a memory only")
    return PtrType(
        parameters[0].element(), _space(parameters[1]) if len(parameters) == 2 else AddressSpace.GM
    )


def _space(parameter: TypeParameter) -> AddressSpace:
    word = parameter.text.removeprefix("#pto.address_space<").removesuffix(">")
    for space, spelling in POINTER_SPACES.items():
        if word in (spelling, space.value):
            return space
    known = ", ".join(POINTER_SPACES.values())
    raise parameter.problem(f"`{parameter.text}` is not a memory; expected one of {known}")


def _group(parameters: list[TypeParameter]) -> GroupType:
    if len(parameters) != 1 or parameters[0].kind != "counted":
        raise TypeProblem(
            "a group needs a count and a memory type", fix="write `!pto.group<4 x !pto.memref<64x32xf32>>`"
        )
    count, member = parameters[0].tokens
    inner = _inner(member)
    size = TypeParameter("size", "dims", [Token("NUMBER", count.split()[0], count.start_pos)]).integer()
    return GroupType(IntAttr(size), inner)


# --- what a function keeps for itself ----------------------------------------------------------------


def _local_array(parameters: list[TypeParameter]) -> LocalArrayType:
    if len(parameters) != 1 or parameters[0].kind != "shaped":
        raise TypeProblem("a local array needs a shape and an element type", fix="write `8x4xi32`")
    shaped = parameters[0]
    return LocalArrayType.of(TypeParameter(None, "dims", shaped.tokens[:1]).extents(), shaped.element())


def _struct(parameters: list[TypeParameter]) -> StructType:
    return StructType.of([_inner(field.tokens[-1]) for field in parameters])


def _multi_tile(parameters: list[TypeParameter]) -> MultiTileType:
    """Parse the parameters or the type of a tile, and the count."""
    counts = [each for each in parameters if each.key == "count"]
    others = [each for each in parameters if each.key != "count"]
    if len(counts) != 1:
        raise TypeProblem("a multi tile needs its count exactly once", fix="write `16x16xf16, count=2`")
    tile = _inner(others[0].tokens[-1]) if len(others) == 1 and others[0].kind == "element" else _tile(others)
    if not isinstance(tile, TileType):
        raise others[0].problem("a multi tile needs a tile type first", "write `16x16xf16, count=2`")
    return MultiTileType.of(tile, counts[0].integer())


def _inner(token: Token) -> Attribute:
    """Parse a type inside a type; offsets of problems count from the start of the outer one."""
    try:
        return type_from_text(str(token))
    except TypeProblem as problem:
        at = cast(int, token.start_pos)
        length = problem.length or len(token)
        raise TypeProblem(problem.message, at + problem.offset, length, problem.fix) from None


def _event_ids(parameters: list[TypeParameter]) -> Attribute:
    if len(parameters) != 1:
        raise TypeProblem("an array of event ids needs a size", fix="write `!pto.eventid_array<4>`")
    return EventIdArrayType(IntAttr(parameters[0].integer()))


_PIPE = "pto.pipe"


def _pipe(_: list[TypeParameter]) -> Attribute:
    return PipeType()


_READERS: dict[str, Callable[[list[TypeParameter]], Attribute]] = {
    "pto.tile": _tile,
    "pto.tile_buf": _tile,
    "pto.memref": _view(MemRefType),
    "pto.tensor_view": _view(TensorViewType),
    "pto.partition_tensor_view": _view(PartitionTensorViewType),
    "pto.tile_view": _view(PartitionTensorViewType),  # what the C++ tool called it before
    "pto.ptr": _ptr,
    "pto.group": _group,
    "pto.eventid_array": _event_ids,
    _PIPE: _pipe,
    "pto.local_array": _local_array,
    "pto.struct": _struct,
    "pto.multi_tile_buf": _multi_tile,
    **{cls.name: (lambda _, cls=cls: cls()) for cls in (EventType, *HANDLES, *OWN_TYPES)},
}

_BARE = ("pto.hif8", EventType.name, _PIPE, *(cls.name for cls in HANDLES))
"""Types that are a name and nothing more."""
