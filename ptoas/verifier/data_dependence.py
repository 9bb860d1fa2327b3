"""Control flow and addresses of a prepared module that depend on the contents of memory or tiles.

Scalars are followed from the instructions that take them out of memory or tiles through arithmetic and
results of regions. They may end as operands of arithmetic on tiles or as stored values; everywhere else they
could choose what runs, or where.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from ptoas.analysis.effects import touched
from ptoas.analysis.structure import walk
from ptoas.dialects.pto.asynchronous import TestAsyncEventOp
from ptoas.dialects.pto.core_enums import SyncAllMode
from ptoas.dialects.pto.core_sync import SyncAllOp
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.remote import LookOp
from ptoas.dialects.pto.scalar import StoreScalarOp
from ptoas.dialects.pto.tile_scalar import BitScalarOp, ScalarOp, ScalarTernaryOp
from ptoas.dialects.pto.types import GroupType, PtoType, PtrType, ViewType
from ptoas.targets import Target

ARITHMETIC = f"{arith.Arith.name}."


def data_dependences(module: ModuleOp, target: Target) -> Iterator[tuple[Operation, str]]:
    """The operations by which data could choose what runs, or where, and why."""
    ops = list(walk(module))
    derived = _derived(ops, target)
    written = _written_roots(ops, target)
    for op in ops:
        match op:
            case LookOp() | TestAsyncEventOp():
                yield op, "looks at memory"
            case SyncAllOp() if op.mode.data is SyncAllMode.Soft:
                yield op, "counts in memory"
            case IndexedMemoryOp():
                if _root(op.mem) is None or _root(op.mem) in written or None in written:
                    yield op, "touches written memory where indices say"
            case _:
                pass
        for value in op.operands:
            if value in derived and not _only_computes(op, value):
                yield op, "depends on data"
                break


def _derived(ops: Iterable[Operation], target: Target) -> set[SSAValue]:
    """Scalars that depend on the contents of memory or tiles."""
    derived: set[SSAValue] = set()
    size = -1
    while len(derived) != size:
        size = len(derived)
        for op in ops:
            if isinstance(op, PtoOp):
                if op.results and target.effects(op).accesses:
                    derived.update(r for r in op.results if not isinstance(r.type, PtoType))
            elif any(value in derived for value in op.operands):
                derived.update(_reached(op))
    return derived


def _reached(op: Operation) -> Iterator[SSAValue]:
    """The values that the operands of an operation may become part of."""
    yield from op.results
    parent = op.parent_op()
    inner = [op] if op.regions else []
    if isinstance(op, scf.YieldOp | scf.ConditionOp) and parent is not None:
        yield from parent.results
        inner = [parent]
    for each in inner:
        for region in each.regions:
            for block in region.blocks:
                # The first argument of a counted loop is its variable.
                yield from block.args[1:] if isinstance(each, scf.ForOp) else block.args


def _only_computes(op: Operation, value: SSAValue) -> bool:
    match op:
        case ScalarOp() | BitScalarOp() | ScalarTernaryOp():
            return True
        case StoreScalarOp():
            return value is not op.ptr and value is not op.offset
        case scf.YieldOp():
            return True
        case scf.ConditionOp():
            return value is not op.condition
        case scf.ForOp():
            return value not in (op.lb, op.ub, op.step)
        case scf.WhileOp():
            return True
        case _:
            return op.name.startswith(ARITHMETIC)


def _written_roots(ops: Iterable[Operation], target: Target) -> set[SSAValue | None]:
    """The arguments whose memory the module writes; `None` if it writes memory that is not known."""
    found: set[SSAValue | None] = set()
    for op in ops:
        match op:
            case PtoOp():
                for access in target.effects(op).accesses:
                    value = touched(op, access.operand)
                    if access.write and isinstance(value.type, ViewType | PtrType | GroupType):
                        found.add(_root(value))
            case func.CallOp():
                found.add(None)
            case _:
                pass
    return found


def _root(value: SSAValue) -> SSAValue | None:
    """The argument that a view or pointer is made of; `None` if that is not known."""
    while not isinstance(value, BlockArgument):
        owner = value.owner
        if not isinstance(owner, PtoOp) or not owner.operands:
            return None
        sources = [each for each in owner.operands if isinstance(each.type, ViewType | PtrType)]
        if len(sources) != 1:
            return None
        (value,) = sources
    return value if isinstance(value.block.parent_op(), func.FuncOp) else None
