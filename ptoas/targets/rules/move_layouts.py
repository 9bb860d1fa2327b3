"""Layouts between which a tile can be moved (headers of TMOV, TEXTRACT, TINSERT)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from types import MappingProxyType

from ptoas.analysis.knowledge import TileFacts, shape_str
from ptoas.dialects.pto.enums import BLayout, CompactMode, SLayout, TileLoc
from ptoas.dialects.pto.geometry import BOX_ROWS, BURST, LAYOUTS, box_of, steps_made
from ptoas.dialects.pto.memory import TLoadOp
from ptoas.dialects.pto.movement import FixpipeOp, TExtractOp, TInsertOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets import drawing
from ptoas.targets.declaration import set_valid
from ptoas.targets.facts import Facts
from ptoas.targets.relation import Relation, constraint, orders_note
from ptoas.targets.rule import Related, Violations, mismatch, rule
from ptoas.targets.rules.examples import tload

Ways = Mapping[str, str]
"""The pairs of layouts for two memories: `{"acc mat": "*-nz"}`; `*` is any layout of the memory
(PTO-V109).
"""

ORDERS = {name.lower(): order for name, order in LAYOUTS.items()}
BLOCK = 512
"""Bytes of a block of an operand."""

TEXTS = {
    **{name: f"{blocks.value} + {inside.value}" for name, (blocks, inside) in ORDERS.items()},
    "row": "row_major + none_box with one row",
    "nz8": "col_major + row_major, fractal 512, of f32",
    "nz16": "col_major + row_major, fractal 1024, of 4 bytes",
}


def _names(tile: TileFacts, from_acc: bool) -> set[str]:
    """The names of a tile's layout in the table.

    Accumulators are written in blocks of 16 columns: for 4-byte elements these are 1024 bytes, and only f32
    is split in two.
    """
    name = next(name for name, order in ORDERS.items() if order == (tile.type.blayout, tile.type.slayout))
    if name == "nd" and tile.rows == 1:
        return {"nd", "row"}
    if name != "nz" or not from_acc:
        return {name}
    match tile.size, tile.type.fractal, tile.element.text:
        case 4, 1024, _:
            return {"nz16"}
        case 4, 512, "f32":
            return {"nz8"}
        case 1 | 2, 512, _:
            return {"nz"}
        case _:
            return set()


def _is_narrow(tile: TileFacts) -> bool:
    """Return True if a row has 32 bytes: then plain rows and one column of blocks are the same bytes."""
    return tile.cols * tile.size == BURST


@rule(
    "PTO-K120",
    source="headers of TMOV, TEXTRACT and TINSERT: static checks of fractals, and what they calculate",
    reason="Blocks are moved whole, and only some of them are reordered; in another layout the elements "
    "would be in the wrong order.",
)
def move_between_layouts_exists(
    op: FixpipeOp, know: Facts, layouts: Ways = MappingProxyType({})
) -> Violations:
    """The target must support a move between the layouts of both tiles: into left and right from Nz, Zn or
    one plain row; from acc to Nz, on A5 also to plain rows; from vec to mat on A5 in the same layout.
    Within vec tmov keeps the layout, and on A5 converts plain rows to Nz or Zn."""
    src, dst = know.tile("src"), know.tile("dst")
    pairs = [pair.split("-") for pair in layouts.get(f"{src.loc.value} {dst.loc.value}", "").split()]
    if not pairs:
        return
    here, there = _names(src, False), _names(dst, src.loc is TileLoc.Acc)
    if any((a == "*" or a in here) and (b == "*" or b in there) for a, b in pairs):
        return
    narrow = _is_narrow(src) and _is_narrow(dst)
    if (src.loc, dst.loc) == (TileLoc.Vec, TileLoc.Mat) and {*here, *there} == {"nd", "nz"} and narrow:
        return
    by_source = all(b == "*" for _, b in pairs)
    slot, tile = ("src", src) if by_source else ("dst", dst)
    expected = [a if by_source else b for a, b in pairs if by_source or a == "*" or a in here]
    if not expected:  # The source has no way at all: the destination's layout is what it needs.
        slot, tile = "src", src
        expected = [a for a, b in pairs if b in there] or [a for a, _ in pairs]
    found, texts = tile.layout_text, TEXTS
    if tile.type.slayout is SLayout.NoneBox:
        found += f", {tile.rows} rows"
    elif src.loc is TileLoc.Acc and slot == "dst":
        found += f", of {tile.element_name}"
        texts = TEXTS | {"nz": f"{TEXTS['nz']}, fractal 512, of 1 or 2 bytes"}
    what = f"layout of ${slot} in a move from {src.loc.value} to {dst.loc.value}"
    required = "; or ".join(texts[name] for name in expected)
    picture = orders_note((tile.type.blayout, tile.type.slayout), ORDERS.get(expected[0][:2]))
    yield mismatch(what, found, required, slot=slot, fix=_fix(src, dst, slot), related=picture)


def _fix(src: TileFacts, dst: TileFacts, slot: str) -> str | None:
    if src.loc is TileLoc.Vec and src.type.slayout is SLayout.NoneBox and slot == "dst":
        return "tmov it to a vec tile in col_major + row_major first, then move that one"
    if src.loc is TileLoc.Mat and src.type.slayout is SLayout.NoneBox:
        blocks = src.type.override(blayout=BLayout.ColMajor, slayout=SLayout.RowMajor, fractal=512)
        return f"load it into `{blocks}`; tload converts to blocks"
    if src.loc is dst.loc is TileLoc.Vec and src.type.is_nz and dst.type.is_nz:
        return "use textract with the indices 0, 0: it copies blocks"
    return None


_NZ = "blayout=col_major, slayout=row_major"


_TAKE_A_PART = "use textract with the indices of the part"
_OUT = "src.memory == acc and accToVecMode == none"


@constraint(
    "PTO-K121",
    Relation(
        "src.physical == dst.physical, as $dst",
        fix=_TAKE_A_PART,
        when="src.memory == mat and src.kind != pairs",
    ),
    Relation(
        "dst.rows >= src.physical_rows",
        what="rows of $dst for all rows of $src",
        fix=_TAKE_A_PART,
        when=f"{_OUT} and dst.slayout != none_box",
    ),
    Relation(
        "dst.rows >= src.valid_rows",
        what="rows of $dst for the valid rows of $src",
        fix=_TAKE_A_PART,
        when=f"{_OUT} and dst.slayout == none_box",
    ),
    Relation(
        "dst.cols >= src.valid_cols",
        what="columns of $dst for the valid columns of $src",
        fix=_TAKE_A_PART,
        when=_OUT,
    ),
    source="headers of TMOV: tiles from mat are asserted to have one shape, accumulators go by their extents",
    reason="TMOV takes the address of the destination and the size of the source, and moves all of it.",
)
def move_copies_the_whole_tile() -> None:
    """tmov from mat needs tiles of the same physical shape (of the whole tile for a subview); use textract
    for a part. From an accumulator the destination must hold the valid part as plain rows, or all rows as
    blocks."""


_WIDER = "give the tile {multiple} columns, of which {found} are valid"


def _is_a_vector_for_left(_op: FixpipeOp, know: Facts) -> bool:
    src = know.tile("src")
    return (src.loc, know.tile("dst").loc, src.rows) == (TileLoc.Mat, TileLoc.Left, 1) and src.is_nd


@constraint(
    "PTO-K122",
    *(
        Relation(
            f"{found} %",
            lambda _, know: BLOCK // know.tile("src").size,
            f", which are {BLOCK} bytes",
            what,
            fix=fix,
            when=_is_a_vector_for_left,
        )
        for found, what, fix in (
            *((f"{slot}.cols", "columns of ${slot}, a vector", _WIDER) for slot in ("src", "dst")),
            ("col", "", None),
        )
    ),
    source="headers of TMOV and TEXTRACT: a vector on its way to left is asserted to be aligned to 512 bytes",
    reason="A vector is moved as blocks of 512 bytes.",
)
def row_moved_to_left_is_made_of_blocks() -> None:
    """One plain row moved from mat to left must have a multiple of 512 bytes in both tiles, and a part of it
    must start at one; fewer columns may be valid."""


@rule(
    "PTO-K123",
    source="headers of TLOAD: the engine makes blocks of 16 rows of 32 bytes; public TLOAD page",
    reason="A load into L1 creates blocks of 512 bytes, whatever the tile's type says.",
    failing=tload(f"mat, 32x32xf32, {_NZ}, fractal=1024", "32x32xf32"),
    passing=tload(f"mat, 32x32xf32, {_NZ}", "32x32xf32"),
)
def load_makes_blocks_of_512_bytes(op: TLoadOp, know: Facts) -> Violations:
    """A boxed tile in mat that is loaded must have fractal 512, a tile of scales 32."""
    dst = know.tile("dst")
    boxed = dst.loc is TileLoc.Mat and dst.type.slayout is not SLayout.NoneBox
    if not boxed or dst.type.fractal != 2 * BLOCK:
        return
    boxes = [box_of(dst.type.slayout, fractal, dst.size) for fractal in (dst.type.fractal, BLOCK)]
    picture = (Related(drawing.boxes(*boxes)),) if boxes[0] != boxes[1] else ()
    yield mismatch(
        "fractal of $dst",
        dst.type.fractal,
        BLOCK,
        slot="dst",
        fix=f"remove `fractal={dst.type.fractal}`",
        related=picture,
    )


@rule(
    "PTO-K124",
    source="headers of TEXTRACT and TMOV: A2/A3 asserts it of the source, A5 writes squares of 32",
    reason="Blocks are transposed in squares, and a cut square is read or written whole.",
)
def transposed_blocks_are_squares(op: FixpipeOp, know: Facts, of: str = "") -> Violations:
    """If blocks are transposed on their way to left or right, the tiles must consist of whole squares. For
    8-bit elements: squares of 32 in the source on A2/A3 and in a destination in left that textract fills,
    unless it is compact; on A5 in the destination. For 32-bit elements: squares of 16 in both, unless they
    are compact."""
    src, dst = know.tile("src"), know.tile("dst")
    if src.element.kind == "pairs" or dst.loc not in (TileLoc.Left, TileLoc.Right):
        return
    if SLayout.NoneBox in (src.type.slayout, dst.type.slayout) or src.type.slayout is dst.type.slayout:
        return
    packs, side = dst.type.packs, BURST if src.size == 1 else BOX_ROWS
    if src.size == 1:
        asserted = of == "src" and isinstance(op, TExtractOp) and dst.loc is TileLoc.Left and not packs
        slots = (of, "dst") if asserted else (of,)
    else:
        slots = ((of,) if of == "src" else ()) if packs else ("src", "dst")
    for slot in slots:
        tile = know.tile(slot)
        for word, extent in zip(("rows", "columns"), tile.physical, strict=True):
            if extent % side:
                fix = f"give the tile {-(-extent // side) * side} {word}, of which {extent} are valid"
                picture = (Related(drawing.cut_blocks(tile.physical, (side, side))),)
                what = f"{word} of ${slot}, of which squares are transposed"
                yield mismatch(what, extent, f"a multiple of {side}", slot=slot, fix=fix, related=picture)


@rule(
    "PTO-K125",
    source="header of TINSERT, A5: TInsertMode",
    reason="The mode splits one transfer from vec to mat between columns of blocks.",
    on="a5",
)
def insertion_in_parts_has_columns_of_boxes(op: TInsertOp, know: Facts) -> Violations:
    """tinsertMode needs a vec tile with col_major + row_major boxes that is inserted into mat, with at least
    as many columns of boxes as parts, and rows for the valid ones in whole boxes."""
    if op.tinsert_mode is None:
        return
    src, dst, parts = know.tile("src"), know.tile("dst"), int(op.tinsert_mode.data.value[-1])
    found = f"{src.loc.value} to {dst.loc.value}, {src.layout_text}"
    if (src.loc, dst.loc) != (TileLoc.Vec, TileLoc.Mat) or not src.type.is_nz:
        yield mismatch(
            "insertion with tinsertMode", found, "vec to mat, col_major + row_major", field="tinsertMode"
        )
    elif 0 <= src.valid_cols <= (parts - 1) * src.type.geometry.box[1]:
        what, required = "valid columns of $src", f"more than {(parts - 1) * src.type.geometry.box[1]}"
        yield mismatch(f"{what} for {op.tinsert_mode.data.value}", src.valid_cols, required, slot="src")
    elif src.physical[0] < (rows := -(-src.valid_rows // BOX_ROWS) * BOX_ROWS):
        what, required = (
            f"rows of $src for {op.tinsert_mode.data.value}",
            f"at least {rows}: boxes are moved whole",
        )
        yield mismatch(what, src.physical[0], required, slot="src")


@rule(
    "PTO-K126",
    source="headers of TMOV, TEXTRACT and TINSERT, A5: from the unified buffer to L1",
    reason="Plain rows are copied as one run of bytes, blocks as columns of blocks without gaps.",
)
def bytes_moved_from_vec_are_contiguous(op: FixpipeOp, know: Facts) -> Violations:
    """From vec to mat, tmov and textract need plain rows with all columns valid in both tiles, or one row,
    and boxed tiles whose rows are the valid ones rounded up to blocks. tinsert needs plain rows in
    multiples of 32 bytes, and whole rows of blocks for Zn."""
    src, dst = know.tile("src"), know.tile("dst")
    if (src.loc, dst.loc) != (TileLoc.Vec, TileLoc.Mat) or src.element.kind == "pairs":
        return
    if src.is_nd and dst.is_nd:
        slot, part = ("src", src) if isinstance(op, TInsertOp) else ("dst", dst)
        if not isinstance(op, TInsertOp) and dst.valid_rows != 1:
            yield from islice(_all_columns(know, "rows are copied as one run of bytes"), 1)
        elif (part.valid_cols * part.size) % BURST and part.valid_cols != DYNAMIC:
            found, required = f"{part.valid_cols * part.size} bytes", f"a multiple of {BURST} bytes"
            yield mismatch(f"valid part of a row of ${slot}", found, required, slot=slot)
    elif src.type.is_nz and dst.type.is_nz and not isinstance(op, TInsertOp) and dst.valid_rows > 0:
        walked = -(-dst.valid_rows // BOX_ROWS) * BOX_ROWS
        if dst.type.rows != walked:
            required = f"{walked}, as {dst.valid_rows} are valid: columns of blocks are written without gaps"
            yield mismatch("rows of $dst", dst.type.rows, required, slot="dst")
        elif src.physical[0] < dst.type.rows:
            yield mismatch("rows of $src", src.physical[0], f"at least {dst.type.rows}, as $dst", slot="src")
    elif isinstance(op, TInsertOp) and _names(src, False) == _names(dst, False) == {"zn"}:
        yield from _rows_of_blocks(src)


def _all_columns(know: Facts, why: str) -> Violations:
    """Check that all columns of both tiles are valid."""
    for slot in ("src", "dst"):
        tile = know.tile(slot)
        if tile.valid_cols not in (DYNAMIC, tile.physical[1]):
            required = f"{tile.physical[1]}, all of them: {why}"
            fix = set_valid(slot, tile, (tile.valid_rows, tile.physical[1]))
            yield mismatch(f"valid columns of ${slot}", tile.valid_cols, required, slot=slot, fix=fix)


def _rows_of_blocks(src: TileFacts) -> Violations:
    """Check the requirement of tinsert on Zn in vec."""
    step, compact = src.type.geometry.box[0], src.type.compact
    if src.valid_rows > 0 and src.valid_rows % step:
        yield mismatch("valid rows of $src", src.valid_rows, f"a multiple of {step}", slot="src")
    walked = steps_made(src.valid_cols, compact)
    if (
        compact is CompactMode.Null
        or src.valid_rows == step
        or src.valid_cols == DYNAMIC
        or walked == src.cols
    ):
        return
    required = f"{walked}, as it is {compact.value} and {src.valid_cols} are valid"
    yield mismatch("columns of $src", src.cols, required, slot="src", fix="leave compact out")


@rule(
    "PTO-K127",
    source="headers of TMOV: within the unified buffer; public TMOV page: RowPlusOne; D39",
    reason="Blocks are copied as one run of bytes. New blocks are placed by the valid extents, but read "
    "by the physical ones.",
)
def blocks_in_vec_are_moved_whole(op: FixpipeOp, know: Facts, makes: bool = True) -> Violations:
    """Within vec tmov copies boxed tiles only if all of the tile is valid. To convert plain rows to Nz, the
    destination must have the valid rows rounded up to 16, plus one if it is row_plus_one (unless it has
    one column of blocks). Zn needs whole blocks and valid columns."""
    src, dst = know.tile("src"), know.tile("dst")
    if dst.type.slayout is SLayout.NoneBox:
        return
    if src.type.slayout is not SLayout.NoneBox:
        for slot, tile in (("src", src), ("dst", dst)):
            if DYNAMIC not in tile.valid and tile.valid != tile.type.shape:
                required = f"{shape_str(tile.type.shape)}, all of it"
                yield mismatch(f"valid shape of ${slot}, blocks", shape_str(tile.valid), required, slot=slot)
        return
    if not makes:
        return  # Where blocks are made of nothing, the layouts say it (PTO-K120).
    box = dst.type.geometry.box
    if not dst.type.is_nz:
        yield from _all_columns(know, "blocks are made without gaps")
        if dst.valid_rows != DYNAMIC and dst.valid_rows % box[0]:
            yield mismatch("valid rows of $dst", dst.valid_rows, f"a multiple of {box[0]}", slot="dst")
        return
    rows, more = steps_made(dst.valid_rows, dst.type.compact), dst.type.compact is CompactMode.RowPlusOne
    if dst.valid_rows > 0 and dst.type.rows != rows and not 0 <= dst.valid_cols <= box[1]:
        added = " and one more, as it is row_plus_one" if more else ""
        required = f"{rows}, the {dst.valid_rows} valid ones in whole blocks{added}"
        fix = f"give it {rows} rows, of which {dst.valid_rows} are valid"
        drawn = dst.type.rows > rows and dst.valid_cols > 0
        picture = drawing.strides(rows, dst.type.rows, box[0], -(-dst.valid_cols // box[1])) if drawn else ""
        related = (Related(picture),) if picture else ()
        yield mismatch("rows of $dst", dst.type.rows, required, slot="dst", fix=fix, related=related)
    if DYNAMIC not in (src.valid_rows, dst.valid_rows) and src.valid_rows > dst.valid_rows:
        yield mismatch(
            "valid rows of $dst", dst.valid_rows, f"at least {src.valid_rows}, as $src", slot="dst"
        )
    if DYNAMIC not in (src.valid_cols, dst.valid_cols) and src.valid_cols < dst.valid_cols:
        yield mismatch(
            "valid columns of $dst", dst.valid_cols, f"at most {src.valid_cols}, as $src", slot="dst"
        )
