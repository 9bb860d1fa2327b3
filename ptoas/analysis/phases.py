"""Phases: the iterations of a loop in which an access touches its tile.

A loop that takes turns between `n` tiles touches each of them in every n-th iteration. It chooses the tile by
`pto.multi_tile_get` or `arith.select`, or the instruction by `scf.if` or `scf.index_switch`, on the remainder
of an affine function of the number of the iteration. From the phases of two accesses follows in how many
iterations the second meets what the first has touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from typing import NamedTuple

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from ptoas.analysis.affine import CASTS, REMAINDERS, affine
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.storage import underlying_tile
from ptoas.analysis.structure import is_of
from ptoas.analysis.sweeps import Sweep, Sweeps
from ptoas.dialects.pto.multi_tile import MultiTileGetOp

MOST = 8
"""Maximum number of alternating tiles; there are eight events between two pipes."""


class Phase(NamedTuple):
    """Every iteration of `loop` whose number leaves `residue` when divided by `period`.

    Iterations are counted from one that all phases of a loop with the same `period` share.
    """

    loop: scf.ForOp
    period: int
    residue: int
    guard: Block | None = None
    """The block that runs in these iterations only; None if the tile is chosen, not the instruction."""

    def distance(self, second: object) -> int | None:
        """The iterations modulo `period` from a touch in this phase to one in another; None if unknown."""
        if not isinstance(second, Phase) or self[:2] != second[:2]:
            return None
        return (second.residue - self.residue) % self.period

    def may_meet(self, age: int, second: object) -> bool:
        """Return False if an access of so many iterations ago and a second one now are certainly apart."""
        distance = self.distance(second)
        return distance is None or age % self.period == distance

    def subsumes(self, earlier: object, age: int) -> bool:
        """Return True if whatever overlaps an access of so many iterations ago overlaps this one, too."""
        return isinstance(earlier, Phase) and age % self.period == 0 == earlier.distance(self)


class _Cyclic(NamedTuple):
    """The remainder of an affine value by `period`, which takes all values from 0 on in turn."""

    loop: scf.ForOp
    period: int
    step: int
    start: int

    def phase(self, number: int, guard: Block | None = None) -> Phase:
        """The iterations in which the value is this number."""
        return Phase(
            self.loop,
            self.period,
            (number - self.start) * pow(self.step, -1, self.period) % self.period,
            guard,
        )


class Phases:
    """Phases of the accesses of one function."""

    def __init__(self, ops: Sequence[Operation], constants: Knowledge):
        self._constants = constants
        self._sweeps = Sweeps(constants)
        self._guards: dict[Block, Phase | None] = {}
        self._slots: dict[SSAValue, Mapping[SSAValue, Phase]] = {}
        self._none = not any(is_of(op.__class__, REMAINDERS) for op in ops)

    def of(self, op: Operation, value: SSAValue, root: SSAValue) -> Phase | Sweep | None:
        """The phase in which `op` touches the tile `root` under the name `value`; None: any iteration."""
        sweep = self._sweeps.of(value)
        if sweep is not None or self._none:
            return sweep
        slots = self._slots.get(value)
        if slots is None:
            slots = self._slots[value] = self._slots_of(value)
        return slots.get(root) or (None if op.parent is None else self._guard(op.parent))

    # --- tiles that are chosen -------------------------------------------------------------------

    def _slots_of(self, value: SSAValue) -> Mapping[SSAValue, Phase]:
        """Return the phase of each tile that a value alternates between."""
        match underlying_tile(value)[0].owner:
            case MultiTileGetOp(source=tiles, slot=slot):
                cyclic = self._cyclic(slot)
                phases = [] if cyclic is None else [cyclic.phase(at) for at in range(cyclic.period)]
            case arith.SelectOp(cond=condition, lhs=first, rhs=second):
                phases, tiles = self._ways(condition), (first, second)
            case _:
                return {}
        roots = [underlying_tile(tile)[0] for tile in tiles]
        if len(set(roots)) < len(roots):
            return {}
        return {root: phase for root, phase in zip(roots, phases, strict=False) if phase is not None}

    # --- instructions that are chosen ------------------------------------------------------------

    def _guard(self, block: Block) -> Phase | None:
        """The phase in which the innermost block around runs that does not run in every iteration."""
        around: list[Block] = []
        at: Block | None = block
        while at is not None and at not in self._guards:
            around.append(at)
            parent = at.parent_op()
            at = None if parent is None else parent.parent
        phase = None if at is None else self._guards[at]
        for each in reversed(around):
            phase = self._guards[each] = self._own_guard(each) or phase
        return phase

    def _own_guard(self, block: Block) -> Phase | None:
        region, op = block.parent, block.parent_op()
        match op:
            case scf.IfOp(cond=condition):
                phase = self._ways(condition)[0 if region is op.true_region else 1]
            case scf.IndexSwitchOp(arg=argument) if region is not op.default_region:
                cyclic = self._cyclic(argument)
                numbers = op.cases.get_values()
                at = list(op.case_regions).index(region) if region is not None else 0
                phase = None if cyclic is None else cyclic.phase(numbers[at])
            case _:
                return None
        return None if phase is None else phase._replace(guard=block)

    def _ways(self, condition: SSAValue) -> tuple[Phase | None, Phase | None]:
        """The phases in which a condition holds and does not."""
        match condition.owner:
            case arith.CmpiOp(predicate=IntegerAttr() as predicate) as op if predicate.value.data in (0, 1):
                cyclic, number = self._cyclic(op.lhs), self._constants.constant(op.rhs)
                is_equal = predicate.value.data == 0
            case arith.TruncIOp() as op:
                cyclic, number, is_equal = self._cyclic(op.input), 1, True
                if cyclic is not None and cyclic.period != 2:
                    return None, None
            case _:
                return None, None
        if cyclic is None or number is None or not 0 <= number < cyclic.period:
            return None, None
        one = cyclic.phase(number)
        other = cyclic.phase(1 - number) if cyclic.period == 2 else None
        return (one, other) if is_equal else (other, one)

    # --- values ----------------------------------------------------------------------------------

    def _cyclic(self, value: SSAValue) -> _Cyclic | None:
        op = value.owner
        while isinstance(op, CASTS):
            op = op.operands[0].owner
        if not isinstance(op, REMAINDERS):
            return None
        period, linear = self._constants.constant(op.rhs), affine(op.lhs, self._constants)
        if period is None or linear is None:
            return None
        period += isinstance(op, arith.AndIOp)
        if not 2 <= period <= MOST or gcd(linear.step, period) != 1:
            return None
        # A negative number is a large one without its sign; that is in turn with the others only modulo 2**k.
        # With its sign it has a negative remainder, which chooses nothing.
        if period & period - 1 and not (isinstance(op, arith.RemSIOp) or linear.is_natural):
            return None
        if isinstance(op, arith.AndIOp) and period & period - 1:
            return None
        return _Cyclic(linear.loop, period, linear.step, linear.start)
