"""Fragments of programs: instructions whose operands fit together in a way of their own."""

from __future__ import annotations

import numpy as np

from .builder import Builder
from .families import flat, private, rows_of, takes, write
from .values import Range, Tile, TileKind, anything, element, numbers, small


def elements(b: Builder) -> bool:
    """One element is set, another is read, and fills a tile."""
    e = element(b.pick(("i32", "f32")))
    kind = flat(b, e, (b.pick((1, 8)), 16))
    tile, type = private(b, kind, small(e)), b.type_text(kind)
    value, _ = b.scalar(e, 3)
    b.record("tsetval", kind, (), ())
    b.line(
        f"pto.tsetval ins({b.index(b.pick((0, 5)))}, {value} : index, {e.text}) outs({tile.name} : {type})"
    )
    b.after()
    found, at = b.fresh("v"), b.index(b.pick((0, 5, 9)))
    b.record("tgetval", kind, (), ())
    b.line(f"{found} = pto.tgetval ins({tile.name}, {at} : {type}, index) outs : {e.text}")
    b.after()
    b.instruct("texpands", [(found, e.text)], flat(b, e), small(e))
    b.keep(Tile(tile.name, kind, small(e)))
    return True


def counted_columns(b: Builder) -> bool:
    """So many columns of one source and so many of the other; the counts are in bytes of their type."""
    if not rows_of(b.target, "tconcatidx"):
        return False
    e, i = b.pick([e for e in takes(b, "tconcatidx", "dst") if e.size < 8]), element("i32")
    width, rows = 64 // e.size, b.pick((1, 8))
    wide = TileKind(e, rows, 2 * width, (rows, 2 * width))
    counts = TileKind(i, rows, 8, (rows, 1))
    sources = [b.source(TileKind(e, rows, width, (rows, width)), anything(e)) for _ in range(2)]

    def some(count: int) -> np.ndarray:
        return np.array([4 * b.random.randint(0, width) for _ in range(count)], np.int32)

    sizes = [b.load(counts, Range(0, 4 * width), some) for _ in range(2)]
    into = private(b, wide, anything(e))
    write(b, "tconcatidx", [b.operand(tile) for tile in (*sources, *sizes)], [into])
    b.keep(Tile(into.name, wide, anything(e)))
    return True


def blocks_with_exponents(b: Builder) -> bool:
    """Blocks of 32 numbers along a row or down a column share an exponent."""
    if not rows_of(b.target, "tquant.mx"):
        return False
    f, byte = element("f32"), element("ui8")
    down = b.chance(0.5)
    rows, cols = (64, 32) if down else (16, 64)
    source = b.source(TileKind(f, rows, cols, (rows, cols)), small(f), promise=small(f))
    if down:
        shapes = [TileKind(byte, 2, 32, (2, 32)), *(TileKind(f, 2, 32, (2, 32)) for _ in range(2))]
    else:
        shapes = [TileKind(byte, 16, 32, (16, 2)), *(TileKind(f, 1, 32, (1, 32)) for _ in range(2))]
    kinds = [TileKind(element("i8"), rows, cols, (rows, cols)), *shapes]
    outs = [b.keep(b.allocate(kind, anything(kind.element))) for kind in kinds]
    fields = ["quant_type = #pto<quant_type MXFP8>"]
    if down:
        fields.append("grpAxis = #pto<mx_group_axis axis0>")
    if b.chance(0.4):
        fields.append("quantScaleAlg = #pto<quant_scale_alg nv>")
    write(b, "tquant.mx", [b.operand(source)], outs, fields)
    return True


def exponents_in_boxes(b: Builder) -> bool:
    """Exponents as the matrix unit reads them; boxes of bytes are not stored, so that single ones are."""
    if not rows_of(b.target, "tquant.mx") or not b.target.has_pipes:
        return False
    byte = element("ui8")
    source = private(b, TileKind(byte, 1, 64, (1, 64)), anything(byte))
    scratch = b.allocate(TileKind(byte, 1, 96, (1, 96)), anything(byte))
    boxes = b.allocate(TileKind(byte, 16, 32, (16, 4), slayout="row_major"), anything(byte))
    made, type = b.operand(boxes)
    given = ", ".join(f"{name} : {of}" for name, of in map(b.operand, (source, scratch)))
    b.record("tmov to boxes", source.kind, (), ())
    b.line(f"pto.tmov ins({given}) outs({made} : {type})")
    b.after()
    argument = b.pointer(byte, numbers(b.random, byte, 4, small(byte)))
    for place in (1, 3):
        found = b.fresh("v")
        offset = b.index(b.pick((0, 1, 2, 33, 63)))
        b.line(f"{found} = pto.tgetval ins({made}, {offset} : {type}, index) outs : ui8")
        b.after()
        b.line(f"pto.store_scalar {found}, {argument.name}[{b.index(place)}] : {argument.type}, ui8")
        b.after()
    return True


def merged_lists(b: Builder) -> bool:
    """Two to four lists of 32 sorted pairs become one."""
    e, u = element(b.pick(("f16", "f32"))), element("ui32")
    each = 8 // e.size
    kind, wide = TileKind(e, 1, 32, (1, 32)), TileKind(e, 1, 32 * each, (1, 32 * each))
    lists: list[Tile] = []
    for _ in range(b.pick((2, 3, 4))):
        source = b.source(kind, small(e), promise=small(e))
        index = b.load(TileKind(u, 1, 32, (1, 32)), Range(0, 1000))
        given = [b.operand(source), b.operand(index)]
        lists.append(b.instruct("tsort32", given, wide, anything(e), avoid=[source, *lists]))
    total = len(lists) * wide.cols
    into = TileKind(e, 1, total, (1, total))
    dst, tmp = (b.allocate(into, anything(e)) for _ in range(2))
    names, types = zip(*map(b.operand, (*lists, tmp)), strict=True)
    (made, type), counts = b.operand(dst), b.fresh("counts")
    b.record("tmrgsort", into, (), ("lists",))
    b.line(f"{counts} = arith.constant dense<0> : vector<4xi16>")
    operands = f"{', '.join(names)} {{exhausted = false}} : {', '.join(types)}"
    b.line(f"pto.tmrgsort ins({operands}) outs({made}, {counts} : {type}, vector<4xi16>)")
    b.after()
    b.keep(dst)
    return True


FRAGMENTS = (
    (1, elements),
    (1, counted_columns),
    (1, blocks_with_exponents),
    (0.7, exponents_in_boxes),
    (0.7, merged_lists),
)
