"""Rows that families of instructions share on the devices; an instruction brings its element types.

A row of a family runs on the vector pipe, and its tiles lie in the unified buffer, unless it says otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from xdsl.dialects.builtin import i32

from ptoas.analysis.constants import Constants
from ptoas.dialects.pto.constraints import Tile
from ptoas.dialects.pto.element_types import BY_TEXT, BY_TYPE, element_size
from ptoas.dialects.pto.enums import CmpMode, PadValue, Precision, RoundMode, TileLoc
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.tile_scalar import TDivSOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.targets.facts import Facts
from ptoas.targets.pipes import MTE1, MTE2, S, V
from ptoas.targets.row import Call, Forms, Row, Scratch
from ptoas.targets.rules.compare import mask_has_a_bit_for_each_column
from ptoas.targets.rules.expand import one_source_has_a_value_for_each_row
from ptoas.targets.rules.movement import (
    fill_does_not_shrink,
    fill_names_its_value,
    fill_of_a_matrix_keeps_its_type,
    part_is_inside,
    part_keeps_the_layout,
)
from ptoas.targets.rules.partial import one_source_is_valid_as_the_destination
from ptoas.targets.rules.reduce import sums_of_pairs_fit_the_scratch_tile
from ptoas.targets.rules.tile_gather import mask_scatter_fills_the_pattern
from ptoas.targets.specs import (
    INDEX,
    ND,
    ND_OR_COLUMN,
    ND_OR_NZ,
    PLAIN,
    ROW_MAJOR,
    SHORT_INDEX,
    T,
    Types,
    tile,
)

BLOCK = 32
"""Bytes of the smallest tile row."""


def placeholder(slot: str) -> Scratch:
    """A scratch tile that the call has a place for and the target does not touch: one block."""

    def needs(know: Facts) -> TileType:
        element = know.tile(slot).type.element_type
        return TileType.of(element, 1, BLOCK // element_size(element))

    return Scratch(needs)


def as_large_as(slot: str, *, integers: int | None = None) -> Scratch:
    """A scratch tile of an operand's type and shape; a given one for integers may be smaller."""

    def needs(know: Facts) -> TileType:
        like = know.tile(slot).type
        return TileType.of(like.element_type, like.rows, like.cols)

    def least(know: Facts) -> int:
        like = know.tile(slot)
        return integers if integers is not None and like.element.is_integer else like.type.size_bytes

    return Scratch(needs, least)


def like(slot: str) -> Scratch:
    """A scratch tile of an operand's type, its valid extents included; a given one is as large."""

    def needs(know: Facts) -> TileType:
        return know.tile(slot).type

    return Scratch(needs, valid_of=slot)


def one_row(know: Facts) -> TileType:
    """A row of the destination."""
    like = know.tile("dst").type
    return TileType.of(like.element_type, 1, like.cols)


def as_indices(slot: str) -> Scratch:
    """A scratch tile with the index tile's type, shape and valid extents, open ones included."""

    def needs(know: Facts) -> TileType:
        like = know.tile(slot).type
        return TileType.of(like.element_type, like.rows, like.cols, valid=like.valid)

    return Scratch(needs, least=lambda _: 0, valid_of=slot)


MASK_CALL = Call(
    template="type:dst type:src #maskPattern #axis?",
    arguments="dst src",
    words={"axis": "GatherAxis::GATHER_{}"},
)
"""`TGATHER` by a mask pattern; the tile types come first."""

SPREAD = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src": tile(None, ROW_MAJOR)},
    rules=(mask_scatter_fills_the_pattern,),
    pipe=V,
    apart=(("dst", "src"),),
    call=Call(template="#maskPattern #axis", arguments="dst src", words={"axis": "ScatterAxis::SCATTER_{}"}),
    source="TScatter.hpp, mask form",
)
"""`TSCATTER` by a mask pattern."""

# --- element by element --------------------------------------------------------------------------

BINARY = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src0 src1": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src0 src1": "R C"},
    pipe=V,
)
UNARY = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src": "R C"},
    pipe=V,
)
SCALAR = UNARY
"""A tile and a scalar."""

BINARY_SCRATCH = BINARY.but(ignores=("tmp",), scratch={"tmp": placeholder("dst")})
SCALAR_SCRATCH = SCALAR.but(ignores=("tmp",), scratch={"tmp": placeholder("dst")})
"""Where the scratch tile is a place in the call and nothing more."""

