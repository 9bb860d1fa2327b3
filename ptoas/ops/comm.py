"""Collectives: the root moves data between its own memory and that of every rank (document 003).

What is moved is one large copy for each rank. The chunks of `chunks.py` matter for what they leave in the
staging tiles and for what they could get wrong: a tile that does not divide the data, ping and pong on
common bytes, a source that the collective itself overwrites. Those are checked before anything is moved.
Tiles that the program does not name are there all the same: the pass `add-scratch` has made them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptoas.dialects.pto import comm as dialect
from ptoas.dialects.pto.enums import CollEngine, ReduceOp
from ptoas.machine.arrays import Array, Ufunc, np, share_bytes
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.memory import RankGroup, View
from ptoas.machine.tiles import Tile
from ptoas.ops.family import require_arithmetic
from ptoas.ops.staging import Staged

Members = tuple[View | RankGroup, ...]
Pair = tuple[Array, Array]
"""Source and destination of a rank's data."""


class CollectiveCall(Staged):
    """One collective on given memory and tiles: what all check, and what they leave in the staging tiles."""

    def __init__(self, op: dialect.CollectiveOp, m: Machine, group: Members, staging: tuple[Tile, ...]):
        super().__init__(op, m)
        self.op = op
        self.staging = staging
        views = [v for entry in group for v in (entry.members if isinstance(entry, RankGroup) else (entry,))]
        self.views = views
        self.ranks = len(views)
        self.root = 0 if op.root is None else op.root.value.data
        self._check_caller()
        self.members = [self.array(view) for view in views]
        self.shape = self.members[0].shape
        for rank, member in enumerate(self.members):
            if member.shape != self.members[0].shape or member.strides != self.members[0].strides:
                raise self.wrong(
                    f"rank {rank} has shape {list(member.shape)} and strides {list(views[rank].strides5)}, "
                    f"rank 0 {list(self.shape)} and {list(views[0].strides5)}; all ranks have the same"
                )

    @property
    def idle(self) -> bool:
        """True if this rank moves no data: on the CCU every rank starts the call, the root moves data."""
        return self.machine.launch.ranks is not None and self.machine.actor.rank != self.root

    def _check_caller(self) -> None:
        if not 0 <= self.root < self.ranks:
            raise self.wrong(f"root {self.root} of a group of {self.ranks} ranks")
        running = self.machine.launch.ranks
        if running is None:
            return
        if running != self.ranks:
            message = f"the group has {self.ranks} ranks, {running} are running"
            raise self.wrong(message, "PTO-R804", fix=f"pass `--ranks {self.ranks}`")
        if self.idle and not on_ccu(self.op):
            raise self.wrong(
                f"only the root, rank {self.root}, may call it; on any other rank the behaviour is undefined",
                "PTO-R801",
            )

    # --- the root's memory ---

    def rows_of_each(self, local: View) -> list[Array]:
        """The rows of the root's memory that belong to each rank, along DIM_3."""
        array, shape = self.array(local), self.shape
        height = shape[3]
        needed = (*shape[:3], self.ranks * height, shape[4])
        if array.shape[:3] != needed[:3] or array.shape[4] != needed[4] or array.shape[3] < needed[3]:
            raise self.wrong(
                f"{self.ranks} ranks of {list(shape)} need {list(needed)} in the root's memory, which has "
                f"{list(array.shape)}"
            )
        return [array[:, :, :, rank * height : (rank + 1) * height] for rank in range(self.ranks)]

    def one_rank(self, local: View) -> Array:
        """The root's memory, which has the shape of a rank's."""
        array = self.array(local)
        if array.shape != self.shape:
            raise self.wrong(
                f"the root's memory has shape {list(array.shape)}, every rank {list(self.shape)}"
            )
        return array

    def check_sources_stay(self, pairs: Sequence[Pair], chunks: int) -> None:
        """No chunk may be read after an earlier one was stored over it."""
        if not self.machine.checks.mem:
            return
        # What is stored where it came from changes nothing.
        targets = [(n, t) for n, (s, t) in enumerate(pairs) if not _same(s, t)]
        for first, target in targets:
            for rank in range(first, len(pairs)):
                if rank == first and chunks == 1:
                    continue
                if share_bytes(target, pairs[rank][0]):
                    raise self.wrong(
                        f"the source of rank {rank} lies in the destination of rank {first}, which is "
                        f"written before it has been read",
                        "PTO-R802",
                    )

    def check_local(self, dst: View, slots: Sequence[Array], own: Array) -> None:
        """The destination is memory of the root; its own source may lie there, where it belongs (D41)."""
        if not self.machine.checks.mem:
            return
        for rank, view in enumerate(self.views):
            inside = view.buffer.whole is dst.buffer.whole is not self.views[self.root].buffer.whole
            inside = inside or any(share_bytes(slot, self.members[rank]) for slot in slots)
            if rank != self.root and inside:
                raise self._not_local(dst, f"the memory of rank {rank}")
        sharing, first = self.machine.sharing, slots[0].ctypes.data
        found = None if sharing is None or not slots[0].size else sharing.find(first, first + 1)
        memory = None if found is None else found.memory
        if memory is not None and memory.owner != self.machine.actor.rank:
            raise self._not_local(dst, f"%{memory.name} of rank {memory.owner}")
        source = self.members[self.root]
        if not _same(source, own) and any(share_bytes(slot, source) for slot in slots):
            raise self.wrong(
                f"the destination, %{dst.buffer.name}, overlaps the source of the root, rank {self.root}",
                "PTO-R807",
                fix="give the root a separate source, or use exactly its part of the destination",
            )

    def _not_local(self, dst: View, where: str) -> Exception:
        message = f"the destination, %{dst.buffer.name}, lies in {where}; it must be local memory of the root"
        return self.wrong(message, "PTO-R806", fix="gather into an argument of the root's own")

    def move(self, pairs: Sequence[Pair]) -> Step:
        """Every rank's data from its source to its destination."""
        if self.idle:
            return Step(lambda *_: None, idle=True)
        walk = self.walk(self.ranks, self.staging)
        self.check_sources_stay(pairs, walk.per_rank)
        self.check_apart(self.staging[: len(walk)])
        sources = [source for source, _ in pairs]

        def run(*_: float) -> None:
            for source, target in pairs:
                target[...] = source
            self.leave(self.staging, walk, sources)

        return Step(run, writes=self.filled(self.staging, walk))


