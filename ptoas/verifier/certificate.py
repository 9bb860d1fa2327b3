"""Statement of `verify` about all schedules of a kernel; docs/certificate.md has the argument.

The pipes of each core are followed on all paths, and places that may overlap are taken to overlap, so that
what holds does so for any data. The order between cores is not followed: they must write different bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ptoas.analysis.channels import Channels, is_for_first_lane
from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.kinds import functions_below, needs_cluster, origin_of
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.linking import linked
from ptoas.analysis.structure import (
    callees_first,
    calls_of,
    enclosing_loops,
    functions,
    kernels_of,
    kind_of,
    walk,
)
from ptoas.analysis.sync_flow import SyncFlow
from ptoas.analysis.visibility import Uses, Visibility
from ptoas.diagnostics import Diagnostic, Note, PtoasError, Severity
from ptoas.diagnostics.report import Report
from ptoas.dialects.pto.asynchronous import EventOp, StartOp
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.core_enums import SyncAllMode
from ptoas.dialects.pto.core_sync import SetsCounter, SyncAllOp
from ptoas.dialects.pto.enums import KernelKind
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.remote import CommTNotifyOp, CommTTestOp, CommTWaitOp, TransferOp
from ptoas.dialects.pto.scalar import GetBlockIdxOp, GetBlockNumOp, LoadScalarOp
from ptoas.dialects.pto.sync import DynamicTokenOp
from ptoas.grammar.spans import span_of
from ptoas.lowering.join_cube_vector import join, launch_arguments, uncalled_pairs
from ptoas.lowering.pipeline import prepare
from ptoas.targets import Target
from ptoas.verifier.check import resolve_target
from ptoas.verifier.disjoint import Cores, Reach, Reaches, unproved_pairs

CODE = "PTO-F190"

MOST_SET = 15
"""Up to this number a counter between cores counts."""

NOT_FOLLOWED: dict[type[Operation], str] = {
    CommTTestOp: "looks at a signal without waiting for it",
    CommTWaitOp: "waits for a value in memory, which only a run compares with those that were written",
    CommTNotifyOp: "writes a signal, which others may look at",
    TransferOp: "reaches the memory of another rank",
    CollectiveOp: "reaches the memory of other ranks",
    StartOp: "starts a transfer that goes on by itself",
    EventOp: "looks at a transfer that goes on by itself",
}
"""Operations whose order to other cores or ranks is not followed here, and why."""

Choice: TypeAlias = tuple[Operation, str]
"""An operation by which two schedules could differ, and why."""


@dataclass(frozen=True)
class ScheduleClaim:
    """A statement about all schedules of a kernel, or what prevents it.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %x : !pto.memref<8x8xf32>
    ... .arg %out : !pto.memref<8x8xf32>
    ... %a = tload %x
    ... tstore %a, %out
    ... ''', filename="copy.pto")
    >>> (claim,) = ptoas.certify(module, "a5")
    >>> claim.text
    'every schedule of one block gives the same result, for any data'
    """

    kernel: func.FuncOp
    choices: tuple[Choice, ...] = ()
    """Operations by which two schedules could differ, and why."""
    blocks: bool = False
    """True if the statement holds for any number of blocks; otherwise the kernel is for one block."""

    @property
    def every_schedule(self) -> bool:
        return not self.choices

    @property
    def text(self) -> str:
        if self.choices:
            op, why = self.choices[0]
            return f"schedules could differ: {_label(op)} {why}"
        return f"every schedule{'' if self.blocks else ' of one block'} gives the same result, for any data"

    def as_diagnostic(self) -> Diagnostic:
        """The statement as a note at its kernel."""
        notes = [Note(f"{_label(op)} {why}", span_of(op)) for op, why in self.choices[1:]]
        notes.append(Note("docs/certificate.md says what is claimed and assumed [PTO-F190]"))
        text = f"`@{self.kernel.sym_name.data}`: {self.text}"
        return Diagnostic(CODE, text, span_of(self.kernel), Severity.NOTE, tuple(notes), op=self.kernel)


def certify(
    module: ModuleOp, target: str | Target | None = None, *, isa: str | None = None, sync: str | None = None
) -> tuple[ScheduleClaim, ...]:
    """State for each kernel of a legal module if every schedule gives its result.

    >>> import ptoas
    >>> module = ptoas.parse(".arg %a : !pto.tile<8x8xf32>\\n%b = tneg %a : !pto.tile<8x8xf32>", "negate.pto")
    >>> [claim.every_schedule for claim in ptoas.certify(module, "a5")]
    [True]
    """
    chosen = resolve_target(module, target)
    prepared = prepare(module, chosen, isa=isa, sync=sync)
    channels = Channels(prepared)
    for cube, vector in uncalled_pairs(prepared):
        join(prepared, cube, vector)
    calls = calls_of(prepared)
    uses: dict[str, Uses] = {}
    choices: dict[func.FuncOp, list[Choice]] = {}
    for function in callees_first(calls):
        choices[function] = list(_choices(function, chosen, uses))
    asking = _asking(linked(module))
    kernels = kernels_of(calls)
    return tuple(_claim(prepared, kernel, chosen, channels, choices, asking) for kernel in kernels)


def with_claims(report: Report, module: ModuleOp, isa: str | None, sync: str | None) -> Report:
    """The report with the statements about the module as notes, for each target on which it is legal."""
    found: dict[tuple[object, ...], list[Diagnostic]] = {}
    for name in report.targets:
        if not report.for_target(name).ok:
            continue
        for note in _notes(module, name, isa, sync):
            found.setdefault((note.message, note.span, note.notes), []).append(replace(note, targets=(name,)))
    notes = [
        replace(same[0], targets=tuple(name for each in same for name in each.targets))
        for same in found.values()
    ]
    return Report(tuple(sorted((*report.diagnostics, *notes), key=Diagnostic.sort_key)), report.targets)


def _notes(module: ModuleOp, target: str, isa: str | None, sync: str | None) -> list[Diagnostic]:
    try:
        return [claim.as_diagnostic() for claim in certify(module, target, isa=isa, sync=sync)]
    except PtoasError as error:
        # A legal program need not be one that can be lowered, which is what is looked at.
        why = error.diagnostics[0]
        text = f"nothing is claimed about schedules: {why.message}"
        return [Diagnostic(CODE, text, why.span, Severity.NOTE, op=why.op)]


def _claim(
    module: ModuleOp,
    kernel: func.FuncOp,
    target: Target,
    channels: Channels,
    choices: Mapping[func.FuncOp, Iterable[Choice]],
    asking: frozenset[str],
) -> ScheduleClaim:
    members = list(functions_below(module, kernel))
    found: dict[Operation, str] = {}
    for function in members:
        for op, why in choices.get(function, [(function, "has no body here")]):
            found.setdefault(op, why)
    several = needs_cluster(module, kernel, has_pipes=target.has_pipes)
    vector = [function for function in members if kind_of(function) is KernelKind.Vector]
    lanes = 1 if all(is_for_first_lane(function, channels) for function in vector) else 2
    blocks = any(origin_of(function) in asking for function in members)
    if blocks or several:
        reaches = Reaches(kernel, members, target)
        for one, other in unproved_pairs(reaches, Cores(several, lanes, blocks)):
            found.setdefault(one.op, _shared(one, other))
    if any(each.nosplit and target.model(each.first).both_lanes for each in channels.all):
        found.setdefault(kernel, "gives both vector cores the same tiles, and they store the same")
    return ScheduleClaim(kernel, tuple(found.items()), blocks)


def _asking(module: ModuleOp) -> frozenset[str]:
    """The functions that ask for the number of their block, or of blocks, used or not."""
    questions = (GetBlockIdxOp, GetBlockNumOp)
    return frozenset(
        function.sym_name.data
        for function in functions(module)
        if any(isinstance(op, questions) for op in walk(function))
        or any(kind in questions for kind in launch_arguments(function).values())
    )


def _choices(function: func.FuncOp, target: Target, uses: dict[str, Uses]) -> Iterator[tuple[Operation, str]]:
    """Reasons why schedules of one core may differ, and operations that are not analysed."""
    knowledge = Knowledge()
    ops = walk(function)
    for op in ops:
        yield from ((op, why) for kind, why in NOT_FOLLOWED.items() if isinstance(op, kind))
        match op:
            case SyncAllOp() if op.mode.data is SyncAllMode.Soft:
                yield op, "counts in memory who has come"
            case SetsCounter() if any(enclosing_loops(op)):
                yield op, f"may set a counter more than {MOST_SET} times"
            case DynamicTokenOp(buf_id=token) if knowledge.constant(token) is None:
                yield op, "names a token that only the running program knows"
            case _:
                pass
    if not target.has_pipes:
        return
    facts = FunctionFacts(function, knowledge)
    flow = SyncFlow(facts, target, unsure=True)
    flow.run()
    for hazard in flow.hazards.values():
        yield (
            hazard.second.op,
            f"may touch the same bytes as {_label(hazard.first.op)}, and no flag orders them",
        )
    for misuse in flow.misuses.values():
        yield misuse.op, "uses a flag that is not set and awaited in turn on every path"
    for op in flow.assumed:
        yield op, "waits for an event that only the running program knows"
    visibility = Visibility(function, ops[1:], target.effects, knowledge, unsure=True, callees=uses)
    for finding in visibility.run():
        yield finding.op, "may see, or leave, other bytes than the last that were written: a fence is missing"
    uses[function.sym_name.data] = visibility.uses


def _shared(one: Reach, other: Reach) -> str:
    name = f"`%{one.root.name_hint}`" if one.root is not None and one.root.name_hint else "memory"
    if isinstance(one.op, LoadScalarOp):
        return f"loads a scalar of {name} that another core may store"
    adds = isinstance(one.op, PtoOp) and bool(one.op.inplace_operands())
    where = "" if one.op is other.op else f", or those of {_label(other.op)}"
    return f"{'adds to' if adds else 'may touch'} bytes of {name} that another core may touch here{where}"


def _label(op: Operation) -> str:
    """`tload` in line 12."""
    line = span_of(op).line
    return f"`{op.name.removeprefix('pto.')}`" + (f" in line {line}" if line else "")
