"""Checks that are compiled around an instruction: uninitialised bytes, races."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ptoas.diagnostics import Note
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.grammar.spans import span_of
from ptoas.machine.arrays import np
from ptoas.machine.machine import Machine, Step, label, writer_note
from ptoas.machine.tiles import Region


def check_region(op: Operation, m: Machine, region: Region) -> None:
    """Stop if a byte of the region has never been written. A store may copy the padding of a mask, since rows
    of a tile have 32 bytes at least, however few bits they hold."""
    if region.complete():
        return
    tile = region.tile
    written = region.view[region.select]
    if isinstance(op, TStoreOp) and (region.padding() | written).all():
        return
    where = ""
    if region is tile.region:
        at = _first_element(region)
        where = f" at [{at[0]}, {at[1]}]"
    count = int(np.count_nonzero(~written))
    reader = op.name.removeprefix("pto.")
    if isinstance(op, ModuleOp | FuncOp):
        reader = "the end of the program"
    reads = f"{reader} reads {tile.describe()}{where}"
    if (region.undef() | written).all():
        raise m.fail(
            "PTO-R946",
            f"{reads}, which depends on uninitialised data ({count} of {written.size} bytes)",
            op,
            notes=_origin_note(region),
        )
    raise m.fail(
        "PTO-R201",
        f"{reads}, which is uninitialised ({count} of {written.size} bytes)",
        op,
        notes=writer_note(tile),
    )


def _origin_note(region: Region) -> tuple[Note, ...]:
    """A note on the origin of undefined data."""
    op = region.bits.origin
    if op is None:
        return ()
    return (Note(f"it lies beyond the valid region of a source of {label(op)}", span_of(op)),)


def _first_element(region: Region) -> tuple[int, int]:
    """Row and column of the first element of the valid region that is not all written."""
    tile = region.tile
    size = tile.dtype.size
    start = tile.address - tile.bits.base
    written = tile.bits.written[start : start + tile.size_bytes]
    places = tile.valid_offsets.reshape(-1, 1) * size + np.arange(size)
    missing = ~written[places].all(axis=1)
    row, col = divmod(int(np.argmax(missing)), max(tile.valid[1], 1))
    return row, col


def initialised(op: Operation, m: Machine, step: Step) -> Callable[..., None]:
    """The step with its reads checked before and its writes marked after; scratch is unwritten then."""
    run, reads, writes, clobbers = step.run, step.reads, step.writes, step.clobbers
    match len(reads), len(writes), len(clobbers):
        case 0, 1, 0:
            return _marking(op, run, writes[0])
        case 1, 0, 0:
            return _reading(op, m, run, reads[0])
        case 1, 1, 0:
            return _making(op, m, run, reads[0], writes[0])
        case _:
            pass

    def checked(*scalars: Any) -> None:
        for region in reads:
            if region.ready != region.bits.epoch:
                check_region(op, m, region)
        run(*scalars)
        for region in clobbers:
            region.clobber(op)
        for region in writes:
            region.mark(op)

    return checked


def _marking(op: Operation, run: Callable[..., None], region: Region) -> Callable[..., None]:
    """A load: nothing local is read."""
    mark = region.mark

    def checked(*scalars: Any) -> None:
        run(*scalars)
        mark(op)

    return checked


def _reading(op: Operation, m: Machine, run: Callable[..., None], region: Region) -> Callable[..., None]:
    """A store: nothing local is written."""
    bits = region.bits

    def checked(*scalars: Any) -> None:
        if region.ready != bits.epoch:
            check_region(op, m, region)
        run(*scalars)

    return checked


def _making(
    op: Operation, m: Machine, run: Callable[..., None], region: Region, written: Region
) -> Callable[..., None]:
    """One tile of one other."""
    bits, mark = region.bits, written.mark

    def checked(*scalars: Any) -> None:
        if region.ready != bits.epoch:
            check_region(op, m, region)
        run(*scalars)
        mark(op)

    return checked
