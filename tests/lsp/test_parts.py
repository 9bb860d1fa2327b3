"""Parts reused from the previous version of a text give the same answers as a new document; no edit breaks
the server."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import ptoas
from benchmarks.generate import program
from ptoas.diagnostics import Diagnostic
from ptoas.lsp import completion, hints, hover, lens, navigate, semantic, signature
from ptoas.lsp.parts import VERSIONS
from ptoas.lsp.session import EditorSettings, File
from ptoas.targets import TARGETS

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.pto"))
ALL = tuple(TARGETS)


def said(findings: list[Diagnostic] | tuple[Diagnostic, ...]) -> set[tuple[object, ...]]:
    return {
        (d.code, d.message, d.span.offset, d.span.length, d.severity, frozenset(d.targets), len(d.notes))
        for d in findings
    }


def whole(text: str) -> set[tuple[object, ...]]:
    """The library's findings in a text, in one go."""
    try:
        return said(ptoas.verify_targets(ptoas.parse(text, "a.pto"), ALL).diagnostics)
    except ptoas.PtoasError as error:
        return said(error.diagnostics)


def test_parts_find_what_the_whole_finds() -> None:
    for path in EXAMPLES:
        text = path.read_text()
        assert said(File("", "a.pto", text).findings(ALL)) == whole(text), path.name


def test_edits_find_what_a_fresh_look_finds() -> None:
    """Lines of a program of several functions go, come twice, and move; then it is as it was."""
    text = program(30_000, seed=4)
    chance = random.Random(5)
    file = File("", "a.pto", text)
    assert len(file.parts) > 2
    first = said(file.findings(("a5",)))
    for _ in range(12):
        lines = text.split("\n")
        at = chance.randrange(1, len(lines) - 2)
        match chance.randrange(3):
            case 0:
                lines.insert(at, "")
            case 1:
                lines.insert(at, lines[at])
            case _:
                del lines[at]
        edited = "\n".join(lines)
        file.change(edited, None)
        found = said(file.findings(("a5",)))
        fresh = said(File("", "a.pto", edited).findings(("a5",)))
        # In a text with mistakes the functions that are as they were keep what was found in them.
        assert found == fresh if not file.document.problems else found >= fresh
    file.change(text, None)
    assert said(file.findings(("a5",))) == first
    kept = file._parts._kept  # the parts of all those versions would be a program for every key
    assert len(file.parts) <= len(kept) <= len(file.parts) + VERSIONS


def everything(file: File, offset: int) -> None:
    """Every question that an editor asks."""
    settings = EditorSettings()
    file.findings(("a5",))
    hover.hover(file, offset, settings)
    completion.complete(file, offset)
    signature.signature_help(file.document, offset)
    navigate.definition(file, offset)
    navigate.references(file, offset, True)
    navigate.highlights(file, offset)
    navigate.document_symbols(file)
    semantic.semantic_tokens(file.now)
    hints.inlay_hints(file, 0, len(file.document.source.text), settings)
    for each in lens.code_lenses(file):
        assert lens.resolve(file, each, each.data["at"]).command is not None
    try:
        navigate.rename(file, offset, "another_name")
    except navigate.Refused as reason:
        assert str(reason)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_typed_is_answered(seed: int) -> None:
    chance = random.Random(seed)
    for path in chance.sample(EXAMPLES, 5):
        text = path.read_text()
        file = File("", path.name, text)
        for _ in range(6):
            start = chance.randrange(len(text))
            end = min(len(text), start + chance.choice((0, 1, 5, 40)))
            typed = chance.choice(
                ("", "%", "(", "{", "!pto.tile<", "#", '"', "}", "= tadd ", "\n", "𝑥", "@f")
            )
            file.change(text[:start] + typed + text[end:], None)
            everything(file, start + len(typed))


def test_a_renamed_value_means_the_same() -> None:
    """Values of examples get another name in all their places, and the programs are the same but for it."""
    for path in EXAMPLES[::4]:
        text = path.read_text()
        file = File("", "a.pto", text)
        if file.document.problems:
            continue
        values = [name for name in file.names.all if name.kind == "value" and name.definition is not None]
        for name in values[:6]:
            places = sorted(name.places, key=lambda place: place.start, reverse=True)
            changed = text
            for place in places:
                changed = f"{changed[: place.start]}%zz_new{changed[place.end :]}"
            after = ptoas.parse(changed, "a.pto")
            assert after.is_structurally_equivalent(ptoas.parse(text, "a.pto")), (path, name.text)
