"""Proof that the cores and blocks of a kernel touch different bytes of memory that one of them writes.

Two windows are apart if they are in one dimension. Where a window begins is a sum of numbers: of the block
and of the vector core, by which cores differ; turns of loops, which each core has on its own; and numbers
that all cores share. Cores are apart if the numbers by which they differ move the window further than all
others can bring it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import inf
from typing import NamedTuple, TypeAlias

from xdsl.dialects import arith, func, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from ptoas.analysis.affine import Sum, Sums, induction_loop
from ptoas.analysis.effects import touched
from ptoas.analysis.kinds import CUBE, VECTOR, core_of
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import walk
from ptoas.analysis.visibility import LINE, element_bytes
from ptoas.dialects.pto import scalar, views
from ptoas.dialects.pto.channel import ChannelOp, PipeInitOp
from ptoas.dialects.pto.enums import AddressSpace
from ptoas.dialects.pto.gather import IndexedMemoryOp, MGatherMatOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC, GroupType, PtrType, ViewType
from ptoas.lowering.join_cube_vector import launch_arguments
from ptoas.targets import Target

BLOCK, BLOCKS, LANE = scalar.GetBlockIdxOp, scalar.GetBlockNumOp, scalar.GetSubblockIdxOp


class Turns(NamedTuple):
    """The number of a turn of a loop; of a loop that takes every n-th turn of n blocks, no two blocks have
    one in common."""

    loop: scf.ForOp
    of_block: bool = False


@dataclass(frozen=True)
class Range:
    """The numbers from `terms + low` on; `size` of them."""

    terms: Mapping[Hashable, int]
    """Values, turns of loops, and classes of questions for the block and the core, each with a factor."""
    low: int = 0
    size: int = 1

    def scaled(self, times: int) -> Range:
        """The number of a range of one, times a number."""
        return Range({term: factor * times for term, factor in self.terms.items()}, self.low * times)

    def added(self, other: Range) -> Range:
        terms = Counter(self.terms)
        terms.update(other.terms)
        kept = {term: factor for term, factor in terms.items() if factor}
        return Range(kept, self.low + other.low, self.size + other.size - 1)

    @property
    def is_shared(self) -> bool:
        """True if all cores have the same number."""
        return not any(isinstance(term, Turns) or term is BLOCK or term is LANE for term in self.terms)

    @property
    def is_natural(self) -> bool:
        """True if no term is negative, as numbers of blocks, cores and turns are not."""
        return all(factor > 0 and isinstance(term, Turns | type) for term, factor in self.terms.items())


Sides: TypeAlias = "tuple[Range | None, ...]"


@dataclass(frozen=True)
class Reach:
    """The window of a memory that an access may touch."""

    op: Operation
    root: SSAValue | None
    """The argument of the kernel, None if it is not known."""
    write: bool
    element: int
    """Bytes of an element."""
    start: Range | None = None
    """The first element of the tensor, counted in the memory."""
    span: int | None = None
    """Elements from the first of the tensor to its last."""
    frame: Hashable = None
    """Extents and strides of the tensor, whose elements have different places; None if they are not known."""
    sides: Sides = ()
    """The window in the tensor, for each dimension."""


@dataclass(frozen=True)
class Cores:
    """The cores that a kernel runs on at the same time."""

    several: bool
    """True for the cube core and the vector cores of a block."""
    lanes: int
    """Vector cores that run the vector functions."""
    blocks: bool
    """True if the kernel asks for the number of its block, so that it is started for several."""


class Reaches:
    """The accesses to global memory of a kernel: an entry, and what it calls."""

    def __init__(self, entry: func.FuncOp, functions: Sequence[func.FuncOp], target: Target):
        self.entry = entry
        self.knowledge = Knowledge()
        self._sums = Sums(self.knowledge)
        self._calls: dict[str, list[func.CallOp]] = {}
        self.turns: dict[Turns, float] = {}
        """The difference of two turns of each loop, at most."""
        ops = [op for function in functions for op in walk(function)]
        for op in ops:
            if isinstance(op, func.CallOp):
                self._calls.setdefault(op.callee.string_value(), []).append(op)
        # A channel belongs to its two ends, whatever memory its slots are in.
        own = [op for op in ops if isinstance(op, PtoOp) and not isinstance(op, ChannelOp | PipeInitOp)]
        self.all = [
            self._reach(op, touched(op, access.operand), access.write)
            for op in own
            for access in target.effects(op).accesses
            if _is_global(touched(op, access.operand))
        ]

    def _reach(self, op: Operation, value: SSAValue, write: bool) -> Reach:
        if isinstance(op, scalar.LoadScalarOp | scalar.StoreScalarOp):
            return self._scalar(op, write)
        if not isinstance(value.type, ViewType):
            return Reach(op, self._start(value)[0], write, 1)
        element = element_bytes(value)
        tensor = _tensor(value)
        root, start = self._start(tensor)
        if isinstance(op, IndexedMemoryOp | MGatherMatOp):
            return Reach(op, root, write, element)
        return Reach(op, root, write, element, start, self._span(tensor), *self._window(value, tensor))

    def _scalar(self, op: scalar.LoadScalarOp | scalar.StoreScalarOp, write: bool) -> Reach:
        element = element_bytes(op.ptr)
        root, start = self._start(op.ptr)
        step = self._range(self._sums.of(op.offset))
        if start is None or step is None:
            return Reach(op, root, write, element)
        at = start.added(step)
        line = max(LINE // element, 1) if write else 1
        if any(factor % line for factor in at.terms.values()):
            return Reach(op, root, write, element)
        # A core owns the whole line that it stores a scalar to.
        return Reach(op, root, write, element, Range(at.terms, at.low - at.low % line), line)

    def _start(self, value: SSAValue) -> tuple[SSAValue | None, Range | None]:
        """The entry's argument that a pointer or view is based on, and its first element in that."""
        at: Range | None = Range({})
        while not (isinstance(value, BlockArgument) and value.block.parent_op() is self.entry):
            match value.owner:
                case scalar.AddPtrOp(ptr=pointer, offset=offset):
                    step = self._range(self._sums.of(offset))
                    at = None if at is None or step is None else at.added(step)
                    value = pointer
                case views.MakeTensorViewOp(ptr=pointer):
                    value = pointer
                case Block() if (passed := self._passed(value)) is not None:
                    value = passed
                case _:
                    return None, None
        return value, at

    def _passed(self, value: SSAValue) -> SSAValue | None:
        """The operand for an argument of a function that is called in one place."""
        if not isinstance(value, BlockArgument) or not isinstance(value.block.parent_op(), func.FuncOp):
            return None
        function = value.block.parent_op()
        calls = self._calls.get(function.sym_name.data, []) if isinstance(function, func.FuncOp) else []
        return calls[0].operands[value.index] if len(calls) == 1 else None

    # --- windows ---------------------------------------------------------------------------------

    def _window(self, value: SSAValue, tensor: SSAValue) -> tuple[Hashable, Sides]:
        """The shape of a view's memory and the window in it, for each dimension."""
        sides: list[Range | None] = [
            None if extent == DYNAMIC else Range({}, 0, max(extent, 1))
            for extent in self.knowledge.view(value).shape
        ]
        while isinstance(value, OpResult) and isinstance(value.op, views.PartitionViewOp):
            first = [self._range(self._sums.of(each)) for each in value.op.offsets]
            if len(first) != len(sides):
                return None, ()
            sides = [
                None if a is None or b is None else a.added(b) for a, b in zip(sides, first, strict=True)
            ]
            value = value.op.source
        whole = self.knowledge.view(tensor)
        if len(whole.shape) != len(sides) or not _is_injective(whole.shape, whole.own_strides):
            return None, ()
        frame: Hashable = (whole.element, whole.shape, whole.own_strides)
        if isinstance(tensor.owner, views.MakeTensorViewOp):
            frame = (frame, self._keys(tensor.owner.shape), self._keys(tensor.owner.strides))
        return frame, tuple(sides)

    def _keys(self, values: Sequence[SSAValue]) -> tuple[Hashable, ...]:
        known = [self.knowledge.constant(value) for value in values]
        return tuple(v if n is None else n for v, n in zip(values, known, strict=True))

    def _span(self, tensor: SSAValue) -> int | None:
        facts = self.knowledge.view(tensor)
        if DYNAMIC in (*facts.shape, *facts.own_strides):
            return None
        return 1 + sum((n - 1) * stride for n, stride in zip(facts.shape, facts.own_strides, strict=True))

    # --- numbers ---------------------------------------------------------------------------------

    def _range(self, numbers: Sum) -> Range | None:
        constant = numbers.get(None, 0)
        found = Range({}, constant)
        for value, times in numbers.items():
            each = None if value is None else self._number(value)
            if value is not None and times:
                if each is None:
                    return None
                found = found.added(each.scaled(times))
        return found

    def _number(self, value: SSAValue) -> Range | None:
        loop = induction_loop(value)
        if loop is not None:
            return self._induction(loop)
        match value.owner:
            case scalar.QueryOp() as query:
                return Range({type(query): 1})
            case arith.MaxSIOp(lhs=number, rhs=floor):
                found, least = self._range(self._sums.of(number)), self.knowledge.constant(floor)
                known = found is not None and least is not None and found.low >= least
                return found if known and found is not None and found.is_natural else None
            case Block() as block:
                return self._argument(value, block)
            case _:
                return None

    def _argument(self, value: SSAValue, block: Block) -> Range | None:
        function = block.parent_op()
        if not isinstance(function, func.FuncOp) or not isinstance(value, BlockArgument):
            return None
        known = launch_arguments(function).get(value.index)
        if known is not None:
            return Range({known: 1})
        if function is self.entry:
            return Range({value: 1})
        passed = self._passed(value)
        return None if passed is None else self._range(self._sums.of(passed))

    def _induction(self, loop: scf.ForOp) -> Range | None:
        first, step = self._range(self._sums.of(loop.lb)), self._range(self._sums.of(loop.step))
        if first is None or step is None:
            return None
        if not step.terms and step.low > 0:
            last = [self._range(self._sums.of(end)) for end in _ends(loop.ub)]
            ways = [end.low - first.low for end in last if end is not None and end.terms == first.terms]
            self.turns[Turns(loop)] = max(min(ways) - 1, 0) // step.low if ways else inf
            return first.added(Range({Turns(loop): step.low}))
        times = first.terms.get(BLOCK, 0)
        if not times or step != Range({BLOCKS: times}):
            return None
        terms = {Turns(loop, True) if term is BLOCK else term: n for term, n in first.terms.items()}
        return Range(terms, first.low)


