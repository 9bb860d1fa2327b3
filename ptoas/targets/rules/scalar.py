"""Single elements of tiles; loops."""

from __future__ import annotations

from xdsl.dialects import scf

from ptoas.analysis.function import FunctionFacts
from ptoas.targets.relation import constraint
from ptoas.targets.rule import Violations, function_rule, mismatch
from ptoas.targets.target import Target


@constraint(
    "PTO-V121",
    "offset in 0 to HOLDER.elements - 1",
    source="PTOAS tgetval, tsetval: the offset counts elements of the tile",
    reason="Beyond the tile lies another one.",
)
def element_is_inside_the_tile() -> None:
    """The element that tgetval reads or tsetval writes must be inside the physical tile."""


@function_rule(
    "PTO-V131",
    source="MLIR, scf.for: the step is positive",
    reason="A loop with step 0 never ends, and one with a negative step silently does nothing.",
)
def step_of_a_loop_is_positive(facts: FunctionFacts, _target: Target) -> Violations:
    """The step of scf.for must be positive."""
    for op in facts.instances(scf.ForOp):
        step = facts.knowledge.constant(op.step)
        if step is not None and step <= 0:
            fix = "count upwards, and subtract from the last inside the loop" if step < 0 else None
            yield mismatch("step of the loop", step, "at least 1", op=op, fix=fix)
