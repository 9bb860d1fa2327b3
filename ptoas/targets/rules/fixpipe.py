"""Ways into the matrix unit and out of it: types, blocks, scales (headers of TMOV, TEXTRACT, TSTORE)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ptoas.diagnostics import Severity
from ptoas.dialects.pto.element_types import BY_TYPE, ElementType
from ptoas.dialects.pto.enums import SLayout, TileLoc
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.dialects.pto.movement import FixpipeOp, TExtractOp
from ptoas.targets.facts import Facts
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.common import misaligned
from ptoas.targets.rules.examples import instruction

Table = Mapping[str, str]
"""The result types of a source type: `{"f32": "f16 bf16"}`."""

SCALE_FRACTAL = 32
"""Bytes of a box of scales."""

NOTHING: Table = MappingProxyType({})


def _short(element: ElementType) -> str:
    return element.text.removeprefix("!pto.")


def _legal(source: ElementType, table: Table) -> list[str]:
    return table.get(_short(source), "").split()


@rule(
    "PTO-K201",
    source="headers of TMOV, TEXTRACT, TINSERT and TSTORE: static checks of accumulators",
    reason="The fix pipe has a mode for each conversion, and most of them need a scale.",
)
def accumulator_is_converted(
    op: FixpipeOp | TStoreOp, know: Facts, plain: Table = NOTHING, scaled: Table = NOTHING
) -> Violations:
    """The target must support the conversion of the accumulator, with or without a scale."""
    src = know.tile("src")
    if src.loc is not TileLoc.Acc or _short(src.element) not in (*plain, *scaled):
        return  # What an accumulator holds is the product's and the store's to say.
    slot = "mem" if isinstance(op, TStoreOp) else "dst"
    type = know.values(slot)[0].type
    found = BY_TYPE[type.element_type]  # pyright: ignore
    has_scale = op.fp is not None or op.pre_quant is not None
    legal = _legal(src.element, scaled if has_scale else plain)
    if _short(found) in legal:
        return
    how = "with a scale" if has_scale else "without a scale"
    what = f"conversion of an accumulator {how}"
    required = f"{_short(src.element)} to {', '.join(legal)}" if legal else "a scale"
    other = _legal(src.element, plain if has_scale else scaled)
    fix = None
    if _short(found) in other:
        fix = "remove the scale" if has_scale else "add a scale: fp or pre_quant"
    yield mismatch(what, f"{_short(src.element)} to {_short(found)}", required, slot=slot, fix=fix)


@constraint(
    "PTO-K202",
    "fp.memory == scaling",
    Relation(
        "fp.element == i64 or ui64: the pipe reads 8 bytes for each column",
        severity=Severity.WARNING,
        follows=True,
    ),
    Relation("fp.valid_cols >= src.valid_cols, as $src", fix="", follows=True),
    source="headers of TMOV, TEXTRACT, TINSERT and TSTORE: quantisation by columns",
    reason="The pipe reads 8 bytes per column from its own buffer.",
)
def scales_are_in_scaling() -> None:
    """Scales of columns must be 64-bit words in the memory `scaling`, one for each column. Another type is a
    warning, because the headers accept any."""


@rule(
    "PTO-K203",
    source="headers of TMOV: static checks of biases and scales",
    reason="The row is copied unchanged, except that a bias may be widened.",
    failing=instruction("tmov", "bias, 1x64xf16", "mat, 1x64xf16"),
    passing=instruction("tmov", "bias, 1x64xf32", "mat, 1x64xf16"),
)
def table_row_fits_bias_or_scaling(
    op: FixpipeOp, know: Facts, bias: Table = NOTHING, scaling: Table = NOTHING, by_source: bool = False
) -> Violations:
    """A row moved to bias or scaling must have a type that the target supports there, and a multiple of 64
    bytes for bias or 128 bytes for scaling (on A2/A3 before widening)."""
    src, dst = know.tile("src"), know.tile("dst")
    table, step = (bias, 64) if dst.loc is TileLoc.Bias else (scaling, 128)
    legal = _legal(src.element, table)
    if _short(dst.element) not in legal:
        pairs = "; ".join(f"{a} to {b.replace(' ', ', ')}" for a, b in table.items())
        found = f"{_short(src.element)} to {_short(dst.element)}"
        yield mismatch(
            f"element types of a row moved to {dst.loc.value}", found, f"one of: {pairs}", slot="dst"
        )
        return
    slot, tile = ("src", src) if by_source else ("dst", dst)
    if (size := tile.cols * tile.size) % step:
        required = f"a multiple of {step} bytes"
        yield mismatch(f"size of a row moved to {dst.loc.value}", f"{size} bytes", required, slot=slot)


@rule(
    "PTO-K204",
    source="headers of TEXTRACT and TINSERT: indices",
    reason="Blocks are moved whole; a transposed block is a square.",
)
def part_is_made_of_blocks(op: PtoOp, know: Facts) -> Violations:
    """A part of a matrix must start at a block boundary; if blocks are transposed, at a multiple of 16 in
    both directions, 32 for 8-bit types, 64 for pairs of fp4. A part of vec that is not converted must
    start at a multiple of 32 bytes; rows of an accumulator, and of the tile it is inserted into, are free."""
    src, dst = know.tile("src"), know.tile("dst")
    whole = src if isinstance(op, TExtractOp) else dst
    steps = whole.type.geometry.box
    if src.type.slayout is not dst.type.slayout and dst.loc in (TileLoc.Left, TileLoc.Right):
        steps = (32, 32) if src.size == 1 else (16, 16)
        if src.element.kind == "pairs":  # Squares of 64 numbers.
            steps = (64, 32) if src.type.slayout is SLayout.RowMajor else (32, 64)
    elif src.loc is TileLoc.Vec and whole.type.fractal != SCALE_FRACTAL:
        burst = BURST // src.size
        steps = (burst, 1) if whole.type.slayout is SLayout.ColMajor else (1, burst)
    elif src.loc is TileLoc.Acc:
        steps = (1, steps[1])
    for word, step in zip(("row", "col"), steps, strict=True):
        (start,) = know.constants(word)
        if start is not None and start % step:
            yield misaligned(word, start, step, slot=word)


@constraint(
    "PTO-K205",
    "reluPreMode == no_relu or normal_relu",
    Relation(
        "src.memory == acc",
        what="memory of $src for a relu",
        when="reluPreMode != no_relu",
        follows=True,
    ),
    source="public TMOV and TSTORE pages; D39",
    reason="Only the plain relu is documented: negative values become 0.",
)
def relu_mode_is_supported() -> None:
    """reluPreMode must be no_relu or normal_relu, and its source an accumulator."""
