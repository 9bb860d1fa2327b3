"""Every spelling of a type (D9, D10)."""

# ruff: noqa: E501  (programs have long lines)

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

import ptoas
from ptoas.dialects.pto.enums import (
    BLayout,
    CompactMode,
    Layout,
    PadValue,
    SLayout,
    TileLoc,
)
from ptoas.dialects.pto.gather import MGatherOp
from ptoas.dialects.pto.type_parameters import TypeProblem
from ptoas.dialects.pto.type_text import type_from_text
from ptoas.dialects.pto.types import TileType, ViewType

HEAD = """.arg %table : !pto.memref<64x32xf32>
.arg %idx : !pto.tile<1x16xi32>
"""
TYPES = "(!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>"


def ops(module: ModuleOp, name: str) -> list[Operation]:
    return [op for op in module.walk() if op.name == name]


def only(text: str, name: str, **options: bool) -> Operation:
    (op,) = ops(ptoas.parse(text, "f.pto", **options), name)
    return op


def gather(line: str, head: str = HEAD) -> MGatherOp:
    op = only(head + line, "pto.mgather")
    assert isinstance(op, MGatherOp)
    return op


# --- types (D9, D10) --------------------------------------------------------------------------------


def type_of(text: str):
    (op,) = ptoas.parse(f".arg %x : {text}\nbarrier #pto.pipe<PIPE_ALL>").body.block.ops
    assert isinstance(op, FuncOp)
    return op.function_type.inputs.data[0]


PLAIN = [
    "16x32xf32",
    "16 x 32 x f32",
    "vec, 16 x 32xf32",
    "vec, 16x32xf32",
    "loc=vec, 16x32xf32",
    "vec, f32, 16, 32, row_major, none_box, 512, null",
    "vec, f32, 16, 32, row_major, none_box, 512",
    "vec, f32, 16, 32, row_major, none_box",
    "vec, f32, 16, 32, row_major",
    "vec, f32, 16, 32",
    "f32, 16, 32",
    "loc=vec, f32, 16, 32, RowMajor, NoneBox, 512, Null",
    "loc=vec, f32, 16, 32, RowMajor, None, 512, None",
    "Vec, f32, 16, 32, RowMajor, NoneBox, 512, Null",
    "loc=vec, dtype=f32, rows=16, cols=32",
    "loc=vec, dtype=f32, rows=16, cols=32, v_row=16, v_col=32, blayout=row_major, slayout=none_box, "
    "fractal=512, pad=0",
    "pad=0, fractal=512, slayout=none_box, blayout=row_major, v_col=32, v_row=16, cols=32, rows=16, "
    "dtype=f32, loc=vec",
    "vec, 16x32xf32, valid=16x32",
    "16x32xf32, #pto.address_space<vec>",
    "16x32xfloat",
    "  16x32xf32  ",
]


@pytest.mark.parametrize("name", ["!pto.tile", "!pto.tile_buf", "pto.tile", "pto.tile_buf"])
@pytest.mark.parametrize("body", PLAIN)
def test_spellings_of_one_tile(name: str, body: str) -> None:
    assert type_of(f"{name}<{body}>") == type_of("!pto.tile<16x32xf32>")


def test_tile_defaults() -> None:
    tile = type_of("!pto.tile<16x32xf32>")
    assert isinstance(tile, TileType)
    assert (tile.loc.data, tile.shape, tile.valid) == (TileLoc.Vec, (16, 32), (16, 32))
    assert (tile.blayout, tile.slayout, tile.fractal) == (BLayout.RowMajor, SLayout.NoneBox, 512)
    assert (tile.pad, tile.compact) == (PadValue.Null, CompactMode.Null)
    assert type_of("!pto.tile<16x1xi32>").blayout is BLayout.ColMajor
    assert type_of("!pto.tile<1x1xi32>").blayout is BLayout.RowMajor


def test_every_tile_parameter() -> None:
    text = (
        "!pto.tile_buf<loc=mat, dtype=f16, rows=32, cols=64, v_row=9, v_col=?, blayout=col_major, "
        "slayout=row_major, fractal=1024, pad=2, compact=normal>"
    )
    tile = type_of(text)
    assert isinstance(tile, TileType)
    assert (tile.loc.data, tile.shape, tile.valid) == (TileLoc.Mat, (32, 64), (9, -1))
    assert (tile.blayout, tile.slayout, tile.fractal) == (BLayout.ColMajor, SLayout.RowMajor, 1024)
    assert (tile.pad, tile.compact) == (PadValue.Max, CompactMode.Normal)
    assert tile.is_nz
    short = "!pto.tile_buf<mat, 32x64xf16, valid=9x?, blayout=col_major, slayout=RowMajor, fractal=1024, pad=Max, compact=normal>"
    assert type_of(short) == tile


@pytest.mark.parametrize(
    "loc", ["vec", "mat", "left", "right", "acc", "bias", "scaling", "scale_left", "ScaleRight"]
)
def test_locations(loc: str) -> None:
    assert (
        type_of(f"!pto.tile<{loc}, 16x32xf32>").loc.data.value.replace("_", "")
        == loc.replace("_", "").lower()
    )


ELEMENTS = {
    "i8": ["i8", "si8", "int8"],
    "i16": ["i16", "si16"],
    "i32": ["i32", "si32"],
    "ui8": ["ui8", "u8", "uint8"],
    "ui16": ["ui16", "u16"],
    "ui32": ["ui32", "u32"],
    "f16": ["f16", "half"],
    "bf16": ["bf16", "bfloat16"],
    "f32": ["f32", "float"],
    "f8E4M3FN": ["f8E4M3FN", "f8e4m3", "f8E4M3"],
    "f8E5M2": ["f8E5M2", "f8e5m2"],
    "!pto.hif8": ["!pto.hif8", "hif8"],
}


