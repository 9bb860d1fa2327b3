"""Calls of the C++ assembler by its tests and by other tools: exit code, and a line of the output."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ptoas.cli.main import main

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("call", DATA["call"], ids=lambda call: call["like"])
def test_call(call: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = DATA["programs"][call["program"]]
    Path("k.pto").write_text(program)
    arguments = ["k.pto" if each == "IN" else each for each in shlex.split(call["arguments"])]
    result = CliRunner().invoke(main, arguments, prog_name="ptoas", input=program)
    assert result.exit_code == call["exit"], result.output
    output = Path(arguments[arguments.index("-o") + 1]) if "-o" in arguments else Path("-")
    written = output.is_file()
    assert result.exit_code == 0 or not written, "nothing is written on failure"
    text = output.read_text() if written else result.stdout
    assert any(call.get("out", "") in line for line in text.splitlines()) or "out" not in call
    assert any(call.get("err", "") in line for line in result.stderr.splitlines()) or "err" not in call
    assert "out" in call or "err" in call or not text


def test_the_calls_are_of_many_tests() -> None:
    names = [call["like"] for call in DATA["call"]]
    assert len(set(names)) == len(names)
    assert sum(name.endswith(".pto") for name in names) >= 50
