"""Fragments of programs: gathers and scatters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ptoas.dialects.pto.element_types import ElementType

from .builder import Builder
from .values import EXACT, NUMBERS, Range, Tile, TileKind, anything, element, numbers, small

GATHER_OOB = ("undefined", "clamp", "wrap", "zero")
SCATTER_OOB = ("undefined", "skip", "clamp", "wrap")


def wild(b: Builder, e: ElementType, capacity: int) -> Callable[[int], np.ndarray]:
    """Indices of which some are far outside, negative ones too."""

    def values(count: int) -> np.ndarray:
        inside = numbers(b.random, element("i64"), count, Range(0, capacity - 1))
        outside = numbers(b.random, e, count, anything(e)).astype(np.int64)
        near = np.array([capacity, capacity + 3, -1, -(2**31), 2**31 - 1, -capacity - 2], np.int64)
        chosen = numbers(b.random, element("i64"), count, Range(0, 9))
        pick = near[chosen % len(near)]
        mixed = np.where(chosen < 5, inside, np.where(chosen < 9, pick, outside))
        return (mixed % 2**32).astype(np.uint32).view(NUMBERS[e.text])

    return values


def index_tile(
    b: Builder, kind: TileKind, capacity: int, checked: bool, avoid: list[Tile] | None = None
) -> Tile:
    """Indices for a table: inside it, or anything where a mode says what happens."""
    inside = Range(0, capacity - 1)
    if not checked:
        return b.source(kind, inside, avoid or ())
    return b.load(kind, anything(kind.element), start=wild(b, kind.element, capacity))


def distinct(b: Builder, e: ElementType, capacity: int) -> Callable[[int], np.ndarray]:
    """Indices that all differ."""

    def values(count: int) -> np.ndarray:
        order = list(range(capacity))
        b.random.shuffle(order)
        return np.array((order * (count // capacity + 1))[:count]).astype(NUMBERS[e.text])

    return values


def row_index(b: Builder, rows: int, open: bool, along: str) -> TileKind:
    """[1, R] row-major or [R, 1] column-major."""
    e = element(b.pick(("i32", "u32")))
    if along == "row":
        kind = b.kind(e, (1, rows), open=False)
        return replace(kind, rows=1, open=(False, open))
    kind = b.kind(e, (rows, 1), "dn", open=False)
    return replace(kind, cols=1, open=(open, False))


def mgather(b: Builder) -> bool:
    name = b.target_name
    if name == "a2a3" and b.chance(0.3):
        return mgather_nz(b)
    e = b.pick(b.types("mgather", "tload"))
    row = b.chance(0.5)
    oob = b.pick(GATHER_OOB)
    if name == "cpu":
        if not b.legalize and not b.chance(0.3):
            row, oob = False, "undefined"
        if oob == "zero" and e not in b.types("tgather.index"):
            oob = "clamp"  # what `zero` is rewritten into takes fewer types
        b.legalize = b.legalize or row or oob != "undefined"
    layout = b.pick(("nd", "dn")) if name in ("a5", "a5-custom") else "nd"
    kind = b.kind(e, layout=layout)
    if name == "a5-custom":
        kind = replace(kind, open=(False, False))
        if row and kind.rows % 8:
            return False  # the column of indices has the destination's rows
        if not row and kind.cols == 1:
            return False  # one column is read as rows
    if kind.layout == "dn" and name in ("cpu", "a2a3"):
        return False
    cols = kind.valid[1]
    wider = cols + (b.pick((0, 0, 3)) if name == "a2a3" else 0)
    table_rows = b.pick((1, 7, 24))
    shape: tuple[int, ...] = (table_rows, wider if row else b.pick((cols, 13)))
    if name == "a2a3" and b.chance(0.2):
        shape = (2, *shape)
    fixed = tuple(False for _ in shape)
    dynamic: tuple[bool, ...] | None = None
    if row and name == "a5":
        dynamic = (b.chance(0.3), kind.open[1])
    elif name == "a5-custom" or b.legalize:
        dynamic = fixed
    table = b.memory(
        e,
        shape,
        "nd",
        anything(e),
        padded=row and name == "a2a3" and len(shape) == 2,
        dynamic=dynamic,
        parts=row,
    )
    capacity = int(np.prod(shape[:-1])) if row else int(np.prod(shape))
    if row and name in ("a5", "a5-custom", "cpu"):
        capacity = shape[-2]
    index_kind = gather_index_kind(b, kind, row)
    idx = index_tile(b, index_kind, capacity, oob != "undefined")
    modes = [("coalesce", "coalesce", "row" if row else "elem")]
    default = {"cpu": not row, "a2a3": row, "a5": row, "a5-custom": True}[name]
    if default and b.chance(0.2):
        modes = []
    if oob != "undefined" or b.chance(0.1):
        modes.append(("gatherOob", "gather_oob", oob))
    sources = [(table.name, table.type), b.operand(idx)]
    b.instruct("mgather", sources, kind, anything(e), modes=modes, avoid=[idx])
    return True


def gather_index_kind(b: Builder, kind: TileKind, row: bool) -> TileKind:
    name = b.target_name
    rows = kind.valid[0]
    e = element(b.pick(("i32", "u32")))
    if row:
        along = "row"
        if name == "a5-custom" or (name == "a5" and b.chance(0.5)):
            along = "column"
        found = row_index(b, rows, kind.open[0] and name != "cpu", along)
        if name == "a5-custom":
            found = replace(found, rows=kind.rows, blayout="col_major")
        return found
    if name == "a5-custom":
        return replace(kind, element=e, pad="null")
    layout = b.pick(("nd", "dn")) if name == "a5" else "nd"
    found = replace(b.kind(e, kind.valid, layout, open=False), open=kind.open)
    return replace(found, rows=kind.rows) if name == "cpu" else found


def mgather_nz(b: Builder) -> bool:
    """Fractal table and fractal tile."""
    e = b.pick(b.types("mgather", "tload"))
    width = 32 // e.size
    kind = b.kind(e, layout="nz")
    row, oob = b.chance(0.5), b.pick(GATHER_OOB)
    blocks = b.pick((1, 3))
    batch = b.pick((1, 1, 2)) if kind.cols // width == 2 else 1
    shape = (batch, kind.cols // width // batch, blocks, 16, width)
    table = b.memory(e, shape, "nz", anything(e), dynamic=(False,) * 5)
    capacity = blocks * 16 * (1 if row else kind.cols)
    index_e = element(b.pick(("i32", "u32")))
    index_kind = row_index(b, kind.rows, False, "row") if row else b.kind(index_e, kind.valid, open=False)
    idx = index_tile(b, index_kind, capacity, oob != "undefined")
    modes = [("coalesce", "coalesce", "row" if row else "elem")]
    if oob != "undefined":
        modes.append(("gatherOob", "gather_oob", oob))
    b.instruct(
        "mgather", [(table.name, table.type), b.operand(idx)], kind, anything(e), modes=modes, avoid=[idx]
    )
    return True


def mscatter(b: Builder) -> bool:
    name = b.target_name
    if name == "a5-custom" and not b.chance(0.1):
        return False  # it has no C++ there
    atomic = b.pick(("none", "none", "add", "max", "min"))
    keys = ["mscatter", "tload"] + ([f"mscatter.{atomic}"] if atomic != "none" else [])
    types = b.types(*keys)
    if not types:
        return False
    e = b.pick(types)
    row = b.chance(0.5)
    nz = name == "a2a3" and b.chance(0.25)
    devices = name in ("a5", "a5-custom")
    layout = "nz" if nz else b.pick(("nd", "dn")) if devices else "nd"
    kind = b.kind(e, layout=layout)
    if kind.layout == "dn" and not devices:
        return False
    rows, cols = kind.valid
    counted = atomic != "none"
    promise = small(e) if counted else anything(e)
    wanted = Range(-7, 7) if counted else anything(e)
    if atomic == "add" and not e.is_integer:
        # Nothing orders the additions, so the sums have to be exact, should all go to one place.
        if rows * cols * b.trips + 7 > EXACT[e.text]:
            return False
        wanted = promise = Range(-1, 1, nonzero=True)
    source = b.source(kind, wanted, promise=promise)
    oob = b.pick(SCATTER_OOB)
    conflict = b.pick(("last", "default")) if name != "a2a3" and atomic == "none" and b.chance(0.3) else None
    if conflict == "default":
        oob = "undefined"
    room = 7.0 * (rows * cols * b.trips + 1)
    table_range = Range(0 if e.kind == "uint" else -room, room) if counted else anything(e)
    width = 32 // e.size
    table_rows = b.pick((3, 24)) if conflict != "default" else 40
    if nz:
        shape: tuple[int, ...] = (1, kind.cols // width, 2, 16, width)
        capacity = 32 if row else 32 * kind.cols
    else:
        shape = (table_rows, cols if row else b.pick((cols, 13)))
        capacity = table_rows if row else table_rows * shape[1]
    if conflict == "default" and capacity < (rows if row else rows * cols):
        return False
    dynamic: tuple[bool, ...] | None = (False,) * len(shape)
    if row and devices:
        dynamic = (b.chance(0.3), kind.open[1])
    start = Range(max(table_range.low, -7), min(table_range.high, 7)) if counted else anything(e)
    padded = row and name == "a2a3" and not nz
    table = b.memory(
        e, shape, "nz" if nz else "nd", table_range, start=start, padded=padded, dynamic=dynamic, parts=row
    )
    index_kind = scatter_index_kind(b, kind, row)
    if conflict == "default":
        want = anything(index_kind.element)
        idx = b.load(index_kind, want, start=distinct(b, index_kind.element, capacity))
    else:
        idx = index_tile(b, index_kind, capacity, oob != "undefined")
    modes = [("coalesce", "coalesce", "row" if row else "elem")]
    if oob != "undefined" or b.chance(0.1):
        modes.append(("scatterOob", "scatter_oob", oob))
    fields: list[str] = []
    if atomic != "none":
        fields.append(f"scatterAtomicOp = #pto<scatter_atomic_op {atomic}>")
    if conflict:
        fields.append(f"scatterConflict = #pto<scatter_conflict {conflict}>")
    sources = [b.operand(source), b.operand(idx)]
    b.effect("mscatter", sources, (table.name, table.type), kind, modes, fields)
    return True


def scatter_index_kind(b: Builder, kind: TileKind, row: bool) -> TileKind:
    name, rows = b.target_name, kind.valid[0]
    e = element(b.pick(("i32", "u32")))
    if name == "cpu":
        valid = (rows, 1) if row else kind.valid
        cols = -(-valid[1] // 8) * 8
        return TileKind(e, kind.rows, cols, valid, (kind.open[0], kind.open[1] and not row))
    if row:
        along = "column" if name != "a2a3" and b.chance(0.5) else "row"
        return row_index(b, rows, kind.open[0], along)
    layout = b.pick(("nd", "dn")) if name != "a2a3" else "nd"
    return replace(b.kind(e, kind.valid, layout, open=False), open=kind.open)


def tgather_index(b: Builder) -> bool:
    e = b.pick(b.types("tgather.index", "tload"))
    index_e = b.pick(b.types("tgather.indices"))
    source_kind = b.kind(e, full=True, layout="nd")
    source = b.source(source_kind, anything(e))
    valid = b.shape(e if e.size < index_e.size else index_e, "nd", True)
    index_kind = b.kind(index_e, valid, full=True, open=False)
    kind = b.kind(e, valid, full=True, open=False)
    capacity = source_kind.rows * source_kind.cols
    idx = index_tile(b, index_kind, capacity, False, [source])
    operands = [b.operand(source), b.operand(idx)]
    if b.chance(0.3) and (b.opens or b.style.form == "asm") and b.style.form != "asm":
        operands.append(b.operand(b.allocate(index_kind, anything(index_e), "scratch")))
    b.instruct("tgather", operands, kind, source.range, avoid=[source, idx])
    return True


PATTERNS = {
    "P0101": (0, 2),
    "P1010": (1, 2),
    "P0001": (0, 4),
    "P0010": (1, 4),
    "P0100": (2, 4),
    "P1000": (3, 4),
    "P1111": (0, 1),
}


def tgather_mask(b: Builder) -> bool:
    e = b.pick(b.types("tgather.mask", "tload"))
    pattern = b.pick(list(PATTERNS))
    step = PATTERNS[pattern][1]
    width = 32 // e.size
    rows = b.pick((1, 4, 8))
    fields = [f"maskPattern = #pto.mask_pattern<{pattern}>"]
    if b.chance(0.25):
        rows = 4 * b.pick((1, 2))
        kind = TileKind(e, rows, width, (rows, width))
        target = TileKind(e, rows // step, width, (rows // step, width))
        fields.append('axis = "col"')
    else:
        kind = TileKind(e, rows, width * step, (rows, width * step))
        target = TileKind(e, rows, width, (rows, width))
        if b.chance(0.2):
            target = TileKind(e, 1, width * rows, (1, width * rows))
    source = b.source(kind, anything(e))
    b.instruct("tgather", [b.operand(source)], target, source.range, fields=fields, avoid=[source])
    return True


def computable_small(e: ElementType) -> Range:
    return Range(0 if e.kind == "uint" else -100, 100, whole=e.is_integer)


def tgatherb(b: Builder) -> bool:
    e = b.pick(b.types("tgatherb", "tload"))
    source = b.source(b.kind(e, full=True), anything(e))
    width = 32 // e.size
    blocks, rows = b.pick((1, 2)), b.pick((1, 8))
    valid = (rows, blocks * width)
    if b.target_name != "cpu" and b.chance(0.3):
        valid = (rows, blocks * width - 3)
    kind = b.kind(e, valid, open=False)
    offset_e = element(b.pick(("i32", "u32")))
    offsets = TileKind(offset_e, rows, 8, (rows, blocks))
    places = source.kind.bytes // 32

    def values(count: int) -> np.ndarray:
        found = numbers(b.random, element("i64"), count, Range(0, places - 1))
        return (found * 32).astype(NUMBERS[offset_e.text])

    chosen = b.load(offsets, Range(0, source.kind.bytes - 32), start=values)
    b.instruct("tgatherb", [b.operand(source), b.operand(chosen)], kind, source.range, avoid=[source, chosen])
    return True


def tscatter(b: Builder) -> bool:
    e = b.pick(b.types("tscatter", "tload"))
    kind = b.kind(e, full=True)
    index_e = element(b.pick(("i16", "u16") if e.size < 4 else ("i32", "u32")))
    index_kind = b.kind(index_e, kind.valid, open=False)
    if index_kind.layout != "nd":
        return False
    source = b.source(kind, anything(e))
    target_kind = b.kind(e, full=True)
    capacity = target_kind.rows * target_kind.cols
    idx = index_tile(b, index_kind, min(capacity, 2**15), False, [source])
    into = None
    if b.target_name == "cpu":
        # The simulator clears nothing: the destination has to be there before.
        if not b.opens:
            return False
        into = b.keep(b.allocate(target_kind, anything(e)))
        view = b.view(e, target_kind.valid, "nd", anything(e))
        b.instruct("tload", [(view.name, view.type)], target_kind, anything(e), into=into)
    found = source.range.join(Range(0, 0))
    b.instruct(
        "tscatter", [b.operand(source), b.operand(idx)], target_kind, found, avoid=[source, idx], into=into
    )
    return True
