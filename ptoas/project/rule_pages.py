"""Rules and targets as text: `ptoas rules`, `ptoas explain`, `ptoas targets`, and the pages of the site."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ptoas.diagnostics.columns import columns
from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.project.explain import other_codes
from ptoas.targets import TARGETS, Target, get_target
from ptoas.targets.explain import REFUSED, checked_on, severity_of, targets_with
from ptoas.targets.row import Row
from ptoas.targets.rule import Rule, all_rules
from ptoas.targets.specs import element_names

CHAPTERS = {
    "A": "MGATHER, and comparing TGATHER",
    "S": "MSCATTER",
    "B": "Gathers and scatters between tiles",
    "M": "Loads and stores",
    "K": "Matrix products and moves of their operands",
    "G": "mx operands, flags between cores, local variables",
    "V": "Tiles and views",
    "U": "Use of local memory",
    "F": "Flags and pipes",
    "E": "Arithmetic",
    "H": "Cores: channels, synchronisation, kinds of kernels",
    "Q": "Conversion, quantisation and sorting",
    "C": "Collectives",
    "D": "Transfers and signals between ranks",
    "I": "Operands of every instruction",
    "W": "Portability",
    "T": "The target of a module",
    "N": "Lints",
}
"""The letter of a code and its chapter, in the order of the page."""


OTHER_CHAPTERS = {
    "P": "Reading a program",
    "R": "Running a program",
    "L": "Lowering a program",
    "H": "Joining the functions of cores",
    "O": "Remarks of a profile",
    "T": "Checking files",
    "E": "Configuration, and tests in programs",
    "N": "Suppression comments",
    "X": "ptoas itself",
}
"""The same for codes that are no rule of a target."""


def rules_of(target: str | None = None) -> tuple[Rule, ...]:
    """The rules of one target, or all, in the order of the chapters."""
    rules = all_rules() if target is None else get_target(target).rules()
    order = list(CHAPTERS)
    return tuple(sorted(rules, key=lambda rule: (order.index(rule.code[4]), rule.code)))


def describe(rule: Rule) -> dict[str, Any]:
    """A rule as plain data."""
    return {
        "code": rule.code,
        "name": rule.name,
        "chapter": CHAPTERS[rule.code[4]],
        "severity": rule.severity.value,
        "targets": list(targets_with(rule)),
        "statement": rule.statement,
        "reason": rule.reason,
        "source": rule.source,
        "failing": rule.failing,
        "passing": rule.passing,
    }


def render_rules(style: str = "table", target: str | None = None) -> str:
    """The rules as a `table`, as `markdown` or as `json`."""
    rules = rules_of(target)
    if style == "json":
        return json.dumps([describe(rule) for rule in rules], indent=2)
    if style == "markdown":
        return _markdown(rules)
    rows = [("code", "severity", "targets", "statement")]
    rows += [(r.code, r.severity.value, ", ".join(targets_with(r)), r.statement) for r in rules]
    return "\n".join(columns(rows))


def _markdown(rules: Sequence[Rule]) -> str:
    lines = ["# Rules", "", "Printed by `ptoas rules --format markdown`; do not edit.", ""]
    lines += ["Each rule has a permanent code. `ptoas explain CODE` prints one with its examples.", ""]
    lines += ["Warnings and notes report legal programs that deserve a look.", ""]
    for letter, title in CHAPTERS.items():
        chapter = [rule for rule in rules if rule.code[4] == letter]
        if not chapter:
            continue
        lines += [f"## {title}", ""]
        for rule in chapter:
            lines += [*_place(rule.code), f"### {heading(rule)}", "", *body(rule)]
    lines += _other_codes()
    return "\n".join(lines).rstrip() + "\n"


def heading(rule: Rule) -> str:
    """The title of a rule, with its severity if it is no error."""
    kind = "" if rule.severity.value == "error" else f" ({severity_of(rule)})"
    return f"{rule.code}: {rule.title}{kind}"


def without_tags(text: str) -> str:
    """Escape `<` in Markdown outside of code spans, so that `<R, 1>` is not read as an HTML tag."""
    parts = text.split("`")
    return "`".join(part if at % 2 else part.replace("<", "&lt;") for at, part in enumerate(parts))


def body(rule: Rule, finding: Sequence[str] = ()) -> list[str]:
    """The text of a rule; `finding` is shown below the failing example."""
    on = checked_on(rule)
    return [
        *(without_tags(rule.statement), "", f"*Why:* {without_tags(rule.reason)}", ""),
        *(f"*Targets:* {', '.join(targets_with(rule))}. *Source:* {rule.source}.", ""),
        *(f"{REFUSED[rule.severity]} on {on}:", "", "```pto", rule.failing, "```", ""),
        *finding,
        *("Accepted:", "", "```pto", rule.passing, "```", ""),
    ]


def _place(code: str) -> tuple[str, str]:
    """Return the permanent anchor of a code; a heading's own anchor changes with its words."""
    return f'<a id="{code.lower()}"></a>', ""


def _other_codes() -> list[str]:
    """Codes that belong to no rule, with their meaning."""
    codes = other_codes()
    lines = ["# Other codes", "", "Findings that do not belong to a rule of a target.", ""]
    left = "".join({code[4] for code in codes} - OTHER_CHAPTERS.keys())
    for letters, title in [*OTHER_CHAPTERS.items(), (left, "Further codes")]:
        inside = {code: text for code, text in sorted(codes.items()) if code[4] in letters}
        lines += [f"## {title}", ""] if inside else []
        for code, (statement, meaning) in inside.items():
            lines += [*_place(code), f"### {code}: {without_tags(statement)}", "", without_tags(meaning), ""]
    return lines


def describe_target(target: Target) -> dict[str, Any]:
    """A target as plain data."""
    ub = target.ub
    gather = next(op for op in OPS if issubclass(op, IndexedMemoryOp) and op.RETURNS_TILES)
    row = target.entry(gather)
    assert isinstance(row, Row)
    default, table, data = row.defaults["coalesce"], row.model, row.tiles["dst"]
    return {
        "name": target.name,
        "aliases": list(target.aliases),
        "title": target.title,
        "summary": target.summary,
        "default mode": "by the index tile's columns" if callable(default) else default.value,
        "index": "sign-extended to 64 bits" if target.sign_extends_index else "32 unsigned bits",
        "row stride": table.row_step.value,
        "element types": element_names(data.types or ()),
        "with --aicore": element_names(data.aicore),
        "memories": {loc.value: size for loc, size in target.memories.items()},
        "unified buffer": None
        if ub is None
        else {
            "total": ub.total,
            "reserved": ub.reserved,
            "data cache": ub.data_cache,
            "tiles": ub.limit(simt=False),
            "tiles with SIMT": ub.limit(simt=True),
            "by default": ub.default_budget,
        },
        "pipes": target.has_pipes,
        "rules": len(target.rules()),
    }


def render_targets(style: str = "table") -> str:
    """Describe each target with its memories and defaults."""
    if style == "json":
        return json.dumps([describe_target(target) for target in TARGETS.values()], indent=2)
    return "\n\n".join(render_target(target, style) for target in TARGETS.values())


def render_target(target: Target, style: str = "table") -> str:
    """Describe one target with its memories and defaults."""
    one = describe_target(target)
    names = " ".join([one["name"], *(f"({alias})" for alias in one["aliases"])])
    rows = [("kind", f"{one['title']}: {one['summary']}")]
    keys = ("default mode", "index", "row stride", "element types", "with --aicore")
    rows += [(key, str(one[key])) for key in keys if one[key]]
    sizes = [f"{name} {_kb(size)}" for name, size in one["memories"].items()]
    hosted = set(one["memories"].values()) == {None}
    rows.append(("memories", "host memory" if hosted else ", ".join(sizes)))
    ub = one["unified buffer"]
    if ub is not None:
        rows.append(("unified buffer", ", ".join(f"{key} {_kb(size)}" for key, size in ub.items() if size)))
    rows.append(("pipes", "flags order them" if one["pipes"] else "none: everything runs in order"))
    rows.append(("rules", str(one["rules"])))
    if style == "markdown":
        return f"## {names}\n\n" + "\n".join(f"- {key}: {value}" for key, value in rows)
    return "\n".join([names, *(f"  {line}" for line in columns(rows))])


def _kb(size: int | None) -> str:
    return "unbounded" if size is None else f"{size // 1024} KB"
