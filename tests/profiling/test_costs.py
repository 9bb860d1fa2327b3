"""Costs: each published number, with its source, against its cost model."""

from __future__ import annotations

from pathlib import Path

import pytest

import ptoas
from ptoas.dialects.pto import OPS
from ptoas.targets.costs import CONFIDENCE, QUANTITIES, CostTable, cycles, names_in, overridden, table_of

A2A3, A5 = (table_of(ptoas.get_target(name)) for name in ("a2a3", "a5"))
TABLES = pytest.mark.parametrize("table", [A2A3, A5], ids=["a2a3", "a5"])


FORMS = {
    "%d = {op} %a, %b : {tile}": "tadd tsub tmax tmin tmul tdiv",
    "%d = {op} %a : {tile}": "texp tsqrt trelu tabs tneg trsqrt trecip tmov",
    "%d = {op} %a, %c : ({tile}, {element}) -> {tile}": "tadds tsubs tmuls tmaxs tdivs tmins",
    "%d = {op} %a : ({tile}) -> {row}": "trowsum trowmax",
    "%d = {op} %a : ({tile}) -> {column}": "tcolsum tcolmax",
    "%d = {op} %a : ({tile}) -> {half}": "tcvt",
    "%d = {op} %r : ({row}) -> {tile}": "trowexpand",
}


def one(op: str, shape: str, target: str = "a2a3", second: bool = False, valid: str = "") -> float:
    """Cycles of one instruction alone, or of the second of two on the pipe."""
    rows, cols, element = shape.split("x")
    types = {
        "tile": f"!pto.tile<{shape}{f', valid={valid}' if valid else ''}>",
        "row": f"!pto.tile<{shape}, valid={rows}x1>",
        "column": f"!pto.tile<{shape}, valid=1x{cols}>",
        "half": f"!pto.tile<{rows}x{cols}xf16>",
    }
    form = next(form for form, names in FORMS.items() if op in names.split())
    statements = [
        form.format(op=op, element=element, **types).replace("%d", f"%d{n}") for n in range(1 + second)
    ]
    lines = [f".arg %{name} : {types[kind]}" for name, kind in (("a", "tile"), ("b", "tile"), ("r", "row"))]
    lines = [line for line in lines if line.split()[1] in statements[0]]
    module = ptoas.parse("\n".join([*lines, f".const %c = 2.0 : {element}", *statements]))
    return ptoas.profile(module, target=target, static=True, force=True).timeline.slices[-1].cycles


# --- the intrinsics of the public A2/A3 cost model, one instruction alone ----------------------------

INTRINSICS = [
    ("tadd tsub tmax tmin", 56, 152, 170, None),
    ("tmul", 57, 153, 171, None),
    ("tdiv", 94, 286, 304, None),
    ("tadds tsubs", 47, 95, 97, 287),
    ("tmuls", 42, 90, 92, 282),
    ("tmaxs", 39, 87, 89, 279),
    ("texp", 63, 159, 95, None),
    ("tsqrt", 71, 167, 103, None),
    ("trelu", 39, 87, 55, None),
    ("tabs", 45, 93, 61, None),
]
"""16x64 and 64x64 of f32, 64x64 of f16, 128x128 of f32; `None`: there the model charges no work at all."""


def test_the_intrinsics_of_the_public_model() -> None:
    shapes = ("16x64xf32", "64x64xf32", "64x64xf16", "128x128xf32")
    for names, *values in INTRINSICS:
        for name in names.split():
            for shape, value in zip(shapes, values, strict=True):
                if value is not None:
                    assert one(name, shape) == pytest.approx(value, rel=0.01), (name, shape)
    assert one("tcvt", "64x64xf32") == pytest.approx(91, rel=0.01)
    assert [one("tadd", s, second=True) for s in shapes[:3]] == pytest.approx([32, 128, 146], rel=0.01)


@pytest.mark.parametrize(
    ("op", "small", "middle", "large"),
    [
        ("trowsum", 156, 492, 1086),
        ("trowmax", 144, 480, 1072),
        ("tcolsum", 327, 1263, 2839),
        ("tcolmax", 297, 1137, 2584),
        ("trowexpand", 261, 933, 1961),
        ("tdivs", 125, 365, 1337),
        ("tmins", 39, 87, None),
    ],
)
def test_the_fitted_formulas_of_the_public_model(op: str, small: int, middle: int, large: int | None) -> None:
    """Of these 492, 480, 933 and 1263 are profiling values too."""
    found = [one(op, shape) for shape in ("16x64xf32", "64x64xf32", "128x128xf32")]
    wanted = [small, middle, large if large is not None else found[2]]
    assert found == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize(
    ("op", "f32", "f16"),
    [
        ("tadd", 135, 95),
        ("tmul", 133, 94),
        ("tdivs", 187, 182),
        ("tmins", 121, 87),
        ("tneg", 123, 89),
        ("texp", 189, 186),
        ("tsqrt", 190, 187),
        ("trsqrt", 333, 341),
        ("trecip", 187, 182),
    ],
)
def test_the_fitted_formulas_of_the_public_a5_model(op: str, f32: int, f16: int) -> None:
    assert one(op, "64x64xf32", "a5") == pytest.approx(f32, rel=0.01)
    assert one(op, "64x64xf16", "a5") == pytest.approx(f16, rel=0.01)


