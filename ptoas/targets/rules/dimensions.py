"""Dimensions of views that the program asks for by their number."""

from __future__ import annotations

from ptoas.dialects.pto.views import DimensionOp
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violations, mismatch, rule


def _ask(dim: int) -> str:
    memory = "!pto.memref<16x32xf32>"
    return f".arg %m : {memory}\n%n = get_tensor_view_dim %m, {dim} : {memory} -> index"


@rule(
    "PTO-G305",
    source="PTOAS get_tensor_view_dim, get_tensor_view_stride",
    reason="The view has no further dimension.",
    failing=_ask(2),
    passing=_ask(1),
)
def dimension_is_one_of_the_view(op: DimensionOp, know: Facts) -> Violations:
    """The number of a dimension must be less than the rank of the view, counted from 0."""
    rank = len(know.view("view").type.shape)
    (dim,) = know.constants("dim")
    if dim is not None and not 0 <= dim < rank:
        yield mismatch("dimension", dim, f"0 to {rank - 1}", slot="dim", part="value")
