"""Gathers and scatters of the simulator (document 000, CPU Reference Form; document 004)."""

from __future__ import annotations

from dataclasses import replace

from ptoas.dialects.pto.element_types import ELEMENT_TYPES
from ptoas.dialects.pto.enums import Coalesce
from ptoas.dialects.pto.gather import MGatherMatOp, MGatherOp, MScatterOp, TGatherBOp, TGatherOp, TScatterOp
from ptoas.targets.pipes import V
from ptoas.targets.row import Call, Forms, Row, Rows, Unsupported
from ptoas.targets.rules import gather as a
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.rules import scatter as s
from ptoas.targets.rules import tile_gather as b
from ptoas.targets.shared import gather as f
from ptoas.targets.shared.compare_gather import compare_rows, form
from ptoas.targets.shared.gather_tables import RowIndex, TableModel
from ptoas.targets.shared.scratch import placeholder
from ptoas.targets.specs import FLOAT8, HIF8, INDEX, ND, NINE, ROW_MAJOR, WIDE, elements, tile

TABLE = TableModel(
    row_capacity_dims=(3,),
    row_index=RowIndex.EITHER,
    has_row_mode=False,
    checks_bounds=False,
    two_dimensional=True,
)

MASKED = tuple(element for element in ELEMENT_TYPES if element not in (*FLOAT8, *HIF8))
ATOMICS = {"add": elements("i32 u32 f16 f32"), "max": elements("i32 f32"), "min": elements("i32 f32")}

INDICES_AND_TABLES = (
    g.index_has_the_rows_of_the_tile,
    g.elem_index_has_the_valid_shape,
    g.table_has_two_dimensions,
    g.strides_of_the_table_are_used,
)

ROWS: Rows = {
    MGatherMatOp: Unsupported("the simulator gathers into vec only; load the rows one by one"),
    MGatherOp: f.MEMORY_GATHER.override(
        tiles={"dst": tile(NINE, ND, aicore=FLOAT8, aligned=True), "idx": tile(INDEX, ND)},
        rules=(
            *INDICES_AND_TABLES,
            # CPU reference form: neither Coalesce nor GatherOOB
            a.cpu_has_no_row_mode,
            a.cpu_has_no_out_of_bounds_mode,
        ),
        defaults={"coalesce": Coalesce.Elem},
        call=Call(),
        model=TABLE,
        source="000, Tile Constraints (CPU)",
    ),
    MScatterOp: f.MEMORY_SCATTER.override(
        tiles={"src": tile(NINE, ND, aicore=FLOAT8, aligned=True), "idx": tile(INDEX, ND)},
        rules=(
            s.scatter_atomic_takes_the_element_type(types=ATOMICS),
            *INDICES_AND_TABLES,
            s.scatter_conflict_excludes_atomics,
            s.simulator_row_scatter_matches_devices,
        ),
        defaults={"coalesce": Coalesce.Elem},
        model=replace(TABLE, has_row_mode=True),
        source="MSCATTER, Tile Constraints (CPU)",
    ),
    TGatherOp: Forms(
        form,
        {
            "index": f.INDEX_GATHER.of(
                (*NINE, *WIDE),
                ignores=("tmp",),
                scratch={"tmp": placeholder("indices")},
                source="004, index-based gather",
            ),
            "mask": f.MASK_GATHER.override(
                # Whatever a tile may hold; the short floats in an AICORE build, as elsewhere (D3).
                tiles={"dst src": tile(MASKED, ROW_MAJOR, aicore=FLOAT8)},
                source="004, mask-pattern gather; D3",
            ),
            **compare_rows(Row(rules=(b.cpu_has_no_compare_gather,), pipe=V)),
        },
    ),
    TGatherBOp: f.BLOCK_GATHER.of(NINE),
    TScatterOp: Forms(
        lambda op: op.form,
        {
            "index": f.INDEX_SCATTER.of((*NINE, *WIDE)).override(rules=(b.counted_window_is_row_major,)),
            "mask": f.MASK_SCATTER.of("i16 u16 i32 u32 f16 bf16 f32"),
        },
    ),
}
