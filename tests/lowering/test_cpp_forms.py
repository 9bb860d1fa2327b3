# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Values that branches choose, calls, windows and modes as C++, and what has no C++ form."""

from __future__ import annotations

import pytest

import ptoas
from ptoas.compiler.lower import lower
from ptoas.diagnostics import PtoasError


def body(text: str, target: str = "a5") -> list[str]:
    """The lines of the unit behind its head, without indentation."""
    cpp = lower(ptoas.parse(text), target)
    lines = cpp[cpp.index("using namespace pto;") :].splitlines()[1:]
    return [line.strip() for line in lines if line.strip()]


PROGRAMS = {
    "a pointer that a branch chooses": (
        """func.func @f(%p: !pto.ptr<f32>, %q: !pto.ptr<f32>, %flag: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %r = scf.if %flag -> (!pto.ptr<f32>) {
    scf.yield %p : !pto.ptr<f32>
  } else {
    scf.yield %q : !pto.ptr<f32>
  }
  pto.store_scalar %x, %r[%c0] : !pto.ptr<f32>, f32
  return
}
""",
        ["__gm__ float *r;", "if (flag) {", "r = p;", "} else {", "r = q;", "}", "r[0] = x;"],
    ),
    "a tile that a branch chooses": (
        """func.func @f(%m: !pto.memref<8x8xf32>, %flag: i1) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  %u = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%m : !pto.memref<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  pto.tload ins(%m : !pto.memref<8x8xf32>) outs(%u : !pto.tile_buf<vec, 8x8xf32>)
  %r = scf.if %flag -> (!pto.tile_buf<vec, 8x8xf32>) {
    scf.yield %t : !pto.tile_buf<vec, 8x8xf32>
  } else {
    scf.yield %u : !pto.tile_buf<vec, 8x8xf32>
  }
  pto.tstore ins(%r : !pto.tile_buf<vec, 8x8xf32>) outs(%m : !pto.memref<8x8xf32>)
  return
}
""",
        ["TTile r;", "r = t;", "r = u;", "TSTORE(mGM, r);"],
    ),
    "a call hands on pointers and open extents": (
        """func.func @g(%v: !pto.memref<?x8xf32>, %s: !pto.memref<8x8xf32, nd, strides=[?, 1]>, %n: index) -> i32 {
  %one = arith.constant 1 : i32
  %t = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 8x8xf32, valid=?x8>
  pto.tload ins(%v : !pto.memref<?x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x8>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x8>) outs(%v : !pto.memref<?x8xf32>)
  return %one : i32
}
func.func @f(%p: !pto.memref<?x8xf32>, %s: !pto.memref<8x8xf32, nd, strides=[?, 1]>, %n: index, %o: !pto.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %r = func.call @g(%p, %s, %n) : (!pto.memref<?x8xf32>, !pto.memref<8x8xf32, nd, strides=[?, 1]>, index) -> i32
  pto.store_scalar %r, %o[%c0] : !pto.ptr<i32>, i32
  return
}
""",
        [
            "VTensor vGM(v, Shape<1, 1, 1, -1, 8>(v_dim0));",
            "return 1;",
            "const int32_t r = g(p, p_dim0, s, s_stride0, n);",
        ],
    ),
    "a window with a valid part of its own": (
        """func.func @f(%m: !pto.memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %k = arith.constant 7.0 : f32
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%m : !pto.memref<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  %w = pto.subview %t[%n, %c0] sizes [4, 8] valid [%n, %c8] : !pto.tile_buf<vec, 8x8xf32> -> !pto.tile_buf<vec, 4x8xf32, valid=?x8>
  pto.texpands ins(%k : f32) outs(%w : !pto.tile_buf<vec, 4x8xf32, valid=?x8>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32>) outs(%m : !pto.memref<8x8xf32>)
  return
}
""",
        [
            "using WTile = Tile<TileType::Vec, float, 4, 8, BLayout::RowMajor, -1>;",
            "WTile w(n);",
            "TSUBVIEW(w, t, n, 0);",
        ],
    ),
    "an atomic store": (
        """func.func @f(%t: !pto.tile_buf<vec, 8x8xf32>, %m: !pto.memref<8x8xf32>) {
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32>) outs(%m : !pto.memref<8x8xf32>) {atomicType = #pto<atomic_type atomic_add>}
  return
}
""",
        ["TSTORE<TTile, MTensor, AtomicType::AtomicAdd>(mGM, t);"],
    ),
    "what to do about a conflict": (
        """func.func @f(%t: !pto.tile_buf<vec, 8x8xf32>, %i: !pto.tile_buf<vec, 8x8xi32>, %m: !pto.memref<8x8xf32>) {
  pto.mscatter ins(%t, %i : !pto.tile_buf<vec, 8x8xf32>, !pto.tile_buf<vec, 8x8xi32>) outs(%m : !pto.memref<8x8xf32>) {coalesce = #pto<coalesce elem>, scatterConflict = #pto<scatter_conflict last>}
  return
}
""",
        [
            "MSCATTER<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Undefined, ScatterConflict::Last>(mGM, t, i);"
        ],
    ),
    "a tile and a pointer that are selected": (
        """func.func @f(%p: !pto.ptr<f32>, %q: !pto.ptr<f32>, %m: !pto.memref<8x8xf32>, %flag: i1) {
  %c0 = arith.constant 0 : index
  %a = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  %b = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  %t = arith.select %flag, %a, %b : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%m : !pto.memref<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  pto.tprint ins(%t : !pto.tile_buf<vec, 8x8xf32>)
  %r = arith.select %flag, %p, %q : !pto.ptr<f32>
  %x = pto.load_scalar %r[%c0] : !pto.ptr<f32> -> f32
  pto.store_scalar %x, %q[%c0] : !pto.ptr<f32>, f32
  return
}
""",
        ["ATile t = flag ? a : b;", "TLOAD(t, mGM);", "__gm__ float *r = flag ? p : q;"],
    ),
    "no parameters": (
        """func.func @f() {
  return
}
""",
        ["AICORE void f()"],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_statements_in_order(name: str) -> None:
    text, expected = PROGRAMS[name]
    lines = iter(body(text))
    for statement in expected:
        assert statement in lines, f"{statement} is not there, or not in this order"


REFUSED = {
    "memory that a branch chooses": (
        """func.func @f(%p: !pto.memref<8x8xf32>, %q: !pto.memref<8x8xf32>, %flag: i1) {
  %r = scf.if %flag -> (!pto.memref<8x8xf32>) {
    scf.yield %p : !pto.memref<8x8xf32>
  } else {
    scf.yield %q : !pto.memref<8x8xf32>
  }
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%r : !pto.memref<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  pto.tprint ins(%t : !pto.tile_buf<vec, 8x8xf32>)
  return
}
""",
        "PTO-L004",
        "a !pto.memref<8x8xf32> that is selected by branches or loops can't be emitted as C++",
    ),
    "two results": (
        """func.func @g(%a: i32) -> (i32, i32) {
  return %a, %a : i32, i32
}
func.func @f(%a: i32, %p: !pto.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %x, %y = func.call @g(%a) : (i32) -> (i32, i32)
  pto.store_scalar %x, %p[%c0] : !pto.ptr<i32>, i32
  return
}
""",
        "PTO-L004",
        "a C++ function returns one value at most",
    ),
}


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_form_is_refused(name: str, target: str) -> None:
    text, code, words = REFUSED[name]
    with pytest.raises(PtoasError) as caught:
        lower(ptoas.parse(text), target)
    (found,) = caught.value.diagnostics
    assert found.code == code and words in found.message and found.span.line == 1


def test_a_window_is_not_chosen_as_a_tile() -> None:
    """Its C++ type has the strides of the tile that it looks into."""
    text = """func.func @f(%t: !pto.tile_buf<vec, 8x16xf32>, %b: !pto.tile_buf<vec, 8x8xf32>, %flag: i1) {
  %c0 = arith.constant 0 : index
  %w = pto.subview %t[%c0, %c0] sizes [8, 8] : !pto.tile_buf<vec, 8x16xf32> -> !pto.tile_buf<vec, 8x8xf32>
  %r = arith.select %flag, %w, %b : !pto.tile_buf<vec, 8x8xf32>
  pto.tprint ins(%r : !pto.tile_buf<vec, 8x8xf32>)
  return
}
"""
    with pytest.raises(PtoasError) as caught:
        lower(ptoas.parse(text), "a5")
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line) == ("PTO-L004", 4)
    assert "a window of a tile of 8x16 can't be chosen as a tile" in found.message


def test_a_parameter_that_nothing_reads_keeps_its_type() -> None:
    """A group is an array of pointers, with or without a name."""
    group = "!pto.group<3 x !pto.memref<2x8xi32>>"
    text = f"func.func @f(%g: {group}, %m: !pto.memref<2x8xi32>, %n: index) {{\n  return\n}}\n"
    head = lower(ptoas.parse(text), "a5").partition("AICORE ")[2].partition(")")[0]
    assert " ".join(head.split()) == (
        "void f(__gm__ int32_t *[3] /* g */, __gm__ int32_t * /* m */, int64_t /* n */"
    )
