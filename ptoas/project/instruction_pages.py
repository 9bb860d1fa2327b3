"""The reference of the instructions, made of classes, rows and examples: for a terminal, or as pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from textwrap import indent
from typing import Any, NamedTuple

from ptoas.diagnostics.columns import columns
from ptoas.diagnostics.data import load_data
from ptoas.dialects import pto
from ptoas.dialects.pto import CHAPTERS, OPS
from ptoas.dialects.pto.instruction import Field, Instruction, PtoOp, Slot
from ptoas.grammar.assembly_format import assembly_format_of
from ptoas.targets import TARGETS
from ptoas.targets.row import Entry, Forms, Row, Unsupported
from ptoas.targets.rule import Rule
from ptoas.targets.rules.operands import rules_for
from ptoas.targets.specs import Types


class Example(NamedTuple):
    """A program with an instruction, which `ptoas test` runs, and the instruction's C++."""

    target: str
    program: str
    cpp: str


def example_of(op: type[PtoOp]) -> Example | None:
    """The example of an instruction; `None` if no target has it, or another package brings it."""
    found = load_data("examples").get(op.mnemonic())
    return None if found is None else Example(**{key: text.strip() for key, text in found.items()})


def chapter_of(op: type[PtoOp]) -> str:
    package, _, chapter = op.__module__.rpartition(".")
    return chapter if package == pto.__name__ else op.__module__


_KINDS = {
    "integer": "an integer",
    "unit": "no value",
    "string": "a text",
    "symbol_ref": "a name (`@name`)",
    "array": "a list",
}


def _kind(field: Field) -> str:
    """The kind of an attribute that is not an enumeration."""
    bases = {base.name for base in field.constraint.get_bases() or ()}
    return next((word for name, word in _KINDS.items() if name in bases), "a value")


def describe(op: type[PtoOp]) -> dict[str, Any]:
    """An instruction as plain data."""
    signature = op.signature()
    return {
        "name": op.mnemonic(),
        "chapter": chapter_of(op),
        "meaning": cleandoc(op.__doc__ or ""),
        "forms": forms(op),
        "operands": [
            {
                "name": slot.name,
                "kind": slot.kind,
                "count": "any" if slot.variadic else "0 or 1" if slot.optional else "1",
                "written": slot.name in op.OUTS,
            }
            for slot in signature.slots
        ],
        "attributes": [
            {
                "name": field.name,
                "values": list(field.enum.spellings()) if field.enum else [],
                "kind": _kind(field),
                "required": not field.optional,
                "suffix": field.name in op.SUFFIXES,
            }
            for field in signature.fields.values()
        ],
    }


def forms(op: type[PtoOp]) -> dict[str, str]:
    """Return the syntax of the instruction in each form, without types."""
    name = op.mnemonic()
    layout = assembly_format_of(op)
    if layout.every_form:
        text = layout.template.replace("{attrs}", "").replace("$", "%").replace("^", "!").replace(":x", "")
        return {"every form": f"pto.{name} {' '.join(text.split())}"}
    ins = [_operand(slot) for slot in op.signature().slots if slot.name not in layout.out_names]
    outs = [_operand(slot) for slot in op.signature().slots if slot.name in layout.out_names]
    suffix = "".join(f"[.{field}]" for field in op.SUFFIXES)
    result = "%dst = " if issubclass(op, Instruction) else ""
    flat = ins if issubclass(op, Instruction) else [*ins, *outs]
    written = f" outs({', '.join(outs)} : ...)" if outs else ""
    return {
        "assembly": f"{result}{name}{suffix} {', '.join(flat)} : ...",
        "SSA": f"{result}pto.{name} {', '.join(flat)} {{...}} : (...) -> ...",
        "DPS": f"pto.{name} ins({', '.join(ins)} : ...){written}",
    }


