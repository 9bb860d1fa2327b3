"""`arith` and scalars of global memory as C++ expressions."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Operation

from ptoas.analysis.integers import (
    COMPARISONS,
    INTEGER_OPS,
    KEPT,
    UNSIGNED,
    IntegerOp,
    integer_width,
    is_reinterpretation,
    width_of,
)
from ptoas.dialects.pto.constraints import COUNTS, counts
from ptoas.dialects.pto.pointers import PointerCastOp, TileBufAddrOp
from ptoas.dialects.pto.scalar import (
    AddPtrOp,
    GetBlockIdxOp,
    GetBlockNumOp,
    GetSubblockIdxOp,
    GetSubblockNumOp,
    LoadScalarOp,
    StoreScalarOp,
    TGetValOp,
    TSetValOp,
)
from ptoas.dialects.pto.types import PtrType
from ptoas.ir.caches import memoize
from ptoas.lowering.cpp.handlers import emits
from ptoas.lowering.cpp.types import COUNTS_CPP, pointer_cpp, scalar_cpp

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter

# --- literals ------------------------------------------------------------------------------------


def integer_literal(value: int, type: Attribute) -> str:
    """A literal of the value; the most negative number of a width has none of its own."""
    width = integer_width(type)
    if width == 1:
        return "true" if value else "false"
    if value == -(1 << 63):
        return "INT64_MIN"
    if value == -(1 << 31):
        return "INT32_MIN"
    if value >= 1 << 63:
        return f"{value}ULL"
    if not -(1 << 31) <= value < 1 << 31:
        return f"{value}U" if width == 32 else f"{value}LL"
    return str(value)


def string_literal(text: str) -> str:
    """Return a C string literal; other characters are octal escapes of their bytes."""
    letters = [chr(byte) for byte in text.encode()]
    plain = (x if " " <= x <= "~" and x not in '"\\?' else f"\\{ord(x):03o}" for x in letters)
    return '"' + "".join(plain) + '"'


def float_literal(value: float, type: Attribute) -> str:
    """The shortest literal that gives the same number."""
    if isinstance(type, Float64Type):
        return _finite(value, repr(value), "")
    single = _single(value)
    text = _finite(single, _shortest(single), "f")
    return text if isinstance(type, Float32Type) else f"{scalar_cpp(type)}({text})"


def _finite(value: float, text: str, suffix: str) -> str:
    if math.isnan(value):
        return f'__builtin_nan{suffix}("")'
    if math.isinf(value):
        return ("-" if value < 0 else "") + f"__builtin_inf{suffix}()"
    return (text if any(c in text for c in ".e") else text + ".0") + suffix


def _shortest(single: float) -> str:
    if not math.isfinite(single):
        return ""
    # Nine digits are enough for each of them.
    return next(text for n in range(1, 10) if _single(float(text := f"{single:.{n}g}")) == single)


def _single(value: float) -> float:
    """The nearest f32."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def literal(op: arith.ConstantOp) -> str | None:
    """The literal of a scalar constant."""
    value = op.value
    if isinstance(value, IntegerAttr):
        return integer_literal(value.value.data, value.type)
    if isinstance(value, FloatAttr):
        return float_literal(value.value.data, value.type)
    return None


# --- operators -----------------------------------------------------------------------------------

# What is left are two zeros, of which minus zero is the less, and NaN: of those a sum is what is wanted.
_UNEQUAL = "{{0}} {} {{1}} ? {{0}} : {{1}} {} {{0}} ? {{1}} : {{0}} == {{1}} && {{0}} != -{{0}} ? {{0}} : "
_MAXIMUM = _UNEQUAL.format(">", ">") + "static_cast<{type}>({0} + {1})"
_MINIMUM = _UNEQUAL.format("<", "<") + "static_cast<{type}>(-(-{0} - {1}))"
_OTHER_OF_NAN = "{0} != {0} ? {1} : {1} != {1} ? {0} : "

