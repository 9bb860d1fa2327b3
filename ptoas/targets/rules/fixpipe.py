"""Ways into the matrix unit and out of it: types, blocks, scales (headers of TMOV, TEXTRACT, TSTORE)."""

from __future__ import annotations

from collections.abc import Mapping

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
from ptoas.targets.rules.examples import instruction

Table = Mapping[str, str]
"""The result types of a source type: `{"f32": "f16 bf16"}`."""

SCALE_FRACTAL = 32
"""Bytes of a box of scales."""


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
    op: FixpipeOp | TStoreOp, know: Facts, plain: Table, scaled: Table
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


@constraint(
    "PTO-K203",
    *(
        Relation(
            f"dst.element in {memory}[src.element]",
            what="element type of a row of {src.element} moved to {dst.memory}",
            fix="",
            when=f"dst.memory == {memory}",
        )
        for memory in ("bias", "scaling")
    ),
    *(
        Relation(
            f"{slot}.row_bytes % {step}",
            what="size of a row moved to {dst.memory}",
            when=f"dst.memory == {memory} and by_source == {slot == 'src'}",
            follows=True,
        )
        for memory, step in (("bias", 64), ("scaling", 128))
        for slot in ("src", "dst")
    ),
    source="headers of TMOV: static checks of biases and scales",
    reason="The row is copied unchanged, except that a bias may be widened.",
    failing=instruction("tmov", "bias, 1x64xf16", "mat, 1x64xf16"),
    passing=instruction("tmov", "bias, 1x64xf32", "mat, 1x64xf16"),
)
def table_row_fits_bias_or_scaling() -> None:
    """A row moved to bias or scaling must have a type that the target supports there, and a multiple of 64
    bytes for bias or 128 bytes for scaling (on A2/A3 before widening)."""


def _steps(op: PtoOp, know: Facts) -> tuple[int, int]:
    """Rows and columns of which the indices of a part are multiples."""
    src, dst = know.tile("src"), know.tile("dst")
    whole = src if isinstance(op, TExtractOp) else dst
    steps = whole.type.geometry.box
    if src.type.slayout is not dst.type.slayout and dst.loc in (TileLoc.Left, TileLoc.Right):
        if src.element.kind == "pairs":  # Squares of 64 numbers.
            return (64, 32) if src.type.slayout is SLayout.RowMajor else (32, 64)
        return (32, 32) if src.size == 1 else (16, 16)
    if src.loc is TileLoc.Vec and whole.type.fractal != SCALE_FRACTAL:
        burst = BURST // src.size
        return (burst, 1) if whole.type.slayout is SLayout.ColMajor else (1, burst)
    return (1, steps[1]) if src.loc is TileLoc.Acc else steps


@constraint(
    "PTO-K204",
    Relation("row %", lambda op, know: _steps(op, know)[0]),
    Relation("col %", lambda op, know: _steps(op, know)[1]),
    source="headers of TEXTRACT and TINSERT: indices",
    reason="Blocks are moved whole; a transposed block is a square.",
)
def part_is_made_of_blocks() -> None:
    """A part of a matrix must start at a block boundary; if blocks are transposed, at a multiple of 16 in
    both directions, 32 for 8-bit types, 64 for pairs of fp4. A part of vec that is not converted must
    start at a multiple of 32 bytes; rows of an accumulator, and of the tile it is inserted into, are free."""


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
