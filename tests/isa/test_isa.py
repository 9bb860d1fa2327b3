"""The annotated programs: every expected finding is found, and no other; and every rule is needed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.element_types import BY_TEXT, ELEMENT_TYPES
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.grammar.parse import parse
from ptoas.targets import TARGETS
from ptoas.targets.row import Entry, Forms, Row, Unsupported
from ptoas.targets.rule import ProgramRules, Rule
from ptoas.targets.rules.operands import rules_for
from ptoas.targets.target import Target
from ptoas.verifier.verify import Report, verify, verify_targets

from .annotations import HERE, TOGETHER, Expected, Program, all_programs, read, type_lists

PROGRAMS = all_programs()


def options(program: Program) -> dict[str, object]:
    given = program.options
    return {"aicore": "aicore" in given, "sync": given.get("sync"), "isa": given.get("isa")}


def found_in(report: Report, program: Program) -> Expected:
    return Counter((d.span.line + program.line - 1, d.code) for d in report.diagnostics)


def module_of(program: Program):
    return parse(program.text, "program.pto")


def check(program: Program, target: Target) -> Expected:
    return found_in(verify(module_of(program), target, **options(program)), program)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_program(program: Program) -> None:
    if program.front_end:
        with pytest.raises(PtoasError) as error:
            module_of(program)
        found = Counter((d.span.line + program.line - 1, d.code) for d in error.value.diagnostics)
        assert found == program.expected("cpu")
        return
    module = module_of(program)
    # What `verify_targets(..., parsed=True)` relies on.
    assert not any(op.problems() for op in module.walk() if isinstance(op, PtoOp))
    for target in TARGETS.values():
        found = found_in(verify(module, target, **options(program)), program)
        assert found == program.expected(target.name), f"on {target.name}"
    together = found_in(verify_targets(module, TARGETS, **options(program)), program)
    portability = Counter({key: n for key, n in together.items() if key[1].startswith("PTO-W")})
    assert set(portability) == set(program.expected(TOGETHER))


@pytest.mark.parametrize("program", type_lists(), ids=lambda program: program.name)
def test_types(program: Program) -> None:
    """The types of the list are taken, and every other is refused as a type, and as nothing else."""
    written = {text for types in program.types.values() for text in types}
    assert written <= BY_TEXT.keys(), written - BY_TEXT.keys()
    for element in ELEMENT_TYPES:
        try:
            module = parse(program.of_type(element.text), "program.pto")
        except PtoasError:
            # No scalar has the type.
            assert not any(element.text in types for types in program.types.values())
            continue
        for target, types in program.types.items():
            found = {d.code for d in verify(module, target, **options(program)).diagnostics}
            taken = not {element.text, *element.aliases}.isdisjoint(types)
            assert found == (set() if taken else {"PTO-I101"}), f"{element.text} on {target}"


def has(entry: Entry, rule: Rule) -> bool:
    rows = entry.rows.values() if isinstance(entry, Forms) else (entry,)
    return any(isinstance(row, Row) and rule in row.rules for row in rows)


def poorer_entry(entry: Entry, rule: Rule) -> Entry:
    match entry:
        case Row():
            return replace(entry, rules=tuple(r for r in entry.rules if r != rule))
        case Forms():
            return replace(entry, rows={form: poorer_entry(row, rule) for form, row in entry.rows.items()})
        case _:
            return entry


def without(target: Target, rule: Rule) -> Target:
    """The target with one rule removed from its rows and programs."""
    entries = {op: target.entry(op) for op in OPS}
    rows = {op: poorer_entry(entry, rule) for op, entry in entries.items() if has(entry, rule)}
    program = tuple(r for r in target.program_rules() if r != rule)
    return replace(target, extra=rows, program=(ProgramRules(program),))


PAIRS = [(target, rule) for target in TARGETS.values() for rule in target.rules()]


@pytest.mark.parametrize(
    ("target", "rule"), PAIRS, ids=lambda x: getattr(x, "code", getattr(x, "name", None))
)
def test_removing_a_rule_turns_a_test_red(
    target: Target, rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some program expects every rule of every target, and fails without it."""
    together = rule.code.startswith("PTO-W")
    where = TOGETHER if together else target.name
    concerned = [p for p in PROGRAMS if any(code == rule.code for _, code in p.expected(where))]
    assert concerned, f"no program expects {rule.code} on {target.name}"
    poorer = without(target, rule)
    left = "ptoas.verifier.verify.rules_for"
    monkeypatch.setattr(left, lambda row: tuple(r for r in rules_for(row) if r != rule))
    for program in concerned:
        if together:
            others = [poorer if other is target else other for other in TARGETS.values()]
            report = verify_targets(module_of(program), others)
            if not any(d.code == rule.code and target.name in d.targets for d in report.diagnostics):
                return
        elif check(program, poorer) != program.expected(target.name):
            return
    pytest.fail(f"every program is judged alike without {rule.code} on {target.name}")


@pytest.mark.parametrize("path", sorted(HERE.glob("*.pto")), ids=lambda path: path.name)
def test_every_file_has_legal_programs_for_every_target(path) -> None:
    programs = [program for program in read(path) if not program.front_end]
    for name, target in TARGETS.items():
        lacking = [op for op in OPS if isinstance(target.entry(op), Unsupported)]
        if path.stem not in {op.mnemonic().replace(".", "_") for op in lacking}:
            assert any(not program.expected(name) for program in programs), f"{path.name}: none for {name}"
