# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""The C++ text: names, types, calls, entries, and what has no C++ form."""

from __future__ import annotations

import re

import pytest
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, i1, i32, i64

import ptoas
from ptoas.compiler.lower import lower
from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.enums import BLayout, PadValue, SLayout, TileLoc
from ptoas.dialects.pto.types import TileType
from ptoas.lowering.cpp.names import UniqueNames, identifier
from ptoas.lowering.cpp.scalars import float_literal, integer_literal
from ptoas.lowering.cpp.types import tile_cpp


def statements(text: str) -> list[str]:
    """The lines inside the first function, without indentation."""
    body = text[text.index("{\n") + 2 : text.index("\n}")]
    return [line.strip() for line in body.splitlines() if line.strip()]


def test_no_name_is_one_of_the_library() -> None:
    """Types take their names from values: `%tile` would declare `Tile`, and `%global` `GlobalTensor`."""
    module = ptoas.parse("""
.arg %global : !pto.memref<8x8xf32>
%tile = tload %global : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
%CONST = tneg %tile : !pto.tile<8x8xf32>
tstore %CONST, %global
""")
    text = ptoas.lower(module, "a5")
    declared = re.findall(r"using (\w+) =", text) + re.findall(r"^ +\w+ (\w+)[;(]", text, re.M)
    assert {"Tile_", "GlobalTensor_", "tile", "CONST_"} <= {*declared}
    assert not {"Tile", "GlobalTensor", "CONST"} & {*declared}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dst", "dst"),
        ("a.b-c$d", "a_b_c_d"),
        ("0", "v0"),
        ("_x__y_", "x_y"),
        ("int", "int_"),
        ("W", "W_"),
        ("CCU", "CCU_"),
        ("TLOAD", "TLOAD_"),
        ("MGATHER", "MGATHER_"),
        ("PIPE_V", "PIPE_V_"),
        ("T", "T"),
        ("...", "v"),
    ],
)
def test_names_become_identifiers(text: str, expected: str) -> None:
    assert identifier(text, "v") == expected


def test_names_are_used_once() -> None:
    names = UniqueNames()
    assert [names.unique(n) for n in ("x", "x", "x_2", "x", "y_", "y_")] == [
        "x",
        "x_2",
        "x_2_2",
        "x_3",
        "y_",
        "y_2",
    ]


@pytest.mark.parametrize(
    ("value", "type", "expected"),
    [
        (5, i32, "5"),
        (-1, i64, "-1"),
        (1, i1, "true"),
        (0, i1, "false"),
        (-(2**31), i32, "INT32_MIN"),
        (2**31, i32, "2147483648U"),
        (2**40, i64, "1099511627776LL"),
        (-(2**63), i64, "INT64_MIN"),
        (2**63, i64, "9223372036854775808ULL"),
    ],
)
def test_integer_literals(value: int, type: object, expected: str) -> None:
    assert integer_literal(value, type) == expected  # pyright: ignore


@pytest.mark.parametrize(
    ("value", "type", "expected"),
    [
        (1.0, Float32Type(), "1.0f"),
        (0.1, Float32Type(), "0.1f"),
        (1e-30, Float32Type(), "1e-30f"),
        (16777217.0, Float32Type(), "16777216.0f"),
        (0.5, Float16Type(), "half(0.5f)"),
        (-2.5, BFloat16Type(), "bfloat16_t(-2.5f)"),
        (float("inf"), Float32Type(), "__builtin_inff()"),
        (float("-inf"), Float32Type(), "-__builtin_inff()"),
        (float("nan"), Float32Type(), '__builtin_nanf("")'),
        (3.4028234663852886e38, Float32Type(), "3.4028235e+38f"),
        (1e39, Float32Type(), "__builtin_inff()"),
        (0.1, Float64Type(), "0.1"),
        (float("-inf"), Float64Type(), "-__builtin_inf()"),
    ],
)
def test_float_literals(value: float, type: object, expected: str) -> None:
    assert float_literal(value, type) == expected  # pyright: ignore


