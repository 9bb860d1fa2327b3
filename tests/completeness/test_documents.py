"""What the documents of the project show is true: programs parse, commands print what stands below them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ptoas
from ptoas.dialects.pto import CHAPTERS, expand, instructions_of
from ptoas.reference import describe

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
KINDS = {"console", "python", "mlir", "text", "json", "toml", "yaml"}
"""What blocks of the documents hold; `text` is a scheme with `...` in it, not a program."""


def blocks(path: Path) -> list[tuple[str, str]]:
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"^( *)```(\w*)\n(.*?)^\1```$", text, re.DOTALL | re.MULTILINE)
    return [(kind, re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)) for indent, kind, body in found]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_block_says_what_it_is(path: Path) -> None:
    assert path.read_text(encoding="utf-8").count("```") == 2 * len(blocks(path))
    assert {kind for kind, _ in blocks(path)} <= KINDS


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_programs_parse(path: Path) -> None:
    for kind, body in blocks(path):
        if kind == "mlir":
            ptoas.parse(body, path.name)
        elif kind == "python" and ">>>" not in body and not re.match(r"\w+\(", body):
            compile(body, path.name, "exec")  # signatures of api.md aside


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


# --- the README: what it types, it gets --------------------------------------------------------------

README = ROOT / "README.md"


def sessions(path: Path = README) -> list[tuple[str, str]]:
    """Command and output of every console block, in order."""
    found: list[tuple[str, str]] = []
    for kind, body in blocks(path):
        if kind == "console":
            found += re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the README's reader is: the file it shows, and indices of which the last is out of bounds."""
    here = tmp_path_factory.mktemp("readme")
    (program,) = (output for command, output in sessions() if command == "cat lookup.pto")
    (here / "lookup.pto").write_text(program.rstrip("\n") + "\n")
    np.save(here / "ids.npy", np.array([[*range(15), 99]], np.int32))
    return here


TYPED = [(command, output) for command, output in sessions() if command.startswith("ptoas ")]


@pytest.mark.parametrize(("command", "output"), TYPED, ids=[command for command, _ in TYPED])
def test_a_command_prints_what_the_readme_shows(command: str, output: str, folder: Path) -> None:
    assert printed_by(command, folder) == output.strip()


PAGES = sessions(ROOT / "docs" / "cores.md")


@pytest.mark.parametrize(("command", "output"), PAGES, ids=[command for command, _ in PAGES])
def test_a_command_prints_what_the_page_of_cores_shows(command: str, output: str) -> None:
    """Its reader is where the project is."""
    assert command.startswith("ptoas ")
    assert printed_by(command, ROOT) == output.strip()


def printed_by(command: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ptoas", *shlex.split(command)[1:]],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert "Traceback" not in done.stdout
    return done.stdout.strip()


def test_the_other_commands_of_the_readme_are_known() -> None:
    others = [command for command, _ in sessions() if not command.startswith("ptoas ")]
    assert {command.split()[0] for command in others} <= {"cat", "make"}


def test_the_library_example_of_the_readme_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    (code,) = (body for kind, body in blocks(README) if kind == "python")
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    assert printed.startswith("True \n(16, 32)\n"), "as the comments say"
    assert "MGATHER<Coalesce::Row>(dst, tableGM, idx);" in printed
    assert "pto.mgather %table, %idx" in printed
    report = names["report"]
    assert isinstance(report, ptoas.Report) and report.ok


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
    shown = [body for _, body in blocks(ROOT / "CONTRIBUTING.md")][:4]
    assert len(files) == 4
    assert sum(len(body.split("\n")) - 1 for body in shown) <= 20
    for file, body in zip(files, shown, strict=True):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert all(line in text for line in body.splitlines()), file


def test_the_packages_of_the_guide_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for place in re.findall(r"`((?:ptoas|tests|docs|benchmarks|examples)/[\w./]*)`", text):
        assert (ROOT / place).exists(), place


def test_the_readme_counts_the_instructions_of_every_family() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = [f"| {title} | {len(instructions_of(chapter))} |" for chapter, title in CHAPTERS.items()]
    assert [row for row in rows if row not in text] == []
