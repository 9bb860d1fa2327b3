"""Gathers and scatters of A2/A3: explicit handshakes between the scalar pipe and the copy engines."""

from __future__ import annotations

from dataclasses import replace

from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import Coalesce, GatherOOB, MaskPattern
from ptoas.dialects.pto.gather import MGatherMatOp, MGatherOp, MScatterOp, TGatherBOp, TGatherOp, TScatterOp
from ptoas.dialects.pto.types import TileType
from ptoas.targets.a2a3.elementwise import VECTORS_AND_SCALARS
from ptoas.targets.pipes import MTE2, MTE3, Pipe, Pipes, S, V
from ptoas.targets.row import Call, Forms, Rows
from ptoas.targets.rules import compare_gather as k
from ptoas.targets.rules import gather_shapes as g
from ptoas.targets.rules import memory as m
from ptoas.targets.rules import scatter as s
from ptoas.targets.rules import tile_gather as b
from ptoas.targets.shared import gather as f
from ptoas.targets.shared.compare_gather import LINES_AND_POSITIONS, CompareModel, compare_rows, form
from ptoas.targets.shared.gather_tables import TableModel
from ptoas.targets.shared.scratch import another, as_indices
from ptoas.targets.specs import INDEX, ND, ND_OR_NZ, NINE, SHORT_INDEX, element_of, elements, tile, view

TABLE = TableModel(row_capacity_dims=(0, 1, 2, 3), has_nz=True)

