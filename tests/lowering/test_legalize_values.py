# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Every gather that `cpu` lacks gives what the devices' formula says, in every mode, type and form of table (D17)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest

import ptoas
from ptoas.compiler.run import run
from ptoas.lowering.pipeline import prepare
from tests.machine.support import TYPES, bits_array, constants, raw

from .test_legalize_cpu import remapped

VALID = {
    "6x32": (6, 32),
    "4x32": (4, 32),
    "4x13": (4, 13),
    "1x1": (1, 1),
    "?x32": (4, 32),
    "6x?": (6, 13),
    "?x?": (4, 13),
}
"""Valid regions of a tile of 6x32, as its type writes them and as they are."""

ROW_INDEX = {
    "line": ("1x8xI, valid=1xR", "1xRxI"),
    "column": ("8x1xI, valid=Rx1, blayout=col_major", "Rx1xI, dn"),
    "first of two columns": ("8x2xI, valid=Rx1, blayout=col_major", "Rx1xI, dn"),
    "first of eight columns": ("6x8xI, valid=Rx1", "Rx1xI"),
}
"""Tile and memory of R row indices."""


@dataclass(frozen=True)
class Table:
    """A table of 11 rows, unless it says otherwise: its argument, what makes `%table` of it, and where it is."""

    argument: str
    shape: tuple[int, ...] = (11, 33)
    stride: int = 33
    first: int = 0
    made: str = ""
    type: str = ""

    def where(self, row: bool) -> tuple[int, int]:
        """Capacity (D15) and the elements from one entry to the next (D16)."""
        rank5 = (1,) * (5 - len(self.shape)) + self.shape
        return (rank5[3], self.stride) if row else (prod(rank5), 1)


VIEW, PART = "!pto.tensor_view<?x33xT>", "!pto.partition_tensor_view<?x33xT>"
TABLES = {
    "packed": Table("!pto.memref<11x33xT>"),
    "padded": Table("!pto.memref<11x33xT, strides=[40, 1]>", stride=40),
    "of one row": Table("!pto.memref<1x33xT>", (1, 33)),
    "of one dimension": Table("!pto.memref<77xT>", (77,)),
    "of three dimensions": Table("!pto.memref<1x11x33xT>", (1, 11, 33)),
    "view of constants": Table(
        "!pto.ptr<T>",
        made="%table = pto.make_tensor_view %t, shape = [%c11, %c33], strides = [%c40, %c1] : !pto.tensor_view<?x?xT>",
        type="!pto.tensor_view<?x?xT>",
        stride=40,
    ),
    "view of arguments": Table(
        "!pto.ptr<T>",
        made=f"%table = pto.make_tensor_view %t, shape = [%rows, %c33], strides = [%stride, %c1] : {VIEW}",
        type=VIEW,
        stride=40,
    ),
    "part": Table(
        "!pto.memref<13x40xT>",
        made=f"%table = pto.partition_view %t, offsets = [%c1, %c3], sizes = [%rows, %c33] : !pto.memref<13x40xT> -> {PART}",
        type=PART,
        stride=40,
        first=43,
    ),
    "part of a part": Table(
        "!pto.ptr<T>",
        made=f"%whole = pto.make_tensor_view %t, shape = [%c13, %c33], strides = [%stride, %c1] : {VIEW}\n"
        f"  %some = pto.partition_view %whole, offsets = [%c1, %c0], sizes = [%c12, %c33] : {VIEW} -> {PART}\n"
        f"  %table = pto.partition_view %some, offsets = [%c1, %c0], sizes = [%rows, %c33] : {PART} -> {PART}",
        type=PART,
        stride=40,
        first=80,
    ),
}


def every_gather() -> list[tuple[str, ...]]:
    """All modes with all tables and index types; the rest differs from one to the next."""
    choose = Random(0).choice
    return [
        (mode, oob, index, table, choose(list(VALID)), choose(TYPES[:9]), choose(list(ROW_INDEX)))
        for mode, oob, index, table in product(
            ("row", "elem"), ("", "undefined", "clamp", "wrap", "zero"), ("i32", "ui32"), TABLES
        )
        if mode == "row" or oob not in ("", "undefined")
    ]


