"""Compilation of an instruction to a callable: operands by slot, cached steps, checks around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Protocol

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.ir import Attribute, Operation

from ptoas.analysis.clocks import Listener
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TLoadOp, TStoreOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.dialects.pto.types import ViewType
from ptoas.machine.checks import initialised
from ptoas.machine.cross_core_writes import cross_core_operands
from ptoas.machine.errors import failure
from ptoas.machine.handover import Handover
from ptoas.machine.machine import INSTRUCTIONS, Machine, Step
from ptoas.machine.memory import View
from ptoas.machine.overwritten import tracked
from ptoas.machine.race import RaceDetector, ordered, ordered_moving
from ptoas.machine.scalar_cache import past_cache
from ptoas.machine.slots import watched
from ptoas.machine.tiles import Region, Tile, Unplaced
from ptoas.machine.undef import followed
from ptoas.targets.row import Row

KEPT_STEPS = 256
"""Steps that one instruction keeps; a loop over fresh views starts over, and none grows without end."""


class MachineObserver(Listener, Protocol):
    """Observer of a running machine."""

    moves: bool
    """True if steps that are passed their view each time can be observed."""
    iterations: dict[Operation, int]
    """Current loop iterations: the induction variable of a `for`, the iteration of a `while`."""

    def watching(
        self, op: PtoOp, values: list[object], step: Step, run: Callable[..., None]
    ) -> Callable[..., None]:
        """Wrap a step so that it is observed."""
        ...

    def watching_value(self, op: PtoOp, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap an operation on a value, a scalar or a signal so that it is observed."""
        ...

    def synchronised(self, op: PtoOp, number: int | None = None) -> None:
        """Observe a flag or a barrier; `number` is the event or token that the program chose."""
        ...


def is_scalar(type: Attribute) -> bool:
    return isinstance(type, IntegerType | IndexType | AnyFloat)


