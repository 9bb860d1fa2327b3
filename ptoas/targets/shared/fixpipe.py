"""Rows of the ways between the cube's memories: into the matrix unit, to its tables, and out of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.enums import AccToVecMode, ReluPreMode, SLayout, TileLoc
from ptoas.dialects.pto.movement import FixpipeOp, TExtractOp, TMovOp
from ptoas.targets.pipes import FIX, MTE1, MTE3, Pipe
from ptoas.targets.row import Call, Forms, Row
from ptoas.targets.rule import Rule
from ptoas.targets.rules import fixpipe as f
from ptoas.targets.rules.cube import halves_of_an_accumulator_are_equal, transposed_pairs_are_complete
from ptoas.targets.rules.elementwise import move_between_memories_exists
from ptoas.targets.rules.move_layouts import (
    blocks_in_vec_are_moved_whole,
    bytes_moved_from_vec_are_contiguous,
    insertion_in_parts_has_columns_of_boxes,
    move_between_layouts_exists,
    move_copies_the_whole_tile,
    row_moved_to_left_is_made_of_blocks,
    transposed_blocks_are_squares,
)
from ptoas.targets.specs import FLOAT4, Types, tile, tile_type

Table = dict[str, str]
EVERYWHERE = tuple(TileLoc)


@dataclass(frozen=True)
class Cube:
    """The moves of a target between the cube's memories."""

    types: Types
    """Element types of operands of the matrix unit."""
    plain: Table
    """Result types of accumulators without a scale, and with one."""
    scaled: Table
    bias: Table
    scaling: Table
    ways: Table = field(default_factory=dict[str, str])
    """Pairs of source and destination memories; none: any."""
    layouts: Table = field(default_factory=dict[str, str])
    """Between which layouts, where not any; see `move_between_layouts_exists`."""
    squares: str = ""
    """The slots whose tiles of bytes are made of squares, where they are transposed."""
    by_source: bool = False
    """True if the size of a row for a table is that of its source."""
    simulated: bool = False
    """True if there is one unified buffer, and bytes are moved unchanged."""


def way(op: FixpipeOp) -> str:
    """The kind of a move: within the unified buffer, out of the accumulator, to a table, or in."""
    if isinstance(op, TMovOp) and op.tmp is not None:
        return f"boxes along {op.axis.value}"
    src, dst = tile_type(op.operands_of("src")[0]), tile_type(op.destination)
    match src.loc.data, dst.loc.data:
        case TileLoc.Vec, TileLoc.Vec if BY_TYPE[src.element_type].kind == "pairs":
            return "vec pairs"
        case TileLoc.Vec, TileLoc.Vec:
            made = isinstance(op, TMovOp) and src.slayout is SLayout.NoneBox is not dst.slayout
            return "vec boxes" if made else "vec"
        case TileLoc.Acc, TileLoc.Vec if isinstance(op, TExtractOp) and _relu_alone(op):
            return "out relu"
        case TileLoc.Acc, _:
            mode = " mode" if op.acc_to_vec_mode is not None and op.fp is not None else ""
            return "out" if op.fp is None else f"out fp{mode}"
        case TileLoc.Mat, TileLoc.Bias | TileLoc.Scaling if BY_TYPE[dst.element_type].text != "!pto.f8E8M0":
            return "table"
        case _:
            return "in"


def _relu_alone(op: FixpipeOp) -> bool:
    mode = op.relu_pre_mode
    plain = op.fp is None and op.pre_quant is None
    return plain and mode is not None and mode.data is not ReluPreMode.NoRelu


def _pipe(op: FixpipeOp) -> Pipe:
    """The pipe of a move by its two memories (pto/common/event.hpp header: TMOV_A2M, TMOV_M2S, TMOV_M2L...).

    Out of the unified buffer it is a copy on MTE3, `copy_ubuf_to_cbuf`, where event.hpp names FIX. Exponents
    go to the matrix unit with its operands, on MTE1 (pto/npu/a5/TMov.hpp header: TExtractToAmx).
    """
    match tile_type(op.operands_of("src")[0]).loc.data, tile_type(op.destination).loc.data:
        case TileLoc.Vec, _:
            return MTE3
        case (TileLoc.Acc, _) | (TileLoc.Mat, TileLoc.Scaling):
            return FIX
        case _:
            return MTE1


