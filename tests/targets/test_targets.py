"""Properties of each target according to the documents and decisions, spelled out."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest
from xdsl.dialects.builtin import f32
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, var_operand_def
from xdsl.utils.test_value import create_ssa_value

from ptoas.analysis.effects import NOTHING
from ptoas.dialects.pto.constraints import AnyTile
from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.elementwise import TNegOp
from ptoas.dialects.pto.enums import Coalesce, Layout, TileLoc
from ptoas.dialects.pto.gather import MGatherOp
from ptoas.dialects.pto.geometry import BOX_ROWS, BURST
from ptoas.dialects.pto.instruction import PtoOp, ReductionOp, check_slots
from ptoas.dialects.pto.memory import TLoadOp
from ptoas.dialects.pto.reduce import TRowSumOp
from ptoas.dialects.pto.types import TileType
from ptoas.grammar.parse import parse
from ptoas.targets import CPU, TARGETS, UnknownTargetError, get_target
from ptoas.targets.a2a3.reduce import FOLDED
from ptoas.targets.pipes import Pipes, S, V
from ptoas.targets.row import Forms, Row, Unsupported
from ptoas.targets.rules.operands import rules_for
from ptoas.targets.shared.elementwise import UNARY
from ptoas.targets.shared.gather_tables import TableModel
from ptoas.targets.shared.scratch import placeholder
from ptoas.targets.specs import element_names
from ptoas.targets.target import Target
from ptoas.verifier.verify import verify

KB = 1024


def gather(text: str) -> MGatherOp:
    return next(op for op in parse(text).walk() if isinstance(op, MGatherOp))


def program(opcode: str, idx: str) -> str:
    return (
        f".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<{idx}>\n"
        f"%d = {opcode} %t, %i : (!pto.memref<64x32xf32>, !pto.tile<{idx}>) -> !pto.tile<16x32xf32>"
    )


def row_of(target: str | Target, op: type[PtoOp] = MGatherOp) -> Row:
    row = (get_target(target) if isinstance(target, str) else target).entry(op)
    assert isinstance(row, Row)
    return row


def table_of(target: str | Target) -> TableModel:
    return row_of(target).model


def test_names_and_aliases() -> None:
    assert list(TARGETS) == ["cpu", "a2a3", "a5", "a5-custom"]
    assert get_target("a2") is get_target("A3") is TARGETS["a2a3"]
    assert get_target("a5_custom") is TARGETS["a5-custom"]
    with pytest.raises(UnknownTargetError, match="cpu, a2a3, a5, a5-custom") as caught:
        get_target("a6")
    assert caught.value.name == "a6"


@pytest.mark.parametrize(
    ("fact", "holds"),
    [
        ("has_row_mode", ["a2a3", "a5", "a5-custom"]),  # D17
        ("checks_bounds", ["a2a3", "a5", "a5-custom"]),  # D17
        ("has_pipes", ["a2a3", "a5", "a5-custom"]),
        ("has_nz", ["a2a3"]),  # D16
        ("packed", ["a5", "a5-custom"]),  # D16
        ("sign_extends_index", ["cpu"]),  # D12
    ],
)
def test_which_targets_a_fact_holds_for(fact: str, holds: list[str]) -> None:
    def holds_for(target: Target) -> bool:
        return getattr(target if hasattr(target, fact) else table_of(target), fact)

    found = [repr(target) for target in TARGETS.values() if holds_for(target)]
    assert found == [f"Target({name!r})" for name in holds]


@pytest.mark.parametrize(
    ("target", "mode"), [("cpu", "elem"), ("a2a3", "row"), ("a5", "row"), ("a5-custom", "elem")]
)
def test_default_mode(target: str, mode: str) -> None:
    """D8; on a5-custom an index of 32 columns means elements."""
    op = gather(program("mgather", "16x32xi32"))
    assert get_target(target).value(op, "coalesce").value == mode


def test_default_mode_of_a5_custom_is_the_index() -> None:
    custom = get_target("a5-custom")
    assert custom.value(gather(program("mgather", "16x1xi32")), "coalesce") is Coalesce.Row
    assert custom.value(gather(program("mgather.elem", "16x1xi32")), "coalesce") is Coalesce.Elem


@pytest.mark.parametrize(
    ("target", "row", "elem"),
    [("cpu", 7, 2310), ("a2a3", 210, 2310), ("a5", 7, 2310), ("a5-custom", 7, 77)],
)
def test_capacity(target: str, row: int, elem: int) -> None:
    """D15, for a table of 2x3x5x7x11."""
    shape = (2, 3, 5, 7, 11)
    assert table_of(target).capacity(shape, Layout.ND, Coalesce.Row) == row
    assert table_of(target).capacity(shape, Layout.ND, Coalesce.Elem) == elem


def test_capacity_of_nz_tables() -> None:
    """gShape2 * 16 rows, and all elements; blocks are 16 rows of 32 bytes (document 000, NZ Layout)."""
    a2a3 = table_of("a2a3")
    assert (BOX_ROWS, BURST) == (16, 32)
    assert a2a3.capacity((2, 3, 4, 16, 16), Layout.NZ, Coalesce.Row) == 64
    assert a2a3.capacity((2, 3, 4, 16, 16), Layout.NZ, Coalesce.Elem) == 64 * 2 * 3 * 16
    assert a2a3.capacity((2, 3, -1, 16, 16), Layout.NZ, Coalesce.Row) is None


@pytest.mark.parametrize(
    ("target", "row", "elem"), [("cpu", 16, 4608), ("a5", 16, 4608), ("a5-custom", 16, 192)]
)
def test_targets_without_nz_count_such_a_table_as_any_other(target: str, row: int, elem: int) -> None:
    """D16: a header that does not know the layout lets it through, and is wrong; so verifying refuses it."""
    shape = (2, 3, 4, 16, 12)
    assert table_of(target).capacity(shape, Layout.NZ, Coalesce.Row) == row
    assert table_of(target).capacity(shape, Layout.NZ, Coalesce.Elem) == elem


def test_unknown_extents_have_no_capacity() -> None:
    a5 = table_of("a5")
    assert a5.capacity((1, 1, 1, -1, 32), Layout.ND, Coalesce.Row) is None
    assert a5.capacity((1, 1, 1, 64, -1), Layout.ND, Coalesce.Row) == 64


def test_unified_buffers() -> None:
    """Document 000, UB Memory Budget; D22."""
    assert get_target("a2a3").memory_size(TileLoc.Vec) == 192 * KB
    assert get_target("a5").memory_size(TileLoc.Vec, simt=True) == 216 * KB
    assert get_target("a5").memory_size(TileLoc.Vec, simt=False) == 248 * KB
    assert get_target("a5").memory_size(TileLoc.Vec) == 216 * KB
    assert get_target("cpu").memory_size(TileLoc.Vec) is None
    with pytest.raises(KeyError):
        get_target("a2a3").memory_size(TileLoc.ScaleLeft)


def test_element_types_of_gathers() -> None:
    """D3: nine types, three more on a5, two on a5-custom, two on an AICORE cpu."""
    nine = "i8, ui8, i16, ui16, i32, ui32, f16, bf16, f32"
    data = {name: row_of(name).tiles["dst"] for name in TARGETS}
    assert [element_names(data[name].types or ()) for name in ("cpu", "a2a3")] == [nine, nine]
    assert element_names(data["cpu"].aicore) == "f8E4M3FN, f8E5M2" and data["a2a3"].aicore == ()
    assert element_names(data["a5"].types or ()) == f"{nine}, f8E4M3FN, f8E5M2, hif8"
    assert element_names(data["a5-custom"].types or ()) == f"{nine}, f8E4M3FN, f8E5M2"


def test_an_element_type_of_aicore_builds_is_taken_only_there() -> None:
    """D3."""
    op = gather(program("mgather", "16x1xi32"))
    cpu, a5, float8 = get_target("cpu"), get_target("a5"), BY_TEXT["f8E5M2"].type
    assert not cpu.takes(op, "dst", float8) and cpu.takes(op, "dst", float8, aicore=True)
    assert a5.takes(op, "dst", float8) and not a5.takes(op, "dst", BY_TEXT["f64"].type)


def test_rules_of_a_target_are_those_of_its_instructions_and_programs_once_each() -> None:
    for target in TARGETS.values():
        codes = {rule.code for _, row in target.rows() for rule in (*rules_for(row), *row.rules)}
        codes |= {rule.code for rule in target.program_rules()}
        assert [rule.code for rule in target.rules()] == sorted(codes)
    load = row_of(CPU, TLoadOp)
    one = replace(
        CPU,
        program=(),
        packages=(),
        extra={TLoadOp: load, MGatherOp: Unsupported("a test")},
    )
    assert {rule.code for rule in one.rules()} == {r.code for r in (*rules_for(load), *load.rules)}


def test_an_instruction_that_no_row_lists_is_refused_with_a_reason() -> None:
    bare = replace(CPU, packages=())
    (finding,) = verify(parse(program("mgather", "16x32xi32")), bare).errors
    assert finding.code == "PTO-T105" and "the target's table does not list it" in finding.message


@pytest.mark.parametrize(
    ("row", "word"),
    [
        (UNARY.of("f32", ignores=("tpm",)), "tpm"),
        (UNARY.of("f32", pipe=Pipes(V, {"dest": S})), "dest"),
        (UNARY.of("f32", no_alias=(("dst", "src1"),)), "src1"),
        (UNARY.of("f32", defaults={"rounding": 1}), "rounding"),
        (Forms(lambda op: True, {True: UNARY.of("f32", scratch={"tmp2": placeholder("src")})}), "tmp2"),
    ],
)
def test_row_with_an_unknown_slot_is_rejected(row: Row | Forms, word: str) -> None:
    target = replace(get_target("a5"), extra={TNegOp: row})
    with pytest.raises(
        TypeError, match=f"the row of pto.tneg names {word}, which the instruction does not have"
    ):
        target.entry(TNegOp)


def test_a_familys_scratch_holds_for_a_new_member() -> None:
    """Another package's row reduction has the scratch tile of A2/A3 and its pipes, without a line of ours."""

    @irdl_op_definition
    class TRowMedianOp(ReductionOp):
        name = "pto.trowmedian"

    row = FOLDED.of("f32")
    target = replace(get_target("a2a3"), extra={TRowMedianOp: row, TRowSumOp: row})
    src, tmp, dst = (
        create_ssa_value(TileType.of(f32, 16, 32)),
        create_ssa_value(TileType.of(f32, 16, 32)),
        create_ssa_value(TileType.of(f32, 16, 32, valid=(16, 1))),
    )
    new, old = TRowMedianOp(src, dst, tmp=tmp), TRowSumOp(src, dst, tmp=tmp)
    assert target.effects(new) == target.effects(old)
    assert {(a.operand, a.write) for a in target.effects(new).accesses} == {(0, False), (1, True), (2, True)}


def test_unclassified_slot_is_rejected() -> None:
    """All instructions are checked so when the dialect is imported."""
    for slot in (operand_def(TileType), opt_operand_def(TileType), var_operand_def(TileType)):
        unclear = irdl_op_definition(type("Unclear", (PtoOp,), {"name": "pto.unclear", "src": slot}))
        with pytest.raises(TypeError, match=r"Unclear.src: whether .* stands for memory is not known"):
            check_slots(unclear)

    @irdl_op_definition
    class Wrong(PtoOp):
        name = "pto.wrong"
        WRITES: ClassVar = ("dest",)
        src = operand_def(AnyTile())

    with pytest.raises(TypeError, match="has no slot 'dest', which it says it touches"):
        check_slots(Wrong)


def test_operations_of_other_dialects_do_nothing_on_the_pipes() -> None:
    module = parse("func.func @main() {\n  %c = arith.constant 1 : i32\n  return\n}\n")
    for target in TARGETS.values():
        assert all(target.effects(op) is NOTHING for op in module.walk())
