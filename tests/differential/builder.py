"""Writes one program: its text in one of the forms, its arguments, and what is alive where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from ptoas.dialects.pto.element_types import ElementType
from ptoas.targets import get_target

from .types import types_of
from .values import (
    Argument,
    Range,
    Tile,
    TileKind,
    View,
    anything,
    extent,
    numbers,
    packed,
    shape_text,
)

LIMIT = 96 * 1024
"""Bytes that tiles placed by hand may take; every target has more."""


MY_RANK = "my_rank"
"""The argument that tells a rank which one it is; it stands first."""

Start = Range | Callable[[int], np.ndarray] | None
"""Initial memory: numbers with a property, or a function of their count."""


@dataclass
class Program:
    """A program with everything that is needed to run it; a function of `seed` alone."""

    seed: int
    name: str
    text: str
    target: str
    arguments: dict[str, Any]
    legalize: bool = False
    aicore: bool = False
    blocks: int = 1
    ranks: int = 1
    form: str = "dps"
    features: frozenset[tuple[str, ...]] = frozenset()
    """Features of the program: instructions with their types and layouts, modes, spellings."""
    has_cpp: bool = True
    """Not so with the compare form of tgather, or a conversion to hifloat8, which the headers only store."""

    def copies(self, rank: int = 0) -> dict[str, Any]:
        """Arguments of their own for one run, of one rank: each has the same numbers in other places."""
        found = {name: _copy(value, rank) for name, value in self.arguments.items()}
        return found if self.ranks == 1 else {**found, MY_RANK: rank}


def _copy(value: Any, rank: int) -> Any:
    if isinstance(value, list):
        return [_copy(each, 0) for each in value]  # a group: all see the same
    return np.roll(value, rank) if isinstance(value, np.ndarray) else value


@dataclass
class Style:
    """Style of the generated program."""

    form: str  # asm, ssa, dps or mixed
    bare: bool
    by_hand: bool
    flags: bool
    word: str
    spelling: int
    pointers: float
    """Frequency of pointers with their own view, instead of memrefs."""


@dataclass
class Scope:
    tiles: list[Tile] = field(default_factory=list[Tile])
    offsets: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """Loop counters that start at 0 and step by 1, and how often the loop runs."""


class Builder:
    """The state of a program while it is written."""

    def __init__(self, seed: int, target: str, style: Style, random: Random):
        self.seed, self.target_name, self.style, self.random = seed, target, style, random
        self.target = get_target(target)
        self.lines: list[str] = []
        self.indent = 0
        self.arguments: list[Argument] = []
        self.constants: dict[tuple[str, str], str] = {}
        self.scopes: list[Scope] = [Scope()]
        self.counter = 0
        self.address = 0
        self.legalize = False
        self.aicore = False
        self.blocks = 1
        self.ranks = 1
        self.has_cpp = True
        self.features: set[tuple[str, ...]] = {("form", style.form), ("spelling", str(style.spelling))}
        self.functions: list[str] = []
        """The text of functions that the program calls."""
        self.trips = 1
        """Maximum number of executions of the current place."""

    # --- randomness ---

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.random.randrange(len(options))]

    def types(self, *keys: str, where: Callable[[ElementType], bool] | None = None) -> list[ElementType]:
        """Element types that the target takes for every one of these instructions."""
        known = types_of(self.target, keys[0], self.aicore)
        found = [e for e in known if e.text != "f64" and e.kind != "pairs"]
        for key in keys[1:]:
            found = [e for e in found if e in types_of(self.target, key, self.aicore)]
        return [e for e in found if where is None or where(e)]

    # --- text ---

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"%{prefix}{self.counter}"

    def line(self, text: str) -> None:
        self.lines.append("  " * self.indent + text)

    def constant(self, value: int | float, type: str = "index") -> str:
        text = str(value) if isinstance(value, int) else repr(float(value))
        key = (text, type)
        if key not in self.constants:
            word = text.replace("-", "m").replace(".", "p").replace("+", "")
            suffix = "" if type == "index" else "_" + type.replace("!pto.", "")
            self.constants[key] = f"%c{word}{suffix}"
        return self.constants[key]

    def index(self, value: int) -> str:
        """An index value: mostly a constant, sometimes known only when the program runs."""
        kind = self.random.random()
        if kind < 0.6:
            return self.constant(value)
        if kind < 0.85:
            return self.number_argument(value)
        if value > 0 and kind < 0.93:
            base = self.number_argument(value - 1)
            name = self.fresh("n")
            self.line(f"{name} = arith.addi {base}, {self.constant(1)} : index")
            return name
        return self.constant(value)

    def number_argument(self, value: int) -> str:
        for argument in self.arguments:
            if argument.type == "index" and argument.value == value and self.chance(0.7):
                return argument.name
        return self.add_argument("n", "index", value).name

    def add_argument(self, prefix: str, type: str, value: Any, range: Range | None = None) -> Argument:
        argument = Argument(self.fresh(prefix), type, value, range)
        self.arguments.append(argument)
        return argument

    def be_ranks(self, ranks: int) -> None:
        """Several ranks run the program, each on memory of its own; what comes first."""
        self.ranks = ranks
        self.arguments.append(Argument(f"%{MY_RANK}", "i32", 0))

    @property
    def knows_its_rank(self) -> bool:
        """Functions that are called do not."""
        return self.ranks > 1 and self.arguments[:1] != [] and self.arguments[0].name == f"%{MY_RANK}"

    @contextmanager
    def nested(self, trips: int = 1, counter: str | None = None):
        """A region: what is defined in it ends with it."""
        self.scopes.append(Scope())
        self.indent += 1
        self.trips *= trips
        if counter is not None:
            self.scopes[-1].offsets.append((counter, trips))
        yield self.scopes[-1]
        self.trips //= max(trips, 1) if trips else 1
        self.indent -= 1
        self.scopes.pop()

    @contextmanager
    def function(self, name: str):
        """Another function: it sees nothing of this one; gives the list of its arguments, which grows."""
        outside = self.lines, self.indent, self.arguments, self.constants, self.scopes
        self.lines, self.indent, self.arguments, self.constants, self.scopes = [], 0, [], {}, [Scope()]
        yield self.arguments
        self.functions.append(self._function(name))
        self.lines, self.indent, self.arguments, self.constants, self.scopes = outside

    # --- types ---

    def type_text(self, kind: TileKind) -> str:
        e, style = kind.element.text, self.style
        valid = tuple("?" if o else n for o, n in zip(kind.open, kind.valid, strict=True))
        full = not any(kind.open) and kind.full
        default_layout = "col_major" if kind.cols == 1 and kind.rows > 1 else "row_major"
        usual = kind.blayout == default_layout and kind.slayout == "none_box" and kind.pad == "null"
        if style.spelling == 1 or (style.spelling == 3 and not full):
            pad = {"null": 0, "zero": 1, "max": 2, "min": 3}[kind.pad]
            return (
                f"!pto.{style.word}<loc={kind.loc}, dtype={e}, rows={kind.rows}, cols={kind.cols}, "
                f"v_row={valid[0]}, v_col={valid[1]}, blayout={kind.blayout}, slayout={kind.slayout}, "
                f"fractal={kind.fractal}, pad={pad}>"
            )
        if style.spelling == 3:
            return (
                f"!pto.{style.word}<{kind.loc}, {e}, {kind.rows}, {kind.cols}, {kind.blayout}, "
                f"{kind.slayout}, {kind.fractal}, {kind.pad}>"
            )
        if style.spelling == 2 and full and usual and kind.loc == "vec":
            return f"!pto.{style.word}<{kind.rows}x{kind.cols}x{e}>"
        parts = [kind.loc, f"{kind.rows}x{kind.cols}x{e}"]
        if not full:
            parts.append(f"valid={valid[0]}x{valid[1]}")
        if kind.blayout != default_layout:
            parts.append(f"blayout={kind.blayout}")
        if kind.slayout != "none_box":
            parts.append(f"slayout={kind.slayout}")
        if kind.fractal != 512:
            parts.append(f"fractal={kind.fractal}")
        if kind.pad != "null":
            parts.append(f"pad={kind.pad}")
        return f"!pto.{style.word}<{', '.join(parts)}>"

    # --- tiles ---

    @property
    def alive(self) -> list[Tile]:
        return [tile for scope in self.scopes for tile in scope.tiles]

    def keep(self, tile: Tile) -> Tile:
        tile.depth = len(self.scopes)
        self.scopes[-1].tiles.append(tile)
        return tile

    def allocate(self, kind: TileKind, range: Range, prefix: str = "t") -> Tile:
        """`alloc_tile`: a buffer, empty."""
        tile = Tile(self.fresh(prefix), kind, range)
        words = ""
        separate = False
        if self.style.by_hand:
            address = self.address
            self.address += -(-kind.bytes // 32) * 32
            separate = self.chance(0.3)
            if not separate:
                words += f" addr = {self.constant(address, 'i64')}"
        extents = list(zip(("row", "col"), kind.open, kind.valid, strict=True))
        words += "".join(f" valid_{word} = {self.index(n)}" for word, is_open, n in extents if is_open)
        type = self.type_text(kind)
        self.line(f"{tile.name} = pto.alloc_tile{words} : {type}")
        if separate:
            self.line(f"pto.tassign {tile.name}, @tile({hex(address)}) : {type}")
        return tile

    def kind(
        self,
        e: ElementType,
        valid: tuple[int, int] | None = None,
        layout: str = "nd",
        *,
        full: bool = False,
        open: bool = True,
        pads: bool = False,
        loc: str = "vec",
    ) -> TileKind:
        """A tile kind for a valid shape (or any), its contiguous dimension padded to 32 bytes."""
        width = 32 // e.size
        if layout == "nz":
            blocks = (self.pick((1, 2)), self.pick((1, 2)))
            rows, cols = (16 * blocks[0], width * blocks[1]) if valid is None else valid
            return TileKind(e, rows, cols, (rows, cols), blayout="col_major", slayout="row_major", loc=loc)
        if valid is None:
            valid = self.shape(e, layout, full)
        rows, cols = valid
        if layout == "nd":
            cols = -(-cols // width) * width
        else:
            rows = -(-rows // width) * width
        if not full and self.chance(0.2):
            rows, cols = (rows + 8, cols) if layout == "nd" else (rows, cols + 8)
        opened = (False, False)
        if open and not full and self.opens and self.chance(0.35):
            opened = self.pick(((True, False), (False, True), (True, True)))
        if layout == "nd" and cols == 1 and rows > 1:
            layout = "dn"
        blayout = "row_major" if layout == "nd" else "col_major"
        pad = (
            self.pick(("null", "zero", "max", "min")) if pads and e.size < 8 and self.chance(0.1) else "null"
        )
        return TileKind(e, rows, cols, valid, opened, blayout, loc=loc, pad=pad)

    @property
    def opens(self) -> bool:
        """Open extents need an allocation that gives them."""
        return self.style.form in ("dps", "mixed")

    def shape(self, e: ElementType, layout: str, full: bool) -> tuple[int, int]:
        width = 32 // e.size
        if full:
            long = width * self.pick((1, 1, 2))
            short = self.pick((1, 4, 8, 16))
        else:
            long = self.pick((1, 5, width, width, 2 * width - 3, 2 * width))
            short = self.pick((1, 3, 8, 8, 16))
        return (short, long) if layout == "nd" else (long, short)

    def find(
        self, kind: TileKind, want: Range, avoid: Sequence[Tile] = (), buffer: bool = False
    ) -> list[Tile]:
        """Tiles that are alive, of that kind, whose numbers are wanted ones."""
        return [
            tile
            for tile in self.alive
            if tile.kind == kind
            and want.holds(tile.range)
            and all(tile is not other for other in avoid)
            and (tile.buffer or not buffer)
        ]

    def source(
        self, kind: TileKind, want: Range, avoid: Sequence[Tile] = (), promise: Range | None = None
    ) -> Tile:
        """A tile to read: one that is there, or one that is loaded."""
        known = self.find(kind, want, avoid)
        if known and self.chance(0.75):
            return self.pick(known)
        return self.load(kind, promise or want)

    def destination(self, kind: TileKind, range: Range, avoid: Sequence[Tile] = ()) -> tuple[Tile, str]:
        """A tile to write, and the form to write it in."""
        form = self.form_for(kind)
        if form == "dps":
            known = [t for t in self.alive if t.kind == kind and t.buffer and t.range.holds(range)]
            known = [t for t in known if all(t is not other for other in avoid)]
            if known and self.chance(0.35):
                return self.pick(known), form
            return self.keep(self.allocate(kind, range)), form
        return self.keep(Tile(self.fresh("t"), kind, range, buffer=False)), form

    def form_for(self, kind: TileKind) -> str:
        form = self.style.form
        if form == "mixed":
            form = self.pick(("ssa", "dps", "asm"))
        if any(kind.open) or self.style.by_hand:
            form = "dps"
        return form

    # --- instructions ---

    def instruct(
        self,
        op: str,
        sources: Sequence[tuple[str, str]],
        kind: TileKind,
        range: Range,
        *,
        modes: Sequence[tuple[str, str, str]] = (),
        fields: Sequence[str] = (),
        avoid: Sequence[Tile] = (),
        into: Tile | None = None,
    ) -> Tile:
        """An instruction that makes a tile. `modes`: field, enumeration and value of suffixes."""
        if into is None:
            tile, form = self.destination(kind, range, avoid)
        else:
            tile, form = into, "dps"
        self.record(op, kind, modes, fields)
        opcode, attributes = self.spelled(op, modes, fields, form)
        names = ", ".join(name for name, _ in sources)
        types = ", ".join(type for _, type in sources)
        own = self.type_text(kind)
        if form == "dps":
            self.line(f"pto.{opcode} ins({names} : {types}) outs({tile.name} : {own}){attributes}")
        elif form == "ssa":
            self.line(f"{tile.name} = pto.{opcode} {names}{attributes} : ({types}) -> {own}")
        elif self.chance(0.5) or op == "tgather":
            self.line(f"{tile.name} = {opcode} {names}{attributes} : ({types}) -> {own}")
        else:
            self.line(f"{opcode} {tile.name}, {names}{attributes} : ({own}, {types})")
        self.after()
        return tile

    def effect(
        self,
        op: str,
        sources: Sequence[tuple[str, str]],
        target: tuple[str, str],
        kind: TileKind,
        modes: Sequence[tuple[str, str, str]] = (),
        fields: Sequence[str] = (),
    ) -> None:
        """An instruction that writes global memory, from a tile of this kind."""
        self.record(op, kind, modes, fields)
        form = self.style.form
        if form == "mixed":
            form = self.pick(("ssa", "dps", "asm"))
        opcode, attributes = self.spelled(op, modes, fields, form)
        every = [*sources, target]
        names = ", ".join(name for name, _ in every)
        types = ", ".join(type for _, type in every)
        if form == "dps":
            given = ", ".join(name for name, _ in sources)
            given_types = ", ".join(type for _, type in sources)
            self.line(
                f"pto.{opcode} ins({given} : {given_types}) outs({target[0]} : {target[1]}){attributes}"
            )
        elif form == "ssa":
            self.line(f"pto.{opcode} {names}{attributes} : ({types}) -> ()")
        elif op == "mscatter":
            given = ", ".join(name for name, _ in sources)
            given_types = ", ".join(type for _, type in sources)
            self.line(f"{opcode} {target[0]}, {given}{attributes} : ({target[1]}, {given_types})")
        else:
            self.line(f"{opcode} {names}{attributes} : ({types})")
        self.after()

    def record(
        self, op: str, kind: TileKind, modes: Sequence[tuple[str, str, str]], fields: Sequence[str]
    ) -> None:
        """Note what occurs, for the test that nothing is forgotten."""
        self.features |= {("op", op), ("type", kind.element.text), ("layout", kind.layout)}
        self.features |= {("op and type", op, kind.element.text), ("op and layout", op, kind.layout)}
        self.features.add(("modes", op, *(value for _, _, value in modes)))
        self.features |= {("field", op, field) for field in fields}
        self.features |= {("open", str(kind.open)), ("pad", kind.pad), ("loc", kind.loc)}

    def spelled(
        self, op: str, modes: Sequence[tuple[str, str, str]], fields: Sequence[str], form: str
    ) -> tuple[str, str]:
        """Modes as suffixes of the opcode, or as attributes (D7)."""
        written = list(fields)
        if modes and form == "asm" and self.chance(0.7):
            op = ".".join([op, *(value for _, _, value in modes)])
        else:
            written += [
                f"{field} = #pto.{enum}<{value}>" if self.chance(0.3) else f"{field} = #pto<{enum} {value}>"
                for field, enum, value in modes
            ]
        return op, f" {{{', '.join(written)}}}" if written else ""

    def after(self) -> None:
        """In a program that is synchronised by hand, everything waits for everything."""
        if self.style.flags:
            self.line("pto.barrier #pto.pipe<PIPE_ALL>")

    def clean(self) -> None:
        """In a program that is synchronised by hand, a scalar store is cleaned at once."""
        if self.style.flags:
            self.line("pto.cmo.cacheinvalid all #pto.address_space<gm>")

    def operand(self, tile: Tile) -> tuple[str, str]:
        return tile.name, self.type_text(tile.kind)

    # --- scalars ---

    def scalar(self, e: ElementType, value: int | float) -> tuple[str, str]:
        """A scalar of that value and its type: a constant, an argument, or read from memory."""
        kind = self.random.random()
        number = int(value) if e.is_integer else float(value)
        if kind < 0.5:
            return self.constant(number, e.text), e.text
        if kind < 0.75 and e.text in ("i32", "f32", "i64"):
            return self.add_argument("s", e.text, number).name, e.text
        argument = self.pointer(e, numbers(self.random, e, 4, Range(number, number)))
        name = self.fresh("v")
        self.line(f"{name} = pto.load_scalar {argument.name}[{self.index(self.pick((0, 1, 3)))}] : "
                  f"!pto.ptr<{e.text}> -> {e.text}")  # fmt: skip
        self.after()
        return name, e.text

    def pointer(self, e: ElementType, values: np.ndarray, range: Range | None = None) -> Argument:
        return self.add_argument("p", f"!pto.ptr<{e.text}>", values, range)

    # --- memory ---

    def load(self, kind: TileKind, promise: Range, start: Start = None) -> Tile:
        """Fill a tile from memory that keeps the promise."""
        view = self.view(kind.element, kind.valid, kind.layout, promise, start=start)
        return self.instruct("tload", [(view.name, view.type)], kind, promise)

    def store(self, tile: Tile, atomic: bool = False) -> None:
        promise = anything(tile.kind.element)
        layout = tile.kind.layout
        if tile.kind.loc == "acc":
            layout = self.pick(("nd", "nz"))
        fields: list[str] = []
        if atomic:
            room = 7 + self.trips * max(abs(tile.range.low), abs(tile.range.high))
            promise = Range(0 if tile.kind.element.kind == "uint" else -room, room)
            fields.append("atomicType = #pto<atomic_type atomic_add>")
        view = self.view(
            tile.kind.element,
            tile.kind.valid,
            layout,
            promise,
            start=small_start(promise),
            box=16 if tile.kind.loc == "acc" else None,
        )
        self.effect("tstore", [self.operand(tile)], (view.name, view.type), tile.kind, fields=fields)

    def contents(self, e: ElementType, count: int, start: Start) -> np.ndarray:
        return start(count) if callable(start) else numbers(self.random, e, count, start)

    def view(
        self,
        e: ElementType,
        extents: tuple[int, int],
        layout: str,
        promise: Range,
        *,
        start: Start = None,
        box: int | None = None,
    ) -> View:
        """Memory for a tile of these extents, seen in one of many ways; in loops often another part each
        time. `box`: columns of a box of nz memory, for an accumulator, which goes to a matrix."""
        rows, cols = extents
        width = box or 32 // e.size
        if layout == "nz":
            shape: tuple[int, ...] = (1, cols // width, rows // 16, 16, width)
        elif layout == "nd" and (box is None or self.target_name == "cpu"):
            shape = (*self.split(rows), cols)
        else:
            shape = (rows, cols)
        return self.memory(e, shape, layout, promise, start=start)

    def split(self, rows: int) -> tuple[int, ...]:
        """Rows as the outer dimensions of a view."""
        for factor in (2, 4):
            if rows % factor == 0 and rows > factor and self.chance(0.12):
                return (*((1,) if self.chance(0.3) else ()), factor, rows // factor)
        return (1, 1, 1, rows) if self.chance(0.05) else (rows,)

    def memory(
        self,
        e: ElementType,
        shape: tuple[int, ...],
        layout: str,
        promise: Range,
        *,
        start: Start = None,
        padded: bool = True,
        dynamic: tuple[bool, ...] | None = None,
        parts: bool = True,
    ) -> View:
        """A view of new memory. `padded`: strides may leave gaps; `dynamic`: which extents its type leaves
        open, else any."""
        if start is None:
            start = promise
        if self.chance(self.style.pointers):
            return self._behind_pointer(e, shape, layout, promise, start, padded, dynamic, parts)
        strides = packed(shape, layout)
        text = shape_text(shape)
        given = dynamic is not None
        if (
            padded
            and not (given and any(dynamic or ()))
            and layout == "nd"
            and len(shape) == 2
            and self.chance(0.15)
        ):
            strides = (shape[1] + 3, 1)
            type = f"!pto.memref<{text}x{e.text}, nd, strides=[{shape_text(strides).replace('x', ', ')}]>"
        elif layout != "nd":
            type = f"!pto.memref<{text}x{e.text}, {layout}>"
        elif given or self.chance(0.3):
            if dynamic is None:
                dynamic = tuple(self.chance(0.6) for _ in shape)
            loose = tuple("?" if o else d for o, d in zip(dynamic, shape, strict=True))
            type = f"!pto.memref<{shape_text(loose)}x{e.text}>"
        else:
            type = f"!pto.memref<{text}x{e.text}>"
        values = self.contents(e, int(np.prod(shape)), start).reshape(shape)
        argument = self.add_argument("m", type, values, promise)
        return View(argument.name, type, e, shape, layout, promise)

    def _behind_pointer(
        self,
        e: ElementType,
        shape: tuple[int, ...],
        layout: str,
        promise: Range,
        start: Start,
        padded: bool,
        dynamic: tuple[bool, ...] | None,
        parts: bool,
    ) -> View:
        whole = list(shape)
        offsets: list[str] = []
        if parts and layout == "nd" and len(shape) == 2 and self.chance(0.5):
            moving = [each for scope in self.scopes for each in scope.offsets if each[1] > 0]
            if moving and self.chance(0.8):
                counter, trips = self.pick(moving)
                whole[0] = shape[0] * trips
                first = self.fresh("o")
                self.line(f"{first} = arith.muli {counter}, {self.constant(shape[0])} : index")
                offsets = [first, self.constant(0)]
            else:
                at = self.pick((0, 1, 3))
                whole[0] += at
                offsets = [self.index(at), self.constant(0)]
            if padded and self.chance(0.3):
                whole[1] += 2
                offsets[1] = self.index(1)
        strides = packed(tuple(whole), layout)
        if padded and layout == "nd" and len(whole) == 2 and self.chance(0.2):
            strides = (whole[1] + 5, 1)
        count = extent(tuple(whole), strides)
        lead = self.pick((0, 0, 0, 4))
        argument = self.pointer(e, self.contents(e, count + lead, start), promise)
        name = argument.name
        if lead:
            name = self.fresh("q")
            pointer = argument.type
            self.line(f"{name} = pto.addptr {argument.name}, {self.index(lead)} : {pointer} -> {pointer}")
        if dynamic is None:
            dynamic = tuple(self.chance(0.3) for _ in whole)
        sizes = [self.index(n) if d else self.constant(n) for n, d in zip(whole, dynamic, strict=True)]
        steps = [self.constant(n) for n in strides]
        shown = tuple("?" if d else n for n, d in zip(whole, dynamic, strict=True))
        type = f"!pto.tensor_view<{shape_text(shown)}x{e.text}>"
        view = self.fresh("w")
        attribute = f" {{layout = #pto.layout<{layout}>}}" if layout != "nd" or self.chance(0.2) else ""
        self.line(f"{view} = pto.make_tensor_view {name}, shape = [{', '.join(sizes)}], strides = "
                  f"[{', '.join(steps)}]{attribute} : {type}")  # fmt: skip
        if not offsets:
            return View(view, type, e, shape, layout, promise)
        seen = tuple("?" if d else n for n, d in zip(shape, dynamic, strict=True))
        window = f"!pto.partition_tensor_view<{shape_text(seen)}x{e.text}>"
        part = self.fresh("w")
        inner = ", ".join(
            self.index(n) if d else self.constant(n) for n, d in zip(shape, dynamic, strict=True)
        )
        start_text = ", ".join(offsets)
        self.line(f"{part} = pto.partition_view {view}, offsets = [{start_text}], sizes = [{inner}] : "
                  f"{type} -> {window}")  # fmt: skip
        return View(part, window, e, shape, layout, promise)

    # --- the whole ---

    def finish(self) -> Program:
        name = f"seed_{self.seed}"
        bare = "\n".join([*self._bare_head(), *self.lines]) + "\n"
        functions = "\n".join([*self.functions, self._function(name)])
        text = bare if self.style.bare else f"module {{\n{functions}\n}}\n"
        return Program(
            self.seed,
            name,
            text,
            self.target_name,
            {argument.name[1:]: argument.value for argument in self.arguments},
            self.legalize,
            self.aicore,
            self.blocks,
            self.ranks,
            self.style.form,
            frozenset(self.features),
            self.has_cpp,
        )

    def _bare_head(self) -> list[str]:
        lines = [f".arg {argument.name} : {argument.type}" for argument in self.arguments]
        return lines + [f".const {name} = {text} : {type}" for (text, type), name in self.constants.items()]

    def _function(self, name: str) -> str:
        arguments = ", ".join(f"{argument.name}: {argument.type}" for argument in self.arguments)
        lines = [f"{name} = arith.constant {text} : {type}" for (text, type), name in self.constants.items()]
        body = "\n".join("    " + line for line in [*lines, *self.lines])
        return f"  func.func @{name}({arguments}) {{\n{body}\n    return\n  }}"


def small_start(promise: Range) -> Range:
    """The initial memory that the program adds to."""
    if promise.arbitrary or not promise.whole:
        return promise
    return Range(max(promise.low, -7), min(promise.high, 7))
