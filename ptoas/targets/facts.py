"""Facts about an instruction that its rules may use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from xdsl.ir import SSAValue

from ptoas.analysis.knowledge import Knowledge, TileFacts, ViewFacts
from ptoas.dialects.pto.enums import Coalesce
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.dialects.pto.types import TileType
from ptoas.targets.row import Row
from ptoas.targets.specs import TileSpec
from ptoas.targets.target import Target


class Facts:
    """Facts about an instruction that its rules may use."""

    def __init__(
        self,
        op: PtoOp,
        target: Target,
        knowledge: Knowledge,
        aicore: bool,
        checked: Sequence[Target],
        row: Row,
        isa: str | None = None,
    ):
        self.isa = isa
        """The revision that decides; `None`: the documents, and a warning where its headers ask for more."""
        self.row = row
        """The target's row of the instruction."""
        self.checked = checked
        """All targets that the program is being checked for."""
        self.op = op
        self.target = target
        self.knowledge = knowledge
        self.aicore = aicore
        self._places = slot_places(op)
        self._values: dict[str, Sequence[SSAValue]] = {}

    def tile(self, slot: str) -> TileFacts:
        return self.knowledge.tile(self.values(slot)[0])

    def view(self, slot: str) -> ViewFacts:
        return self.knowledge.view(self.values(slot)[0])

    def is_tile(self, slot: str) -> bool:
        return isinstance(self.values(slot)[0].type, TileType)

    def operand(self, slot: str, at: int = 0) -> TileFacts | ViewFacts:
        """The facts about a tile or a view; `at` is the number of the operand in its slot."""
        value = self.values(slot)[at]
        return self.knowledge.tile(value) if isinstance(value.type, TileType) else self.knowledge.view(value)

    def constants(self, slot: str) -> tuple[int | None, ...]:
        """The known constants of the operands in a slot."""
        return tuple(map(self.knowledge.constant, self.values(slot))) if self._places.get(slot) else ()

    def values(self, slot: str) -> Sequence[SSAValue]:
        """The operands in a slot; a destination is a result in SSA form."""
        found = self._values.get(slot)
        if found is None:
            places, operands = self._places.get(slot), self.op.operands
            if places is None:
                found = self.op.results[:1] if slot == "result" else ()
            else:
                found = [operands[at] for at in places] if places else self.op.values_of(slot)
            self._values[slot] = found
        return found

    @cached_property
    def tiles(self) -> list[tuple[str, int, TileFacts, TileSpec]]:
        """Every tile operand that the row describes: its slot, its number there, its facts and its spec."""
        return [
            (slot, at, self.knowledge.tile(value), spec)
            for slot, spec in self.row.tiles.items()
            for at, value in enumerate(self.values(slot))
            if isinstance(value.type, TileType)
        ]

    @property
    def model(self) -> Any:
        """The row's model of the instruction's target-specific behaviour."""
        return self.row.model

    @cached_property
    def coalesce(self) -> Coalesce:
        return self.target.value(self.op, "coalesce")

    @property
    def is_row(self) -> bool:
        return self.coalesce is Coalesce.Row
