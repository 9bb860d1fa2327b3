"""Gathers and scatters of A2/A3: explicit handshakes between the scalar pipe and the copy engines."""

from __future__ import annotations

from dataclasses import replace

from ptoas.dialects.pto.enums import CmpMode, Coalesce, GatherOOB, ScatterAtomicOp, ScatterOOB
from ptoas.dialects.pto.gather import MGatherOp, MScatterOp, TGatherBOp, TGatherOp, TScatterOp
from ptoas.targets.comparisons import LINES_AND_POSITIONS, CompareModel, compare_rows, form
from ptoas.targets.families import MASK_CALL, SPREAD, as_indices
from ptoas.targets.gathers import TableModel
from ptoas.targets.pipes import MTE2, MTE3, Pipes, S, V
from ptoas.targets.row import Call, Forms, Row, Rows
from ptoas.targets.rules import compare_gather as k
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.rules import memory as m
from ptoas.targets.rules import portability as w
from ptoas.targets.rules import scatter as s
from ptoas.targets.rules import tile_gather as b
from ptoas.targets.specs import INDEX, ND, ND_OR_NZ, NINE, ROW_MAJOR, SHORT_INDEX, elements, tile, view

TABLE = TableModel(row_capacity_dims=(0, 1, 2, 3), has_nz=True)

# Document 000, A2/A3: explicit pipe handshakes. The index arrives through V (the caller's MTE2->V), or
# through the caller's own MTE2->S; the epilogue releases the destination to V and MTE3.
GATHER_ROW = Pipes(
    MTE2,
    {"idx": S},
    before=((V, S), (MTE3, S)),
    after=((S, MTE2), (MTE2, V), (MTE2, MTE3), (S, V), (S, MTE3)),
)
# A row out of bounds is filled with zeros by the scalar pipe.
GATHER_ROW_ZERO = replace(GATHER_ROW, at={"idx": S, "dst": (S, MTE2)})
GATHER_ELEM = Pipes(S, before=((V, S), (MTE3, S), (MTE2, S)), after=((S, V), (S, MTE2), (S, MTE3)))
SCATTER_ROW = Pipes(MTE3, {"idx": S}, before=((V, S), (MTE2, S), (S, MTE3)), after=((MTE3, V), (MTE3, MTE2)))
SCATTER_ROW_ADD = replace(SCATTER_ROW, after=((MTE3, S), (S, V), (S, MTE2), (MTE3, V), (MTE3, MTE2)))
SCATTER_ELEM = Pipes(S, before=((V, S), (MTE2, S), (MTE3, S)), after=((S, V), (S, MTE2), (S, MTE3)))
# The vector pipe clears the destination, the scalar pipe writes the elements.
TILE_SCATTER = Pipes(S, {"dst": (S, V)}, before=((V, S),), after=((S, V),))
# The scalar pipe writes positions into the scratch tile before it waits for anything, and copies integers of
# the thresholds; then it takes turns with the vector pipe.
COMPARE = Pipes(
    V,
    {"cdst": S, "tmp": (S, V), "indices": (S, V)},
    before=((S, V),),
    inside=((V, S),),
    after=((S, V),),
)


def _gather(op: MGatherOp) -> Pipes:
    if op.coalesce is not None and op.coalesce.data is Coalesce.Elem:
        return GATHER_ELEM
    zero = op.gather_oob is not None and op.gather_oob.data is GatherOOB.Zero
    return GATHER_ROW_ZERO if zero else GATHER_ROW


def _scatter(op: MScatterOp) -> Pipes:
    if op.coalesce is not None and op.coalesce.data is Coalesce.Elem:
        return SCATTER_ELEM
    return SCATTER_ROW_ADD if op.updated() else SCATTER_ROW


