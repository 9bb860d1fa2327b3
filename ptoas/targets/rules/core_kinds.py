"""Assignment of instructions to cube and vector cores."""

from __future__ import annotations

from xdsl.ir import Operation

from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.kinds import core_of, own_kind
from ptoas.analysis.structure import kind_of
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.channel import InitializePipeOp, NumberedChannelOp
from ptoas.dialects.pto.core_sync import CounterOp, SectionOp
from ptoas.dialects.pto.enums import KernelKind, TileLoc
from ptoas.dialects.pto.types import TileType
from ptoas.targets.rule import Violation, Violations, function_rule
from ptoas.targets.target import Target


@function_rule(
    "PTO-H140",
    source="PTOAS pto.kernel_kind, section.cube, section.vector",
    reason="A core has neither the memories nor the pipes of the other kind.",
)
def instruction_runs_on_its_core(facts: FunctionFacts, _target: Target) -> Violations:
    """Code for one kind of core may only contain instructions of that kind: its side of channels, and tiles
    of its memories. A counter on a pipe of the other kind is a warning, because nothing runs on that pipe."""
    kind = kind_of(facts.func)
    if kind is None and not any(True for _ in facts.instances(SectionOp)):
        return
    for op in _core_sensitive_operations(facts, kind):
        here, own = core_of(op), own_kind(op)
        if here is not None and own is not None and here is not own:
            yield Violation(
                f"`{op.name.removeprefix('pto.')}` runs on the {own.value} core, but is in {here.value} code",
                op=op,
                severity=Severity.WARNING if isinstance(op, CounterOp) else None,
                fix=f"move it into pto.section.{own.value}, or into a function of kind {own.value}",
            )


def _core_sensitive_operations(facts: FunctionFacts, kind: KernelKind | None) -> dict[Operation, None]:
    """Operations that may be on the wrong core, each once: instructions that name a side, and users of
    tiles that the kind of the function alone does not explain.
    """
    sides = facts.instances(NumberedChannelOp, InitializePipeOp)
    found: dict[Operation, None] = dict.fromkeys((*sides, *facts.instances(CounterOp)))
    own = {KernelKind.Vector: (TileLoc.Vec,), None: ()}.get(kind, tuple(set(TileLoc) - {TileLoc.Vec}))
    for tile in (*facts.arguments, *facts.local_tiles):
        type = tile.type
        if isinstance(type, TileType) and type.loc.data not in own:
            found |= {use.operation: None for use in tile.uses}
    return found
