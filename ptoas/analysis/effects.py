"""Effects of an operation on the pipes of a core, as stated by a target.

`Effects` reads in time order: the pairs of `before` are awaited, then the `accesses` happen (the instruction
orders them among themselves), then the pairs of `after` are awaited. A pair `(p, q)` means: whatever `p` was
given so far is done before `q` goes on. The pair `(PIPE_ALL, PIPE_ALL)` is a barrier of the whole core.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from ptoas.dialects.pto.enums import Event, Pipe

Pair = tuple[Pipe, Pipe]
Flag = tuple[Pipe, Pipe, Event]


@dataclass(frozen=True)
class OperandAccess:
    """One operand touched by one pipe. `operand` counts `op.operands`; `-1 - n` is result `n` (SSA form)."""

    pipe: Pipe
    operand: int
    write: bool


@dataclass(frozen=True)
class Effects:
    """Effects of an instruction on the pipes; see the module's docstring for the order."""

    before: tuple[Pair, ...] = ()
    accesses: tuple[OperandAccess, ...] = ()
    after: tuple[Pair, ...] = ()
    reserved_events: tuple[Flag, ...] = ()
    """Flags that the instruction raises and takes down itself: they must be down when it starts."""
    implicit: tuple[tuple[Pipe, SSAValue, bool], ...] = ()
    """Implicit accesses, with a write flag: the tile that is released to a channel, or one that was in
    the slot before.
    """

    def flag_pipe(self, pipe: Pipe) -> Pipe:
        """Return the pipe that a flag for an access of `pipe` must name.

        Where the instruction itself hands on from V, a flag to V is the documented way.
        """
        return Pipe.PIPE_V if (Pipe.PIPE_V, pipe) in self.before else pipe

    @property
    def waiting_pipe(self) -> Pipe | None:
        """The pipe that waits for the events of the instruction; `None`: it runs on no pipe.

        As for a flag, it is V where the instruction itself hands on from V.
        """
        if any(source is Pipe.PIPE_V for source, _ in self.before):
            return Pipe.PIPE_V
        return self.accesses[0].pipe if self.accesses else None

    @property
    def recording_pipe(self) -> Pipe | None:
        """The pipe that records the instruction's event: V where that waits for the instruction itself."""
        if any(sink is Pipe.PIPE_V for _, sink in self.after):
            return Pipe.PIPE_V
        writes = (access.pipe for access in self.accesses if access.write)
        return next(writes, self.waiting_pipe)


NOTHING = Effects()


def touched(op: Operation, at: int) -> SSAValue:
    """The value that an access of an instruction touches."""
    return op.results[-1 - at] if at < 0 else op.operands[at]