def test_rows_with_gaps_on_a5() -> None:
    found = [one(op, "64x64xf32", "a5", valid="64x60") for op in ("tadd", "tmul", "texp")]
    assert found == pytest.approx([348, 351, 342], rel=0.01)


PRODUCT = """
.arg %a : !pto.tile_buf<left, {0}x{0}x{1}, slayout=row_major>
.arg %b : !pto.tile_buf<right, {0}x{0}x{1}, slayout=col_major>
.arg %m : !pto.tile_buf<mat, {0}x{0}x{1}, blayout=col_major, slayout=row_major>
.arg %x : !pto.memref<{0}x{0}x{1}>
.arg %o : !pto.memref<{0}x{0}xf32>
tload %m, %x : (!pto.tile_buf<mat, {0}x{0}x{1}, blayout=col_major, slayout=row_major>, !pto.memref<{0}x{0}x{1}>)
%l = tmov %m : (!pto.tile_buf<mat, {0}x{0}x{1}, blayout=col_major, slayout=row_major>) -> !pto.tile_buf<left, {0}x{0}x{1}, slayout=row_major>
%r = tmov %m : (!pto.tile_buf<mat, {0}x{0}x{1}, blayout=col_major, slayout=row_major>) -> !pto.tile_buf<right, {0}x{0}x{1}, slayout=col_major>
%d = tmatmul %a, %b : (!pto.tile_buf<left, {0}x{0}x{1}, slayout=row_major>, !pto.tile_buf<right, {0}x{0}x{1}, slayout=col_major>) -> !pto.tile_buf<acc, {0}x{0}xf32, blayout=col_major, slayout=row_major, fractal=1024>
tstore %d, %o
"""  # noqa: E501


@pytest.mark.parametrize(
    ("n", "element", "wanted"),
    [
        (128, "f16", [595, 204, 310, 524, 734]),
        (64, "f16", [347, 51, 77, 76, 449]),
        (64, "f32", [429, 102, 155, 268, 449]),
    ],
)
def test_the_matrix_unit_and_the_ways_to_it(n: int, element: str, wanted: list[int]) -> None:
    module = ptoas.parse(PRODUCT.format(n, element))
    found = ptoas.profile(module, target="a2a3", static=True, force=True)
    assert [each.cycles for each in found.timeline.slices] == pytest.approx(wanted, rel=0.01)


