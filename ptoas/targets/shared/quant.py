"""Rows of conversion and quantisation that targets share."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.enums import MxGroupAxis, QuantScaleAlg, QuantType, RoundMode, SaturationMode
from ptoas.dialects.pto.quant import SetQuantScalarOp, SetQuantVectorOp, TCvtOp, TQuantMxOp
from ptoas.dialects.pto.types import TileType
from ptoas.targets.pipes import FIX, V
from ptoas.targets.row import Call, Forms, Row, Rows, Unsupported
from ptoas.targets.rules.quant import (
    block_results_have_the_shape_of_the_blocks,
    codes_have_the_shape_of_the_numbers,
    conversion_exists,
    offsets_have_the_type_of_the_scales,
    pairs_are_half_as_wide,
    quantised_blocks_are_whole,
)
from ptoas.targets.shared.conversion import Conversion
from ptoas.targets.specs import DN, ND, ONE_ROW, PLAIN, ROW_MAJOR, tile

CONVERT = Row(
    tiles={"dst src": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src": "R C"},
    reads_past_valid=True,
    pipe=V,
    ignores=("tmp",),
    defaults={"rmode": RoundMode.RINT, "satmode": SaturationMode.OFF},
    call=Call(arguments="dst src #rmode #satmode"),
)
"""Conversion without a scratch tile."""


def _has_pairs(op: TCvtOp) -> bool:
    types = (op.src.type, op.destination.type)
    return any(isinstance(t, TileType) and BY_TYPE[t.element_type].kind == "pairs" for t in types)


def convert(pairs: dict[str, str], model: Conversion) -> Forms:
    """TCVT with the pairs of types that a target has; a pair of fp4 counts twice."""
    row = CONVERT.override(rules=(conversion_exists(pairs=pairs),), model=model)
    packed = row.override(valid={}, rules=(pairs_are_half_as_wide,))
    return Forms(_has_pairs, {False: row, True: packed})


# --- scales of pushes --------------------------------------------------------------------------------


def push_scales(types: str) -> Rows:
    """Scales for accumulators that are pushed; those of columns are numbers of these types."""
    return {
        SetQuantScalarOp: Row(),
        SetQuantVectorOp: Row(tiles={"scales": tile(types, ONE_ROW, locs="scaling")}, pipe=FIX),
    }


# --- rows with a scale each ----------------------------------------------------------------------

QUANTISE = Row(
    tiles={"dst": tile("i8", ROW_MAJOR), "src": tile("f32", ROW_MAJOR), "fp offset": tile("f32", DN)},
    valid={"dst": "R C", "src": "R C", "fp": "R 1", "offset": "R 1"},
    rules=(offsets_have_the_type_of_the_scales,),
    pipe=V,
    ignores=("tmp",),
    call=Call(template="#quant_type", arguments="dst src fp &offset"),
)
"""Quantisation without a scratch tile."""


def quantise(row: Row = QUANTISE) -> Forms:
    """TQUANT makes signed bytes without an offset, and unsigned ones with it."""
    unsigned = row.override(tiles={"dst": tile("u8", ROW_MAJOR)})
    return Forms(lambda op: op.quant_type.data, {QuantType.INT8_SYM: row, QuantType.INT8_ASYM: unsigned})


DEQUANTISE = Row(
    tiles={
        "dst": tile("f32", ROW_MAJOR),
        "src": tile("i8 i16", ROW_MAJOR),
        "scale offset": tile("f32", PLAIN),
    },
    valid={"dst": "R C", "src": "R C", "scale": "R _", "offset": "R _"},
    rules=(offsets_have_the_type_of_the_scales,),
    pipe=V,
)
"""The devices read the first column of the parameters, however many are valid."""

# --- blocks with a scale each --------------------------------------------------------------------


BLOCKS = Row(
    tiles={
        "dst": tile("i8 u8", ND),
        "src": tile("f32 f16 bf16", ND, empty=False),
        "exp exp_zz": tile("i8 u8", ND),
        "max scaling": tile(None, ND),
    },
    rules=(
        quantised_blocks_are_whole,
        codes_have_the_shape_of_the_numbers,
        block_results_have_the_shape_of_the_blocks,
    ),
    pipe=V,
    defaults={"grpAxis": MxGroupAxis.Axis1},
    no_alias=tuple(combinations(("src", *TQuantMxOp.OUTS), 2)),
)
PAIRS = {"dst": tile("f4E2M1x2", ND), "src": tile("f16 bf16", ND, empty=False)}
"""Source types of fp4."""
BOXED = Call(
    "TQUANT",
    "#quant_type #storeMode type:dst type:src type:exp type:max type:scaling",
    "dst src &exp &max &scaling &exp_zz",
)


ALGORITHMS = {
    (False, QuantScaleAlg.OCP): "OcpMxFp8E4M3",
    (False, QuantScaleAlg.NV): "NvMxFp8E4M3",
    (True, QuantScaleAlg.OCP): "OcpMxFp4E2M1",
    (True, QuantScaleAlg.NV): "NvMxFp4E2M1",
}
"""The library's names, by whether pairs are made and by how scales are found."""


def _block_form(op: TQuantMxOp) -> str:
    """The forms of TQUANT by blocks that targets tell apart, and those that C++ has names for."""
    if op.store_mode is not None:
        return "boxes"
    name = ALGORITHMS[op.makes_pairs, op.algorithm]
    return f"{name}, side by side" if op.is_interleaved else name


def in_blocks(eight: Row, four: Row, boxes: Row | Unsupported, zips: Unsupported | None = None) -> Forms:
    """Rows of the quantisation to fp8 and fp4, with exponents in boxes or, if the target has it, side by
    side.
    """
    rows: dict[str, Row | Unsupported] = {"boxes": boxes}
    for (pairs, _), name in ALGORITHMS.items():
        row = four if pairs else eight
        call = Call("TQUANT", f"#grpAxis =MxQuantAlg::{name}", "dst src &exp &max &scaling")
        rows[name] = row.override(call=call)
        rows[f"{name}, side by side"] = zips or row.override(
            call=replace(call, template=f"{call.template} =true")
        )
    return Forms(_block_form, rows)
