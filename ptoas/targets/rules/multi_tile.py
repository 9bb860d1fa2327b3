"""Several tiles under one name."""

from __future__ import annotations

from ptoas.targets.relation import Relation, constraint


@constraint(
    "PTO-G306",
    Relation("slot in", lambda _, know: range(len(know.values("source"))), what="number of the tile"),
    source="PTOAS multi_tile_get",
    reason="Beyond the last tile lies other memory.",
)
def tile_is_one_of_several() -> None:
    """The number of a tile must be less than the count of the multi tile, counted from 0."""
