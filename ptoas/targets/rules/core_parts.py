"""The cube and vector parts of a function, which may not depend on each other."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.kinds import core_of, has_channels, is_mixed, left_out
from ptoas.analysis.structure import kind_of
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import KernelKind, TileLoc
from ptoas.dialects.pto.sync import EventClauseOp
from ptoas.dialects.pto.types import TileType
from ptoas.ir.names import name_of
from ptoas.targets.rule import Related, Violation, Violations, function_rule, target_rule
from ptoas.targets.target import Target


def crossing_parts(function: FuncOp) -> Violations:
    """Find uses across the cube and vector parts of a mixed function."""
    if function.function_type.outputs.data:
        name = function.sym_name.data
        message = f"@{name} returns a value, but cube and vector cores run different parts of it"
        yield Violation(
            message, op=function, fix="write the value to memory, or give the function one kernel kind"
        )
    seen: set[tuple[Operation, Operation]] = set()
    for kind in KernelKind:
        for op, reader in left_out(function, kind)[1]:
            if (op, reader) in seen:
                continue
            seen.add((op, reader))
            yield Violation(
                f"`{name_of(reader)}` on the {kind.value} core uses the result of `{name_of(op)}`, which "
                "runs on the other kind of core",
                op=reader,
                fix="pass a tile through a channel or global memory, a scalar through global memory",
                related=(Related("computed here", op),),
            )


@target_rule(
    "PTO-H303",
    source="PTOAS section.cube, section.vector; public memory model: cube core and vector core",
    reason="The parts run on different cores, which share only global memory.",
    on="a5 a5-custom",
)
def core_parts_are_independent(facts: FunctionFacts, target: Target) -> Violations:
    """In a function with cube and vector parts, neither part may use a result of the other, and the function
    must not return a value."""
    function = facts.func
    if not is_mixed(function):
        return
    module = function.get_toplevel_object()
    if target.has_pipes or (isinstance(module, Operation) and has_channels(module.walk())):
        yield from crossing_parts(function)


@function_rule(
    "PTO-H223",
    source="public memory model: cube core and vector core; PTOAS section.cube, section.vector",
    reason="No core has both a matrix unit and a unified buffer. `run` executes such a function as one "
    "sequence, but its C++ can't run on a device.",
    severity=Severity.WARNING,
)
def function_separates_cube_and_vector_code(facts: FunctionFacts, _target: Target) -> Violations:
    """A function that uses memories of both cube and vector cores must have a part for each: sections, or
    functions of one kind."""
    function = facts.func
    locs = {
        tile.type.loc.data
        for tile in (*facts.arguments, *facts.local_tiles)
        if isinstance(tile.type, TileType)
    }
    if TileLoc.Vec not in locs or len(locs) < 2 or kind_of(function) is not None or is_mixed(function):
        return
    first: dict[KernelKind, Operation] = {}
    for op in function.walk():
        kind = core_of(op)
        if kind is not None and not isinstance(op, EventClauseOp):
            first.setdefault(kind, op)
    if len(first) < 2:
        return
    (_, one), (other, op) = first.items()
    yield Violation(
        f"@{function.sym_name.data} mixes cube and vector instructions; `{name_of(op)}` is for "
        f"{_NAMES[other]}",
        op=op,
        fix="put each part into pto.section.cube or pto.section.vector, connected by a channel or counters",
        related=(Related("the first instruction for the other kind of core", one),),
    )


_NAMES = {KernelKind.Cube: "the cube core", KernelKind.Vector: "vector cores"}
