"""Facts of values that follow from those of other values, above all integers that are always the same."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from xdsl.dialects import arith
from xdsl.ir import Operation, OpResult, SSAValue

from ptoas.analysis.integers import constant_of, evaluate, integer_op

Fact = TypeVar("Fact")
_NOT_SEEN: Any = object()


class Evaluator(ABC, Generic[Fact]):
    """Facts of values, each found once, from those of the operands; no deep chain needs a deep stack."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, Fact | None] = {}

    def inputs(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values that one is calculated from."""
        op = value.owner
        return op.operands if isinstance(op, Operation) and integer_op(op) is not None else ()

    @abstractmethod
    def find(self, value: SSAValue, inputs: Sequence[Fact | None]) -> Fact | None:
        """Evaluate a value from the known values of its inputs."""

    def value(self, value: SSAValue) -> Fact | None:
        """The known value; None if unknown, also for a value that depends on itself."""
        known = self._known
        found = known.get(value, _NOT_SEEN)
        if found is not _NOT_SEEN:
            return found
        begun: set[SSAValue] = set()
        stack = [value]
        while stack:
            top = stack[-1]
            inputs = self.inputs(top)
            begun.add(top)
            missing = [each for each in inputs if each not in known and each not in begun]
            stack += missing
            if not missing:
                stack.pop()
                if top not in known:
                    known[top] = self.find(top, [known.get(each) for each in inputs])
        return known[value]


class Constants(Evaluator[int]):
    """The integers that values always have."""

    def constant(self, value: SSAValue) -> int | None:
        """The integer that a value always has, if that is known."""
        return self.value(value)

    def find(self, value: SSAValue, inputs: Sequence[int | None]) -> int | None:
        op = value.owner
        if isinstance(op, arith.ConstantOp):
            return constant_of(op)
        return evaluate(value.op, inputs, value.index) if inputs and isinstance(value, OpResult) else None
