"""Types are values: equal when their parameters are, and only then."""

from __future__ import annotations

from itertools import combinations

import pytest
from xdsl.dialects.builtin import IntAttr, f16, f32
from xdsl.ir import Attribute

from ptoas.dialects.pto.enums import AddressSpace, BLayout, CompactMode, Layout, PadValue, SLayout, TileLoc
from ptoas.dialects.pto.types import (
    GroupType,
    MemRefType,
    PartitionTensorViewType,
    PtrType,
    TensorViewType,
    TileType,
    ViewType,
)

DIFFERENT: list[Attribute] = [
    TileType.of(f32, 16, 32),
    TileType.of(f16, 16, 32),
    TileType.of(f32, 32, 16),
    TileType.of(f32, 16, 16),
    TileType.of(f32, 16, 32, loc=TileLoc.Mat),
    TileType.of(f32, 16, 32, valid=(9, 32)),
    TileType.of(f32, 16, 32, valid=(16, -1)),
    TileType.of(f32, 16, 32, blayout=BLayout.ColMajor),
    TileType.of(f32, 16, 32, slayout=SLayout.RowMajor),
    TileType.of(f32, 16, 32, fractal=1024),
    TileType.of(f32, 16, 32, pad=PadValue.Zero),
    TileType.of(f32, 16, 32, compact=CompactMode.Normal),
    PtrType(f32),
    PtrType(f16, AddressSpace.Vec),
    *(
        variant
        for view in (MemRefType, TensorViewType, PartitionTensorViewType)
        for variant in (
            view.of([64, 32], f32),
            view.of([64, 16], f32),
            view.of([64, 32], f16),
            view.of([64, 32], f32, Layout.NZ),
            view.of([64, 32], f32, Layout.ND, [40, 1]),
            view.of([64, 32], f32, Layout.ND, [32, 1]),
            view.of([64], f32),
            view.of([-1, 32], f32),
        )
    ),
    GroupType(IntAttr(4), MemRefType.of([64, 32], f32)),
    GroupType(IntAttr(2), MemRefType.of([64, 32], f32)),
    GroupType(IntAttr(4), MemRefType.of([32, 32], f32)),
]


def test_different_types_differ() -> None:
    for one, other in combinations(DIFFERENT, 2):
        assert one != other, f"{one} equals {other}"
    assert len(set(DIFFERENT)) == len(DIFFERENT)


@pytest.mark.parametrize("type", DIFFERENT, ids=str)
def test_same_parameters_are_equal(type: Attribute) -> None:
    again = type.new(type.parameters)  # pyright: ignore
    assert again == type and hash(again) == hash(type) and again is not type


@pytest.mark.parametrize("type", DIFFERENT, ids=str)
def test_printed_type_parses_to_itself(type: Attribute) -> None:
    from ptoas.dialects.pto.type_text import type_from_text

    assert type_from_text(str(type)) == type


def test_shape_of_five() -> None:
    """D11: a shape of rank n is the last n of the five dimensions."""
    view = MemRefType.of([64, 32], f32)
    assert isinstance(view, ViewType)
    assert view.shape5 == (1, 1, 1, 64, 32)
    assert view.element_count == 2048
    assert MemRefType.of([-1, 32], f32).element_count is None


def test_size_of_a_tile() -> None:
    assert TileType.of(f32, 16, 32).size_bytes == 2048
    assert TileType.of(f16, 16, 32, valid=(1, 1)).size_bytes == 1024