def program(
    mode: str, oob: str, index: str, table: Table, valid: str, element: str, row_index: str
) -> tuple[str, tuple[int, ...]]:
    """A gather into a part of a tile that is written already; and the shape of the indices' memory."""
    rows, cols = VALID[valid]
    extents = valid.split("x")
    opened = (
        f"{' valid_row = %n' if extents[0] == '?' else ''}{' valid_col = %m' if extents[1] == '?' else ''}"
    )
    whole, tile = f"!pto.tile_buf<vec, 6x32x{element}>", f"!pto.tile_buf<vec, 6x32x{element}, valid={valid}>"
    if opened:
        made = f"%d = pto.alloc_tile{opened} : {tile}"
        part = f"!pto.partition_tensor_view<?x?x{element}>"
        stored = f"""%part = pto.partition_view %out, offsets = [%c0, %c0], sizes = [%n, %m] : !pto.memref<6x32x{element}> -> {part}
  pto.tstore ins(%d : {tile}) outs(%part : {part})"""
    else:
        made = f"""%w = pto.alloc_tile : {whole}
  pto.tload ins(%out : !pto.memref<6x32x{element}>) outs(%w : {whole})
  %d = pto.subview %w[%c0, %c0] sizes [6, 32] : {whole} -> {tile}"""
        stored = f"pto.tstore ins(%w : {whole}) outs(%out : !pto.memref<6x32x{element}>)"
    if mode == "row":
        index_tile, memory = (
            text.replace("R", str(rows)).replace("I", index) for text in ROW_INDEX[row_index]
        )
        opened, shape = "", (1, rows) if row_index == "line" else (rows, 1)
    else:
        index_tile, memory, shape = f"6x32x{index}, valid={valid}", f"{rows}x{cols}x{index}", (rows, cols)
    index_tile, memory = f"!pto.tile_buf<vec, {index_tile}>", f"!pto.memref<{memory}>"
    argument, made_table, type = (
        text.replace("T>", f"{element}>").replace("T,", f"{element},")
        for text in (table.argument, table.made, table.type or table.argument)
    )
    modes = f"coalesce = #pto<coalesce {mode}>" + (oob and f", gatherOob = #pto<gather_oob {oob}>")
    name = "%t" if made_table else "%table"
    text = f"""
func.func @f({name}: {argument}, %idx: {memory}, %out: !pto.memref<6x32x{element}>, %rows: index, %stride: index, %n: index, %m: index) {{
{constants(0, 1, 3, 11, 12, 13, 33, 40)}
  {made_table}
  {made}
  %i = pto.alloc_tile{opened} : {index_tile}
  pto.tload ins(%idx : {memory}) outs(%i : {index_tile})
  pto.mgather ins(%table, %i : {type}, {index_tile}) outs(%d : {tile}) {{{modes}}}
  {stored}
  return
}}
"""
    return text, shape


def indices(rng: np.random.Generator, shape: tuple[int, ...], capacity: int, oob: str) -> np.ndarray:
    """As 32 unsigned bits: inside, and where a mode says what happens, outside and far outside too."""
    inside = rng.integers(0, capacity, shape)
    if oob in ("", "undefined"):
        return inside
    near = [
        capacity - 1,
        capacity,
        capacity + 1,
        2 * capacity,
        0,
        -1,
        -capacity,
        -capacity - 1,
        2**31 - 1,
        -(2**31),
    ]
    return np.where(rng.random(shape) < 0.3, inside, rng.choice(near, shape)) % 2**32


