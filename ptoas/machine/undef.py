"""Propagation of undefined elements through elementwise instructions.

A device that walks its destination reads a source beyond its valid region. What lies there may never have
been written; the result is harmless until something depends on it. Such bytes count as unwritten and are
marked besides: reading them stops a run, unless the instruction only hands them on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Operation

from ptoas.machine.arrays import Array, np
from ptoas.machine.checks import check_region
from ptoas.machine.machine import Machine, Step
from ptoas.machine.tiles import Region


@dataclass(frozen=True)
class Lanes:
    """Each element of the result comes of one element of each source: the one at its place, or of its row or
    column the one that is repeated."""

    own: tuple[tuple[int, int], ...]
    """Rows and columns for which each source says that it is valid; beyond them anything may lie."""
    turned: bool = False
    """True if rows become columns."""

    def unknown(self, op: Operation, m: Machine, reads: tuple[Region, ...], shape: tuple[int, int]) -> Array:
        """The undefined elements of the result; a read of uninitialised data is an error here."""
        found = np.zeros(shape, np.bool_)
        for region, own in zip(reads, self.own, strict=True):
            if region.complete():
                continue
            missing = _elements(region, ~region.view[region.select])
            never = missing & ~_elements(region, region.undef())
            if never[: own[0], : own[1]].any():
                check_region(op, m, region)
            if never.any():
                region.bits.origin = op
            missing = missing.T if self.turned else missing
            found |= missing[:, np.arange(shape[1]) % missing.shape[1]]
        return found


def _elements(region: Region, bytes_: Array) -> Array:
    """The elements, by row and column, with a marked byte."""
    return bytes_.any(axis=-1).reshape(region.tile.valid)


def followed(op: Operation, m: Machine, step: Step, lanes: Lanes) -> Callable[..., None]:
    """The step with its reads checked and its writes marked, as far as what it reads is known."""
    run, reads, writes, clobbers = step.run, step.reads, step.writes, step.clobbers
    (out,) = writes
    shape = out.tile.valid

    def checked(*scalars: Any) -> None:
        unknown: Array | None = None
        for region in reads:
            if region.ready != region.bits.epoch and not region.complete():
                unknown = lanes.unknown(op, m, reads, shape)
                break
        run(*scalars)
        for region in clobbers:
            region.clobber(op)
        out.mark(op)
        if unknown is not None:
            out.mark_undefined(unknown)

    return checked
