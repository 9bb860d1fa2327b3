"""Checking programs against the rules of their targets: one module, one file, or many for many targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, reduce
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from ptoas.analysis.channels import Channels
from ptoas.analysis.effects import Effects
from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.kernel import KernelFacts, set_companions
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.linking import linked
from ptoas.analysis.multi_tiles import single_tiles
from ptoas.analysis.structure import kernels_of
from ptoas.diagnostics import Diagnostic, Note, PtoasError, Severity, Span, UsageError
from ptoas.diagnostics.report import Report
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.instruction import Problem, PtoOp
from ptoas.dialects.pto.quant import TCvtOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.grammar.spans import (
    argument_type_span,
    field_span,
    operand_span,
    operand_type_span,
    result_type_span,
    span_of,
)
from ptoas.lowering.launch import memory_high_water
from ptoas.targets import TARGETS, Target, UnknownTargetError, get_target
from ptoas.targets.deprecated import deprecated_spellings
from ptoas.targets.facts import Facts
from ptoas.targets.fixit import edits_of
from ptoas.targets.isa import get_isa, is_judged_by_headers
from ptoas.targets.named import module_target
from ptoas.targets.placement_mode import PLACEMENTS, check_placement_mode
from ptoas.targets.row import Row, Unsupported
from ptoas.targets.rule import Check, Rule, Violation
from ptoas.targets.rules.budget import may_exceed_memory
from ptoas.targets.rules.operands import rules_for
from ptoas.targets.target import effects_in
from ptoas.verifier.assembler import FIRST_WITH_SCRATCH, check_assembler, parse_versions

DECLARATION_CODE = "PTO-P060"
"""Code of requirements that the dialect itself has on every target, also used by the front end."""

DUPLICATE_CODE = "PTO-P032"
"""Two functions of one name; the front end's code too."""

UNSUPPORTED_CODE = "PTO-T105"


def verify(
    module: ModuleOp,
    target: str | Target | None = None,
    aicore: bool = False,
    *,
    sync: str | None = None,
    isa: str | None = None,
    placement: str | None = None,
    assembler: str | None = None,
) -> Report:
    """Check a module against every rule of a target; without one, of the module's own, else of all (D2).

    `sync` is `auto`, `manual` or `all` where the caller decides who raises the flags (D21). `isa` is `doc` or
    `2026.08` where the documents or the headers of August 2026 decide alone (D28). `placement` is `auto` or
    `manual` where no function, or every function, is to say where its tiles lie. `assembler` names versions
    of the C++ assembler that are to accept the module, too: `0.57` or `>=0.64`.

    >>> import ptoas
    >>> module = ptoas.parse(".arg %a : !pto.tile<8x8xf32>\\n%b = tneg %a : !pto.tile<8x8xf32>", "negate.pto")
    >>> ptoas.verify(module, "a5").ok
    True
    """
    targets = None if target is None else [target]
    return verify_targets(
        module, targets, aicore, sync=sync, isa=isa, placement=placement, assembler=assembler
    )


def verify_targets(
    module: ModuleOp,
    targets: Iterable[str | Target] | None = None,
    aicore: bool = False,
    *,
    sync: str | None = None,
    isa: str | None = None,
    placement: str | None = None,
    assembler: str | None = None,
    parsed: bool = False,
) -> Report:
    """Check a module for several targets; without any, for the one it names, else for all of them (D2).

    What several targets refuse is one finding that names them. Some rules speak only here: a program that
    means different things on two targets. `parsed`: nothing has changed the module since `parse` returned it,
    which checks that each instruction matches its declaration; this is not checked again.

    >>> import ptoas
    >>> module = ptoas.parse(".arg %a : !pto.tile<8x8xf32>\\n%b = tneg %a : !pto.tile<8x8xf32>", "negate.pto")
    >>> ptoas.verify_targets(module, ["cpu", "a5"]).targets
    ('cpu', 'a5')
    >>> ptoas.verify_targets(module).targets
    ('cpu', 'a2a3', 'a5', 'a5-custom')
    """
    if sync not in (None, "auto", "manual", "all"):
        raise UsageError(f"sync is 'auto', 'manual' or 'all', not {sync!r}")
    if placement not in (None, *PLACEMENTS):
        raise UsageError(f"placement is 'auto' or 'manual', not {placement!r}")
    get_isa(isa)
    versions = None if assembler is None else parse_versions(assembler)
    chosen = targets_of(module) if targets is None else tuple(targets)
    resolved = tuple(t if isinstance(t, Target) else get_target(t) for t in chosen)
    try:
        program = single_tiles(linked(module))
    except PtoasError as error:
        return Report(error.diagnostics, tuple(t.name for t in resolved))
    declared = parsed and program is module
    checker = _Checker(program, resolved, aicore, sync, isa, placement, versions, declared)
    found: dict[tuple[object, ...], dict[str, Diagnostic]] = {}
    for target in resolved:
        for d in checker.check(target):
            # The last note says where the rule is written, which is another place for each target.
            place = (d.span.file, d.span.offset, d.span.length)
            key = (d.code, d.message, d.severity, *place, d.fix, d.notes[:-1])
            found.setdefault(key, {}).setdefault(target.name, d)
    for facts in checker.functions:
        facts.companions = ()  # they name each other, and would stay until Python looks for garbage
    findings = map(_of_targets, found.values())
    ordered = sorted((*findings, *deprecated_spellings(module)), key=Diagnostic.sort_key)
    return Report(tuple(ordered), tuple(t.name for t in resolved))


