"""Spellings of earlier tools: read, noted, and put right by `--fix`."""

from __future__ import annotations

import pytest

import ptoas

PART = """func.func @f(%x: !pto.ptr<f32>, %t: !pto.tile_buf<vec, 8x8xf32>) {
  // a !pto.tile_view<8x8xf32> in a comment is none
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %x, shape = [%c8, %c8], strides = [%c8, %c1] : !pto.tensor_view<8x8xf32>
  %p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c8, %c8]
    : !pto.tensor_view<8x8xf32> -> !pto.tile_view<8x8xf32>
  pto.tload ins(%p : !pto.tile_view<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  return
}
"""
MEMORY = """func.func @f(%x: memref<8x8xf32, #pto.address_space<gm>>, %t: !pto.tile_buf<vec, 8x8xf32>) {
  pto.tload ins(%x : memref<8x8xf32, #pto.address_space<gm>>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  return
}
"""
BARE = """func.func @f(%a: !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=8>) {
  pto.tneg ins(%a : <loc=vec, dtype=f32, rows=8, cols=8>) outs(%a : <loc=vec, dtype=f32, rows=8, cols=8>)
  return
}
"""
CPP = """# T in a comment is none
func.func @f(%a: !pto.tile<32x32xT>, %p: !pto.ptr<T>) {
  return
}
"""


@pytest.mark.parametrize(
    ("text", "code", "line", "today"),
    [
        (PART, "PTO-P085", 8, "!pto.partition_tensor_view"),
        (MEMORY, "PTO-P086", 1, "!pto.memref<8x8xf32>"),
        (BARE, "PTO-P087", 2, "!pto.tile_buf<"),
        *(
            (CPP.replace("T", name), "PTO-P088", 2, today)
            for name, today in (
                ("int32_t", "i32"),
                ("uint8_t", "ui8"),
                ("bfloat16_t", "bf16"),
                ("float8_e4m3_t", "f8E4M3FN"),
                ("float8_e5m2_t", "f8E5M2"),
                ("hifloat8_t", "!pto.hif8"),
            )
        ),
    ],
)
def test_a_stale_spelling_is_noted_once_and_fixed(text: str, code: str, line: int, today: str) -> None:
    report = ptoas.verify(ptoas.parse(text), "a5")
    (note,) = report.diagnostics
    assert (note.code, note.severity.value, note.span.line) == (code, "note", line)
    assert report.ok and "(used 2 times)" in note.message and note.edits[0].text == today
    fixed = ptoas.apply_fixes(text, report.diagnostics)
    assert ptoas.verify(ptoas.parse(fixed), "a5").diagnostics == ()
    stale, modern = (str(ptoas.parse(each)) for each in (text, fixed))
    assert stale == modern


def test_spellings_of_today_are_not_noted() -> None:
    text = PART.replace("!pto.tile_view", "!pto.partition_tensor_view")
    assert ptoas.verify(ptoas.parse(text), "a5").diagnostics == ()


@pytest.mark.parametrize(
    "text",
    [
        "!pto.tile<vec, int32_t, 8, 8>",
        "!pto.tile<int32_t, 8, 8>",
        "!pto.tile_buf<loc=vec, dtype=int32_t, rows=8, cols=8>",
        "!pto.memref<?x8xint32_t>",
    ],
)
def test_cpp_name_is_read_for_any_element_type(text: str) -> None:
    named, plain = (ptoas.parse(f".arg %a : {each}") for each in (text, text.replace("int32_t", "i32")))
    assert str(named) == str(plain)
    assert [d.code for d in ptoas.verify(named, "a5").diagnostics if d.code == "PTO-P088"] == ["PTO-P088"]


SCALARS = """func.func @f(%n: int32_t, %x: bfloat16_t) -> int32_t {
  return %n : int32_t
}
"""


def test_cpp_name_is_read_for_a_scalar_type() -> None:
    plain = SCALARS.replace("bfloat16_t", "bf16").replace("int32_t", "i32")
    module = ptoas.parse(SCALARS)
    assert str(module) == str(ptoas.parse(plain))
    notes = [d for d in ptoas.verify(module, "a5").diagnostics if d.code == "PTO-P088"]
    assert sorted(len(note.edits) for note in notes) == [1, 3]
    tile = "!pto.tile<16x32xi32>"
    statement = f"%d = tadds %a, %n : ({tile}, int32_t) -> {tile}"
    ptoas.parse(f".arg %n : int32_t\n.arg %a : {tile}\n{statement}")


def test_a_value_can_have_a_name_of_cpp() -> None:
    text = "func.func @int32_t(%int32_t: i32) {\n  return\n}\n"
    assert "int32_t" in str(ptoas.parse(text))
    assert not [d for d in ptoas.verify(ptoas.parse(text), "a5").diagnostics if d.code == "PTO-P088"]
