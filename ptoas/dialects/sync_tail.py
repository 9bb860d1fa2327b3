"""End of a function whose flags the compiler inserts: `pto.auto_sync_tail_hint`."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp

TAIL_HINT = "pto.auto_sync_tail_hint"

BARRIER = "barrier_all"
"""A barrier of all pipes."""
STORES = "setwait_mte3_to_s_event0"
"""The scalar pipe waits for the stores of MTE3, by event 0."""

_WORDS = {
    **dict.fromkeys(("barrier_all", "default"), BARRIER),
    **dict.fromkeys(("mte3_to_s_event0", STORES), STORES),
}
SPELLINGS = ("barrier-all", "mte3-to-s-event0")


def tail_of(function: FuncOp) -> str | None:
    """The requested tail of a function; `None`: none, or an unknown one."""
    hint = function.attributes.get(TAIL_HINT)
    return _WORDS.get(hint.data.lower().replace("-", "_")) if isinstance(hint, StringAttr) else None
