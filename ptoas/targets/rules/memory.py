"""TLOAD, TSTORE, TPRINT and TPREFETCH (public ISA pages)."""

from __future__ import annotations

from functools import partial

from ptoas.analysis.knowledge import TileFacts, ViewFacts, element_count, shape_str
from ptoas.analysis.layouts import scales_layout
from ptoas.dialects.pto.enums import BLayout, Layout, SLayout, TileLoc
from ptoas.dialects.pto.geometry import BOX_ROWS, BURST, LAYOUTS
from ptoas.dialects.pto.memory import TLoadOp, TPrefetchOp, TPrintOp, TStoreOp
from ptoas.dialects.pto.types import MAX_RANK
from ptoas.targets import drawing
from ptoas.targets.declaration import declare_layout, set_valid
from ptoas.targets.facts import Facts
from ptoas.targets.measures import MATRIX, Shown
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Related, Violation, Violations, mismatch, rule
from ptoas.targets.rules.common import atomic_addition, fits
from ptoas.targets.rules.examples import tload, tstore
from ptoas.targets.specs import FLOAT4

MOST_BURSTS = 4095
"""Maximum number of bursts of one copy on A2 and A3."""


def _tile_layout(tile: TileFacts) -> Layout | None:
    """The layout of memory that a tile matches without conversion."""
    if tile.is_nd:
        return Layout.ND
    if tile.is_dn:
        return Layout.DN
    if tile.loc is TileLoc.Mat and tile.type.rows == 1 and tile.type.slayout is SLayout.RowMajor:
        return Layout.ND  # one row of boxes is a row
    return Layout.NZ if tile.type.is_nz else scales_layout(tile.type)


def _extents(view: ViewFacts, layout: Layout) -> tuple[int, int]:
    """Rows and columns that a view of memory has as a tile, read in a layout."""
    shape = view.shape5

    def product(*dims: int) -> int:
        return element_count([shape[dim] for dim in dims])

    match layout:
        case Layout.MX_A_ZZ if len(view.shape) == MAX_RANK:
            return product(0, 1, 3), product(2, 4)
        case Layout.MX_B_NN if len(view.shape) == MAX_RANK:
            return product(2, 4), product(0, 1, 3)
        case Layout.ND | Layout.MX_A_ZZ | Layout.MX_B_NN:
            return product(0, 1, 2, 3), shape[4]
        case Layout.DN:
            return shape[3], product(0, 1, 2, 4)
        case Layout.NZ:
            return product(2, 3), product(0, 1, 4)


def is_list_for_a_column(tile: TileFacts, view: ViewFacts) -> bool:
    """Return True if one contiguous row of nd memory is loaded into a tile of one column.

    Both sides have the same bytes, and `lower` declares the memory as the column as well.
    """
    *others, count = view.shape5
    if view.layout is not Layout.ND or not tile.is_dn or tile.type.cols != 1 or others != [1, 1, 1, 1]:
        return False
    follows = view.strides5[4] == 1 or count == 1
    return follows and fits(tile.valid, (count, 1))


def _shape_differs(tile: TileFacts, view: ViewFacts, slot: str, layout: Layout | None = None) -> Violations:
    extents = _extents(view, layout or view.layout)
    if not fits(tile.valid, extents):
        what = f"valid shape of the tile for {view.layout.value} memory of {shape_str(view.shape)}"
        fix = set_valid(slot, tile, extents)
        if all(found <= extent for found, extent in zip(tile.valid, extents, strict=True)):
            part = f"take a `partition_view` of {shape_str(tile.valid)}"
            fix = part if slot == "src" or fix is None else f"{part}, or {fix}"
        yield mismatch(what, shape_str(tile.valid), shape_str(extents), slot=slot, fix=fix)


