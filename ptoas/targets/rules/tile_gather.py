"""TGATHER, TGATHERB and TSCATTER: gathers and scatters between tiles (document 004, public ISA pages)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ptoas.analysis.knowledge import shape_str
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.gather import TGatherBOp, TGatherOp, TScatterOp
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.measures import Shown, in_bytes
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violation, Violations, mismatch, rule
from ptoas.targets.rules.examples import instruction

_INDEX = instruction("tgather", "16x16xf32", "16x16xf32", "16x16xi32")


# --- index form ----------------------------------------------------------------------------------


@constraint(
    "PTO-B103",
    "dst.element == src.element, as $src",
    source="004, index-based gather, implementation checks",
    reason="A gather moves elements without converting them.",
    failing=instruction("tgather", "16x16xi32", "16x16xf32", "16x16xi32"),
    passing=_INDEX,
)
def tile_gather_keeps_the_element_type() -> None:
    """Index form: destination and source must have the same element type."""


def _full(slot: str, what: str, condition: str = "") -> list[Relation]:
    """Make the relations of a tile without gaps, for a whole tile and for a window of one."""
    return [
        Relation(
            f"{slot}.valid_cols == {slot}.physical_cols{note}",
            what=f"valid columns of {what}",
            when=f"{condition}{slot}.is_window == {is_window}",
        )
        for is_window, note in ((0, ""), (1, ", all columns of the tile it is a window of"))
    ]


@constraint(
    "PTO-B104",
    *_full("indices", "the index"),
    source="004, index-based gather, implementation checks",
    reason="The offsets are read contiguously, without gaps between rows.",
    failing=instruction("tgather", "16x16xf32", "16x16xf32", "16x24xi32, valid=16x16"),
    passing=_INDEX,
)
def tile_gather_index_is_full() -> None:
    """Index form: all columns of the index tile must be valid."""


@constraint(
    "PTO-B105",
    *_full("dst", "the destination", "axis != col and "),
    source="004, index-based and mask-pattern gather, implementation checks",
    reason='The results are stored contiguously, without gaps between rows. With axis "col" whole rows '
    "are kept.",
    failing=instruction("tgather", "16x16xf32, valid=16x8", "16x16xf32", "16x8xi32"),
    passing=_INDEX,
    on="a2a3 a5",
)
def tile_gather_destination_is_full() -> None:
    """All columns of the destination must be valid: in index form on A2/A3 and A5, in mask form on every
    target unless axis is "col"."""


@constraint(
    "PTO-B310",
    *(
        Relation(
            f"{slot}.order == 'row_major + none_box'",
            what="layout of ${slot}, a window",
            when=f"opcode == {opcode} and {slot}.is_window == 1",
        )
        for opcode, slot in (("tgather", "src"), ("tscatter", "dst"))
    ),
    source="cpu/TGather.hpp, a2a3/TGather.hpp, a5/TGather.hpp, a2a3/TScatter.hpp: offsets of elements",
    reason="An index counts along the rows of the surrounding tile, so its elements must be stored in "
    "that order.",
)
def counted_window_is_row_major() -> None:
    """A subview whose elements are indexed (the source of a gather, the destination of a scatter) must be
    row_major + none_box."""


@constraint(
    "PTO-B107",
    "tmp.element == indices.element, as $indices",
    "tmp.valid == indices.valid, as $indices",
    source="public TGATHER page and header, A2/A3",
    reason="The instruction writes the byte offsets to the scratch tile.",
)
def tile_gather_scratch_is_like_the_index() -> None:
    """Index form on A2/A3: the scratch tile must have the element type and valid shape of the index tile."""


# --- mask form -----------------------------------------------------------------------------------


@constraint(
    "PTO-B113",
    Relation("dst.sized == src.element_bytes, as $src", fix=""),
    source="004, mask-pattern gather, implementation checks",
    reason="Elements are moved as bytes.",
)
def mask_gather_keeps_the_element_size() -> None:
    """Mask form: destination and source elements must have the same size."""


def _is_in_rows(slot: str, _op: TGatherOp, know: Facts) -> bool:
    """Return True if the order of a tile's elements depends on its layout, and no other rule says so."""
    tile = know.tile(slot)
    return not (tile.is_dn and 1 in tile.type.shape) and not tile.is_window


