"""Kernels of the make-up of public ones: DPS text in which types dominate, some 180 characters a line.

Each kernel is a chain of stages over tiles: load, compute, gather, store, inside a loop over blocks. A seed
gives a text of its own, with other names, extents and constants: nothing seen before helps to read it.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """A tile's element type and extents, and the names of the constants that say them."""

    dtype: str
    rows: int
    cols: int

    @property
    def tile(self) -> str:
        blayout, rows = "row_major", self.rows
        if self.cols == 1:
            # A column is a multiple of 32 bytes.
            blayout, rows = "col_major", -(-self.rows // 16) * 16
        return (
            f"!pto.tile_buf<loc=vec, dtype={self.dtype}, rows={rows}, cols={self.cols}, "
            f"v_row={self.rows}, v_col={self.cols}, blayout={blayout}, slayout=none_box, fractal=512, pad=0>"
        )

    @property
    def part(self) -> str:
        return f"!pto.partition_tensor_view<{self.rows}x{self.cols}x{self.dtype}>"

    @property
    def view(self) -> str:
        return f"!pto.tensor_view<?x?x{self.dtype}>"

    def like(self, *, dtype: str | None = None, cols: int | None = None) -> Shape:
        return Shape(dtype or self.dtype, self.rows, cols or self.cols)


class Kernel:
    """One function under way: its constants, its body, its names."""

    def __init__(self, seed: int, number: int):
        self.random = random.Random(f"{seed}/{number}")
        # A file has few shapes: some ten types at 10 KB, a few dozen in the largest.
        shapes = random.Random(f"{seed}/shapes")
        self.shapes = [
            Shape(shapes.choice(("f32", "f16")), 8 * shapes.randrange(1, 17), 16 * shapes.randrange(1, 17))
            for _ in range(4 + number // 2)
        ]
        self.number = number
        self.constants: dict[str, str] = {}
        self.body: list[str] = []
        self.names = 0
        self.address = 0

    def const(self, value: int | float, type: str = "index") -> str:
        name = f"c{value}_{type}".replace(".", "_")
        self.constants.setdefault(name, f"%{name} = arith.constant {value} : {type}")
        return f"%{name}"

    def name(self, stem: str) -> str:
        self.names += 1
        return f"%{stem}_{self.number}_{self.names}"

    def put(self, line: str) -> None:
        self.body.append(f"      {line}")

    def alloc(self, shape: Shape) -> str:
        tile = self.name("tile")
        # The largest tile has 128 KB, and 216 KB are to be had beside mgather.
        self.address = (self.address + self.random.randrange(1, 5) * 2048) % (88 * 1024)
        self.put(f"{tile} = pto.alloc_tile addr = {self.const(self.address, 'i64')} : {shape.tile}")
        return tile

    def apply(self, mnemonic: str, shape: Shape, *inputs: tuple[str, str], attributes: str = "") -> str:
        out = self.alloc(shape)
        names = ", ".join(name for name, _ in inputs)
        types = ", ".join(type for _, type in inputs)
        self.put(f"pto.{mnemonic} ins({names} : {types}) outs({out} : {shape.tile}){attributes}")
        return out

    def part(self, view: str, shape: Shape) -> str:
        row, part = self.name("row"), self.name("pview")
        self.put(f"{row} = arith.muli %block, {self.const(shape.rows)} : index")
        self.put(
            f"{part} = pto.partition_view {view}, offsets = [{row}, {self.const(0)}], "
            f"sizes = [{self.const(shape.rows)}, {self.const(shape.cols)}] : {shape.view} -> {shape.part}"
        )
        return part

    def stage(self) -> None:
        """Load two tiles, compute on them, gather a third, store the result."""
        pick = self.random
        shape = pick.choice(self.shapes)
        view = self.name("view")
        source = "%arg0" if shape.dtype == "f32" else "%arg1"
        rows, cols, one = self.const(shape.rows * 64), self.const(shape.cols), self.const(1)
        self.put(
            f"{view} = pto.make_tensor_view {source}, shape = [{rows}, {cols}], strides = [{cols}, {one}] "
            f"{{layout = #pto.layout<nd>}}: {shape.view}"
        )
        left, right = (self.load(view, shape) for _ in range(2))
        tile = (left, shape.tile)
        for _ in range(pick.randrange(2, 6)):
            mnemonic = pick.choice(("tadd", "tsub", "tmul", "tmax", "texp", "tabs", "tmuls", "tadds", "tcvt"))
            match mnemonic:
                case "texp" | "tabs":
                    tile = (self.apply(mnemonic, shape, tile), shape.tile)
                case "tmuls" | "tadds":
                    factor = (self.const(pick.randrange(1, 64) / 8, shape.dtype), shape.dtype)
                    tile = (self.apply(mnemonic, shape, tile, factor), shape.tile)
                case "tcvt":
                    shape = shape.like(dtype="f16" if shape.dtype == "f32" else "f32")
                    rounding = " {rmode = #pto<round_mode RINT>}"
                    tile = (self.apply("tcvt", shape, tile, attributes=rounding), shape.tile)
                    right = self.apply("tcvt", shape, (right, shape.like(dtype=tile_dtype(shape)).tile))
                case _:
                    tile = (self.apply(mnemonic, shape, tile, (right, shape.tile)), shape.tile)
        column = shape.like(cols=1)
        scratch = (self.alloc(shape), shape.tile)
        maximum = (self.apply("trowmax", column, tile, scratch), column.tile)
        spread = (self.apply("trowexpand", shape, maximum), shape.tile)
        tile = (self.apply("tsub", shape, tile, spread), shape.tile)
        index = Shape("i32", 1, shape.rows)
        start = (self.const(pick.randrange(64), "i32"), "i32")
        indices = (self.apply("tci", index, start), index.tile)
        table = self.make_table(shape)
        bounds = pick.choice(("clamp", "zero"))
        modes = f" {{coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob {bounds}>}}"
        gathered = (self.apply("mgather", shape, (table, shape.part), indices, attributes=modes), shape.tile)
        tile = (self.apply("tadd", shape, tile, gathered), shape.tile)
        out = self.part(self.make_view(shape), shape)
        self.put(f"pto.tstore ins({tile[0]} : {shape.tile}) outs({out} : {shape.part})")

    def make_view(self, shape: Shape) -> str:
        view = self.name("view")
        cols = self.const(shape.cols)
        self.put(
            f"{view} = pto.make_tensor_view %arg{2 if shape.dtype == 'f32' else 3}, "
            f"shape = [{self.const(shape.rows * 64)}, {cols}], strides = [{cols}, {self.const(1)}] "
            f"{{layout = #pto.layout<nd>}}: {shape.view}"
        )
        return view

    def make_table(self, shape: Shape) -> str:
        return self.part(self.make_view(shape), shape)

    def load(self, view: str, shape: Shape) -> str:
        part, tile = self.part(view, shape), self.alloc(shape)
        self.put(f"pto.tload ins({part} : {shape.part}) outs({tile} : {shape.tile})")
        return tile

    def lines(self, budget: int) -> list[str]:
        """The function in about `budget` characters: the statements that fit, and the constants they use."""
        zero, one, count = self.const(0), self.const(1), self.const(64)
        arguments = "%arg0: !pto.ptr<f32>, %arg1: !pto.ptr<f16>, %arg2: !pto.ptr<f32>, %arg3: !pto.ptr<f16>"
        head = (
            f"  func.func @kernel_{self.number}({arguments}, %arg4: index) "
            "attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {"
        )
        loop = f"    scf.for %block = {zero} to {count} step {one} {{"
        while sum(map(len, self.body)) < budget:
            self.stage()
        size, kept = 300, 0
        while size < budget:
            size += len(self.body[kept]) + 15
            kept += 1
        body = self.body[:kept]
        used = set(re.findall(r"%(c\w+)", "\n".join([loop, *body])))
        constants = [f"    {line}" for name, line in self.constants.items() if name in used]
        return [head, *constants, loop, *body, "    }", "    return", "  }"]


def tile_dtype(shape: Shape) -> str:
    """The type of a tile before it was converted to `shape`."""
    return "f16" if shape.dtype == "f32" else "f32"


def program(size: int, seed: int = 0) -> str:
    """A module of about `size` bytes: functions of up to 12 KB."""
    lines = ['module attributes {pto.target_arch = "a5"} {']
    total, number = 0, 0
    while total < size * 0.95:
        text = Kernel(seed, number).lines(min(12_000, size - total))
        lines += text
        total += sum(len(line) + 1 for line in text)
        number += 1
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    import sys

    sys.stdout.write(program(int(sys.argv[1]) if len(sys.argv) > 1 else 11_000, seed=1))