NZ_BLOCK = Relation(
    "mem.block ==",
    lambda _, know: (BOX_ROWS, BURST // know.view("mem").size),
    what="{words}",
    when="mem.layout == nz",
)


def _is_not_a_list(slot: str, _op: TLoadOp | TStoreOp, know: Facts) -> bool:
    tile, view = know.tile(slot), know.view("mem")
    return tile.is_dn and not is_list_for_a_column(tile, view)  # such a list is one burst


def _few_bursts(slot: str) -> list[Relation]:
    """Make the relations of a plain copy between memory and a tile."""
    fix = "split that dimension in two"
    rows, columns = (f"mem.Shape[{dim}] <= {MOST_BURSTS}" for dim in (3, 4))
    what, columns_when = "{words} of the memory", partial(_is_not_a_list, slot)
    return [
        Relation(rows, what=what, fix=fix, when=f"{slot}.layout == nd", follows=True),
        Relation(columns, what=what, fix=fix, when=columns_when, follows=True),
    ]


# --- both ----------------------------------------------------------------------------------------


@constraint(
    "PTO-V130",
    *(
        Relation(
            f"mem.Stride[{dim}] == 1: the device ignores it",
            what=f"{{words}} of {layout} memory",
            when=f"mem.layout == {layout} and mem.Shape[{dim}] > 1 and coalesce != elem",
        )
        for layout, dim in (("nd", 4), ("dn", 3))
    ),
    source="D30; TLoad.hpp and TStore.hpp of the devices",
    reason="A transfer reads contiguous elements and ignores that stride.",
    failing=tload("16x32xf32", "16x32xf32, strides=[64, 2]"),
    passing=tload("16x32xf32", "16x32xf32, strides=[64, 1]"),
)
def contiguous_dimension_has_no_gaps() -> None:
    """On devices the last stride of an nd view with more than one column must be 1, and the second last of a
    dn view with more than one row."""


@constraint(
    "PTO-M110",
    "layout == mem.layout, the layout of the view",
    source="PTOAS tload, tstore: layout; D30",
    reason="The transfer uses the layout of the view and ignores the attribute.",
)
def transfer_names_the_layout_of_its_memory() -> None:
    """The attribute `layout` of a load or store must be the layout of its view."""


# --- TLOAD ---------------------------------------------------------------------------------------


@rule(
    "PTO-M103",
    source="public TLOAD page, Constraints; A5 header of TLOAD",
    reason="A load into the unified buffer converts no layout; one into L1 converts ND to NZ and DN to "
    "ZN, on A5 also DN to NZ.",
    failing=tload("16x32xi32, blayout=col_major", "16x32xi32"),
    passing=tload("16x32xi32, blayout=col_major", "16x32xi32, dn"),
)
def load_keeps_the_layout(op: TLoadOp, know: Facts, dn_to_nz: bool = False) -> Violations:
    """Memory and tile must have the same layout: nd with row_major, dn with col_major, nz with nz, mx_a_zz
    and mx_b_nn with scales in such boxes. A mat tile in nz may also be loaded from nd (on A5 from dn
    unless it has 4 bits), one in zn from dn. One row of nd memory may fill a tile of one column (document
    002)."""
    dst, view = know.tile("dst"), know.view("mem")
    own = _tile_layout(dst)
    if own is view.layout or is_list_for_a_column(dst, view):
        return
    if dst.loc is TileLoc.Mat:
        is_zn = dst.type.blayout is BLayout.RowMajor and dst.type.slayout is SLayout.ColMajor
        if (own is Layout.NZ and view.layout is Layout.ND) or (is_zn and view.layout is Layout.DN):
            return
        if dn_to_nz and own is Layout.NZ and view.layout is Layout.DN and dst.element not in FLOAT4:
            return
    required = _TILE_LAYOUTS[view.layout]
    related: tuple[Related, ...] = ()
    if dst.loc is TileLoc.Mat and dst.type.slayout is not SLayout.NoneBox and view.layout in _MADE_IN_MAT:
        # The load makes blocks, but not these.
        order = LAYOUTS[_MADE_IN_MAT[view.layout]]
        required = f"{order[0].value} + {order[1].value}; or {required}"
        related = (Related(drawing.orders((dst.type.blayout, dst.type.slayout), order)),)
    what = f"tile layout for {view.layout.value} memory"
    fix = declare_layout("dst", dst, _TILE_ORDERS.get(view.layout))
    if own is Layout.DN and view.layout is Layout.ND:
        fix = "give the memory layout dn"
    yield mismatch(what, dst.layout_text, required, slot="dst", fix=fix, related=related)


_TILE_ORDERS = {Layout.ND: LAYOUTS["ND"], Layout.DN: LAYOUTS["DN"], Layout.NZ: LAYOUTS["Nz"]}
"""The layout of a tile that corresponds to a layout of memory."""

_TILE_LAYOUTS = {
    **{layout: f"{blayout.value} + {slayout.value}" for layout, (blayout, slayout) in _TILE_ORDERS.items()},
    Layout.MX_A_ZZ: "f8E8M0, row_major + row_major, fractal 32",
    Layout.MX_B_NN: "f8E8M0, col_major + col_major, fractal 32",
}
"""The layout of a tile in messages, by the layout of memory that it corresponds to."""

_MADE_IN_MAT = {Layout.ND: "Nz", Layout.DN: "Zn"}
"""The blocks that a load into L1 makes of plain memory, on every target that has them."""


@rule(
    "PTO-M104",
    source="public TLOAD page, Constraints",
    reason="The load fills the valid region from the whole memory window.",
    failing=tload("16x32xf32", "16x24xf32"),
    passing=tload("16x32xf32, valid=16x24", "16x24xf32"),
)
def load_has_the_shape_of_the_memory(op: TLoadOp, know: Facts) -> Violations:
    """The valid shape of the destination must equal the shape of the memory: for nd the columns are Shape[4]
    and the rows the product of the others, for dn the rows are Shape[3], for nz the rows are Shape[2] *
    16. A type with no valid element loads nothing."""
    dst, view = know.tile("dst"), know.view("mem")
    if is_list_for_a_column(dst, view) or 0 in dst.type.valid:
        return
    yield from _shape_differs(dst, view, "dst")
    yield from NZ_BLOCK.violations(op, know)


@constraint(
    "PTO-M106",
    *(
        Relation(f"dst.rows <= {most}", what=f"rows of a {loc} tile", fix="", when=f"dst.memory == {loc}")
        for loc, most in (("vec", MOST_BURSTS), ("mat", 16384))
    ),
    *_few_bursts("dst"),
    source="public TLOAD page and header, A2/A3",
    reason="A plain copy takes one burst per row or column, and the engine counts bursts in 12 bits.",
    failing=tload("4096x8xf32", "4096x8xf32"),
    passing=tload("4095x8xf32", "4095x8xf32"),
)
def load_has_few_bursts() -> None:
    """A vec tile must have at most 4095 rows, a mat tile at most 16384; a row-major tile is loaded from at
    most 4095 rows (Shape[3]), a column-major one from at most 4095 columns (Shape[4])."""


@constraint(
    "PTO-M107",
    Relation("mem.layout == nd or dn", what="layout of a 64-bit load", when="dst.size == 8"),
    Relation("dst.slayout == none_box", what="slayout of a 64-bit tile", when="dst.size == 8", follows=True),
    Relation(
        "dst.pad == null or zero", what="pad of a 64-bit tile", when="dst.size == 8 and any_pad == False"
    ),
    source="public TLOAD page, Constraints",
    reason="Eight-byte elements move as pairs, without fractal conversion; A5 pads them with zeros only.",
    failing=tload("16x32xi64, pad=max", "16x32xi64"),
    passing=tload("16x32xi64, pad=zero", "16x32xi64"),
    on="a5",
)
def load_of_64_bits_is_plain() -> None:
    """64-bit elements must be loaded between equal nd or dn layouts, on A5 with pad null or zero."""


_MEMORY = "shape of the memory"
_OTHER_BOXES = "dst.slayout != none_box and dst.layout != nz and mem.layout != nz"


@constraint(
    "PTO-M108",
    Relation("mem.outer ==", MATRIX, what=_MEMORY, when="dst.layout == nz and mem.layout != nz"),
    Relation("mem.outer ==", MATRIX, what=_MEMORY, when=f"{_OTHER_BOXES} and zn != False"),
    source="public TLOAD page, Constraints (A2A3); A5 header of TLOAD",
    reason="The engine that creates fractals has one stride between rows.",
    failing=tload("mat, 32x32xf32, blayout=col_major, slayout=row_major", "2x16x32xf32"),
    passing=tload("mat, 32x32xf32, blayout=col_major, slayout=row_major", "32x32xf32"),
)
def load_makes_fractals_of_two_dimensions() -> None:
    """A load that converts nd or dn to nz (on cpu and A2/A3 also dn to zn) needs memory of two dimensions."""


# --- TSTORE --------------------------------------------------------------------------------------


@rule(
    "PTO-M203",
    source="public TSTORE page, Constraints",
    reason="A store converts no layout; a single row or column has the same bytes in any layout.",
    failing=tstore("16x32xf32", "16x32xf32, dn"),
    passing=tstore("16x32xf32, blayout=col_major", "16x32xf32, dn"),
)
def store_keeps_the_layout(op: TStoreOp, know: Facts) -> Violations:
    """Tile and memory must have the same layout (nd, dn or nz), unless the tile has one row or one column; an
    acc tile must be stored to nd or nz."""
    src, view = know.tile("src"), know.view("mem")
    if src.loc is TileLoc.Acc:
        if view.layout is Layout.DN:
            yield mismatch("memory layout for an acc tile", "dn", "nd or nz", slot="mem")
        return
    if _tile_layout(src) is not view.layout and 1 not in src.type.shape:
        what = f"tile layout for {view.layout.value} memory"
        fix = declare_layout("src", src, _TILE_ORDERS.get(view.layout))
        yield mismatch(what, src.layout_text, _TILE_LAYOUTS[view.layout], slot="src", fix=fix)


_LINE = "src.is_line == 1 and src.layout"


@constraint(
    "PTO-M210",
    *(
        Relation(
            f"mem.Stride[{dim}] == 1: the device ignores it",
            what=f"{{words}} of {layout} memory for a {blocks}_major tile",
            fix=f"store a {lines}_major tile",
            when=f"{_LINE} == {own} and mem.layout == {layout} and mem.Shape[{dim}] > 1",
        )
        for own, blocks, layout, dim, lines in (("dn", "col", "nd", 3, "row"), ("nd", "row", "dn", 4, "col"))
    ),
    source="TStore.hpp of A2/A3: the block layout of the tile chooses the transfer",
    reason="The transfer stores one burst of contiguous elements and ignores that stride.",
    failing=tstore("8x1xf32, blayout=col_major", "8x1xf32, nd, strides=[2, 1]"),
    passing=tstore("8x1xf32, blayout=col_major", "8x1xf32, nd, strides=[1, 1]"),
)
def single_line_is_stored_without_gaps() -> None:
    """A col_major tile of one column must be stored to nd memory with a row stride of 1, a row_major tile of
    one row to dn memory with a column stride of 1."""


@rule(
    "PTO-M204",
    source="public TSTORE page, Constraints",
    reason="The store writes the valid region and nothing else.",
    failing=tstore("16x32xf32", "16x24xf32"),
    passing=tstore("16x32xf32, valid=16x24", "16x24xf32"),
)
def store_has_the_shape_of_the_memory(op: TStoreOp, know: Facts) -> Violations:
    """The valid shape of the source must equal the shape of the memory, in the memory's layout, or the tile's
    if it has one row or column. A type with no valid element stores nothing."""
    src, view = know.tile("src"), know.view("mem")
    if 0 in src.type.valid:
        return
    layout = _tile_layout(src)
    if 1 in src.type.shape and layout in (Layout.ND, Layout.DN) and view.layout in (Layout.ND, Layout.DN):
        # Transfers follow the layout of the tile.
        yield from _shape_differs(src, view, "src", layout)
        return
    if 1 in src.type.shape and layout is not view.layout:
        found, required = element_count(src.valid), element_count(view.shape)
        if not fits((found,), (required,)):
            yield mismatch("elements of the tile", found, f"{required}, as the memory", slot="src")
        return
    yield from _shape_differs(src, view, "src")
    if src.loc is not TileLoc.Acc:
        yield from NZ_BLOCK.violations(op, know)


@constraint(
    "PTO-M206",
    *atomic_addition("src"),
    source="public TSTORE page, AtomicType",
    reason="Stores support no other atomic operation.",
    failing=tstore("16x32xu32", "16x32xu32", "atomicType = #pto<atomic_type atomic_add>"),
    passing=tstore("16x32xi32", "16x32xi32", "atomicType = #pto<atomic_type atomic_add>"),
    on="a5",
)
def store_atomic_takes_the_element_type() -> None:
    """An atomic store must be an addition with an element type that the target adds in memory."""


_ACC = "src.memory == acc"


def _blocks_of_accumulators(_op: TStoreOp, know: Facts) -> list[tuple[int, int]]:
    return [(BOX_ROWS, width) for width in ((16, 8) if know.tile("src").element.text == "f32" else (16,))]


@constraint(
    "PTO-M207",
    Relation("src.element == i32 or f32", what="element type of an acc tile", when=_ACC),
    Relation("src.cols <= 4095", what="columns of an acc tile", fix="", when=_ACC),
    Relation("mem.outer ==", MATRIX, what=_MEMORY, when=f"{_ACC} and mem.layout == nd"),
    Relation("mem.block ==", _blocks_of_accumulators, what="{words}", when=f"{_ACC} and mem.layout == nz"),
    source="public TSTORE page, Constraints, TileType::Acc",
    reason="The accumulator holds 32-bit results; the fix pipe has 12 bits for columns, and one stride.",
    failing=tstore("acc, 16x32xf16, blayout=col_major, slayout=row_major, fractal=1024", "16x32xf16"),
    passing=tstore("acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024", "16x32xf32"),
)
def store_of_an_accumulator_is_a_matrix() -> None:
    """An acc tile must hold i32 or f32 and have at most 4095 columns; it is stored to nd memory of two
    dimensions, or to nz memory in blocks of 16x16 (f32 also 16x8)."""


def _plain_layouts(_op: TStoreOp, know: Facts) -> list[str]:
    own = _tile_layout(know.tile("src"))
    return [layout.value for layout in (Layout.ND, Layout.DN) if own in (layout, None)] or ["nd", "dn"]


@constraint(
    "PTO-M208",
    Relation("mem.layout ==", _plain_layouts, what="layout of a 64-bit store", when="src.size == 8"),
    source="public TSTORE page, Constraints (A2A3)",
    reason="Eight-byte elements move as pairs, without fractal conversion.",
    failing=tstore("1x32xi64", "1x32xi64, dn"),
    passing=tstore("1x32xi64", "1x32xi64"),
)
def store_of_64_bits_is_plain() -> None:
    """64-bit elements must be stored between equal nd or dn layouts."""


@constraint(
    "PTO-M209",
    *_few_bursts("src"),
    source="header of TSTORE, A2/A3",
    reason="A plain copy takes one burst per row or column, and the engine counts bursts in 12 bits.",
    failing=tstore("4096x8xf32", "4096x8xf32"),
    passing=tstore("4096x8xf32", "2x2048x8xf32"),
)
def store_has_few_bursts() -> None:
    """A row-major tile must be stored to at most 4095 rows (Shape[3]), a column-major one to at most 4095
    columns (Shape[4])."""


# --- TPRINT --------------------------------------------------------------------------------------


@rule(
    "PTO-M302",
    source="header of TPRINT, CPU",
    reason="The simulator's printer reads valid rows and columns, which memory does not have.",
    failing=".arg %m : !pto.memref<16x32xf32>\ntprint %m : !pto.memref<16x32xf32>",
    passing=".arg %t : !pto.tile<16x32xf32>\ntprint %t : !pto.tile<16x32xf32>",
)
def simulator_prints_tiles(op: TPrintOp, know: Facts) -> Violations:
    """On cpu tprint needs a tile."""
    if not know.is_tile("src"):
        message = "the simulator prints tiles only, but $src is global memory"
        yield Violation(message, slot="src", fix="load it into a tile first")


@constraint(
    "PTO-V132",
    Relation("tmp.count >= src.elements, the whole tile", when="src.memory != vec"),
    source="device headers of TPRINT: the whole tile is copied to the scratch memory",
    reason="The memory behind it would be overwritten.",
)
def print_memory_holds_the_tile() -> None:
    """The memory through which a tile is printed must hold the whole tile, valid or not."""


def _width_of_the_memory(_op: TPrefetchOp, know: Facts) -> Shown:
    src = know.view("src")
    return Shown(src.size, f"one of {src.size} bytes, as {src.element.text} of $src")


@constraint(
    "PTO-D114",
    Relation("dst.width ==", _width_of_the_memory),
    source="public TPREFETCH header",
    reason="Bytes are moved in units of the memory's elements.",
)
def prefetch_keeps_the_element_size() -> None:
    """The elements of the tile and of the prefetched memory must have the same size."""
