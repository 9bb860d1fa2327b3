"""Transfers and signals between ranks (public TPUT, TGET, TNOTIFY, TWAIT, TTEST pages and headers)."""

from __future__ import annotations

from ptoas.analysis.effects import touched
from ptoas.analysis.function import FunctionFacts
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.remote import CommTNotifyOp, CommTPutOp
from ptoas.dialects.pto.sync import FenceBarrierAllOp
from ptoas.dialects.pto.types import GroupType, ViewType
from ptoas.targets.fixit import Fixit
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Related, Violation, Violations, function_rule
from ptoas.targets.rules.common import atomic_addition
from ptoas.targets.target import Target


@constraint(
    "PTO-D101",
    "dst.dims == src.dims, as $src",
    source="public TPUT, TGET and TPUT_ASYNC pages, Constraints",
    reason="The extents of one are used for both.",
)
def transfer_keeps_the_shape() -> None:
    """Source and destination of a transfer must have the same shape."""


@constraint(
    "PTO-D102",
    "dst.layout == src.layout, as $src",
    source="public TPUT headers: src/dst layout mismatch",
    reason="The bytes are copied unchanged.",
)
def transfer_keeps_the_layout() -> None:
    """Source and destination of a transfer must have the same layout."""


@constraint(
    "PTO-D103",
    *atomic_addition("dst"),
    source="public TPUT page, Atomic operation",
    reason="A put stores tiles atomically, and stores only add atomically.",
)
def atomic_put_is_an_addition() -> None:
    """An atomic put must be atomic_add with an element type that the target adds in memory."""


@constraint(
    "PTO-D104",
    Relation(
        "signal.count == 1", what="size of the signal $signal", fix="take the element with partition_view"
    ),
    source="public TNOTIFY header",
    reason="The instruction writes the first element only.",
)
def one_element_is_notified() -> None:
    """The signal of a notification must be one element."""


@function_rule(
    "PTO-D105",
    source="public TNOTIFY header: dcci, store, dcci, dsb of the signal alone",
    reason="A notification does not wait for earlier transfers, so the other rank may see the signal but "
    "old data.",
    severity=Severity.WARNING,
)
def store_is_fenced_before_its_notification(facts: FunctionFacts, target: Target) -> Violations:
    """A `fence.barrier_all` must separate a put or a store to global memory from a following notification."""
    if CommTNotifyOp not in facts.by_class:
        return
    loose: PtoOp | None = None
    for op in facts.ops:
        match op:
            case CommTNotifyOp() if loose is not None:
                stored = "put" if isinstance(loose, CommTPutOp) else f"`{loose.mnemonic()}`"
                yield Violation(
                    f"the {stored} may become visible after this notification",
                    op=op,
                    fix="add `pto.fence.barrier_all #pto.fence_scope<gm>` between the two",
                    fixit=Fixit("before", "pto.fence.barrier_all #pto.fence_scope<gm>"),
                    related=(Related(f"the {stored}", loose),),
                )
                loose = None
            case FenceBarrierAllOp():
                loose = None
            case PtoOp() if _writes_memory(op, target):
                loose = op
            case _:
                pass


def _writes_memory(op: PtoOp, target: Target) -> bool:
    """Return True if a transfer of the instruction writes global memory."""
    return any(
        access.write
        and access.pipe is not Pipe.PIPE_S
        and isinstance(touched(op, access.operand).type, ViewType | GroupType)
        for access in target.effects(op).accesses
    )