@pytest.mark.parametrize(("mode", "oob", "index", "table", "valid", "element", "row_index"), every_gather())
def test_legalized_gather_equals_the_devices(
    mode: str, oob: str, index: str, table: str, valid: str, element: str, row_index: str
) -> None:
    """Row: `dst[r, c] = table[idx[r], c]`; Elem: `dst[r, c] = table[idx[r, c]]`; only in the valid region (D14)."""
    given, (rows, cols) = TABLES[table], VALID[valid]
    rng = np.random.default_rng([ord(letter) for letter in mode + oob + index + table])
    capacity, stride = given.where(mode == "row")
    text, shape = program(mode, oob, index, given, valid, element, row_index)
    memory = bits_array(rng, (13 * 40 if given.stride == 40 else prod(given.shape),), element)
    chosen = indices(rng, shape, capacity, oob)
    out = bits_array(rng, (6, 32), element)
    expected = raw(out).copy()

    module = ptoas.parse(text)
    if "ui" not in index + element:  # xDSL's arith has no unsigned types, PTO's scalars have
        prepare(module, "cpu", legalize=True, until="legalize-cpu").verify()
    idx = chosen.astype(np.uint32).view(np.int32 if index == "i32" else np.uint32)
    arguments = {"t" if given.made else "table": memory, "idx": idx, "out": out}
    sizes = {"rows": 11, "stride": 40, "n": rows, "m": cols}
    run(module, {**arguments, **sizes}, "cpu", legalize=True)

    where, inside = remapped(chosen, capacity, oob)
    if mode == "row":
        where, inside = where.reshape(-1, 1) * stride + np.arange(cols), inside.reshape(-1, 1)
    found = raw(memory).reshape(-1)[given.first + where]
    expected[:rows, :cols] = np.where(inside, found, 0)
    assert np.array_equal(raw(out), expected)


@pytest.mark.parametrize("shape", ["1x8xi32, valid=1x4", "8x1xi32, valid=4x1", "1x8xu32, valid=1x4"])
@pytest.mark.parametrize("mode", ["", ".clamp", ".wrap", ".skip", ".atomic_add", ".last"])
def test_a_scatter_of_rows_becomes_one_of_elements(mode: str, shape: str) -> None:
    """On cpu as on A5; an index is 32 unsigned bits (D12), and the last writer of a row wins."""
    table, src = "!pto.memref<6x8xf32>", "!pto.tile<4x8xf32>"
    text = f""".arg %t : {table}
.arg %s : {src}
.arg %i : !pto.tile<{shape}>
mscatter.row{mode} %s, %i, %t : ({src}, !pto.tile<{shape}>, {table})
"""
    inside = mode in ("", ".atomic_add", ".last")
    chosen = [3, 1, 3, 0] if inside else [3, 1, 7, -1]
    indices = np.array(chosen, np.int64).astype(np.uint32 if "u32" in shape else np.int32)
    found: list[np.ndarray] = []
    for target in ("cpu", "a5"):
        memory = np.full((6, 8), 100, np.float32)
        data = np.arange(1, 33, dtype=np.float32).reshape(4, 8)
        index = indices.reshape((4, 1) if "8x1" in shape else (1, 4))
        ptoas.run(ptoas.parse(text), {"t": memory, "s": data, "i": index}, target, legalize=True)
        found.append(memory)
    assert np.array_equal(*found)
    assert not np.array_equal(found[0], np.full((6, 8), 100))


def test_legalize_rejects_unsupported_scatters() -> None:
    padded = "!pto.memref<6x8xf32, nd, strides=[16, 1]>"
    text = f""".arg %t : {padded}
.arg %s : !pto.tile<4x8xf32>
.arg %i : !pto.tile<1x8xi32, valid=1x4>
mscatter.row.skip %s, %i, %t : (!pto.tile<4x8xf32>, !pto.tile<1x8xi32, valid=1x4>, {padded})
"""
    with pytest.raises(ptoas.PtoasError, match=r"PTO-L008.*`skip` can be rewritten for cpu where the table"):
        ptoas.lower(ptoas.parse(text), "cpu", legalize=True)
    assert "MSCATTER<Coalesce::Elem>" in ptoas.lower(
        ptoas.parse(text.replace(".skip", "")), "cpu", legalize=True
    )
