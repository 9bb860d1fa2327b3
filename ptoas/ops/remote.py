"""Transfers and signals between ranks.

A transfer is one large copy; its chunks matter for what they leave in the staging tiles and for what they
could get wrong. Where the bytes are, here or in another process, is known to `machine/sharing.py`, and what
a signal tells whom.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne

from ptoas.dialects.pto import remote as dialect
from ptoas.dialects.pto.enums import NotifyOp, WaitCmp
from ptoas.machine.arrays import Array, np, share_bytes
from ptoas.machine.machine import Machine, Step, instruction, value
from ptoas.machine.memory import View
from ptoas.machine.signals import Signal
from ptoas.machine.tiles import Tile
from ptoas.ops.family import require_arithmetic
from ptoas.ops.staging import Staged
from ptoas.ops.transfer import array_of


class Transfer(Staged):
    """One copy between ranks."""

    def __init__(self, op: dialect.TransferOp, m: Machine, dst: View, src: View):
        super().__init__(op, m)
        self.target, self.source = self.array(dst), self.array(src)
        self.shape = self.source.shape
        if self.target.shape != self.source.shape:
            raise self.wrong(f"dst has shape {list(self.target.shape)}, src {list(self.source.shape)}")
        # One end of a transfer is this rank's own.
        name, own = ("src", src) if isinstance(op, dialect.CommTPutOp) else ("dst", dst)
        place = own.buffer.place
        if place is not None and place.rank != m.actor.rank:
            raise self.wrong(
                f"{name} is memory of rank {place.rank} (%{own.buffer.name}); it is this rank's own that is "
                f"{'put' if name == 'src' else 'got into'}",
                "PTO-R851",
            )


@instruction(dialect.CommTPutOp, dialect.CommTGetOp)
def transfer(op: dialect.TransferOp, m: Machine, dst: View, src: View, staging: tuple[Tile, ...]) -> Step:
    adds = isinstance(op, dialect.CommTPutOp) and op.adds
    call = Transfer(op, m, dst, src)
    if adds:
        require_arithmetic(op, m, dst)
    number = dst.dtype.number if adds else dst.dtype.raw
    target, source = call.target.view(number), call.source.view(number)
    walk = call.walk(1, staging)
    call.check_apart(staging[: len(walk)])
    if m.checks.mem and len(walk) > 1 and share_bytes(target, source):
        raise call.wrong("dst overlaps src, which is still read while dst is written in chunks", "PTO-R802")
    # What another process owns is not here to be looked at; the other side is, and holds the same.
    kept = source if isinstance(op, dialect.CommTPutOp) else target

    def run(*_: float) -> None:
        if m.sharing is not None:
            m.sharing.deliver(target, source, adds)
        elif adds:
            np.add(target, source, out=target)
        else:
            target[...] = source
        call.leave(staging, walk, (kept.view(dst.dtype.raw),))

    kind = "adds" if adds else None
    return Step(run, writes=call.filled(staging, walk), atomic=kind, delivers=True)


# --- signals -------------------------------------------------------------------------------------

_COMPARISONS: dict[WaitCmp, tuple[Callable[[Array, int], Array], str]] = {
    WaitCmp.EQ: (eq, "=="),
    WaitCmp.NE: (ne, "!="),
    WaitCmp.GT: (gt, ">"),
    WaitCmp.GE: (ge, ">="),
    WaitCmp.LT: (lt, "<"),
    WaitCmp.LE: (le, "<="),
}


def signal_of(op: dialect.SignalOp, m: Machine, view: View) -> Signal:
    """A signal, whose elements are i32."""
    return Signal(op, view, array_of(op, m, view).view(np.int32))


@value(dialect.CommTNotifyOp)
def tnotify(op: dialect.CommTNotifyOp, m: Machine, view: View, number: int) -> None:
    adds = op.notify_op.data is NotifyOp.AtomicAdd
    signal = signal_of(op, m, view)
    if signal.words.size != 1:
        raise m.refuse("PTO-R105", f"the signal must have 1 element, found {signal.words.size}", op)
    m.signals.notify(signal, number, adds)


def _check_own(op: dialect.LookOp, m: Machine, view: View) -> None:
    place = view.buffer.place
    if place is not None and place.rank != m.actor.rank:
        message = (
            f"the signal is memory of rank {place.rank} (%{view.buffer.name}); a rank can only test its own "
            "signals"
        )
        raise m.refuse("PTO-R851", message, op)


@value(dialect.CommTWaitOp, dialect.CommTTestOp)
def look(op: dialect.CommTWaitOp | dialect.CommTTestOp, m: Machine, view: View, number: int) -> int | None:
    """Wait for a signal, or test it."""
    compare, sign = _COMPARISONS[op.cmp.data]
    act = m.signals.wait if isinstance(op, dialect.CommTWaitOp) else m.signals.test
    _check_own(op, m, view)
    found = act(signal_of(op, m, view), lambda words: compare(words, number), f"{sign} {number}")
    return None if found is None else int(found)