def _of_targets(found: dict[str, Diagnostic]) -> Diagnostic:
    """Merge equal findings of several targets into one."""
    first, *others = found.values()
    notes = reduce(_citing_both, (each.notes for each in others), first.notes)
    return replace(first, targets=tuple(found), notes=notes)


def _citing_both(first: tuple[Note, ...], second: tuple[Note, ...]) -> tuple[Note, ...]:
    """The notes of one finding on two targets: what the rule states once, and every place it is written."""
    if first == second:
        return first
    statement, _, known = first[-1].message.removesuffix("]").rpartition(" [")
    _, _, more = second[-1].message.removesuffix("]").rpartition(" [")
    places = dict.fromkeys([*known.split("; "), *more.split("; ")])
    return (*first[:-1], Note(f"{statement} [{'; '.join(places)}]"))


def targets_of(module: ModuleOp) -> tuple[Target, ...]:
    """The target that a module names; all of them when it names none."""
    named = module_target(module)
    if named is not None:
        try:
            return (get_target(named),)
        except UnknownTargetError:
            pass
    return tuple(TARGETS.values())


# --- checking ------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Checker:
    """Checks one module for any number of targets; what does not depend on a target is found once."""

    module: ModuleOp
    targets: Sequence[Target]
    aicore: bool
    sync: str | None
    isa: str | None
    placement: str | None
    versions: range | None
    declared: bool
    """True if the front end has checked all instructions against their declarations."""

    def __post_init__(self) -> None:
        self.knowledge = Knowledge()
        self.effects: dict[tuple[str, Operation], Effects] = {}
        self._found: dict[tuple[Check, FuncOp], list[tuple[object, list[Diagnostic]]]] = {}

    @cached_property
    def functions(self) -> list[FunctionFacts]:
        found: list[FunctionFacts] = []
        for func in _functions(self.module):
            facts = FunctionFacts(func, self.knowledge, self.effects)
            if self.sync is not None:
                facts.sync_override = self.sync == "manual"
            found.append(facts)
        return found

    @cached_property
    def chapters(self) -> frozenset[str]:
        return frozenset[str]().union(*map(self._chapters_of, self.functions))

    def _chapters_of(self, function: FunctionFacts) -> frozenset[str]:
        """The chapters that a function has operations, arguments or results of; with flags by hand, that of
        flags."""
        signature = function.func.function_type
        types = (type.__class__ for type in (*signature.inputs.data, *signature.outputs.data))
        found = {kind.__module__.rpartition(".")[2] for kind in (*function.by_class, *types)}
        return frozenset(found | {"sync"} if self.sync == "manual" else found)

    @cached_property
    def channels(self) -> Channels:
        """The channels between cores."""
        return Channels(self.module)

    @cached_property
    def kernels(self) -> list[tuple[FunctionFacts, ...]]:
        """Entry functions with their callees; also recorded on the functions."""
        facts = {each.func: each for each in self.functions}
        calls = {func: _called(each) for func, each in facts.items()}
        kernels = [tuple(facts[each] for each in kernel) for kernel in kernels_of(calls).values()]
        set_companions(kernels)
        return kernels

    @cached_property
    def instructions(self) -> dict[tuple[object, ...], list[PtoOp]]:
        """The module's instructions, grouped by equal facts."""
        groups: dict[tuple[object, ...], list[PtoOp]] = {}
        for function in self.functions:
            for op in function.ops:
                if isinstance(op, PtoOp):
                    groups.setdefault(self._key(op), []).append(op)
        return groups

    def _key(self, op: PtoOp) -> tuple[object, ...]:
        kind = op.__class__
        if kind.CONTEXT_SENSITIVE:
            return (op,)
        key_of = self.knowledge.key
        return (
            kind,
            *[key_of(operand) for operand in op.operands],
            *op.result_types,
            *op.properties.items(),
        )

    @cached_property
    def broken(self) -> list[tuple[PtoOp, Diagnostic]]:
        """Operations that break their own declaration; rules are not asked about those."""
        found: list[tuple[PtoOp, Diagnostic]] = []
        for group in self.instructions.values():
            if self.declared and not group[0].CONTEXT_SENSITIVE:
                continue
            for problem in group[0].problems():
                message = f"`{group[0].mnemonic()}`: {problem.message}"
                for op in group:
                    span = _declared_span(op, problem)
                    found.append((op, Diagnostic(DECLARATION_CODE, message, span, op=op)))
        return found

    @cached_property
    def duplicates(self) -> list[Diagnostic]:
        """Functions whose name another one of their module has before them."""
        first: dict[tuple[Operation | None, str], FuncOp] = {}
        found: list[Diagnostic] = []
        for func in (each.func for each in self.functions):
            before = first.setdefault((func.parent_op(), func.sym_name.data), func)
            if before is not func:
                notes = (Note("the first one", span_of(before)),)
                message = f"there are two functions `@{func.sym_name.data}`"
                found.append(Diagnostic(DUPLICATE_CODE, message, span_of(func), notes=notes, op=func))
        return found

    def check(self, target: Target) -> Iterator[Diagnostic]:
        kernels, passed = self.kernels, True
        for diagnostic in self._check_parts(target):
            passed = passed and not diagnostic.is_error
            yield diagnostic
        rules = [rule for rule in target.program_rules(self.chapters) if rule.scope == "kernel"]
        if not passed or not rules:
            return
        # What the passes make of a program is known for sound programs only.
        for kernel in self._measured(kernels, target):
            for rule in rules:
                violations = rule.check(kernel, target)
                yield from (_diagnose(rule, v, kernel.functions[0].func) for v in violations)

    def _measured(
        self, kernels: Sequence[tuple[FunctionFacts, ...]], target: Target
    ) -> Iterator[KernelFacts]:
        ends: dict[str, Mapping[TileLoc, int]] = {}
        if any(may_exceed_memory(kernel, target) for kernel in kernels):
            ends = memory_high_water(self.module, target, self.isa)
        for kernel in kernels:
            yield KernelFacts(kernel, ends.get(kernel[0].func.sym_name.data, {}))

    def _omits_scratch(self, op: PtoOp) -> bool:
        """Return True if the assembler's version, or the revision, asks for no scratch tile."""
        if self.versions is not None and self.versions[-1] < FIRST_WITH_SCRATCH:
            return True
        return isinstance(op, TCvtOp) and op.satmode is None and get_isa(self.isa).saturates_by_default

    def _check_parts(self, target: Target) -> Iterator[Diagnostic]:
        yield from (diagnostic for _, diagnostic in self.broken)
        yield from self.duplicates
        broken = {op for op, _ in self.broken}
        for rule in target.program_rules(self.chapters):
            if rule.scope == "module":
                yield from (_diagnose(rule, v, self.module) for v in rule.check(self.module, target))
            elif rule.scope == "channels" and not broken:
                yield from (_diagnose(rule, v, self.module) for v in rule.check(self.channels, target))
        if self.placement is not None and not broken:
            yield from check_placement_mode(self.functions, target, self.placement, self._omits_scratch)
        if self.versions is not None and not broken:
            yield from check_assembler(self.functions, target.name, self.versions, self.placement)
        for group in self.instructions.values():
            if group[0] in broken:
                continue
            yield from self._check_instruction(group, target)
        for function in self.functions:
            if not broken.isdisjoint(function.ops):
                continue
            scope = "branches" if function.branched else "function"
            for rule in target.program_rules(self._chapters_of(function)):
                if rule.scope == scope:
                    yield from self._of_function(rule, function, target)

    def _of_function(self, rule: Rule, function: FunctionFacts, target: Target) -> Iterable[Diagnostic]:
        """Apply a rule to a function, once for several targets if it does not depend on the target."""
        subject = function.touches(target) if rule.depends_on == "accesses" else target
        known = self._found.setdefault((rule.check, function.func), [])
        for earlier, diagnostics in known:
            if rule.depends_on == "nothing" or earlier is subject:
                return diagnostics
        diagnostics = [_diagnose(rule, v, function.func) for v in rule.check(function, subject)]
        known.append((subject, diagnostics))
        return diagnostics

    def _check_instruction(self, group: list[PtoOp], target: Target) -> Iterator[Diagnostic]:
        sample = group[0]
        row = target.row(sample)
        if isinstance(row, Unsupported):
            message = f"`{sample.mnemonic()}` does not exist on {target.name}: {row.reason}"
            yield from (Diagnostic(UNSUPPORTED_CODE, message, span_of(op), op=op) for op in group)
            return
        effects = effects_in(target, row, sample)
        for rule, violation, source in self._violations(sample, row, target):
            yield from (_diagnose(rule, violation, op, source) for op in group)
        for op in group:
            self.effects[target.name, op] = effects

    def _violations(self, op: PtoOp, row: Row, target: Target) -> list[tuple[Rule, Violation, str | None]]:
        facts = Facts(op, target, self.knowledge, self.aicore, self.targets, row, self.isa)
        found: list[tuple[Rule, Violation, str | None]] = []
        for rule in rules_for(row):
            for violation in rule.check(op, facts):
                found.append((rule, violation, row.source))
        for rule in row.rules:
            if rule.header and self.isa == "doc":
                continue
            for violation in rule.check(op, facts):
                decides = rule.header and is_judged_by_headers(self.isa)
                decided = replace(violation, severity=Severity.ERROR) if decides else violation
                found.append((rule, decided, None))
        return found


