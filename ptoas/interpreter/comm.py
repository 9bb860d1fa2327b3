"""Collectives: every rank is in this process, so the root reads and writes all of their memory (document 003)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ptoas.dialects.pto import comm as dialect
from ptoas.dialects.pto.enums import ReduceOp
from ptoas.interpreter.dtypes import Array
from ptoas.interpreter.machine import Binder, Machine, Step, instruction
from ptoas.interpreter.memory import View
from ptoas.interpreter.tiles import Tile
from ptoas.interpreter.transfer import outside


class Group:
    """The same memory on every rank."""

    __slots__ = ("members",)

    def __init__(self, members: tuple[View, ...]):
        self.members = members


def ranks(group: tuple[View | Group, ...]) -> tuple[View, ...]:
    """Every rank's memory, in the order of the ranks."""
    views: list[View] = []
    for entry in group:
        views += entry.members if isinstance(entry, Group) else (entry,)
    return tuple(views)


def arrays(op: dialect.CollectiveOp, m: Machine, views: tuple[View, ...]) -> tuple[Array, ...]:
    try:
        found = tuple(view.array for view in views)
    except ValueError:
        raise next(outside(op, m, view) for view in views if not view.inside()) from None
    for rank, array in enumerate(found):
        if array.shape != found[0].shape:
            raise m.fail(
                "PTO-R105",
                f"{op.name.removeprefix('pto.')}: rank {rank} has shape {list(array.shape)}, rank 0 "
                f"{list(found[0].shape)}; all ranks have the same",
                op,
            )
    return found


def root_of(op: dialect.CollectiveOp, m: Machine, count: int) -> int:
    root = 0 if op.root is None else op.root.value.data
    if not 0 <= root < count:
        raise m.fail(
            "PTO-R105", f"{op.name.removeprefix('pto.')}: root {root} of a group of {count} ranks", op
        )
    return root


def row_parts(op: dialect.CollectiveOp, m: Machine, whole: View, parts: tuple[Array, ...]) -> list[Array]:
    """The rows of the root's memory that belong to each rank, along DIM_3."""
    try:
        array = whole.array
    except ValueError:
        raise outside(op, m, whole) from None
    shape = parts[0].shape
    height = shape[3]
    needed = (*shape[:3], len(parts) * height, shape[4])
    if array.shape[:3] != needed[:3] or array.shape[4] != needed[4] or array.shape[3] < needed[3]:
        raise m.fail(
            "PTO-R105",
            f"{op.name.removeprefix('pto.')}: {len(parts)} ranks of {list(shape)} need {list(needed)} in the root's "
            f"memory, which has {list(array.shape)}",
            op,
        )
    return [array[:, :, :, rank * height : (rank + 1) * height] for rank in range(len(parts))]


def staged(staging: tuple[Tile, ...], run: Callable[[], None]) -> Step:
    """The staging tiles hold some chunk afterwards."""
    return Step(run, writes=tuple(tile.region for tile in staging))


@instruction(dialect.CommTGatherOp)
def comm_tgather(op: dialect.CommTGatherOp, m: Machine) -> Binder:
    def bind(
        dst: View, group: tuple[View | Group, ...], staging: tuple[Tile, ...] = (), context: None = None
    ) -> Step:
        sources = arrays(op, m, ranks(group))
        root_of(op, m, len(sources))
        parts = row_parts(op, m, dst, sources)

        def run() -> None:
            for part, source in zip(parts, sources, strict=True):
                part[...] = source

        return staged(staging, run)

    return bind


@instruction(dialect.CommTScatterOp)
def comm_tscatter(op: dialect.CommTScatterOp, m: Machine) -> Binder:
    def bind(
        src: View, group: tuple[View | Group, ...], staging: tuple[Tile, ...] = (), context: None = None
    ) -> Step:
        targets = arrays(op, m, ranks(group))
        root_of(op, m, len(targets))
        parts = row_parts(op, m, src, targets)

        def run() -> None:
            for part, target in zip(parts, targets, strict=True):
                target[...] = part

        return staged(staging, run)

    return bind


@instruction(dialect.CommTBroadcastOp)
def comm_tbroadcast(op: dialect.CommTBroadcastOp, m: Machine) -> Binder:
    def bind(
        src: View, group: tuple[View | Group, ...], staging: tuple[Tile, ...] = (), context: None = None
    ) -> Step:
        targets = arrays(op, m, ranks(group))
        root_of(op, m, len(targets))
        (source,) = arrays(op, m, (src,))
        if source.shape != targets[0].shape:
            raise m.fail(
                "PTO-R105",
                f"comm.tbroadcast: the source has shape {list(source.shape)}, every rank {list(targets[0].shape)}",
                op,
            )

        def run() -> None:
            for target in targets:
                target[...] = source

        return staged(staging, run)

    return bind


_REDUCTIONS: dict[ReduceOp, np.ufunc] = {
    ReduceOp.Sum: np.add,
    ReduceOp.Max: np.maximum,
    ReduceOp.Min: np.minimum,
}


@instruction(dialect.CommTReduceOp)
def comm_treduce(op: dialect.CommTReduceOp, m: Machine) -> Binder:
    """The root's data first, then the other ranks in order, each step rounded to the element type."""
    combine = _REDUCTIONS[ReduceOp.Sum if op.op is None else op.op.data]

    def bind(
        dst: View, group: tuple[View | Group, ...], staging: tuple[Tile, ...] = (), context: None = None
    ) -> Step:
        sources = arrays(op, m, ranks(group))
        root = root_of(op, m, len(sources))
        (target,) = arrays(op, m, (dst,))
        if target.shape != sources[0].shape:
            raise m.fail(
                "PTO-R105",
                f"comm.treduce: the destination has shape {list(target.shape)}, every rank "
                f"{list(sources[0].shape)}",
                op,
            )
        if dst.dtype.coded:
            raise m.fail("PTO-R505", f"comm.treduce: {dst.dtype.short} has no arithmetic", op)
        number = dst.dtype.number
        order = [sources[root], *(s for rank, s in enumerate(sources) if rank != root)]

        def run() -> None:
            total = order[0].view(number).copy()
            for source in order[1:]:
                combine(total, source.view(number), out=total)
            target.view(number)[...] = total

        return staged(staging, run)

    return bind
