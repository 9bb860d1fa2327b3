"""Parts of accumulators at any place, by every way out of one, against the formula written out."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas

ACC = "blayout=col_major, slayout=row_major, fractal=1024"
NZ = "blayout=col_major, slayout=row_major"
TYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "i8": np.int8,
    "ui8": np.uint8,
    "i32": np.int32,
}
PLAIN = {"f32": ["f16", "bf16"]}
SCALED = {"f32": ["i8"], "i32": ["i8", "ui8", "f16"]}
BLOCK = 32
"""Columns that are whole blocks of every type."""


def formula(x: np.ndarray, scale: np.ndarray | None, out: str, relu: bool) -> np.ndarray:
    """The expected part: times the scale, rounded and cut to the type, and then the relu."""
    x = x.astype(np.float64) * (1 if scale is None else scale)
    if out in ("i8", "ui8"):
        least, most = (-128, 127) if out == "i8" else (0, 255)
        x = np.clip(np.rint(x), least, most)
    x = np.maximum(x, 0) if relu else x
    return x.astype(np.float32).astype(TYPES[out])


Case = tuple[str, dict[str, np.ndarray], str, np.ndarray]


@st.composite
def parts(draw: st.DrawFn) -> Case:
    """A program, its arguments, a target, and what the destination is to hold."""
    way = draw(st.sampled_from(["textract", "tinsert", "tstore"]))
    source = draw(st.sampled_from(["f32", "i32"]))
    kind = draw(st.sampled_from(["scalar", "vector"] if source == "i32" else ["plain", "scalar", "vector"]))
    out = draw(st.sampled_from((PLAIN if kind == "plain" else SCALED)[source]))
    relu = draw(st.booleans())
    rows, cols = 16 * draw(st.integers(1, 3)), BLOCK * draw(st.integers(1, 3))
    height, width = 16 * draw(st.integers(1, rows // 16)), BLOCK * draw(st.integers(1, cols // BLOCK))
    row = 16 * draw(st.integers(0, (rows - height) // 16))
    col = BLOCK * draw(st.integers(0, (cols - width) // BLOCK))
    values = np.random.default_rng(draw(st.integers(0, 99))).integers(-90, 90, (rows, cols))
    target = draw(st.sampled_from(["a2a3", "a5"]))

    acc = f"!pto.tile_buf<acc, {rows}x{cols}x{source}, {ACC}>"
    words = "!pto.tile_buf<scaling, 1x128xui64>"
    signature, arguments = [f"%s: {acc}"], {"s": values.astype(TYPES[source])}
    lines = [f"%r = arith.constant {row} : index", f"%c = arith.constant {col} : index"]
    scale: np.ndarray | None = None
    if kind == "scalar":
        word = int(np.float32(0.5).view(np.uint32)) | (out == "i8") << 46
        lines.append(f"%w = arith.constant {word} : i64")
        scale = np.array([0.5])
    elif kind == "vector":
        scale = 1 + np.arange(128) / 128  # Exact in the bits of a column's scale.
        bits = scale.astype(np.float32).view(np.uint32).astype(np.uint64)
        arguments["f"] = (bits | np.uint64((out == "i8") << 46)).reshape(1, 128)
        signature.append(f"%f: {words}")
    attrs = " {reluPreMode = #pto<relu_pre_mode normal_relu>}" if relu else ""

    taken = values[row : row + height, col : col + width]
    if way == "textract":
        dst = f"!pto.tile_buf<mat, {height}x{width}x{out}, {NZ}>"
        extra = {
            "plain": ("", "", ""),
            "scalar": (", %w", ", i64", ""),
            "vector": ("", "", f" fp %f : {words}"),
        }
        value, type, fp = extra[kind]
        lines.append(
            f"pto.textract ins(%s, %r, %c{value} : {acc}, index, index{type}{fp}) outs(%d : {dst}){attrs}"
        )
        if scale is not None and kind == "vector":
            scale = scale[col : col + width]  # Scales belong to the columns of the accumulator.
        expected = formula(taken, scale, out, relu)
    elif way == "tinsert":
        dst = f"!pto.tile_buf<mat, 96x192x{out}, {NZ}>"
        clause = {"plain": "", "scalar": " pre_quant %w : i64", "vector": f" fp %f : {words}"}[kind]
        lines.append(f"pto.tinsert ins(%s, %r, %c : {acc}, index, index{clause}) outs(%d : {dst}){attrs}")
        expected = np.full((96, 192), 3).astype(TYPES[out])
        arguments["d"] = expected.copy()
        # What is inserted begins with its own first column.
        own = scale[:cols] if scale is not None and kind == "vector" else scale
        expected[row : row + rows, col : col + cols] = formula(values, own, out, relu)
    else:
        # A subview is a tile of its own: its scales begin with its own first column.
        part = f"!pto.tile_buf<acc, {height}x{width}x{source}, {ACC}>"
        lines.append(f"%p = pto.subview %s[%r, %c] sizes [{height}, {width}] : {acc} -> {part}")
        clause = {
            "plain": f": {part}",
            "scalar": f", %w : {part}, i64",
            "vector": f": {part} fp %f : {words}",
        }
        dst = f"!pto.memref<{height}x{width}x{out}>"
        lines.append(f"pto.tstore ins(%p{clause[kind]}) outs(%d : {dst}){attrs}")
        own = scale[:width] if scale is not None and kind == "vector" else scale
        expected = formula(taken, own, out, relu)
    body = "\n  ".join(lines)
    text = f"func.func @k({', '.join(signature)}, %d: {dst}) {{\n  {body}\n  return\n}}"
    return text, arguments, target, expected


@given(parts())
@settings(max_examples=50)
def test_part_of_an_accumulator_follows_the_formula(case: Case) -> None:
    text, arguments, target, expected = case
    found = ptoas.run(ptoas.parse(text), arguments, target=target).outputs["d"]
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))


def _of_open_extents(way: str, compact: str = "") -> str:
    """A product of 16 rows into an accumulator of 48, as the run says, which is stored or moved on."""
    more = f", compact={compact}" if compact else ""
    a = "!pto.tile_buf<left, 16x16xf16, slayout=row_major>"
    b = "!pto.tile_buf<right, 16x64xf16, slayout=col_major>"
    acc = f"!pto.tile_buf<acc, 48x64xf32, valid=?x64, {ACC}{more}>"
    vec, memory = f"!pto.tile_buf<{'mat' if way == 'to mat' else 'vec'}, 16x64xf32>", "!pto.memref<16x64xf32>"
    out = {
        "tstore": f"pto.tstore ins(%c : {acc}) outs(%o : {memory})",
    }.get(way, f"pto.tmov ins(%c : {acc}) outs(%v : {vec})")
    return f"""
    func.func @k(%a: {a}, %b: {b}, %o: {memory}, %v: {vec}, %rows: index) {{
      %c = pto.alloc_tile valid_row = %rows : {acc}
      pto.tmatmul ins(%a, %b : {a}, {b}) outs(%c : {acc})
      {out}
      return
    }}"""


def test_an_accumulator_is_read_in_the_steps_it_was_written_with() -> None:
    """TSTORE steps by the tile's rows unless it is compact, TMOV to plain rows by those that are valid."""
    given = {"a": np.ones((16, 16), np.float16), "b": np.ones((16, 64), np.float16), "rows": 16}

    def said(text: str, target: str) -> list[str]:
        return [d.code for d in ptoas.run(ptoas.parse(text), given, target=target).warnings]

    for target in ("a2a3", "a5"):
        assert said(_of_open_extents("tstore"), target) == ["PTO-R951"]
        assert said(_of_open_extents("tstore", "normal"), target) == []
    assert said(_of_open_extents("tmov"), "a5") == []
    assert said(_of_open_extents("to mat"), "a5") == []
    # Of static rows TMOV goes by the type's, compact or not.
    static = _of_open_extents("tmov", "normal").replace("valid=?x64", "valid=16x64")
    assert said(static.replace("alloc_tile valid_row = %rows", "alloc_tile"), "a5") == ["PTO-R951"]