AXPY = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src": tile(T, ROW_MAJOR)},
    valid={"dst": "R C", "src": "R C"},
    pipe=V,
)


def precise(row: Row, algorithm: str) -> Row:
    """The row of a function whose call takes the precision as its first template argument."""
    words = {"precisionType": f"{algorithm}Algorithm::{{}}"}
    return row.but(
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
        (dst,) = op.values_of("dst")
        assert isinstance(dst.type, TileType)
        return "integers" if BY_TYPE[dst.type.element_type].is_integer else "floats"

    return Forms(kind, {"integers": integers, "floats": floats})


def division(op: TDivSOp) -> str:
    """The forms of `tdivs` that targets tell apart."""
    element = Tile().element_of(op.src.type)
    if BY_TYPE[element].is_integer:
        return "integers"
    return "tile / scalar" if op.dividend is None else "scalar / tile"


def apart(*sources: str) -> tuple[tuple[str, str], ...]:
    """The destination written while sources are still read, and the scratch tile: all apart."""
    return (*(("dst", slot) for slot in sources), *(("tmp", slot) for slot in ("dst", *sources)))


# The second call reads the result of the first: the last source must still be there.
TERNARY = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src0 src1 src2": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src0 src1 src2": "R C"},
    apart=(("dst", "src2"),),
    pipe=V,
)
ADD_C = TERNARY.but(call=calls("TADD dst src0 src1", "TADD dst dst src2"))
SUB_C = TERNARY.but(call=calls("TSUB dst src0 src1", "TADD dst dst src2"))
SCALAR_TERNARY = BINARY.but(apart=(("dst", "src1"),))
ADD_SC = SCALAR_TERNARY.but(call=calls("TADDS dst src0 scalar", "TADD dst dst src1"))
SUB_SC = SCALAR_TERNARY.but(call=calls("TSUBS dst src0 scalar", "TADD dst dst src1"))

CONVERSION = Row(
    tiles={"dst src": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src": "R C"},
    pipe=V,
    defaults={"rmode": RoundMode.RINT},
    call=Call(arguments="dst src #rmode"),
)

SEQUENCE = Row(
    tiles={"dst": tile(T)},
    shape={"dst": "1 _"},
    pipe=S,
    call=Call(template="type:dst type:start #descending", arguments="dst start"),
    defaults={"descending": False},
    ignores=("tmp",),
)
"""The call has no place for a scratch tile."""

# --- out of little -------------------------------------------------------------------------------

TRIANGLE = Row(
    tiles={"dst": tile(T, ROW_MAJOR)},
    pipe=V,
    call=Call(template="type:dst #upperOrLower", arguments="dst diag"),
    defaults={"upperOrLower": 0},
)
RANDOM = Row(tiles={"dst": tile("i32 u32", ROW_MAJOR)}, pipe=V, defaults={"rounds": 10})


def _counted_byte(op: Any) -> int:
    return op.number


HISTOGRAM = Row(
    tiles={"dst": tile("u32", ROW_MAJOR), "src": tile("u16 u32", ROW_MAJOR), "idx": tile("u8")},
    valid={"src": "R _", "dst": "R _"},
    pipe=V,
    call=Call(template="#byte", arguments="dst src idx", words={"byte": "HistByte::BYTE_{}"}),
    defaults={"byte": _counted_byte},
)

# --- repeated ------------------------------------------------------------------------------------

FILL = Row(
    tiles={"dst": tile(T, locs="vec mat")},
    pipe=lambda op: MTE2 if _loc(op.destination.type) is TileLoc.Mat else V,
)
ROW_EXPAND = Row(
    tiles={"dst": tile(T), "src": tile(empty=False)},
    valid={"dst": "R C", "src": "R _"},
    pipe=V,
)
COLUMN_EXPAND = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src": "_ C"},
    pipe=V,
)
ROW_EXPAND_BINARY = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src0 src1": tile(None, PLAIN)},
    valid={"dst": "R C", "src0 src1": "R _"},
    idle=True,
    rules=(one_source_has_a_value_for_each_row,),
    pipe=V,
    ignores=("tmp",),
)
"""Where the scratch tile is a place in the call and nothing more."""
COLUMN_EXPAND_BINARY = Row(
    tiles={
        "dst": tile(T, ROW_MAJOR),
        "src0": tile(None, ROW_MAJOR),
        "src1": tile(None, ROW_MAJOR, empty=False),
    },
    valid={"dst": "R C", "src0": "R C", "src1": "_ C"},
    idle=True,
    pipe=V,
)

