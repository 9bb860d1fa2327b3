"""Reference functions in Python: `--reference` and `# RUN-CHECK: FILE.py:FUNCTION`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ptoas.cli.main import main

TWO_OUTPUTS = """.target a5
.arg %x   : !pto.memref<1x8xf32>
.arg %sum : !pto.memref<1x8xf32>
.arg %neg : !pto.memref<1x8xf32>
%a = tload %x
%b = tadds %a, 1.0
%c = tneg %a
tstore %b, %sum
tstore %c, %neg
# ARGS: x=arange
"""
IN_PLACE = """.target a5
.arg %x : !pto.memref<1x8xf32>
%a = tload %x
%b = tadds %a, 1.0
tstore %b, %x
# ARGS: x=arange
# RUN-CHECK: ref.py:plus_one
"""
REFERENCES = """
def plus_one(x): return x + 1
def in_order(x): return x + 1, -x
def by_name(x): return {"neg": -x}
def everything(**arguments): return arguments["x"] + 1, -arguments["x"]
def wrong(x): return x + 1, x
def one(x): return x
def unknown(x): return {"nge": x}
def other(y): return y
def flat(x): return x[0] + 1, -x
def broken(x): return x + missing
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.pto").write_text(TWO_OUTPUTS)
    Path("in_place.pto").write_text(IN_PLACE)
    Path("ref.py").write_text(REFERENCES)


def ptoas(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def compare(spec: str, *options: str) -> Result:
    return ptoas(
        *("run", "two.pto", "--arg", "x=arange", "--allow-python"),
        *("--reference", spec, *options),
    )


@pytest.mark.parametrize("function", ["in_order", "by_name", "everything"])
def test_outputs_agree_with_the_reference(function: str) -> None:
    done = compare(f"ref.py:{function}")
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    ("function", "code", "message"),
    [
        ("wrong", "PTO-R701", "the outputs differ from ref.py:wrong"),
        ("flat", "PTO-R701", "sum has shape [1, 8], the reference [8]"),
        ("one", "PTO-R704", "1 arrays are returned for the outputs sum, neg"),
        ("unknown", "PTO-R704", "there is no output nge; the outputs are sum, neg"),
        ("other", "PTO-R704", "other takes y; the arguments of the run are x, sum, neg"),
        ("broken", "PTO-R704", "line 11: NameError: name 'missing' is not defined"),
        ("in_odrer", "PTO-R704", "did you mean `in_order`?"),
    ],
)
def test_a_reference_that_differs_or_does_not_fit(function: str, code: str, message: str) -> None:
    done = compare(f"ref.py:{function}")
    assert done.exit_code == 1
    assert code in done.stderr
    assert message in done.stderr


def test_tolerances_are_those_of_the_command() -> None:
    Path("ref.py").write_text("def near(x): return (x + 1) * 1.01, -x * 1.01\n")
    assert compare("ref.py:near").exit_code == 1
    assert compare("ref.py:near", "--rtol", "0.02").exit_code == 0


def test_check_can_use_the_arguments_before_the_run() -> None:
    assert ptoas("test", "in_place.pto", "--allow-python").exit_code == 0
    assert ptoas("run", "in_place.pto", "--check-file", "--allow-python").exit_code == 0
    Path("ref.py").write_text("def plus_one(x): return x + 2\n")
    done = ptoas("test", "in_place.pto", "--allow-python")
    assert "error[PTO-R702] [a5]: differs from ref.py:plus_one" in done.stderr


def test_python_is_executed_only_if_the_user_allows_it() -> None:
    Path("ref.py").write_text(
        "from pathlib import Path\nPath('executed').touch()\ndef plus_one(x): return x + 1\n"
    )
    refused = ptoas("test", "in_place.pto")
    assert "PTO-R704" in refused.stderr
    assert "add --allow-python" in refused.stderr
    assert not Path("executed").exists()
    Path("ptoas.toml").write_text("allow-python = true\n")
    assert ptoas("test", "in_place.pto").exit_code == 0
    assert Path("executed").exists()


def test_a_program_names_only_files_below_its_directory() -> None:
    below = Path("below")
    below.mkdir()
    (below / "in_place.pto").write_text(IN_PLACE.replace("ref.py", "../ref.py"))
    done = ptoas("test", "below", "--allow-python")
    assert "`../ref.py` is not below the program's directory" in done.stderr
