# ruff: noqa: E501 - programs are text
"""MGATHER against loops written from the documents' formulas."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoas.ops.gather import wrapped
from tests.machine.support import SIZE, TYPES, bits_array, execute, failing, raw, seeds

ROW_CAPACITY = {"a2a3": (0, 1, 2, 3), "a5": (3,), "a5-custom": (3,)}
ELEM_CAPACITY = {"a2a3": (0, 1, 2, 3, 4), "a5": (0, 1, 2, 3, 4), "a5-custom": (3, 4)}
TARGETS = tuple(ROW_CAPACITY)


def remap(index: int, capacity: int, oob: str) -> int | None:
    """Document 000, Out-of-Bounds Behaviour, on 32 unsigned bits (D12); `None`: a zero."""
    index &= 0xFFFFFFFF
    match oob:
        case "undefined":
            assert index < capacity
            return index
        case "clamp":
            return min(index, capacity - 1)
        case "wrap":
            return index % capacity
        case _:
            return index if index < capacity else None


def rounded_up(n: int, size: int) -> int:
    """Columns of a row that is a whole number of 32-byte bursts."""
    step = 32 // size
    return -(-n // step) * step


@st.composite
def row_cases(draw: st.DrawFn) -> dict:
    target = draw(st.sampled_from(TARGETS))
    type_ = draw(st.sampled_from(TYPES))
    rows, cols = draw(st.integers(1, 6)), draw(st.integers(1, 20))
    outer = draw(st.sampled_from([(1, 1, 1), (2, 1, 1), (1, 2, 2)])) if target == "a2a3" else (1, 1, 1)
    return {
        "target": target,
        "type": type_,
        "rows": rows,
        "cols": cols,
        "phys_rows": rows + draw(st.integers(0, 2)),
        "shape": (*outer, draw(st.integers(1, 9)), cols),
        "gap": draw(st.integers(0, 5)) if target == "a2a3" else 0,
        "oob": draw(st.sampled_from(["undefined", "clamp", "wrap", "zero"])),
        "unsigned": draw(st.booleans()),
        "column": draw(st.sampled_from({"a2a3": [False], "a5-custom": [True]}.get(target, [False, True]))),
        "seed": draw(seeds),
    }


def index_values(
    rng: np.random.Generator, shape: tuple[int, ...], capacity: int, oob: str, unsigned: bool
) -> np.ndarray:
    """In bounds under `undefined`; else also just outside, negative, and huge."""
    if oob == "undefined":
        values = rng.integers(0, capacity, shape)
    else:
        edge = rng.choice(
            [-1, -2, -(2**31), 2**31 - 1, 2**32 - 1, capacity, capacity - 1, capacity + 1, 0], shape
        )
        values = np.where(rng.random(shape) < 0.5, edge, rng.integers(0, capacity, shape))
    return (values & 0xFFFFFFFF).astype(np.uint32).view(np.uint32 if unsigned else np.int32)


@settings(max_examples=120)
@given(row_cases())
def test_row(case: dict) -> None:
    """dst[r, j] = table[idx[r], j] for 0 <= r < R, 0 <= j < C; the rest of dst keeps its bytes."""
    target, type_, rows, cols = case["target"], case["type"], case["rows"], case["cols"]
    size = SIZE[type_]
    shape = case["shape"]
    stride = cols + case["gap"]
    count = prod(shape[:4])
    capacity = prod(shape[d] for d in ROW_CAPACITY[target])
    rng = np.random.default_rng(case["seed"])
    table = bits_array(rng, (count * stride,), type_)
    before = bits_array(rng, (case["phys_rows"], rounded_up(cols, size)), type_)
    idx = index_values(rng, (1, rows), capacity, case["oob"], case["unsigned"])
    index_type = "ui32" if case["unsigned"] else "i32"
    strides = (
        shape[1] * shape[2] * shape[3] * stride,
        shape[2] * shape[3] * stride,
        shape[3] * stride,
        stride,
        1,
    )
    tile = f"!pto.tile_buf<vec, {before.shape[0]}x{before.shape[1]}x{type_}, valid={rows}x{cols}>"
    whole = f"!pto.tile_buf<vec, {before.shape[0]}x{before.shape[1]}x{type_}>"
    if case["column"]:
        phys, itype = rounded_up(rows, 4), "blayout=col_major"
        idx_tile = f"!pto.tile_buf<vec, {phys}x1x{index_type}, valid={rows}x1, {itype}>"
        idx_mem = f"!pto.memref<{rows}x1x{index_type}, dn>"
        idx = idx.reshape(rows, 1)
    else:
        idx_tile = f"!pto.tile_buf<vec, 1x{rounded_up(rows, 4)}x{index_type}, valid=1x{rows}>"
        idx_mem = f"!pto.memref<1x{rows}x{index_type}>"
    mem = f"!pto.memref<{'x'.join(map(str, shape))}x{type_}, strides=[{', '.join(map(str, strides))}]>"
    text = f"""
