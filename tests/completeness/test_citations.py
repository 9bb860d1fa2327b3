"""Citations of rules, messages and comments refer to existing sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptoas.diagnostics.citations import decisions, documents, documents_in
from ptoas.project import explain as codes
from ptoas.targets.rule import RULES

ROOT = Path(__file__).parents[2]
FILES = list((ROOT / "ptoas").rglob("*.py"))
DECISION = re.compile(r"\bD[1-9]\d?\b")


def problem(citation: str) -> str | None:
    """The problem with one citation of a rule's source."""
    named = DECISION.findall(citation)
    if re.fullmatch(r"D\d+(, D\d+)*", citation):
        unknown = [name for name in named if name not in decisions()]
        return f"there is no {unknown[0]}" if unknown else None
    found = documents_in(citation)
    if len(found) != 1:
        return f"{citation!r} cites {len(found)} documents"
    _, comma, section = citation.partition(", ")
    (document,) = found
    if comma and document.sections and not section.startswith(document.sections):
        return f"{document.name} has no section {section!r}"
    return None


def test_every_citation_of_a_rule_resolves() -> None:
    cited = {part.strip() for rule in RULES.values() for part in rule.source.split(";")}
    assert [found for citation in sorted(cited) if (found := problem(citation))] == []


@pytest.mark.parametrize(
    ("citation", "found"),
    [
        ("000, UB Memory Budget, A5", None),
        ("000, Weather", "000 has no section 'Weather'"),
        ("D22", None),
        ("D99", "there is no D99"),
        ("hearsay", "'hearsay' cites 0 documents"),
        ("public TLOAD page and header, A2/A3", None),
        ("public TROWEXPAND header, A5", None),
        ("cpu/TReshape.hpp: static assertions", None),
    ],
)
def test_a_wrong_citation_is_noticed(citation: str, found: str | None) -> None:
    assert problem(citation) == found


def test_every_decision_that_the_package_names_exists() -> None:
    named = {name for path in FILES for name in DECISION.findall(path.read_text(encoding="utf-8"))}
    assert named <= set(decisions())


def test_the_numbers_are_in_order() -> None:
    numbers = [decision.number for decision in decisions().values()]
    assert numbers == sorted(set(numbers))


def test_every_section_that_is_listed_is_cited() -> None:
    texts = [path.read_text(encoding="utf-8") for path in FILES if path.name != "citations.py"]
    unused = [
        (document.name, section)
        for document in documents()
        for section in document.sections
        if not any(section in text for text in texts)
    ]
    assert unused == []


def test_explain_prints_the_sentence_and_the_title() -> None:
    text = codes.explain("PTO-U101")
    assert "D2" in RULES["PTO-U101"].source
    for name in DECISION.findall(RULES["PTO-U101"].source):
        assert " ".join(decisions()[name].sentence.split()) in " ".join(text.split())
    assert "003: TGATHER, the collective." in codes.explain("PTO-R801")
    assert "D13: An index outside the table" in codes.explain("PTO-R101")
    assert "Cited" not in codes.explain("PTO-P002")
