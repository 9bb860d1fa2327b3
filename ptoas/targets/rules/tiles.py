"""Tiles and views: allocation, addresses, windows (D9, D21; public pages of TASSIGN and TSUBVIEW)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xdsl.ir import BlockArgument, OpResult, SSAValue
from xdsl.utils.exceptions import VerifyException

from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.knowledge import TileFacts, is_reshaped, last_dims, shape_str
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import SLayout, TileLoc
from ptoas.dialects.pto.geometry import BURST, box_of
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import int_values, slot_value
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import (
    AllocTileOp,
    MakeTensorViewOp,
    PartitionViewOp,
    SubviewOp,
    TAssignOp,
)
from ptoas.targets import drawing
from ptoas.targets.facts import Facts
from ptoas.targets.fixit import Fixit
from ptoas.targets.relation import Relation, constraint, near
from ptoas.targets.row import Row
from ptoas.targets.rule import Related, Violation, Violations, function_rule, mismatch, rule, target_rule
from ptoas.targets.rules.common import beyond, contiguous, pad_to
from ptoas.targets.specs import TileLayout
from ptoas.targets.target import Target

# --- alloc_tile and tassign ----------------------------------------------------------------------


@target_rule(
    "PTO-V101",
    source="public Tile type: static checks; 000, Aligned vs Unaligned Tile Shapes",
    reason="Every row (or column) of a plain tile starts on a 32-byte burst.",
)
def tile_is_made_of_32_byte_rows(facts: FunctionFacts, target: Target) -> Violations:
    """The contiguous dimension of a none_box tile, times the element size, must be a multiple of 32 bytes."""
    for value, tile, place in _declared(facts):
        word, extent = contiguous(tile)
        width = extent * tile.size
        if (
            tile.type.slayout is not SLayout.NoneBox
            or width % BURST == 0
            or _row_requires_whole_blocks(value, target)
        ):
            continue
        if _follows_an_operand(value):
            continue  # With the operand's type this one changes, too.
        padded = -(-width // BURST) * BURST // tile.size
        rows = word == "rows"
        type = tile.type.override(**{"rows" if rows else "cols": padded})
        fix = f"{pad_to(word, extent, BURST // tile.size)}: `{type}`"
        found = f"{extent} x {tile.size} bytes = {width} bytes"
        what = f"{word} of `{value_name(value)}`, a {tile.type.blayout.value} {tile.element_name} tile"
        yield mismatch(what, found, f"a multiple of {BURST} bytes", fix=fix, **place)


@target_rule(
    "PTO-V107",
    source="public Tile type: static checks",
    reason="A fractal tile is stored block by block.",
)
def fractal_tile_is_made_of_blocks(facts: FunctionFacts, target: Target) -> Violations:
    """The columns of a boxed tile must be a multiple of its fractal block's; its rows too, unless the tile is
    in vec, has one row, or has blocks of 32 bytes."""
    for value, tile, place in _declared(facts):
        # Where there are NZ tables, MGATHER and MSCATTER speak of blocks too.
        if tile.type.slayout is SLayout.NoneBox or _row_requires_whole_blocks(value, target, boxed=True):
            continue
        rows, cols = box_of(tile.type.slayout, tile.type.fractal, tile.size)
        free = tile.loc is TileLoc.Vec or tile.type.fractal == 32 or tile.type.rows == 1
        for word, extent, step in (
            ("rows", tile.type.rows, 1 if free else rows),
            ("cols", tile.type.cols, cols),
        ):
            if extent % step:
                fix = pad_to(word, extent, step)
                what = f"{word} of `{value_name(value)}`, a fractal {tile.element_name} tile"
                picture = (Related(drawing.cut_blocks(tile.type.shape, (rows, cols))),)
                yield mismatch(what, extent, f"a multiple of {step}", fix=fix, **place, related=picture)


@target_rule(
    "PTO-V109",
    source="public memory model; headers of TMATMUL, TMOV and TEXTRACT",
    reason="The matrix unit reads its memories in this order, without conversion.",
)
def tile_has_a_layout_of_its_memory(facts: FunctionFacts, target: Target) -> Violations:
    """A tile in left, right, acc, bias or scaling must have the layout that the matrix unit uses there; in
    left the target determines the order of the blocks (D31). It is a warning for a tile that is unused or
    only used for scales of columns."""
    for value, tile, place in _declared(facts):
        layout = target.layouts.get(tile.loc)
        if layout is not None and not layout.holds(tile.type):
            what = f"layout of `{value_name(value)}` in {tile.loc.value}"
            picture = _orders(tile, layout, target)
            soft = None if _is_walked(value) else Severity.WARNING
            found = _layout_found(tile)
            fixed = _in_its_layout(tile, layout)
            fix = fixed and f"declare `{value_name(value)}` as `{fixed}`"
            edit = fixed and Fixit("place", str(fixed), safe=False)
            yield mismatch(
                what, found, layout.text, **place, fix=fix, fixit=edit, related=picture, severity=soft
            )


def _in_its_layout(tile: TileFacts, layout: TileLayout) -> TileType | None:
    """The type of a tile in the layout of its memory; None if the layout leaves a choice."""
    type = tile.type
    if layout.order is None or tile.is_window:
        return None
    blayout, slayout = layout.order if tile.loc is not TileLoc.Left else (type.blayout, layout.order[1])
    fractal = 1024 if tile.loc is TileLoc.Acc else 512
    try:
        return type.override(blayout=blayout, slayout=slayout, fractal=fractal)
    except VerifyException:
        return None


def _is_walked(tile: SSAValue) -> bool:
    """Return True if an instruction traverses a tile in the order of its layout; scales are only an
    address.
    """
    users = [use.operation for use in tile.uses if isinstance(use.operation, PtoOp)]
    return any(tile is not getattr(user, "fp", None) for user in users)


def _orders(tile: TileFacts, layout: TileLayout, target: Target) -> tuple[Related, ...]:
    """Both orders side by side, where it is the order that differs."""
    if layout.order is None:
        return ()
    found = (tile.type.blayout, tile.type.slayout)
    required = (target.left, layout.order[1]) if tile.loc is TileLoc.Left else layout.order
    if tile.loc is TileLoc.Left:
        found = (target.left, found[1])
    if found == required:
        return (Related(f"blocks of {tile.type.fractal} bytes, expected {layout.text.rpartition(' ')[2]}"),)
    return (Related(drawing.orders(found, required)),)


def _layout_found(tile: TileFacts) -> str:
    rows = f", {tile.rows} rows" if tile.type.slayout is SLayout.NoneBox else ""
    return tile.layout_text + rows


@function_rule(
    "PTO-V108",
    source="public Tile type: GetValidRow and GetValidCol",
    reason="The library has no tile with an extent of 0.",
)
def tile_type_has_a_valid_element(facts: FunctionFacts, _target: Target) -> Violations:
    """Static valid extents must be positive."""
    for value, tile, place in _declared(facts):
        if 0 in tile.type.valid:
            what, found = f"valid shape of `{value_name(value)}`", shape_str(tile.type.valid)
            fix = "leave the extent open (`?`) and give it as a value"
            yield mismatch(what, found, "at least 1x1", fix=fix, **place)


def _declared(facts: FunctionFacts) -> Iterator[tuple[SSAValue, TileFacts, dict[str, Any]]]:
    """Tiles of a function with the place of their type: an operation, or an argument of the function."""
    for tile in (*facts.arguments, *facts.local_tiles):
        if isinstance(tile, OpResult):
            place = {"op": tile.owner, "slot": "result"}
        else:
            assert isinstance(tile, BlockArgument)
            place = {"op": facts.func, "slot": ("argument", tile.index)}
        yield tile, facts.knowledge.tile(tile), place


def _follows_an_operand(tile: SSAValue) -> bool:
    """Return True for the result of an instruction that has the type of one of its operands."""
    return isinstance(tile.owner, PtoOp) and any(each.type == tile.type for each in tile.owner.operands)


def _row_requires_whole_blocks(tile: SSAValue, target: Target, boxed: bool = False) -> bool:
    """Return True if an instruction's own row requires that this tile consists of whole blocks."""
    users = [use.operation for use in tile.uses]
    for op in (tile.owner, *users):
        row = target.row(op) if isinstance(op, PtoOp) else None
        if not isinstance(op, PtoOp) or not isinstance(row, Row):
            continue
        aligned = [slot for slot, spec in row.tiles.items() if spec.aligned]
        knows = not boxed or getattr(row.model, "has_nz", False)
        if knows and any(tile in op.values_of(slot) for slot in aligned):
            return True
    return False


