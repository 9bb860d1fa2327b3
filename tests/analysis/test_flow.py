"""Following a function through branches and loops: how often each operation is looked at."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ptoas.analysis.flow import ForwardAnalysis
from ptoas.analysis.knowledge import Knowledge
from ptoas.grammar.parse import parse

HEAD = "func.func @f(%n: index, %go: i1) {\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"


class Visits(ForwardAnalysis[set[Operation]]):
    """Counts visits; the state is what may have been passed."""

    def __init__(self) -> None:
        super().__init__(Knowledge())
        self.visits = 0
        self.reported: list[Operation] = []

    def copy(self, state: set[Operation]) -> set[Operation]:
        return set(state)

    def join(self, a: set[Operation], b: set[Operation]) -> set[Operation]:
        return a | b

    def concerns(self, op: Operation) -> bool:
        return isinstance(op, Operation)  # all of them

    def visit(self, op: Operation, state: set[Operation]) -> None:
        self.visits += 1
        state.add(op)
        if self.reporting:
            self.reported.append(op)


def walk(body: str) -> tuple[Visits, list[Operation]]:
    module = parse(f"{HEAD}{body}\nreturn\n}}")
    (func,) = [op for op in module.walk() if isinstance(op, FuncOp)]
    flow = Visits()
    flow.region(func.body, set())
    return flow, list(func.walk())[1:]


def nested(opening: str, depth: int) -> str:
    heads = "".join(f"{opening.replace('%k', f'%k{n}')} {{\n" for n in range(depth))
    return heads + "%x = arith.constant 7 : index\n" + "}\n" * depth


@pytest.mark.parametrize("opening", ["scf.if %go", "scf.for %k = %c0 to %n step %c1"])
def test_every_operation_is_reported_once(opening: str) -> None:
    flow, ops = walk(nested(opening, 5))
    assert flow.reported == ops


def test_branches_are_walked_once() -> None:
    flow, ops = walk(nested("scf.if %go", 12))
    assert flow.visits == len(ops)


@pytest.mark.parametrize("depth", [1, 3, 12, 30])
def test_visits_of_an_operation_do_not_grow_with_the_depth_of_loops(depth: int) -> None:
    """Two walks collect, outwards and inwards, one finds nothing new, one reports."""
    flow, _ = walk(nested("scf.for %k = %c0 to %n step %c1", depth))
    assert 0 < flow.visits <= 4 * len(flow.reported)
