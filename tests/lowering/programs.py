"""Random programs for the tests of lowering: loads, stores, arithmetic and gathers in loops and branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

F32 = "!pto.tile_buf<vec, 16x16xf32>"
I32 = "!pto.tile_buf<vec, 16x16xi32>"
VF32 = "!pto.tensor_view<16x16xf32>"
VI32 = "!pto.tensor_view<16x16xi32>"

FLOATS = ("a", "b", "c")
"""Float arguments of every program; `idx` is the one of integers."""


KINDS = ("load", "load", "store", "store", "add", "adds", "gather", "index", "tgather")


@dataclass
class Writer:
    lines: list[str] = field(default_factory=list)
    depth: int = 2

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)


def head(name: str, tiles: int) -> Writer:
    writer = Writer()
    w = writer.line
    writer.depth = 1
    w(f"func.func @{name}(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %c: !pto.ptr<f32>, %idx: !pto.ptr<i32>,")
    w("    %n: index, %flag: i1) {")
    writer.depth = 2
    for value in (0, 1, 3, 16):
        w(f"%c{value} = arith.constant {value} : index")
    w("%two = arith.constant 2.0 : f32")
    for pointer in FLOATS:
        extents = "shape = [%c16, %c16], strides = [%c16, %c1]"
        w(f"%v{pointer} = pto.make_tensor_view %{pointer}, {extents} : {VF32}")
    w(f"%vidx = pto.make_tensor_view %idx, shape = [%c16, %c16], strides = [%c16, %c1] : {VI32}")
    for tile in range(tiles):
        w(f"%t{tile} = pto.alloc_tile : {F32}")
    w(f"%i = pto.alloc_tile : {I32}")
    return writer


def instruction(random: Random, tiles: int) -> str:
    def tile() -> str:
        return f"%t{random.randrange(tiles)}"

    def view() -> str:
        return f"%v{random.choice(FLOATS)}"

    kind = random.choice(KINDS)
    match kind:
        case "load":
            return f"pto.tload ins({view()} : {VF32}) outs({tile()} : {F32})"
        case "store":
            return f"pto.tstore ins({tile()} : {F32}) outs({view()} : {VF32})"
        case "add":
            return f"pto.tadd ins({tile()}, {tile()} : {F32}, {F32}) outs({tile()} : {F32})"
        case "adds":
            return f"pto.tadds ins({tile()}, %two : {F32}, f32) outs({tile()} : {F32})"
        case "gather":
            return (
                f"pto.mgather ins({view()}, %i : {VF32}, {I32}) outs({tile()} : {F32}) "
                "{coalesce = #pto<coalesce elem>}"
            )
        case "tgather":
            first = random.randrange(tiles)
            second = (first + random.randint(1, tiles - 1)) % tiles
            return f"pto.tgather ins(%t{first}, %i : {F32}, {I32}) outs(%t{second} : {F32})"
        case _:
            return f"pto.tload ins(%vidx : {VI32}) outs(%i : {I32})"


def program(
    random: Random,
    name: str = "kernel",
    max_ops: int = 8,
    control: bool = True,
    initialised: bool = False,
    forms: tuple[str, ...] = ("for", "if"),
) -> str:
    """A module of one function. `initialised`: every tile is loaded first, so that the program can run.
    `forms`: what it is made of besides instructions."""
    tiles = random.randint(2, 4)
    writer = head(name, tiles)
    if initialised:
        writer.line(f"pto.tload ins(%vidx : {VI32}) outs(%i : {I32})")
        for tile in range(tiles):
            writer.line(f"pto.tload ins(%v{FLOATS[tile % 3]} : {VF32}) outs(%t{tile} : {F32})")
    _body(random, writer, tiles, max_ops, 2 if control else 0, forms)
    if initialised:
        for tile in range(tiles):
            writer.line(f"pto.tstore ins(%t{tile} : {F32}) outs(%v{FLOATS[tile % 3]} : {VF32})")
    writer.line("return")
    return "\n".join(["module {", *writer.lines, "  }", "}"])


ALL_FORMS = ("for", "if", "while", "idle", "once", "barrier")
"""`idle`: a loop that certainly has no turn; `once`: one that certainly has some."""

BOUNDS = {"idle": ("%c3 to %c3", "%c3 to %c1"), "once": ("%c0 to %c1", "%c1 to %c3")}


def _body(
    random: Random, writer: Writer, tiles: int, max_ops: int, depth: int, forms: tuple[str, ...]
) -> None:
    def inside(most: int) -> None:
        writer.depth += 1
        _body(random, writer, tiles, most, depth - 1, forms)
        writer.depth -= 1

    for _ in range(random.randint(1, max_ops)):
        kind = random.choice(("op",) * 2 * len(forms) + forms) if depth else "op"
        match kind:
            case "op":
                writer.line(instruction(random, tiles))
            case "for":
                bound = random.choice(("%n", "%c3"))
                writer.line(f"scf.for %k{len(writer.lines)} = %c0 to {bound} step %c1 {{")
                inside(4)
                writer.line("}")
            case "idle" | "once":
                writer.line(f"scf.for %k{len(writer.lines)} = {random.choice(BOUNDS[kind])} step %c1 {{")
                inside(4)
                writer.line("}")
            case "while":
                writer.line("scf.while : () -> () {")
                inside(3)
                writer.line("  scf.condition(%flag)")
                writer.line("} do {")
                inside(3)
                writer.line("  scf.yield")
                writer.line("}")
            case "barrier":
                writer.line("pto.barrier #pto.pipe<PIPE_ALL>")
            case _:
                writer.line("scf.if %flag {")
                inside(4)
                if random.random() < 0.5:
                    writer.line("} else {")
                    inside(3)
                writer.line("}")
