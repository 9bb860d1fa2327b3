"""Conversion and quantisation of A2/A3: what goes to low bits goes through 32 bits in a scratch tile."""

from __future__ import annotations

from ptoas.dialects.pto import quant as q
from ptoas.dialects.pto.element_types import BY_TEXT, BY_TYPE
from ptoas.dialects.pto.enums import SaturationMode
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.facts import Facts
from ptoas.targets.pipes import Pipes, S, V
from ptoas.targets.row import Call, Forms, Rows, Scratch, Unsupported
from ptoas.targets.rules.quant import conversion_exists
from ptoas.targets.shared.conversion import Conversion, conversions
from ptoas.targets.shared.quant import CONVERT, DEQUANTISE, QUANTISE, push_scales, quantise
from ptoas.targets.shared.scratch import BLOCK, like
from ptoas.targets.specs import ROW_MAJOR, tile

CONVERSIONS = conversions(
    {
        "f32": "f16 f32 bf16 i16 i32 i64",
        "f16": "f32 i32 i16 i8 u8",
        "bf16": "f32 i32",
        "i16": "f16 f32",
        "i32": "f32 i16 i64 f16",
        "i64": "f32 i32",
        "u8": "f16",
        "i8": "f16",
    }
)
OVERFLOWS = frozenset(
    {("f16", "ui8"), ("f16", "i8"), ("f32", "i16"), ("f16", "i16"), ("i64", "i32"), ("i32", "i16")}
)
"""All other integers saturate, whatever is asked for; floats never do."""

MOST = 255
"""Repeats, or rows, of one instruction."""
LANES = 64
"""Numbers of 32 bits that are worked on at once."""


def _low_bits(know: Facts) -> int:
    """Bytes of the integers that f32 and f16 become before their low bits are taken."""
    src, dst = know.tile("src"), know.tile("dst")
    rows, cols = (s if v == DYNAMIC else v for s, v in zip(dst.type.shape, dst.valid, strict=True))
    lanes = min(cols, LANES)
    match src.element.text, dst.element.text:
        case "f32", "i16":
            head, rest = divmod(cols, LANES)
            tail = (min(rows, MOST) - 1) * (src.type.cols // 8) + -(-rest // 8) if rest else 0
            return max(4 * LANES * min(head, MOST), BLOCK * tail)
        case "f16", "i16":
            return BLOCK * -(-lanes // 8)
        case _:
            return max(BLOCK * -(-lanes // 8), 128 + BLOCK * -(-lanes // 16))


def _integers(know: Facts) -> TileType | None:
    size = _low_bits(know)
    return TileType.of(BY_TEXT["i32"].type, 1, size // 4) if size else None


def _keeps_low_bits(op: q.TCvtOp) -> bool:
    """Return True if the conversion uses the scratch tile; elsewhere a given tile would change the
    result.
    """
    types = (op.src.type, op.destination.type)
    names = tuple(BY_TYPE[t.element_type].text for t in types if isinstance(t, TileType))
    saturates = op.satmode is not None and op.satmode.data is SaturationMode.ON
    return not saturates and names in STEPWISE


STEPWISE = (("f32", "i16"), ("f16", "i16"), ("f16", "i8"))

PLAIN = CONVERT.override(
    rules=(conversion_exists(pairs=CONVERSIONS),),
    model=Conversion(overflows=OVERFLOWS, clips_floats=False, through=32),
)
NARROW = PLAIN.override(
    ignores=(),
    scratch={"tmp": Scratch(_integers, _low_bits)},
    no_alias=(("tmp", "src"), ("tmp", "dst")),
    call=Call(arguments="dst src tmp #rmode #satmode"),
)

# The source is multiplied in place, and holds the numbers in f16 when it is done.
STEPS = QUANTISE.override(
    ignores=(),
    clobbers=("src",),
    tiles={"tmp": tile(None, ROW_MAJOR)},
    scratch={"tmp": like("src")},
    no_alias=(("dst", "src"), *(("tmp", slot) for slot in ("dst", "src", "fp", "offset"))),
    call=Call(template="#quant_type", arguments="dst src fp tmp &offset"),
)

ROWS: Rows = {
    **push_scales("i64 u64"),
    q.TCvtOp: Forms(_keeps_low_bits, {False: PLAIN, True: NARROW}),
    q.TQuantOp: quantise(STEPS),
    # The scalar pipe fetches the scale and the offset of each row.
    q.TDequantOp: DEQUANTISE.override(
        pipe=Pipes(V, {"scale": S, "offset": S}, before=((V, S),), inside=((S, V),))
    ),
    q.TQuantMxOp: Unsupported("A2/A3 has no floats of 8 or 4 bits; use tquant with a scale for each row"),
}