@pytest.mark.parametrize(
    ("tile", "expected"),
    [
        (TileType.of(Float32Type(), 16, 32), "Tile<TileType::Vec, float, 16, 32>"),
        (TileType.of(i32, 8, 1), "Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor>"),
        (
            TileType.of(Float32Type(), 16, 32, valid=(9, -1)),
            "Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 9, -1>",
        ),
        (
            TileType.of(
                Float16Type(), 32, 32, loc=TileLoc.Mat, blayout=BLayout.ColMajor, slayout=SLayout.RowMajor
            ),
            "Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor>",
        ),
        (
            TileType.of(Float32Type(), 16, 32, pad=PadValue.Zero),
            "Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 16, 32, SLayout::NoneBox, 512, PadValue::Zero>",
        ),
    ],
)
def test_tile_types_leave_out_trailing_defaults(tile: TileType, expected: str) -> None:
    assert tile_cpp(tile) == expected


GATHER = """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.memref<INDEXxi32LAYOUT>
.arg %out : !pto.memref<8x8xf32>
%i = tload %idx : (!pto.memref<INDEXxi32LAYOUT>) -> !pto.tile<INDEXxi32>
%d = OPCODE %table, %i : (!pto.memref<64x8xf32>, !pto.tile<INDEXxi32>) -> !pto.tile<8x8xf32>
tstore %d, %out
"""


@pytest.mark.parametrize(
    ("target", "opcode", "index", "call"),
    [
        ("a2a3", "mgather.row", "1x8", "MGATHER<Coalesce::Row>(d, tableGM, i);"),
        ("a2a3", "mgather.row.clamp", "1x8", "MGATHER<Coalesce::Row, GatherOOB::Clamp>(d, tableGM, i);"),
        ("a5", "mgather.row.zero", "8x1", "MGATHER<Coalesce::Row, GatherOOB::Zero>(d, tableGM, i);"),
        ("a5", "mgather.elem.undefined", "8x8", "MGATHER<Coalesce::Elem>(d, tableGM, i);"),
        ("a5", "mgather", "1x8", "MGATHER<Coalesce::Row>(d, tableGM, i);"),
        ("cpu", "mgather.elem", "8x8", "MGATHER(d, tableGM, i);"),
        ("cpu", "mgather", "8x8", "MGATHER(d, tableGM, i);"),
        ("a5-custom", "mgather.row.wrap", "8x1", "MGATHER<GatherOOB::Wrap>(d, tableGM, i);"),
        ("a5-custom", "mgather.elem", "8x8", "MGATHER(d, tableGM, i);"),
    ],
)
def test_gathers_are_spelled_as_the_target_declares_them(
    target: str, opcode: str, index: str, call: str
) -> None:
    layout = ", dn" if index.endswith("x1") else ""
    text = GATHER.replace("OPCODE", opcode).replace("INDEX", index).replace("LAYOUT", layout)
    assert call in statements(lower(ptoas.parse(text), target))


def test_only_the_custom_target_has_a_header_of_its_own() -> None:
    text = GATHER.replace("OPCODE", "mgather.elem").replace("INDEX", "8x8").replace("LAYOUT", "")
    for target in ("cpu", "a2a3", "a5", "a5-custom"):
        cpp = lower(ptoas.parse(text), target)
        includes = [line for line in cpp.splitlines() if line.startswith("#include")]
        assert includes[:3] == ["#include <cstddef>", "#include <cstdint>", "#include <pto/pto-inst.hpp>"]
        assert includes[3:] == (["#include <pto/npu/a5/custom/MGather.hpp>"] if target == "a5-custom" else [])


def test_names_that_c_does_not_allow_are_made_legal_and_stay_apart() -> None:
    text = """
func.func @"int"(%class: !pto.memref<8x8xf32>, %a.b: !pto.memref<8x8xf32>, %a_b: !pto.memref<8x8xf32>, %W: i32) {
  %0 = tload %class : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
  tstore %0, %a.b
  tstore %0, %a_b
  return
}
"""
    try:
        module = ptoas.parse(text)
    except PtoasError:
        module = ptoas.parse(text.replace('@"int"', "@int"))
    cpp = lower(module, "a5")
    head = cpp[cpp.index("AICORE") : cpp.index("{")]
    assert re.sub(r"\s+", " ", head).strip() == (
        "AICORE void int_(__gm__ float *class_, __gm__ float *a_b, __gm__ float *a_b_2, int32_t /* W_ */)"
    )


DYNAMIC = """
func.func @f(%m: !pto.memref<?x8xf32>, %s: !pto.memref<4x8xf32, nd, strides=[?, 1]>) {
  %n = arith.constant 4 : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32>
  pto.tload ins(%s : !pto.memref<4x8xf32, nd, strides=[?, 1]>) outs(%t : !pto.tile_buf<vec, 4x8xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 4x8xf32>) outs(%m : !pto.memref<?x8xf32>)
  return
}
"""


