"""Imports at start-up."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = "import sys; print(sorted({'xdsl', 'numpy', 'lark', 'rich'} & set(sys.modules)))"


def imported_by(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{HEAVY}"], capture_output=True, text=True, check=True
    )
    return done.stdout.strip().splitlines()[-1]


def test_importing_the_package_imports_nothing_heavy() -> None:
    assert imported_by("import ptoas; ptoas.__version__") == "[]"


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_command_line_imports_nothing_heavy(option: str) -> None:
    code = f"from ptoas.cli.main import main\ntry: main([{option!r}])\nexcept SystemExit: pass"
    assert imported_by(code) == "[]"


def test_parsing_does_not_import_numpy() -> None:
    assert imported_by("import ptoas; ptoas.parse('barrier <PIPE_ALL>')") == "['lark', 'xdsl']"
