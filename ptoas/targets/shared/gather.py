"""Rows of gathers and scatters."""

from __future__ import annotations

from ptoas.dialects.pto.enums import CmpMode, Coalesce, GatherOOB, ScatterAtomicOp, ScatterOOB
from ptoas.dialects.pto.gather import MGatherMatOp
from ptoas.targets.pipes import MTE2, Pipes, S, V
from ptoas.targets.row import Call, Row
from ptoas.targets.rules import gather as r
from ptoas.targets.rules import portability as w
from ptoas.targets.rules import tile_gather as b
from ptoas.targets.specs import INDEX, NZ, ROW_MAJOR, T, tile, view

# --- between memory and a tile -------------------------------------------------------------------

MEMORY_GATHER = Row(
    views={"mem": view(layouts="nd")},
    rules=(
        w.gather_names_its_mode,
        w.wrap_gives_one_result,
        w.table_form_is_supported_everywhere,
        w.row_capacity_is_the_same_everywhere,
    ),
    pipe=V,
    defaults={"coalesce": Coalesce.Row, "gatherOob": GatherOOB.Undefined},
    call=Call(template="#coalesce #gatherOob?"),
    no_alias=(("dst", "idx"),),
)
L1_GATHER_BY_ROW = Pipes(MTE2, {"idx": S}, after=((S, MTE2),))
L1_GATHER_BY_ELEMENT = Pipes(MTE2, {"mem": S, "idx": S, "scratch": (S, MTE2)}, inside=((S, MTE2),))


def _l1_pipes(op: MGatherMatOp) -> Pipes:
    """Rows are copied by MTE2; elements are arranged in memory by the scalar pipe, and copied from there."""
    return L1_GATHER_BY_ROW if op.by_row else L1_GATHER_BY_ELEMENT


def _l1_mode(op: MGatherMatOp) -> Coalesce:
    return Coalesce.Row if op.by_row else Coalesce.Elem


L1_GATHER = Row(
    tiles={"dst": tile(T, NZ, "mat", empty=False)},
    views={"mem": view(layouts="nd"), "idx": view(INDEX)},
    rules=(
        r.gather_into_l1_needs_a_revision,
        r.element_gather_into_l1_has_scratch,
        r.index_view_covers_the_destination,
    ),
    pipe=_l1_pipes,
    defaults={"coalesce": _l1_mode, "gatherOob": GatherOOB.Undefined},
    call=Call("MGATHER", template="#coalesce #gatherOob?"),
    source="MGather.hpp headers of August 2026, GM to L1",
)
"""`MGATHER` into L1, with indices in global memory."""

MEMORY_SCATTER = Row(
    views={"mem": view(layouts="nd")},
    pipe=V,
    defaults={
        "coalesce": Coalesce.Row,
        "scatterOob": ScatterOOB.Undefined,
        "scatterAtomicOp": ScatterAtomicOp.None_,
    },
    call=Call(template="#coalesce #scatterAtomicOp? #scatterOob? #scatterConflict?"),
)

# --- between tiles -------------------------------------------------------------------------------

INDEX_GATHER = Row(
    tiles={"dst": tile(T), "src": tile(), "indices": tile(INDEX)},
    rules=(
        b.tile_gather_keeps_the_element_type,
        b.counted_window_is_row_major,
        b.index_tile_has_an_index_for_each_element,
        w.index_type_is_supported_everywhere,
    ),
    pipe=V,
    no_alias=(("dst", "indices"), ("dst", "src")),
)
"""`TGATHER` by indices."""

MASK_GATHER = Row(
    tiles={"dst src": tile(T, ROW_MAJOR)},
    rules=(
        b.tile_gather_destination_is_full,
        b.mask_gather_keeps_the_element_size,
        b.mask_gather_fits_the_destination,
        b.mask_gather_stays_in_the_valid_rows,
    ),
    pipe=V,
    defaults={"axis": "row"},
    call=Call(
        template="type:dst type:src #maskPattern #axis?",
        arguments="dst src",
        words={"axis": "GatherAxis::GATHER_{}"},
    ),
)
"""`TGATHER` by a mask pattern; the tile types come first."""

COMPARE_GATHER = Row(tiles={"dst": tile(INDEX)}, pipe=V, defaults={"cmpMode": CmpMode.EQ, "offset": 0})
"""`TGATHER` by comparison."""

BLOCK_GATHER = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src": tile(), "offsets": tile(INDEX)},
    rules=(b.block_gather_has_an_offset_for_each_block,),
    pipe=V,
    no_alias=(("dst", "offsets"), ("dst", "src")),
)
INDEX_SCATTER = Row(
    tiles={"dst": tile(T), "src idx": tile()}, pipe=V, no_alias=(("dst", "idx"), ("dst", "src"))
)
MASK_SCATTER = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src": tile(None, ROW_MAJOR)},
    rules=(b.mask_scatter_fills_the_pattern,),
    pipe=V,
    no_alias=(("dst", "src"),),
    call=Call(template="#maskPattern #axis", arguments="dst src", words={"axis": "ScatterAxis::SCATTER_{}"}),
    source="TScatter.hpp, mask form",
)