def on_targets(op: type[PtoOp]) -> dict[str, dict[str, Any]]:
    """Return each target's requirements for an instruction, or the reason why it is missing."""
    found: dict[str, dict[str, Any]] = {}
    for target in TARGETS.values():
        rows = rows_of(target.entry(op))
        there = [row for row in rows if isinstance(row, Row)]
        missing = [row.reason for row in rows if isinstance(row, Unsupported)]
        found[target.name] = {"operands": _operands(there)} if there else {"missing": missing[0]}
    return found


def shapes(op: type[PtoOp]) -> list[str]:
    """The extents that must agree, in each form of an instruction: `dst RxC, src RxC (valid)`."""
    rows = [row for target in TARGETS.values() for row in rows_of(target.entry(op)) if isinstance(row, Row)]
    texts = [
        "; ".join(
            f"{_extents(extents)} ({word})"
            for word, extents in (("valid", row.valid), ("physical", row.shape))
            if extents
        )
        for row in rows
    ]
    return list(dict.fromkeys(text for text in texts if text))


def _extents(extents: Mapping[str, str]) -> str:
    """Extents by slot; `_` is any."""
    return ", ".join(f"{slot} {'x'.join(text.split()).replace('_', 'any')}" for slot, text in extents.items())


def rows_of(entry: Entry) -> list[Row | Unsupported]:
    """The rows of all forms of an instruction on a target."""
    return list(entry.rows.values()) if isinstance(entry, Forms) else [entry]


def _operands(rows: Sequence[Row]) -> dict[str, dict[str, list[str]]]:
    """Memories, layouts and element types by operand, those of all forms of an instruction together; an
    operand of which a target says nothing is left out."""
    found: dict[str, dict[str, dict[str, None]]] = {}
    for row in rows:
        for slot, spec in row.tiles.items():
            texts = found.setdefault(slot, {})
            texts.setdefault("memories", {}).update(dict.fromkeys(loc.value for loc in spec.locs))
            texts.setdefault("types", {}).update(_texts(spec.types))
        for slot, spec in row.views.items():
            texts = found.setdefault(slot, {})
            texts.setdefault("layouts", {}).update(dict.fromkeys(each.value for each in spec.layouts or ()))
            texts.setdefault("types", {}).update(_texts(spec.types))
    return {
        slot: {what: list(names) for what, names in texts.items() if names} for slot, texts in found.items()
    }


def _texts(types: Types | None) -> dict[str, None]:
    return dict.fromkeys(element.text.removeprefix("!pto.") for element in types or ())


def _operand(slot: Slot) -> str:
    text = f"%{slot.name}" + ("..." if slot.variadic else "")
    return f"[{text}]" if slot.optional and slot.name not in ("dst",) else text


def markdown() -> str:
    """All instructions as one text: `ptoas instructions --format markdown`."""
    lines = ["# Instructions", "", "Printed by `ptoas instructions --format markdown`; do not edit.", ""]
    for chapter, title in CHAPTERS.items():
        lines += [f"## {title}", ""]
        for op in (op for op in OPS if chapter_of(op) == chapter):
            lines += [*entry_lines(describe(op)), *target_lines(on_targets(op))]
    return "\n".join(lines).rstrip() + "\n"


def rules_of(op: type[PtoOp], own: bool = False) -> dict[Rule, list[str]]:
    """The rules that look at an instruction by itself, with the targets on which they do; `own`: without
    those that instructions share."""
    found: dict[Rule, list[str]] = {}
    for target in TARGETS.values():
        rows = [row for row in rows_of(target.entry(op)) if isinstance(row, Row)]
        for rule in {rule for row in rows for rule in (*(() if own else rules_for(row)), *row.rules)}:
            found.setdefault(rule, []).append(target.name)
    return {rule: found[rule] for rule in sorted(found, key=lambda rule: rule.code)}