@constraint(
    "PTO-V102",
    Relation(
        "result.memory ==",
        lambda _, know: [memory.value for memory in know.target.memories],
        message="this target has no memory {found}; use {expected}",
    ),
    source="public memory model",
    reason="There is no place for the tile.",
)
def tile_memory_exists() -> None:
    """The tile's memory must exist on the target."""


@rule(
    "PTO-V103",
    source="public TASSIGN page; D21",
    reason="Bursts and vector loads start at multiples of 32 bytes, and the matrix unit reads whole blocks.",
)
def tile_address_is_aligned(op: AllocTileOp | TAssignOp, know: Facts) -> Violations:
    """An address must be nonnegative and a multiple of 32 bytes; on devices of 512 in left, right and acc,
    and of 128 in scaling."""
    tile = know.knowledge.tile(op.results[0] if isinstance(op, AllocTileOp) else op.tile)
    step = know.target.alignment(tile.loc)
    known = know.constants("addr")
    address = known[0] if known else None
    if isinstance(op, TAssignOp) and op.address is not None:
        address = op.address.value.data
    if address is not None and (address % step or address < 0):
        below = max(0, address // step * step)
        fix = f"use {below} or {below + step}"
        picture = (Related(drawing.ruler(address, step)),) if step > BURST and address > 0 else ()
        required = f"a multiple of {step}"
        yield mismatch("address", address, required, slot="addr", part="value", fix=fix, related=picture)


@function_rule(
    "PTO-V104",
    source="public alloc_tile: operands; D9",
    reason="The size of the valid region would be unknown.",
)
def open_extent_is_given(facts: FunctionFacts, _target: Target) -> Violations:
    """A valid extent that the type leaves open (`?`) must be given as valid_row or valid_col, or set by
    set_validshape."""
    for op in facts.by_class.get(AllocTileOp, ()):
        assert isinstance(op, AllocTileOp)
        for word, extent in (("valid_row", op.tile_type.valid_rows), ("valid_col", op.tile_type.valid_cols)):
            if extent == DYNAMIC and slot_value(op, word) is None and not is_reshaped(op.result):
                message = f"`{word}` is missing: the type leaves this extent open (?)"
                yield Violation(message, op=op, fix=f"add `{word} = %n`, or write the extent in the type")


@constraint(
    "PTO-V105",
    *(f"valid_{word} in 0 to result.{word}s" for word in ("row", "col")),
    *(f"{word} in 0 to tile.{word}s" for word in ("row", "col")),
    source="public Tile type: valid region; D9",
    reason="The valid region lies inside the tile.",
)
def valid_extent_is_inside_the_tile() -> None:
    """A valid extent must be at least 0 and at most the tile's physical extent."""


@constraint(
    "PTO-V106",
    *(
        Relation(
            f"{slot} is tile.type.valid_{slot}s",
            what=f"{slot} of a tile whose type fixes it",
            when=f"tile.type.valid_{slot}s != ?",
        )
        for slot in ("row", "col")
    ),
    source="public set_validshape: operands",
    reason="A static extent is part of the C++ type and can't change.",
)
def set_validshape_needs_open_extents() -> None:
    """set_validshape needs a tile whose type leaves both valid extents open (`?`); a static extent can only
    be repeated."""


# --- subview -------------------------------------------------------------------------------------


@rule(
    "PTO-V111",
    source="public TSUBVIEW page; PTOAS subview",
    reason="The subview shares the tile's bytes; beyond them lies another tile.",
)
def window_is_inside_the_tile(op: SubviewOp, know: Facts) -> Violations:
    """A subview must lie inside the tile."""
    source = know.tile("source").type
    sizes = int_values(op.sizes)
    for at, (word, physical) in enumerate((("row", source.rows), ("column", source.cols))):
        offset, size = know.constants("offsets")[at], sizes[at]
        start = 0 if offset is None else offset
        if size < 1 or start < 0 or start + size > physical:
            fix = f"use an offset of 0 to {physical - size}" if 0 < size < physical else None
            yield beyond(f"end of the {word}s of the subview", start, size, physical, fix, ("offsets", at))


@constraint(
    "PTO-V112",
    Relation("result.memory == source.memory", what="memory of the subview"),
    Relation("result.order == source.order", what="layout of the subview", fix=""),
    Relation(
        "result.shape ==",
        lambda op, _: int_values(op.sizes),
        what="shape of the subview",
        fix="",
        when="result.shape != source.shape",
    ),
    source="public TSUBVIEW page; PTOAS subview",
    reason="The subview is the same memory.",
)
def window_has_the_type_of_the_tile() -> None:
    """A subview must keep the tile's memory and layout, and its shape must be its sizes."""


@rule(
    "PTO-V113",
    source="PTOAS subview, boxed tiles",
    reason="A fractal tile can only be split between its blocks.",
)
def window_of_a_fractal_tile_is_made_of_blocks(op: SubviewOp, know: Facts) -> Violations:
    """Offsets and sizes of a subview of a boxed tile must be multiples of its fractal block; in a packed
    compact tile the valid part of the subview must be stored like that of the tile."""
    source = know.tile("source")
    if source.type.slayout is SLayout.NoneBox:
        return
    window = know.knowledge.tile(op.result).type
    if window.rows > source.type.rows or window.cols > source.type.cols:
        return  # that is PTO-V111
    window = window.override(rows=source.type.rows, cols=source.type.cols)
    if source.type.packs or window.packs:
        lie = DYNAMIC not in (*source.type.valid, *window.valid) and window.geometry == source.type.geometry
        if not lie:
            message = (
                f"compact={window.compact.value} with valid extents {shape_str(window.valid)} does not store "
                f"elements where the tile does (compact={source.type.compact.value}, valid extents "
                f"{shape_str(source.type.valid)})"
            )
            fix = "remove compact from both types, and declare the tile with its valid extents as its shape"
            yield Violation(message, fix=fix)
    block = source.type.geometry.box
    sizes = int_values(op.sizes)
    for at, word in enumerate(("rows", "columns")):
        offset = know.constants("offsets")[at]
        for name, value in (("offset", offset), ("size", sizes[at])):
            if value is None or value % block[at] == 0:
                continue
            what = f"{name} in {word}"
            if name == "offset":
                fix, picture = near(value, block[at])
                required = f"a multiple of {block[at]}"
                place = {"slot": ("offsets", at), "part": "value"}
                yield mismatch(what, value, required, fix=fix, related=picture, **place)
                continue
            fix = f"use {-(-value // block[at]) * block[at]} {word}, and set the valid extent"
            picture = (Related(drawing.cut_blocks((sizes[0], sizes[1]), block)),)
            required = f"a multiple of {block[at]}"
            yield mismatch(what, value, required, slot="result", fix=fix, related=picture)


# --- views of global memory ----------------------------------------------------------------------


@constraint(
    "PTO-V201",
    "shape >= 1",
    "sizes >= 1",
    "strides >= 0",
    "offsets >= 0",
    source="public make_tensor_view and partition_view",
    reason="An empty or negative extent describes no memory.",
)
def view_extents_are_positive() -> None:
    """Every extent of a view must be positive; offsets and strides must not be negative."""


@rule(
    "PTO-V202",
    source="public partition_view",
    reason="The partition would extend into other memory.",
)
def partition_is_inside_its_view(op: PartitionViewOp, know: Facts) -> Violations:
    """Offset plus size must not exceed the extent of the view, in every known dimension."""
    source = know.view("source")
    ends = zip(source.shape, know.constants("offsets"), know.constants("sizes"), strict=True)
    for at, (extent, offset, size) in enumerate(ends):
        if extent == DYNAMIC or size is None:
            continue
        start = 0 if offset is None else offset
        if start + size > extent:
            fix = f"use a size of at most {extent - start}" if 0 <= start < extent else None
            yield beyond(f"end of dimension {at}", start, size, extent, fix, ("sizes", at))


@rule(
    "PTO-V203",
    source="public make_tensor_view and partition_view",
    reason="C++ uses the type; a different value at run time would access other memory.",
)
def view_type_matches_its_operands(op: MakeTensorViewOp | PartitionViewOp, know: Facts) -> Violations:
    """A static extent or stride in a view's type must equal the value given for it; missing leading
    dimensions are 1."""
    view = know.knowledge.view(op.result)
    slot = "shape" if isinstance(op, MakeTensorViewOp) else "sizes"
    operands = know.constants(slot)
    for at, extent in enumerate(view.static_shape5, len(operands) - 5):
        found = operands[at] if at >= 0 else 1
        if extent == DYNAMIC or found is None or found == extent:
            continue
        what, required = f"{slot}[{at}]", f"{extent}, as in the type"
        if at >= 0:
            yield mismatch(what, found, required, slot=(slot, at), part="value")
        else:
            yield mismatch("a dimension that is not given", found, required)
    if isinstance(op, MakeTensorViewOp):
        strides = tuple(map(know.knowledge.extent, op.strides))
    else:
        strides = last_dims(know.view("source").own_strides, len(view.shape))
    for at, stride in enumerate(view.type.strides or ()):
        # A stride to a second element matters only where there is one.
        if DYNAMIC not in (stride, strides[at]) and stride != strides[at] and view.shape[at] != 1:
            required = f"{stride}, as in the type"
            yield mismatch(f"strides[{at}]", strides[at], required, slot=("strides", at), part="value")
