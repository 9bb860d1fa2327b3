"""Flags, barriers, fences: what they order is checked over whole functions."""

from __future__ import annotations

from ptoas.dialects.pto import instructions_of, sync
from ptoas.targets.row import Row, Rows, Unsupported
from ptoas.targets.rules import fences as f

EVENTS_OF_CALLS = "it waits for events that calls of the library return, and no value of the text is one"

ROWS: Rows = {
    **{op: Row() for op in instructions_of("sync")},
    sync.TSyncOp: Unsupported(EVENTS_OF_CALLS),
    sync.FenceBarrierAllOp: Row(rules=(f.fence_scope_includes_global_memory,)),
    sync.CmoCacheInvalidOp: Row(rules=(f.invalidated_cache_is_of_global_memory,)),
}

TOKENS = (sync.GetBufOp, sync.RlsBufOp, sync.GetBufDynOp, sync.RlsBufDynOp)


def without_tokens(reason: str) -> Rows:
    """The rows of a target that has no tokens of buffers."""
    return {op: Unsupported(reason) for op in TOKENS}
