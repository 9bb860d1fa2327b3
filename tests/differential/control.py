"""Fragments of programs: loops, branches, scalars, windows, memory, collectives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .arithmetic import combine, computable
from .builder import MY_RANK, Builder
from .values import (
    EXACT,
    Range,
    Tile,
    TileKind,
    anything,
    element,
    numbers,
    small,
)

Body = Callable[[Builder, int], None]


# --- loops and branches --------------------------------------------------------------------------


def loop(b: Builder, depth: int, body: Body) -> None:
    """`scf.for`, with and without values that it carries."""
    first, step = b.pick(((0, 1), (0, 1), (0, 1), (1, 2))), 1
    first, step = first
    trips = b.pick((0, 1, 2, 3, 3))
    bound = first + trips * step - b.pick((0, step - 1))
    counter = b.fresh("k")
    head = f"scf.for {counter} = {b.constant(first)} to {b.index(bound)} step {b.constant(step)}"
    usable = counter if (first, step) == (0, 1) else None
    carried = carried_tiles(b)
    scalar = b.chance(0.3)
    if not carried and not scalar:
        b.line(head + " {")
        with b.nested(trips, usable):
            body(b, depth - 1)
        b.line("}")
        return
    carrying_loop(b, depth, body, head, trips, usable, carried, scalar)


def carried_tiles(b: Builder) -> list[Tile]:
    """Tiles to hand from one iteration to the next: values of instructions in SSA form."""
    if b.style.by_hand or b.style.form == "dps" or not b.chance(0.6):
        return []
    known = [t for t in b.alive if not any(t.kind.open) and t.kind.loc == "vec"]
    b.random.shuffle(known)
    return known[: b.pick((1, 1, 2))]


def carrying_loop(
    b: Builder,
    depth: int,
    body: Body,
    head: str,
    trips: int,
    counter: str | None,
    carried: list[Tile],
    scalar: bool,
) -> None:
    results = [b.fresh("r") for _ in carried]
    inner = [Tile(b.fresh("a"), t.kind, t.range, buffer=False) for t in carried]
    types = [b.type_text(t.kind) for t in carried]
    pairs = [f"{i.name} = {t.name}" for i, t in zip(inner, carried, strict=True)]
    sum_in, sum_out = b.fresh("a"), b.fresh("r")
    if scalar:
        start, _ = b.scalar(element("i32"), b.pick((0, 3, -5)))
        pairs.append(f"{sum_in} = {start}")
        types.append("i32")
    names = ", ".join([*results, *([sum_out] if scalar else [])])
    b.line(f"{names} = {head} iter_args({', '.join(pairs)}) -> ({', '.join(types)}) {{")
    with b.nested(trips, counter) as scope:
        scope.tiles += inner
        body(b, depth - 1)
        yielded: list[str] = []
        taken: list[Tile] = []
        for tile in inner:
            following = next_value(b, tile, taken)
            taken.append(following)
            yielded.append(following.name)
        if scalar:
            following_sum = b.fresh("v")
            op = b.pick(("addi", "muli", "xori", "subi", "maxsi"))
            b.line(f"{following_sum} = arith.{op} {sum_in}, {b.constant(3, 'i32')} : i32")
            yielded.append(following_sum)
        b.line(f"scf.yield {', '.join(yielded)} : {', '.join(types)}")
    b.line("}")
    for name, tile in zip(results, carried, strict=True):
        b.keep(Tile(name, tile.kind, tile.range, buffer=False))
    if scalar:
        keep_scalar(b, sum_out)


def next_value(b: Builder, tile: Tile, taken: list[Tile]) -> Tile:
    """The value that the loop carries: a tile of the body with the property, or a computed one."""
    known = [t for t in b.scopes[-1].tiles if t.kind == tile.kind and tile.range.holds(t.range)]
    known = [t for t in known if all(t is not other for other in taken)]
    e = tile.kind.element
    if e not in b.types("tmov"):
        return tile  # another one could not be copied into its place
    types = b.types("tmax")
    if e in types and tile.kind.plain and not tile.range.arbitrary and b.chance(0.6):
        found = combine("tmax", e, tile.range, tile.range)
        other = b.source(tile.kind, tile.range, promise=tile.range) if tile.range.high < 2**40 else tile
        if found is not None:
            op = b.pick(("tmax", "tmin"))
            return b.instruct(op, [b.operand(tile), b.operand(other)], tile.kind, tile.range)
    return b.pick(known) if known else tile


def keep_scalar(b: Builder, name: str) -> None:
    """Write an i32 down, so that it is compared."""
    argument = b.pointer(element("i32"), numbers(b.random, element("i32"), 4, Range(-9, 9)))
    place = b.index(b.pick((0, 2, 3)))
    b.line(f"pto.store_scalar {name}, {argument.name}[{place}] : {argument.type}, i32")
    b.after()
    b.clean()


def condition(b: Builder) -> str:
    if b.knows_its_rank and b.chance(0.3):
        return is_rank(b, b.random.randrange(b.ranks), b.pick(("eq", "ne", "slt")))
    counters = [name for scope in b.scopes for name, _ in scope.offsets]
    if counters and b.chance(0.6):
        name = b.fresh("if")
        compare = b.pick(("slt", "sge", "eq", "ne", "ult"))
        b.line(f"{name} = arith.cmpi {compare}, {b.pick(counters)}, {b.index(1)} : index")
        return name
    if b.chance(0.5):
        return b.add_argument("flag", "i1", b.chance(0.5)).name
    name = b.fresh("if")
    value, _ = b.scalar(element("i32"), b.pick((0, 3)))
    b.line(f"{name} = arith.cmpi {b.pick(('sgt', 'sle', 'eq'))}, {value}, {b.constant(2, 'i32')} : i32")
    return name


def is_rank(b: Builder, rank: int, compare: str = "eq") -> str:
    name = b.fresh("if")
    b.line(f"{name} = arith.cmpi {compare}, %{MY_RANK}, {b.constant(rank, 'i32')} : i32")
    return name


def branch(b: Builder, depth: int, body: Body) -> None:
    """`scf.if`, with and without results."""
    choice = condition(b)
    if b.chance(0.3):
        branch_with_result(b, choice, depth, body)
        return
    b.line(f"scf.if {choice} {{")
    with b.nested():
        body(b, depth - 1)
    if b.chance(0.5):
        b.line("} else {")
        with b.nested():
            body(b, depth - 1)
    b.line("}")


def branch_with_result(b: Builder, choice: str, depth: int, body: Body) -> None:
    name = b.fresh("r")
    b.line(f"{name} = scf.if {choice} -> (i32) {{")
    with b.nested():
        body(b, depth - 1)
        value, _ = b.scalar(element("i32"), b.pick((1, -4)))
        b.line(f"scf.yield {value} : i32")
    b.line("} else {")
    with b.nested():
        value, _ = b.scalar(element("i32"), b.pick((2, 9)))
        b.line(f"scf.yield {value} : i32")
    b.line("}")
    keep_scalar(b, name)


def while_loop(b: Builder) -> bool:
    """Double a number until it is large."""
    start, _ = b.scalar(element("i32"), b.pick((1, 3, 40)))
    name, outer, inner, more, go = (b.fresh(p) for p in ("r", "a", "a", "v", "if"))
    limit, one = b.constant(20, "i32"), b.constant(1, "i32")
    twice = b.fresh("v")
    for line in (
        f"{name} = scf.while ({outer} = {start}) : (i32) -> i32 {{",
        f"  {go} = arith.cmpi slt, {outer}, {limit} : i32",
        f"  scf.condition({go}) {outer} : i32",
        "} do {",
        f"^bb0({inner}: i32):",
        f"  {twice} = arith.addi {inner}, {inner} : i32",
        f"  {more} = arith.addi {twice}, {one} : i32",
        f"  scf.yield {more} : i32",
        "}",
    ):
        b.line(line)
    keep_scalar(b, name)
    return True


SCALAR_OPS = (
    "addi",
    "subi",
    "muli",
    "andi",
    "ori",
    "xori",
    "maxsi",
    "minsi",
    "divsi",
    "remsi",
    "shli",
    "minui",
)
FLOAT_OPS = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf")


def scalars(b: Builder) -> bool:
    """Arithmetic on scalars, of memory and of arguments."""
    if b.chance(0.5):
        value, _ = b.scalar(element("i32"), b.pick((7, -7, 100)))
        for _ in range(b.random.randint(1, 3)):
            name = b.fresh("v")
            b.line(
                f"{name} = arith.{b.pick(SCALAR_OPS)} {value}, {b.constant(b.pick((1, 2, 3)), 'i32')} : i32"
            )
            value = name
        if b.chance(0.4):
            flag, chosen = b.fresh("if"), b.fresh("v")
            b.line(
                f"{flag} = arith.cmpi {b.pick(('slt', 'uge', 'ne'))}, {value}, {b.constant(3, 'i32')} : i32"
            )
            b.line(f"{chosen} = arith.select {flag}, {value}, {b.constant(2, 'i32')} : i32")
            value = chosen
        keep_scalar(b, value)
        return True
    e = element("f32")
    value, _ = b.scalar(e, b.pick((1.5, -2.0, 7.0)))
    for _ in range(b.random.randint(1, 3)):
        name = b.fresh("v")
        b.line(
            f"{name} = arith.{b.pick(FLOAT_OPS)} {value}, {b.constant(b.pick((2.0, -3.0, 0.5)), 'f32')} : f32"
        )
        value = name
    argument = b.pointer(e, numbers(b.random, e, 4, small(e)))
    b.line(f"pto.store_scalar {value}, {argument.name}[{b.index(1)}] : {argument.type}, f32")
    b.after()
    b.clean()
    return True


# --- memory --------------------------------------------------------------------------------------


def load(b: Builder) -> bool:
    """A tile from memory, in every layout, of every type."""
    e = b.pick(b.types("tload", "tstore"))
    layout = b.pick(("nd", "nd", "dn", "nz")) if e.size < 8 else b.pick(("nd", "dn"))
    loc = "vec"
    if b.target_name in ("cpu", "a2a3") and b.chance(0.08):
        loc = "mat"
    kind = b.kind(e, layout=layout, pads=True, loc=loc)
    b.load(kind, small(e) if b.chance(0.5) and e.text in (*EXACT, *INTEGERS) else anything(e))
    return True


INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")


def store(b: Builder) -> bool:
    known = [t for t in b.alive if t.kind.element in b.types("tstore")]
    if not known:
        return False
    tile: Tile = b.pick(known)
    atomic = (
        b.chance(0.4)
        and tile.kind.element in b.types("tstore.add")
        and Range(-100, 100).holds(tile.range)
        and tile.kind.loc == "vec"
    )
    b.store(tile, atomic)
    return True


def store_some(b: Builder) -> None:
    """Most of what a function has made goes where it can be compared."""
    storable = b.types("tstore")
    for tile in b.scopes[0].tiles:
        if tile.kind.element in storable and b.chance(0.6):
            b.store(tile)


def tile_argument(b: Builder) -> bool:
    """A tile whose contents the caller supplies (D24)."""
    if b.style.by_hand or b.blocks > 1:
        return False
    e = b.pick(b.types("tload", "tstore"))
    kind = b.kind(e, layout=b.pick(("nd", "nd", "dn")), open=False)
    promise = anything(e) if e.text not in EXACT or b.chance(0.3) else small(e)
    values = numbers(b.random, e, kind.valid[0] * kind.valid[1], promise).reshape(kind.valid)
    argument = b.add_argument("targ", b.type_text(kind), values, promise)
    tile = Tile(argument.name, kind, promise, buffer=b.style.form in ("dps", "mixed"))
    b.scopes[0].tiles.append(tile)
    return True


def accumulator(b: Builder) -> bool:
    """An accumulator that the caller supplies: no instruction here fills one, and a store empties it."""
    if b.style.by_hand or b.blocks > 1:
        return False
    e = element(b.pick(("i32", "f32")))
    rows, cols = 16 * b.pick((1, 2)), 16 * b.pick((1, 2))
    kind = TileKind(e, rows, cols, (rows, cols), blayout="col_major", slayout="row_major", loc="acc")
    values = numbers(b.random, e, rows * cols, anything(e)).reshape(rows, cols)
    argument = b.add_argument("targ", b.type_text(kind), values, anything(e))
    tile = Tile(argument.name, kind, anything(e), buffer=False)
    b.scopes[0].tiles.append(tile)
    b.store(tile)
    return True


def window(b: Builder) -> bool:
    """A part of a tile, written or read."""
    known = [
        t
        for t in b.alive
        if t.kind.full and t.kind.plain and t.kind.loc == "vec" and t.kind.rows >= 4 and t.kind.pad == "null"
    ]
    if not known:
        return False
    tile: Tile = b.pick(known)
    e, width = tile.kind.element, 32 // tile.kind.element.size
    rows = b.pick((1, 2, 4))
    at = b.random.randint(0, tile.kind.rows - rows)
    cols, left = tile.kind.cols, 0
    if cols > width and b.chance(0.5):
        cols, left = width, width
    kind = TileKind(e, rows, cols, (rows, cols))
    name = b.fresh("sub")
    b.line(f"{name} = pto.subview {tile.name}[{b.index(at)}, {b.index(left)}] sizes [{rows}, {cols}] : "
           f"{b.type_text(tile.kind)} -> {b.type_text(kind)}")  # fmt: skip
    part = Tile(name, kind, tile.range, buffer=False)
    if (
        tile.buffer
        and e in b.types("texpands")
        and b.chance(0.6)
        and tile.range.holds(Range(1, 1, True, True))
    ):
        b.instruct("texpands", [b.scalar(e, 1)], kind, tile.range, into=part)
        return True
    whole = cols == tile.kind.cols
    if e in b.types("tmov") and (whole or b.target.name != "a2a3"):  # which compares the tiles' types
        b.instruct("tmov", [b.operand(part)], replace(kind), tile.range, avoid=[tile])
        return True
    b.store(part)
    return True


def reshape(b: Builder) -> bool:
    """`set_validshape`: only where the program runs through once, so that the extents stay known."""
    if len(b.scopes) > 1 or not b.opens:
        return False
    e = b.pick(b.types("tload", "tstore"))
    width = 32 // e.size
    kind = TileKind(e, 16, 2 * width, (b.pick((3, 16)), b.pick((width, 2 * width))), (True, True))
    tile = b.load(kind, anything(e))
    if not tile.buffer or tile not in b.scopes[0].tiles:
        return False
    b.store(tile)
    smaller = (b.random.randint(1, kind.valid[0]), b.random.randint(1, kind.valid[1]))
    b.line(
        f"pto.set_validshape {tile.name}, {b.index(smaller[0])}, {b.index(smaller[1])} : {b.type_text(kind)}"
    )
    tile.kind = replace(kind, valid=smaller)
    return True


def blocks(b: Builder) -> bool:
    """Each block of the launch has rows of its own."""
    if len(b.scopes) > 1 or b.blocks > 1 or b.ranks > 1:
        return False
    if any(a.name.startswith("%targ") for a in b.arguments):
        return False
    b.blocks = 3
    e = element(b.pick(("f32", "i32")))
    kind = TileKind(e, 4, 8, (4, 8))
    block, count, first = b.fresh("block"), b.fresh("blocks"), b.fresh("o")
    b.line(f"{block} = pto.get_block_idx : i64")
    b.line(f"{count} = pto.get_block_num : i64")
    place, row = b.fresh("n"), b.fresh("n")
    b.line(f"{place} = arith.index_cast {block} : i64 to index")
    b.line(f"{row} = arith.muli {place}, {b.constant(4)} : index")
    b.line(f"{first} = arith.addi {row}, {b.constant(0)} : index")
    source, target = (b.pointer(e, numbers(b.random, e, 96, small(e))) for _ in range(2))
    parts: list[str] = []
    view, part = f"!pto.tensor_view<12x8x{e.text}>", f"!pto.partition_tensor_view<4x8x{e.text}>"
    for pointer in (source, target):
        whole, name = b.fresh("w"), b.fresh("w")
        b.line(f"{whole} = pto.make_tensor_view {pointer.name}, shape = [{b.constant(12)}, {b.constant(8)}], "
               f"strides = [{b.constant(8)}, {b.constant(1)}] : {view}")  # fmt: skip
        b.line(f"{name} = pto.partition_view {whole}, offsets = [{first}, {b.constant(0)}], sizes = "
               f"[{b.constant(4)}, {b.constant(8)}] : {view} -> {part}")  # fmt: skip
        parts.append(name)
    loaded = b.instruct("tload", [(parts[0], part)], kind, small(e))
    added = loaded
    if b.chance(0.7):
        number = b.fresh("v")
        b.line(f"{number} = arith.trunci {block} : i64 to i32")
        if e.text == "i32":
            added = b.instruct("tadds", [b.operand(loaded), (number, "i32")], kind, computable(e))
    b.effect("tstore", [b.operand(added)], (parts[1], part), kind)
    return True


def printed(b: Builder) -> bool:
    known = [t for t in b.alive if t.kind.element in b.types("tprint") and t.kind.loc == "vec"]
    known = [t for t in known if t.kind.plain]
    if not known:
        return False
    tile: Tile = b.pick(known)
    b.line(f"pto.tprint ins({tile.name} : {b.type_text(tile.kind)})")
    b.after()
    return True


# --- collectives ---------------------------------------------------------------------------------


def collective(b: Builder) -> bool:
    """A collective, called by its root: the ranks' memories are arguments."""
    if len(b.scopes) > 1 or b.style.by_hand or b.style.flags or b.blocks > 1:
        return False
    if b.ranks > 1 and not b.knows_its_rank:
        return False
    op = b.pick(("tgather", "tscatter", "tbroadcast", "treduce"))
    kind = b.pick(("sum", "max", "min"))
    types = b.types(f"comm.treduce.{kind}", "tload") if op == "treduce" else b.types("tload", "tstore")
    e = b.pick(types)
    ranks, rows, cols = b.pick((1, 2, 3)), b.pick((2, 4)), 32 // e.size
    if b.ranks > 1:
        ranks = b.ranks
    promise = small(e) if op == "treduce" else anything(e)
    member = f"!pto.memref<{rows}x{cols}x{e.text}>"
    high = rows * ranks if op in ("tgather", "tscatter") else rows
    own = f"!pto.memref<{high}x{cols}x{e.text}>"

    def memory(count: int) -> object:
        return numbers(b.random, e, count * cols, promise).reshape(count, cols)

    group = b.add_argument("group", f"!pto.group<{ranks} x {member}>", [memory(rows) for _ in range(ranks)])
    local = b.add_argument("own", own, memory(high))
    root = b.random.randrange(ranks)
    fields = [f"root = {root} : i32"]
    if op == "treduce":
        fields.append(f"op = #pto<reduce_op {kind}>")
    staging = TileKind(e, b.pick((rows, rows // 2)), cols, (rows, cols))
    staging = replace(staging, valid=(staging.rows, cols))
    tiles = b.pick((0, 1, 2)) if b.style.form in ("dps", "mixed") else 0
    names = [b.allocate(staging, promise, "stage").name for _ in range(tiles)]
    recv = f", recv({', '.join(names)})" if names else ""
    shown = ", ".join([own, *[b.type_text(staging)] * tiles, group.type])
    call = f"pto.comm.{op}({local.name}{recv}, group({group.name}) : {shown}) {{{', '.join(fields)}}}"
    if b.ranks == 1:
        b.line(call)
    else:
        b.line(f"scf.if {is_rank(b, root)} {{")
        b.line(f"  {call}")
        b.line("}")
    b.features.add(("comm", op, "several ranks" if b.ranks > 1 else "one rank"))
    return True
