"""Rules of tiles and views: the fix that a finding proposes, and the place that it names."""

from __future__ import annotations

import pytest

import ptoas


def fix(*lines: str) -> str | None:
    body = "\n".join(lines)
    (found,) = ptoas.verify(ptoas.parse(f"func.func @kernel() {{\n{body}\nreturn\n}}"), "a5").diagnostics
    return found.fix


@pytest.mark.parametrize(
    ("type", "expected"),
    [
        ("1x9xi32", "pad to 16 columns and keep 9 valid: `!pto.tile_buf<vec, 1x16xi32, valid=1x9>`"),
        ("4x17xi8", "pad to 32 columns and keep 17 valid: `!pto.tile_buf<vec, 4x32xi8, valid=4x17>`"),
        ("9x1xf16", "pad to 16 rows and keep 9 valid: `!pto.tile_buf<vec, 16x1xf16, valid=9x1>`"),
        ("16x8xf16, blayout=col_major, slayout=row_major", "pad to 16 cols and keep 8 valid"),
    ],
)
def test_a_tile_is_padded_to_the_next_multiple(type: str, expected: str) -> None:
    assert fix(f"%t = pto.alloc_tile : !pto.tile_buf<vec, {type}>") == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [(40, "use 32 or 64"), (31, "use 0 or 32"), (-40, "use 0 or 32"), (-32, "use 0 or 32")],
)
def test_an_address_is_moved_to_its_neighbours(address: int, expected: str) -> None:
    tile = "pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x32xf32>"
    assert fix(f"%a = arith.constant {address} : i64", f"%t = {tile}") == expected


VIEW = "!pto.memref<4x64x32xf32>"


@pytest.mark.parametrize(
    ("sizes", "type", "expected"),
    [
        ("%c1, %c16, %c32", "8x32xf32", "%c16"),
        ("%c4, %c16, %c32", "16x32xf32", "%c4"),
        ("%c4, %c16, %c32", "1x16x32xf32", "%c4"),
        ("%c4, %c16, %c32", "1x1x4x8x32xf32", "%c16"),
        ("%c4, %c16, %c32", "1x2x4x16x32xf32", None),
        ("%c4, %c16, %c32", "1x?x?x16x31xf32", "%c32"),
    ],
)
def test_the_extent_that_the_type_contradicts_is_named(sizes: str, type: str, expected: str | None) -> None:
    """The finding names the statement if the extent is not written as an operand."""
    constants = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (0, 1, 4, 16, 32))
    statement = (
        f"%w = pto.partition_view %v, offsets = [%c0, %c0, %c0], sizes = [{sizes}] : "
        f"{VIEW} -> !pto.partition_tensor_view<{type}>"
    )
    text = f"func.func @kernel(%v: {VIEW}) {{\n{constants}{statement}\nreturn\n}}"
    (found,) = ptoas.verify(ptoas.parse(text), "a5").diagnostics
    named = text[found.span.offset :][: found.span.length]
    assert (found.code, named) == ("PTO-V203", expected or statement)


@pytest.mark.parametrize(
    ("strides", "type", "expected"),
    [
        ("%c32, %c1", "64x32xf32, strides=[40, 1]", "%c32"),
        ("%c32, %c2", "64x32xf32, strides=[32, 1]", "%c2"),
        ("%c32, %c1", "64x32xf32, strides=[?, 1]", None),
        ("%n, %c1", "64x32xf32, strides=[40, 1]", None),
        ("%c32, %c1", "1x32xf32, strides=[40, 1]", None),
        ("%c32, %c1", "64x32xf32", None),
    ],
)
def test_a_stride_that_the_type_contradicts_is_named(strides: str, type: str, expected: str | None) -> None:
    rows = type.split("x")[0]
    constants = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (1, 2, 32, 64))
    text = (
        f"func.func @kernel(%p: !pto.ptr<f32>, %n: index) {{\n{constants}%v = pto.make_tensor_view %p, "
        f"shape = [%c{rows}, %c32], strides = [{strides}] : !pto.tensor_view<{type}>\nreturn\n}}"
    )
    found = ptoas.verify(ptoas.parse(text), "a5").diagnostics
    named = [(d.code, text[d.span.offset :][: d.span.length]) for d in found]
    assert named == ([("PTO-V203", expected)] if expected else [])


@pytest.mark.parametrize(("strides", "legal"), [("32, 1", True), ("40, 1", False), ("?, 1", True)])
def test_a_part_has_no_strides_but_those_of_the_whole(strides: str, legal: bool) -> None:
    constants = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (0, 1, 16, 32))
    text = (
        f"func.func @kernel(%v: {VIEW}) {{\n{constants}%w = pto.partition_view %v, "
        "offsets = [%c1, %c0, %c0], sizes = [%c1, %c16, %c32] : "
        f"{VIEW} -> !pto.partition_tensor_view<16x32xf32, strides=[{strides}]>\nreturn\n}}"
    )
    codes = [d.code for d in ptoas.verify(ptoas.parse(text), "a5").diagnostics]
    assert codes == ([] if legal else ["PTO-V203"])
