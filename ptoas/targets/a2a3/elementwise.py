"""Arithmetic of A2/A3: the vector unit calculates with four types."""

from __future__ import annotations

from ptoas.dialects.pto import elementwise as e
from ptoas.dialects.pto.element_types import BY_TEXT, BY_TYPE
from ptoas.dialects.pto.enums import Precision
from ptoas.dialects.pto.types import TileType
from ptoas.targets.facts import Facts
from ptoas.targets.pipes import Pipes, S, V
from ptoas.targets.row import Forms, Row, Rows, Scratch
from ptoas.targets.rules.elementwise import (
    high_precision_has_an_effect,
    power_has_one_precision,
    scratch_has_the_elements_of_the_destination,
)
from ptoas.targets.shared import elementwise as f
from ptoas.targets.shared import scratch
from ptoas.targets.specs import ND, ROW_MAJOR, tile

FOUR, FLOATS = "i16 i32 f16 f32", "f16 f32"
BITS, POWERS = "i8 u8 i16 u16 i32 u32", "i8 u8 i16 u16 i32 u32 f32"

SCALAR_LOOP = Pipes(S, before=((V, S),), after=((S, V),))
"""A loop of the scalar pipe inside a header of the vector unit."""

VECTORS_AND_SCALARS = Pipes(V, inside=((V, S), (S, V)))
"""Vector instructions, and a loop of the scalar pipe between two handshakes with them: whatever is ordered
with the vector pipe is ordered with both."""


ROUNDED_QUOTIENT = frozenset(Precision)
"""The precisions at which a remainder comes from the rounded quotient: all that may be asked for."""

THROUGH_F32 = "through f32"
"""Integers that are converted, calculated in f32 and converted back."""


def precise(row: Row, algorithm: str) -> Row:
    """The call takes a precision, and the header does not look at it."""
    return f.precise(row, algorithm).override(rules=(high_precision_has_an_effect,))


def power(plain: Row, with_scratch: Row, *sources: str) -> Forms:
    """The rows of a power, which has one precision on A2/A3.

    Powers of integers are multiplied one by one; those of floats go through logarithms by vectors, then
    special cases one by one (pto/npu/a2a3/TPow.hpp header: TPowI and TPowF, TPows).
    """
    integers, floats = (
        f.precise(row, "Pow").override(rules=(power_has_one_precision,)).of(POWERS)
        for row in (with_scratch, plain)
    )
    return f.by_element(
        integers.override(pipe=SCALAR_LOOP),
        floats.override(
            valid={f"dst {' '.join(sources)} tmp": "R C"},
            pipe=VECTORS_AND_SCALARS,
            scratch={"tmp": scratch.like("dst")},
            no_alias=f.no_alias(*sources),
        ),
    )


def _row_and_mask(know: Facts) -> TileType:
    """A row of results, then the mask of a comparison, for which a whole repeat or row is cleared."""
    like = know.tile("dst").type
    return TileType.of(like.element_type, 1, like.cols + max(like.cols, 64))


