"""Bytes of a tile's elements in memory, through every view of them, against a plain count."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from xdsl.ir import Operation

import ptoas
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.geometry import Axis, Geometry
from ptoas.machine.checks import initialised
from ptoas.machine.dtypes import by_text
from ptoas.machine.machine import Machine, Step
from ptoas.machine.memory import CACHE_LINE, POISON, Bits, LocalMemory
from ptoas.machine.tiles import Tile
from tests.machine.test_layouts import tile_type

MEMORY = 4096


def counted(blayout: str, slayout: str, size: int, fractal: int, shape: tuple[int, int]) -> np.ndarray:
    """The position of each element: box after box in the order of `blayout`, in a box in that of
    `slayout`.

    A box that is cut takes the room of a whole one, but a column of NZ boxes has the rows of the tile.
    """
    rows, cols = shape
    width = {1024: 16, 32: 2}.get(fractal, 32 // size)
    r, c = (16, width) if slayout == "row_major" else (width, 16)
    if (blayout, slayout) == ("col_major", "row_major"):
        return np.array([[j // c * rows * c + i * c + j % c for j in range(cols)] for i in range(rows)])
    corners = [(top, left) for top in range(0, rows, r) for left in range(0, cols, c)]
    if blayout == "col_major":
        corners.sort(key=lambda corner: corner[::-1])
    found = np.zeros(shape, int)
    for i, j in product(range(rows), range(cols)):
        inside = i % r * c + j % c if slayout == "row_major" else j % c * r + i % r
        found[i, j] = corners.index((i - i % r, j - j % c)) * r * c + inside
    return found


class Case:
    """A tile in a memory of zeros, and where each of its elements begins."""

    def __init__(
        self,
        shape: tuple[int, int],
        type_: str = "f32",
        layout: str = "row_major",
        valid: tuple[int, int] | None = None,
        strides: tuple[int, int] | None = None,
        address: int = 64,
    ):
        blayout, *boxed = layout.split("/")
        slayout, fractal = boxed or ("none_box", "512")
        text = f"{shape[0]}x{shape[1]}x{type_}, blayout={blayout}, slayout={slayout}, fractal={fractal}"
        self.memory = LocalMemory(TileLoc.Vec, MEMORY, poisoned=False)
        # Some bytes know for themselves whether they are written, from their own address on.
        self.bits = Bits(MEMORY - address, address)
        of = tile_type(f"!pto.tile_buf<vec, {text}>")
        self.size = size = by_text(type_).size
        steps = strides and Geometry(*(Axis(1, step // size, step // size) for step in strides))
        self.tile = Tile(of, self.memory, address, valid or shape, "t", self.bits, steps)
        self.boxed = bool(boxed)
        if boxed:
            self.places = address + size * counted(blayout, slayout, size, int(fractal), shape)
        else:
            rs, cs = strides or (
                (shape[1] * size, size) if blayout == "row_major" else (size, shape[0] * size)
            )
            self.places = address + rs * np.arange(shape[0])[:, None] + cs * np.arange(shape[1])
        self.shape = shape

    def bytes_of(self, rows: int, cols: int) -> set[int]:
        starts = self.places[:rows, :cols].reshape(-1).tolist()
        return {start + n for start in starts for n in range(self.size)}

    @property
    def valid_bytes(self) -> set[int]:
        return self.bytes_of(*self.tile.valid)

    def reached(self, view: Any) -> set[int]:
        """The bytes that change when all of a view is set."""
        self.memory.data[:] = 0
        view[...] = -1 if view.dtype.kind == "i" else np.iinfo(view.dtype).max
        found = set(np.flatnonzero(self.memory.data).tolist())
        self.memory.data[:] = 0
        return found


CASES = {
    "rows": {"shape": (4, 8)},
    "columns": {"shape": (8, 4), "layout": "col_major"},
    "part of rows": {"shape": (4, 8), "valid": (3, 5)},
    "part of columns": {"shape": (8, 4), "layout": "col_major", "valid": (3, 2)},
    "nothing": {"shape": (4, 8), "valid": (0, 5)},
    "bytes": {"shape": (3, 32), "type_": "i8", "valid": (2, 31)},
    "eight bytes": {"shape": (3, 4), "type_": "i64", "valid": (3, 3)},
    "a row": {"shape": (1, 8)},
    "a column": {"shape": (8, 1)},
    "one": {"shape": (1, 1), "layout": "row_major"},
    "window of rows": {"shape": (4, 8), "strides": (64, 4), "valid": (4, 7)},
    "window of columns": {"shape": (8, 4), "strides": (4, 64), "layout": "col_major"},
    "window of two columns": {"shape": (2, 2), "strides": (8, 4)},
    "window of a row": {"shape": (1, 8), "strides": (64, 4)},
    "window of a column": {"shape": (4, 1), "strides": (64, 4)},
    "row of columns": {"shape": (1, 8), "strides": (4, 32)},
    "column of columns": {"shape": (8, 1), "strides": (4, 32)},
    "every second row and column": {"shape": (3, 4), "strides": (64, 8), "valid": (2, 3)},
    "NZ": {"shape": (16, 24), "layout": "col_major/row_major/512"},
    "NZ, whole blocks valid": {"shape": (32, 16), "layout": "col_major/row_major/512", "valid": (18, 8)},
    "NZ, cut through": {"shape": (16, 24), "layout": "col_major/row_major/512", "valid": (9, 11)},
    "NZ, low blocks": {"shape": (20, 16), "layout": "col_major/row_major/512", "valid": (19, 16)},
    "NZ, narrow blocks": {"shape": (16, 20), "layout": "col_major/row_major/512", "valid": (16, 18)},
    "NZ of 1024": {"shape": (16, 32), "layout": "col_major/row_major/1024", "valid": (3, 16)},
    "ZZ": {"shape": (32, 16), "layout": "row_major/row_major/512", "valid": (17, 9)},
    "ZZ of one block": {"shape": (16, 8), "layout": "row_major/row_major/512"},
    "ZN": {"shape": (16, 32), "layout": "row_major/col_major/512", "valid": (9, 20)},
    "NN": {"shape": (16, 32), "type_": "f16", "layout": "col_major/col_major/512", "valid": (9, 20)},
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return Case(**CASES[request.param])


def some_operation() -> Operation:
    return ptoas.parse("func.func @main() {\n  return\n}\n")


# --- elements ------------------------------------------------------------------------------------


def test_elements_are_stored_to_their_places_and_loaded_from_them(case: Case) -> None:
    tile, (rows, cols) = case.tile, case.tile.valid
    values = np.arange(1, rows * cols + 1).astype(tile.dtype.number).reshape(rows, cols)
    tile.store_raw(values.view(tile.dtype.raw))
    expected = np.zeros(MEMORY, np.uint8)
    for r, c in product(range(rows), range(cols)):
        at = case.places[r, c]
        expected[at : at + case.size] = np.frombuffer(values[r, c].tobytes(), np.uint8)
    assert np.array_equal(case.memory.data, expected)
    assert tile.load_raw().dtype == tile.dtype.raw and np.array_equal(
        tile.load_raw(), values.view(tile.dtype.raw)
    )
    assert tile.load().dtype == tile.dtype.number and np.array_equal(tile.load(), values)


def test_a_tile_reaches_from_its_first_byte_to_its_last(case: Case) -> None:
    everything = case.bytes_of(*case.shape)
    assert case.tile.size_bytes == max(everything) + 1 - min(everything)
    assert case.reached(case.tile.flat) == set(range(min(everything), max(everything) + 1))
    assert np.array_equal(case.tile.address + case.tile.offsets * case.size, case.places)
    assert case.reached(case.tile.full.flat) == case.reached(case.tile.flat)


def test_whether_elements_are_in_the_order_of_addresses(case: Case) -> None:
    steps = case.places.reshape(-1) - case.places[0, 0]
    assert case.tile.in_order == (
        not case.boxed and steps.tolist() == list(range(0, steps.size * case.size, case.size))
    )


def test_with_valid_returns_one_object_for_equal_extents() -> None:
    tile = Case((4, 8), valid=(2, 3)).tile
    other = tile.with_valid(1, 8)
    assert other.valid == (1, 8) and other is tile.with_valid(1, 8)
    assert tile.with_valid(2, 3) is tile is other.with_valid(2, 3)
    assert tile.full is other.full is tile.with_valid(4, 8)


@pytest.mark.parametrize("poisoned", [True, False])
def test_a_memory_begins_at_a_line_of_the_cache(poisoned: bool) -> None:
    for size in (1, MEMORY, MEMORY + 1):
        memory = LocalMemory(TileLoc.Vec, size, poisoned)
        assert memory.data.shape == (size,) and memory.address == memory.data.ctypes.data
        assert memory.address % CACHE_LINE == 0
        assert (memory.data == (POISON if poisoned else 0)).all()


# --- written bytes -------------------------------------------------------------------------------


def written(case: Case) -> set[int]:
    return set((np.flatnonzero(case.bits.written) + case.bits.base).tolist())


def test_marking_a_tile_marks_its_valid_bytes(case: Case) -> None:
    region, bits = case.tile.region, case.bits
    for _ in range(2):
        assert region.ready != bits.epoch and not written(case)
        region.mark(some_operation())
        assert region.ready == bits.epoch and written(case) == case.valid_bytes
        assert bits.top == case.tile.size_bytes
        bits.forget()


def test_a_tile_is_written_when_all_its_valid_bytes_are(case: Case) -> None:
    places = np.array(sorted(case.valid_bytes), int) - case.bits.base
    for missing in places.tolist():
        case.bits.written[places] = True
        case.bits.written[missing] = False
        assert case.tile.region.complete() is False
    case.bits.written[:] = False
    case.bits.written[places] = True
    assert case.tile.region.ready != case.bits.epoch
    assert case.tile.region.complete() is True
    assert case.tile.region.ready == case.bits.epoch


def test_marking_elements_marks_theirs() -> None:
    case = Case((4, 8), type_="f16")
    region = case.tile.elements([3, 7])
    assert not region.complete()
    region.mark(some_operation())
    assert written(case) == {64 + 6, 64 + 7, 64 + 14, 64 + 15} and region.complete()


# --- who wrote last ------------------------------------------------------------------------------


def test_last_writer_is_found_across_overlapping_tiles() -> None:
    memory = LocalMemory(TileLoc.Vec, MEMORY)
    of = tile_type("!pto.tile_buf<vec, 1x8xf32>")
    low, middle, high = (Tile(of, memory, at, (1, 8)).region for at in (0, 16, 32))
    first, second, third = some_operation(), some_operation(), some_operation()
    assert middle.last_writer() is None
    low.mark(first)
    assert low.last_writer() is middle.last_writer() is first and high.last_writer() is None
    high.mark(second)
    assert [r.last_writer() for r in (low, middle, high)] == [first, second, second]
    low.mark(third)
    assert [r.last_writer() for r in (low, middle, high)] == [third, third, second]
    high.mark(first)
    assert [r.last_writer() for r in (low, middle, high)] == [third, first, first]
    memory.forget()
    assert [r.last_writer() for r in (low, middle, high)] == [None, None, None]
    high.mark(second)
    assert [r.last_writer() for r in (low, middle, high)] == [None, second, second]


def test_of_too_many_writers_the_older_half_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptoas.machine.tiles.MOST_REGIONS", 6)
    memory = LocalMemory(TileLoc.Vec, MEMORY)
    of = tile_type("!pto.tile_buf<vec, 1x8xf32>")
    regions = [Tile(of, memory, 32 * n, (1, 8)).region for n in range(7)]
    op = some_operation()
    for region in regions[:6]:
        region.mark(op)
    regions[0].mark(op)
    assert all(region.last_writer() is op for region in regions[:6])
    regions[6].mark(op)
    # The first wrote again, later than those that follow it.
    assert [region.last_writer() is op for region in regions] == [True, False, False, False, True, True, True]
    regions[2].mark(op)
    assert regions[2].last_writer() is op


# --- who shares bytes ----------------------------------------------------------------------------


CUT = ("NZ, cut through", "NZ, narrow blocks", "ZZ", "ZN")
"""Valid elements end inside a box, behind a whole one."""


@pytest.mark.parametrize("name", CASES)
def test_touched_bytes_of_a_tile_are_its_valid_ones(name: str) -> None:
    """All from its first byte to its last where strides can't say more."""
    case = Case(**CASES[name])
    everything = case.bytes_of(*case.shape)
    whole = set(range(min(everything), max(everything) + 1))
    assert case.reached(case.tile.touched) == (whole if name in CUT else case.valid_bytes)


