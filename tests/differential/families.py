"""Fragments of programs: the families of vector instructions, out of what classes and rows declare.

What they make is anything: it is moved, stored and compared, and not calculated with any further.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from ptoas.dialects.pto import (
    compare,
    elementwise,
    expand,
    generate,
    movement,
    partial,
    quant,
    reduce,
    sort,
    tile_scalar,
)
from ptoas.dialects.pto.element_types import ElementType
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.targets.row import Forms, Row
from ptoas.targets.target import Target

from .builder import Builder
from .types import BY_NAME
from .values import Range, Tile, TileKind, anything, element, small

OLDER = frozenset({"tadd", "tsub", "tmul", "tdiv", "tmax", "tmin", "tadds", "tsubs", "tmuls", "tneg", "tabs"})
OLDER |= {"texp", "tci", "trowsum", "trowmax", "trowexpand", "tcolexpand", "texpands", "tcvt", "tmov"}
"""Results of other fragments, with properties of the numbers."""

ELEMENTWISE, SCALAR = elementwise, tile_scalar
POSITIVE = Range(1, 7, nonzero=True)
ONES = Range(-1, 1, nonzero=True)


def names(chapter: object, family: type[PtoOp] = PtoOp) -> list[str]:
    """The instructions of a chapter, or of one family in it, that other fragments do not make."""
    found = [x for x in vars(chapter).values() if isinstance(x, type) and issubclass(x, family)]
    return sorted(
        op.mnemonic()
        for op in found
        if op.__module__ == chapter.__name__ and op in BY_NAME.values()  # type: ignore[attr-defined]
    )


@cache
def rows_of(target: Target, name: str) -> tuple[Row, ...]:
    """All that a target says of an instruction; nothing if it has it not."""
    entry = target.entry(BY_NAME[name])
    rows = entry.rows.values() if isinstance(entry, Forms) else (entry,)
    return tuple(row for row in rows if isinstance(row, Row))


def takes(b: Builder, name: str, slot: str) -> list[ElementType]:
    """Element types that every form of an instruction takes in a slot, and that are loaded and stored."""
    found: list[ElementType] = []
    for row in rows_of(b.target, name):
        spec = row.tiles.get(slot)
        if spec is not None and spec.types is not None:
            found = [e for e in spec.types if not found or e in found]
    return [e for e in b.types("tload", "tstore") if e in found]


def there(b: Builder, choices: Sequence[str]) -> str | None:
    known = [name for name in choices if name not in OLDER and rows_of(b.target, name)]
    return b.pick(known) if known else None


def flat(b: Builder, e: ElementType, valid: tuple[int, int] | None = None) -> TileKind:
    """A row-major tile whose extents the type says."""
    kind = b.kind(e, valid or b.shape(e, "nd", False), open=False)
    return kind if kind.plain else replace(kind, cols=32 // e.size, blayout="row_major")


def column(b: Builder, e: ElementType, rows: int) -> TileKind:
    return replace(b.kind(e, (rows, 1), "dn", full=True), cols=1)


def private(b: Builder, kind: TileKind, promise: Range) -> Tile:
    """A tile that nothing else reads, filled from memory: what is overwritten or written in part."""
    tile = b.allocate(kind, promise)
    view = b.view(kind.element, kind.valid, kind.layout, promise)
    type = b.type_text(kind)
    b.line(f"pto.tload ins({view.name} : {view.type}) outs({tile.name} : {type})")
    b.after()
    return tile


def write(
    b: Builder, op: str, sources: Sequence[tuple[str, str]], outs: Sequence[Tile], fields: Sequence[str] = ()
) -> None:
    """An instruction with several destinations, in DPS form."""
    for tile in outs:
        b.record(op, tile.kind, (), fields)
    given, types = (", ".join(each) for each in zip(*sources, strict=True))
    made = ", ".join(tile.name for tile in outs)
    made_types = ", ".join(b.type_text(tile.kind) for tile in outs)
    attributes = f" {{{', '.join(fields)}}}" if fields else ""
    b.line(f"pto.{op} ins({given} : {types}) outs({made} : {made_types}){attributes}")
    b.after()


# --- element by element ----------------------------------------------------------------------------

ROOTS = ("tlog", "tsqrt", "trsqrt", "tpow", "tpows")
PRECISE = {
    name: f"{name.removesuffix('s') if name in ('tpows', 'tdivs') else name}".removeprefix("t")
    for name in ("trecip", "tsqrt", "trsqrt", "tlog", "trem", "tfmod", "tpow", "tpows", "tdivs")
}


def by_element(b: Builder) -> bool:
    op = there(b, [*names(ELEMENTWISE), *names(SCALAR)])
    if op is None or (b.style.flags and op == "taxpy"):
        return False
    types = takes(b, op, "dst")
    if any(row.clobbers for row in rows_of(b.target, op)):
        types = [e for e in types if not e.is_integer]  # their sources hold nothing afterwards
    if op == "taxpy":
        types = [e for e in types if e.text != "f16"]
    if not types:
        return False
    kind = flat(b, b.pick(types))
    e = kind.element
    shifts = op.startswith(("tshl", "tshr"))
    operands: list[tuple[str, str]] = []
    sources: list[Tile] = []
    for slot in BY_NAME[op].signature().slots:
        if slot.name in ("dst", "tmp"):
            continue
        if slot.name in ("scalar", "slope", "divisor"):
            number = 3 if e.is_integer else b.pick((0.5, 2.0, 3.0))
            if isinstance(BY_NAME[op], type) and issubclass(BY_NAME[op], tile_scalar.BitScalarOp):
                operands.append((b.constant(3, "i32"), "i32"))
            else:
                operands.append(b.scalar(e, number))
        elif slot.name != "dividend":
            promise = POSITIVE if op in ROOTS or (shifts and slot.name == "src1") else small(e)
            sources.append(b.source(kind, promise, promise=promise))
            operands.append(b.operand(sources[-1]))
    if op == "tdivs" and b.chance(0.4):
        operands.reverse()
    fields = []
    if op in PRECISE and b.chance(0.3):
        fields = [f"precisionType = #pto<{PRECISE[op]}_precision default>"]
    if op == "taxpy":
        dst = private(b, kind, small(e))
        write(b, op, operands, [dst])
        b.keep(Tile(dst.name, kind, anything(e)))
        return True
    b.instruct(op, operands, kind, anything(e), fields=fields, avoid=sources)
    return True


# --- masks -------------------------------------------------------------------------------------------

MODES = ("eq", "ne", "lt", "le", "gt", "ge")


def masks(b: Builder) -> bool:
    """A comparison, and a choice by its bits."""
    op = b.pick(("tcmp", "tcmps"))
    slot = "src0" if op == "tcmp" else "src"
    chooser = b.pick(("tsel", "tsels"))
    types = [e for e in takes(b, op, slot) if e in takes(b, chooser, "dst")]
    if not types:
        return False
    e = b.pick(types)
    cols = b.pick((8, 32, 64))
    kind = replace(flat(b, e, (b.pick((1, 3, 8)), cols)), pad="null")
    bits = flat(b, element("ui8"), (kind.valid[0], cols // 8))
    first, second = (b.source(kind, small(e), promise=small(e)) for _ in range(2))
    modes = MODES[:2] if e.text == "i32" and b.target_name == "a2a3" else MODES
    fields = [f"cmpMode = #pto<cmp {b.pick(modes)}>"] if b.chance(0.9) else []
    other = b.operand(second) if op == "tcmp" else b.scalar(e, 3)
    mask = b.instruct(op, [b.operand(first), other], bits, anything(bits.element), fields=fields)
    given = [b.operand(mask), b.operand(first)]
    given.append(b.operand(second) if chooser == "tsel" else b.scalar(e, 2))
    b.instruct(chooser, given, kind, anything(e), avoid=[first, second])
    return True


# --- partial, reductions, expansions -----------------------------------------------------------------


def parts(b: Builder) -> bool:
    op = there(b, names(partial))
    if op is None:
        return False
    e = b.pick(takes(b, op, "dst"))
    kind = flat(b, e)
    rows, cols = kind.valid
    less = flat(b, e, (b.pick((1, rows)), b.pick((1, cols))))
    kinds = [kind, less] if b.chance(0.5) else [less, kind]
    sources = [b.source(each, small(e), promise=small(e)) for each in kinds]
    if "arg" not in op:
        b.instruct(op, [b.operand(tile) for tile in sources], kind, anything(e), avoid=sources)
        return True
    i = element("i32")
    indices = [b.source(flat(b, i, each.valid), small(i), promise=small(i)) for each in kinds]
    outs = [b.allocate(kind, anything(e)), b.allocate(flat(b, i, kind.valid), anything(i))]
    write(b, op, [b.operand(tile) for tile in (*sources, *indices)], outs)
    for tile in outs:
        b.keep(tile)
    return True


def reductions(b: Builder) -> bool:
    op = there(b, names(reduce))
    if op is None:
        return False
    by_place = "arg" in op
    types = takes(b, op, "src" if by_place else "dst")
    e = b.pick(types)
    kind = flat(b, e)
    promise = ONES if op.endswith("prod") and e.kind != "uint" else small(e)
    if op.endswith("prod") and e.kind == "uint":
        promise = Range(1, 2, nonzero=True)
    source = b.source(kind, promise, promise=promise)
    made = element(b.pick(("i32", "ui32"))) if by_place else e
    if op.startswith("trow"):
        target = flat(b, made, (kind.valid[0], 1)) if b.chance(0.5) else column(b, made, kind.valid[0])
        if target.valid != (kind.valid[0], 1):
            return False
    else:
        target = replace(kind, element=made, valid=(1, kind.valid[1]), pad="null")
        if kind.cols * made.size % 32:
            return False
    fields = [f"isBinary = {b.pick(('true', 'false'))}"] if op == "tcolsum" and b.chance(0.4) else []
    if fields and "true" not in fields[0]:
        fields = []
    b.instruct(op, [b.operand(source)], target, anything(made), fields=fields, avoid=[source])
    return True


def expansions(b: Builder) -> bool:
    op = there(b, names(expand))
    if op is None:
        return False
    e = b.pick(takes(b, op, "dst"))
    kind = flat(b, e)
    rows, cols = kind.valid
    full = b.source(kind, small(e), promise=small(e))
    if op.startswith("tcol"):
        each = b.source(flat(b, e, (b.pick((1, rows)), cols)), small(e), promise=small(e))
        sources = [full, each]
    else:
        repeated = (
            column(b, e, rows) if b.chance(0.7) or cols < 32 // e.size else flat(b, e, (rows, 32 // e.size))
        )
        if repeated.valid[0] != rows or (repeated.plain and kind.valid == repeated.valid):
            return False
        each = b.source(repeated, small(e), promise=small(e))
        # Of a destination of one column the left source is taken for the full one.
        left = op == "trowexpandadd" or cols == 1 or b.chance(0.7)
        sources = [full, each] if left else [each, full]
    fields = ["precisionType = #pto<div_precision default>"] if op.endswith("div") and b.chance(0.3) else []
    b.instruct(op, [b.operand(s) for s in sources], kind, anything(e), fields=fields, avoid=sources)
    return True


# --- conversion, sorting, patterns -------------------------------------------------------------------


def quantised(b: Builder) -> bool:
    op = there(b, ["tquant", "tdequant"])
    f = element("f32")
    rows, cols = b.pick((1, 3, 8)), b.pick((32, 64, 40))
    scales = column(b, f, rows)
    if op is None or scales.valid[0] != rows:
        return False
    scale, offset = (b.load(scales, small(f)) for _ in range(2))
    if op == "tdequant":
        i = b.pick(takes(b, op, "src"))
        source = b.source(flat(b, i, (rows, cols)), small(i), promise=small(i))
        given = [b.operand(tile) for tile in (source, scale, offset)]
        b.instruct(op, given, flat(b, f, (rows, cols)), anything(f), avoid=[source])
        return True
    signed = b.chance(0.5)
    made = flat(b, element("i8" if signed else "ui8"), (rows, cols))
    source = private(b, flat(b, f, (rows, cols)), Range(-40, 40))
    given = [b.operand(source), b.operand(scale)]
    if not signed:
        given.append(b.operand(offset))
    word = "INT8_SYM" if signed else "INT8_ASYM"
    dst = b.keep(b.allocate(made, anything(made.element)))
    write(b, op, given, [dst], [f"quant_type = #pto<quant_type {word}>"])
    return True


def sorted_pairs(b: Builder) -> bool:
    """Blocks of 32 values, sorted; four of them merged."""
    e = b.pick([x for x in takes(b, "tsort32", "dst") if x.text in ("f16", "f32")])
    each = 8 // e.size
    merges = b.chance(0.5)
    rows, cols = (1, 128) if merges else (b.pick((1, 2)), b.pick((32, 64)))
    kind = TileKind(e, rows, cols, (rows, cols))
    u = element("ui32")
    source = b.source(kind, small(e), promise=small(e))
    index = b.load(TileKind(u, rows, cols, (rows, cols)), Range(0, 1000))
    wide = TileKind(e, rows, each * cols, (rows, each * cols))
    made = b.instruct("tsort32", [b.operand(source), b.operand(index)], wide, anything(e), avoid=[source])
    if merges:
        length = (b.constant(32 * each, "i32"), "i32")
        b.instruct("tmrgsort", [b.operand(made), length], wide, anything(e), avoid=[made])
    return True


def patterns(b: Builder) -> bool:
    op = there(b, names(generate))
    if op is None:
        return False
    if op == "ttri":
        kind = flat(b, b.pick(takes(b, op, "dst")))
        given = [(b.constant(b.pick((0, 1, 2)), "i32"), "i32")]
        fields = [f"upperOrLower = {b.pick((0, 1))} : i32"] if b.chance(0.8) else []
        b.instruct(op, given, kind, anything(kind.element), fields=fields)
    elif op == "trandom":
        kind = flat(b, b.pick(takes(b, op, "dst")))
        given = [(b.constant(n, "i32"), "i32") for n in (7, 9, 1, 2, 3, 4)]
        fields = [f"rounds = {b.pick((7, 10))} : i32"] if b.chance(0.5) else []
        b.instruct(op, given, kind, anything(kind.element), fields=fields)
    else:
        u16, rows = element("ui16"), b.pick((1, 32))
        source = b.load(TileKind(u16, rows, 32, (rows, 32)), Range(0, 600))
        index = b.load(TileKind(element("ui8"), 32, 1, (rows, 1), blayout="col_major"), Range(0, 2))
        bins = TileKind(element("ui32"), rows, 256, (rows, 256))
        fields = [f"byte = {b.pick((0, 1))} : i32"]
        b.instruct(op, [b.operand(source), b.operand(index)], bins, anything(bins.element), fields=fields)
    return True


# --- movement ----------------------------------------------------------------------------------------


def movements(b: Builder) -> bool:
    op = there(b, [name for name in names(movement) if name != "tconcatidx"])
    if op is None:
        return False
    e = b.pick([x for x in b.types("tload", "tstore") if x.size < 8 and x in movable(b, op)])
    return MOVES[op](b, op, e)


def movable(b: Builder, op: str) -> list[ElementType]:
    row = rows_of(b.target, op)[0]
    spec = row.tiles["dst"]
    return [*(spec.types or ())]


def transpose(b: Builder, op: str, e: ElementType) -> bool:
    kind = flat(b, e)
    rows, cols = kind.valid
    source = b.source(kind, anything(e))
    b.instruct(op, [b.operand(source)], flat(b, e, (cols, rows)), source.range, avoid=[source])
    return True


def concatenate(b: Builder, op: str, e: ElementType) -> bool:
    kind = flat(b, e)
    other = flat(b, e, (kind.valid[0], b.pick((1, 5, 32 // e.size))))
    sources = [b.source(each, anything(e)) for each in (kind, other)]
    wide = flat(b, e, (kind.valid[0], kind.valid[1] + other.valid[1]))
    b.instruct(op, [b.operand(s) for s in sources], wide, anything(e), avoid=sources)
    return True


def part(b: Builder, e: ElementType, whole: TileKind) -> TileKind:
    """A tile for a part of another: its type is no larger, and it has an even number of bytes in a row."""
    width = 32 // e.size
    kind = flat(b, e, (b.pick((1, 4)), b.pick((3 if e.size > 1 else 2, width))))
    return replace(kind, rows=min(kind.rows, whole.rows), cols=min(kind.cols, whole.cols))


def extract(b: Builder, op: str, e: ElementType) -> bool:
    width = 32 // e.size
    source = b.source(flat(b, e, (8, 2 * width)), anything(e))
    row, col = b.pick((0, 3)), b.pick((0, width))
    given = [b.operand(source), (b.index(row), "index"), (b.index(col), "index")]
    b.instruct(op, given, part(b, e, source.kind), source.range, avoid=[source])
    return True


def insert(b: Builder, op: str, e: ElementType) -> bool:
    width = 32 // e.size
    kind = flat(b, e, (8, 2 * width))
    into = private(b, kind, anything(e))
    source = b.source(part(b, e, kind), anything(e))
    given = [b.operand(source), (b.index(b.pick((0, 3))), "index"), (b.index(b.pick((0, width))), "index")]
    write(b, op, given, [into])
    b.keep(Tile(into.name, kind, anything(e)))
    return True


def fill(b: Builder, op: str, e: ElementType) -> bool:
    kind = flat(b, e)
    source = b.source(kind, anything(e))
    shape = kind.rows, kind.cols
    if b.chance(0.4):
        shape = kind.rows + 8, kind.cols + 32 // e.size
    padded = TileKind(e, *shape, shape, pad=b.pick(("zero", "max", "min")))
    b.instruct(op, [b.operand(source)], padded, anything(e), avoid=[source])
    return True


MOVES = {
    "ttrans": transpose,
    "tconcat": concatenate,
    "textract": extract,
    "tinsert": insert,
    "tfillpad": fill,
}

FRAGMENTS = (
    (8, by_element),
    (3, masks),
    (3, parts),
    (4, reductions),
    (6, expansions),
    (2, quantised),
    (2, sorted_pairs),
    (2, patterns),
    (4, movements),
)

CHAPTERS = (elementwise, tile_scalar, compare, partial, reduce, expand, quant, sort, generate, movement)
OTHERS = frozenset({"set_quant_scalar", "set_quant_vector"})
"""Instructions left to the tests of their family: scales of the fix pipe."""


def generated(target: Target) -> set[str]:
    """The instructions of these families that a target has, and that programs must have."""
    every = {name for chapter in CHAPTERS for name in names(chapter)}
    return {name for name in every - OLDER - OTHERS if rows_of(target, name)}