# --- along rows, down columns --------------------------------------------------------------------

ROW_REDUCTION = Row(
    tiles={"src": tile(None, ND, empty=False), "dst": tile(T, ND_OR_COLUMN)},
    valid={"src": "R C", "dst": "R 1"},
    idle=True,
    pipe=V,
    ignores=("tmp",),
    scratch={"tmp": placeholder("src")},
)
"""Where the scratch tile is a place in the call and nothing more."""
COLUMN_REDUCTION = Row(
    tiles={"src": tile(None, ND), "dst": tile(T, ND)},
    valid={"src": "_ C", "dst": "1 C"},
    idle=True,
    pipe=V,
)
ROW_ARG = ROW_REDUCTION.but(
    tiles={"src": tile(T, ND, empty=False), "dst": tile(INDEX, ND_OR_COLUMN)}, idle=False
)
COLUMN_ARG = ROW_ARG.but(
    tiles={"src": tile(T, ND, empty=False), "dst": tile(INDEX, ND)}, valid={"src": "_ C", "dst": "1 C"}
)


def column_sum(plain: Row, in_pairs: Row) -> Forms:
    """A sum down columns: row after row, or with a scratch tile for the sums of pairs of rows."""
    with_scratch = in_pairs.but(call=Call(arguments="dst src tmp #isBinary"))
    return Forms(lambda op: op.tmp is not None or op.in_pairs, {False: plain, True: with_scratch})


