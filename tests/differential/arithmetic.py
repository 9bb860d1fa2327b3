"""Fragments of programs: arithmetic on tiles, conversions, expansions, reductions."""

from __future__ import annotations

from dataclasses import replace
from math import exp

from ptoas.dialects.pto.element_types import ElementType

from .builder import Builder
from .types import data_of
from .values import EXACT, Range, Tile, TileKind, anything, element, limits, small


def wrapped(e: ElementType, found: Range) -> Range | None:
    """Integers wrap; a float must not leave its range."""
    if found.fits(e):
        return found
    return anything(e) if e.is_integer else None


def combine(op: str, e: ElementType, a: Range, b: Range) -> Range | None:
    """The facts about the result, or None if the operation is not sufficiently defined."""
    if a.arbitrary or b.arbitrary:
        return None
    exact = e.is_integer
    whole = exact or (a.whole and b.whole)
    match op:
        case "tadd" | "tadds":
            return wrapped(e, Range(a.low + b.low, a.high + b.high, whole))
        case "tsub" | "tsubs":
            return wrapped(e, Range(a.low - b.high, a.high - b.low, whole))
        case "tmul" | "tmuls":
            ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            signless = exact or (a.nonzero and b.nonzero) or (a.low >= 0 and b.low >= 0)
            return wrapped(e, Range(min(ends), max(ends), whole and signless))
        case "tmax" | "tmin":
            # With two zeros of different sign no document says which is the greater.
            return a.join(b) if whole else None
        case _:
            if not b.nonzero or (exact and a.low == limits(e)[0] and e.kind == "int"):
                return None
            bound = max(abs(a.low), abs(a.high))
            return Range(-bound if min(a.low, b.low) < 0 else 0, bound, whole=exact)


def arithmetic_kind(b: Builder, types: list[ElementType]) -> TileKind:
    """The kind of a tile that is there, or a new one."""
    known = [t.kind for t in b.alive if t.kind.element in types and t.kind.plain and t.kind.loc == "vec"]
    if known and b.chance(0.7):
        return b.pick(known)
    return b.kind(b.pick(types), pads=True)


def computable(e: ElementType) -> Range:
    low, high = limits(e)
    return Range(low, high, whole=e.is_integer)


def restyled(b: Builder, op: str, kind: TileKind) -> TileKind:
    """Another tile of the same valid shape."""
    if not b.chance(0.15) or (op == "tadd" and b.target_name == "cpu"):
        return kind  # the simulator has one type for the tiles of a sum
    other = b.kind(kind.element, kind.valid, open=False)
    opened = kind.open if b.opens else (False, False)
    return replace(other, open=opened) if other.plain else kind


def binary(b: Builder) -> bool:
    op = b.pick(("tadd", "tsub", "tmul", "tdiv", "tmax", "tmin"))
    kind = arithmetic_kind(b, b.types(op))
    e = kind.element
    first = b.source(kind, computable(e), promise=small(e))
    second = b.source(kind, small(e) if op == "tdiv" else computable(e), promise=small(e))
    found = combine(op, e, first.range, second.range)
    if found is None:
        return False
    b.instruct(op, [b.operand(first), b.operand(second)], restyled(b, op, kind), found)
    return True


def scalar(b: Builder) -> bool:
    op = b.pick(("tadds", "tsubs", "tmuls"))
    kind = arithmetic_kind(b, b.types(op))
    e = kind.element
    source = b.source(kind, computable(e), promise=small(e))
    value = b.pick((1, 2, 3) if e.kind == "uint" else (1, -3, 2) if e.is_integer else (0.5, 2.0, -3.0))
    constant = Range(value, value, whole=value == int(value), nonzero=True)
    found = combine(op, e, source.range, constant)
    if found is None:
        return False
    b.instruct(op, [b.operand(source), b.scalar(e, value)], kind, found)
    return True


