"""Rows of conversion and quantisation that targets share."""

from __future__ import annotations

from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.enums import RoundMode, SaturationMode
from ptoas.dialects.pto.quant import TCvtOp
from ptoas.dialects.pto.types import TileType
from ptoas.targets.conversion import Conversion
from ptoas.targets.pipes import V
from ptoas.targets.row import Call, Forms, Row
from ptoas.targets.rules.quant import conversion_exists, pairs_are_half_as_wide
from ptoas.targets.specs import ROW_MAJOR, tile

CONVERT = Row(
    tiles={"dst src": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src": "R C"},
    pipe=V,
    ignores=("tmp",),
    defaults={"rmode": RoundMode.RINT, "satmode": SaturationMode.OFF},
    call=Call(arguments="dst src #rmode #satmode"),
)
"""Where a scratch tile is neither needed nor passed on."""


def _has_pairs(op: TCvtOp) -> bool:
    types = (op.src.type, op.destination.type)
    return any(isinstance(t, TileType) and BY_TYPE[t.element_type].kind == "pairs" for t in types)


def convert(pairs: dict[str, str], model: Conversion) -> Forms:
    """TCVT with the pairs of types that a target has; a pair of fp4 counts twice."""
    row = CONVERT.but(rules=(conversion_exists(pairs=pairs),), model=model)
    packed = row.but(valid={}, rules=(pairs_are_half_as_wide,))
    return Forms(_has_pairs, {False: row, True: packed})
