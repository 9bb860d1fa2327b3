"""Ways out of the accumulator to two unified buffers, its phases, and fp4 on its way into the matrix unit."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.structure import walk
from ptoas.dialects.pto.enums import AccPhase, AccToVecMode, BLayout, SLayout, STPhase, TileLoc
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.matmul import ProductOp
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.dialects.pto.movement import FixpipeOp, TExtractOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Related, Violation, Violations, function_rule, mismatch, rule
from ptoas.targets.target import Target

SPLIT_COLUMNS = 32
"""Columns of which an accumulator that is split by columns has a multiple."""


@rule(
    "PTO-K302",
    source="header of TMOV, A5: GetDualDstCtl; public fixpipe model page",
    reason="One transfer writes one half to the unified buffer of each vector core.",
    on="a5",
)
def halves_of_an_accumulator_are_equal(
    op: FixpipeOp, know: Facts, both: bool = True, to_vec: bool = True
) -> Violations:
    """accToVecMode is for an accumulator moved to the unified buffer. A split mode takes no scale, conversion
    or col_major tile, and textract only from index 0, 0; by rows it needs an even number of rows (all rows
    for boxes), by columns a multiple of 32, and a destination for one half."""
    if op.acc_to_vec_mode is None:
        return
    src, dst, mode = know.tile("src"), know.tile("dst"), op.acc_to_vec_mode.data
    place = {"field": "accToVecMode"}
    if (src.loc, dst.loc) != (TileLoc.Acc, TileLoc.Vec):
        found = f"{mode.value} from {src.loc.value} to {dst.loc.value}"
        yield mismatch("accToVecMode", found, "a move from acc to vec", **place)
        return
    if not to_vec or mode not in (AccToVecMode.DualModeSplitM, AccToVecMode.DualModeSplitN):
        return
    if not both:
        required = "a single mode: there is one unified buffer, and all of the tile goes there"
        yield mismatch("accToVecMode", mode.value, required, **place)
        return
    if isinstance(op, TExtractOp) and (know.constants("row"), know.constants("col")) != ((0,), (0,)):
        required = "a single mode, or index 0, 0: in halves the library counts all of $src from the index on"
        yield mismatch("accToVecMode of textract", mode.value, required, **place)
    if op.fp is not None or op.pre_quant is not None or src.element is not dst.element:
        found = f"{src.element_name} to {dst.element_name}"
        scaled = " with a scale" if op.fp is not None or op.pre_quant is not None else ""
        yield mismatch("conversion in halves", found + scaled, "none", slot="dst")
    if dst.type.blayout is BLayout.ColMajor and dst.type.slayout is SLayout.NoneBox:
        yield mismatch("layout of $dst for halves", dst.layout_text, "row_major, or with boxes", slot="dst")
    at, word, step = (0, "rows", 2) if mode is AccToVecMode.DualModeSplitM else (1, "columns", SPLIT_COLUMNS)
    extent = src.valid[at]
    if at == 0 and dst.type.slayout is not SLayout.NoneBox and extent != src.type.rows:
        found = "some" if extent == DYNAMIC else extent
        required = f"all {src.type.rows}: into boxes the library splits the physical rows"
        yield mismatch("valid rows of $src for dual_mode_split_m", found, required, slot="src")
    if extent == DYNAMIC:
        return
    if extent % step:
        yield mismatch(f"valid {word} of $src for {mode.value}", extent, f"a multiple of {step}", slot="src")
    elif dst.type.shape[at] < extent // 2:
        required = f"at least {extent // 2}, half of $src"
        yield mismatch(f"{word} of $dst for {mode.value}", dst.type.shape[at], required, slot="dst")


# --- phases --------------------------------------------------------------------------------------


@function_rule(
    "PTO-K303",
    source="public TMATMUL and TSTORE pages: AccPhase and STPhase; headers: unit flag",
    reason="A store with a phase waits for the final product, and a product with a phase for the final "
    "store; if that never comes, it waits for ever.",
)
def accumulator_phases_alternate(facts: FunctionFacts, _target: Target) -> Violations:
    """A store with stPhase must follow a product into the same accumulator with accPhase final, and takes no
    scales of columns; a product with accPhase must not follow a final one before a store with stPhase
    final."""
    for op in walk(facts.func):
        for block in (block for region in op.regions for block in region.blocks):
            yield from _check_phases(block.ops, facts)


def _check_phases(ops: Iterable[Operation], facts: FunctionFacts) -> Violations:
    """The phases in one block; control flow and calls end the known sequence."""
    last: list[tuple[SSAValue, ProductOp, bool]] = []
    """Accumulators, the product that wrote them last, and whether it waits for a final store."""
    for op in ops:
        if op.regions or not isinstance(op, PtoOp):
            if op.regions or op.name == "func.call":
                last.clear()
            continue
        if isinstance(op, ProductOp):
            dst, phase = op.destination, op.acc_phase.data if op.acc_phase is not None else None
            earlier = next((each for each in last if _same(each[0], dst, facts)), None)
            has_phase = phase in (AccPhase.Partial, AccPhase.Final)
            if has_phase and earlier is not None and earlier[2]:
                yield Violation(
                    f"product into `{value_name(dst)}` follows a final product that was not stored with "
                    "stPhase final",
                    op=op,
                    field="accPhase",
                    fix="store it with stPhase final before, or make the earlier product partial",
                    related=(Related("the final product", earlier[1]),),
                )
            last = [each for each in last if not _same(each[0], dst, facts)]
            last.append((dst, op, phase is AccPhase.Final))
        elif isinstance(op, TStoreOp) and op.st_phase is not None:
            yield from _store(op, op.st_phase.data, last, facts)


def _store(
    op: TStoreOp, phase: STPhase, last: list[tuple[SSAValue, ProductOp, bool]], facts: FunctionFacts
) -> Violations:
    if phase is STPhase.Unspecified:
        return
    if op.fp is not None:
        yield Violation(
            f"a store with stPhase {phase.value} takes no scales of columns",
            op=op,
            field="stPhase",
            fix="leave both phases out, and order the product and the store by a flag",
        )
        return
    for n, (acc_, product, waits) in enumerate(last):
        if not _same(acc_, op.src, facts):
            continue
        if not waits:
            written = "none" if product.acc_phase is None else product.acc_phase.data.value
            yield Violation(
                f"store with stPhase {phase.value} follows a product with accPhase {written}, expected final",
                op=op,
                field="stPhase",
                fix="write accPhase final at the last product, or leave stPhase out",
                related=(Related("the product", product),),
            )
        if phase is STPhase.Final:
            last[n] = (acc_, product, False)


def _same(one: SSAValue, other: SSAValue, facts: FunctionFacts) -> bool:
    """Return True if one tile is certainly the other, or a part of it."""
    if one is other:
        return True
    return any(a.overlaps(b, unsure=False) for a in facts.places(one) for b in facts.places(other))


# --- fp4 -----------------------------------------------------------------------------------------


@rule(
    "PTO-K304",
    source="header of TEXTRACT, A5: transposed loads of 4 bits; D56",
    reason="Neighbours in a byte are neighbours in a row on one side and in a column on the other, so "
    "the bytes are repacked.",
    on="a5",
)
def transposed_pairs_are_complete(op: FixpipeOp, know: Facts, transposes: bool = True) -> Violations:
    """If pairs of fp4 are transposed on their way to left or right, both tiles must have the same numbers:
    twice the columns, or rows, that count pairs. Indices of a part are those of the source."""
    src, dst = know.tile("src"), know.tile("dst")
    if src.element.kind != "pairs" or dst.loc not in (TileLoc.Left, TileLoc.Right):
        return
    if SLayout.NoneBox in (src.type.slayout, dst.type.slayout) or src.type.slayout is dst.type.slayout:
        return
    if not transposes:
        required = f"slayout {dst.type.slayout.value}: the simulator moves bytes and leaves pairs as they are"
        yield mismatch("slayout of $src for pairs of fp4", src.type.slayout.value, required, slot="src")
    elif not isinstance(op, TExtractOp) and (found := _numbers(src.type.slayout, src.type.shape)) != (
        expected := _numbers(dst.type.slayout, dst.type.shape)
    ):
        words = [f"{rows}x{cols} numbers" for rows, cols in (expected, found)]
        yield mismatch("shape of $dst", words[0], f"{words[1]}, as $src", slot="dst")


def _numbers(slayout: SLayout, shape: tuple[int, int]) -> tuple[int, int]:
    """Rows and columns of numbers of a tile of pairs (D56)."""
    rows, cols = shape
    return (rows, 2 * cols) if slayout is SLayout.RowMajor else (2 * rows, cols)
