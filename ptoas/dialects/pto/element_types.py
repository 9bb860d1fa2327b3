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


@irdl_attr_definition
class F8E8M0Type(ParametrizedAttribute, TypeAttribute):
    """`!pto.f8E8M0`: a power of two, the scale of a block of an mx operand."""

    name = "pto.f8E8M0"


@irdl_attr_definition
class F4E1M2x2Type(ParametrizedAttribute, TypeAttribute):
    """`!pto.f4E1M2x2`: two 4-bit floats in a byte. Extents count pairs."""

    name = "pto.f4E1M2x2"


@irdl_attr_definition
class F4E2M1x2Type(ParametrizedAttribute, TypeAttribute):
    """`!pto.f4E2M1x2`: two 4-bit floats in a byte. Extents count pairs."""

    name = "pto.f4E2M1x2"


@irdl_attr_definition
class Hif8x2Type(ParametrizedAttribute, TypeAttribute):
    """`!pto.hif8x2`: two hif8."""

    name = "pto.hif8x2"


@irdl_attr_definition
class BF16x2Type(ParametrizedAttribute, TypeAttribute):
    """`!pto.bf16x2`: two bf16."""

    name = "pto.bf16x2"


@dataclass(frozen=True)
class ElementType:
    """A row of the table: canonical text, other spellings, the IR type, bytes, kind."""

    text: str
    aliases: tuple[str, ...]
    type: Attribute
    size: int
    kind: str  # "int", "uint", "float" or "pairs"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")


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
    ElementType("!pto.f8E8M0", ("f8E8M0", "f8e8m0", "pto.f8E8M0"), F8E8M0Type(), 1, "float"),
    *(
        ElementType(f"!{type.name}", (type.name.removeprefix("pto."), type.name), type, size, "pairs")
        for type, size in ((F4E1M2x2Type(), 1), (F4E2M1x2Type(), 1), (Hif8x2Type(), 2), (BF16x2Type(), 4))
    ),
)

OWN_TYPES: tuple[type[ParametrizedAttribute], ...] = (
    Hif8Type,
    F8E8M0Type,
    F4E1M2x2Type,
    F4E2M1x2Type,
    Hif8x2Type,
    BF16x2Type,
)
"""Element types that are types of the dialect."""

BY_TEXT: dict[str, ElementType] = {text: e for e in ELEMENT_TYPES for text in (e.text, *e.aliases)}
BY_TYPE: dict[Attribute, ElementType] = {e.type: e for e in ELEMENT_TYPES}

CPP_NAMES: dict[str, ElementType] = {
    **{f"{e.text.replace('i', 'int')}_t": e for e in ELEMENT_TYPES if e.is_integer},
    "bfloat16_t": BY_TEXT["bf16"],
    "float8_e4m3_t": BY_TEXT["f8e4m3"],
    "float8_e5m2_t": BY_TEXT["f8e5m2"],
    "hifloat8_t": BY_TEXT["hif8"],
}
"""Names of the instruction library, which the documents use: read, with a note (PTO-P088)."""

WITHOUT_A_WORD: dict[str, str] = dict.fromkeys(
    ("i4", "si4", "ui4", "s4", "u4"),
    "no text of PTO has integers of 4 bits: they are a type of the library's TCVT on A2/A3 alone; use i8",
)
"""Words that one might try for a type that has none, and why."""


def element_text(type: Attribute) -> str:
    """The canonical text of an element type, or the type's own text if it is none of ours."""
    known = BY_TYPE.get(type)
    return known.text if known else str(type)


def element_size(type: Attribute) -> int:
    """Bytes of one element."""
    return BY_TYPE[type].size