# Document 000, A2/A3: explicit pipe handshakes. The index arrives through V (the caller's MTE2->V), or
# through the caller's own MTE2->S; the epilogue releases the destination to V and MTE3.
GATHER_ROW = Pipes(
    MTE2,
    {"idx": S},
    # The transfers are issued by S, after what S has waited for (D27).
    before=((V, S), (MTE3, S), (S, MTE2)),
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


def _mask_scatter(op: TScatterOp) -> Pipe | Pipes:
    """The vector pipe clears the destination, then the scalar pipe writes elements; a pattern that keeps all
    is a move."""
    keeps_all = op.mask_pattern is not None and op.mask_pattern.data is MaskPattern.P1111
    return V if keeps_all else VECTORS_AND_SCALARS


def _compare(op: TGatherOp) -> Pipes:
    """The scalar pipe writes positions into the scratch tile before it waits for anything, copies thresholds
    of integers, and takes turns with the vector pipe; it writes the counts last, and nothing waits for these
    (pto/npu/a2a3/TGather.hpp header: TGather_cmp)."""
    thresholds = S if element_of(op.src).is_integer else V
    return Pipes(
        V,
        {"cdst": S, "tmp": (S, V), "indices": thresholds},
        before=((S, V),),
        inside=((V, S),),
    )


def _gather(op: MGatherOp) -> Pipes:
    if op.coalesce is not None and op.coalesce.data is Coalesce.Elem:
        return GATHER_ELEM
    zero = op.gather_oob is not None and op.gather_oob.data is GatherOOB.Zero
    return GATHER_ROW_ZERO if zero else GATHER_ROW


def _by_elements(op: MGatherOp) -> bool:
    """The scalar loop reads an index, then writes the element that it is for."""
    return op.coalesce is not None and op.coalesce.data is Coalesce.Elem


def _scatter(op: MScatterOp) -> Pipes:
    if op.coalesce is not None and op.coalesce.data is Coalesce.Elem:
        return SCATTER_ELEM
    return SCATTER_ROW_ADD if op.inplace_operands() else SCATTER_ROW


INDICES_AND_TABLES = (
    g.row_index_is_one_row,
    g.elem_index_has_the_shape_of_the_tile,
    g.strides_of_the_table_are_used,
    g.nz_table_has_blocks_of_16_rows,
    g.nz_table_has_blocks_of_32_bytes,
    g.nz_tile_columns_are_whole_blocks,
    g.nz_tile_rows_are_whole_blocks,
    g.valid_columns_are_inside_a_row,
    m.contiguous_dimension_has_no_gaps,
    g.nz_tile_has_room_for_a_row,
)

INDEXED = f.INDEX_GATHER.override(
    rules=(
        b.tile_gather_index_is_full,
        b.tile_gather_destination_is_full,
        b.tile_gather_scratch_is_like_the_index,
        b.index_gather_is_row_major,
    ),
    source="004, index-based gather, A2/A3",
)


def _form(op: TGatherOp) -> str:
    """Byte offsets of 4-byte elements are worked out in the destination, those of others in scratch."""
    source = op.src.type
    wide = isinstance(source, TileType) and element_size(source.element_type) == 4
    return "index of words" if op.form == "index" and wide else form(op)


ROWS: Rows = {
    MGatherOp: f.MEMORY_GATHER.override(
        tiles={"dst": tile(NINE, ND_OR_NZ, empty=False, aligned=True), "idx": tile(INDEX, ND)},
        views={"mem": view(layouts="nd nz")},
        rules=(
            g.tile_matches_the_table_layout,
            *INDICES_AND_TABLES,
        ),
        pipe=_gather,
        elementwise_alias=_by_elements,
        model=TABLE,
        source="000, Tile Constraints (A2/A3)",
    ),
    MGatherMatOp: f.L1_GATHER.of(NINE),
    MScatterOp: f.MEMORY_SCATTER.override(
        tiles={"src": tile(NINE, ND_OR_NZ, empty=False, aligned=True), "idx": tile(INDEX, ND)},
        views={"mem": view(layouts="nd nz")},
        rules=(
            g.tile_matches_the_table_layout,
            s.scatter_atomic_takes_the_element_type(types={"add": elements("i8 i16 i32 f16 bf16 f32")}),
            *INDICES_AND_TABLES,
            s.scatter_conflict_is_for_a5,
        ),
        pipe=_scatter,
        call=Call(template="#coalesce #scatterAtomicOp? #scatterOob?"),
        model=TABLE,
        source="MSCATTER, Tile Constraints (A2/A3)",
    ),
    # By index and by mask it is vector instructions alone (pto/npu/a2a3/TGather.hpp header: TGather).
    TGatherOp: Forms(
        _form,
        {
            "index": INDEXED.of("i16 u16 i32 u32 f16 f32", scratch={"tmp": as_indices("indices")}),
            "index of words": INDEXED.of(
                "i16 u16 i32 u32 f16 f32", scratch={"tmp": another("indices")}, ignores=("tmp",)
            ),
            "mask": f.MASK_GATHER.of(
                "i16 u16 i32 u32 f16 bf16 f32", source="004, mask-pattern gather, A2/A3"
            ),
            **compare_rows(
                f.COMPARE_GATHER.override(
                    tiles={"src": tile("f16 f32 i32"), "indices": tile(SHORT_INDEX)},
                    rules=(
                        b.compare_gather_has_the_mode(integers="eq"),
                        k.thresholds_are_contiguous,
                        k.thresholds_are_as_wide_as_the_source,
                        k.compare_scratch_has_a_line_for_each_row,
                    ),
                    pipe=_compare,
                    scratch={"tmp": LINES_AND_POSITIONS},
                    model=CompareModel(signed=True, rounds=False, whole_repeats=False, after_scratch=True),
                    source="public TGATHER page, compare form",
                )
            ),
        },
    ),
    TGatherBOp: f.BLOCK_GATHER.of(NINE),
    TScatterOp: Forms(
        lambda op: op.form,
        {
            "index": f.INDEX_SCATTER.of(NINE).override(
                rules=(b.tile_scatter_index_has_the_width_of_the_data, b.scattered_tile_is_whole),
                pipe=TILE_SCATTER,
                source="pto/npu/a2a3/TScatter.hpp header: TScatterImpl",
            ),
            "mask": f.MASK_SCATTER.of(NINE).override(
                rules=(b.scattered_tile_is_whole,),
                pipe=_mask_scatter,
                source="pto/npu/a2a3/TScatter.hpp header: TScatterMaskImpl",
            ),
        },
    ),
}