# --- the two laws through profiling values -------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "cycles"),
    [
        ("128x128xf32", 776),
        ("128x127xf32", 773),
        ("128x127xi16", 519),
        ("128x127xu8", 392),
        ("8x32x64xf32", 2624),
        ("32x1x128xf32", 8576),
        ("32x2x128xf32", 8704),
    ],
)
def test_loads_as_they_were_profiled(shape: str, cycles: int) -> None:
    *outer, rows, cols, element = shape.split("x")
    whole = int(rows) * (int(outer[0]) if outer else 1)
    size = {"f32": 4, "i16": 2, "u8": 1}[element]
    padded = -(-int(cols) * size // 32) * 32 // size
    tile = f"!pto.tile<{whole}x{padded}x{element}, valid={whole}x{cols}>"
    module = ptoas.parse(f".arg %x : !pto.memref<{shape}>\n%a = tload %x : (!pto.memref<{shape}>) -> {tile}")
    (load,) = ptoas.profile(module, target="a2a3", static=True, force=True).timeline.slices
    assert load.cycles == pytest.approx(cycles, rel=0.01)


def test_moves_within_a_core_as_they_were_profiled() -> None:
    assert one("tmov", "64x128xf32") == 1029
    assert one("tmov", "64x128xf32", valid="63x125") == 63 * 21
    assert one("tmov", "16x24xf32", valid="15x23") == 120


def test_a_row_gather_is_a_range_between_one_start_and_serial_transfers() -> None:
    text = """
.arg %t : !pto.memref<64x32xf32>
.arg %i : !pto.tile<1x16xi32>
%d = mgather.row %t, %i : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>
"""
    found = ptoas.profile(ptoas.parse(text), target="a2a3")
    (gather,) = found.works()
    part = gather.cost.parts[0]
    assert (part.low, part.high) == pytest.approx((280, 8480), rel=0.01) and part.cycles == 16 * 265


# --- programs: the timeline of the public simulator, whose loads and stores are bandwidth alone --------

FLAT = """
[a2a3.chip]
issue = 0
flag = 0
[a2a3.gm-vec]
formula = "-ceil(-bytes / 58.56)"
[a2a3.vec-gm]
formula = "-ceil(-bytes / 109.38)"
"""
ADDED = """
.arg %x : !pto.memref<{0}>
.arg %y : !pto.memref<{0}>
.arg %o : !pto.memref<{0}>
%a = tload %x : (!pto.memref<{0}>) -> !pto.tile<{0}>
%b = tload %y : (!pto.memref<{0}>) -> !pto.tile<{0}>
%c = tadd %a, %b : !pto.tile<{0}>
tstore %c, %o
"""
TWO_BUFFERS = "\n".join(
    [
        *(f".arg %{name}{n} : !pto.memref<64x64xf32>" for name in "xo" for n in range(4)),
        *(f"%{t}{n} = alloc_tile : !pto.tile<64x64xf32>\ntassign %{t}{n}, @tile({at + n * 0x8000:#x})"
          for t, at in (("a", 0), ("b", 0x4000)) for n in range(2)),
        *(f"tload %a{n % 2}, %x{n} : (!pto.tile<64x64xf32>, !pto.memref<64x64xf32>)\n"
          f"texp %b{n % 2}, %a{n % 2} : !pto.tile<64x64xf32>\n"
          f"tstore %b{n % 2}, %o{n}" for n in range(4)),
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "wanted"),
    [(ADDED.format("16x64xf32"), 234 - 3), (ADDED.format("64x64xf32"), 862 - 3), (TWO_BUFFERS, 1397 - 4)],
    ids=["16x64", "64x64", "two buffers"],
)
def test_programs_take_the_cycles_of_the_public_simulator(text: str, wanted: int, tmp_path: Path) -> None:
    """Without the cycle that it charges for each TASSIGN."""
    costs = tmp_path / "flat.toml"
    costs.write_text(FLAT)
    found = ptoas.profile(ptoas.parse(text), target="a2a3", costs=str(costs))
    assert found.total == pytest.approx(wanted, rel=0.01)


# --- tables ----------------------------------------------------------------------------------------------


@TABLES
def test_every_cost_model_is_computable_and_has_a_source(table: CostTable) -> None:
    names = {op.name.removeprefix("pto.") for op in OPS}
    for key, model in table.models.items():
        constants = {*model.constants, *(name for case in model.cases for name in case[2])}
        formulas = [
            model.formula,
            model.first,
            model.ragged,
            model.low,
            model.high,
            *model.other_pipes.values(),
        ]
        for formula in filter(None, formulas):
            assert names_in(formula) <= {*constants, *QUANTITIES}, key
        assert model.source and model.confidence in CONFIDENCE
        plain = key.partition(":")[0]
        known = plain in names or plain.rpartition(".")[0] in names
        assert known or key.startswith("PIPE_") or "-" in key, f"{key} is no instruction, way or pipe"
    numbers = set(vars(table.chip)) - {"sources"}
    assert table.chip.sources.keys() == numbers, "every number of the chip has a source"


def test_a_transfer_from_global_memory_has_a_start_whatever_its_way() -> None:
    """No way is faster for little data than the shortest latency that is known of another."""
    small = {key: cycles(model.formula, {**model.constants, "calls": 1, "bytes": 64}) for key, model in
             A2A3.models.items() if key in ("gm-vec", "gm-mat", "PIPE_MTE2", "load_scalar")}  # fmt: skip
    assert len(small) == 4 and min(small.values()) > 250 and max(small.values()) < 2.2 * min(small.values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a2a3", "costs.toml: Expected"),
        ("[a2a3.tadd]\nslope = -1", "a2a3.tadd.slope is a number from 0"),
        ("[a2a3.tnew]\nslope = 1", "there is no cost model a2a3.tnew, so it needs a formula"),
        ('[a2a3.tadd]\nformula = "import os"', "is not a formula"),
        ('[a2a3.tadd]\nformula = "slope.real"', "is not allowed in one"),
        ('[a2a3.tadd]\nformula = "words"', "names 'words'"),
        ('[a2a3.tadd]\nconfidence = "true"', "confidence is one of"),
        ("[a2a3.chip]\nspeed = 3", "a2a3.chip has no 'speed'"),
        ("[a2a3.chip]\nmhz = 0", "a2a3.chip.mhz is a number above 0"),
        ("[a2a3]\ntadd = 3", "a2a3.tadd is a table"),
        ("a2a3 = 3", "is a table of instructions"),
    ],
)
def test_a_file_of_costs_that_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ptoas.UsageError) as caught:
        overridden(A2A3, text, "costs.toml", "a2a3")
    assert message in str(caught.value)


def test_a_formula_computes_nothing_else() -> None:
    for text in ("x ** 9", "[x]", "x and x", "(lambda: x)()", "max(x, key=abs)", "'a'", "open(x)"):
        with pytest.raises(ptoas.UsageError):
            cycles(text, {"x": 2})
    assert cycles("7 if 1 < x <= 2 else 5", {"x": 2}) == 7 and cycles("x != 2", {"x": 2}) == 0
    assert cycles("1 / x", {"x": float("inf")}) == 0 and cycles("-x", {"x": 1}) == 0
    with pytest.raises(ptoas.UsageError, match="has no value"):
        cycles("1 / x", {"x": 0})
    with pytest.raises(ptoas.UsageError, match="'y' is not defined"):
        cycles("x + y", {"x": 0})