def test_blocks_follow_the_layout_of_the_tile() -> None:
    """TMOV on A5 writes columns of blocks at steps of the valid rows, which only the run knows."""
    nd = "!pto.tile_buf<vec, 32x64xf16>"
    for rows, compact, valid, codes in (
        (32, "null", 20, []),
        (32, "null", 16, ["PTO-R951"]),
        (33, "row_plus_one", 32, []),
        (33, "row_plus_one", 16, ["PTO-R951"]),
        (32, "row_plus_one", 32, ["PTO-R951"]),
    ):
        nz = f"!pto.tile_buf<vec, {rows}x64xf16, valid=?x64, {NZ}, compact={compact}>"
        text = f"""
        func.func @k(%s: {nd}, %rows: index) {{
          %d = pto.alloc_tile valid_row = %rows : {nz}
          pto.tmov ins(%s : {nd}) outs(%d : {nz})
          return
        }}"""
        given = {"s": np.ones((32, 64), np.float16), "rows": valid}
        assert [d.code for d in ptoas.run(ptoas.parse(text), given, target="a5").warnings] == codes


def test_a_packed_tile_with_other_extents_is_another_tile() -> None:
    """32 rows are written in columns of blocks of 32 rows, and read in those of 16: row 16 of the first is
    row 0 of the second."""
    acc = f"!pto.tile_buf<acc, 64x32xf32, valid=?x?, {ACC}, compact=normal>"
    a = "!pto.tile_buf<left, 32x16xf32, slayout=row_major>"
    b = "!pto.tile_buf<right, 16x32xf32, slayout=col_major>"
    text = f"""
    func.func @k(%a: {a}, %b: {b}, %o: !pto.memref<16x32xf32>) {{
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c = pto.alloc_tile valid_row = %c32 valid_col = %c32 : {acc}
      pto.tmatmul ins(%a, %b : {a}, {b}) outs(%c : {acc})
      pto.set_validshape %c, %c16, %c32 : {acc}
      pto.tstore ins(%c : {acc}) outs(%o : !pto.memref<16x32xf32>)
      return
    }}"""
    given = {
        "a": np.arange(512, dtype=np.float32).reshape(32, 16),
        "b": np.eye(16, 32, dtype=np.float32),
    }
    for target in ("a2a3", "a5"):
        result = ptoas.run(ptoas.parse(text), given, target=target)
        product = given["a"] @ given["b"]
        written = product.reshape(32, 2, 16).transpose(1, 0, 2).reshape(-1)
        read = written[: 16 * 32].reshape(2, 16, 16).transpose(1, 0, 2).reshape(16, 32)
        assert np.array_equal(result.outputs["o"], read)
        assert [d.code for d in result.warnings] == ["PTO-R951"]


