"""Rows of copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ptoas.analysis.constants import Constants
from ptoas.dialects.pto import movement as d
from ptoas.dialects.pto.enums import MxGroupAxis, PadValue, TileLoc
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.targets.facts import Facts
from ptoas.targets.pipes import MTE2, PipeModel, V
from ptoas.targets.row import Call, Forms, Row, Rows, Scratch, Unsupported
from ptoas.targets.rules.movement import (
    fill_does_not_shrink,
    fill_has_a_pad_value,
    fill_has_no_mode,
    fill_of_a_matrix_keeps_its_type,
    part_is_inside_the_tile,
    part_keeps_the_layout,
    reordered_exponents_fill_boxes,
    reordered_exponents_have_no_gaps,
)
from ptoas.targets.shared.scratch import placeholder
from ptoas.targets.specs import ND, ND_OR_NZ, NINE, ROW_MAJOR, ZZ, T, Types, tile, tile_type

MOVE = Row(tiles={"dst src": tile(T)}, pipe=V)


def _indices_of_boxes(know: Facts) -> int:
    """Bytes of the two tables of 16-bit indices that boxes are gathered with."""
    dst = know.tile("dst")
    pairs = zip(dst.valid, dst.type.shape, strict=True)
    rows, cols = (most if extent == DYNAMIC else extent for extent, most in pairs)
    return 64 + -(-rows // 16) * cols


_EXPONENTS = Row(
    tiles={"src": tile("u8 hif8 f8E8M0", ND), "dst": tile("u8 hif8 f8E8M0", ZZ), "tmp": tile()},
    rules=(reordered_exponents_fill_boxes, reordered_exponents_have_no_gaps),
    pipe=V,
    no_alias=(("src", "dst"), ("src", "tmp"), ("dst", "tmp")),
    defaults={"grpAxis": MxGroupAxis.Axis1},
    scratch={"tmp": Scratch(needs=lambda _: None, least=_indices_of_boxes)},
    call=Call(template="#grpAxis?", arguments="dst src tmp"),
)
BOXES: Mapping[str, Row | Unsupported] = {
    "boxes along axis1": _EXPONENTS,
    # Rows are interleaved in registers; the scratch tile is unused.
    "boxes along axis0": _EXPONENTS.override(ignores=("tmp",), no_alias=(("src", "dst"),)),
}
"""TMOV that reorders the exponents of blocks."""


def no_boxes(reason: str) -> Mapping[str, Row | Unsupported]:
    return dict.fromkeys(BOXES, Unsupported(reason))


def move(plain: Forms, boxes: Mapping[str, Row | Unsupported]) -> Forms:
    """TMOV: the moves between memories, and the one that reorders exponents."""
    return replace(plain, rows={**plain.rows, **boxes})


class FillModel(NamedTuple):
    """The extent that TFILLPAD fills."""

    whole: bool = False
    """The whole physical tile, not only the valid rows."""
    keeps_bursts: bool = False
    """True if the rest of each row's last 32 bytes is unchanged from a source with the same pad value."""


def same_place(op: PtoOp) -> bool:
    """Return True if source and destination have one address, as far as their declarations show."""
    (src,), (dst,) = op.values_of("src"), op.values_of("dst")
    addresses = [tile.owner.addr if isinstance(tile.owner, AllocTileOp) else None for tile in (src, dst)]
    numbers = [None if address is None else Constants().constant(address) for address in addresses]
    return src is dst or (None not in numbers and numbers[0] == numbers[1])


def _fill_form(op: PtoOp) -> str:
    src, dst = (tile_type(op.values_of(slot)[0]) for slot in ("src", "dst"))
    if dst.loc.data is TileLoc.Mat:
        return "mat"
    if src.shape != dst.shape:
        return "expand"
    return "in place" if same_place(op) else "plain"


FILL_PAD = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src": tile(None, ROW_MAJOR)},
    rules=(fill_has_no_mode, fill_has_a_pad_value, fill_does_not_shrink),
    pipe=V,
)

FILL_PAD_MAT = Row(
    tiles={"dst": tile(T, locs="mat"), "src": tile(locs="mat")},
    rules=(fill_has_no_mode, fill_of_a_matrix_keeps_its_type),
    pipe=MTE2,
    source="pto/common/event.hpp header: the pipe of TFILLPAD_MAT",
    call=Call(template="type:dst #padValue", only_with="padValue"),
    defaults={"padValue": PadValue.Zero},
)


def fill_pad(types: str | Types, model: FillModel, pipe: PipeModel = V) -> Forms:
    """The kinds of TFILLPAD, which one has no word for: the operands tell them apart."""
    calls = {"plain": "TFILLPAD", "expand": "TFILLPAD_EXPAND", "in place": "TFILLPAD_INPLACE"}
    row = FILL_PAD.of(types, model=model, pipe=pipe)
    forms = {kind: row.override(call=Call(name=name)) for kind, name in calls.items()}
    forms["expand"] = forms["expand"].override(no_alias=(("dst", "src"),))  # its rows are longer
    return Forms(_fill_form, {**forms, "mat": FILL_PAD_MAT.of(types, model=model)})


TRANSPOSE = Row(
    tiles={"src": tile(None, ROW_MAJOR), "dst": tile(T)},
    valid={"src": "R C", "dst": "C R"},
    pipe=V,
    ignores=("tmp",),
    scratch={"tmp": placeholder("src")},
)
"""Transposition whose scratch tile is only an argument of the call."""

CONCAT = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src0 src1": tile(None, ROW_MAJOR)},
    valid={"dst": "R _", "src0 src1": "R _"},
    pipe=V,
    # Rows of the destination are longer than those of its parts: they would overwrite the next ones.
    no_alias=(("dst", "src0"), ("dst", "src1")),
)

CONCAT_COUNTED = CONCAT.override(
    tiles={"src0_idx src1_idx": tile("i8 u8 i16 u16 i32 u32")},
    call=Call(name="TCONCAT"),
)

EXTRACT = Row(
    tiles={"dst": tile(T, ND_OR_NZ), "src": tile(None, ND_OR_NZ)},
    rules=(part_is_inside_the_tile, part_keeps_the_layout),
    pipe=V,
)


ROWS: Rows = CONCAT_COUNTED.each({d.TConcatIdxOp: NINE})
"""Rows that are the same on all targets."""