func.func @main(%table: {mem}, %idx: {idx_mem}, %before: !pto.memref<{before.shape[0]}x{before.shape[1]}x{type_}>,
                %out: !pto.memref<{before.shape[0]}x{before.shape[1]}x{type_}>) {{
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 65536 : i64
  %i = pto.alloc_tile addr = %c1 : {idx_tile}
  %d = pto.alloc_tile addr = %c0 : {tile}
  %w = pto.alloc_tile addr = %c0 : {whole}
  pto.tload ins(%before : !pto.memref<{before.shape[0]}x{before.shape[1]}x{type_}>) outs(%w : {whole})
  pto.tload ins(%idx : {idx_mem}) outs(%i : {idx_tile})
  pto.mgather ins(%table, %i : {mem}, {idx_tile}) outs(%d : {tile})
    {{coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob {case["oob"]}>}}
  pto.tstore ins(%w : {whole}) outs(%out : !pto.memref<{before.shape[0]}x{before.shape[1]}x{type_}>)
  return
}}
"""
    expected = raw(before).copy()
    flat = raw(table)
    for r in range(rows):
        source = remap(int(idx.reshape(-1)[r]), capacity, case["oob"])
        for j in range(cols):
            expected[r, j] = 0 if source is None else flat[source * stride + j]
    result = execute(text, {"table": table, "idx": idx, "before": before}, target)
    assert np.array_equal(raw(result.outputs["out"]), expected)


@st.composite
def elem_cases(draw: st.DrawFn) -> dict:
    target = draw(st.sampled_from(TARGETS))
    return {
        "target": target,
        "type": draw(st.sampled_from(TYPES)),
        "rows": draw(st.integers(1, 5)),
        "cols": draw(st.integers(1, 11)),
        "shape": tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))),
        "oob": draw(st.sampled_from(["undefined", "clamp", "wrap", "zero"])),
        "unsigned": draw(st.booleans()),
        "col_major": target != "a2a3" and draw(st.booleans()),
        "idx_col_major": target != "a2a3" and draw(st.booleans()),
        "seed": draw(seeds),
    }


@settings(max_examples=120)
@given(elem_cases())
def test_elem(case: dict) -> None:
    """dst[r, c] = table[idx[r, c]], the table flat and of Shape[0] * ... * Shape[4] elements."""
    target, type_, rows, cols = case["target"], case["type"], case["rows"], case["cols"]
    size, shape = SIZE[type_], case["shape"]
    shape5 = (1,) * (5 - len(shape)) + shape
    capacity = prod(shape5[d] for d in ELEM_CAPACITY[target])
    rng = np.random.default_rng(case["seed"])
    table = bits_array(rng, shape, type_)
    idx = index_values(rng, (rows, cols), capacity, case["oob"], case["unsigned"])
    index_type = "ui32" if case["unsigned"] else "i32"

    def tile(element: str, width: int, column: bool) -> str:
        phys = (rounded_up(rows, width), cols) if column else (rows, rounded_up(cols, width))
        layout = "col_major" if column else "row_major"
        return f"!pto.tile_buf<vec, {phys[0]}x{phys[1]}x{element}, valid={rows}x{cols}, blayout={layout}>"

    dst, index = tile(type_, size, case["col_major"]), tile(index_type, 4, case["idx_col_major"])
    mem = f"!pto.memref<{'x'.join(map(str, shape))}x{type_}>"
    text = f"""