def _least_row_and_mask(know: Facts) -> int:
    """Minimum of the header: a row of words, and two words of mask for each 64 columns."""
    cols = know.tile("dst").type.cols
    return 4 * (cols + 2 * -(-cols // 64))


def _bits(know: Facts) -> TileType:
    """A bit for each element, each row in whole blocks, and a row more for the selection."""
    like = know.tile("dst").type
    return TileType.of(
        BY_TEXT["u8"].type, like.rows + 1, scratch.BLOCK * -(-like.cols // (8 * scratch.BLOCK))
    )


BY_VECTORS, BY_SCALARS = "by vectors", "by scalars"


def _sequence_form(op: e.TCIOp) -> str:
    """The overload with a scratch tile counts upwards in whole numbers alone: it negates a descending
    sequence after it has added the start, and writes the bits of integers to tiles of floats. None is added
    where the author gives none, whose flags are for the scalar pipe then."""
    if op.tmp is None or not BY_TYPE[op.start.type].is_integer:
        return BY_SCALARS
    is_descending = op.descending is not None and bool(op.descending.value.data)
    return BY_SCALARS if is_descending else BY_VECTORS


def _sequence(know: Facts) -> TileType:
    """Elements of scratch for the first numbers of the sequence; short sequences take more."""
    return TileType.of(BY_TEXT["f32"].type, 1, 192 if know.tile("dst").size == 4 else 448)


SEQUENCE = f.SEQUENCE.override(tiles={"tmp": tile("i32 u32 f32", ND)}).of("i16 u16 i32 u32 f16 bf16 f32")
VECTOR_SEQUENCE = SEQUENCE.override(
    pipe=V,
    ignores=(),
    scratch={"tmp": Scratch(_sequence)},
    call=f.SEQUENCE_WITH_SCRATCH,
    source="pto/npu/a2a3/TCI.hpp header: TCI_IMPL(dst, start, tmp) is vector instructions alone",
)
SCALAR_SEQUENCE = SEQUENCE.override(
    source="pto/npu/a2a3/TCI.hpp header: TCI_IMPL(dst, start) is a loop of scalar stores without a flag"
)

# Their first steps write the destination or the scratch tile, and later ones still read the sources.
XOR = f.BINARY.override(
    tiles={"tmp": tile(None, ROW_MAJOR)},
    no_alias=f.no_alias("src0", "src1"),
    scratch={"tmp": scratch.like("dst")},
    rules=(scratch_has_the_elements_of_the_destination,),
    source="device header of A2/A3, TXOR",
)
REMAINDER = precise(f.BINARY, "Rem").override(
    scratch={"tmp": Scratch(_row_and_mask, _least_row_and_mask)},
    no_alias=f.no_alias("src0", "src1"),
    model=ROUNDED_QUOTIENT,
    source="device header of A2/A3, TREM",
)
PRELU = f.BINARY.override(
    tiles={"tmp": tile("u8", ROW_MAJOR)},
    no_alias=f.no_alias("src0", "src1"),
    scratch={"tmp": Scratch(_bits)},
    source="device header of A2/A3, TPRELU",
)

ROWS: Rows = {
    **f.BINARY.each(dict.fromkeys((e.TAddOp, e.TSubOp, e.TMulOp, e.TMaxOp, e.TMinOp), FOUR)),
    **f.BINARY_SAME_TYPE.each(dict.fromkeys((e.TAndOp, e.TOrOp), BITS)),
    **f.BINARY.override(pipe=SCALAR_LOOP).each(dict.fromkeys((e.TShlOp, e.TShrOp), BITS)),
    e.TDivOp: precise(f.BINARY, "Div").of(FLOATS),
    e.TXorOp: XOR.of(BITS),
    e.TRemOp: f.by_element(
        REMAINDER.of("i32 f32", clobbers=("src0", "src1"), model=THROUGH_F32), REMAINDER.of("i32 f32")
    ),
    e.TFmodOp: precise(f.BINARY, "Fmod").of(
        "f32", no_alias=(("dst", "src0"), ("dst", "src1")), model=ROUNDED_QUOTIENT
    ),
    e.TPowOp: power(f.BINARY, f.BINARY_SCRATCH, "src0", "src1"),
    e.TPReluOp: PRELU.of(FLOATS),
    e.TAddReluOp: f.by_element(
        # TRELU does not take i16.
        f.BINARY.of("i16 f16 f32", call=f.calls("TADD dst src0 src1", "TMAXS dst dst =0")),
        f.BINARY.of("i16 f16 f32", call=f.calls("TADD dst src0 src1", "TRELU dst dst")),
    ),
    **f.UNARY.each({e.TNegOp: FOUR, e.TAbsOp: FLOATS, e.TReluOp: "i32 f16 f32", e.TNotOp: BITS}),
    e.TExpOp: precise(f.UNARY, "Exp").of(FLOATS),
    e.TLogOp: precise(f.UNARY, "Log").of(FLOATS),
    e.TSqrtOp: precise(f.UNARY, "Sqrt").of(FLOATS),
    e.TRecipOp: precise(f.UNARY, "Recip").of(FLOATS, no_alias=(("dst", "src"),)),
    # Without a scratch tile it is an estimate, so that none is added.
    e.TRsqrtOp: f.precise(f.UNARY, "Rsqrt").of(
        FLOATS,
        no_alias=(("tmp", "dst"), ("tmp", "src")),
        rules=(high_precision_has_an_effect(by_scratch=True),),
    ),
    e.TAddCOp: f.ADD_C.of(FOUR),
    e.TSubCOp: f.SUB_C.of(FOUR),
    e.TCIOp: Forms(_sequence_form, {BY_VECTORS: VECTOR_SEQUENCE, BY_SCALARS: SCALAR_SEQUENCE}),
}