def entry_lines(entry: dict[str, Any], level: str = "###") -> Iterable[str]:
    """Describe an instruction in Markdown."""
    yield from (f"{level} `{entry['name']}`", "", entry["meaning"], "", "```text")
    yield from entry["forms"].values()
    yield from ("```", "")
    if entry["operands"]:
        yield from ("| operand | kind | how many |", "|---|---|---|")
        for operand in entry["operands"]:
            written = " (written)" if operand["written"] else ""
            yield f"| `{operand['name']}`{written} | {operand['kind']} | {operand['count']} |"
        yield ""
    if entry["attributes"]:
        yield from ("| attribute | values |", "|---|---|")
        for attribute in entry["attributes"]:
            values = ", ".join(f"`{v}`" for v in attribute["values"]) or attribute["kind"]
            notes = "; required" if attribute["required"] else ""
            notes += "; also a suffix" if attribute["suffix"] else ""
            yield f"| `{attribute['name']}` | {values}{notes} |"
        yield ""


def target_lines(texts: dict[str, dict[str, Any]]) -> Iterable[str]:
    """A row for the targets that say the same."""
    alike: dict[str, list[str]] = {}
    for target, entry in texts.items():
        alike.setdefault(_documented(entry), []).append(f"`{target}`")
    if list(alike) == [_ANY]:
        yield from ("All targets have it.", "")
        return
    yield from ("| target | operands |", "|---|---|")
    for text, targets in alike.items():
        yield f"| {', '.join(targets)} | {text} |"
    yield ""


_ANY = "as its types say"
_WORDS = {"memories": "in", "layouts": "laid out as", "types": "of"}


def _documented(entry: dict[str, Any]) -> str:
    if "missing" in entry:
        return f"not there: {entry['missing']}"
    alike: dict[str, list[str]] = {}
    for slot, texts in entry["operands"].items():
        words = [f"{_WORDS[what]} {' '.join(f'`{name}`' for name in names)}" for what, names in texts.items()]
        alike.setdefault(" ".join(words), []).append(f"`{slot}`")
    parts = [f"{', '.join(slots)} {text}" for text, slots in alike.items() if text]
    return "; ".join(parts) or _ANY


def text(op: type[PtoOp]) -> str:
    """Describe one instruction for a terminal: meaning, forms, operands, attributes, shapes, targets, the
    rules of its own, an example and its C++."""
    entry = describe(op)
    lines = [f"{entry['name']}: {entry['meaning']}", "", "forms"]
    lines += [f"  {name:<10}  {form}" for name, form in entry["forms"].items()]
    if entry["operands"]:
        lines += ["", "operands"]
    for operand in entry["operands"]:
        count = "" if operand["count"] == "1" else f", {operand['count']}"
        lines.append(f"  {operand['name']:<10}  {operand['kind']}{count}{', written' * operand['written']}")
    if entry["attributes"]:
        lines += ["", "attributes"]
    for attribute in entry["attributes"]:
        notes = ", required" * attribute["required"] + ", also a suffix" * attribute["suffix"]
        lines.append(
            f"  {attribute['name']:<10}  {' | '.join(attribute['values']) or attribute['kind']}{notes}"
        )
    if found := shapes(op):
        lines += ["", "shapes", *(f"  {text}" for text in found)]
    lines += ["", "targets"]
    grouped: dict[str, list[str]] = {}
    for target, requirements in on_targets(op).items():
        grouped.setdefault(_documented(requirements).replace("`", ""), []).append(target)
    lines += [f"  {', '.join(targets)}: {requirements}" for requirements, targets in grouped.items()]
    if own := rules_of(op, own=True):
        lines += ["", "rules", *(f"  {rule.code}  {rule.title}" for rule in own)]
    if example := example_of(op):
        lines += ["", "example", indent(example.program, "  ")]
        lines += ["", f"C++ for {example.target}", indent(example.cpp, "  ")]
    return "\n".join(lines)


def titles() -> dict[str, str]:
    """The first line of each instruction's meaning, by name."""
    return {op.mnemonic(): cleandoc(op.__doc__ or "").partition("\n")[0] for op in OPS}


def table() -> str:
    """One line an instruction."""
    return "\n".join(columns([*titles().items()]))
