"""Every program of the documentation is run, and every command prints what stands below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptoas.grammar.format import format_text
from tests.documents.pages import ROOT, blocks, matches, read

DOCS = ROOT / "docs"
ELSEWHERE = {
    "extending.md": "plugin/test_plugin.py installs the package that it shows",
}
"""Pages whose programs other tests run."""

PAGES = [path for path in sorted(DOCS.glob("*.md")) if path.name not in ELSEWHERE]
OF_A_PAIR = [path for path in PAGES if path.stem.endswith("_zh")]
"""Their programs and sessions are those of the English page, to the letter (test_chinese.py)."""


@pytest.mark.parametrize(
    "path", [*(p for p in PAGES if p not in OF_A_PAIR), ROOT / "README.md"], ids=lambda p: p.stem
)
def test_commands_of_a_page_reproduce(path: Path) -> None:
    session, _ = read(path)
    assert session.wrong == [], "`python -m tests.documents.pages PAGE` puts in what commands print"
    for block in blocks(path):
        if block.title is not None and block.kind == "pto":
            folder, _, _ = block.title.rpartition("/")
            named = rf"(?<![\w/])({re.escape(block.title)}|{re.escape(folder or block.title)})\b"
            assert any(re.search(named, c) for c in session.commands), f"no command uses {block.title}"


UNFORMATTED = "formatting.md"
"""Shows what `fmt` changes."""


@pytest.mark.parametrize("path", [*PAGES, *ROOT.glob("README*.md")], ids=lambda p: p.stem)
def test_programs_of_a_page_are_formatted(path: Path) -> None:
    for block in blocks(path) if path.name != UNFORMATTED else ():
        if block.kind == "pto":
            assert format_text(block.body) == block.body


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_other_pages_are_there(name: str) -> None:
    assert (DOCS / name).exists()


def test_the_tutorial_needs_nothing_but_itself() -> None:
    session, _ = read(DOCS / "tutorial.md")
    assert len(session.commands) > 15
    assert not any("examples/" in command for command in session.commands)


@pytest.mark.parametrize(
    ("shown", "printed", "good"),
    [
        ("a\nb", "a\nb", True),
        ("a\nb", "a\nc", False),
        ("a\n...\nd", "a\nb\nc\nd", True),
        ("a\n...", "a\nb", True),
        ("...\nb", "a\nb", True),
        ("a\n...\nd", "a\nb\nc", False),
        ("   ...", "a", False),
    ],
)
def test_lines_that_are_left_out(shown: str, printed: str, good: bool) -> None:
    assert matches(shown, printed) is good
