"""The command `run`: several targets, checks of outputs, warnings, wrong values, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import ptoas
from ptoas.cli.main import main

NEGATE = """.arg %x : !pto.memref<8x8xf32>
.arg %out : !pto.memref<8x8xf32>
%a = tload %x : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
%b = tneg %a : !pto.tile<8x8xf32>
tstore %b, %out
// RUN-CHECK: out == -x
"""
WRONG = NEGATE.replace("out == -x", "out == x")


def run(*arguments: str, text: str = NEGATE) -> Result:
    return CliRunner().invoke(main, ["run", "-", *arguments], input=text, catch_exceptions=False)


# --- all targets -------------------------------------------------------------------------------------


def test_checks_hold_on_every_target() -> None:
    done = run("--target", "all", "--check-file")
    assert done.exit_code == 0 and "4 checks held" in done.stderr, "one check on four targets"
    wrong = run("--target", "all", "--check-file", text=WRONG)
    assert wrong.exit_code == 1 and wrong.stderr.count("error[PTO-R702]") == 4
    assert "error[PTO-R702] [a2a3]: does not hold: out == x" in wrong.stderr


def test_outputs_of_every_target_are_compared_with_a_file(tmp_path: Path) -> None:
    path = tmp_path / "zeros.npy"
    np.save(path, np.zeros((8, 8), np.float32))
    arguments = ("--target", "all", "--expect", f"out={path}", "--arg")
    assert run(*arguments, "x=zeros").exit_code == 0
    wrong = run(*arguments, "x=full:1")
    assert wrong.exit_code == 1 and wrong.stderr.count("error[PTO-R701]") == 4


def test_all_targets_as_data_and_with_traces() -> None:
    data = json.loads(run("--target", "all", "--json", "--arg", "x=full:2", "--trace").stdout)
    assert list(data["targets"]) == ["cpu", "a2a3", "a5", "a5-custom"] and data["equal"]
    for result in data["targets"].values():
        assert result["outputs"]["out"]["values"] == [-2.0] * 64
        assert [line["op"] for line in result["trace"]] == ["tload", "tneg", "tstore"]
    text = run("--target", "all", "--trace", "--print", "out[0, :2]", "--arg", "x=full:2").stdout
    assert text.count("tneg") == 4 and text.count("[-2. -2.]") == 4


def test_option_for_one_target_is_rejected_for_several(tmp_path: Path) -> None:
    done = run("--target", "all", "--out", f"out={tmp_path / 'out.npy'}")
    assert done.exit_code == 2 and "--out writes the outputs of one target" in done.stderr


def test_a_program_that_no_target_runs_has_not_passed() -> None:
    done = run("--target", "all", text=NEGATE.replace("f32", "f64"))
    assert done.exit_code == 1 and done.stdout.count("refused") == 4


# --- warnings of verify ------------------------------------------------------------------------------

OVERLAP = """.target a5
.arg %x : !pto.memref<8x8xf32>
%a = tload %x : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
tassign %a, @tile(0x0)
tstore %a, %x
%b = tload %x : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
tassign %b, @tile(0x80)
tstore %b, %x
tload %a, %x : (!pto.tile<8x8xf32>, !pto.memref<8x8xf32>)
tstore %a, %x
"""


def warning() -> str:
    """The one warning of a program that is legal."""
    report = ptoas.verify(ptoas.parse(OVERLAP))
    assert report.ok
    (found,) = report.warnings
    return found.code


def test_run_and_lower_show_what_verify_warns_of() -> None:
    code = warning()
    result = ptoas.run(ptoas.parse(OVERLAP), checks="none", generate=True)
    assert [found.code for found in result.warnings] == [code]
    heard: list[str] = []
    ptoas.lower(ptoas.parse(OVERLAP), on_warnings=lambda found: heard.extend(d.code for d in found))
    assert heard == [code]
    for name in ("run", "lower"):
        options = ["--check", "none"] if name == "run" else []
        done = CliRunner().invoke(main, [name, "-", *options], input=OVERLAP, catch_exceptions=False)
        assert done.exit_code == 0 and f"warning[{code}]" in done.stderr
    data = json.loads(run("--check", "none", "--json", text=OVERLAP).stdout)
    assert [each["code"] for each in data["warnings"]] == [code]


def test_the_ranks_of_a_program_are_warned_once() -> None:
    done = run("--check", "none", "--ranks", "2", text=OVERLAP)
    assert done.stderr.count(f"warning[{warning()}]") == 1 and "rank" not in done.stderr


# --- wrong values ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--arg", "y=zeros"), "PTO-R601"),
        (("--print", "nothing"), "PTO-R601"),
        (("--arg", "x=many"), "PTO-R609"),
        (("--arg", "x"), "PTO-R609"),
        (("--print", "out["), "PTO-R609"),
        (("--entry", "other"), "PTO-R607"),
    ],
)
def test_a_wrong_value_is_wrong_usage(arguments: tuple[str, ...], code: str) -> None:
    done = run("--target", "a5", *arguments)
    assert done.exit_code == 2 and f"error[{code}]" in done.stderr
    as_data = run("--target", "a5", "--json", *arguments)
    assert as_data.exit_code == 2
    assert [error["code"] for error in json.loads(as_data.stdout)["errors"]] == [code]


def test_a_wrong_value_points_at_the_argument_it_is_for(tmp_path: Path) -> None:
    path = tmp_path / "short.npy"
    np.save(path, np.zeros((8, 4), np.float32))
    wrong_shape = run("--target", "a5", "--arg", f"out={path}")
    assert wrong_shape.exit_code == 2
    assert "error[PTO-R603]" in wrong_shape.stderr and "<stdin>:2:13" in wrong_shape.stderr
    unreadable = run("--target", "a5", "--arg", "out=many")
    assert "%out is declared here" in unreadable.stderr and "<stdin>:2:13" in unreadable.stderr


def test_failed_run_is_reported_as_json() -> None:
    index = """.target a5
.arg %t : !pto.memref<64x32xf32>
.arg %ids : !pto.memref<1x16xi32>
%i = tload %ids : (!pto.memref<1x16xi32>) -> !pto.tile<1x16xi32>
%d = mgather.row %t, %i : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>
"""
    done = run("--json", "--arg", "ids=full:64", text=index)
    (error,) = json.loads(done.stdout)["errors"]
    assert done.exit_code == 1 and (error["code"], error["line"]) == ("PTO-R101", 5)
    failing = run("--target", "a5", "--json", "--check-file", text=WRONG)
    data = json.loads(failing.stdout)
    assert failing.exit_code == 1 and [each["code"] for each in data["errors"]] == ["PTO-R702"]
    assert data["outputs"]["out"]["shape"] == [8, 8], "the outputs are there all the same"
