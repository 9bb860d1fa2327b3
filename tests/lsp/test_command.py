"""The command `lsp` without its extra, and the other commands without it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner

from ptoas.cli.main import main


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec

    def without(name: str, *rest: Any) -> Any:
        return None if name == "pygls" else found(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    done = CliRunner().invoke(main, ["lsp"])
    assert done.exit_code == 2 and "pip install 'ptoas-xdsl[lsp]'" in done.output


def test_no_other_command_loads_it() -> None:
    code = "import sys, ptoas.cli.main, ptoas.targets.verify; print([m for m in sys.modules if 'lsp' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