def _ends(bound: SSAValue) -> Iterator[SSAValue]:
    """The bound of a loop, and what it does not exceed."""
    yield bound
    if isinstance(bound.owner, arith.MinSIOp):
        yield from bound.owner.operands


def _tensor(view: SSAValue) -> SSAValue:
    """The tensor that a view is a part of."""
    while isinstance(view, OpResult) and isinstance(view.op, views.PartitionViewOp):
        view = view.op.source
    return view


def _is_injective(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return True if different elements of a tensor certainly have different places."""
    dims = sorted((stride, extent) for extent, stride in zip(shape, strides, strict=True) if extent != 1)
    span = 1
    for stride, extent in dims:
        if stride == DYNAMIC or stride < span or span == DYNAMIC:
            return False
        span = DYNAMIC if extent == DYNAMIC else span + (extent - 1) * stride
    return True


def _is_global(value: SSAValue) -> bool:
    type = value.type
    return isinstance(type, ViewType | GroupType) or (
        isinstance(type, PtrType) and type.space is AddressSpace.GM
    )


# --- pairs ---------------------------------------------------------------------------------------


def unproved_pairs(reaches: Reaches, cores: Cores) -> Iterator[tuple[Reach, Reach]]:
    """Pairs of accesses of which one writes and that may touch one byte on different cores, a pair for each
    access."""
    written = {reach.root for reach in reaches.all if reach.write}
    concerned = [each for each in reaches.all if each.root in written or None in (each.root, *written)]
    named: set[Operation] = set()
    for one, other in combinations_with_replacement(concerned, 2):
        if one.op not in named and not _are_apart(one, other, cores, reaches.turns):
            named.add(one.op)
            yield one, other


def _are_apart(one: Reach, other: Reach, cores: Cores, turns: Mapping[Turns, float]) -> bool:
    """Return True if two accesses certainly touch different bytes whenever different cores have them."""
    if not (one.write or other.write):
        return True
    if one.root is not other.root and None not in (one.root, other.root):
        return True
    sides = {core_of(one.op), core_of(other.op)} if cores.several else {None}
    if cores.several and sides not in ({CUBE}, {VECTOR}):
        return False
    lanes = cores.lanes if sides == {VECTOR} else 1
    return (lanes == 1 or _differ_by(_of_lane, one, other, lanes, turns)) and (
        not cores.blocks or _differ_by(_of_block, one, other, lanes, turns)
    )


def _of_lane(term: Hashable) -> bool:
    return term is LANE


def _of_block(term: Hashable) -> bool:
    return term is BLOCK or (isinstance(term, Turns) and term.of_block)


def _differ_by(
    own: Callable[[Hashable], bool], one: Reach, other: Reach, lanes: int, turns: Mapping[Turns, float]
) -> bool:
    """Return True if cores that differ by a number certainly have different windows."""
    a, b = one.start, other.start
    if one.root is None or other.root is None or a is None or b is None or one.element != other.element:
        return False
    pairs: list[tuple[Range | None, Range | None]] = []
    if one.span is not None and other.span is not None:
        pairs.append((replace(a, size=one.span), replace(b, size=other.span)))
    if one.frame is not None and one.frame == other.frame and a == b and a.is_shared:
        pairs += zip(one.sides, other.sides, strict=True)
    return any(
        first is not None and second is not None and _moves_apart(own, first, second, lanes, turns)
        for first, second in pairs
    )


def _moves_apart(
    own: Callable[[Hashable], bool], one: Range, other: Range, lanes: int, turns: Mapping[Turns, float]
) -> bool:
    """Return True if two ranges are apart whenever a number of `own` differs.

    Each number moves the ranges by a factor times a difference that is at most so large. If each factor is
    larger than all that smaller ones can undo, the largest that differs decides.
    """
    reach: float = max(one.low + one.size - other.low, other.low + other.size - one.low)
    digits: list[tuple[int, float, bool]] = []
    for term in {**one.terms, **other.terms}:
        first, second = one.terms.get(term, 0), other.terms.get(term, 0)
        most = _most(term, own(term), lanes, turns)
        if first == second:
            digits.append((abs(first), most, own(term)))
        elif most == inf or own(term) or not isinstance(term, Turns):
            return False
        else:
            reach += (abs(first) + abs(second)) * most
    decides = False
    for factor, most, is_own in sorted(digit for digit in digits if digit[1]):
        if factor < reach and (is_own or decides):
            return False
        decides = decides or is_own
        reach += factor * most
    return decides


def _most(term: Hashable, is_own: bool, lanes: int, turns: Mapping[Turns, float]) -> float:
    """The largest difference of a number between two cores."""
    if isinstance(term, Turns):
        return turns.get(term, inf)
    if term is LANE:
        return lanes - 1
    return inf if is_own else 0