def unary(b: Builder) -> bool:
    op = b.pick(("tneg", "tabs", "texp", "tneg", "tabs"))
    kind = arithmetic_kind(b, b.types(op))
    e = kind.element
    want = Range(-7, 7, whole=False) if op == "texp" else computable(e)
    source = b.source(kind, want, promise=small(e))
    r = source.range
    found: Range | None
    if op == "texp":
        found = Range(0, exp(7) + 1, whole=False)
    elif op == "tneg":
        found = wrapped(e, Range(-r.high, -r.low, e.is_integer or (r.whole and r.nonzero), r.nonzero))
    else:
        bound = max(abs(r.low), abs(r.high))
        found = wrapped(e, Range(0, bound, r.whole, r.nonzero))
    if found is None:
        return False
    b.instruct(op, [b.operand(source)], kind, found)
    return True


def move(b: Builder) -> bool:
    types = b.types("tmov", "tload", "tstore")
    known = [t for t in b.alive if t.kind.element in types and t.kind.loc == "vec"]
    if known and b.chance(0.7):
        source: Tile = b.pick(known)
    else:
        e = b.pick(types)
        source = b.load(b.kind(e, layout=b.pick(("nd", "nd", "dn", "nz"))), anything(e))
    if source.kind.slayout != "none_box" and b.target.name.startswith("a5"):
        # TMOV copies blocks of Zn there; a part of Nz may be all of it.
        if source.kind.element not in b.types("textract"):
            return False
        start = (b.index(0), "index")
        b.instruct("textract", [b.operand(source), start, start], source.kind, source.range)
        return True
    b.instruct("tmov", [b.operand(source)], source.kind, source.range)
    return True


def expand_scalar(b: Builder) -> bool:
    e = b.pick(b.types("texpands"))
    layout = b.pick(("nd", "nd", "nd", "dn"))
    value = b.pick((1, 2, 5) if e.kind == "uint" else (1, -4, 6) if e.is_integer else (1.25, -2.0, 3.0))
    found = Range(value, value, value == int(value), nonzero=True)
    b.instruct("texpands", [b.scalar(e, value)], b.kind(e, layout=layout, pads=True), found)
    return True