func.func @main(%table: {mem}, %idx: !pto.memref<{rows}x{cols}x{index_type}>, %out: !pto.memref<{rows}x{cols}x{type_}>) {{
  %i = pto.alloc_tile : {index}
  %d = pto.alloc_tile : {dst}
  pto.tload ins(%idx : !pto.memref<{rows}x{cols}x{index_type}>) outs(%i : {index})
  pto.mgather ins(%table, %i : {mem}, {index}) outs(%d : {dst})
    {{coalesce = #pto<coalesce elem>, gatherOob = #pto<gather_oob {case["oob"]}>}}
  pto.tstore ins(%d : {dst}) outs(%out : !pto.memref<{rows}x{cols}x{type_}>)
  return
}}
"""
    flat = raw(table).reshape(-1)
    expected = np.zeros((rows, cols), flat.dtype)
    for r in range(rows):
        for c in range(cols):
            source = remap(int(idx[r, c]), capacity, case["oob"])
            expected[r, c] = 0 if source is None else flat[source]
    result = execute(text, {"table": table, "idx": idx}, target)
    assert np.array_equal(raw(result.outputs["out"]), expected)


@st.composite
def nz_cases(draw: st.DrawFn) -> dict:
    type_ = draw(st.sampled_from(["i8", "ui16", "i32", "f16", "bf16", "f32"]))
    c0 = 32 // SIZE[type_]
    batches, block_cols, block_rows = (draw(st.integers(1, 2)) for _ in range(3))
    logical = batches * block_cols * c0
    return {
        "type": type_,
        "c0": c0,
        "shape": (batches, block_cols, block_rows, 16, c0),
        "gaps": tuple(draw(st.sampled_from([0, 0, c0])) for _ in range(3)),
        "rows": draw(st.integers(1, 20)),
        "cols": draw(st.integers(1, logical)),
        "row": draw(st.booleans()),
        "oob": draw(st.sampled_from(["undefined", "clamp", "wrap", "zero"])),
        "seed": draw(seeds),
    }


@settings(max_examples=80)
@given(nz_cases())
def test_nz_on_a2a3(case: dict) -> None:
    """Document 000, NZ Layout: logical rows and columns of a fractal table, packed or with padded strides."""
    type_, c0, shape, rows, cols = case["type"], case["c0"], case["shape"], case["rows"], case["cols"]
    b, bc, br, _, _ = shape
    s2 = 16 * c0 + case["gaps"][2]
    s1 = br * s2 + case["gaps"][1]
    s0 = bc * s1 + case["gaps"][0]
    logical_rows, logical_cols = br * 16, b * bc * c0
    capacity = logical_rows if case["row"] else logical_rows * logical_cols
    rng = np.random.default_rng(case["seed"])
    count = (b - 1) * s0 + (bc - 1) * s1 + (br - 1) * s2 + 16 * c0
    table = bits_array(rng, (count,), type_)
    idx_shape = (1, rows) if case["row"] else (rows, cols)
    idx = index_values(rng, idx_shape, capacity, case["oob"], False)
    # D32: a row is transferred as a whole, and the tile has room for it.
    phys_rows, phys_cols = -(-rows // 16) * 16, logical_cols if case["row"] else -(-cols // c0) * c0
    before = bits_array(rng, (phys_rows, phys_cols), type_)
    layout = "blayout=col_major, slayout=row_major, fractal=512"
    tile = f"!pto.tile_buf<vec, {phys_rows}x{phys_cols}x{type_}, valid={rows}x{cols}, {layout}>"
    whole = f"!pto.tile_buf<vec, {phys_rows}x{phys_cols}x{type_}, {layout}>"
    idx_tile = f"!pto.tile_buf<vec, {idx_shape[0]}x{-(-idx_shape[1] // 8) * 8}xi32, valid={idx_shape[0]}x{idx_shape[1]}>"
    mem = f"!pto.memref<{'x'.join(map(str, shape))}x{type_}, nz, strides=[{s0}, {s1}, {s2}, {c0}, 1]>"
    plain = f"!pto.memref<{phys_rows}x{phys_cols}x{type_}>"
    text = f"""
func.func @main(%table: {mem}, %idx: !pto.memref<{idx_shape[0]}x{idx_shape[1]}xi32>, %before: {plain}, %out: {plain}) {{
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 131072 : i64
  %d = pto.alloc_tile addr = %c0 : {tile}
  %w = pto.alloc_tile addr = %c0 : {whole}
  %i = pto.alloc_tile addr = %c1 : {idx_tile}
  pto.tload ins(%before : {plain}) outs(%w : {whole})
  pto.tload ins(%idx : !pto.memref<{idx_shape[0]}x{idx_shape[1]}xi32>) outs(%i : {idx_tile})
  pto.mgather ins(%table, %i : {mem}, {idx_tile}) outs(%d : {tile})
    {{coalesce = #pto<coalesce {"row" if case["row"] else "elem"}>, gatherOob = #pto<gather_oob {case["oob"]}>}}
  pto.tstore ins(%w : {whole}) outs(%out : {plain})
  return
}}
"""
    flat = raw(table)

    def at(row: int, col: int) -> int:
        block, inner = divmod(col, c0)
        batch, block_col = divmod(block, bc)
        block_row, in_block = divmod(row, 16)
        return int(flat[batch * s0 + block_col * s1 + block_row * s2 + in_block * c0 + inner])

    # D14: an NZ gather of rows with zero clears the whole tile first.
    cleared = case["row"] and case["oob"] == "zero"
    expected = np.zeros_like(raw(before)) if cleared else raw(before).copy()
    for r in range(rows):
        for c in range(logical_cols if case["row"] else cols):
            source = remap(int(idx[0, r] if case["row"] else idx[r, c]), capacity, case["oob"])
            if source is None:
                expected[r, c] = 0
            elif case["row"]:
                expected[r, c] = at(source, c)
            else:
                expected[r, c] = at(source // logical_cols, source % logical_cols)
    result = execute(text, {"table": table, "idx": idx, "before": before}, "a2a3")
    assert np.array_equal(raw(result.outputs["out"]), expected)


# --- what the targets differ in ------------------------------------------------------------------

MODES = """
func.func @main(%table: !pto.memref<8x8xf32>, %i: !pto.tile<8x8xi32>, %out: !pto.memref<8x8xf32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.mgather ins(%table, %i : !pto.memref<8x8xf32>, !pto.tile<8x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xf32>)
    {coalesce = #pto<coalesce elem>, gatherOob = #pto<gather_oob OOB>}
  pto.tstore ins(%d : !pto.tile_buf<vec, 8x8xf32>) outs(%out : !pto.memref<8x8xf32>)
  return
}
"""


@pytest.mark.parametrize(("target", "bits"), [("a5", 32), ("a2a3", 32), ("cpu", 64)])
def test_a_negative_index_wraps_by_the_bits_that_the_target_reads(target: str, bits: int) -> None:
    table = np.arange(64, dtype=np.float32).reshape(8, 8)
    idx = -np.arange(64, dtype=np.int32).reshape(8, 8) - 3
    result = execute(MODES.replace("OOB", "wrap"), {"table": table, "i": idx}, target)
    expected = [[(2**bits + int(i)) % 2**bits % 64 for i in row] for row in idx]
    assert result.outputs["out"].tolist() == expected


@pytest.mark.parametrize("target", ["cpu", "a5"])
@pytest.mark.parametrize("bad", [-1, 64, 2**31 - 1])
def test_an_index_outside_stops_the_run(target: str, bad: int) -> None:
    idx = np.zeros((8, 8), np.int32)
    idx[2, 5] = bad
    found = failing("PTO-R101", MODES.replace("OOB", "undefined"), {"i": idx}, target)
    assert f"index {bad}" in found.message and "[2, 5]" in found.message and "capacity is 64" in found.message
    assert "%i" in found.message and found.span.line == 4
    idx[2, 5] = 63
    execute(MODES.replace("OOB", "undefined"), {"i": idx}, target)


UNSUFFIXED = """
func.func @main(%table: !pto.memref<16x16xf32>, %i: !pto.tile<16x16xi32>, %out: !pto.memref<16x16xf32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.mgather ins(%table, %i : !pto.memref<16x16xf32>, !pto.tile<16x16xi32>) outs(%d : !pto.tile_buf<vec, 16x16xf32>)
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x16xf32>) outs(%out : !pto.memref<16x16xf32>)
  return
}
"""


def test_without_a_suffix_cpu_and_the_custom_instruction_take_elements() -> None:
    idx = np.random.default_rng(0).integers(0, 256, (16, 16)).astype(np.int32)
    table = np.arange(256, dtype=np.float32).reshape(16, 16)
    for target in ("cpu", "a5-custom"):
        result = execute(UNSUFFIXED, {"table": table, "i": idx}, target)
        assert np.array_equal(result.outputs["out"], idx.astype(np.float32)), target
    # Row mode wants one index a row: sixteen times sixteen are too many.
    assert "row" in failing("PTO-R105", UNSUFFIXED, {"table": table, "i": idx}, "a5").message


def test_unchecked_gather_reads_past_the_table() -> None:
    text = """
func.func @main(%mem: !pto.ptr<f32>, %i: !pto.tile<1x8xi32>, %out: !pto.memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %mem, shape = [%c4, %c8], strides = [%c8, %c1] : !pto.tensor_view<4x8xf32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.mgather ins(%v, %i : !pto.tensor_view<4x8xf32>, !pto.tile<1x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xf32>)
    {coalesce = #pto<coalesce row>}
  pto.tstore ins(%d : !pto.tile_buf<vec, 8x8xf32>) outs(%out : !pto.memref<8x8xf32>)
  return
}
"""
    mem = np.arange(48, dtype=np.float32)
    idx = np.array([[0, 5, 1, 4, 2, 3, 0, 5]], np.int32)
    assert "capacity is 4 rows" in failing("PTO-R101", text, {"mem": mem, "i": idx}).message
    result = execute(text, {"mem": mem, "i": idx}, unchecked=True)
    assert np.array_equal(result.outputs["out"], mem.reshape(6, 8)[idx[0]])
    idx[0, 0] = 6
    assert "holds 6 rows" in failing("PTO-R101", text, {"mem": mem, "i": idx}, unchecked=True).message


def test_a_destination_over_its_index_is_refused() -> None:
    text = """
func.func @main(%table: !pto.memref<8x8xi32>) {
  %c0 = arith.constant 0 : i64
  %a = arith.constant ADDRESS : i64
  %z = arith.constant 0 : i32
  %i = pto.alloc_tile addr = %c0 : !pto.tile_buf<vec, 1x8xi32>
  %d = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 8x8xi32>
  pto.texpands ins(%z : i32) outs(%i : !pto.tile_buf<vec, 1x8xi32>)
  pto.mgather ins(%table, %i : !pto.memref<8x8xi32>, !pto.tile_buf<vec, 1x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xi32>)
    {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob clamp>}
  return
}
"""
    failing("PTO-R109", text.replace("ADDRESS", "0"))
    execute(text.replace("ADDRESS", "32"))
    execute(text.replace("ADDRESS", "0"), checks="init")


def test_message_shows_the_interpreted_negative_index() -> None:
    """D12: a device reads 32 unsigned bits; `cpu` extends the sign, and the number is then as written."""
    idx = np.full((8, 8), -1, np.int32)
    text = MODES.replace("OOB", "undefined")
    assert "index -1 (read as 4294967295) at [0, 0]" in failing("PTO-R101", text, {"i": idx}, "a5").message
    assert "index -1 at [0, 0]" in failing("PTO-R101", text, {"i": idx}, "cpu").message


def test_rows_on_cpu_when_it_is_forced() -> None:
    """D17: `cpu` has no row mode; a forced run takes the instruction as it is written."""
    text = """
func.func @main(%table: !pto.memref<5x8xf32>, %i: !pto.tile<1x8xi32>, %out: !pto.memref<8x8xf32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.mgather ins(%table, %i : !pto.memref<5x8xf32>, !pto.tile<1x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xf32>)
    {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob wrap>}
  pto.tstore ins(%d : !pto.tile_buf<vec, 8x8xf32>) outs(%out : !pto.memref<8x8xf32>)
  return
}
"""
    table = np.arange(40, dtype=np.float32).reshape(5, 8)
    idx = np.array([[0, 4, 5, -1, -7, 2**31 - 1, -(2**31), 3]], np.int32)
    result = execute(text, {"table": table, "i": idx}, "cpu")
    chosen = [(2**64 + int(i)) % 2**64 % 5 for i in idx[0]]
    assert result.outputs["out"].tolist() == [table[row].tolist() for row in chosen]


SHAPES = """
func.func @main(%table: !pto.memref<5x8xf32>, %i: !pto.tile<INDEXxi32>, %r: index, %c: index) {
  %d = pto.alloc_tile valid_row = %r valid_col = %c : !pto.tile_buf<vec, 8x8xf32, valid=?x?>
  pto.mgather ins(%table, %i : !pto.memref<5x8xf32>, !pto.tile<INDEXxi32>)
    outs(%d : !pto.tile_buf<vec, 8x8xf32, valid=?x?>) {coalesce = #pto<coalesce MODE>}
  return
}
"""


@pytest.mark.parametrize(
    ("mode", "index", "rows", "cols", "fits"),
    [
        ("row", (1, 8), 8, 8, True),
        ("row", (8, 1), 8, 8, True),
        ("row", (1, 8), 7, 8, False),
        ("row", (2, 4), 8, 8, False),
        ("elem", (1, 8), 1, 8, True),
        ("elem", (1, 8), 8, 1, False),
        ("elem", (2, 8), 2, 7, False),
    ],
)
def test_the_index_fits_the_destination(
    mode: str, index: tuple[int, int], rows: int, cols: int, fits: bool
) -> None:
    """Row: [1, R] or [R, 1]; Elem: the valid shape of the destination (document 000, Mode Resolution)."""
    text = SHAPES.replace("MODE", mode).replace("INDEX", f"{index[0]}x{index[1]}")
    arguments = {"i": np.zeros(index, np.int32), "r": rows, "c": cols}
    if fits:
        execute(text, arguments)
    else:
        required = f"expected {'1' if mode == 'row' else rows}x"
        assert required in failing("PTO-R105", text, arguments).message


@pytest.mark.parametrize("oob", ["undefined", "clamp", "wrap", "zero"])
def test_nothing_is_gathered_into_an_empty_region(oob: str) -> None:
    mode = f"elem>, gatherOob = #pto<gather_oob {oob}"
    text = SHAPES.replace("MODE", mode).replace("%i: !pto.tile<INDEXxi32>", "%source: !pto.memref<8x8xi32>")
    text = text.replace(
        "  pto.mgather",
        "  %i = pto.alloc_tile valid_row = %r valid_col = %c : !pto.tile_buf<vec, 8x8xi32, valid=?x?>\n"
        "  pto.mgather",
    ).replace("!pto.tile<INDEXxi32>", "!pto.tile_buf<vec, 8x8xi32, valid=?x?>")
    failing("PTO-R121", text, {"r": 0, "c": 8})
    execute(text, {"r": 0, "c": 8}, "cpu")
    failing("PTO-R201", text, {"r": 1, "c": 8})


CLEARED = """
func.func @main(%table: !pto.memref<1x1x1x16x8xf32, LAYOUT>, %i: !pto.tile<1x8xi32>, %out: !pto.memref<16x8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 4096 : i64
  %x = pto.alloc_tile addr = %c1 : !pto.tile_buf<vec, 1x8xi32>
  %d = pto.alloc_tile addr = %c0 : !pto.tile_buf<vec, 16x8xf32, valid=8x8, TILE>
  %w = pto.alloc_tile addr = %c0 : !pto.tile_buf<vec, 16x8xf32, TILE>
  pto.tmov ins(%i : !pto.tile<1x8xi32>) outs(%x : !pto.tile_buf<vec, 1x8xi32>)
  pto.mgather ins(%table, %x : !pto.memref<1x1x1x16x8xf32, LAYOUT>, !pto.tile_buf<vec, 1x8xi32>)
    outs(%d : !pto.tile_buf<vec, 16x8xf32, valid=8x8, TILE>)
    {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob OOB>}
  pto.tstore ins(%w : !pto.tile_buf<vec, 16x8xf32, TILE>) outs(%out : !pto.memref<16x8xf32>)
  return
}
"""
NZ_TILE = "blayout=col_major, slayout=row_major, fractal=512"


@pytest.mark.parametrize(
    ("layout", "tile", "oob", "cleared"),
    [
        ("nz", NZ_TILE, "zero", True),
        ("nz", NZ_TILE, "clamp", False),
        ("nd", "blayout=row_major", "zero", False),
    ],
)
def test_only_an_nz_gather_with_zero_writes_the_whole_tile(
    layout: str, tile: str, oob: str, cleared: bool
) -> None:
    """D14: elsewhere the rows below the valid ones have never been written, and reading them is an error."""
    text = CLEARED.replace("LAYOUT", layout).replace("TILE", tile).replace("OOB", oob)
    arguments = {
        "i": np.arange(8, dtype=np.int32).reshape(1, 8),
        "table": np.ones((1, 1, 1, 16, 8), np.float32),
    }
    if not cleared:
        assert "[8, 0]" in failing("PTO-R201", text, arguments, "a2a3").message
        return
    arguments["i"][0, 3] = 16
    out = execute(text, arguments, "a2a3").outputs["out"]
    ones, zeros = [1.0] * 8, [0.0] * 8
    assert out.tolist() == [ones] * 3 + [zeros] + [ones] * 4 + [zeros] * 8


def test_disabled_memory_check_skips_indices() -> None:
    idx = np.full((8, 8), 64, np.int32)
    text = MODES.replace("OOB", "undefined")
    execute(text, {"i": idx}, checks="init,race,budget")
    failing("PTO-R101", text, {"i": idx}, checks="mem")


ROWS = """
func.func @main(%mem: !pto.ptr<f32>, %n: index, %i: !pto.tile<1x8xi32>, %out: !pto.memref<8x8xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %mem, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.mgather ins(%v, %i : !pto.tensor_view<?x8xf32>, !pto.tile<1x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xf32>)
    {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob OOB>}
  pto.tstore ins(%d : !pto.tile_buf<vec, 8x8xf32>) outs(%out : !pto.memref<8x8xf32>)
  return
}
"""


@pytest.mark.parametrize("target", ["a2a3", "a5"])
@pytest.mark.parametrize("oob", ["undefined", "clamp", "wrap", "zero"])
def test_a_table_of_no_rows_and_of_one(target: str, oob: str) -> None:
    """The least capacities: nothing to clamp or wrap to, so only `zero` has a meaning; then one row for all."""
    text, mem = ROWS.replace("OOB", oob), np.arange(1, 17, dtype=np.float32)
    idx = np.array([[0, 1, 2, -1, 7, 0, 3, 1]], np.int32) * (oob != "undefined")
    arguments = {"mem": mem, "i": idx}
    one = execute(text, arguments | {"n": 1}, target).outputs["out"]
    hit = (idx[0] == 0) | (oob != "zero")
    assert np.array_equal(one, np.where(hit[:, None], mem[:8], 0))
    if oob == "zero":
        assert not execute(text, arguments | {"n": 0}, target).outputs["out"].any()
    else:
        found = failing("PTO-R101", text, arguments | {"n": 0}, target)
        # An index that is outside is pointed at; where there is nothing to remap to, the table is.
        assert text[found.span.offset :].startswith("%i " if oob == "undefined" else "%v")


@pytest.mark.parametrize("capacity", [1, 7, 255, 256, 257, 1000])
def test_wrapping_where_the_capacity_is_no_number_of_the_index_type(capacity: int) -> None:
    """With eight bits in place of 32, so that a table past the last index is a small one."""
    indices = np.arange(256, dtype=np.uint8)
    assert wrapped(lambda: indices, capacity)().tolist() == [i % capacity for i in range(256)]


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_a_negative_index_is_past_the_last(target: str) -> None:
    """D12: as unsigned bits, 32 or 64, it is a large number: `clamp` gives the last, `zero` a zero."""
    table = np.arange(1, 65, dtype=np.float32).reshape(8, 8)
    idx = -np.arange(64, dtype=np.int32).reshape(8, 8)
    clamped = execute(MODES.replace("OOB", "clamp"), {"table": table, "i": idx}, target).outputs["out"]
    assert clamped.reshape(-1).tolist() == [1.0] + [64.0] * 63
    zeroed = execute(MODES.replace("OOB", "zero"), {"table": table, "i": idx}, target).outputs["out"]
    assert zeroed.reshape(-1).tolist() == [1.0] + [0.0] * 63


def test_the_note_names_the_last_writer_of_the_index() -> None:
    text = """
func.func @main(%table: !pto.memref<8x8xf32>) {
  %a = arith.constant 9 : i32
  %b = arith.constant 8 : i32
  %i = pto.alloc_tile : !pto.tile_buf<vec, 8x8xi32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.texpands ins(%a : i32) outs(%i : !pto.tile_buf<vec, 8x8xi32>)
  pto.tmuls ins(%i, %b : !pto.tile_buf<vec, 8x8xi32>, i32) outs(%i : !pto.tile_buf<vec, 8x8xi32>)
  pto.mgather ins(%table, %i : !pto.memref<8x8xf32>, !pto.tile_buf<vec, 8x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xf32>)
    {coalesce = #pto<coalesce elem>}
  return
}
"""
    found = failing("PTO-R101", text)
    assert "index 72 at [0, 0] of %i" in found.message
    assert [note.span.line for note in found.notes if note.span is not None] == [8]


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_an_index_tile_with_gaps_is_looked_at_every_time(target: str) -> None:
    """Three of eight columns are valid; the indices of the second round are others than those of the first."""
    text = """
func.func @main(%table: !pto.memref<8x8xf32>, %idx: !pto.memref<4x3xi32>) {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32, valid=2x3>
  %i = pto.alloc_tile : !pto.tile_buf<vec, 2x8xi32, valid=2x3>
  scf.for %n = %z to %two step %one {
    %at = arith.muli %n, %two : index
    %part = pto.partition_view %idx, offsets = [%at, %z], sizes = [%two, %three] : !pto.memref<4x3xi32> -> !pto.partition_tensor_view<2x3xi32>
    pto.tload ins(%part : !pto.partition_tensor_view<2x3xi32>) outs(%i : !pto.tile_buf<vec, 2x8xi32, valid=2x3>)
    pto.mgather ins(%table, %i : !pto.memref<8x8xf32>, !pto.tile_buf<vec, 2x8xi32, valid=2x3>) outs(%d : !pto.tile_buf<vec, 2x8xf32, valid=2x3>)
      {coalesce = #pto<coalesce elem>}
  }
  return
}
"""
    table = np.arange(64, dtype=np.float32).reshape(8, 8)
    idx = np.arange(52, 64, dtype=np.int32).reshape(4, 3)
    assert execute(text, {"table": table, "idx": idx}, target).outputs["d"].tolist() == idx[2:].tolist()
    idx[3, 1] = 64
    assert "index 64 at [1, 1]" in failing("PTO-R101", text, {"table": table, "idx": idx}, target).message


BOXED_INDEX = f"""
func.func @main(%table: !pto.memref<13x32xf32>, %i: !pto.tile_buf<vec, 16x16xi32, {NZ_TILE}>, %out: !pto.memref<16x16xf32>) {{
  %d = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.mgather ins(%table, %i : !pto.memref<13x32xf32>, !pto.tile_buf<vec, 16x16xi32, {NZ_TILE}>) outs(%d : !pto.tile_buf<vec, 16x16xf32>)
    {{coalesce = #pto<coalesce elem>, gatherOob = #pto<gather_oob wrap>}}
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x16xf32>) outs(%out : !pto.memref<16x16xf32>)
  return
}}
"""


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_an_index_tile_of_boxes(target: str) -> None:
    """dst[r, c] = table[idx[r, c]], wherever the index lies in its tile; a negative one has 32 bits, or 64 on
    `cpu` (D12)."""
    table = np.arange(416, dtype=np.float32).reshape(13, 32)
    idx = np.random.default_rng(3).permutation(416)[:256].astype(np.int32).reshape(16, 16)
    idx[2, 9] = -1
    out = execute(BOXED_INDEX, {"table": table, "i": idx}, target).outputs["out"]
    expected = idx.astype(np.float32)
    expected[2, 9] = (2 ** (64 if target == "cpu" else 32) - 1) % 416
    assert out.tolist() == expected.tolist()


def test_row_indices_in_a_tile_of_boxes() -> None:
    """dst[r, c] = table[idx[r], c]."""
    index = f"!pto.tile_buf<vec, 16x8xi32, valid=16x1, {NZ_TILE}>"
    text = f"""
func.func @main(%table: !pto.memref<64x8xf32>, %i: {index}, %out: !pto.memref<16x8xf32>) {{
  %d = pto.alloc_tile : !pto.tile_buf<vec, 16x8xf32>
  pto.mgather ins(%table, %i : !pto.memref<64x8xf32>, {index}) outs(%d : !pto.tile_buf<vec, 16x8xf32>)
    {{coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob clamp>}}
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x8xf32>) outs(%out : !pto.memref<16x8xf32>)
  return
}}
"""
    table = np.arange(512, dtype=np.float32).reshape(64, 8)
    idx = np.random.default_rng(4).permutation(64)[:16].astype(np.int32).reshape(16, 1)
    out = execute(text, {"table": table, "i": idx}, "a5").outputs["out"]
    assert out.tolist() == table[idx[:, 0]].tolist()


PADDED = """
func.func @main(%mem: !pto.ptr<f32>, %i: !pto.tile<8x8xi32>, %out: !pto.memref<8x8xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %v = pto.make_tensor_view %mem, shape = [%c4, %c8], strides = [%c16, %c1] : !pto.tensor_view<4x8xf32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.mgather ins(%v, %i : !pto.tensor_view<4x8xf32>, !pto.tile<8x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xf32>)
    {coalesce = #pto<coalesce elem>, gatherOob = #pto<gather_oob OOB>}
  pto.tstore ins(%d : !pto.tile_buf<vec, 8x8xf32>) outs(%out : !pto.memref<8x8xf32>)
  return
}
"""


@pytest.mark.parametrize(
    ("oob", "target", "index", "found"),
    [
        # 32 elements, the last of which lies 55 behind the first; the memory holds 128.
        ("clamp", "a2a3", 40, 31),
        ("clamp", "cpu", 40, 31),
        ("undefined", "a2a3", 31, 31),
        ("undefined", "a2a3", 40, None),
        ("undefined", "cpu", 40, 40),
        ("undefined", "cpu", 55, 55),
        ("undefined", "cpu", 56, None),
    ],
)
def test_a_table_with_padding(oob: str, target: str, index: int, found: int | None) -> None:
    """D17 relies on it: without a remap, `cpu` counts elements flat, the padding between rows among them."""
    text = PADDED.replace("OOB", oob)
    idx = np.zeros((8, 8), np.int32)
    idx[0, 0] = index
    arguments = {"mem": np.arange(128, dtype=np.float32), "i": idx}
    if found is None:
        failing("PTO-R101", text, arguments, target)
    else:
        assert execute(text, arguments, target).outputs["out"][0, 0] == found


GAPS = """
func.func @main(%p: !pto.ptr<f32>, %s: index, %i: !pto.tile<16x32xi32>, %d: !pto.tile<16x32xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %t = pto.make_tensor_view %p, shape = [%c64, %c32], strides = [%s, %c1] : !pto.tensor_view<64x32xf32>
  pto.mgather ins(%t, %i : !pto.tensor_view<64x32xf32>, !pto.tile<16x32xi32>) outs(%d : !pto.tile<16x32xf32>) {coalesce = #pto<coalesce elem>}
  return
}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_run_reports_dynamic_gaps(target: str) -> None:
    """The elements are counted one after the other, whatever the strides say (PTO-A223)."""
    arguments = {"p": np.zeros(64 * 40, np.float32), "i": np.zeros((16, 32), np.int32)}
    (found,) = execute(GAPS, {**arguments, "s": 40}, target).warnings
    assert found.code == "PTO-R159" and "index 32 reads the element at offset 32" in found.message
    assert not execute(GAPS, {**arguments, "s": 32}, target).warnings
