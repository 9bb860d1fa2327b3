"""The command `lsp` without its extra, and the other commands without it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ptoas.cli.main import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "embedding_lookup.pto"


def test_missing_extra_is_reported_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec

    def without(name: str, *rest: Any) -> Any:
        return None if name == "pygls" else found(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    done = CliRunner().invoke(main, ["lsp"])
    assert done.exit_code == 2 and "pip install 'ptoas-xdsl[lsp]'" in done.output


def test_no_other_command_loads_it() -> None:
    code = (
        "import sys\nfrom ptoas.cli.main import main\n"
        f"try:\n    main(['verify', {str(EXAMPLE)!r}, '-q'])\n"
        "except SystemExit as stop:\n    assert not stop.code\n"
        "assert not {'pygls', 'lsprotocol', 'ptoas.lsp'} & set(sys.modules), sorted(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
