"""The element types of PTO: their spellings and sizes, in one table."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition


@irdl_attr_definition
class Hif8Type(ParametrizedAttribute, TypeAttribute):
    """`!pto.hif8`: the 8-bit float with a tapered exponent that only A5 has."""

    name = "pto.hif8"


@dataclass(frozen=True)
class ElementType:
    """A row of the table: canonical text, other spellings, the IR type, bytes, kind."""

    text: str
    aliases: tuple[str, ...]
    type: Attribute
    size: int
    kind: str  # "int", "uint" or "float"

    @property
    def is_integer(self) -> bool:
        return self.kind != "float"


def _integer(width: int, unsigned: bool) -> IntegerType:
    return IntegerType(width, Signedness.UNSIGNED if unsigned else Signedness.SIGNLESS)


ELEMENT_TYPES: tuple[ElementType, ...] = (
    *(
        ElementType(f"i{w}", (f"si{w}", f"int{w}"), _integer(w, False), w // 8, "int")
        for w in (8, 16, 32, 64)
    ),
    *(
        ElementType(f"ui{w}", (f"u{w}", f"uint{w}"), _integer(w, True), w // 8, "uint")
        for w in (8, 16, 32, 64)
    ),
    ElementType("f16", ("half", "float16"), Float16Type(), 2, "float"),
    ElementType("bf16", ("bfloat16",), BFloat16Type(), 2, "float"),
    ElementType("f32", ("float", "float32"), Float32Type(), 4, "float"),
    ElementType("f64", (), Float64Type(), 8, "float"),
    ElementType("f8E4M3FN", ("f8e4m3", "f8E4M3", "f8e4m3fn"), Float8E4M3FNType(), 1, "float"),
    ElementType("f8E5M2", ("f8e5m2",), Float8E5M2Type(), 1, "float"),
    ElementType("!pto.hif8", ("hif8", "pto.hif8"), Hif8Type(), 1, "float"),
)

BY_TEXT: dict[str, ElementType] = {text: e for e in ELEMENT_TYPES for text in (e.text, *e.aliases)}
BY_TYPE: dict[Attribute, ElementType] = {e.type: e for e in ELEMENT_TYPES}


def element_text(type: Attribute) -> str:
    """The canonical text of an element type, or the type's own text if it is none of ours."""
    known = BY_TYPE.get(type)
    return known.text if known else str(type)


def element_size(type: Attribute) -> int:
    """Bytes of one element."""
    return BY_TYPE[type].size
