"""Coverage of the generator: every instruction, mode, type, layout, target and spelling occurs."""

from __future__ import annotations

from collections import Counter

import pytest

from ptoas.targets import TARGETS, get_target

from .builder import Program
from .families import generated
from .gathers import GATHER_OOB, PATTERNS, SCATTER_OOB
from .generate import generate
from .types import types_of

SEEDS = 3600
TILES = (
    "mgather", "mscatter", "tabs", "tadd", "tadds", "tci", "tcolexpand", "tcvt", "tdiv", "texp",
    "texpands", "tgather", "tgatherb", "tload", "tmax", "tmin", "tmov", "tmul", "tmuls", "tneg",
    "tgetval", "trowexpand", "trowmax", "trowsum", "tscatter", "tsetval", "tstore", "tsub", "tsubs",
)  # fmt: skip
"""Instructions that every target generates; the families generated from rows are as many as it has."""
ROUNDING = ("NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD", "CAST_RINT")


@pytest.fixture(scope="module")
def programs() -> list[Program]:
    return [generate(seed) for seed in range(SEEDS)]


@pytest.fixture(scope="module")
def counted(programs: list[Program]) -> dict[str, Counter[tuple[str, ...]]]:
    found = {name: Counter[tuple[str, ...]]() for name in TARGETS}
    for program in programs:
        found[program.target].update(program.features)
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_every_instruction_of_a_target_occurs_there(
    target: str, counted: dict[str, Counter[tuple[str, ...]]]
) -> None:
    here = counted[target]
    assert {op for op in TILES if here["op", op] < 2} == set()
    assert {op for op in generated(get_target(target)) if not here["op", op]} == set()
    assert here["op", "tmov to boxes"] or not target.startswith("a5")


@pytest.mark.parametrize("target", TARGETS)
def test_every_element_type_occurs(target: str, counted: dict[str, Counter[tuple[str, ...]]]) -> None:
    here = counted[target]
    types = {e.text for e in types_of(get_target(target), "tload") if e.text != "f64" and e.kind != "pairs"}
    assert {text for text in types if here["type", text] < 2} == set()
    for op in ("mgather", "tload", "tstore", "texpands"):
        taken = {e.text for e in types_of(get_target(target), op) if e.text != "f64" and e.kind != "pairs"}
        assert {text for text in taken if not here["op and type", op, text]} == set(), op


@pytest.mark.parametrize("target", TARGETS)
def test_every_mode_of_gathers_and_scatters_occurs(
    target: str, counted: dict[str, Counter[tuple[str, ...]]]
) -> None:
    here = counted[target]
    for coalesce in ("row", "elem"):
        for oob in GATHER_OOB[1:]:
            assert here["modes", "mgather", coalesce, oob], (coalesce, oob)
        assert here["modes", "mgather", coalesce]
        for oob in SCATTER_OOB[1:] if target != "a5-custom" else ():
            assert here["modes", "mscatter", coalesce, oob], (coalesce, oob)
    assert here["modes", "mgather"], "the target's own mode"
    patterns = {f"maskPattern = #pto.mask_pattern<{pattern}>" for pattern in PATTERNS}
    assert {pattern for pattern in patterns if not here["field", "tgather", pattern]} == set()


def test_every_atomic_and_rounding_mode_occurs(counted: dict[str, Counter[tuple[str, ...]]]) -> None:
    everywhere = sum(counted.values(), Counter[tuple[str, ...]]())
    for atomic in ("add", "max", "min"):
        assert everywhere["field", "mscatter", f"scatterAtomicOp = #pto<scatter_atomic_op {atomic}>"]
    for conflict in ("last", "default"):
        assert everywhere["field", "mscatter", f"scatterConflict = #pto<scatter_conflict {conflict}>"]
    assert everywhere["field", "tstore", "atomicType = #pto<atomic_type atomic_add>"]
    for mode in ROUNDING:
        assert everywhere["field", "tcvt", f"rmode = #pto<round_mode {mode}>"], mode


@pytest.mark.parametrize("target", TARGETS)
def test_every_layout_occurs(target: str, counted: dict[str, Counter[tuple[str, ...]]]) -> None:
    here = counted[target]
    for layout in ("nd", "dn", "nz"):
        assert here["op and layout", "tload", layout], layout
        assert here["op and layout", "tstore", layout], layout
    expected = {"cpu": {"nd"}, "a2a3": {"nd", "nz"}}.get(target, {"nd", "dn"})
    assert {layout for layout in ("nd", "dn", "nz") if here["op and layout", "mgather", layout]} == expected
    for extents in ("(True, False)", "(False, True)", "(True, True)", "(False, False)"):
        assert here["open", extents], extents


def test_accumulators_and_collectives_of_several_ranks_occur(
    counted: dict[str, Counter[tuple[str, ...]]],
) -> None:
    everywhere = sum(counted.values(), Counter[tuple[str, ...]]())
    assert [name for name in TARGETS if not counted[name]["loc", "acc"]] == []
    for op in ("tgather", "tscatter", "tbroadcast", "treduce"):
        assert everywhere["comm", op, "one rank"] and everywhere["comm", op, "several ranks"], op


def test_every_way_of_writing_occurs(programs: list[Program]) -> None:
    forms = Counter(program.form for program in programs)
    assert {form for form in ("asm", "ssa", "dps", "mixed") if forms[form] < SEEDS / 20} == set()
    words = (
        "scf.for", "iter_args", "scf.if", "} else {", "scf.while", "scf.yield", "arith.select", "recv(",
        "!pto.memref<?", "!pto.tensor_view<?", "addr = ", "@tile(0x", ".arg ", ".const ", "pto.barrier",
        "!pto.group<3", 'axis = "col"', "valid_row = ", "strides=[", "#pto.layout<dn>", ", nz>",
        "loc=vec",
    )  # fmt: skip
    text = "\n".join(program.text for program in programs)
    assert [word for word in words if word not in text] == []
    assert any(program.blocks > 1 for program in programs)
    assert any(program.legalize for program in programs)
    assert any(program.aicore for program in programs)
