"""Facts about the values of a small function, by their names."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ptoas.analysis.knowledge import Knowledge, ViewFacts
from ptoas.grammar.parse import parse

HEAD = "func.func @f(%p: !pto.ptr<f32>, %n: index, %go: i1, %x: !pto.memref<4x64x32xf32>) {\n"
CONSTANTS = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in (0, 1, 2, 4, 8, 16, 32, 40, 64))


class Known:
    """The values of a function by their names, and what is known of them."""

    def __init__(self, *lines: str):
        module = parse(HEAD + CONSTANTS + "\n".join(lines) + "\nreturn\n}")
        blocks = [block for op in module.walk() for region in op.regions for block in region.blocks]
        values = [arg for block in blocks for arg in block.args]
        values += [result for op in module.walk() for result in op.results]
        self.values = {value.name_hint: value for value in values}
        self.module = module
        self.knowledge = Knowledge()

    def __getitem__(self, name: str) -> SSAValue:
        return self.values[name]

    def valid(self, name: str) -> tuple[int, int]:
        return self.knowledge.tile(self[name]).valid

    def view(self, name: str) -> ViewFacts:
        return self.knowledge.view(self[name])

    def window(self, name: str) -> tuple[str | None, int | None, int | None]:
        found = self.knowledge.window(self[name])
        return found.root.name_hint, found.first, found.last


def make(name: str, shape: str, strides: str, type: str, attrs: str = "") -> str:
    values = (", ".join(f"%{word}" for word in words.split()) for words in (shape, strides))
    shapes = "shape = [{}], strides = [{}]".format(*values)
    return f"%{name} = pto.make_tensor_view %p, {shapes}{attrs} : !pto.tensor_view<{type}>"


def part(name: str, source: str, offsets: str, sizes: str, types: str) -> str:
    where, size = (", ".join(f"%{word}" for word in words.split()) for words in (offsets, sizes))
    return f"%{name} = pto.partition_view %{source}, offsets = [{where}], sizes = [{size}] : {types}"