def _pairs(know: Facts) -> TileType:
    src = know.tile("src").type
    return TileType.of(src.element_type, max(1, -(-src.rows // 2)), src.cols)


def _least_pairs(know: Facts) -> int:
    """A row of the scratch tile for every two rows of the source, unless they are not summed in pairs."""
    rows, tmp = know.tile("src").valid_rows, know.tile("tmp")
    used = know.target.value(know.op, "isBinary") and rows != DYNAMIC
    return -(-rows // 2) * tmp.cols * tmp.size if used else 0


SUM_OF_PAIRS = COLUMN_REDUCTION.but(
    tiles={"tmp": tile(None, ND)},
    rules=(sums_of_pairs_fit_the_scratch_tile,),
    scratch={"tmp": Scratch(_pairs, _least_pairs)},
    model="pairs",
)

# --- where an operand may be missing -------------------------------------------------------------

PARTIAL = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src0 src1": tile(None, ROW_MAJOR)},
    rules=(one_source_is_valid_as_the_destination,),
    pipe=V,
)
PARTIAL_ARG = PARTIAL.but(
    tiles={"src0_idx src1_idx dst_idx": tile(INDEX, ROW_MAJOR)},
    valid={"src0 src0_idx": "R0 C0", "src1 src1_idx": "R1 C1", "dst dst_idx": "R C"},
    call=Call(arguments="dst src0 src1 dst_idx src0_idx src1_idx"),
)


def partial_arg(row: Row) -> Forms:
    """Values of 16 and of 32 bits: the indices of the former may have 16 bits as well."""
    short = row.but(tiles=dict.fromkeys(("src0_idx", "src1_idx", "dst_idx"), tile(SHORT_INDEX, ROW_MAJOR)))
    return Forms(
        lambda op: element_size(op.destination.type.element_type) == 2,
        {True: short.of("f16 f32"), False: row.of("f16 f32")},
    )


# --- masks ---------------------------------------------------------------------------------------

COMPARE = Row(
    tiles={"dst": tile("i8 u8", ROW_MAJOR), "src0": tile(T, ROW_MAJOR), "src1": tile(None, ROW_MAJOR)},
    valid={"src0": "R C", "src1": "R C", "dst": "R _"},
    rules=(mask_has_a_bit_for_each_column,),
    pipe=V,
    defaults={"cmpMode": CmpMode.EQ},
    call=Call(arguments="dst src0 src1 #cmpMode"),
)
COMPARE_SCALAR = replace(
    COMPARE,
    tiles={"dst": COMPARE.tiles["dst"], "src": COMPARE.tiles["src0"]},
    valid={"src": "R C", "dst": "R _"},
    call=Call(arguments="dst src scalar #cmpMode"),
)
SELECT = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "mask": tile(None, ROW_MAJOR), "src0 src1": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src0 src1": "R C", "mask": "R _"},
    rules=(mask_has_a_bit_for_each_column,),
    pipe=V,
    ignores=("tmp",),
    scratch={"tmp": Scratch(lambda _: TileType.of(i32, 1, 8))},
)
SELECT_SCALAR = replace(
    SELECT,
    tiles={"dst": tile(T, ROW_MAJOR), "mask": tile(None, ROW_MAJOR), "src": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src": "R C", "mask": "R _"},
    scratch={"tmp": placeholder("src")},
)

# --- copies --------------------------------------------------------------------------------------


MOVE = Row(tiles={"dst src": tile(T)}, pipe=V)


class FillModel(NamedTuple):
    """How far TFILLPAD fills."""

    whole: bool = False
    """The whole physical tile, not only the valid rows."""
    keeps_bursts: bool = False
    """Whether the rest of each row's last 32 bytes is what it is in a source with the same pad value."""


def same_place(op: PtoOp) -> bool:
    """Whether source and destination lie at one address, as far as their declarations say."""
    (src,), (dst,) = op.values_of("src"), op.values_of("dst")
    given = [tile.owner.addr if isinstance(tile.owner, AllocTileOp) else None for tile in (src, dst)]
    numbers = [None if address is None else Constants().constant(address) for address in given]
    return src is dst or (None not in numbers and numbers[0] == numbers[1])


def _fill_form(op: PtoOp) -> str:
    src, dst = op.values_of("src")[0].type, op.values_of("dst")[0].type
    assert isinstance(src, TileType) and isinstance(dst, TileType)
    if dst.loc.data is TileLoc.Mat:
        return "mat"
    if src.shape != dst.shape:
        return "expand"
    return "in place" if same_place(op) else "plain"


FILL_PAD = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src": tile(None, ROW_MAJOR)},
    rules=(fill_names_its_value, fill_does_not_shrink),
    pipe=V,
)
FILL_PAD_MAT = Row(
    tiles={"dst": tile(T, locs="mat"), "src": tile(locs="mat")},
    rules=(fill_of_a_matrix_keeps_its_type,),
    pipe=MTE1,
    call=Call(template="type:dst #padValue", only_with="padValue"),
    defaults={"padValue": PadValue.Zero},
)


def fill_pad(types: str | Types, model: FillModel) -> Forms:
    """The kinds of TFILLPAD, which one has no word for: the operands tell them apart."""
    calls = {"plain": "TFILLPAD", "expand": "TFILLPAD_EXPAND", "in place": "TFILLPAD_INPLACE"}
    forms = {kind: FILL_PAD.of(types, model=model, call=Call(name=name)) for kind, name in calls.items()}
    return Forms(_fill_form, {**forms, "mat": FILL_PAD_MAT.of(types, model=model)})


TRANSPOSE = Row(
    tiles={"src": tile(None, ROW_MAJOR), "dst": tile(T)},
    valid={"src": "R C", "dst": "C R"},
    pipe=V,
    ignores=("tmp",),
    scratch={"tmp": placeholder("src")},
)
"""Where the scratch tile is a place in the call and nothing more."""

CONCAT = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src0 src1": tile(None, ROW_MAJOR)},
    valid={"dst": "R _", "src0 src1": "R _"},
    pipe=V,
)
CONCAT_COUNTED = CONCAT.but(
    tiles={"src0_idx src1_idx": tile("i8 u8 i16 u16 i32 u32")},
    call=Call(name="TCONCAT"),
)
EXTRACT = Row(
    tiles={"dst": tile(T, ND_OR_NZ), "src": tile(None, ND_OR_NZ)},
    rules=(part_is_inside, part_keeps_the_layout),
    pipe=V,
)


def _loc(type: object) -> TileLoc | None:
    return type.loc.data if isinstance(type, TileType) else None


def conversions(pairs: dict[str, str]) -> dict[str, str]:
    """Conversions of TCVT by canonical element names."""

    def canonical(text: str) -> str:
        return BY_TEXT[text].text.removeprefix("!pto.")

    return {canonical(source): " ".join(map(canonical, sinks.split())) for source, sinks in pairs.items()}