class Compiled:
    """One instruction, ready to be bound to tiles and views.

    `dynamic` are the operands that only the running program knows; the others are in `fixed`. A step is
    kept by a key made of them: a view counts by its form and offset, anything else by itself. An
    instruction that `moves` is kept by the view's form alone, and gets the view each time.
    """

    def __init__(
        self,
        op: PtoOp,
        machine: Machine,
        race: RaceDetector | None,
        observer: MachineObserver | None,
        fixed: dict[int, object],
        handover: Handover | None = None,
    ):
        self.op = op
        self.handover = handover
        self.machine = machine
        self.race = race
        self.observer = observer
        self.fixed = fixed
        self.scalars = [n for n, operand in enumerate(op.operands) if is_scalar(operand.type)]
        self.dynamic = [n for n in range(len(op.operands)) if n not in fixed and n not in self.scalars]
        body = INSTRUCTIONS.get(type(op))
        if body is None:
            raise failure("PTO-R505", f"{op.name.removeprefix('pto.')} can't be run", op)
        self.body = partial(body, op, machine)
        self.effects = machine.target.effects(op)
        self.passes_cache = False
        """True if it accesses memory that goes through the scalar data cache, too, or that needs fences."""
        self.steps: dict[object, Callable[..., None]] = {}
        if self.dynamic:
            machine.clear_with_arguments(self.steps.clear)
        self.slots = [
            (slot.name, slot.variadic, slot_places(op)[slot.name])
            for slot in op.signature().slots
            if len(slot_places(op)[slot.name])
        ]

    @property
    def moves(self) -> bool:
        """True if one step serves every offset of a view: nothing else depends on its position."""
        return (
            isinstance(self.op, TLoadOp | TStoreOp)
            and len(self.dynamic) == 1
            and not self.scalars
            and isinstance(self.op.operands[self.dynamic[0]].type, ViewType)
            and (self.observer is None or self.observer.moves)
            and self.machine.launch.ranks is None
            and not self.machine.is_replica
        )

    def key_text(self, names: list[str]) -> str:
        """The Python expression of the key, from the names of the dynamic operands."""
        if self.moves:
            return f"{names[0]}.form"
        parts: list[str] = []
        for n, name in zip(self.dynamic, names, strict=True):
            is_view = isinstance(self.op.operands[n].type, ViewType)
            parts += [f"{name}.form", f"{name}.offset"] if is_view else [name]
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"

    def bind(self, key: object, *things: object) -> Callable[..., None]:
        """Prepare the instruction for these operands, and remember it."""
        values: list[object] = [None] * len(self.op.operands)
        for n, value in self.fixed.items():
            values[n] = value
        for n, value in zip(self.dynamic, things, strict=True):
            values[n] = value
        for value in values:
            if isinstance(value, Unplaced):
                raise self.machine.fail(
                    "PTO-R507", f"%{value.name} is used before it has an address", self.op
                )
        if self.machine.checks.mem:
            self._check_apart(values)
        step = self._bound(values)
        if clobbered := self._clobbered(values, step):
            step = replace(step, clobbers=(*step.clobbers, *clobbered))
        if self.handover is not None:
            is_store = isinstance(self.op, TStoreOp)
            step = self.handover.storing(step) if is_store else self.handover.gathering(step)
        if self.moves:
            if step.moving is None:
                # The step is specific to this view, so it is not cached.
                only = step.run

                def run_only(_: View) -> None:
                    only()

                return self._guarded(replace(step, run=run_only), values)
            step = replace(step, run=step.moving)
        run = self._guarded(step, values)
        if len(self.steps) >= KEPT_STEPS:
            self.steps.clear()
        self.steps[key] = run
        return run

    def _bound(self, values: list[object]) -> Step:
        """The step; of several, where an accumulator goes to the memories of other cores."""
        parts = cross_core_operands(self.op, self.machine, values)
        if parts is None:
            return self.body(**self._by_slot(values))
        steps = [self.body(**self._by_slot(part)) for part in parts]

        def run(*scalars: object) -> None:
            for step in steps:
                step.run(*scalars)

        reads = tuple(region for step in steps for region in step.reads)
        writes = tuple(region for step in steps for region in step.writes)
        # Undefined data is tracked between tiles of one core only.
        lanes = steps[0].lanes if len(steps) == 1 else None
        return replace(steps[0], run=run, reads=reads, writes=writes, lanes=lanes)

    def _check_apart(self, values: list[object]) -> None:
        """Stop where tiles have a byte in common that the target reads while it writes the other."""
        row = self.machine.target.row(self.op)
        if not isinstance(row, Row):
            return
        places = slot_places(self.op)
        elementwise_alias = row.elementwise_alias is not None and row.elementwise_alias(self.op)
        for one, other in row.no_alias:
            for n, k in product(places[one], places[other]):
                first, second = values[n], values[k]
                if not isinstance(first, Tile) or not isinstance(second, Tile):
                    continue
                if elementwise_alias and first.coincides(second):
                    continue
                if first.overlaps(second):
                    message = f"{one} {first.describe()} overlaps {other} {second.describe()}"
                    raise self.machine.refuse("PTO-R109", message, self.op)

    def _clobbered(self, values: list[object], step: Step) -> list[Region]:
        """Scratch tiles that the target uses, and sources that it leaves overwritten.

        What the step itself writes to such a tile is there afterwards: a result, or the last chunk that
        went through a staging tile.
        """
        row = self.machine.target.row(self.op)
        if not isinstance(row, Row):
            return []
        slots = {*row.clobbers, *self.op.SCRATCH} - {*row.ignores}
        found = (values[n] for name, _, places in self.slots if name in slots for n in places)
        kept = {(region.memory, region.tile.address) for region in step.writes}
        tiles = [tile for tile in found if isinstance(tile, Tile)]
        return [tile.region for tile in tiles if (tile.memory, tile.address) not in kept]

    def _by_slot(self, values: list[object]) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, variadic, places in self.slots:
            if variadic:
                found[name] = tuple(values[n] for n in places)
            elif places.start not in self.scalars:
                found[name] = values[places.start]
        return found

    def _guarded(self, step: Step, values: list[object]) -> Callable[..., None]:
        run = step.run
        if self.machine.program_channels is not None:
            run = watched(self.op, self.machine, values, run)
            step = replace(step, run=run)
        if self.machine.checks.mem:
            run = tracked(self.op, self.machine, step)
            step = replace(step, run=run)
        if self.machine.checks.init and step.lanes is not None:
            run = followed(self.op, self.machine, step, step.lanes)
        elif self.machine.checks.init:
            run = initialised(self.op, self.machine, step)
        if self.passes_cache:
            moving = self.dynamic[0] if self.moves else None
            run = past_cache(self.op, self.machine, self.effects, values, run, moving)
        if self.race is not None and self.moves:
            run = ordered_moving(self.op, self.race, self.effects, values, self.dynamic[0], run)
        elif self.race is not None:
            run = ordered(self.op, self.race, self.effects, values, run)
        if self.observer is not None:
            run = self.observer.watching(self.op, values, step, run)
        sharing = self.machine.sharing
        if sharing is not None:
            watch = sharing.watching_moving if self.moves else sharing.watching
            run = watch(self.op, self.effects, values, step, run)
        return run


def lazily(compiled: Compiled, bound: Callable[[Callable[..., None]], None]) -> Callable[..., None]:
    """An instruction whose operands are all known: bound when first executed, then passed to `bound`."""
    run: Callable[..., None] | None = None

    def execute(*scalars: float) -> None:
        nonlocal run
        if run is None:
            run = compiled.bind(())
            bound(run)
        run(*scalars)

    return execute