def test_operand_is_traversed_in_its_layout() -> None:
    """A right operand of 64 columns, of which the run says that 16 are valid."""
    a = "!pto.tile_buf<left, 16x32xf16, slayout=row_major>"
    acc = f"!pto.tile_buf<acc, 16x64xf32, valid=16x?, {ACC}>"
    mat = f"!pto.tile_buf<mat, 32x64xf16, valid=32x?, {NZ}>"
    for compact, codes in (("", ["PTO-R951"]), (", compact=normal", [])):
        b = f"!pto.tile_buf<right, 32x64xf16, valid=32x?, slayout=col_major{compact}>"
        text = f"""
        func.func @k(%a: {a}, %m: !pto.memref<32x16xf16>, %cols: index) {{
          %l = pto.alloc_tile valid_col = %cols : {mat}
          %b = pto.alloc_tile valid_col = %cols : {b}
          %c = pto.alloc_tile valid_col = %cols : {acc}
          pto.tload ins(%m : !pto.memref<32x16xf16>) outs(%l : {mat})
          pto.tmov ins(%l : {mat}) outs(%b : {b})
          pto.tmatmul ins(%a, %b : {a}, {b}) outs(%c : {acc})
          return
        }}"""
        given = {"a": np.ones((16, 32), np.float16), "m": np.ones((32, 16), np.float16), "cols": 16}
        for target in ("a2a3", "a5"):
            assert [d.code for d in ptoas.run(ptoas.parse(text), given, target=target).warnings] == codes