def on_ccu(op: dialect.CollectiveOp) -> bool:
    return op.engine is not None and op.engine.data is CollEngine.CCU


def _same(a: Array, b: Array) -> bool:
    """Return True if two arrays of equal shape share all elements, ignoring strides of unit dimensions."""
    steps = zip(a.shape, a.strides, b.strides, strict=True)
    return a.ctypes.data == b.ctypes.data and all(n == 1 or first == second for n, first, second in steps)


@instruction(dialect.CommTGatherOp)
def comm_tgather(
    op: dialect.CommTGatherOp,
    m: Machine,
    dst: View,
    group: Members,
    staging: tuple[Tile, ...],
    context: object = (),
) -> Step:
    call = CollectiveCall(op, m, group, staging)
    slots = call.rows_of_each(dst)
    step = call.move(list(zip(call.members, slots, strict=True)))
    if not call.idle:
        call.check_local(dst, slots, slots[call.root])
    return step


@instruction(dialect.CommTScatterOp)
def comm_tscatter(
    op: dialect.CommTScatterOp,
    m: Machine,
    src: View,
    group: Members,
    staging: tuple[Tile, ...],
    context: object = (),
) -> Step:
    call = CollectiveCall(op, m, group, staging)
    return call.move(list(zip(call.rows_of_each(src), call.members, strict=True)))


@instruction(dialect.CommTBroadcastOp)
def comm_tbroadcast(
    op: dialect.CommTBroadcastOp,
    m: Machine,
    src: View,
    group: Members,
    staging: tuple[Tile, ...],
    context: object = (),
) -> Step:
    call = CollectiveCall(op, m, group, staging)
    source = call.one_rank(src)
    return call.move([(source, member) for member in call.members])


_REDUCTIONS: dict[ReduceOp, Ufunc] = {
    ReduceOp.Sum: np.add,
    ReduceOp.Max: np.maximum,
    ReduceOp.Min: np.minimum,
}


@instruction(dialect.CommTReduceOp)
def comm_treduce(
    op: dialect.CommTReduceOp,
    m: Machine,
    dst: View,
    group: Members,
    staging: tuple[Tile, ...],
    acc: Tile,
    context: object = (),
) -> Step:
    """The root's data first, then the other ranks in order, each step rounded to the element type."""
    combine = _REDUCTIONS[ReduceOp.Sum if op.op is None else op.op.data]
    call = CollectiveCall(op, m, group, staging)
    target = call.one_rank(dst)
    require_arithmetic(op, m, dst)
    if call.idle:
        return Step(lambda *_: None, idle=True)
    number = dst.dtype.number
    root = call.members[call.root]
    others = [member for rank, member in enumerate(call.members) if rank != call.root]
    accumulating = call.walk(1, (acc,))
    receiving = call.walk(len(others), staging)
    chunks = max(accumulating.per_rank, receiving.per_rank)
    for member in call.members:
        # All ranks' chunks are read before theirs is stored, so only later chunks can be overwritten.
        call.check_sources_stay([(member, target)], chunks)
    call.check_apart((acc, *staging[: len(receiving)]))
    call.check_local(dst, [target], target)

    def run(*_: float) -> None:
        total = root.view(number).copy()
        for other in others:
            combine(total, other.view(number), out=total)
        target.view(number)[...] = total
        call.leave((acc,), accumulating, (target,))
        call.leave(staging, receiving, others)

    return Step(run, writes=call.filled((acc,), accumulating) + call.filled(staging, receiving))
