"""Rows of arithmetic, element by element."""

from __future__ import annotations

from typing import Any

from ptoas.dialects.pto.constraints import AnyTile
from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.enums import Precision
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.tile_scalar import TDivSOp
from ptoas.targets.pipes import S, V
from ptoas.targets.row import Call, Forms, Row
from ptoas.targets.rules.elementwise import quotient_fits_one_vector, tiles_have_one_type
from ptoas.targets.shared.scratch import placeholder
from ptoas.targets.specs import ROW_MAJOR, T, element_of, tile


def _of(sources: str) -> Row:
    """Row-major tiles of equal valid shapes on the vector pipe; the sources have the result's type."""
    return Row(
        tiles={"dst": tile(T, ROW_MAJOR), sources: tile(None, ROW_MAJOR)},
        valid={"dst": "R C", sources: "R C"},
        reads_past_valid=True,
        pipe=V,
    )


BINARY, UNARY = _of("src0 src1"), _of("src")
SCALAR = UNARY
"""A tile and a scalar."""

BINARY_SAME_TYPE = BINARY.override(rules=(tiles_have_one_type,))
"""Binary instructions for which the library has one type for all three tiles: TAND and TOR."""

BINARY_SCRATCH = BINARY.override(ignores=("tmp",), scratch={"tmp": placeholder("dst")})

SCALAR_SCRATCH = SCALAR.override(ignores=("tmp",), scratch={"tmp": placeholder("dst")})
"""Arithmetic with a scalar whose scratch tile is only an argument of the call."""

AXPY = UNARY.override(tiles={"src": tile(T, ROW_MAJOR)})


ROUNDED_ONCE, PRODUCT_OF_DST = "product and sum are rounded once", "the product has the destination's type"
"""Fused multiply-add of a device; the simulator rounds the product to the source's type."""


def precise(row: Row, algorithm: str) -> Row:
    """The row of a function whose call takes the precision as its first template argument."""
    words = {"precisionType": f"{algorithm}Algorithm::{{}}"}
    return row.override(
        defaults={"precisionType": Precision.Default},
        call=Call(template="#precisionType?", words=words),
    )


def calls(first: str, then: str) -> Call:
    """Two calls for one instruction: `calls("TADD dst src0 src1", "TADD dst dst src2")`."""
    (name, _, arguments), (other, _, rest) = first.partition(" "), then.partition(" ")
    return Call(name, arguments=arguments, then=Call(other, arguments=rest))


def by_element(integers: Row, floats: Row) -> Forms:
    """Rows of an instruction that does integers in another way than floats."""

    def kind(op: PtoOp) -> str:
        return "integers" if element_of(op.values_of("dst")[0]).is_integer else "floats"

    return Forms(kind, {"integers": integers, "floats": floats})


def division(op: TDivSOp) -> str:
    """The forms of `tdivs` that targets tell apart."""
    element = AnyTile().element_of(op.src.type)
    if BY_TYPE[element].is_integer:
        return "integers"
    return "tile / scalar" if op.dividend is None else "scalar / tile"


WIDE_QUOTIENT = "one vector of 64 bits a row"
"""Division of 64-bit integers on A5: truncated, the remainder has the sign of the dividend, a divisor of
zero gives zero, and columns beyond one vector are not processed.
"""


SIX_BITS = "six bits of the count"
"""Shifts of 64-bit integers on A5, by the lowest six bits of the count."""


def by_width(row: Row, **wide: Any) -> Forms:
    """A row of A5 that says more, or something else, of integers of 64 bits."""

    def width(op: PtoOp) -> int:
        return 64 if element_of(op.values_of("dst")[0]).size == 8 else 32

    return Forms(width, {32: row, 64: row.override(**wide)})


def divided(row: Row) -> Forms:
    """A quotient or remainder of A5."""
    return by_width(row, model=WIDE_QUOTIENT, rules=(quotient_fits_one_vector,))


def shifted(row: Row) -> Forms:
    """A shift of A5."""
    return by_width(row, model=SIX_BITS)


def no_alias(*sources: str) -> tuple[tuple[str, str], ...]:
    """The destination written while sources are still read, and the scratch tile: all apart."""
    return (*(("dst", slot) for slot in sources), *(("tmp", slot) for slot in ("dst", *sources)))


# The second call reads the result of the first: the last source must still be there.
TERNARY = _of("src0 src1 src2").override(no_alias=(("dst", "src2"),))

ADD_C = TERNARY.override(call=calls("TADD dst src0 src1", "TADD dst dst src2"))

SUB_C = TERNARY.override(call=calls("TSUB dst src0 src1", "TADD dst dst src2"))

SCALAR_TERNARY = BINARY.override(no_alias=(("dst", "src1"),))

ADD_SC = SCALAR_TERNARY.override(call=calls("TADDS dst src0 scalar", "TADD dst dst src1"))

SUB_SC = SCALAR_TERNARY.override(call=calls("TSUBS dst src0 scalar", "TADD dst dst src1"))

SEQUENCE = Row(
    tiles={"dst": tile(T)},
    shape={"dst": "1 _"},
    pipe=S,
    call=Call(template="type:dst type:start #descending", arguments="dst start"),
    defaults={"descending": False},
    ignores=("tmp",),
)
"""The call has no place for a scratch tile."""
SEQUENCE_WITH_SCRATCH = Call(template="type:dst type:tmp type:start #descending", arguments="dst start tmp")