@pytest.mark.parametrize("strides", [None, (64, 4), (4, 64), (128, 8)])
def test_tiles_overlap_when_they_share_a_valid_byte(strides: tuple[int, int] | None) -> None:
    first = Case((3, 4), valid=(3, 3), strides=strides, address=512)
    for address in range(256, 800, 4):
        second = Case((2, 4), valid=(2, 2), strides=(64, 4), address=address)
        second.tile.memory = first.memory
        shared = bool(first.valid_bytes & second.valid_bytes)
        assert first.tile.overlaps(second.tile) == second.tile.overlaps(first.tile) == shared, address


def test_tiles_of_two_memories_never_overlap() -> None:
    assert not Case((3, 4)).tile.overlaps(Case((3, 4)).tile)


# --- scratch -------------------------------------------------------------------------------------


@pytest.mark.parametrize("boxed", ["", ", blayout=col_major, slayout=row_major"])
def test_clobbered_bytes_are_uninitialised(boxed: str) -> None:
    machine = Machine(ptoas.get_target("a5"))
    memory = LocalMemory(TileLoc.Vec, MEMORY)
    of = tile_type(f"!pto.tile_buf<vec, 16x8xf32{boxed}>")
    # The second begins in the middle of the scratch, the third behind it.
    scratch, half, apart = (Tile(of, memory, at, (16, 8)) for at in (0, 256, 512))
    op = some_operation()
    for tile in (scratch, half, apart):
        tile.full.store_raw(np.ones((16, 8), np.uint32))
        tile.region.mark(op)
    reads = [initialised(op, machine, Step(lambda: None, reads=(t.region,))) for t in (scratch, half, apart)]
    for read in reads:
        read()
    initialised(op, machine, Step(lambda: None, writes=(apart.region,), clobbers=(scratch.region,)))()
    for read in reads[:2]:
        with pytest.raises(ptoas.PtoasError, match="PTO-R201"):
            read()
    reads[2]()
    assert (memory.data[:512] == POISON).all() and (apart.load_raw() == 1).all()
    # What is written again can be read again.
    scratch.region.mark(op)
    reads[0]()