@pytest.mark.parametrize(("canonical", "spelling"), [(c, s) for c, all in ELEMENTS.items() for s in all])
def test_element_types(canonical: str, spelling: str) -> None:
    """D10, in a tile, a view and a pointer, by position, in a shape and by key."""
    assert str(type_of(f"!pto.tile<4x32x{spelling}>")) == f"!pto.tile_buf<vec, 4x32x{canonical}>"
    assert type_of(f"!pto.tile<vec, {spelling}, 4, 32>") == type_of(f"!pto.tile<4x32x{canonical}>")
    assert type_of(f"!pto.tile<dtype={spelling}, rows=4, cols=32>") == type_of(f"!pto.tile<4x32x{canonical}>")
    assert str(type_of(f"!pto.memref<4x32x{spelling}>")) == f"!pto.memref<4x32x{canonical}>"
    assert str(type_of(f"!pto.ptr<{spelling}>")) == f"!pto.ptr<{canonical}>"


@pytest.mark.parametrize("name", ["memref", "tensor_view", "partition_tensor_view"])
def test_views(name: str) -> None:
    plain = type_of(f"!pto.{name}<64x32xf32>")
    assert isinstance(plain, ViewType)
    assert (plain.shape, plain.layout, plain.strides) == ((64, 32), Layout.ND, None)
    strided = type_of(f"!pto.{name}<64x32xf32, nd, strides=[40, 1]>")
    assert (strided.shape, strided.strides) == ((64, 32), (40, 1))
    assert strided == type_of(f"!pto.{name}<64x32xf32, strides=[40, 1]>")
    dynamic = type_of(f"!pto.{name}<?x?xf32, dn, strides=[?, 1]>")
    assert (dynamic.shape, dynamic.layout, dynamic.strides) == ((-1, -1), Layout.DN, (-1, 1))
    assert type_of(f"!pto.{name}<64x32xf32, layout=NZ>").layout is Layout.NZ
    assert type_of(f"!pto.{name}<256xf32>").shape5 == (1, 1, 1, 1, 256)
    assert type_of(f"!pto.{name}<1x2x3x4x5xf32>").shape5 == (1, 2, 3, 4, 5)


def test_other_types() -> None:
    group = type_of("!pto.group<4 x !pto.memref<64x32xf32, strides=[40, 1]>>")
    assert (group.size, group.member.strides) == (4, (40, 1))
    assert str(type_of("!pto.event")) == "!pto.event"
    assert str(type_of("!pto.ptr<f32, gm>")) == "!pto.ptr<f32>"
    assert str(type_of("memref<4x4xf32>")) == "memref<4x4xf32>"
    assert str(type_of("vector<4xf32>")) == "vector<4xf32>"
    assert str(type_of("index")) == "index"


def test_types_are_interned() -> None:
    """Texts repeat: equal ones give the same object, so that comparing types is comparing identities."""
    assert type_of("!pto.tile<16x32xf32>") is type_of("!pto.tile<16x32xf32>")


SPACES = {
    "ub": "vec",
    "l1": "mat",
    "l0a": "left",
    "l0b": "right",
    "l0c": "acc",
    "bt": "bias",
    "fb": "scaling",
}


@pytest.mark.parametrize("short", SPACES)
def test_memory_of_a_pointer(short: str) -> None:
    """Both names of a memory are read; the short one is printed."""
    printed = f"!pto.ptr<f32, {short}>"
    assert str(type_of(printed)) == printed
    assert type_of(f"!pto.ptr<f32, {SPACES[short]}>") == type_of(printed)
    assert type_of("!pto.ptr<f32, gm>") == type_of("!pto.ptr<f32>") != type_of(printed)


def test_extents_with_spaces() -> None:
    assert type_of("!pto.tile<16 x 32 x f32, valid=9 x ?>") == type_of("!pto.tile<16x32xf32, valid=9x?>")
    assert type_of("!pto.memref<4 x 16 x 32 x f32>") == type_of("!pto.memref<4x16x32xf32>")
    assert type_of("!pto.memref<64 x f32>") == type_of("!pto.memref<64xf32>")
    group = "!pto.group<4 x !pto.memref<64 x 32 x f32>>"
    assert type_of(group) == type_of(group.replace("64 x 32 x f32", "64x32xf32"))


def test_memory_as_mlir_writes_it_is_a_view_of_global_memory() -> None:
    plain = type_from_text("memref<64x?xf32, #pto.address_space<gm>>")
    assert plain == type_from_text("!pto.memref<64x?xf32>")
    strided = type_from_text("memref<64x32xf32, strided<[40, 1]>, #pto.address_space<gm>>")
    assert strided == type_from_text("!pto.memref<64x32xf32, strides=[40, 1]>")
    with pytest.raises(TypeProblem, match="is not global memory"):
        type_from_text("memref<64x32xf32, #pto.address_space<vec>>")


@pytest.mark.parametrize(
    "text",
    [
        "!pto.local_array<8x4xi32>",
        "!pto.struct<f32, !pto.struct<i8, i16>>",
        "!pto.multi_tile_buf<vec, 16x16xf16, count=3>",
        "!pto.multi_tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024, count=2>",
        "!pto.tile_buf<scaling, 16x2x!pto.f8E8M0, slayout=row_major, fractal=32>",
    ],
)
def test_types_of_what_a_function_keeps_read_as_they_are_printed(text: str) -> None:
    assert str(type_from_text(text)) == text
