"""Kernels without any visible effect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator, SymbolTable

from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.kernel import KernelFacts
from ptoas.analysis.structure import functions
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import AddressSpace
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import PtrType, TileType, ViewType
from ptoas.dialects.visibility import is_entry
from ptoas.targets.rule import Violation, Violations, rule
from ptoas.targets.target import Target


@rule(
    "PTO-N105",
    source="ptoas",
    reason="Local memory is lost when the kernel ends, so a store is probably missing.",
    severity=Severity.WARNING,
    scope="kernel",
)
def kernel_has_an_output(facts: KernelFacts, target: Target) -> Violations:
    """A kernel that is launched with pointers, or marked as an entry, should write global memory or pass data
    to another core or rank."""
    launched = facts.functions[0].func
    if not launched.body.blocks:
        return
    takes_pointer = any(_is_global(arg) and isinstance(arg.type, PtrType) for arg in launched.args)
    if facts.functions[0].arguments or not (takes_pointer or is_entry(launched)):
        return
    if not any(_writes_tiles(each, target) for each in facts.functions):
        return
    names = {each.func.sym_name.data for each in facts.functions if each.func.body.blocks}
    if any(_has_visible_effect(each, names, target) for each in facts.functions):
        return
    yield Violation(
        f"kernel @{facts.name} writes nothing to global memory; its results are lost",
        op=launched,
        fix="store the results with tstore",
    )


@rule(
    "PTO-N106",
    source="ptoas",
    reason="The caller would find the old contents: a store is missing, or goes to another argument.",
    severity=Severity.WARNING,
    scope="kernel",
)
def output_is_written(facts: KernelFacts, target: Target) -> Violations:
    """Memory that is passed to a kernel under the name of an output should be written by it, or by the
    function of the same arguments for the other kind of core."""
    launched = facts.functions[0].func
    if not launched.body.blocks or not any(each.touches(target) for each in facts.functions):
        return
    for at, argument in enumerate(launched.args):
        if not _is_named_as_output(argument) or not _is_global(argument) or _may_be_written(argument):
            continue
        if any(_may_be_written(other.args[at]) for other in _counterparts(launched)):
            continue
        yield Violation(
            f"`%{argument.name_hint}` is named as an output, but never written",
            op=launched,
            slot=("argument", at),
            fix="store the result in it, or give it another name",
        )


STORE_SCALAR = "pto.store_scalar"
"""Writes through a pointer, which is an operand like any other."""

_OUTPUT = frozenset({"out", "outs", "output", "outputs", "dst", "dest", "result", "results"})
_CHAPTERS_SEEN = {"comm", "remote", "asynchronous", "channel", "debug", "pointers"}
"""Chapters whose instructions pass something to another core, rank or reader, or make numbers of pointers."""


def _is_named_as_output(argument: SSAValue) -> bool:
    words = re.split(r"_|(?<=[a-z])(?=[A-Z])", re.sub(r"\d+$", "", argument.name_hint or ""))
    return any(word.lower() in _OUTPUT for word in words)


def _is_global(argument: SSAValue) -> bool:
    type = argument.type
    return isinstance(type, ViewType) or (isinstance(type, PtrType) and type.space is AddressSpace.GM)


@cache
def _is_passed_on(kind: type[Operation]) -> bool:
    chapter = kind.__module__.rpartition(".")[2]
    return chapter in _CHAPTERS_SEEN or issubclass(kind, UnregisteredOp)


def _writes_tiles(facts: FunctionFacts, target: Target) -> bool:
    touches = (each for _, touches in facts.touches(target) for each in touches)
    return any(each.write and isinstance(each.value.type, TileType) for each in touches)


def _is_seen(kind: type[Operation]) -> bool:
    return _is_passed_on(kind) or kind.name == STORE_SCALAR


def _has_visible_effect(facts: FunctionFacts, known: set[str], target: Target) -> bool:
    """Return True if the function has a lasting effect: it writes memory of its caller, or returns a
    value.
    """
    if facts.func.function_type.outputs.data or any(map(_is_seen, facts.by_class)):
        return True
    if any(call.callee.string_value() not in known for call in facts.instances(func.CallOp)):
        return True
    return any(
        not isinstance(each.value.type, TileType) or facts.root(each.value) in facts.arguments
        for _, touches in facts.touches(target)
        for each in touches
        if each.write
    )


def _counterparts(function: func.FuncOp) -> Iterator[func.FuncOp]:
    """The other functions of the module with the same arguments: the other half of a mixed kernel."""
    module = function.get_toplevel_object()
    for other in functions(module) if isinstance(module, ModuleOp) else ():
        if other is not function and other.function_type == function.function_type:
            yield other


def _may_be_written(argument: SSAValue) -> bool:
    """Return True if an instruction may write the memory of an argument, also through derived values."""
    seen, work = {argument}, [argument]
    while work:
        for use in work.pop().uses:
            op = use.operation
            derived = _derived(op, use.index)
            if derived is None:
                return True
            if isinstance(op, PtoOp) and _writes(op, use.index):
                return True
            work += [value for value in derived if value not in seen]
            seen.update(derived)
    return False


def _writes(op: PtoOp, operand: int) -> bool:
    if op.name == STORE_SCALAR:
        return True
    return any(op.operands[operand] is value for slot in op.OUTS for value in op.operands_of(slot))


def _derived(op: Operation, operand: int) -> list[SSAValue] | None:
    """The values that may refer to the memory of an operand of an operation; `None` if unknown."""
    if _is_passed_on(op.__class__):
        return None
    if isinstance(op, func.CallOp):
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if not isinstance(callee, func.FuncOp) or not callee.body.blocks:
            return None
        return [callee.args[operand]]
    if isinstance(op, PtoOp):
        return [result for result in op.results if isinstance(result.type, ViewType | PtrType)]
    inside = [argument for region in op.regions for block in region.blocks for argument in block.args]
    parent = op.parent_op()
    outside = parent.results if op.has_trait(IsTerminator) and parent is not None else ()
    return [*op.results, *inside, *outside]
