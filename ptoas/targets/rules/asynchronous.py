"""Asynchronous transfers and prefetches in the background (public pages and headers)."""

from __future__ import annotations

from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.knowledge import ViewFacts, shape_str
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.asynchronous import AsyncTransferOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.relation import constraint
from ptoas.targets.rule import Violation, Violations, function_rule, mismatch, rule
from ptoas.targets.target import Target


@rule(
    "PTO-D111",
    source="public TPUT_ASYNC and TPREFETCH_ASYNC pages, Constraints",
    reason="The engine takes an address and a number of bytes; for anything else it starts nothing, and "
    "the event is empty.",
)
def asynchronous_memory_is_one_row(op: PtoOp, know: Facts) -> Violations:
    """Memory of an asynchronous transfer or prefetch must be one contiguous row of a static length."""
    for slot in ("dst", "src") if isinstance(op, AsyncTransferOp) else ("src",):
        wrong = _not_a_line(know.view(slot))
        if wrong is not None:
            yield mismatch(f"memory of ${slot}", wrong, "one contiguous row", slot=slot)


def _not_a_line(view: ViewFacts) -> str | None:
    shape = view.shape5
    if DYNAMIC in shape:
        return f"the open shape {shape_str(view.shape)}"
    if any(extent != 1 for extent in shape[:4]):
        return f"{shape_str(view.shape)}"
    return "gaps between its elements" if view.is_packed is False else None


@constraint(
    "PTO-D112",
    "sync_id in 0 to 7",
    "block_bytes >= 1",
    "comm_block_offset >= 0",
    "queue_num >= 1",
    f"channel_group_idx in 0 to {(1 << 32) - 1}",
    source="public BuildAsyncSession header and assembler",
    reason="The engine rejects other values.",
)
def session_settings_are_in_range() -> None:
    """sync_id must be 0 to 7, block_bytes and queue_num at least 1, comm_block_offset at least 0, and
    channel_group_idx must fit 32 bits."""


@function_rule(
    "PTO-D113",
    source="public TPUT_ASYNC page, Completion Semantics",
    reason="Otherwise nothing tells when the transfer is complete, not even the end of the kernel.",
    severity=Severity.WARNING,
)
def asynchronous_transfer_is_awaited(facts: FunctionFacts, _target: Target) -> Violations:
    """The last event of a session must be waited for or tested."""
    for op in facts.ops:
        if not isinstance(op, AsyncTransferOp) or op.event.uses.get_length():
            continue
        later = facts.ops[facts.ops.index(op) + 1 :]
        # Waiting for a later one of the same session is waiting for all before it.
        if not any(isinstance(other, AsyncTransferOp) and other.session is op.session for other in later):
            yield Violation(
                f"the event of `{op.mnemonic()}` is never waited for",
                op=op,
                fix="add `comm.wait_async_event(%event, %session)` before the memory is used again",
            )
