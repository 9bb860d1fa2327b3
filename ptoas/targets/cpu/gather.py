"""Gathers and scatters of the simulator (document 000, CPU Reference Form; document 004)."""

from __future__ import annotations

from dataclasses import replace

from ptoas.dialects.pto.enums import Coalesce, GatherOOB, ScatterAtomicOp, ScatterOOB
from ptoas.dialects.pto.gather import MGatherOp, MScatterOp, TGatherBOp, TGatherOp, TScatterOp
from ptoas.targets.comparisons import compare_rows, form
from ptoas.targets.families import MASK_CALL, SPREAD, placeholder
from ptoas.targets.gathers import TableModel
from ptoas.targets.pipes import V
from ptoas.targets.row import Call, Forms, Row, Rows
from ptoas.targets.rules import gather as a
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.rules import portability as w
from ptoas.targets.rules import scatter as s
from ptoas.targets.rules import tile_gather as b
from ptoas.targets.specs import FLOAT8, INDEX, ND, NINE, ROW_MAJOR, WIDE, elements, tile, view

TABLE = TableModel(row_capacity_dims=(3,), has_row_mode=False, checks_bounds=False)

ATOMICS = {"add": elements("i32 u32 f16 f32"), "max": elements("i32 f32"), "min": elements("i32 f32")}

ROWS: Rows = {
    MGatherOp: Row(
        tiles={"dst": tile(NINE, ND, aicore=FLOAT8, aligned=True), "idx": tile(INDEX, ND)},
        views={"mem": view(layouts="nd")},
        rules=(
            # Shape constraints
            g.index_has_the_rows_of_the_tile,
            g.index_is_a_match,
            g.table_has_two_dimensions,
            # CPU reference form: neither Coalesce nor GatherOOB
            a.cpu_has_no_row_mode,
            a.cpu_has_no_out_of_bounds_mode,
            # Portability
            w.gather_names_its_mode,
            w.wrap_gives_one_result,
            w.table_form_is_taken_everywhere,
        ),
        pipe=V,
        defaults={"coalesce": Coalesce.Elem, "gatherOob": GatherOOB.Undefined},
        apart=(("dst", "idx"),),
        model=TABLE,
        source="000, Tile Constraints (CPU)",
    ),
    MScatterOp: Row(
        tiles={"src": tile(NINE, ND, aicore=FLOAT8, aligned=True), "idx": tile(INDEX, ND)},
        views={"mem": view(layouts="nd")},
        rules=(
            s.scatter_atomic_takes_the_element_type(types=ATOMICS),
            g.index_has_the_rows_of_the_tile,
            g.index_is_a_match,
            g.table_has_two_dimensions,
            s.scatter_conflict_goes_without_atomics,
            s.simulator_scatters_rows_as_meant,
        ),
        pipe=V,
        defaults={
            "coalesce": Coalesce.Elem,
            "scatterOob": ScatterOOB.Undefined,
            "scatterAtomicOp": ScatterAtomicOp.None_,
        },
        call=Call(template="#coalesce #scatterAtomicOp? #scatterOob? #scatterConflict?"),
        model=replace(TABLE, has_row_mode=True),
        source="MSCATTER, Tile Constraints (CPU)",
    ),
    TGatherOp: Forms(
        form,
        {
            "index": Row(
                tiles={"dst": tile((*NINE, *WIDE)), "src": tile(), "indices": tile(INDEX)},
                rules=(
                    b.tile_gather_keeps_the_element_type,
                    b.counted_window_is_row_major,
                    w.index_type_is_taken_everywhere,
                ),
                pipe=V,
                ignores=("tmp",),
                scratch={"tmp": placeholder("indices")},
                apart=(("dst", "indices"), ("dst", "src")),
                source="004, index-based gather",
            ),
            "mask": Row(
                tiles={"dst src": tile(None, ROW_MAJOR)},
                rules=(b.tile_gather_destination_is_full, b.mask_gather_keeps_the_element_size),
                pipe=V,
                defaults={"axis": "row"},
                call=MASK_CALL,
                source="004, mask-pattern gather",
            ),
            **compare_rows(Row(rules=(b.cpu_has_no_compare_gather,), pipe=V)),
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
                tiles={"dst": tile((*NINE, *WIDE)), "src idx": tile()},
                rules=(b.counted_window_is_row_major,),
                pipe=V,
                apart=(("dst", "idx"), ("dst", "src")),
            ),
            "mask": SPREAD.of("i16 u16 i32 u32 f16 bf16 f32"),
        },
    ),
}
