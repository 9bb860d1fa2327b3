"""Single elements of tiles; loops."""

from __future__ import annotations

from xdsl.dialects import scf

from ptoas.analysis.function import FunctionFacts
from ptoas.dialects.pto.scalar import TGetValOp, TSetValOp
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violations, function_rule, mismatch, rule
from ptoas.targets.target import Target


@rule(
    "PTO-V121",
    source="PTOAS tgetval, tsetval: the offset counts elements of the tile",
    reason="Beyond the tile lies another one.",
)
def element_is_inside_the_tile(op: TGetValOp | TSetValOp, know: Facts) -> Violations:
    """The element that tgetval reads or tsetval writes must be inside the physical tile."""
    tile = know.tile(op.HOLDER).type
    (offset,) = know.constants("offset")
    count = tile.rows * tile.cols
    if offset is not None and not 0 <= offset < count:
        yield mismatch("offset", offset, f"0 to {count - 1}", slot="offset", part="value")


@function_rule(
    "PTO-V131",
    source="MLIR, scf.for: the step is positive",
    reason="A loop with step 0 never ends, and one with a negative step silently does nothing.",
    depends_on="nothing",
)
def step_of_a_loop_is_positive(facts: FunctionFacts, _target: Target) -> Violations:
    """The step of scf.for must be positive."""
    for op in facts.instances(scf.ForOp):
        step = facts.knowledge.constant(op.step)
        if step is not None and step <= 0:
            fix = "count upwards, and subtract from the last inside the loop" if step < 0 else None
            yield mismatch("step of the loop", step, "at least 1", op=op, part="statement", fix=fix)
