"""Copies between tiles."""

from __future__ import annotations

from ptoas.dialects.pto import movement as dialect
from ptoas.machine.machine import Binder, Machine, Step, instruction
from ptoas.machine.tiles import Tile


@instruction(dialect.TMovOp)
def tmov(op: dialect.TMovOp, m: Machine) -> Binder:
    """A copy of what is valid in both."""

    def bind(dst: Tile, src: Tile) -> Step:
        rows, cols = (min(pair) for pair in zip(dst.valid, src.valid, strict=True))
        source, target = src.with_valid(rows, cols), dst.with_valid(rows, cols)
        if source.boxed or target.boxed:
            return Step(lambda: target.store_raw(source.load_raw()), (source.region,), (target.region,))
        out, a = target.raw, source.raw

        def run() -> None:
            out[...] = a

        return Step(run, (source.region,), (target.region,))

    return bind
