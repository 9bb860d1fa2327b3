"""Pointers that were numbers."""

from __future__ import annotations

from ptoas.dialects.pto.pointers import IntToPtrOp
from ptoas.dialects.pto.scalar import LoadScalarOp, StoreScalarOp
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Related, Violation, Violations, rule


@rule(
    "PTO-G304",
    source="PTOAS inttoptr: uses of its result",
    reason="Size and other users of the memory behind it are unknown.",
)
def integer_pointer_is_for_scalars(op: IntToPtrOp, know: Facts) -> Violations:
    """A pointer made by inttoptr may only be used by load_scalar and store_scalar."""
    for use in op.result.uses:
        if not isinstance(use.operation, LoadScalarOp | StoreScalarOp):
            user = use.operation.name.removeprefix("pto.")
            fix = "add to the number, and make a pointer of the sum"
            yield Violation(
                f"`{user}` uses a pointer made by inttoptr; only load_scalar and store_scalar may",
                fix=fix,
                related=(Related("used here", use.operation),),
            )
