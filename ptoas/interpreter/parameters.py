"""The parameters of a kernel: what each is, how large it must be, whether it is read, written, or an index.

The analysis follows every argument through views, pointers, loops and calls to the instructions that touch
it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from ptoas.dialects.pto.enums import Layout
from ptoas.dialects.pto.gather import MGatherOp, MScatterOp, TGatherBOp, TGatherOp, TScatterOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import AddPtrOp, GetBlockIdxOp, GetBlockNumOp, TLoadOp
from ptoas.dialects.pto.types import DYNAMIC, GroupType, PtrType, TileType, ViewType
from ptoas.dialects.pto.views import (
    AllocTileOp,
    MakeTensorViewOp,
    PartitionViewOp,
    SetValidShapeOp,
    SubviewOp,
    TAssignOp,
)
from ptoas.interpreter import scalars
from ptoas.interpreter.dtypes import DType, dtype_of
from ptoas.interpreter.memory import element_count, packed_strides
from ptoas.interpreter.tile_gather import BLOCK
from ptoas.targets import Target
from ptoas.targets.pipes import slot_places


@dataclass
class Parameter:
    """One parameter of the entry."""

    name: str
    at: int
    type: Attribute
    kind: str
    """`memory`, `pointer`, `tile`, `group` or `scalar`."""
    dtype: DType | None
    """The element type; `None` for a scalar without one (an index)."""
    shape: tuple[int, ...] = ()
    """Extents, `DYNAMIC` where only the argument knows."""
    strides: tuple[int, ...] | None = None
    layout: Layout = Layout.ND
    ranks: int = 1
    elements: int | None = None
    """Least number of elements behind a pointer, if that is known before the run."""
    view_shape: tuple[int, ...] | None = None
    """The one shape that a pointer is looked at with, if there is one."""
    read: bool = False
    written: bool = False
    index_limit: int | None = None
    """The values of an index argument stay below this."""
    index_step: int = 1
    """And are multiples of this."""
    is_index: bool = False
    suggestion: int = 1
    """What a scalar is taken to be when nobody says: an extent that fits the tiles it is used for."""

    @property
    def is_output(self) -> bool:
        return self.written

    def describe(self) -> str:
        return f"{self.name}: {self.type}"


def parameters_of(entry: func.FuncOp) -> list[Parameter]:
    """The parameters as their types say it."""
    found: list[Parameter] = []
    for at, argument in enumerate(entry.body.blocks[0].args):
        name = argument.name_hint or f"arg{at}"
        found.append(_parameter(name, at, argument.type))
    return found


def _parameter(name: str, at: int, type: Attribute) -> Parameter:
    match type:
        case ViewType():
            return Parameter(
                name, at, type, "memory", dtype_of(type.element_type), type.shape, type.strides, type.layout
            )
        case PtrType():
            return Parameter(name, at, type, "pointer", dtype_of(type.element_type))
        case TileType():
            return Parameter(name, at, type, "tile", dtype_of(type.element_type), type.valid)
        case GroupType():
            member = type.member
            assert isinstance(member, ViewType)
            return Parameter(
                name,
                at,
                type,
                "group",
                dtype_of(member.element_type),
                member.shape,
                member.strides,
                member.layout,
                type.size,
            )
        case _:
            try:
                return Parameter(name, at, type, "scalar", dtype_of(type))
            except KeyError:
                return Parameter(name, at, type, "scalar", None)


# --- values that are known before the run --------------------------------------------------------


class Foresight:
    """The greatest value that an integer has, from constants, scalar arguments, blocks and loop bounds."""

    def __init__(self, given: dict[SSAValue, int], blocks: int):
        self.known: dict[SSAValue, int | None] = dict(given)
        self.blocks = blocks
        self._kept: dict[str, object] = {}

    # The two methods of a scope for expressions.

    def ref(self, value: SSAValue) -> str:
        number = self.value(value)
        if number is None:
            raise LookupError
        return f"({int(number)})"

    def keep(self, thing: object) -> str:
        name = f"k{len(self._kept)}"
        self._kept[name] = thing
        return name

    def value(self, value: SSAValue) -> int | None:
        if value in self.known:
            return self.known[value]
        self.known[value] = None
        found = self.known[value] = self._find(value)
        return found

    def _find(self, value: SSAValue) -> int | None:
        owner = value.owner
        if isinstance(owner, Block):
            return self._argument(value, owner)
        match owner:
            case arith.ConstantOp():
                number = scalars.constant_of(owner)
                return number if isinstance(number, int) else None
            case GetBlockIdxOp():
                return self.blocks - 1
            case GetBlockNumOp():
                return self.blocks
            case _:
                return self._calculate(owner, value)

    def _calculate(self, op: Operation, value: SSAValue) -> int | None:
        try:
            texts = scalars.expressions(op, self)
        except LookupError:
            return None
        if texts is None:
            return None
        text = texts[next(n for n, result in enumerate(op.results) if result is value)]
        # The text is made of numbers and names of `scalars` alone.
        try:
            result = eval(text, {"__builtins__": {}}, {**self._kept})
        except Exception:
            return None
        return int(result) if isinstance(result, int) else None

    def _argument(self, value: SSAValue, block: Block) -> int | None:
        loop = block.parent_op()
        if not isinstance(loop, scf.ForOp) or not isinstance(value, BlockArgument) or value.index:
            return None
        lower, upper, step = (self.value(v) for v in (loop.lb, loop.ub, loop.step))
        if lower is None or upper is None or step is None or step <= 0 or upper <= lower:
            return None
        return lower + (upper - lower - 1) // step * step


# --- who touches what ----------------------------------------------------------------------------


@dataclass
class Flow:
    """Arguments behind values, of all functions that the entry reaches."""

    memory: dict[SSAValue, set[int]] = field(default_factory=dict[SSAValue, set[int]])
    """For a pointer, view or tile: the parameters whose bytes it stands for, or was loaded from."""

    def add(self, value: SSAValue, sources: set[int]) -> bool:
        known = self.memory.setdefault(value, set())
        if sources <= known:
            return False
        known |= sources
        return True

    def of(self, value: SSAValue) -> set[int]:
        return self.memory.get(value, set())


def flow_of(functions: dict[str, func.FuncOp], entry: func.FuncOp, operations: list[Operation]) -> Flow:
    """Which values stand for which arguments of the entry."""
    flow = Flow()
    for at, argument in enumerate(entry.body.blocks[0].args):
        flow.add(argument, {at})
    changed = True
    while changed:
        changed = any([_propagate(op, flow, functions) for op in operations])
    return flow


def analyse(
    module: ModuleOp,
    entry: func.FuncOp,
    parameters: list[Parameter],
    target: Target,
    given: dict[str, int],
    blocks: int,
) -> None:
    """Fill in sizes, directions and limits of the parameters, from a module in DPS form."""
    functions = {op.sym_name.data: op for op in module.walk() if isinstance(op, func.FuncOp)}
    operations = [op for f in functions.values() for op in f.walk()]
    arguments = entry.body.blocks[0].args
    flow = flow_of(functions, entry, operations)
    foresight = Foresight({arguments[p.at]: given[p.name] for p in parameters if p.name in given}, blocks)
    for op in operations:
        if not isinstance(op, PtoOp):
            continue
        _directions(op, flow, parameters, target)
        if isinstance(op, MakeTensorViewOp):
            _size(op, flow, parameters, foresight)
        _index_use(op, flow, parameters, target, foresight)
    _suggest(operations, {arguments[p.at]: p for p in parameters if p.kind == "scalar"})


TYPICAL_EXTENT = 8


def _suggest(operations: list[Operation], scalars_by_value: dict[SSAValue, Parameter]) -> None:
    """Extents for scalars: of a tile where they say how much of it is valid, else a few."""
    fixed: set[str] = set()

    def behind(value: SSAValue | None) -> Parameter | None:
        while value is not None and isinstance(value.owner, arith.IndexCastOp):
            value = value.owner.operands[0]
        return None if value is None else scalars_by_value.get(value)

    for op in operations:
        pairs: list[tuple[SSAValue | None, int]] = []
        match op:
            case AllocTileOp():
                pairs = list(zip((op.valid_row, op.valid_col), op.tile_type.shape, strict=True))
            case SetValidShapeOp() if isinstance(op.tile.type, TileType):
                pairs = list(zip((op.row, op.col), op.tile.type.shape, strict=True))
            case MakeTensorViewOp():
                for value in (*op.shape, *op.strides):
                    parameter = behind(value)
                    if parameter is not None and parameter.name not in fixed:
                        parameter.suggestion = TYPICAL_EXTENT
            case _:
                pass
        for value, physical in pairs:
            parameter = behind(value)
            if parameter is not None:
                known = parameter.suggestion if parameter.name in fixed else physical
                parameter.suggestion = min(known, physical)
                fixed.add(parameter.name)


def _propagate(op: Operation, flow: Flow, functions: dict[str, func.FuncOp]) -> bool:
    pairs: list[tuple[SSAValue, SSAValue]] = []
    match op:
        case MakeTensorViewOp() | AddPtrOp():
            pairs.append((op.results[0], op.ptr))
        case PartitionViewOp() | SubviewOp():
            pairs.append((op.results[0], op.source))
        case TAssignOp() if op.result is not None:
            pairs.append((op.result, op.tile))
        case TLoadOp():
            # A tile that was loaded carries what it was loaded from, for finding index arguments.
            pairs.append((op.destination, op.mem))
        case arith.SelectOp():
            pairs += [(op.result, op.lhs), (op.result, op.rhs)]
        case scf.ForOp():
            carried = op.body.block.args[1:]
            pairs += zip(carried, op.iter_args, strict=True)
            pairs += zip(op.results, carried, strict=True)
            last = op.body.block.last_op
            if isinstance(last, scf.YieldOp):
                pairs += zip(carried, last.operands, strict=True)
        case scf.IfOp():
            for region in op.regions:
                last = region.block.last_op if region.blocks else None
                if isinstance(last, scf.YieldOp):
                    pairs += zip(op.results, last.operands, strict=True)
        case scf.WhileOp():
            condition, last = op.before_region.block.last_op, op.after_region.block.last_op
            pairs += zip(op.before_region.block.args, op.arguments, strict=True)
            if isinstance(condition, scf.ConditionOp):
                pairs += zip(op.after_region.block.args, condition.args, strict=True)
                pairs += zip(op.results, condition.args, strict=True)
            if isinstance(last, scf.YieldOp):
                pairs += zip(op.before_region.block.args, last.operands, strict=True)
        case func.CallOp():
            callee = functions.get(op.callee.string_value())
            if callee is not None and callee.body.blocks:
                pairs += zip(callee.body.blocks[0].args, op.arguments, strict=False)
        case _:
            return False
    return any([flow.add(to, flow.of(source)) for to, source in pairs])


def _directions(op: PtoOp, flow: Flow, parameters: list[Parameter], target: Target) -> None:
    for access in target.effects(op).accesses:
        if access.operand < 0:
            continue
        operand = op.operands[access.operand]
        for at in flow.of(operand):
            parameter = parameters[at]
            # A tile that was loaded from memory is not that memory.
            if isinstance(operand.type, TileType) != (parameter.kind == "tile"):
                continue
            parameter.read |= not access.write
            parameter.written |= access.write


def _size(op: MakeTensorViewOp, flow: Flow, parameters: list[Parameter], foresight: Foresight) -> None:
    shape = [foresight.value(v) for v in op.shape]
    strides = [foresight.value(v) for v in op.strides]
    offset: int | None = 0
    pointer = op.ptr
    while isinstance(pointer.owner, AddPtrOp):
        step = foresight.value(pointer.owner.offset)
        offset = None if step is None or offset is None else offset + step
        pointer = pointer.owner.ptr
    known = None not in (*shape, *strides, offset)
    for at in flow.of(op.ptr):
        parameter = parameters[at]
        if parameter.kind != "pointer":
            continue
        if not known:
            parameter.view_shape = ()
            continue
        extents = [n for n in shape if n is not None]
        steps = [n for n in strides if n is not None]
        count = (offset or 0) + element_count(extents, steps)
        parameter.elements = max(parameter.elements or 0, count)
        packed = tuple(steps) == packed_strides(extents, Layout.ND) and offset == 0
        seen = tuple(extents) if packed else ()
        same = parameter.view_shape in (None, seen)
        parameter.view_shape = seen if same else ()


_INDEX_SLOTS: dict[type[PtoOp], str] = {
    MGatherOp: "idx",
    MScatterOp: "idx",
    TGatherOp: "indices",
    TScatterOp: "idx",
    TGatherBOp: "offsets",
}


def _index_use(
    op: PtoOp, flow: Flow, parameters: list[Parameter], target: Target, foresight: Foresight
) -> None:
    slot = _INDEX_SLOTS.get(type(op))
    places = slot_places(op).get(slot, range(0)) if slot else range(0)
    if not places:
        return
    limit, step = _limit(op, target, foresight)
    for at in flow.of(op.operands[places.start]):
        parameter = parameters[at]
        parameter.is_index = True
        parameter.index_step = max(parameter.index_step, step)
        if limit is not None:
            known = parameter.index_limit
            parameter.index_limit = limit if known is None else min(known, limit)


def _limit(op: Any, target: Target, foresight: Foresight) -> tuple[int | None, int]:
    """How far an index of this instruction may go, and its distance to the next."""
    match op:
        case MGatherOp() | MScatterOp():
            shape = view_extents(op.mem, foresight)
            type = op.mem.type
            assert isinstance(type, ViewType)
            if shape is None:
                return None, 1
            shape5 = (1,) * (5 - len(shape)) + shape
            return target.capacity(shape5, view_layout(op.mem), target.coalesce_of(op)), 1
        case TGatherOp():
            assert isinstance(op.src.type, TileType)
            return op.src.type.rows * op.src.type.cols, 1
        case TScatterOp():
            assert isinstance(op.destination.type, TileType)
            return op.destination.type.rows * op.destination.type.cols, 1
        case _:
            assert isinstance(op.src.type, TileType)
            return max(1, op.src.type.size_bytes - BLOCK + 1), BLOCK


def view_layout(value: SSAValue) -> Layout:
    type = value.type
    assert isinstance(type, ViewType)
    owner = value.owner
    if isinstance(owner, MakeTensorViewOp) and owner.layout is not None:
        return owner.layout.data
    if isinstance(owner, PartitionViewOp) and type.layout is Layout.ND:
        return view_layout(owner.source)
    return type.layout


def view_extents(value: SSAValue, foresight: Foresight) -> tuple[int, ...] | None:
    """The extents of a view, if they are known before the run."""
    type = value.type
    assert isinstance(type, ViewType)
    if DYNAMIC not in type.shape:
        return type.shape
    owner = value.owner
    operands = (
        owner.shape
        if isinstance(owner, MakeTensorViewOp)
        else owner.sizes
        if isinstance(owner, PartitionViewOp)
        else None
    )
    if operands is None:
        return None
    found = [foresight.value(v) for v in operands]
    return None if None in found else tuple(n for n in found if n is not None)