_FLOATS: dict[type[Operation], str] = {
    arith.AddfOp: "{0} + {1}",
    arith.SubfOp: "{0} - {1}",
    arith.MulfOp: "{0} * {1}",
    arith.DivfOp: "{0} / {1}",
    arith.MaximumfOp: _MAXIMUM,
    arith.MaxnumfOp: _OTHER_OF_NAN + _MAXIMUM,
    arith.MinimumfOp: _MINIMUM,
    arith.MinnumfOp: _OTHER_OF_NAN + _MINIMUM,
    arith.NegfOp: "-{0}",
}
_CASTS = (
    arith.IndexCastOp,
    arith.TruncIOp,
    arith.ExtSIOp,
    arith.ExtFOp,
    arith.TruncFOp,
    arith.SIToFPOp,
    arith.FPToSIOp,
    arith.FPToUIOp,
)
_FROM_UNSIGNED = (arith.ExtUIOp, arith.UIToFPOp)
_INTEGERS = tuple(
    kind for kind, entry in INTEGER_OPS.items() if entry.cpp is not None and kind is not arith.SelectOp
)
_FLOAT_COMPARISONS = {
    0: "false",
    1: "{0} == {1}",
    2: "{0} > {1}",
    3: "{0} >= {1}",
    4: "{0} < {1}",
    5: "{0} <= {1}",
    6: "{0} < {1} || {0} > {1}",
    7: "{0} == {0} && {1} == {1}",
    8: "!({0} < {1} || {0} > {1})",
    9: "!({0} <= {1})",
    10: "!({0} < {1})",
    11: "!({0} >= {1})",
    12: "!({0} > {1})",
    13: "{0} != {1}",
    14: "{0} != {0} || {1} != {1}",
    15: "true",
}


def _unsigned(type: Attribute) -> str:
    width = integer_width(type)
    return "bool" if width == 1 else f"uint{width}_t"


def _read_operands(entry: IntegerOp, type: Attribute) -> str:
    """The expression of an operation, its operands cast where it reads them as unsigned numbers."""
    assert entry.cpp is not None
    # `arith` wraps around, as hashes need it; in C++ only unsigned numbers do. An index counts elements of a
    # memory and never comes near its end; it stays readable.
    leaves = entry.reads is KEPT and not entry.stays and not isinstance(type, IndexType)
    if entry.reads is UNSIGNED or (leaves and scalar_cpp(type) in ("int32_t", "int64_t")):
        return entry.cpp.format(*(f"static_cast<{_unsigned(type)}>({{{at}}})" for at in range(2)))
    return entry.cpp


def _needs_cast(type: Attribute) -> bool:
    """Narrow integers and small floats are computed wider in C++."""
    if isinstance(type, IntegerType):
        return width_of(cast(Attribute, type)) < 32
    return isinstance(type, Float16Type | BFloat16Type)


@memoize
def _template(kind: type[Operation], type: Attribute) -> str | None:
    """The C++ template of an operation on numbers of one type; `None`: it needs more."""
    target = scalar_cpp(type)
    entry = INTEGER_OPS.get(kind)
    if entry is None or entry.cpp is None:
        plain = _FLOATS.get(kind)
        text = plain and plain.replace("{type}", target)
        return f"static_cast<{target}>({text})" if text and _needs_cast(type) else text
    if target == "bool" and entry.bit is not None:
        return entry.bit
    text = _read_operands(entry, type)
    return f"static_cast<{target}>({text})" if text != entry.cpp or _needs_cast(type) else text


@emits(arith.CmpiOp, arith.CmpfOp, *_INTEGERS, *_FLOATS, *_CASTS, *_FROM_UNSIGNED)
def emit_arithmetic(emit: FunctionEmitter, op: Operation) -> None:
    (result,) = op.results
    values = [emit.operand(value) for value in op.operands]
    template = _template(op.__class__, result.type)
    if template is not None:
        emit.define(result, template.format(*values))
        return
    target = scalar_cpp(result.type)
    if isinstance(op, _FROM_UNSIGNED):
        text = f"static_cast<{target}>(static_cast<{_unsigned(op.operands[0].type)}>({values[0]}))"
    elif isinstance(op, _CASTS):
        if scalar_cpp(op.operands[0].type) == target:
            emit.rename(result, emit.text(op.operands[0]))
            return
        text = _cast(op, target, emit.text(op.operands[0]), values[0])
    elif isinstance(op, arith.CmpiOp):
        entry = COMPARISONS[op.predicate.value.data]
        one_bit = entry.bit if integer_width(op.lhs.type) == 1 else None
        text = (one_bit or _read_operands(entry, op.lhs.type)).format(*values)
    else:
        assert isinstance(op, arith.CmpfOp)
        text = _FLOAT_COMPARISONS[op.predicate.value.data].format(*values)
    emit.define(result, text)


