"""What the documents and decisions say of each target, spelled out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.enums import Coalesce, Layout, TileLoc
from ptoas.dialects.pto.gather import MGatherOp
from ptoas.dialects.pto.memory import TLoadOp
from ptoas.grammar.parse import parse
from ptoas.targets import CPU, TARGETS, UnknownTargetError, get_target
from ptoas.targets.pipes import NOTHING
from ptoas.targets.rule import Unsupported
from ptoas.targets.target import C0_BYTES, FRACTAL_ROWS, element_names

KB = 1024


def gather(text: str) -> MGatherOp:
    return next(op for op in parse(text).walk() if isinstance(op, MGatherOp))


def program(opcode: str, idx: str) -> str:
    return (
        f".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<{idx}>\n"
        f"%d = {opcode} %t, %i : (!pto.memref<64x32xf32>, !pto.tile<{idx}>) -> !pto.tile<16x32xf32>"
    )


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
        ("needs_packed_table", ["a5"]),  # D16
        ("gathers_into_columns", ["a5", "a5-custom"]),
        ("sign_extends_index", ["cpu"]),  # D12
        ("row_stride_is_dim3", ["cpu", "a2a3"]),  # D16
    ],
)
def test_which_targets_a_fact_holds_for(fact: str, holds: list[str]) -> None:
    found = [repr(target) for target in TARGETS.values() if getattr(target, fact)]
    assert found == [f"Target({name!r})" for name in holds]


@pytest.mark.parametrize(
    ("target", "mode"), [("cpu", "elem"), ("a2a3", "row"), ("a5", "row"), ("a5-custom", "elem")]
)
def test_default_mode(target: str, mode: str) -> None:
    """D8; on a5-custom an index of 32 columns means elements."""
    op = gather(program("mgather", "16x32xi32"))
    assert get_target(target).coalesce_of(op).value == mode


def test_default_mode_of_a5_custom_is_the_index() -> None:
    custom = get_target("a5-custom")
    assert custom.coalesce_of(gather(program("mgather", "16x1xi32"))) is Coalesce.Row
    assert custom.coalesce_of(gather(program("mgather.elem", "16x1xi32"))) is Coalesce.Elem


@pytest.mark.parametrize(
    ("target", "row", "elem"),
    [("cpu", 7, 2310), ("a2a3", 210, 2310), ("a5", 7, 2310), ("a5-custom", 7, 77)],
)
def test_capacity(target: str, row: int, elem: int) -> None:
    """D15, for a table of 2x3x5x7x11."""
    shape = (2, 3, 5, 7, 11)
    assert get_target(target).capacity(shape, Layout.ND, Coalesce.Row) == row
    assert get_target(target).capacity(shape, Layout.ND, Coalesce.Elem) == elem


def test_capacity_of_nz_tables() -> None:
    """gShape2 * 16 rows, and all elements; blocks are 16 rows of 32 bytes (document 000, NZ Layout)."""
    a2a3 = get_target("a2a3")
    assert (FRACTAL_ROWS, C0_BYTES) == (16, 32)
    assert a2a3.capacity((2, 3, 4, 16, 16), Layout.NZ, Coalesce.Row) == 64
    assert a2a3.capacity((2, 3, 4, 16, 16), Layout.NZ, Coalesce.Elem) == 64 * 2 * 3 * 16
    assert a2a3.capacity((2, 3, -1, 16, 16), Layout.NZ, Coalesce.Row) is None


@pytest.mark.parametrize(
    ("target", "row", "elem"), [("cpu", 16, 4608), ("a5", 16, 4608), ("a5-custom", 16, 192)]
)
def test_targets_without_nz_count_such_a_table_as_any_other(target: str, row: int, elem: int) -> None:
    """D16: a header that does not know the layout lets it through, and is wrong; so verifying refuses it."""
    shape = (2, 3, 4, 16, 12)
    assert get_target(target).capacity(shape, Layout.NZ, Coalesce.Row) == row
    assert get_target(target).capacity(shape, Layout.NZ, Coalesce.Elem) == elem


def test_unknown_extents_have_no_capacity() -> None:
    a5 = get_target("a5")
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
    assert element_names(get_target("cpu").types_of("mgather")) == nine
    assert element_names(get_target("a2a3").types_of("mgather", aicore=True)) == nine
    assert element_names(get_target("cpu").types_of("mgather", aicore=True)) == f"{nine}, f8E4M3FN, f8E5M2"
    assert element_names(get_target("a5").types_of("mgather")) == f"{nine}, f8E4M3FN, f8E5M2, hif8"
    assert element_names(get_target("a5-custom").types_of("mgather")) == f"{nine}, f8E4M3FN, f8E5M2"


def test_an_element_type_of_aicore_builds_is_taken_only_there() -> None:
    """D3."""
    cpu, a5, float8 = get_target("cpu"), get_target("a5"), BY_TEXT["f8E5M2"].type
    assert not cpu.takes("mgather", float8) and cpu.takes("mgather", float8, aicore=True)
    assert a5.takes("mgather", float8) and not a5.takes("mgather", BY_TEXT["f64"].type)


def test_rules_of_a_target_are_those_of_its_instructions_and_programs_once_each() -> None:
    for target in TARGETS.values():
        rows = [row for row in target.instructions.values() if not isinstance(row, Unsupported)]
        codes = {rule.code for row in (*rows, target.program) for rule in row}
        assert [rule.code for rule in target.rules()] == sorted(codes)
    one = replace(
        CPU, program=(), instructions={TLoadOp: CPU.instructions[TLoadOp], MGatherOp: Unsupported("a test")}
    )
    assert {rule.code for rule in one.rules()} == {rule.code for rule in CPU.instructions[TLoadOp]}


def test_operations_of_other_dialects_do_nothing_on_the_pipes() -> None:
    module = parse("func.func @main() {\n  %c = arith.constant 1 : i32\n  return\n}\n")
    for target in TARGETS.values():
        assert all(target.effects(op) is NOTHING for op in module.walk())
