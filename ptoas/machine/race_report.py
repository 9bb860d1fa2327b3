"""Report of a race: the early access, the access it should follow, and the missing synchronisation."""

from __future__ import annotations

from ptoas.analysis.clocks import PIPES
from ptoas.analysis.storage import underlying_tile
from ptoas.diagnostics import Note
from ptoas.dialects.pto.channel import FreeOp
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.grammar.spans import span_of
from ptoas.machine.bound import PipeAccess
from ptoas.machine.errors import line_of
from ptoas.machine.machine import Machine, label


def between_pipes(machine: Machine, new: PipeAccess, earlier: PipeAccess) -> Exception:
    here, there = PIPES[new.pipe].value, PIPES[earlier.pipe].value
    return machine.fail(
        "PTO-R301",
        f"{_describe(new, earlier)} on {there}",
        new.op,
        notes=(Note(f"the earlier access, on {there}", span_of(earlier.op)),),
        fix=_partial_overlap(new, earlier)
        or f"add set_flag and wait_flag from {there} to {here} between the two",
    )


def within_a_pipe(machine: Machine, new: PipeAccess, earlier: PipeAccess) -> Exception:
    here = PIPES[new.pipe].value
    line = line_of(new.op)
    where = f"before line {line}" if line else "between the two"
    return machine.fail(
        "PTO-R124",
        f"{_describe(new, earlier)} on the same pipe: {here} starts an instruction before the previous "
        "one has finished",
        new.op,
        notes=(Note(f"the earlier access, on {here}", span_of(earlier.op)),),
        fix=_partial_overlap(new, earlier) or f"put pto.barrier #pto.pipe<{here}> {where}",
    )


def _describe(new: PipeAccess, earlier: PipeAccess) -> str:
    verb, before = ("writes" if new.write else "reads"), ("wrote" if earlier.write else "read")
    through = "" if earlier.touched.name == new.touched.name else f" (as {earlier.touched.name})"
    return (
        f"{new.op.name.removeprefix('pto.')} {verb} {new.touched.name} on {PIPES[new.pipe].value}, and "
        f"nothing orders that after {label(earlier.op)}, which {before} it{through}"
    )


def _partial_overlap(new: PipeAccess, earlier: PipeAccess) -> str | None:
    """The overlap of two tiles that share only a part of their bytes: no order of the accesses is
    correct.
    """
    if isinstance(earlier.op, FreeOp) or isinstance(new.op, FreeOp):
        return None  # what it gives back is not among its operands
    tiles = [underlying_tile(record.access.value)[0] for record in (earlier, new)]
    if tiles[0] is tiles[1] or not all(isinstance(tile.owner, AllocTileOp) for tile in tiles):
        return None
    if new.touched.low == earlier.touched.low:
        return None
    names = f"{earlier.touched.name} and {new.touched.name}"
    return f"place {names} apart: they overlap in part, and no flag or barrier keeps the bytes of both"