def sequence(b: Builder) -> bool:
    e = b.pick(b.types("tci"))
    start = b.pick((0, 5, 60))
    descending = b.chance(0.5)
    cols = b.pick((32 // e.size, 2 * (32 // e.size), 7))
    kind = b.kind(e, (1, cols))
    if kind.rows != 1:
        kind = replace(kind, rows=1)
    ends = sorted((start, start - cols + 1 if descending else start + cols - 1))
    found = wrapped(e, Range(ends[0], ends[1]))
    if found is None:
        return False
    b.instruct(
        "tci", [b.scalar(e, start)], kind, found, fields=[f"descending = {'true' if descending else 'false'}"]
    )
    return True


MODES = ("NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "CAST_RINT")


def convert(b: Builder) -> bool:
    pairs: dict[str, str] = data_of(b.target, "conversion_exists", "pairs")
    source_text = b.pick([text for text in pairs if "x2" not in text])
    target_text = b.pick([text for text in pairs[source_text].split() if "x2" not in text])
    if b.chance(0.1):
        source_text, target_text = "f32", "f16"  # the pair with most modes
    source_e, e = element(source_text), element(target_text)
    low, high = limits(source_e)
    if not high:
        return False  # 8-bit floats are moved here, and converted only to
    valid = b.shape(source_e if source_e.size < e.size else e, "nd", False)
    kind, target = b.kind(source_e, valid, open=False), b.kind(e, valid, open=False)
    if not (kind.plain and target.plain):
        return False
    # Out of range the devices saturate or keep the low bits; the simulator's cast of a float is undefined.
    bound = 100
    if b.target_name != "cpu" or (source_e.is_integer and e.is_integer):
        bound = b.pick((100, 100, 1000, 60000))
    if not e.is_integer and not source_e.is_integer:
        bound = min(bound, 30000)
    signed = "uint" not in (source_e.kind, e.kind) or b.target_name != "cpu"
    promise = Range(max(-bound if signed else 0, low), min(bound, high), whole=source_e.is_integer)
    source = b.source(kind, promise)
    modes = (*MODES, "ODD")
    if (source_e.text, e.text) == ("f32", "f16") and b.target_name != "cpu":
        modes = (*MODES, "ODD", "ODD")
    fields = [f"rmode = #pto<round_mode {b.pick(modes)}>"] if b.chance(0.85) else []
    if b.chance(0.5):
        fields.append(f"satmode = #pto<saturation_mode {b.pick(('ON', 'OFF'))}>")
    b.instruct("tcvt", [b.operand(source)], target, converted(source.range, source_e, e), fields=fields)
    if e.text == "!pto.hif8":
        b.has_cpp = False
    return True


def converted(r: Range, source: ElementType, e: ElementType) -> Range:
    """The facts about a converted number: rounding moves it by less than one, or by a part of itself."""
    bound = 2 * max(abs(r.low), abs(r.high)) + 1
    if not limits(e)[1]:
        return anything(e)
    found = Range(-bound if r.low < 0 else 0, bound, e.is_integer or r.whole)
    if e.is_integer and not found.fits(e):
        return anything(e)
    return found


def expand_rows(b: Builder) -> bool:
    """One column along the rows; the column may be the result of a reduction."""
    types = b.types("trowexpand", "tload")
    columns = [t for t in b.alive if t.kind.element in types and t.kind.valid[1] == 1 and t.kind.loc == "vec"]
    columns = [t for t in columns if t.kind.slayout == "none_box"]
    if columns and b.chance(0.8):
        source: Tile = b.pick(columns)
    else:
        e = b.pick(types)
        rows = b.pick((1, 8, 32))
        source = b.load(b.kind(e, (rows, 1), b.pick(("nd", "dn")), open=False), anything(e))
    e = source.kind.element
    kind = b.kind(e, (source.kind.valid[0], b.pick((32 // e.size, 5))), open=False)
    if not kind.plain:
        return False
    b.instruct("trowexpand", [b.operand(source)], kind, source.range, avoid=[source])
    return True


def expand_columns(b: Builder) -> bool:
    kind = arithmetic_kind(b, b.types("tcolexpand", "tload"))
    source = b.source(kind, anything(kind.element))
    rows = b.pick((source.kind.valid[0], 1, 8))
    target = kind if rows == kind.valid[0] else b.kind(kind.element, (rows, kind.valid[1]), open=False)
    if not target.plain:
        return False
    b.instruct("tcolexpand", [b.operand(source)], target, source.range, avoid=[source])
    return True


def reduce_rows(b: Builder) -> bool:
    op = b.pick(("trowsum", "trowmax"))
    kind = arithmetic_kind(b, b.types(op, "tload"))
    e = kind.element
    want = computable(e)
    if not e.is_integer:
        bound = EXACT[e.text] // kind.valid[1] if op == "trowsum" else EXACT[e.text]
        want = Range(-bound, bound)
    source = b.source(kind, want, promise=small(e) if small(e).high * kind.valid[1] <= want.high else None)
    r, cols = source.range, kind.valid[1]
    found: Range | None = r
    if op == "trowsum":
        found = wrapped(e, Range(min(r.low * cols, r.low), max(r.high * cols, r.high)))
    if found is None:
        return False
    target = b.kind(e, (kind.valid[0], 1), b.pick(("nd", "dn")), open=False)
    if target.layout == "dn" and target.cols != 1:
        target = replace(target, cols=1)
    if op == "trowsum" and b.target_name == "cpu":
        target = replace(b.kind(e, (kind.valid[0], 1), full=True, open=False), rows=kind.rows)
    b.instruct(op, [b.operand(source)], target, found, avoid=[source])
    return True