@constraint(
    "PTO-B314",
    *(
        Relation(f"{slot}.order == 'row_major + none_box'", when=partial(_is_in_rows, slot))
        for slot in ("dst", "src", "indices")
    ),
    source="a2a3/TGather.hpp, a5/TGather.hpp: linear offsets of dst, src0 and src1; D45",
    reason="The headers read all three tiles as if they were row-major.",
    failing=instruction("tgather", "16x16xf32", "16x16xf32, blayout=col_major", "16x16xi32"),
    passing=_INDEX,
    header=True,
)
def index_gather_is_row_major() -> None:
    """Index form on A2/A3 and A5: destination, source and index tile must be row_major + none_box, unless
    they have one row or one column."""


@constraint(
    "PTO-B312",
    Relation("indices.shape >= dst.valid, as $dst is valid", what="shape of the index $indices"),
    source="004, index-based gather; TGather.hpp: the destination's extents are walked in the index tile",
    reason="Every element of the destination has its own index.",
    failing=instruction("tgather", "16x16xf32", "16x16xf32", "8x16xi32"),
    passing=_INDEX,
)
def index_tile_has_an_index_for_each_element() -> None:
    """Index form: the index tile needs at least as many rows and columns as are valid in the destination."""


@rule(
    "PTO-B313",
    source="004, mask-pattern gather; D18",
    reason="The kept elements are packed from the first element of the destination on, and overrun its end.",
    severity=Severity.WARNING,
)
def mask_gather_fits_the_destination(op: TGatherOp, know: Facts) -> Violations:
    """Mask form: the destination must have space for all elements, with axis "col" for all rows, that the
    pattern keeps. It is a warning because an example of document 004 breaks it, and an error in a run
    (D40)."""
    yield from _selected_fits(op, know.tile("src").valid, know.tile("dst").type.shape, "")


def _selected_fits(op: TGatherOp, src: Sequence[int], dst: Sequence[int], word: str) -> Violations:
    """Check that the elements of `src` that the pattern selects fit the extents `dst`, described by
    `word`.
    """
    assert op.mask_pattern is not None
    first, step = op.mask_pattern.data.places
    if DYNAMIC in (*src, *dst):
        return
    rows, cols = src
    if op.axis is not None and op.axis.data == "col":
        kept = (len(range(first, rows, step)), cols)
        if kept[0] > dst[0] or kept[1] > dst[1]:
            yield mismatch(f"{word}shape of $dst", shape_str(dst), f"at least {shape_str(kept)}", slot="dst")
        return
    count = rows * len(range(first, cols, step))
    if count > dst[0] * dst[1]:
        required = f"at least {count}, which the pattern keeps"
        yield mismatch(f"{word}elements of $dst", dst[0] * dst[1], required, slot="dst")


@rule(
    "PTO-B315",
    source="004, mask-pattern gather; D14",
    reason="The kept elements are packed contiguously and overwrite rows beyond the valid ones.",
    severity=Severity.WARNING,
)
def mask_gather_stays_in_the_valid_rows(op: TGatherOp, know: Facts) -> Violations:
    """Mask form: the elements that the pattern keeps must fit the valid region of the destination."""
    src, dst = know.tile("src").valid, know.tile("dst")
    if not any(_selected_fits(op, src, dst.type.shape, "")):
        yield from _selected_fits(op, src, dst.valid, "valid ")


# --- compare form --------------------------------------------------------------------------------


