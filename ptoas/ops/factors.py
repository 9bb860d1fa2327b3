"""Operands of the matrix unit as NumPy multiplies them: unpacked from their boxes, as f32 or doubles.

Conversions cost more than a product of small tiles. Two bytes of a float are widened by shifting their bits,
and what was unpacked is kept: a tile that holds the same bytes again, because it was loaded again, or not
written since, is not unpacked twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ptoas.machine.arrays import Array, np
from ptoas.machine.memory import LocalMemory
from ptoas.machine.tiles import Tile, in_runs

MOST_KEPT = 32 << 20
"""Bytes of unpacked operands that are kept for one memory."""

LEAST_KEPT = 4096
"""Bytes of an operand that is worth keeping."""

SAMPLES = 64
"""Words of an operand by which what was kept of it is found; then all are compared."""

HALF_MASK = np.int32(-0x70000001)
"""Sign, exponent and fraction of an f16 that was widened with its sign and shifted to where f32 has them."""
HALF_SCALE = np.float32(2.0**112)
"""The exponent of f16 is biased by 15, that of f32 by 127."""
HALF_LIMIT = 65536.0
"""Encodings of f16 infinities and NaNs."""

ONE_THREAD = 1 << 18
"""Products of numbers up to which a matrix product is one thread's work. For more NumPy's library takes
several, which for tiles wait for each other longer than they work."""

Fill = Callable[[], Array]


def multiply(left: Array, right: Array) -> Array:
    """The product of two matrices, some rows at a time."""
    rows, cols = left.shape[0], right.shape[1]
    step = max(1, ONE_THREAD // right.size)
    if rows <= step:
        return np.matmul(left, right)
    out = np.empty((rows, cols), left.dtype)
    for start in range(0, rows, step):
        np.matmul(left[start : start + step], right, out=out[start : start + step])
    return out


def shares(rows: int, size: int) -> int:
    """The number of equal parts in which rows are multiplied, each by `size` numbers."""
    count = min(rows, max(1, -(-rows * size // ONE_THREAD)))
    while rows % count:
        count += 1
    return count


def factors(tile: Tile) -> Array:
    """A valid region as numbers that products of are added without loss of what the matrix unit keeps: f32,
    and doubles for integers, whose sums of up to 4095 products are exact in them."""
    number = np.float64 if tile.dtype.is_integer else np.float32
    return tile.dtype.numbers(tile.load_raw()).astype(number)


def factor(tile: Tile, panel: int | None = None) -> Fill:
    """The same, as fast as it goes: a function that gives the numbers that the tile holds then.

    With a `panel`, so many columns at a time: (panel, row, column in the panel).
    """
    boxes = tile.boxes
    width = panel or tile.valid[1]
    if boxes is None or tile.dtype.coded:
        return lambda: in_panels(factors(tile), width) if panel else factors(tile)
    whole = tile.valid == (tile.rows, tile.cols) and tile.size_bytes == boxes.nbytes
    converted = tile.dtype.number != number_of(tile)
    if whole and converted and boxes.nbytes >= LEAST_KEPT and boxes.nbytes % 8 == 0:
        return cached_factor(tile, boxes, panel)
    buffer = np.empty(tile.valid, number_of(tile))
    unpack = unpacking(tile, boxes)

    def fill() -> Array:
        unpack(buffer)
        return in_panels(buffer, width) if panel else buffer

    return fill


def in_panels(matrix: Array, width: int) -> Array:
    """Some columns at a time, each panel's numbers in a row."""
    rows, cols = matrix.shape
    panels = np.empty((cols // width, rows, width), matrix.dtype)
    source, target = in_runs(matrix.reshape(rows, -1, width), panels.transpose(1, 0, 2))
    target[...] = source
    return panels


def number_of(tile: Tile) -> Array:
    return np.dtype(np.float64 if tile.dtype.is_integer else np.float32)


def unpacking(tile: Tile, boxes: Array) -> Callable[[Array], None]:
    """Fill an array with what a tile holds."""
    convert = CONVERSIONS.get(tile.dtype.text)
    numbers = boxes.view(tile.dtype.number)

    def unpack(buffer: Array) -> None:
        target = buffer.reshape(boxes.shape)
        if convert is None or not convert(boxes, target):
            target[...] = numbers

    return unpack


def widen_bf16(source: Array, target: Array) -> bool:
    """The upper half of an f32."""
    bits = target.view(np.uint32)
    bits[...] = source
    np.left_shift(bits, 16, out=bits)
    return True


def widen_f16(source: Array, target: Array) -> bool:
    """Bits at the places that f32 has for them, and a product that mends the exponent, also of what is
    denormal; whether there is nothing else among them."""
    bits = target.view(np.int32)
    bits[...] = source.view(np.int16)
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, HALF_MASK, out=bits)
    np.multiply(target, HALF_SCALE, out=target)
    return bool(target.max() < HALF_LIMIT and target.min() > -HALF_LIMIT)


def _keeps_denormals() -> bool:
    """Return True if denormal numbers are not flushed; a library may have enabled flushing."""
    least = np.zeros(16, np.float32)
    return widen_f16(np.ones(16, np.uint16), least) and bool((least == 2.0**-24).all())


CONVERSIONS: dict[str, Callable[[Array, Array], bool]] = {"bf16": widen_bf16}
if _keeps_denormals():
    CONVERSIONS["f16"] = widen_f16


class UnpackedCache:
    """Recently unpacked matrices, keyed by a sample of their bytes; the oldest is dropped first."""

    def __init__(self) -> None:
        self.found: dict[tuple[object, ...], tuple[bytearray, Array]] = {}
        self.size = 0
        self._forms: dict[object, int] = {}

    def form(self, tile: Tile, panel: int | None) -> int:
        """A number for the interpretation of the bytes, which is faster to look up."""
        return self._forms.setdefault((tile.dtype.text, tile.geometry, tile.valid, panel), len(self._forms))

    def put(self, key: tuple[object, ...], content: bytearray, matrix: Array) -> None:
        self.drop(key)
        self.found[key] = (content, matrix)
        self.size += len(content) + matrix.nbytes
        while self.size > MOST_KEPT and self.found:
            self.drop(next(iter(self.found)))

    def drop(self, key: tuple[object, ...]) -> None:
        old = self.found.pop(key, None)
        if old is not None:
            self.size -= len(old[0]) + old[1].nbytes


FACTORS: WeakKeyDictionary[LocalMemory, UnpackedCache] = WeakKeyDictionary()


def cached_factor(tile: Tile, boxes: Array, panel: int | None) -> Fill:
    """Numbers of the same bytes are the same: they are looked up first."""
    words = tile.flat.view(np.uint64)
    bytes_: Any = memoryview(words)  # A bytearray is compared with it at once, without a copy.
    sample = words[:: max(1, len(words) // SAMPLES)]
    memory = FACTORS.setdefault(tile.memory, UnpackedCache())
    form, found = memory.form(tile, panel), memory.found
    unpack, number = unpacking(tile, boxes), number_of(tile)

    def fill() -> Array:
        key = (form, sample.tobytes())
        known = found.get(key)
        if known is not None and known[0] == bytes_:
            return known[1]
        matrix = np.empty(tile.valid, number)
        unpack(matrix)
        if panel:
            matrix = in_panels(matrix, panel)
        memory.put(key, bytearray(bytes_), matrix)
        return matrix

    return fill
