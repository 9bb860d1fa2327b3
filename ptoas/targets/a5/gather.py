"""Gathers and scatters of A5: the SIMT launch counts as a producer and consumer on V (document 000, A5)."""

from __future__ import annotations

from typing import Any

from ptoas.dialects.pto.enums import Coalesce
from ptoas.dialects.pto.gather import (
    IndexedMemoryOp,
    MGatherMatOp,
    MGatherOp,
    MScatterOp,
    TGatherBOp,
    TGatherOp,
    TScatterOp,
)
from ptoas.targets.pipes import Pipe, Pipes, S, V
from ptoas.targets.row import Forms, Rows
from ptoas.targets.rules import compare_gather as k
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.rules import scatter as s
from ptoas.targets.rules import tile_gather as b
from ptoas.targets.shared import gather as f
from ptoas.targets.shared.compare_gather import CompareModel, compare_rows, form
from ptoas.targets.shared.gather_tables import RowIndex, RowStep, TableModel
from ptoas.targets.shared.scratch import placeholder
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
)

TABLE = TableModel(
    row_capacity_dims=(3,),
    row_step=RowStep.VALID,
    row_index=RowIndex.BY_LAYOUT,
    packed=True,
    compares_width=True,
)

GATHERED = (*NINE, *FLOAT8, *HIF8)
INDEXED_BY_HEADERS = (*elements("i8 u8 bf16"), *WIDE, *FLOAT8, *HIF8)
"""Types that the index form of TGATHER additionally takes by the headers of August 2026 (D28)."""
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


DYNAMIC_EXTENTS = (
    g.row_index_is_as_dynamic_as_the_tile,
    g.elem_index_is_as_dynamic_as_the_tile,
    g.row_width_is_as_dynamic_as_the_tile,
)

MSCATTER = f.MEMORY_SCATTER.override(
    tiles={"src": tile(GATHERED, PLAIN, empty=False, aligned=True), "idx": tile(INDEX, PLAIN)},
    rules=(
        s.scatter_atomic_takes_the_element_type(types=ATOMICS),
        g.row_index_is_one_dimensional,
        g.elem_index_has_the_shape_of_the_tile,
        g.row_width_is_the_valid_columns,
        g.table_is_packed,
        *DYNAMIC_EXTENTS,
        s.scatter_conflict_excludes_atomics,
    ),
    pipe=_pipe,
    simt=True,
    model=TABLE,
    source="MSCATTER, Tile Constraints (A5)",
)

ROWS: Rows = {
    MGatherOp: f.MEMORY_GATHER.override(
        tiles={"dst": tile(GATHERED, PLAIN, empty=False, aligned=True), "idx": tile(INDEX, PLAIN)},
        rules=(
            g.row_width_is_the_valid_columns,
            g.table_is_packed,
            # Shape constraints
            g.row_index_is_one_dimensional,
            g.elem_index_has_the_shape_of_the_tile,
            *DYNAMIC_EXTENTS,
        ),
        pipe=_pipe,
        simt=True,
        model=TABLE,
        source="000, Tile Constraints (A5)",
    ),
    MGatherMatOp: f.L1_GATHER.of(GATHERED),
    MScatterOp: MSCATTER,
    TGatherOp: Forms(
        form,
        {
            "index": f.INDEX_GATHER.override(
                tiles={
                    "dst": tile("i16 u16 i32 u32 f16 f32", headers=INDEXED_BY_HEADERS),
                    "indices": tile(SHORT_INDEX),
                },
                rules=(
                    b.tile_gather_index_is_full,
                    b.tile_gather_destination_is_full,
                    k.indices_are_as_wide_as_lanes_of_the_data,
                    b.index_gather_is_row_major,
                ),
                ignores=("tmp",),
                scratch={"tmp": placeholder("indices")},
                source="004, index-based gather, A5",
            ),
            "mask": f.MASK_GATHER.override(
                tiles={"dst src": tile(GATHERED, ROW_MAJOR, headers=WIDE)},
                rules=(k.wide_elements_are_kept_along_rows,),
                source="004, mask-pattern gather, A5",
            ),
            **compare_rows(
                f.COMPARE_GATHER.override(
                    tiles={"src": tile("i8 u8 i16 u16 i32 u32 f16 f32"), "indices": tile("u16 u32")},
                    rules=(
                        b.compare_gather_has_the_mode,
                        k.thresholds_are_contiguous,
                        k.compared_rows_are_whole_repeats,
                    ),
                    ignores=("tmp",),
                    scratch={"tmp": placeholder("src")},
                    model=CompareModel(signed=False, rounds=True, whole_repeats=True),
                    source="public TGATHER page, compare form; A5 header of TGATHER",
                )
            ),
        },
    ),
    TGatherBOp: f.BLOCK_GATHER.override(tiles={"dst": tile(NINE)}),
    TScatterOp: Forms(
        lambda op: op.form,
        {
            "index": f.INDEX_SCATTER.of((*NINE, *WIDE)).override(
                rules=(b.tile_scatter_index_has_the_width_of_the_data, b.scattered_tile_is_whole)
            ),
            "mask": f.MASK_SCATTER.of((*NINE, *WIDE)).override(rules=(b.scattered_tile_is_whole,)),
        },
    ),
}
