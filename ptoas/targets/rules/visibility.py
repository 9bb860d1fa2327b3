"""Visibility in global memory where the programmer synchronises: the scalar data cache, and fences (D42, D53,
D54).
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.visibility import LINE, Finding, Missing, Visibility, element_bytes, is_scalar_access
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.remote import CommTNotifyOp
from ptoas.dialects.pto.scalar import GetBlockIdxOp, GetSubblockIdxOp, StoreScalarOp
from ptoas.grammar.spans import span_of
from ptoas.targets.fixit import Fixit
from ptoas.targets.rule import Related, Violation, Violations, function_rule, target_rule
from ptoas.targets.target import Target

CLEAN = "pto.cmo.cacheinvalid all #pto.address_space<gm>"
FENCE = "pto.fence.barrier_all #pto.fence_scope<gm>"


def _findings(facts: FunctionFacts, target: Target, *kinds: Missing) -> list[Finding]:
    """Findings of these kinds, by an analysis that the rules share; none if the compiler inserts what is
    missing."""
    if not facts.has_manual_sync:
        return []
    key = (target.name, "visibility")
    found = cast("list[Finding] | None", facts.analyses.get(key))
    if found is None:
        analysis = Visibility(
            facts.func, facts.ops, lambda op: facts.effects(op, target), facts.knowledge, unsure=False
        )
        found = facts.analyses[key] = analysis.run() if analysis.accesses else []
    return [finding for finding in found if finding.kind in kinds]


def _name(op: Operation) -> str:
    line = span_of(op).line
    return f"`{op.name.removeprefix('pto.')}` in line {line}" if line else f"`{op.name.removeprefix('pto.')}`"


def _violation(finding: Finding, message: str, missing: str = CLEAN) -> Violation:
    causes = tuple(Related("the earlier access", cause) for cause in finding.causes[:1])
    return Violation(
        message,
        op=finding.op,
        fix=f"add `{missing}` before it",
        fixit=Fixit("before", missing),
        related=causes,
        severity=None if finding.certain else Severity.WARNING,
    )


def _cause(finding: Finding) -> str:
    """The store that is not visible yet, and its memory."""
    op = finding.causes[0]
    pointer = op.ptr if isinstance(op, StoreScalarOp) else None
    return _name(op) + (f" (`{value_name(pointer)}`)" if pointer is not None else "")


@target_rule(
    "PTO-F120",
    source="D42; PTOAS 696",
    reason="The line is written back at some later time or never, and the next kernel reads the old bytes.",
)
def cache_is_clean_at_the_end(facts: FunctionFacts, target: Target) -> Violations:
    """A kernel with manual synchronisation that stores scalars must clean the data cache before it ends. It
    is a warning where the store may not be executed, and in a function whose callers may clean after it."""
    for finding in _findings(facts, target, Missing.DIRTY_END):
        message = f"the function ends while {_cause(finding)} is still only in the data cache"
        yield _violation(replace(finding, certain=finding.certain and not _is_called(facts.func)), message)


def _is_called(function: FuncOp) -> bool:
    module, name = function.parent_op(), function.sym_name.data
    return module is not None and any(
        isinstance(op, CallOp) and op.callee.string_value() == name for op in module.walk()
    )


@target_rule(
    "PTO-F121",
    source="D42",
    reason="DMA bypasses the data cache.",
)
def stored_line_is_cleaned_before_dma(facts: FunctionFacts, target: Target) -> Violations:
    """A line that a scalar was stored to must be cleaned before DMA accesses it or another core is notified.
    It is a warning where that depends on the path or an address."""
    does = {
        Missing.DIRTY_READ: "reads memory",
        Missing.DIRTY_WRITE: "writes memory",
        Missing.DIRTY_SIGNAL: "notifies another core",
    }
    for finding in _findings(facts, target, *does):
        if finding.kind is not Missing.DIRTY_SIGNAL or not isinstance(finding.op, CommTNotifyOp):
            name, cause = finding.op.name.removeprefix("pto."), _cause(finding)
            yield _violation(
                finding, f"`{name}` {does[finding.kind]} while {cause} is still only in the data cache"
            )


@target_rule(
    "PTO-F122",
    source="D42",
    reason="The data cache still holds the bytes from before the write.",
)
def line_is_invalidated_before_it_is_loaded_again(facts: FunctionFacts, target: Target) -> Violations:
    """A line that DMA or others have written since it was fetched must be invalidated before a scalar is
    loaded from it. It is a warning where that depends on the path, an address or others."""
    messages = {
        Missing.STALE_LOAD: "reads a stale cache line, fetched before {} wrote it",
        Missing.STALE_ACQUIRED: "may read a stale cache line, fetched before {}",
        Missing.STALE_POLL: "polls a line that stays in the data cache, so it never sees a new value",
    }
    for finding in _findings(facts, target, *messages):
        cause = _name(finding.causes[0]) if finding.causes else ""
        yield _violation(finding, f"`load_scalar` {messages[finding.kind].format(cause)}")


@target_rule(
    "PTO-F123",
    source="D53",
    reason="Scalar stores have no mask of bytes: the whole line is written back, with the old bytes around.",
)
def line_of_dma_is_cleaned_before_it_is_stored_to(facts: FunctionFacts, target: Target) -> Violations:
    """Between DMA that writes a line and a scalar store to it the data cache must be cleaned. It is a warning
    where that depends on the path or an address."""
    for finding in _findings(facts, target, Missing.SHARED_LINE):
        other = _name(finding.causes[0])
        yield _violation(
            finding, f"`store_scalar` writes back {LINE} bytes, part of which {other} has written"
        )


@target_rule(
    "PTO-F124",
    source="D42",
    reason="`single_cache_line` cleans the 64 bytes at the address, whatever the view shows.",
)
def all_stored_lines_of_a_view_are_cleaned(facts: FunctionFacts, target: Target) -> Violations:
    """`cmo.cacheinvalid` of a single line must not leave other lines of the view that were stored to."""
    for finding in _findings(facts, target, Missing.PARTIAL_CLEAN):
        yield Violation(
            f"only {LINE} bytes are cleaned, but {_cause(finding)} wrote another line of the view",
            op=finding.op,
            fix=f"use `{CLEAN}`",
            fixit=Fixit("replace", CLEAN),
            related=tuple(Related("the store", cause) for cause in finding.causes[:1]),
        )


@target_rule(
    "PTO-F125",
    source="D54; PTOAS 730",
    reason="The flag says that the store has left the core, not that a load sees it.",
    severity=Severity.WARNING,
)
def store_is_fenced_before_it_is_loaded(facts: FunctionFacts, target: Target) -> Violations:
    """A fence must separate a store and a load of the same bytes of global memory by DMA."""
    for finding in _findings(facts, target, Missing.UNFENCED_LOAD):
        name, cause = finding.op.name.removeprefix("pto."), _name(finding.causes[0])
        yield _violation(finding, f"`{name}` may read stale data: no fence separates it from {cause}", FENCE)


# --- several cores -----------------------------------------------------------------------------------


@function_rule(
    "PTO-F126",
    source="D53; PTOAS 915",
    reason="Scalar stores have no mask of bytes: each core writes the whole line back, and undoes what the "
    "other has stored.",
    severity=Severity.WARNING,
)
def each_core_stores_to_lines_of_its_own(facts: FunctionFacts, _target: Target) -> Violations:
    """Scalar stores of different blocks or vector cores must be at least 64 bytes apart."""
    for kind, who in ((GetBlockIdxOp, "blocks"), (GetSubblockIdxOp, "vector cores")):
        numbers = [op.result for op in facts.instances(kind)]
        for op in facts.instances(StoreScalarOp) if numbers else ():
            step = sum(_step(op.offset, number, facts) or 0 for number in numbers)
            distance = abs(step) * element_bytes(op.ptr)
            if is_scalar_access(op) and 0 < distance < LINE:
                yield Violation(
                    f"two {who} store {distance} bytes apart, to one line of {LINE} bytes",
                    op=op,
                    slot="offset",
                    part="value",
                    fix=f"keep stores of different {who} {LINE} bytes apart, or use atomic stores of tiles",
                )


def _step(value: SSAValue, number: SSAValue, facts: FunctionFacts) -> int | None:
    """The difference between the values of two neighbours; `None` if it is not always the same."""
    if value is number:
        return 1
    owner = value.owner
    if isinstance(owner, Block):
        # An argument is the same for all; what a loop counts has its own start.
        return 0 if isinstance(owner.parent_op(), FuncOp) else None
    if facts.knowledge.constant(value) is not None:
        return 0
    match owner:
        case arith.IndexCastOp() | arith.ExtSIOp() | arith.ExtUIOp() | arith.TruncIOp():
            return _step(owner.operands[0], number, facts)
        case arith.AddiOp() | arith.SubiOp():
            left, right = (_step(each, number, facts) for each in owner.operands)
            if left is None or right is None:
                return None
            return left + right if isinstance(owner, arith.AddiOp) else left - right
        case arith.MuliOp():
            for one, other in (owner.operands, reversed(owner.operands)):
                factor, step = facts.knowledge.constant(other), _step(one, number, facts)
                if factor is not None:
                    return None if step is None else step * factor
            return None
        case _:
            return None