ROWS: Rows = {
    MGatherOp: Row(
        tiles={"dst": tile(NINE, ND_OR_NZ, empty=False, aligned=True), "idx": tile(INDEX, ND)},
        views={"mem": view(layouts="nd nz")},
        rules=(
            g.tile_matches_the_table_layout,
            # Shape constraints
            g.row_index_is_one_row,
            g.elem_index_has_the_shape_of_the_tile,
            # NZ tables
            g.nz_table_has_blocks_of_16_rows,
            g.nz_table_has_blocks_of_32_bytes,
            g.nz_tile_columns_are_whole_blocks,
            g.nz_tile_rows_are_whole_blocks,
            g.valid_columns_are_inside_a_row,
            m.contiguous_dimension_has_no_gaps,
            g.nz_tile_has_room_for_a_row,
            # Portability
            w.gather_names_its_mode,
            w.wrap_gives_one_result,
            w.table_form_is_taken_everywhere,
        ),
        pipe=_gather,
        defaults={"coalesce": Coalesce.Row, "gatherOob": GatherOOB.Undefined},
        call=Call(template="#coalesce #gatherOob?"),
        apart=(("dst", "idx"),),
        model=TABLE,
        source="000, Tile Constraints (A2/A3)",
    ),
    MScatterOp: Row(
        tiles={"src": tile(NINE, ND_OR_NZ, empty=False, aligned=True), "idx": tile(INDEX, ND)},
        views={"mem": view(layouts="nd nz")},
        rules=(
            g.tile_matches_the_table_layout,
            s.scatter_atomic_takes_the_element_type(types={"add": elements("i8 i16 i32 f16 bf16 f32")}),
            g.row_index_is_one_row,
            g.elem_index_has_the_shape_of_the_tile,
            g.nz_table_has_blocks_of_16_rows,
            g.nz_table_has_blocks_of_32_bytes,
            g.nz_tile_columns_are_whole_blocks,
            g.nz_tile_rows_are_whole_blocks,
            g.valid_columns_are_inside_a_row,
            m.contiguous_dimension_has_no_gaps,
            g.nz_tile_has_room_for_a_row,
            s.scatter_conflict_is_for_a5,
        ),
        pipe=_scatter,
        defaults={
            "coalesce": Coalesce.Row,
            "scatterOob": ScatterOOB.Undefined,
            "scatterAtomicOp": ScatterAtomicOp.None_,
        },
        call=Call(template="#coalesce #scatterAtomicOp? #scatterOob?"),
        model=TABLE,
        source="MSCATTER, Tile Constraints (A2/A3)",
    ),
    TGatherOp: Forms(
        form,
        {
            "index": Row(
                tiles={
                    "dst": tile("i16 u16 i32 u32 f16 f32"),
                    "src": tile(),
                    "indices": tile(INDEX),
                },
                rules=(
                    b.tile_gather_keeps_the_element_type,
                    b.counted_window_is_row_major,
                    b.tile_gather_index_is_full,
                    b.tile_gather_destination_is_full,
                    b.tile_gather_scratch_is_like_the_index,
                    w.index_type_is_taken_everywhere,
                ),
                pipe=V,
                scratch={"tmp": as_indices("indices")},
                apart=(("dst", "indices"), ("dst", "src")),
                source="004, index-based gather, A2/A3",
            ),
            "mask": Row(
                tiles={"dst src": tile("i16 u16 i32 u32 f16 bf16 f32", ROW_MAJOR)},
                rules=(b.tile_gather_destination_is_full, b.mask_gather_keeps_the_element_size),
                pipe=V,
                defaults={"axis": "row"},
                call=MASK_CALL,
                source="004, mask-pattern gather, A2/A3",
            ),
            **compare_rows(
                Row(
                    tiles={"dst": tile(INDEX), "src": tile("f16 f32 i32"), "indices": tile(SHORT_INDEX)},
                    rules=(
                        b.compare_gather_has_the_mode(integers="eq"),
                        k.thresholds_follow_each_other,
                        k.thresholds_are_as_wide_as_the_source,
                        k.compare_scratch_has_a_line_for_each_row,
                    ),
                    pipe=COMPARE,
                    defaults={"cmpMode": CmpMode.EQ, "offset": 0},
                    scratch={"tmp": LINES_AND_POSITIONS},
                    model=CompareModel(signed=True, rounds=False, whole_repeats=False),
                    source="public TGATHER page, compare form",
                )
            ),
        },
    ),
    TGatherBOp: Row(
        tiles={"dst": tile(NINE, ROW_MAJOR), "src": tile(), "offsets": tile(INDEX)},
        rules=(b.block_gather_has_an_offset_for_each_block,),
        pipe=V,
        apart=(("dst", "offsets"), ("dst", "src")),
    ),
    TScatterOp: Forms(
        lambda op: op.form,
        {
            "index": Row(
                tiles={"dst": tile(NINE), "src idx": tile()},
                rules=(b.tile_scatter_index_has_the_width_of_the_data, b.scattered_tile_is_whole),
                pipe=TILE_SCATTER,
                apart=(("dst", "idx"), ("dst", "src")),
            ),
            "mask": SPREAD.but(rules=(b.scattered_tile_is_whole,)).of(NINE),
        },
    ),
}
