"""The documents of the project are correct: programs parse, links resolve, counts are right.

test_pages.py runs their programs and types their commands; tests/documents/ builds the site.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ptoas
from docs import manual, reference
from ptoas.diagnostics.pages import page_name
from ptoas.dialects.pto import OPS, expand
from ptoas.project.explain import CODES
from ptoas.project.instruction_pages import describe

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
GENERATED = {"rules.md", "known-bugs.md", "instructions.md", *(f"{name}.md" for name in manual.PAGES)}
"""Pages that the build of the site makes (docs/hooks.py)."""

KINDS = {"console", "python", "pto", "mlir", "text", "json", "toml", "yaml", "mermaid"}
"""Languages of blocks of the documents; `text` is a scheme with `...` in it, not a program."""


def blocks(path: Path) -> list[tuple[str, str]]:
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"^( *)```(\w*)[^\n`]*\n(.*?)^\1```$", text, re.DOTALL | re.MULTILINE)
    return [(kind, re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)) for indent, kind, body in found]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_block_names_its_language(path: Path) -> None:
    assert path.read_text(encoding="utf-8").count("```") == 2 * len(blocks(path))
    assert {kind for kind, _ in blocks(path)} <= KINDS


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_programs_parse(path: Path) -> None:
    for kind, body in blocks(path):
        if kind in ("mlir", "pto"):
            ptoas.parse(body, path.name)
        elif kind == "python" and ">>>" not in body and not re.match(r"\w+\(", body):
            compile(body, path.name, "exec")  # signatures of api.md aside


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_are_valid(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)\)", path.read_text(encoding="utf-8"))
    made = GENERATED if path.parent.name == "docs" else set[str]()
    assert [link for link in links if link not in made and not (path.parent / link).exists()] == []


# --- CONTRIBUTING: the class it shows is enough for an instruction ------------------------------------


def test_the_instruction_of_the_guide_is_one() -> None:
    (code,) = (body for kind, body in blocks(ROOT / "CONTRIBUTING.md") if kind == "python")
    # A module of its own, so that the class finds the names that its neighbours find.
    names = dict(vars(expand))
    exec(compile(code, "CONTRIBUTING.md", "exec"), names)
    made = names["TColExpandExpdifOp"]
    assert isinstance(made, type) and issubclass(made, expand.ColumnExpandOp)
    assert describe(made)["forms"] == describe(expand.TColExpandExpdifOp)["forms"]


def test_the_instruction_of_the_guide_takes_four_files_and_twenty_lines() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    steps = guide.partition("## Adding an instruction")[2].partition("C++ needs nothing")[0]
    files = re.findall(r"^\d\. .*?`((?:ptoas|tests)/[\w/]+\.\w+)`", steps, flags=re.MULTILINE)
    shown = [body for kind, body in blocks(ROOT / "CONTRIBUTING.md") if kind != "mermaid"][:4]
    assert len(files) == 4
    assert sum(len(body.split("\n")) - 1 for body in shown) <= 20
    for file, body in zip(files, shown, strict=True):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert all(line in text for line in body.splitlines()), file


def test_the_packages_of_the_guide_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for place in re.findall(r"`((?:ptoas|tests|docs|benchmarks|examples)/[\w./]*)`", text):
        assert (ROOT / place).exists(), place


def test_the_readme_counts_the_instructions() -> None:
    for name in ("README.md", "README_zh.md"):
        assert re.search(rf"\b{len(OPS)} (?:instructions|条指令)", (ROOT / name).read_text(encoding="utf-8"))


def test_every_code_has_its_page_and_a_place_in_the_list() -> None:
    """Reports and editors link to them, and did in former releases."""
    pages = reference.rules()
    for code in CODES:
        assert f"{str(page_name(code)).removesuffix('.html')}.md" in pages
        assert f'<a id="{code.lower()}"></a>' in pages["rules.md"]
