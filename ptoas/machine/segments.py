"""Instructions of one pipe that follow each other, seen as one by the detection of races.

    tmul  a, b -> t        what all of them touch is looked at here
    tadds t, 1 -> t
    tabs  t -> u

Between them no other pipe works and no flag is set or waited for: whatever is ordered before the first is
ordered before all. If it turns out that one of them comes too early, that one says so when it is reached:
what those before it have to complain of comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith
from xdsl.ir import Operation

from ptoas.analysis.clocks import NUMBER
from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.scalar import AddPtrOp
from ptoas.dialects.pto.views import AllocTileOp, MakeTensorViewOp, PartitionViewOp
from ptoas.machine.bound import BoundInstruction
from ptoas.machine.instructions import Compiled
from ptoas.machine.pipe_log import AccessGroup
from ptoas.machine.race import RaceDetector
from ptoas.machine.touched import touched_by

PASSES = (arith.ConstantOp, AllocTileOp, PartitionViewOp, MakeTensorViewOp, AddPtrOp)


def extends_segment(op: Operation) -> bool:
    """Return True if a segment continues after an operation that is not an instruction."""
    return isinstance(op, PASSES) or op.name.startswith(f"{arith.Arith.name}.")


def pipe_of(compiled: Compiled, race: RaceDetector) -> int | None:
    """The pipe on which an instruction may be part of a segment: it works on no other, always with the same
    tiles, and what that pipe does is done in order."""
    effects, machine = compiled.effects, compiled.machine
    if compiled.dynamic or compiled.observer is not None:
        return None
    if machine.sharing is not None or machine.program_channels is not None:
        return None
    if effects.before or effects.after or effects.reserved_events or effects.implicit:
        return None
    pipes = {NUMBER[access.pipe] for access in effects.accesses}
    if len(pipes) != 1:
        return None
    (pipe,) = pipes
    return None if race.overlapping[pipe] else pipe


@dataclass(frozen=True)
class SegmentStep:
    """An instruction of a segment, and the name by which the compiled text calls it."""

    name: str
    bound: BoundInstruction


class Segment:
    """Consecutive instructions of one pipe. `namespace` has what they are called by."""

    def __init__(self, race: RaceDetector, pipe: int, namespace: dict[str, Any]):
        self.race = race
        self.pipe = pipe
        self.namespace = namespace
        self.members: list[SegmentStep] = []
        self.groups: list[AccessGroup] | None = None
        self.replaced: tuple[str, object] | None = None
        """The original function of a name that now reports a race."""

    def add(self, name: str, compiled: Compiled) -> None:
        op = compiled.op
        operands = [touched_by(compiled.fixed.get(n)) for n in range(len(op.operands))]
        self.members.append(SegmentStep(name, BoundInstruction(op, compiled.effects, operands)))

    def enter(self) -> None:
        """All members are about to be executed."""
        if self.replaced is not None:
            name, thing = self.replaced
            self.namespace[name] = thing
            self.replaced = None
        groups = self.groups
        if groups is None:
            groups = self.groups = self.race.merged([member.bound for member in self.members], self.pipe)
        try:
            self.race.execute_on(self.members[0].bound.op, self.pipe, groups)
        except PtoasError:
            self._report_at_end()

    def _report_at_end(self) -> None:
        """Check the members one by one, so that the first unordered one is reported."""
        race = self.race
        for member in self.members:
            try:
                race.check_accesses(
                    member.bound.op, self.pipe, race.groups(member.bound, once=True).get(self.pipe, [])
                )
            except PtoasError as error:
                self.replaced = (member.name, self.namespace[member.name])
                self.namespace[member.name] = _raising(error)
                return
        raise AssertionError("a segment comes too early, and none of its members does")


def _raising(error: Exception) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail
