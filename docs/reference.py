"""Pages of the site about rules, instructions and types."""

from __future__ import annotations

from collections.abc import Iterable

from ptoas.diagnostics.data import load_data
from ptoas.diagnostics.render import render
from ptoas.dialects.pto import CHAPTERS, OPS
from ptoas.dialects.pto.element_types import ELEMENT_TYPES
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.grammar.parse import parse
from ptoas.project import instruction_pages, rule_pages
from ptoas.project.explain import other_codes
from ptoas.project.rule_pages import without_tags
from ptoas.project.type_pages import instruction_counts, program_of
from ptoas.targets.explain import example_targets, targets_with
from ptoas.targets.rule import Rule
from ptoas.verifier.verify import verify_targets


def rules() -> dict[str, str]:
    """The pages of the site by path: `rules.md` lists all codes, `rules/CODE.md` explains one."""
    index = ["# Rules and codes", "", "Codes are permanent. `ptoas explain CODE` prints a page.", ""]
    pages: dict[str, str] = {}
    for letter, title in rule_pages.CHAPTERS.items():
        index += [f"## {title}", "", "| code | severity | targets | requirement |", "|---|---|---|---|"]
        for rule in (rule for rule in rule_pages.rules_of() if rule.code[4] == letter):
            on = ", ".join(targets_with(rule))
            index.append(
                f"| {_link(rule.code)} | {rule.severity.value} | {on} | {without_tags(rule.statement)} |"
            )
            pages[f"rules/{rule.code}.md"] = "\n".join(
                [f"# {rule_pages.heading(rule)}", "", *rule_pages.body(rule, _finding(rule))]
            )
        index.append("")
    codes = other_codes()
    index += ["## Codes without a rule", "", "| code | statement |", "|---|---|"]
    for code, (statement, meaning) in sorted(codes.items()):
        index.append(f"| {_link(code)} | {without_tags(statement)} |")
        pages[f"rules/{code}.md"] = f"# {code}: {without_tags(statement)}\n\n{without_tags(meaning)}\n"
    return {"rules.md": "\n".join(index) + "\n", **pages}


def _link(code: str) -> str:
    """A code of the list, with the anchor that older links lead to."""
    return f'<a id="{code.lower()}"></a>[{code}](rules/{code}.md)'


def _finding(rule: Rule) -> list[str]:
    """Return the finding that `verify` reports for the failing example."""
    module = parse(rule.failing, "example.pto")
    report = verify_targets(module, example_targets(rule), isa=rule.example_isa)
    found = next(finding for finding in report.diagnostics if finding.code == rule.code)
    return ["```text", render(found), "```", ""]


def instructions() -> dict[str, str]:
    """The pages of the site by path: `instructions.md` lists all, `instructions/NAME.md` describes one."""
    index = ["# Instructions", "", f"{len(OPS)} instructions by chapter.", ""]
    pages: dict[str, str] = {}
    for chapter, title in CHAPTERS.items():
        index += [f"## {title}", "", "| instruction | meaning |", "|---|---|"]
        for op in (op for op in OPS if instruction_pages.chapter_of(op) == chapter):
            entry = instruction_pages.describe(op)
            name, meaning = entry["name"], entry["meaning"].splitlines()[0]
            index.append(f"| [`{name}`](instructions/{name}.md) | {meaning} |")
            lines = [
                *instruction_pages.entry_lines(entry, "#"),
                *_shapes(op),
                "## Targets",
                "",
                *instruction_pages.target_lines(instruction_pages.on_targets(op)),
            ]
            lines += [*_example(op), "## Rules", "", *_rules(op)]
            pages[f"instructions/{name}.md"] = "\n".join(lines)
        index.append("")
    return {"instructions.md": "\n".join(index) + "\n", **pages}


def _rules(op: type[PtoOp]) -> Iterable[str]:
    found = instruction_pages.rules_of(op)
    if not found:
        yield "Only the rules of whole programs apply."
        return
    yield from ("| rule | targets | requirement |", "|---|---|---|")
    for rule, targets in found.items():
        statement = without_tags(rule.statement)
        yield f"| [{rule.code}](../rules/{rule.code}.md) | {', '.join(targets)} | {statement} |"


def _shapes(op: type[PtoOp]) -> Iterable[str]:
    if found := instruction_pages.shapes(op):
        yield from ("## Shapes", "", *(f"- {text}" for text in found), "")


def _example(op: type[PtoOp]) -> Iterable[str]:
    example = instruction_pages.example_of(op)
    if example is not None:
        yield from ("## Example", "", "```pto", example.program, "```", "")
        yield from (f"C++ for {example.target}:", "", "```cpp", example.cpp, "```", "")


def types() -> str:
    """The page `types.md` of the site."""
    lines = ["# Types", "", "`ptoas explain NAME` prints an entry.", ""]
    for name, entry in load_data("types").items():
        lines += [f"## `{name}`", "", f"{entry['title'].capitalize()}.", "", entry["meaning"].strip(), ""]
        lines += ["```text", *entry["spellings"], "```", ""]
        parameters = entry.get("parameters", {})
        if parameters:
            lines += ["| parameter | meaning |", "|---|---|"]
            lines += [f"| `{key}` | {value} |" for key, value in parameters.items()]
        lines += ["", "```pto", program_of(entry), "```", ""]
    lines += ["## Element types", "", "| type | bytes | also written | instructions |", "|---|---|---|---|"]
    for element in ELEMENT_TYPES:
        others = ", ".join(f"`{alias}`" for alias in element.aliases)
        lines.append(f"| `{element.text}` | {element.size} | {others} | {instruction_counts(element)} |")
    return "\n".join(lines) + "\n"
