"""Views and tiles: nothing of them runs, and their rules are the same everywhere."""

from __future__ import annotations

from ptoas.dialects.pto import views
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules import aliases as a
from ptoas.targets.rules import tiles as v
from ptoas.targets.rules.dimensions import dimension_is_one_of_the_view

ROWS: Rows = {
    views.MakeTensorViewOp: Row(rules=(v.view_extents_are_positive, v.view_type_matches_its_operands)),
    views.PartitionViewOp: Row(
        rules=(
            v.view_extents_are_positive,
            v.partition_is_inside_its_view,
            v.view_type_matches_its_operands,
        )
    ),
    views.AllocTileOp: Row(rules=(v.tile_address_is_aligned, v.valid_extent_is_inside_the_tile)),
    views.TAssignOp: Row(rules=(v.tile_address_is_aligned,)),
    views.SubviewOp: Row(
        rules=(
            v.window_is_inside_the_tile,
            v.window_has_the_type_of_the_tile,
            v.window_of_a_fractal_tile_is_made_of_blocks,
        )
    ),
    views.TReshapeOp: Row(rules=(a.reshaped_tile_keeps_its_bytes, a.aliased_window_has_no_gaps)),
    views.BitcastOp: Row(
        rules=(
            a.reshaped_tile_keeps_its_bytes,
            a.bitcast_changes_only_the_element_type,
            a.aliased_window_has_no_gaps,
        )
    ),
    views.GetValidShapeOp: Row(),
    views.TileValidRowsOp: Row(),
    views.TileValidColsOp: Row(),
    views.GetTensorViewDimOp: Row(rules=(dimension_is_one_of_the_view,)),
    views.GetTensorViewStrideOp: Row(rules=(dimension_is_one_of_the_view,)),
    views.SetValidShapeOp: Row(
        rules=(v.valid_extent_is_inside_the_tile, v.set_validshape_needs_open_extents)
    ),
}
