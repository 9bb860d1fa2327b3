"""Every command and option of `ptoas` has its line in --help, in the manual and in the README."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from docs import manual
from ptoas.cli.main import main

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
COMMANDS = manual.commands()
OPTIONS = [(name, option) for name, command in COMMANDS.items() for option in manual.options_of(command)]
ids = pytest.mark.parametrize(("name", "option"), OPTIONS, ids=lambda x: getattr(x, "name", x))


def section(name: str) -> str:
    (found,) = (part for part in manual.cli().split("\n## ") if part.startswith(f"`{name}`\n"))
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_documented_with_an_example(name: str) -> None:
    help = COMMANDS[name].help or ""
    assert re.search(rf"^\s*ptoas {name}\b", help, re.MULTILINE), "its help shows no example"
    assert f"$ ptoas {name}" in section(name)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"`ptoas {name}\b|`{name}`", readme), "the README does not name it"


@ids
def test_an_option_is_documented(name: str, option: click.Option) -> None:
    assert option.help and option.help.endswith("."), "it has no help text"
    for spelling in option.opts:
        assert re.search(rf"^\| .*`{spelling}`.* \|$", section(name), re.MULTILINE), "it has no line"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_every_option(name: str) -> None:
    done = CliRunner().invoke(main, [name, "--help"])
    assert done.exit_code == 0
    for option in manual.options_of(COMMANDS[name]):
        assert all(spelling in done.output for spelling in option.opts)
    assert max(map(len, done.output.splitlines())) <= 80


def typed_commands() -> list[tuple[str, str]]:
    """Every command line that a document, or a command's own help, shows."""
    found: list[tuple[str, str]] = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
            found += [(path.name, line) for line in re.findall(r"^\$ (ptoas .*)$", block, re.MULTILINE)]
    return found


@pytest.mark.parametrize(("document", "line"), typed_commands(), ids=lambda text: text)
def test_a_command_line_of_a_document_is_one(document: str, line: str) -> None:
    name, *arguments = shlex.split(line)[1:]
    if name == "--version":
        return
    with COMMANDS[name].make_context(name, arguments, parent=click.Context(main)):
        pass  # made without a usage error


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_an_option_that_a_document_names_exists(path: Path) -> None:
    known = {spelling for _, option in OPTIONS for spelling in option.opts} | {"--help", "--version"}
    known |= {"--allow-unregistered-dialect", "--doctest-modules"}  # of xdsl-opt and pytest
    text = path.read_text(encoding="utf-8")
    if path.name.startswith("coming-from"):
        text = re.sub(r"^\|[^|]*\|", "|", text, flags=re.MULTILINE)  # the options of another tool
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))
    assert named <= known


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_make_target_that_a_document_names_exists(path: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"(?:`|^\$ )make ([a-z][\w-]*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets
