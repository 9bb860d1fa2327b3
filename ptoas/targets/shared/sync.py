"""Flags, barriers, fences: what they order is checked over whole functions."""

from __future__ import annotations

from ptoas.dialects.pto import instructions_of, sync
from ptoas.targets.row import Row, Rows, Unsupported
from ptoas.targets.rules import fences as f

ROWS: Rows = {
    **{op: Row() for op in instructions_of("sync")},
    sync.FenceBarrierAllOp: Row(rules=(f.fence_scope_includes_global_memory,)),
    sync.CmoCacheInvalidOp: Row(rules=(f.invalidated_cache_is_of_global_memory,)),
}

TOKENS = (sync.GetBufOp, sync.RlsBufOp, sync.GetBufDynOp, sync.RlsBufDynOp)


def without_tokens(reason: str) -> Rows:
    """The rows of a target that has no tokens of buffers."""
    return {op: Unsupported(reason) for op in TOKENS}