PAIRS = Call(
    unsupported="within the unified buffer the library counts bytes of fp4 pairs, elsewhere their numbers; "
    "bitcast the tiles to ui8"
)


def moves(
    name: str, vec: Row, cube: Cube, *rules: Rule, at: str = "", made: Types | None = None, **facts: Any
) -> Forms:
    """The rows of one of the moves; `vec` is that within the unified buffer, `made` the types of which it
    makes boxes there, `at` are its indices, and `rules` and `facts` what else holds of the other ways."""
    ways = (move_between_memories_exists(ways=cube.ways),) if cube.ways else ()
    parts = (insertion_in_parts_has_columns_of_boxes,) if name == "TINSERT" else ()
    to_vec = not cube.ways or "vec" in cube.ways["acc"]
    layouts = move_between_layouts_exists(layouts=cube.layouts)
    always = (
        *ways,
        *rules,
        *([layouts] if cube.layouts else []),
        *([row_moved_to_left_is_made_of_blocks] if cube.layouts else []),
        # PTO-I107 checks the shapes that the header compares.
        *([move_copies_the_whole_tile] if cube.layouts and not at and "shape" not in facts else []),
        *([transposed_blocks_are_squares(of=cube.squares)] if cube.squares else []),
        *parts,
        *([bytes_moved_from_vec_are_contiguous] if "mat" in cube.ways.get("vec", "") else []),
        halves_of_an_accumulator_are_equal(both=not cube.simulated, to_vec=to_vec),
        *([transposed_pairs_are_complete(transposes=not cube.simulated)] if FLOAT4[0] in cube.types else []),
    )
    lying = (layouts, blocks_in_vec_are_moved_whole(makes=made is not None))
    within = vec.override(rules=(*ways, *parts, *(lying if cube.layouts and not at else ())))
    base = Row(pipe=_pipe, rules=always, defaults={"reluPreMode": ReluPreMode.NoRelu}, **facts)
    both = {"dst": tile(cube.types, locs=EVERYWHERE), "src": tile(cube.types, locs=EVERYWHERE)}
    out = base.override(
        rules=(
            f.accumulator_is_converted(plain=cube.plain, scaled=cube.scaled),
            f.scales_are_in_scaling,
            f.relu_mode_is_supported,
        )
    )
    fits = f.table_row_fits_bias_or_scaling(bias=cube.bias, scaling=cube.scaling, by_source=cube.by_source)
    table = base.override(rules=(fits,))
    types, relu = "type:dst type:src", "#reluPreMode?"
    whole = "src" if name == "TEXTRACT" else "dst"
    mode = "#tinsertMode~" if name == "TINSERT" and not cube.simulated else ""
    indexed = Call(name, mode, " ".join(("dst src", *(f"{slot}@{whole}" for slot in at.split()))))
    parameters = "accToVecMode reluPreMode pre_quant"
    # A variable would be taken for an event, by the form without a scale.
    values = " ".join(f"uint16_t:{slot}" for slot in at.split())
    plain = Call(name, f"{types} #accToVecMode~ {relu}", f"dst src pre_quant {values}", only_with=parameters)
    by_column = Call(f"{name}_FP", f"{types} type:fp {relu}", f"dst src fp {at}")
    return Forms(
        way,
        {
            "vec": within,
            "vec boxes": within if made is None else within.override(tiles={"dst src": tile(made)}),
            "vec pairs": vec.override(rules=(*ways, *parts), call=PAIRS),
            "in": base.override(tiles=both, call=indexed) if at else base.override(tiles=both),
            "table": table,
            "out": replace(out, call=plain),
            # Without a mode the library's TEXTRACT takes the relu, and leaves it out.
            "out relu": replace(
                out,
                call=Call(name, f"{types} #accToVecMode #reluPreMode", f"dst src {values}"),
                defaults={**out.defaults, "accToVecMode": AccToVecMode.SingleModeVec0},
            ),
            "out fp": replace(out, call=by_column),
            "out fp mode": replace(
                out, call=Call(name, f"{types} type:fp #accToVecMode {relu}", f"dst src fp {at}")
            ),
        },
    )