def test_open_extents_and_strides_of_memory_are_parameters() -> None:
    cpp = lower(ptoas.parse(DYNAMIC), "cpu", verified=False)
    assert "void f(__gm__ float *m, int64_t m_dim0, __gm__ float *s, int64_t s_stride0)" in cpp
    assert "MTensor mGM(m, Shape<1, 1, 1, -1, 8>(m_dim0));" in cpp
    assert "STensor sGM(s, Shape<1, 1, 1, 4, 8>(), Stride<1, 1, 1, -1, 1>(s_stride0));" in cpp


ELEM = GATHER.replace("OPCODE", "mgather.elem").replace("INDEX", "8x8").replace("LAYOUT", "")


@pytest.mark.parametrize(
    ("whole", "part"), [("?x16", "?x16"), ("?x16", "1x?x16"), ("?x16", "?x?x16"), ("1x?x16", "?x16")]
)
def test_the_last_dimensions_of_a_part_are_those_of_its_whole(whole: str, part: str) -> None:
    """And what one has more of is one (D11)."""
    ones = whole.count("x") - 1
    text = f"""
func.func @f(%p: !pto.ptr<f32>, %d: !pto.tile_buf<vec, 8x16xf32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %w = pto.make_tensor_view %p, shape = [{"%c1, " * ones}%n, %c16], strides = [{"%c1, " * ones}%c24, %c1] : !pto.tensor_view<{whole}xf32>
  %x = pto.partition_view %w, offsets = [{"%c0, " * ones}%c0, %c0], sizes = [{"%c1, " * ones}%n, %c16] : !pto.tensor_view<{whole}xf32> -> !pto.partition_tensor_view<{part}xf32>
  pto.tstore ins(%d : !pto.tile_buf<vec, 8x16xf32>) outs(%x : !pto.partition_tensor_view<{part}xf32>)
  return
}}
"""
    lines = statements(lower(ptoas.parse(text), "a2a3"))
    assert "using XTensor = GlobalTensor<float, Shape<1, 1, 1, -1, 16>, Stride<1, 1, 1, 24, 1>>;" in lines


def test_an_entry_can_be_called_from_outside_and_a_launcher_starts_it() -> None:
    entry = lower(ptoas.parse(ELEM, "look.pto"), "a5", emit="entry")
    assert 'extern "C" __global__ AICORE void look(' in entry and "<<<" not in entry
    launcher = lower(ptoas.parse(ELEM, "look.pto"), "a5", emit="launcher")
    assert launcher.startswith(entry.rstrip("\n"))
    assert "look<<<numBlocks, nullptr, stream>>>(table, idx, out);" in launcher
    assert "#ifndef __CPU_SIM" in launcher


def test_above_the_default_budget_the_launch_asks_for_its_bytes() -> None:
    text = """
.arg %table : !pto.memref<64x128xf32>
.arg %idx : !pto.memref<150x128xi32>
.arg %out : !pto.memref<150x128xf32>
%i = tload %idx : (!pto.memref<150x128xi32>) -> !pto.tile<150x128xi32>
%d = mgather.elem %table, %i : (!pto.memref<64x128xf32>, !pto.tile<150x128xi32>) -> !pto.tile<150x128xf32>
tstore %d, %out
"""
    # 150 * 128 * 8 bytes = 153600 = 150 KB, above 128 KB.
    launcher = lower(ptoas.parse(text, "big.pto"), "a5", emit="launcher")
    assert "big<<<numBlocks, 153600, stream>>>" in launcher
    # a2a3 has no such request.
    assert "nullptr" in lower(ptoas.parse(text, "big.pto"), "a2a3", emit="launcher")


def expect_error(code: str, text: str, target: str, **options: object) -> str:
    with pytest.raises(PtoasError) as error:
        lower(ptoas.parse(text), target, **options)  # pyright: ignore
    (found,) = error.value.diagnostics
    assert found.code == code
    return found.message


def test_cpu_launches_nothing() -> None:
    assert "entry" in expect_error("PTO-L005", ELEM, "cpu", emit="launcher")


def test_a_launch_can_not_pass_tiles() -> None:
    text = ELEM.replace(".arg %idx : !pto.memref<8x8xi32>", ".arg %i : !pto.tile<8x8xi32>").replace(
        "%i = tload %idx : (!pto.memref<8x8xi32>) -> !pto.tile<8x8xi32>\n", ""
    )
    assert "%i" in expect_error("PTO-L006", text, "a5", emit="entry")
    assert "Tile<TileType::Vec, int32_t, 8, 8> &i" in lower(ptoas.parse(text), "a5")