def _cast(op: Operation, target: str, text: str, operand: str) -> str:
    if target == "bool":
        return f"({operand} & 1) != 0" if isinstance(op, arith.TruncIOp) else f"{operand} != 0"
    if integer_width(op.operands[0].type) == 1:
        return f"{operand} ? -1 : 0"
    if isinstance(op, arith.FPToUIOp):
        text = f"static_cast<{_unsigned(op.results[0].type)}>({text})"
    return f"static_cast<{target}>({text})"


@emits(UnrealizedConversionCastOp)
def _reinterpret(emit: FunctionEmitter, op: Operation) -> None:
    """The same bits under another integer type of the same width."""
    if not is_reinterpretation(op):
        raise emit.unsupported(op, "only integers of one width are converted here")
    source, result = op.operands[0], op.results[0]
    if isinstance(source.owner, arith.ConstantOp) and isinstance(source.owner.value, IntegerAttr):
        emit.rename(result, integer_literal(source.owner.value.value.data, result.type))
        return
    emit.define(result, f"static_cast<{scalar_cpp(result.type)}>({emit.text(source)})")


@emits(arith.ConstantOp)
def _constant(emit: FunctionEmitter, op: arith.ConstantOp) -> None:
    (result,) = op.results
    if result.type == COUNTS:
        numbers = (str(number & 0xFFFF) for number in counts(op.value))
        emit.line(f"{COUNTS_CPP} {emit.name(op.result)}{{{', '.join(numbers)}}};")
        return
    text = literal(op)
    if text is None:
        raise emit.unsupported(op, "only scalar constants have a C++ form here")
    emit.rename(result, text)


@emits(LoadScalarOp)
def _load(emit: FunctionEmitter, op: LoadScalarOp) -> None:
    if op.result.first_use is not None:
        emit.define(op.result, f"{emit.operand(op.ptr)}[{emit.text(op.offset)}]")


@emits(StoreScalarOp)
def _store(emit: FunctionEmitter, op: StoreScalarOp) -> None:
    emit.line(f"{emit.operand(op.ptr)}[{emit.text(op.offset)}] = {emit.text(op.value)};")


@emits(TGetValOp)
def _get(emit: FunctionEmitter, op: TGetValOp) -> None:
    if op.result.first_use is not None:
        emit.define(op.result, f"{emit.text(op.src)}.GetValue({emit.text(op.offset)})")


@emits(TSetValOp)
def _set(emit: FunctionEmitter, op: TSetValOp) -> None:
    emit.line(f"{emit.text(op.dst)}.SetValue({emit.text(op.offset)}, {emit.text(op.value)});")


@emits(AddPtrOp)
def _add_pointer(emit: FunctionEmitter, op: AddPtrOp) -> None:
    name, pointer = emit.name(op.result), pointer_cpp(op.result.type)
    emit.line(f"{pointer}{name} = {emit.operand(op.ptr)} + {emit.operand(op.offset)};")


@emits(PointerCastOp)
def _cast_pointer(emit: FunctionEmitter, op: PointerCastOp) -> None:
    (source,), (result,) = op.operands, op.results
    if isinstance(result.type, PtrType):
        pointer = pointer_cpp(result.type)
        text = f"reinterpret_cast<{pointer}>({emit.text(source)})"
        emit.line(f"{pointer}{emit.name(result)} = {text};")
    else:
        emit.define(result, f"reinterpret_cast<{scalar_cpp(result.type)}>({emit.text(source)})")


@emits(TileBufAddrOp)
def _tile_pointer(emit: FunctionEmitter, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    emit.line(f"{pointer_cpp(result.type)}{emit.name(result)} = {emit.text(source)}.data();")


_QUERIES: dict[type[Operation], str] = {
    GetBlockIdxOp: "get_block_idx",
    GetBlockNumOp: "get_block_num",
    GetSubblockIdxOp: "get_subblockid",
    GetSubblockNumOp: "get_subblockdim",
}


@emits(*_QUERIES)
def _query(emit: FunctionEmitter, op: Operation) -> None:
    call, target = _QUERIES[type(op)], scalar_cpp(op.results[0].type)
    emit.define(op.results[0], f"{call}()" if target == "int64_t" else f"static_cast<{target}>({call}())")


def is_scalar(type: Attribute) -> bool:
    return isinstance(type, IntegerType | IndexType | AnyFloat)
