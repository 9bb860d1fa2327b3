"""The custom gather: always a SIMT launch, without the scalar path for a single element (document 002)."""

from __future__ import annotations

from dataclasses import replace

from ptoas.dialects.pto.gather import MGatherOp, MScatterOp, TGatherOp
from ptoas.targets.a5.gather import MSCATTER
from ptoas.targets.a5.gather import ROWS as A5_ROWS
from ptoas.targets.pipes import V
from ptoas.targets.row import Call, Forms, Row, Rows
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.shared import gather as f
from ptoas.targets.shared.gather_tables import RowIndex, RowStep, TableModel, by_index_columns
from ptoas.targets.specs import FLOAT8, HIF8, INDEX, NINE, PLAIN, ROW_MAJOR, WIDE, tile

TABLE = TableModel(
    row_capacity_dims=(3,),
    elem_capacity_dims=(3, 4),
    row_step=RowStep.WIDTH,
    row_index=RowIndex.COLUMN,
    packed=True,
    launches_all=True,
)

A5_GATHER = A5_ROWS[TGatherOp]
assert isinstance(A5_GATHER, Forms)
A5_INDEX, A5_MASK = A5_GATHER.rows["index"], A5_GATHER.rows["mask"]
assert isinstance(A5_INDEX, Row) and isinstance(A5_MASK, Row)
INDEXED = A5_INDEX.tiles["dst"]
BY_HEADERS = tuple(each for each in INDEXED.headers if each not in HIF8)

ROWS: Rows = {
    # D3: no hif8, by the headers of August 2026 neither.
    TGatherOp: replace(
        A5_GATHER,
        rows={
            **A5_GATHER.rows,
            "index": A5_INDEX.override(tiles={"dst": replace(INDEXED, headers=BY_HEADERS)}),
            "mask": A5_MASK.override(tiles={"dst src": tile((*NINE, *FLOAT8), ROW_MAJOR, headers=WIDE)}),
        },
    ),
    MGatherOp: f.MEMORY_GATHER.override(
        tiles={"dst": tile((*NINE, *FLOAT8), empty=False, aligned=True), "idx": tile(INDEX, PLAIN)},
        rules=(
            # Tile constraints
            g.index_has_the_rows_of_the_tile,
            g.custom_index_columns_select_the_mode,
            g.custom_index_is_valid_for_the_destination,
            # Shape constraints
            g.valid_columns_are_inside_a_row,
            g.table_is_packed,
        ),
        simt=True,
        defaults={"coalesce": by_index_columns},
        call=Call(template="#gatherOob?", header="pto/npu/a5/custom/MGather.hpp"),
        model=TABLE,
        source="002, Tile Constraints",
    ),
    MScatterOp: MSCATTER.override(
        pipe=V,
        defaults={"coalesce": by_index_columns},
        call=Call(unsupported="Ascend A5, custom instruction has no MSCATTER"),
        model=replace(TABLE, row_index=RowIndex.BY_LAYOUT),
    ),
}
