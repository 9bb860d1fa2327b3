"""Dimensions of views that the program asks for by their number."""

from __future__ import annotations

from ptoas.targets.relation import Relation, constraint


@constraint(
    "PTO-G305",
    Relation("dim in 0 to view.rank - 1", what="dimension"),
    source="PTOAS get_tensor_view_dim, get_tensor_view_stride",
    reason="The view has no further dimension.",
)
def dimension_is_one_of_the_view() -> None:
    """The number of a dimension must be less than the rank of the view, counted from 0."""
