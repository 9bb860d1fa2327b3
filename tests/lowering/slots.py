"""Random programs with loops that take turns between tiles: `multi_tile_get`, `select`, branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from .programs import F32, FLOATS, VF32, Writer, head

PLAIN = 2
"""Tiles that are the same in every iteration."""
ROWS = 512
"""Rows of the arguments, of which most accesses only touch sixteen."""
LONG = f"!pto.tensor_view<{ROWS}x16xf32>"
PART = "!pto.partition_tensor_view<16x16xf32>"


@dataclass
class SlotWriter:
    random: Random
    out: Writer
    periods: list[int]
    """The number of tiles of each multi tile."""
    loops: list[str] = field(default_factory=list[str])

    def name(self, stem: str) -> str:
        return f"%{stem}{len(self.out.lines)}"

    def constant(self, value: int) -> str:
        name = self.name("k")
        self.out.line(f"{name} = arith.constant {value} : index")
        return name

    def op(self, stem: str, text: str) -> str:
        name = self.name(stem)
        self.out.line(f"{name} = {text}")
        return name

    def remainder(self, period: int) -> str:
        """The number of an iteration, some iterations later, by a period."""
        at = self.random.choice(self.loops[-2:])
        if self.random.random() < 0.6:
            at = self.op("later", f"arith.addi {at}, {self.constant(self.random.randrange(4))} : index")
        kind = self.random.choice(("remui", "remsi"))
        return self.op("slot", f"arith.{kind} {at}, {self.constant(period)} : index")

    def tile(self) -> str:
        kind = self.random.random()
        if not self.loops or kind < 0.2:
            return f"%t{self.random.randrange(PLAIN + 2)}"
        if kind < 0.35:
            bit = self.remainder(2)
            odd = self.op("odd", f"arith.cmpi eq, {bit}, {self.constant(1)} : index")
            return self.op("either", f"arith.select {odd}, %t{PLAIN}, %t{PLAIN + 1} : {F32}")
        at = self.random.randrange(len(self.periods))
        return self.get(at, self.remainder(self.periods[at]))

    def get(self, at: int, slot: str) -> str:
        multi = f"!pto.multi_tile_buf<vec, 16x16xf32, count={self.periods[at]}>"
        return self.op("got", f"pto.multi_tile_get %m{at}[{slot}] : {multi} -> {F32}")

    def statements(self, depth: int, most: int) -> None:
        for _ in range(self.random.randint(1, most)):
            kind = self.random.random()
            if depth and kind < 0.25:
                self.loop(depth)
            elif depth and self.loops and kind < 0.45:
                self.branch(depth)
            else:
                self.instruction()

    def view(self) -> tuple[str, str]:
        """A view and its type: the same in each iteration, or one that moves on."""
        if not self.loops or self.random.random() < 0.5:
            return f"%v{self.random.choice(FLOATS)}", VF32
        factor = self.constant(self.random.choice((0, 4, 8, 16, 24)))
        at = self.op("row", f"arith.muli {self.random.choice(self.loops[-2:])}, {factor} : index")
        at = self.op("row", f"arith.addi {at}, {self.constant(self.random.choice((0, 8, 16)))} : index")
        extents = f"offsets = [{at}, %c0], sizes = [%c16, %c16]"
        whole = f"%long{self.random.choice(FLOATS)}"
        return self.op("part", f"pto.partition_view {whole}, {extents} : {LONG} -> {PART}"), PART

    def instruction(self) -> None:
        match self.random.choice(("load", "load", "store", "store", "adds", "add")):
            case "load":
                view, type = self.view()
                self.out.line(f"pto.tload ins({view} : {type}) outs({self.tile()} : {F32})")
            case "store":
                view, type = self.view()
                self.out.line(f"pto.tstore ins({self.tile()} : {F32}) outs({view} : {type})")
            case "adds":
                self.out.line(f"pto.tadds ins({self.tile()}, %two : {F32}, f32) outs({self.tile()} : {F32})")
            case _:
                tiles = [self.tile() for _ in range(3)]
                self.out.line(f"pto.tadd ins({tiles[0]}, {tiles[1]} : {F32}, {F32}) outs({tiles[2]} : {F32})")

    def loop(self, depth: int) -> None:
        lower = self.constant(self.random.choice((0, 0, 0, 1, 3)))
        if self.random.random() < 0.2:
            lower = "%low"
        step = self.constant(self.random.choice((1, 1, 1, 2, 3)))
        upper = self.op("upper", f"arith.addi {lower}, %n : index")
        name = self.name("i")
        self.out.line(f"scf.for {name} = {lower} to {upper} step {step} {{")
        self.loops.append(name)
        self.statements(depth - 1, 5)
        self.loops.pop()
        self.out.line("}")

    def branch(self, depth: int) -> None:
        period = self.random.choice((2, 2, 3))
        number = self.constant(self.random.randrange(period))
        condition = self.op(
            "turn",
            f"arith.cmpi {self.random.choice(('eq', 'ne'))}, {self.remainder(period)}, {number} : index",
        )
        self.out.line(f"scf.if {condition} {{")
        self.statements(depth - 1, 3)
        if self.random.random() < 0.6:
            self.out.line("} else {")
            self.statements(depth - 1, 3)
        self.out.line("}")


def slot_program(random: Random) -> str:
    """A program of one to three loops; every tile is loaded first, and stored at the end."""
    out = head("kernel", PLAIN + 2)
    out.lines = [line.replace("%flag: i1", "%low: index") for line in out.lines]
    out.line(f"%rows = arith.constant {ROWS} : index")
    for pointer in FLOATS:
        extents = "shape = [%rows, %c16], strides = [%c16, %c1]"
        out.line(f"%long{pointer} = pto.make_tensor_view %{pointer}, {extents} : {LONG}")
    writer = SlotWriter(random, out, [random.choice((2, 2, 3, 4)) for _ in range(random.randint(1, 2))])
    tiles = [f"%t{at}" for at in range(PLAIN + 2)]
    for at, period in enumerate(writer.periods):
        multi = f"!pto.multi_tile_buf<vec, 16x16xf32, count={period}>"
        out.line(f"%m{at} = pto.alloc_multi_tile : {multi}")
        tiles += [writer.get(at, writer.constant(slot)) for slot in range(period)]
    for at, tile in enumerate(tiles):
        out.line(f"pto.tload ins(%v{FLOATS[at % 3]} : {VF32}) outs({tile} : {F32})")
    for _ in range(random.randint(1, 2)):
        writer.loop(2)
    for at, tile in enumerate(tiles):
        out.line(f"pto.tstore ins({tile} : {F32}) outs(%v{FLOATS[at % 3]} : {VF32})")
    out.line("return")
    return "\n".join(["module {", *out.lines, "  }", "}"])
