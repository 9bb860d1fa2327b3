"""Loops, branches, calls and returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import arith, func, scf
from xdsl.ir import Block, Operation, SSAValue

from ptoas.analysis.forwarding import underlying_values
from ptoas.analysis.knowledge import physical_shape
from ptoas.dialects.pto.channel import DeclareTileOp
from ptoas.dialects.pto.multi_tile import MultiTileGetOp
from ptoas.dialects.pto.types import TileType, ViewType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.lowering.cpp.handlers import emits
from ptoas.lowering.cpp.readers import terminator
from ptoas.lowering.cpp.scalars import emit_arithmetic, is_scalar
from ptoas.lowering.cpp.types import scalar_cpp

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter


@emits(scf.ForOp)
def _for(emit: FunctionEmitter, op: scf.ForOp) -> None:
    body = op.body.block
    index, *carried = body.args
    kept = [n for n, value in enumerate(carried) if value in emit.read]
    _declare(emit, _pick(carried, kept), _pick(op.iter_args, kept))
    name = emit.name(index)
    step = emit.text(op.step)
    advance = f"++{name}" if step == "1" else f"{name} += {step}"
    kind = scalar_cpp(index.type)
    emit.open(f"for ({kind} {name} = {emit.text(op.lb)}; {name} < {emit.operand(op.ub)}; {advance})")
    emit.block(body)
    _assign(emit, _pick(carried, kept), _pick(terminator(body).operands, kept))
    emit.close()
    for result, value in zip(op.results, carried, strict=True):
        emit.rename(result, emit.text(value))


@emits(scf.IfOp)
def _if(emit: FunctionEmitter, op: scf.IfOp) -> None:
    kept = _declare_results(emit, op)
    emit.open(f"if ({emit.text(op.cond)})")
    _branch(emit, op, op.true_region.block, kept)
    alternative = op.false_region.block if op.false_region.blocks else None
    if alternative is not None and (alternative.first_op is not alternative.last_op or kept):
        emit.close("else")
        _branch(emit, op, alternative, kept)
    emit.close()


@emits(scf.IndexSwitchOp)
def _switch(emit: FunctionEmitter, op: scf.IndexSwitchOp) -> None:
    kept = _declare_results(emit, op)
    emit.open(f"switch ({emit.text(op.arg)})")
    labels = [f"case {number}:" for number in op.cases.get_values()]
    for label, region in zip((*labels, "default:"), (*op.case_regions, op.default_region), strict=True):
        emit.open(label)
        _branch(emit, op, region.block, kept)
        emit.line("break;")
        emit.close()
    emit.close()


@emits(scf.ExecuteRegionOp)
def _execute_region(emit: FunctionEmitter, op: scf.ExecuteRegionOp) -> None:
    """Emit a nested scope; its results are visible outside."""
    kept = _declare_results(emit, op)
    emit.open("")
    _branch(emit, op, op.region.block, kept)
    emit.close()


def _declare_results(emit: FunctionEmitter, op: Operation) -> list[int]:
    """Declare variables for the results that are read; return their numbers."""
    kept = [n for n, result in enumerate(op.results) if result in emit.read]
    for result in _pick(op.results, kept):
        emit.declare(result)
    return kept


def _branch(emit: FunctionEmitter, op: Operation, block: Block, kept: list[int]) -> None:
    """A block, and the assignment of what it yields to the results that are read."""
    emit.block(block)
    _assign(emit, _pick(op.results, kept), _pick(terminator(block).operands, kept))


@emits(scf.WhileOp)
def _while(emit: FunctionEmitter, op: scf.WhileOp) -> None:
    """`before` decides whether to go on; what it hands over is visible in `after` and after the loop."""
    before, after = op.before_region.block, op.after_region.block
    carried = [n for n, value in enumerate(before.args) if value in emit.read]
    _declare(emit, _pick(before.args, carried), _pick(op.arguments, carried))
    kept = [n for n, pair in enumerate(zip(op.results, after.args, strict=True)) if emit.read & {*pair}]
    for result in _pick(op.results, kept):
        emit.declare(result)
    emit.open("while (true)")
    emit.block(before)
    condition, *passed = terminator(before).operands
    _assign(emit, _pick(op.results, kept), _pick(passed, kept))
    emit.line(f"if (!({emit.text(condition)})) {{")
    emit.line("    break;")
    emit.line("}")
    for argument, result in zip(after.args, op.results, strict=True):
        emit.rename(argument, emit.text(result))
    emit.block(after)
    _assign(emit, _pick(before.args, carried), _pick(terminator(after).operands, carried))
    emit.close()


@emits(arith.SelectOp)
def _select(emit: FunctionEmitter, op: arith.SelectOp) -> None:
    """Numbers are an expression; a tile or a pointer is a variable, as if a branch had chosen it."""
    if is_scalar(op.result.type):
        emit_arithmetic(emit, op)
        return
    chosen, other = (_same_type(emit, op.result, value) for value in (op.lhs, op.rhs))
    emit.declare(op.result, f"{emit.text(op.cond)} ? {chosen} : {other}")


@emits(MultiTileGetOp)
def _one_of(emit: FunctionEmitter, op: MultiTileGetOp) -> None:
    """One of several tiles, by its number; the last where it is none of the others'."""
    *others, last = (_same_type(emit, op.result, value) for value in op.source)
    slot = emit.operand(op.slot)
    cases = "".join(f"{slot} == {at} ? {tile} : " for at, tile in enumerate(others))
    emit.declare(op.result, cases + last)


