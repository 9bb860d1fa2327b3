"""Arrays and structs of scalars: variables of the function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Attribute

from ptoas.dialects.pto import arrays as a
from ptoas.dialects.pto.local_types import LocalArrayType, StructType
from ptoas.lowering.cpp.handlers import emits
from ptoas.lowering.cpp.types import element_cpp

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter


@emits(a.DeclareLocalArrayOp)
def _declare_array(emit: FunctionEmitter, op: a.DeclareLocalArrayOp) -> None:
    assert isinstance(op.result.type, LocalArrayType)
    type = op.result.type
    extents = "".join(f"[{extent}]" for extent in type.shape)
    emit.line(f"{element_cpp(type.element_type)} {emit.name(op.result)}{extents};")


def _element(emit: FunctionEmitter, op: a.LocalArrayGetOp | a.LocalArraySetOp) -> str:
    return emit.text(op.array) + "".join(f"[{emit.text(index)}]" for index in op.indices)


@emits(a.LocalArrayGetOp)
def _get_element(emit: FunctionEmitter, op: a.LocalArrayGetOp) -> None:
    emit.define(op.result, _element(emit, op))


@emits(a.LocalArraySetOp)
def _set_element(emit: FunctionEmitter, op: a.LocalArraySetOp) -> None:
    emit.line(f"{_element(emit, op)} = {emit.text(op.value)};")


def _struct_cpp(emit: FunctionEmitter, type: Attribute) -> str:
    """The name of a struct's type; those inside it are named before it."""
    if not isinstance(type, StructType):
        return element_cpp(type)
    fields = [f"{_struct_cpp(emit, field)} f{n};" for n, field in enumerate(type.fields)]
    return emit.alias(f"struct {{ {' '.join(fields)} }}", "Fields")


@emits(a.DeclareStructOp)
def _declare_struct(emit: FunctionEmitter, op: a.DeclareStructOp) -> None:
    emit.line(f"{_struct_cpp(emit, op.result.type)} {emit.name(op.result)};")


def _field(emit: FunctionEmitter, op: a.StructGetOp | a.StructSetOp) -> str:
    return emit.text(op.struct) + "".join(f".f{step}" for step in op.steps)


@emits(a.StructGetOp)
def _get_field(emit: FunctionEmitter, op: a.StructGetOp) -> None:
    emit.define(op.result, _field(emit, op))


@emits(a.StructSetOp)
def _set_field(emit: FunctionEmitter, op: a.StructSetOp) -> None:
    emit.line(f"{_field(emit, op)} = {emit.text(op.value)};")
