"""Tiles that data goes through on its way between ranks (document 003; public headers of the collectives)."""

from __future__ import annotations

from itertools import combinations
from math import prod

from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.knowledge import shape_str
from ptoas.dialects.pto.comm import CollectiveOp, CommTReduceOp, StagedOp
from ptoas.dialects.pto.remote import TransferOp
from ptoas.dialects.pto.types import DYNAMIC, ViewType
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violation, Violations, function_rule, mismatch, rule
from ptoas.targets.rules.comm import holds
from ptoas.targets.target import Target


def _data(op: StagedOp, know: Facts) -> tuple[int, ...]:
    """The five extents of a rank's data, as far as they are known."""
    first = op.group[0] if isinstance(op, CollectiveOp) else op.src if isinstance(op, TransferOp) else None
    if first is None or not isinstance(first.type, ViewType):
        return op.moved.shape5
    return know.knowledge.view(first).shape5


@rule(
    "PTO-C120",
    source="headers of TGATHER and its neighbours: one chunk is loaded and stored as the tile is valid",
    reason="If rows of the tile are wider than those of the data, the store writes beyond them.",
    header=True,
)
def staging_is_no_larger_than_the_data(op: StagedOp, know: Facts) -> Violations:
    """A staging tile must not have more valid rows and columns than the data of a rank. Dynamic extents are
    reduced for a chunk, but not if all of the data is one chunk."""
    shape = _data(op, know)
    if DYNAMIC in shape:
        return
    whole = prod(shape[:4]), shape[4]
    for at, value in enumerate(op.staging):
        tile = know.knowledge.tile(value)
        if holds(tile, shape) and any(n > most for n, most in zip(tile.valid, whole, strict=True)):
            required = f"at most {shape_str(whole)}, as a rank's data"
            fix = f"give the tile valid={shape_str(whole)}, or fewer"
            yield mismatch(
                "valid extents of the staging tile",
                shape_str(tile.valid),
                required,
                slot=("staging", at),
                fix=fix,
            )


@function_rule(
    "PTO-C121",
    source="003, Ping-Pong Gather",
    reason="The next chunk is loaded into one while the other is stored or added.",
)
def staging_tiles_do_not_overlap(facts: FunctionFacts, _target: Target) -> Violations:
    """Ping, pong and the accumulator of a reduction must not overlap."""
    for op in facts.ops:
        if not isinstance(op, StagedOp):
            continue
        tiles = [("staging", at, tile) for at, tile in enumerate(op.staging)]
        if isinstance(op, CommTReduceOp) and op.acc is not None:
            tiles.append(("acc", 0, op.acc))
        for (_, _, one), (slot, at, other) in combinations(tiles, 2):
            if facts.storage(one).overlaps(facts.storage(other)):
                yield Violation(
                    f"`{value_name(other)}` overlaps `{value_name(one)}`",
                    op=op,
                    slot=(slot, at) if slot == "staging" else slot,
                    part="value",
                    fix=f"use another tile or address for `{value_name(other)}`",
                )