def _called(function: FunctionFacts) -> set[str]:
    calls = cast("list[CallOp]", function.by_class.get(CallOp, []))
    return {call.callee.string_value() for call in calls}


def _functions(module: ModuleOp) -> Iterator[FuncOp]:
    for op in module.body.ops:
        if isinstance(op, FuncOp):
            yield op
        elif isinstance(op, ModuleOp):
            yield from _functions(op)


# --- from violations to diagnostics --------------------------------------------------------------


def _diagnose(rule: Rule, violation: Violation, op: Operation, source: str | None = None) -> Diagnostic:
    place = op if violation.op is None else violation.op
    notes = [
        Note(related.message, None if related.op is None else span_of(related.op))
        for related in violation.related
    ]
    span = _span(place, violation)
    return Diagnostic(
        rule.code,
        violation.with_names(violation.message, place),
        span,
        violation.severity or rule.severity,
        (*notes, _statement(rule.statement, source or rule.source)),
        violation.fix and violation.with_names(violation.fix, place),
        edits=edits_of(violation.fixit or (), place, span),
        op=place,
    )


@cache
def _statement(words: str, source: str) -> Note:
    """Return the statement and citation of a rule as a note for its findings."""
    return Note(f"{words} [{source}]")


def _declared_span(op: PtoOp, problem: Problem) -> Span:
    if problem.operand is not None:
        return operand_span(op, problem.operand)
    return span_of(op) if problem.field is None else field_span(op, problem.field)


def _span(op: Operation, violation: Violation) -> Span:
    if violation.field is not None:
        return field_span(op, violation.field)
    if violation.slot is None:
        return span_of(op)
    name, number = violation.slot if isinstance(violation.slot, tuple) else (violation.slot, 0)
    if name == "argument":
        return argument_type_span(op, number)
    at = _operand(op, name, number)
    if at is not None:
        return operand_type_span(op, at) if violation.part == "type" else operand_span(op, at)
    if name == "addr":
        return field_span(op, "address")
    return result_type_span(op)


def _operand(op: Operation, name: str, number: int) -> int | None:
    """The operand that a slot names; `None` if it is empty, like that of a result in SSA form."""
    if name == "operand":
        return number
    places = slot_places(op).get(name) if isinstance(op, PtoOp) else None
    return places[number] if places else None