def test_an_illegal_program_is_not_lowered() -> None:
    row = GATHER.replace("OPCODE", "mgather.row").replace("INDEX", "1x8").replace("LAYOUT", "")
    with pytest.raises(PtoasError):
        lower(ptoas.parse(row), "cpu")
    assert "MGATHER(" in lower(ptoas.parse(row), "cpu", legalize=True)


def test_the_compare_form_of_tgather_has_no_call() -> None:
    text = """
func.func @f(%a: !pto.memref<8x64xf32>, %k: f32) {
  %s = pto.alloc_tile : !pto.tile_buf<vec, 8x64xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 64x64xf32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 8x64xi32>
  %c = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
  pto.tload ins(%a : !pto.memref<8x64xf32>) outs(%s : !pto.tile_buf<vec, 8x64xf32>)
  pto.tgather ins(%s, %k, %t : !pto.tile_buf<vec, 8x64xf32>, f32, !pto.tile_buf<vec, 64x64xf32>) outs(%d, %c : !pto.tile_buf<vec, 8x64xi32>, !pto.tile_buf<vec, 1x8xi32>) {cmpMode = #pto<cmp gt>}
  return
}
"""
    assert "compare" in expect_error("PTO-L004", text, "a2a3", verified=False)


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        ("arith.bitcast %x : f32 to i32", "`arith.bitcast`: this operation has no C++ form"),
        (
            "builtin.unrealized_conversion_cast %x : f32 to i32",
            "`builtin.unrealized_conversion_cast`: only integers of one width are converted here",
        ),
    ],
)
def test_scalars_without_a_cpp_form_are_refused(operation: str, reason: str) -> None:
    text = f"""
func.func @f(%x: f32, %p: !pto.ptr<i32>) {{
  %c0 = arith.constant 0 : index
  %y = {operation}
  pto.store_scalar %y, %p[%c0] : !pto.ptr<i32>, i32
  return
}}
"""
    assert expect_error("PTO-L004", text, "a5") == reason


def test_unknown_things_are_refused_by_name() -> None:
    module = ptoas.parse(ELEM)
    with pytest.raises(ValueError, match="a9"):
        lower(module, "a9")
    with pytest.raises(ValueError, match="object"):
        lower(module, "a5", emit="object")
    with pytest.raises(ValueError, match=r"2020.*2026\.08"):
        lower(module, "a5", isa="2020")
    with pytest.raises(ValueError, match="no target"):
        lower(module)


def test_source_lines_stand_beside_their_statements() -> None:
    lines = statements(lower(ptoas.parse(ELEM), "a5", annotate=True))
    at = lines.index("MGATHER<Coalesce::Elem>(d, tableGM, i);")
    assert lines[at - 1].startswith("// 6: %d = mgather.elem %table, %i")


def test_carried_values_are_assigned_all_at_once() -> None:
    text = """
func.func @f(%p: !pto.ptr<i32>, %n: index, %x: i32, %y: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %b = scf.for %k = %c0 to %n step %c1 iter_args(%u = %x, %v = %y) -> (i32, i32) {
    scf.yield %v, %u : i32, i32
  }
  pto.store_scalar %a, %p[%c0] : !pto.ptr<i32>, i32
  pto.store_scalar %b, %p[%c1] : !pto.ptr<i32>, i32
  return
}
"""
    lines = statements(lower(ptoas.parse(text), "cpu"))
    assert lines == [
        "int32_t u = x;",
        "int32_t v = y;",
        "for (int64_t k = 0; k < n; ++k) {",
        "const auto u_before = u;",
        "u = v;",
        "v = u_before;",
        "}",
        "p[0] = u;",
        "p[1] = v;",
    ]


def test_functions_come_before_their_callers() -> None:
    text = """
func.func @outer(%p: !pto.ptr<i32>, %x: i32) {
  %c0 = arith.constant 0 : index
  %y = func.call @twice(%x) : (i32) -> i32
  pto.store_scalar %y, %p[%c0] : !pto.ptr<i32>, i32
  return
}
func.func private @twice(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}
"""
    cpp = lower(ptoas.parse(text), "a5", emit="entry")
    assert cpp.index("static AICORE int32_t twice(int32_t x)") < cpp.index(
        'extern "C" __global__ AICORE void outer('
    )
    assert "const int32_t y = twice(x);" in cpp
