"""Scratch tiles of rows."""

from __future__ import annotations

from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.types import TileType
from ptoas.targets.facts import Facts
from ptoas.targets.row import Scratch

BLOCK = 32
"""Bytes of the smallest tile row."""


def placeholder(slot: str) -> Scratch:
    """A scratch tile that is an argument of the call only, and that the target does not touch: one block."""

    def needs(know: Facts) -> TileType:
        element = know.tile(slot).type.element_type
        return TileType.of(element, 1, BLOCK // element_size(element))

    return Scratch(needs)


def another(slot: str) -> Scratch:
    """A scratch tile that the target does not touch; another operand is passed for it, as the library
    compares them.
    """
    return Scratch(lambda _: None, least=lambda _: 0, instead=slot)


def as_large_as(slot: str, *, integers: int | None = None) -> Scratch:
    """A scratch tile of an operand's type and shape; a given one for integers may be smaller."""

    def needs(know: Facts) -> TileType:
        like = know.tile(slot).type
        return TileType.of(like.element_type, like.rows, like.cols)

    def least(know: Facts) -> int:
        like = know.tile(slot)
        return integers if integers is not None and like.element.is_integer else like.type.size_bytes

    return Scratch(needs, least)


def like(slot: str) -> Scratch:
    """A scratch tile of an operand's type, its valid extents included; a given one is as large."""

    def needs(know: Facts) -> TileType:
        return know.tile(slot).type

    return Scratch(needs, valid_of=slot)


def one_row(know: Facts) -> TileType:
    """A row of the destination."""
    like = know.tile("dst").type
    return TileType.of(like.element_type, 1, like.cols)


def as_indices(slot: str) -> Scratch:
    """A scratch tile with the index tile's type, shape and valid extents, open ones included."""

    def needs(know: Facts) -> TileType:
        like = know.tile(slot).type
        return TileType.of(like.element_type, like.rows, like.cols, valid=like.valid)

    return Scratch(needs, least=lambda _: 0, valid_of=slot)
