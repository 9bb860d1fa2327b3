"""Clean and invalidate the scalar data cache, and fence stores that are loaded again (D42, D53, D54).

Before:

    pto.store_scalar %v, %p[%c0] : ...
    pto.tload ins(%view_of_p : ...) outs(%a : ...)
    pto.store_scalar %v, %q[%c0] : ...
    return

After, on `a5`:

    pto.store_scalar %v, %p[%c0] : ...
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.cmo.cacheinvalid all #pto.address_space<gm>
    pto.fence.barrier_all #pto.fence_scope<gm>
    pto.tload ins(%view_of_p : ...) outs(%a : ...)
    pto.store_scalar %v, %q[%c0] : ...
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.cmo.cacheinvalid all #pto.address_space<gm>
    pto.fence.barrier_all #pto.fence_scope<gm>
    return

The three together are what the C++ assembler leaves at the end of a function that stores scalars (PTOAS
696). They stand right before the access that needs them, or, where nothing in a loop makes them necessary
again, before the loop. Between a store and a load of the same bytes by DMA a fence alone is enough. A load
that waits in a loop for another core invalidates the cache each time. Where an address is not known, two
accesses of one argument count as accesses of the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.function import has_manual_sync
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import bodies_of, callees_first, calls_in, enclosing_loops, walk
from ptoas.analysis.visibility import Finding, Missing, Uses, Visibility
from ptoas.dialects.pto.core_enums import FenceScope
from ptoas.dialects.pto.enums import AddressSpace, Pipe
from ptoas.dialects.pto.sync import BarrierOp, CmoCacheInvalidOp, FenceBarrierAllOp
from ptoas.lowering.options import chosen_target
from ptoas.lowering.provenance import add_reason, at_line
from ptoas.targets import Target


@dataclass(frozen=True)
class InsertFencesPass(ModulePass):
    """Cleans of the scalar data cache, and fences, for functions with automatic synchronisation."""

    name = "insert-fences"
    target: str | None = None
    sync: str | None = None
    """As of `insert-sync`: `manual` leaves every function alone, `auto` and `all` none."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = chosen_target(op, self.target)
        if self.sync == "manual" or not target.has_pipes:
            return
        bodies = bodies_of(op)
        calls = calls_in(bodies)
        uses: dict[str, Uses] = {}
        for function in callees_first(calls):
            ops = bodies[function]
            analysis = Visibility(function, ops, target.effects, Knowledge(), unsure=True, callees=uses)
            uses[function.sym_name.data] = analysis.uses
            if analysis.accesses and (self.sync in ("auto", "all") or not has_manual_sync(ops)):
                insert_fences(analysis, target, uses)


def insert_fences(analysis: Visibility, target: Target, uses: Mapping[str, Uses]) -> None:
    """Insert what is missing. The analysis assumes a clean right at the operation; after one that stands in
    front of a loop instead it is made again, as other paths are clean then, and the loop may not be."""
    function = analysis.function
    while findings := analysis.run():
        for finding in findings:
            before = _place(finding)
            _insert(finding, before)
            if before is not finding.op:
                break
        analysis = Visibility(
            function, walk(function)[1:], target.effects, Knowledge(), unsure=True, callees=uses
        )


def _insert(finding: Finding, before: Operation) -> None:
    ops = _missing(finding, before)
    for op in ops:
        add_reason(op, partial(_reason, finding))
    Rewriter.insert_op(ops, InsertPoint.before(before))


def _missing(finding: Finding, before: Operation) -> Sequence[Operation]:
    location = before.location
    fence = FenceBarrierAllOp(FenceScope.GM, location=location)
    if not finding.kind.needs_clean:
        return (fence,)
    invalidate = CmoCacheInvalidOp(space=AddressSpace.GM, location=location)
    if finding.kind is Missing.STALE_POLL:
        return (invalidate,)
    return BarrierOp(Pipe.PIPE_ALL, location=location), invalidate, fence


def _place(finding: Finding) -> Operation:
    """The operation itself, or the outermost loop around it in which none of the causes is."""
    before = finding.op
    if finding.kind is Missing.STALE_POLL:
        return before
    for loop in enclosing_loops(before):
        if any(loop.is_ancestor(cause) for cause in finding.causes):
            break
        before = loop
    return before


def _reason(finding: Finding) -> str:
    causes = dict.fromkeys(at_line(cause) for cause in finding.causes)
    after = f" after {', '.join(list(causes)[:2])}" if causes else ""
    return f"{at_line(finding.op)}{after}: {finding.kind.value}"