@rule(
    "PTO-B121",
    source="public TGATHER page, compare form",
    reason="The simulator does not implement the compare form.",
)
def cpu_has_no_compare_gather(op: TGatherOp, know: Facts) -> Violations:
    """cpu supports the index and the mask form only."""
    yield Violation("form: found compare, expected index or mask")


def _comparisons(_op: TGatherOp, know: Facts, integers: str = "gt eq") -> list[str]:
    return (integers if know.tile("src").element.is_integer else "gt eq").split()


@constraint(
    "PTO-B124",
    Relation("cmpMode ==", _comparisons),
    source="public TGATHER page, compare form",
    reason="Only these comparisons are implemented; A2/A3 compares integers for equality only.",
)
def compare_gather_has_the_mode() -> None:
    """Compare form: cmpMode must be gt or eq; on A2/A3 i32 needs eq."""


# --- TGATHERB ------------------------------------------------------------------------------------

_BLOCKS = instruction("tgatherb", "16x64xf32", "16x64xf32", "16x8xu32")


def _blocks(_: TGatherBOp, know: Facts) -> tuple[int, int]:
    dst = know.tile("dst")
    columns = dst.valid_cols
    return dst.valid_rows, columns if columns == DYNAMIC else -(-columns * dst.size // BURST)


@constraint(
    "PTO-B204",
    Relation("offsets.valid >=", _blocks, what="valid shape of the offsets $offsets"),
    source="public TGATHERB page",
    reason="Every block of 32 bytes has its own offset.",
    failing=instruction("tgatherb", "16x128xf32", "16x64xf32", "16x8xu32"),
    passing=_BLOCKS,
)
def block_gather_has_an_offset_for_each_block() -> None:
    """The offset tile needs one column for each 32 bytes of a destination row, and as many rows as the
    destination."""


# --- TSCATTER ------------------------------------------------------------------------------------


@constraint(
    "PTO-B302",
    Relation(
        "idx.sized ==",
        lambda _, know: in_bytes(4 if know.tile("dst").size >= 4 else 2),
        what="index element size for {dst.element}",
    ),
    source="public TSCATTER page",
    reason="Data and indices use vector lanes of the same width.",
    failing=instruction("tscatter", "16x16xf32", "16x16xf32", "16x16xi16"),
    passing=instruction("tscatter", "16x16xf16", "16x16xf16", "16x16xi16"),
)
def tile_scatter_index_has_the_width_of_the_data() -> None:
    """Index elements must have 4 bytes for data of 4 or 8 bytes, and 2 bytes for data of 1 or 2 bytes."""


@constraint(
    "PTO-B311",
    Relation(
        "dst.is_window ==",
        Shown(0, "a whole tile"),
        what="destination",
        fix="scatter into a tile, then tmov",
    ),
    source="a2a3/TScatter.hpp, a5/TScatter.hpp: InitUBBuffer",
    reason="The device first clears Rows * Cols elements of the surrounding tile, starting at the first "
    "element of the subview: more than the subview.",
)
def scattered_tile_is_whole() -> None:
    """On devices the destination of a tile scatter must be a whole tile, not a subview."""


def _spread_shape(op: TScatterOp, know: Facts) -> tuple[int, ...]:
    assert op.mask_pattern is not None and op.axis is not None
    _, step = op.mask_pattern.data.places
    times = (step, 1) if op.axis.data == "col" else (1, step)
    return tuple(n if n == DYNAMIC else n * by for n, by in zip(know.tile("src").valid, times, strict=True))


@constraint(
    "PTO-B303",
    Relation("dst.valid ==", _spread_shape),
    source="TScatter.hpp, mask form: assertions",
    reason="Each source element has one position in the pattern, and no position is left over.",
)
def mask_scatter_fills_the_pattern() -> None:
    """Mask form: the destination must be two or four times as wide ("row") or high ("col") as the source, as
    the pattern says, and equal in the other direction."""
