"""`arith` and scalars of global memory as C++ expressions."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
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

from ptoas.dialects.pto.memory import AddPtrOp, GetBlockIdxOp, GetBlockNumOp, LoadScalarOp, StoreScalarOp
from ptoas.lowering.cpp.types import element_cpp, integer_width, scalar_cpp

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter

Handler = Callable[["FunctionEmitter", Operation], None]


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


def float_literal(value: float, type: Attribute) -> str:
    """The shortest literal that gives the same number."""
    if isinstance(type, Float64Type):
        return _finite(value, repr(value), "")
    text = _shortest_single(value)
    single = _finite(value, text, "f")
    return single if isinstance(type, Float32Type) else f"{scalar_cpp(type)}({single})"


def _finite(value: float, text: str, suffix: str) -> str:
    if math.isnan(value):
        return f'__builtin_nan{suffix}("")'
    if math.isinf(value):
        return ("-" if value < 0 else "") + f"__builtin_inf{suffix}()"
    return (text if any(c in text for c in ".e") else text + ".0") + suffix


def _shortest_single(value: float) -> str:
    if not math.isfinite(value):
        return ""
    single = struct.unpack("<f", struct.pack("<f", value))[0]
    for digits in range(1, 10):
        text = f"{single:.{digits}g}"
        if struct.unpack("<f", struct.pack("<f", float(text)))[0] == single:
            return text
    return repr(single)


def literal(op: arith.ConstantOp) -> str | None:
    """The literal of a scalar constant."""
    value = op.value
    if isinstance(value, IntegerAttr):
        return integer_literal(value.value.data, value.type)
    if isinstance(value, FloatAttr):
        return float_literal(value.value.data, value.type)
    return None


# --- operators -----------------------------------------------------------------------------------

_SIGNED: dict[type[Operation], str] = {
    arith.AddiOp: "{0} + {1}",
    arith.SubiOp: "{0} - {1}",
    arith.MuliOp: "{0} * {1}",
    arith.DivSIOp: "{0} / {1}",
    arith.RemSIOp: "{0} % {1}",
    arith.AndIOp: "{0} & {1}",
    arith.OrIOp: "{0} | {1}",
    arith.XOrIOp: "{0} ^ {1}",
    arith.ShLIOp: "{0} << {1}",
    arith.ShRSIOp: "{0} >> {1}",
    arith.MinSIOp: "{0} < {1} ? {0} : {1}",
    arith.MaxSIOp: "{0} < {1} ? {1} : {0}",
    arith.FloorDivSIOp: "{0} / {1} - ({0} % {1} != 0 && ({0} < 0) != ({1} < 0) ? 1 : 0)",
    arith.CeilDivSIOp: "{0} / {1} + ({0} % {1} != 0 && ({0} < 0) == ({1} < 0) ? 1 : 0)",
    arith.AddfOp: "{0} + {1}",
    arith.SubfOp: "{0} - {1}",
    arith.MulfOp: "{0} * {1}",
    arith.DivfOp: "{0} / {1}",
    arith.MaximumfOp: "{0} < {1} ? {1} : {0}",
    arith.MaxnumfOp: "{0} < {1} ? {1} : {0}",
    arith.MinimumfOp: "{1} < {0} ? {1} : {0}",
    arith.MinnumfOp: "{1} < {0} ? {1} : {0}",
    arith.NegfOp: "-{0}",
    arith.SelectOp: "{0} ? {1} : {2}",
}
_UNSIGNED: dict[type[Operation], str] = {
    arith.DivUIOp: "{0} / {1}",
    arith.RemUIOp: "{0} % {1}",
    arith.CeilDivUIOp: "{0} / {1} + ({0} % {1} != 0 ? 1 : 0)",
    arith.ShRUIOp: "{0} >> {1}",
    arith.MinUIOp: "{0} < {1} ? {0} : {1}",
    arith.MaxUIOp: "{0} < {1} ? {1} : {0}",
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
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
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


def _needs_cast(type: Attribute) -> bool:
    """Narrow integers and small floats are computed wider in C++."""
    if isinstance(type, IntegerType):
        return integer_width(cast(Attribute, type)) < 32
    return isinstance(type, Float16Type | BFloat16Type)


def _arithmetic(emit: FunctionEmitter, op: Operation) -> None:
    result = op.results[0]
    values = [emit.operand(value) for value in op.operands]
    target = scalar_cpp(result.type)
    if type(op) in _SIGNED:
        text = _SIGNED[type(op)].format(*values)
        if _needs_cast(result.type):
            text = f"static_cast<{target}>({text})"
    elif type(op) in _UNSIGNED:
        unsigned = _unsigned(result.type)
        text = _UNSIGNED[type(op)].format(*(f"static_cast<{unsigned}>({value})" for value in values))
        text = f"static_cast<{target}>({text})"
    elif isinstance(op, _FROM_UNSIGNED):
        text = f"static_cast<{target}>(static_cast<{_unsigned(op.operands[0].type)}>({values[0]}))"
    elif isinstance(op, _CASTS):
        if scalar_cpp(op.operands[0].type) == target:
            emit.rename(result, emit.text(op.operands[0]))
            return
        text = f"static_cast<{target}>({emit.text(op.operands[0])})"
    elif isinstance(op, arith.CmpiOp):
        text = _compare_integers(op, values)
    elif isinstance(op, arith.CmpfOp):
        text = _FLOAT_COMPARISONS[op.predicate.value.data].format(*values)
    else:
        raise emit.unsupported(op, "this arithmetic has no C++ form here")
    emit.define(result, text)


def _compare_integers(op: arith.CmpiOp, values: list[str]) -> str:
    predicate = op.predicate.value.data
    if predicate <= 5:
        return f"{values[0]} {_COMPARISONS[predicate]} {values[1]}"
    unsigned = _unsigned(op.lhs.type)
    left, right = (f"static_cast<{unsigned}>({value})" for value in values)
    return f"{left} {_COMPARISONS[predicate - 4]} {right}"


def _reinterpret(emit: FunctionEmitter, op: Operation) -> None:
    """The same bits under another integer type of the same width."""
    if not is_reinterpretation(op):
        raise emit.unsupported(op, "only integers of one width are converted here")
    source, result = op.operands[0], op.results[0]
    if isinstance(source.owner, arith.ConstantOp) and isinstance(source.owner.value, IntegerAttr):
        emit.rename(result, integer_literal(source.owner.value.value.data, result.type))
        return
    emit.define(result, f"static_cast<{scalar_cpp(result.type)}>({emit.text(source)})")


def is_reinterpretation(op: Operation) -> bool:
    types = (*op.operand_types, *op.result_types)
    return (
        len(op.operands) == len(op.results) == 1
        and all(isinstance(type, IntegerType) for type in types)
        and len({integer_width(type) for type in types}) == 1
    )


def _constant(emit: FunctionEmitter, op: Operation) -> None:
    assert isinstance(op, arith.ConstantOp)
    text = literal(op)
    if text is None:
        raise emit.unsupported(op, "only scalar constants have a C++ form here")
    emit.rename(op.result, text)


def _load(emit: FunctionEmitter, op: Operation) -> None:
    assert isinstance(op, LoadScalarOp)
    if op.result.first_use is not None:
        emit.define(op.result, f"{emit.operand(op.ptr)}[{emit.text(op.offset)}]")


def _store(emit: FunctionEmitter, op: Operation) -> None:
    assert isinstance(op, StoreScalarOp)
    emit.line(f"{emit.operand(op.ptr)}[{emit.text(op.offset)}] = {emit.text(op.value)};")


def _add_pointer(emit: FunctionEmitter, op: Operation) -> None:
    assert isinstance(op, AddPtrOp)
    name = emit.name(op.result)
    pointer = f"__gm__ {element_cpp(op.ptr.type.element_type)} *"  # pyright: ignore
    emit.line(f"{pointer}{name} = {emit.operand(op.ptr)} + {emit.operand(op.offset)};")


def _query(call: str) -> Handler:
    def handle(emit: FunctionEmitter, op: Operation) -> None:
        target = scalar_cpp(op.results[0].type)
        emit.define(op.results[0], f"{call}()" if target == "int64_t" else f"static_cast<{target}>({call}())")

    return handle


SCALARS: dict[type[Operation], Handler] = {
    arith.ConstantOp: _constant,
    UnrealizedConversionCastOp: _reinterpret,
    arith.CmpiOp: _arithmetic,
    arith.CmpfOp: _arithmetic,
    **dict.fromkeys((*_SIGNED, *_UNSIGNED, *_CASTS, *_FROM_UNSIGNED), _arithmetic),
    LoadScalarOp: _load,
    StoreScalarOp: _store,
    AddPtrOp: _add_pointer,
    GetBlockIdxOp: _query("get_block_idx"),
    GetBlockNumOp: _query("get_block_num"),
}


def is_scalar(type: Attribute) -> bool:
    return isinstance(type, IntegerType | IndexType | AnyFloat)
