"""Gathers and scatters of A5: the SIMT launch counts as a producer and consumer on V (document 000, A5)."""

from __future__ import annotations

from typing import Any

from ptoas.dialects.pto.enums import CmpMode, Coalesce, GatherOOB, ScatterAtomicOp, ScatterOOB
from ptoas.dialects.pto.gather import (
    IndexedMemoryOp,
    MGatherOp,
    MScatterOp,
    TGatherBOp,
    TGatherOp,
    TScatterOp,
)
from ptoas.targets.comparisons import CompareModel, compare_rows, form
from ptoas.targets.families import MASK_CALL, SPREAD, placeholder
from ptoas.targets.gathers import RowStep, TableModel
from ptoas.targets.pipes import Pipe, Pipes, S, V
from ptoas.targets.row import Call, Forms, Row, Rows
from ptoas.targets.rules import compare_gather as k
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.rules import portability as w
from ptoas.targets.rules import scatter as s
from ptoas.targets.rules import tile_gather as b
from ptoas.targets.specs import (
    FLOAT8,
    HIF8,
    INDEX,
    NINE,
    PLAIN,
    ROW_MAJOR,
    SHORT_INDEX,
    WIDE,
    elements,
    tile,
    view,
)

TABLE = TableModel(row_capacity_dims=(3,), row_step=RowStep.VALID, packed=True)

GATHERED = (*NINE, *FLOAT8, *HIF8)
INDEXED_BY_HEADERS = (*elements("i8 u8 bf16"), *WIDE, *FLOAT8, *HIF8)
"""What the index form of TGATHER takes besides by the headers of August 2026 (D28)."""
ATOMICS = {
    "add": elements("i32 u32 f16 bf16 f32"),
    "max": elements("i32 u32 f32"),
    "min": elements("i32 u32 f32"),
}

BY_SCALARS = Pipes(S, before=((V, S),), after=((S, V),))


def _pipe(op: IndexedMemoryOp) -> Pipe | Pipes:
    """A single element is moved by the scalar pipe."""
    elem = op.coalesce is not None and op.coalesce.data is Coalesce.Elem
    data: Any = op.operands_of(op.DATA)[0] if op.operands_of(op.DATA) else op.results[0]
    return BY_SCALARS if elem and data.type.valid == (1, 1) else V


MSCATTER = Row(
    tiles={"src": tile(GATHERED, PLAIN, empty=False, aligned=True), "idx": tile(INDEX, PLAIN)},
    views={"mem": view(layouts="nd")},
    rules=(
        s.scatter_atomic_takes_the_element_type(types=ATOMICS),
        g.row_index_is_one_dimensional,
        g.elem_index_has_the_shape_of_the_tile,
        g.row_width_is_the_valid_columns,
        g.table_is_packed,
        g.row_index_is_as_dynamic_as_the_tile,
        g.elem_index_is_as_dynamic_as_the_tile,
        g.row_width_is_as_dynamic_as_the_tile,
        s.scatter_conflict_goes_without_atomics,
    ),
    pipe=_pipe,
    simt=True,
    defaults={
        "coalesce": Coalesce.Row,
        "scatterOob": ScatterOOB.Undefined,
        "scatterAtomicOp": ScatterAtomicOp.None_,
    },
    call=Call(template="#coalesce #scatterAtomicOp? #scatterOob? #scatterConflict?"),
    model=TABLE,
    source="MSCATTER, Tile Constraints (A5)",
)

ROWS: Rows = {
    MGatherOp: Row(
        tiles={"dst": tile(GATHERED, PLAIN, empty=False, aligned=True), "idx": tile(INDEX, PLAIN)},
        views={"mem": view(layouts="nd")},
        rules=(
            g.row_width_is_the_valid_columns,
            g.table_is_packed,
            # Shape constraints
            g.row_index_is_one_dimensional,
            g.elem_index_has_the_shape_of_the_tile,
            # Dynamic runtime shapes
            g.row_index_is_as_dynamic_as_the_tile,
            g.elem_index_is_as_dynamic_as_the_tile,
            g.row_width_is_as_dynamic_as_the_tile,
            # Portability
            w.gather_names_its_mode,
            w.wrap_gives_one_result,
            w.table_form_is_taken_everywhere,
        ),
        pipe=_pipe,
        simt=True,
        defaults={"coalesce": Coalesce.Row, "gatherOob": GatherOOB.Undefined},
        call=Call(template="#coalesce #gatherOob?"),
        apart=(("dst", "idx"),),
        model=TABLE,
        source="000, Tile Constraints (A5)",
    ),
    MScatterOp: MSCATTER,
    TGatherOp: Forms(
        form,
        {
            "index": Row(
                tiles={
                    "dst": tile("i16 u16 i32 u32 f16 f32", headers=INDEXED_BY_HEADERS),
                    "src": tile(),
                    "indices": tile(SHORT_INDEX),
                },
                rules=(
                    b.tile_gather_keeps_the_element_type,
                    b.counted_window_is_row_major,
                    b.tile_gather_index_is_full,
                    b.tile_gather_destination_is_full,
                    k.indices_are_as_wide_as_lanes_of_the_data,
                    w.index_type_is_taken_everywhere,
                ),
                pipe=V,
                ignores=("tmp",),
                scratch={"tmp": placeholder("indices")},
                apart=(("dst", "indices"), ("dst", "src")),
                source="004, index-based gather, A5",
            ),
            "mask": Row(
                tiles={"dst src": tile(GATHERED, ROW_MAJOR, headers=WIDE)},
                rules=(
                    b.tile_gather_destination_is_full,
                    b.mask_gather_keeps_the_element_size,
                    k.wide_elements_are_kept_along_rows,
                ),
                pipe=V,
                defaults={"axis": "row"},
                call=MASK_CALL,
                source="004, mask-pattern gather, A5",
            ),
            **compare_rows(
                Row(
                    tiles={
                        "dst": tile(INDEX),
                        "src": tile("i8 u8 i16 u16 i32 u32 f16 f32"),
                        "indices": tile("u16 u32"),
                    },
                    rules=(
                        b.compare_gather_has_the_mode,
                        k.thresholds_follow_each_other,
                        k.compared_rows_are_whole_repeats,
                    ),
                    pipe=V,
                    ignores=("tmp",),
                    defaults={"cmpMode": CmpMode.EQ, "offset": 0},
                    scratch={"tmp": placeholder("src")},
                    model=CompareModel(signed=False, rounds=True, whole_repeats=True),
                    source="public TGATHER page, compare form; A5 header of TGATHER",
                )
            ),
        },
    ),
    TGatherBOp: Row(
        tiles={"dst": tile(NINE), "src": tile(), "offsets": tile(INDEX)},
        rules=(b.block_gather_has_an_offset_for_each_block,),
        pipe=V,
        apart=(("dst", "offsets"), ("dst", "src")),
    ),
    TScatterOp: Forms(
        lambda op: op.form,
        {
            "index": Row(
                tiles={"dst": tile((*NINE, *WIDE)), "src idx": tile()},
                rules=(b.tile_scatter_index_has_the_width_of_the_data, b.scattered_tile_is_whole),
                pipe=V,
                apart=(("dst", "idx"), ("dst", "src")),
            ),
            "mask": SPREAD.but(rules=(b.scattered_tile_is_whole,)).of((*NINE, *WIDE)),
        },
    ),
}