def _same_type(emit: FunctionEmitter, variable: SSAValue, value: SSAValue) -> str:
    """A value that a variable takes over, as text. The C++ type of a window has the strides of its tile."""
    tiles = isinstance(variable.type, TileType) and isinstance(value.type, TileType)
    if tiles and physical_shape(variable) != physical_shape(value):
        rows, cols = physical_shape(value)
        why = f"a window of a tile of {rows}x{cols} can't be chosen as a tile; copy it with tmov first"
        raise emit.unsupported(_owner(variable), why)
    return emit.text(value)


def _owner(value: SSAValue) -> Operation:
    op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    assert op is not None
    return op


def _pick(values: Sequence[SSAValue], places: list[int]) -> list[SSAValue]:
    return [values[n] for n in places]


def _declare(emit: FunctionEmitter, variables: Sequence[SSAValue], values: Sequence[SSAValue]) -> None:
    for variable, value in zip(variables, values, strict=True):
        emit.declare(variable, _same_type(emit, variable, value))


def _assign(emit: FunctionEmitter, variables: Sequence[SSAValue], values: Sequence[SSAValue]) -> None:
    """All at once: a variable that is overwritten before it is read is kept aside first."""
    moves = [(emit.text(a), _same_type(emit, a, b)) for a, b in zip(variables, values, strict=True)]
    moves = [(target, source) for target, source in moves if target != source]
    kept: dict[str, str] = {}
    for n, (_, source) in enumerate(moves):
        if source not in kept and any(source == target for target, _ in moves[:n]):
            kept[source] = emit.fresh(f"{source}_before")
            emit.line(f"const auto {kept[source]} = {source};")
    for target, source in moves:
        emit.line(f"{target} = {kept.get(source, source)};")


@emits(func.CallOp)
def _call(emit: FunctionEmitter, op: func.CallOp) -> None:
    arguments = ", ".join(text for value in op.arguments for text in emit.passed(value))
    call = f"{emit.function_name(op.callee.string_value())}({arguments})"
    if len(op.results) > 1:
        raise emit.unsupported(op, "a C++ function returns one value at most")
    if op.results and op.results[0].first_use is not None:
        if isinstance(op.results[0].type, TileType | ViewType):
            # The tile's bytes are not known here: another tile may reuse them.
            raise emit.unsupported(op, "what a call returns is no tile or view; let the callee write to one")
        emit.define(op.results[0], call, needed=True)
    else:
        emit.line(f"{call};")


@emits(func.ReturnOp)
def _return(emit: FunctionEmitter, op: func.ReturnOp) -> None:
    if len(op.arguments) > 1:
        raise emit.unsupported(op, "a C++ function returns one value at most")
    for value in op.arguments:
        own = [
            each for each in underlying_values(value) if isinstance(each.owner, AllocTileOp | DeclareTileOp)
        ]
        if own or (isinstance(value.type, TileType) and physical_shape(value) != value.type.shape):
            why = (
                "a function can only return a whole tile that it received: its own tiles are "
                "overwritten after it"
            )
            raise emit.unsupported(op, why)
        emit.line(f"return {emit.argument(value)};")


@emits(scf.YieldOp, scf.ConditionOp)
def _nothing(emit: FunctionEmitter, op: Operation) -> None:
    """Terminators are part of the operation around them."""
