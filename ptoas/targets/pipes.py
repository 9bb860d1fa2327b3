"""The pipe that accesses each operand, and the handshakes inside an instruction.

This is document 000's "Pipe / Synchronisation Model" as data, continued for the neighbours of the gathers.
It serves the check of flags, the insertion of flags and the machine alike. What an instruction reads and
writes is its declaration's; a row adds the pipe, and where several pipes work on it, which on which slot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ptoas.analysis.effects import Effects, OperandAccess, Pair
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import accesses

S, V, M, MTE1, MTE2, MTE3, FIX, ALL = (
    Pipe.PIPE_S,
    Pipe.PIPE_V,
    Pipe.PIPE_M,
    Pipe.PIPE_MTE1,
    Pipe.PIPE_MTE2,
    Pipe.PIPE_MTE3,
    Pipe.PIPE_FIX,
    Pipe.PIPE_ALL,
)


@dataclass(frozen=True)
class Pipes:
    """An instruction that several pipes work on, or that waits for pipes itself."""

    pipe: Pipe
    """The pipe that touches every operand, except those in `at`."""
    at: Mapping[str, Pipe | tuple[Pipe, ...]] = field(default_factory=dict[str, "Pipe | tuple[Pipe, ...]"])
    """The pipe or pipes that touch an operand, by slot."""
    before: tuple[Pair, ...] = ()
    after: tuple[Pair, ...] = ()
    inside: tuple[Pair, ...] = ()
    """Handshakes between the instruction's own steps: they order nothing outside, but use flags."""
    events: tuple[Event, ...] = (Event.EVENT_ID0,)


PipeModel: TypeAlias = Pipe | Pipes | Callable[[Any], Pipe | Pipes]
"""A pipe, several, or a function of the operation that gives them."""


def effects_of(
    op: PtoOp, model: PipeModel, ignores: Iterable[str] = (), clobbers: Iterable[str] = ()
) -> Effects:
    """An operation's declared accesses, each on its pipe."""
    own = model if isinstance(model, Pipe | Pipes) else model(op)
    pipes = Pipes(own, events=()) if isinstance(own, Pipe) else own
    reads: list[OperandAccess] = []
    writes: list[OperandAccess] = []
    for access in accesses(op):
        if access.slot in ignores:
            continue
        at = pipes.at.get(access.slot, pipes.pipe)
        for pipe in (at,) if isinstance(at, Pipe) else at:
            if access.read:
                reads.append(OperandAccess(pipe, access.operand, False))
            if access.write or access.slot in clobbers:
                writes.append(OperandAccess(pipe, access.operand, True))
    pairs = dict.fromkeys(pair for pair in (*pipes.before, *pipes.inside, *pipes.after) if ALL not in pair)
    reserved = tuple((*pair, event) for pair in pairs for event in pipes.events)
    return Effects(pipes.before, (*reads, *writes), pipes.after, reserved)
