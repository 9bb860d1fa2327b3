"""Transfers that go on beside the program: what they move is there when they are waited for, not before.

A session's events come in the order in which they were started. The simulator's engine is done at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ptoas.dialects.pto import asynchronous as dialect
from ptoas.dialects.pto.memory import TPrefetchOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.inflight_dma import InflightDma
from ptoas.machine.machine import Machine, Step, instruction, value
from ptoas.machine.memory import Pointer, View
from ptoas.machine.tiles import Tile, Unplaced
from ptoas.machine.touched import TouchedBytes, touched_by, view_touched
from ptoas.ops.transfer import array_of, logical_extents, rows_and_columns


@dataclass(eq=False)
class AsyncSession:
    """A queue of the engine: what it was given and has not been waited for, in order."""

    scratch: tuple[TouchedBytes, ...] = ()
    started: int = 0
    pending: dict[int, InflightDma] = field(default_factory=dict[int, InflightDma])

    def start(self, flight: InflightDma) -> AsyncEvent:
        self.started += 1
        self.pending[self.started] = flight
        return AsyncEvent(self, self.started)

    def finish(self, m: Machine, until: int) -> None:
        """All that was started up to a number is done."""
        for number in [n for n in self.pending if n <= until]:
            flight = self.pending.pop(number)
            m.inflight_dma.remove(flight)
            flight.complete()


@dataclass(frozen=True, eq=False)
class AsyncEvent:
    """The end of what a session was given; number 0 has always come."""

    session: AsyncSession
    number: int = 0


@value(dialect.BuildAsyncSessionOp)
def build_async_session(
    op: dialect.BuildAsyncSessionOp, m: Machine, scratch: Tile | Unplaced, workspace: Pointer
) -> AsyncSession:
    if isinstance(scratch, Unplaced):
        raise m.fail("PTO-R507", f"%{scratch.name} is used before it has an address", op)
    return AsyncSession(touched_by(scratch.full))


def _line(op: dialect.StartOp, m: Machine, view: View) -> Array:
    """The elements of a view that has to be one line without gaps."""
    array = array_of(op, m, view)
    if any(extent != 1 for extent in array.shape[:4]) or not array.flags.c_contiguous:
        found = f"shape {list(view.shape)} and strides {list(view.strides)}"
        raise m.refuse("PTO-R105", f"a view with {found} is not contiguous", op)
    return array


@value(dialect.CommTPutAsyncOp, dialect.CommTGetAsyncOp)
def transfer_async(
    op: dialect.AsyncTransferOp, m: Machine, dst: View, src: View, session: AsyncSession
) -> AsyncEvent:
    at_once: bool = m.target.model(op).at_once
    effects = m.target.effects(op)
    target, source = _line(op, m, dst), _line(op, m, src)
    if target.shape != source.shape:
        raise m.refuse("PTO-R105", f"dst has {target.size} elements, src {source.size}", op)
    sharing = m.sharing
    transferred = None if sharing is None else sharing.start_transfer(op, effects, (dst, src, session))

    def complete() -> None:
        if transferred is None:
            target[...] = source
        else:
            transferred(target, source)

    if at_once:
        complete()
        return AsyncEvent(session)
    writes = (view_touched(dst), *session.scratch)
    flight = InflightDma(op, (view_touched(src),), writes, complete)
    m.inflight_dma.append(flight)
    return session.start(flight)


@value(dialect.WaitAsyncEventOp, dialect.TestAsyncEventOp)
def ask(op: dialect.EventOp, m: Machine, event: AsyncEvent, session: AsyncSession) -> int:
    """Complete an event, at the latest when it is queried."""
    if event.number and event.session is not session:
        raise m.refuse("PTO-R862", "the event belongs to another session", op)
    if isinstance(op, dialect.TestAsyncEventOp):
        m.hidden_choices[op] = "looks at a transfer without waiting for it"
    session.finish(m, event.number)
    return 1


def finish_inflight_dma(m: Machine) -> None:
    """Complete transfers that were not awaited at the end of the kernel, or later."""
    for flight in list(m.inflight_dma):
        name = flight.op.name.removeprefix("pto.")
        m.warn("PTO-R860", f"{name} is not waited for before the end of the kernel", flight.op)
        m.inflight_dma.remove(flight)
        flight.complete()


# --- prefetching ---------------------------------------------------------------------------------


@value(dialect.MakePrefetchAsyncContextOp)
def make_prefetch_async_context(
    op: dialect.MakePrefetchAsyncContextOp, m: Machine, _: Pointer
) -> AsyncSession:
    return AsyncSession()


@value(dialect.GetPrefetchAsyncSessionOp)
def get_prefetch_async_session(
    op: dialect.GetPrefetchAsyncSessionOp, m: Machine, context: AsyncSession
) -> AsyncSession:
    return context


@value(dialect.TPrefetchAsyncOp)
def tprefetch_async(op: dialect.TPrefetchAsyncOp, m: Machine, src: View, context: AsyncSession) -> AsyncEvent:
    """A hint: no data changes."""
    _line(op, m, src)
    return AsyncEvent(context)


@instruction(TPrefetchOp)
def tprefetch(op: TPrefetchOp, m: Machine, dst: Tile, src: View) -> Step:
    """Rows are packed into the tile. What is not as wide as that, or more than it holds, ends up
    where the target has it, and counts as unwritten."""
    memory = array_of(op, m, src)
    fills = logical_extents(src) == (dst.rows, dst.cols) and not dst.boxed
    if not fills or dst.col_stride != dst.dtype.size or memory.strides[4] != src.dtype.size:
        return Step(lambda: None, clobbers=(dst.full.region,))

    def run() -> None:
        dst.full.store_raw(np.ascontiguousarray(rows_and_columns(src)).view(dst.dtype.raw))

    return Step(run, writes=(dst.full.region,))
