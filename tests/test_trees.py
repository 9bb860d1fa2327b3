"""`run` and `lower` of directories: a line a file, a summary, and a failure that does not stop the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ptoas.cli.main import main

GOOD = """.target a5
.arg %x : !pto.memref<1x8xf32>
.arg %out : !pto.memref<1x8xf32>
%a = tload %x : (!pto.memref<1x8xf32>) -> !pto.tile<1x8xf32>
%b = tneg %a : !pto.tile<1x8xf32>
tstore %b, %out
# RUN-CHECK: out == -x
"""
NO_TARGET = GOOD.replace(".target a5\n", "")
BAD = GOOD.replace("tneg %a", "tneg %c")
FALSE = GOOD.replace("-x", "x")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {"good": GOOD, "deep/other": GOOD, "bad": BAD, "open": NO_TARGET}
    for name, text in files.items():
        path = tmp_path / "tree" / f"{name}.pto"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


def command(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)


def test_every_file_is_run(tree: Path) -> None:
    done = command("run", tree)
    assert done.exit_code == 1
    bad, deep, good, unnamed, summary = done.stdout.splitlines()
    assert bad.startswith(f"fail  {tree}/bad.pto:5:") and "%c" in bad
    assert deep == f"ok    {tree}/deep/other.pto: out 1x8xfloat32"
    assert good.startswith("ok ") and unnamed.startswith("fail") and "PTO-T202" in unnamed
    assert summary == "4 files: 2 ok, 2 failed"
    assert command("run", tree / "good.pto", tree / "deep").exit_code == 0


def test_run_of_a_directory_names_invalid_programs(tmp_path: Path) -> None:
    done = command("run", tmp_path)
    assert done.exit_code == 1
    assert done.stdout.startswith(f"fail  {tmp_path}:1:1: error[PTO-T201]: ")
    assert done.stdout.endswith("1 file: 0 ok, 1 failed\n")


def test_checks_of_every_file(tree: Path) -> None:
    (tree / "bad.pto").write_text(FALSE)
    done = json.loads(command("run", tree, "--target", "a5", "--check-file", "--json").stdout)
    assert (done["files"], done["ok"], done["failed"]) == (4, 3, 1)
    assert [o["errors"][0]["code"] for o in done["outcomes"] if not o["ok"]] == ["PTO-R702"]


def test_every_file_is_lowered_into_a_directory(tree: Path) -> None:
    build = tree.parent / "build"
    assert command("lower", tree, "-o", build).exit_code == 1
    written = sorted(str(path.relative_to(build)) for path in build.rglob("*.cpp"))
    assert written == ["deep/other.cpp", "good.cpp"]
    assert "TNEG(" in (build / "good.cpp").read_text()


@pytest.mark.parametrize(
    "words",
    [("run", "--arg", "x=1"), ("run", "--describe"), ("run", "--target", "all"), ("lower",)],
)
def test_options_of_one_program_are_refused_for_a_tree(tree: Path, words: tuple[str, ...]) -> None:
    done = command(*words, tree)
    assert done.exit_code == 2 and "Usage" in done.output


TWO = """module attributes {pto.target_arch = "a5"} {
  func.func @first(%out: !pto.memref<1x8xi32>) {
    %c = arith.constant 3 : i32
    %t = pto.tci %c : i32 -> !pto.tile<1x8xi32>
    func.call @inner(%out, %t) : (!pto.memref<1x8xi32>, !pto.tile<1x8xi32>) -> ()
    return
  }
  func.func @inner(%out: !pto.memref<1x8xi32>, %t: !pto.tile<1x8xi32>) {
    pto.tstore ins(%t : !pto.tile<1x8xi32>) outs(%out : !pto.memref<1x8xi32>)
    return
  }
  func.func @second(%x: !pto.memref<1x8xf32>, %out: !pto.memref<1x8xf32>) {
    %a = pto.tload %x : !pto.memref<1x8xf32> -> !pto.tile<1x8xf32>
    pto.tstore ins(%a : !pto.tile<1x8xf32>) outs(%out : !pto.memref<1x8xf32>)
    return
  }
}
"""


def test_every_function_that_nothing_calls_is_run(tmp_path: Path) -> None:
    file = tmp_path / "two.pto"
    file.write_text(TWO)
    assert "2 functions could be run" in command("run", file).output
    done = command("run", file, "--entry", "all")
    assert done.stdout.splitlines() == [
        f"ok    {file}@first: out 1x8xint32",
        f"ok    {file}@second: out 1x8xfloat32",
        "2 functions: 2 ok, 0 failed",
    ]
    file.write_text(TWO.replace("pto.tload %x :", "pto.tload %y :"))
    (tmp_path / "good.pto").write_text(GOOD)
    done = command("run", tmp_path, "--entry", "all", "--json")
    report = json.loads(done.stdout)
    assert done.exit_code == 1 and (report["functions"], report["ok"]) == (2, 1)
    assert [(o["ok"], o.get("part")) for o in report["outcomes"]] == [(True, "@good"), (False, None)]
    assert "--entry all runs several" in command("run", file, "--entry", "all", "--arg", "x=1").output


def test_lower_prints_its_outcomes_as_json(tree: Path) -> None:
    words = ["lower", str(tree), "--target", "a5", "-o", str(tree / "out"), "--json"]
    result = CliRunner().invoke(main, words)
    said = json.loads(result.stdout)
    assert said["files"] == len(said["outcomes"]) and said["ok"] + said["failed"] == said["files"]
    done = [each for each in said["outcomes"] if each["ok"]]
    assert done and all(Path(each["output"]).is_file() for each in done)
    alone = CliRunner().invoke(main, ["lower", done[0]["file"], "--target", "a5", "--json"])
    assert alone.exit_code == 2 and "-o must name a directory" in alone.output


def test_verify_prints_a_line_for_each_file(tree: Path) -> None:
    result = CliRunner().invoke(main, ["verify", str(tree), "--target", "a5"])
    lines = result.stdout.splitlines()
    for file in tree.rglob("*.pto"):
        assert any(line.startswith(str(file)) for line in lines)
