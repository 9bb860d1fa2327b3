"""Conversion and quantisation of the simulator: as C++ casts, from any number to any."""

from __future__ import annotations

from ptoas.dialects.pto import quant as q
from ptoas.targets.row import Rows, Unsupported
from ptoas.targets.rules.quant import (
    block_results_have_no_gaps,
    exponents_fill_boxes,
    exponents_in_boxes_have_one_type_and_no_gaps,
)
from ptoas.targets.shared.conversion import Conversion, conversions
from ptoas.targets.shared.quant import (
    BLOCKS,
    BOXED,
    DEQUANTISE,
    PAIRS,
    QUANTISE,
    convert,
    in_blocks,
    push_scales,
    quantise,
)
from ptoas.targets.specs import ANY, ND, tile

NUMBERS = " ".join(element.text for element in ANY)
CONVERSIONS = conversions(
    {
        **{element.text: NUMBERS for element in ANY},
        **dict.fromkeys(("f16", "bf16", "f32"), f"{NUMBERS} f4E1M2x2 f4E2M1x2"),
        "f4E1M2x2": "f16 bf16 f32",
        "f4E2M1x2": "f16 bf16 f32",
    }
)

WHOLE = BLOCKS.override(model="whole tiles", rules=(block_results_have_no_gaps(simulated=True),))
BYTES = WHOLE.override(tiles={"dst": tile("i8", ND), "exp exp_zz": tile("u8", ND)})
FOUR = WHOLE.override(tiles={**PAIRS, "src": tile("f32 f16 bf16", ND, empty=False), "exp": tile("u8", ND)})

ROWS: Rows = {
    **push_scales("i64 u64"),
    q.TCvtOp: convert(CONVERSIONS, Conversion(casts=True)),
    q.TQuantOp: quantise(QUANTISE.override(tiles={"fp offset": tile("f32")})),
    # The simulator would go along the columns of the parameters.
    q.TDequantOp: DEQUANTISE.override(valid={"dst src": "R C", "scale offset": "R 1"}),
    q.TQuantMxOp: in_blocks(
        BYTES,
        FOUR,
        BYTES.override(
            rules=(exponents_fill_boxes, exponents_in_boxes_have_one_type_and_no_gaps), call=BOXED
        ),
        Unsupported("the simulator does not put exponents side by side; use tquant.mx without interleave"),
    ),
}
