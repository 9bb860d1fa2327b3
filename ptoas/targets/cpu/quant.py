"""Conversion and quantisation of the simulator: as C++ casts, from any number to any."""

from __future__ import annotations

from ptoas.dialects.pto import quant as q
from ptoas.targets.conversion import Conversion, conversions
from ptoas.targets.quants import convert
from ptoas.targets.row import Rows
from ptoas.targets.specs import ANY

NUMBERS = " ".join(element.text for element in ANY)
CONVERSIONS = conversions(
    {
        **{element.text: NUMBERS for element in ANY},
        **dict.fromkeys(("f16", "bf16", "f32"), f"{NUMBERS} f4E1M2x2 f4E2M1x2"),
        "f4E1M2x2": "f16 bf16 f32",
        "f4E2M1x2": "f16 bf16 f32",
    }
)

ROWS: Rows = {q.TCvtOp: convert(CONVERSIONS, Conversion(casts=True))}
