"""Small functions, and what is known of them as a whole."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.knowledge import Knowledge
from ptoas.grammar.parse import parse

T = "!pto.tile_buf<vec, 16x32xf32>"
M = "!pto.memref<16x32xf32>"
BOXED = "!pto.tile_buf<mat, 64x64xf16, blayout=col_major, slayout=row_major>"
HEAD = f"func.func @f(%x: {M}, %arg: {T}, %n: index, %go: i1) {{\n"
CONSTANTS = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in (0, 1, 2, 4, 8))
FIRST = 5
"""Position of the first operation behind the constants."""


class Facts:
    """The facts of a function, and its values by their names."""

    def __init__(self, *lines: str):
        self.module = parse(HEAD + CONSTANTS + "\n".join(lines) + "\nreturn\n}")
        (func,) = [op for op in self.module.walk() if isinstance(op, FuncOp)]
        self.facts = FunctionFacts(func, Knowledge())
        blocks = [block for op in self.module.walk() for region in op.regions for block in region.blocks]
        values = [arg for block in blocks for arg in block.args]
        values += [result for op in self.module.walk() for result in op.results]
        self.values = {value.name_hint: value for value in values}

    def __getitem__(self, name: str) -> SSAValue:
        return self.values[name]

    def names(self, values: tuple[SSAValue, ...]) -> list[str | None]:
        return [value.name_hint for value in values]


def alloc(name: str, type: str = T, addr: str = "") -> str:
    return f"%{name} = pto.alloc_tile{' addr = ' + addr if addr else ''} : {type}"


def load(name: str) -> str:
    return f"pto.tload ins(%x : {M}) outs(%{name} : {T})"


def store(name: str) -> str:
    return f"pto.tstore ins(%{name} : {T}) outs(%x : {M})"


def window(name: str, source: str, row: str, col: str, rows: int, cols: int, type: str = T) -> str:
    result = f"!pto.tile_buf<vec, {rows}x{cols}xf32>"
    return f"%{name} = pto.subview %{source}[{row}, {col}] sizes [{rows}, {cols}] : {type} -> {result}"


@cache
def two_tiles() -> tuple[SSAValue, SSAValue]:
    found = Facts(alloc("a"), alloc("b"))
    return found["a"], found["b"]
