"""The command: exit codes, output, wrong usage. What the stages find is tested beside the stages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ptoas.cli.main import main
from ptoas.diagnostics import Source
from ptoas.project import instruction_pages as reference
from ptoas.runner.assertions import find_assertions

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.pto"))
LOOKUP = str(ROOT / "examples" / "embedding_lookup.pto")


def ptoas(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=text, catch_exceptions=False)


def test_version_and_help_import_neither_xdsl_nor_numpy() -> None:
    for argument in ("--version", "--help"):
        code = (
            "import sys\nfrom ptoas.cli.main import main\n"
            f"try:\n    main(['{argument}'])\nexcept SystemExit as stop:\n    assert not stop.code\n"
            "assert not {'xdsl', 'numpy', 'lark', 'rich'} & set(sys.modules), sorted(sys.modules)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [("--help",), ("rules",), ("convert", LOOKUP, "--to", "dps")])
def test_closed_output_is_reported_in_one_line(words: tuple[str, ...]) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no device here is always full")
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ptoas", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=buffered,
        )
    assert done.returncode == 1
    assert done.stderr == "error: what is printed can't be written: No space left on device\n"


@pytest.mark.parametrize("stream", ["1", "2"])
def test_verify_survives_a_closed_stream(stream: str) -> None:
    words = [sys.executable, "-m", "ptoas", "verify", str(ROOT / "examples"), "--target", "a5", "-q"]
    done = subprocess.run(["sh", "-c", f'"$@" {stream}>&-', "sh", *words], capture_output=True, text=True)
    assert done.returncode == 1 and not done.stderr
    assert ("PTO-A201" in done.stdout) is (stream == "2")


def test_a_command_in_its_own_process_prints_what_the_function_prints() -> None:
    command = [sys.executable, "-m", "ptoas", "convert", LOOKUP, "--to", "dps"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout == ptoas("convert", LOOKUP, "--to", "dps").stdout


@pytest.mark.parametrize("form", ["asm", "ssa", "dps", "generic"])
def test_convert_prints_a_form_that_can_be_read_again(form: str) -> None:
    text = ".arg %a : !pto.tile<8x16xf32>\n%b = tadd %a, %a : !pto.tile<8x16xf32>\n"
    first = ptoas("convert", "-", "--to", form, text=text)
    assert first.exit_code == 0
    again = ptoas("convert", "-", "--to", form, text=first.stdout)
    assert again.stdout == first.stdout


def test_convert_writes_a_file_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "out.pto"
    assert ptoas("convert", LOOKUP, "--to", "dps", "-o", str(out)).exit_code == 0
    assert "\nmodule attributes" in out.read_text()
    link = tmp_path / "link.pto"
    link.symlink_to(out)
    refused = ptoas("convert", LOOKUP, "--to", "dps", "-o", str(link))
    assert refused.exit_code == 1
    assert "PTO-L002" in refused.stderr and "it is a link" in refused.stderr
    nowhere = ptoas("convert", LOOKUP, "--to", "dps", "-o", str(out / "out.pto"))
    assert nowhere.exit_code == 1 and "can't write" in nowhere.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.pto", "out.pto"]


def test_outputs_make_their_folders(tmp_path: Path) -> None:
    for number, words in enumerate((["lower"], ["convert", "--to", "dps"], ["verify"])):
        out = tmp_path / str(number) / "new" / "out"
        assert ptoas(*words, LOOKUP, "-o", str(out)).exit_code == 0
        assert out.stat().st_size > 0


def test_a_program_with_errors_ends_with_1_and_every_diagnostic() -> None:
    bad = ptoas("convert", "-", "--to", "dps", text="mgathr %a\ntadd %b, %c\n")
    assert bad.exit_code == 1
    assert "error[PTO-P020]: unknown instruction `mgathr`" in bad.stderr
    assert "did you mean `mgather`?" in bad.stderr
    assert bad.stderr.rstrip().endswith("errors")
    assert "Traceback" not in bad.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("verify", LOOKUP, "--target", "a6"), "there is no target 'a6'"),
        (("verify", LOOKUP, "--select", "PTO-Z9"), "no rule has the code 'PTO-Z9'"),
        (("verify",), "Missing argument"),
        (("convert", LOOKUP), "Missing option '--to'"),
        (("convert", LOOKUP, "--to", "c"), "is not one of"),
        (("explain", "PTO-X999"), "no rule has the code"),
        (("rules", "--target", "a6"), "there is no target 'a6'"),
        (("lower", LOOKUP, "--until", "nothing"), "there is no pass 'nothing'"),
        (
            ("lower", LOOKUP, "--until", "settle-layouts"),
            "pass 'settle-layouts' is now called 'infer-view-layouts'",
        ),
        (("run", "-"), "no target"),
        (("run", LOOKUP, "--ranks", "none"), "--ranks takes a number"),
        (("frobnicate",), "No such command"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...], message: str) -> None:
    done = ptoas(*arguments, text=".arg %a : !pto.tile<8x16xf32>\n%b = tneg %a\n")
    assert done.exit_code == 2
    assert message in done.stderr


def test_verify_shows_the_matrix_and_each_finding_once() -> None:
    done = ptoas("verify", "--target", "all", LOOKUP)
    assert done.exit_code == 1
    head, row = done.stdout.splitlines()[:2]
    assert head.split() == ["file", "cpu", "a2a3", "a5", "a5-custom"]
    assert row.split()[1:] == ["✗", "2", "✓", "✓", "✗", "2"]
    assert done.stdout.count("error[PTO-A301]") == 1
    assert ptoas("verify", LOOKUP).exit_code == 0  # the file names a5


def test_verify_prints_json_sarif_and_github() -> None:
    as_json = ptoas("verify", "--target", "cpu", "--format", "json", LOOKUP)
    found = json.loads(as_json.stdout)
    assert {d["code"] for d in found if d["severity"] == "error"} == {"PTO-A301", "PTO-A302"}
    assert all(d["line"] == 17 for d in found if d["severity"] == "error")
    sarif = json.loads(ptoas("verify", "--target", "cpu", "--format", "sarif", LOOKUP).stdout)
    assert sarif["version"] == "2.1.0"
    github = ptoas("verify", "--target", "cpu", "--format", "github", LOOKUP).stdout
    assert "::error file=" in github and "line=17,col=9" in github


def test_colour_is_used_only_on_request() -> None:
    assert "\x1b[" not in ptoas("verify", "--target", "cpu", LOOKUP).stdout
    assert "\x1b[" in ptoas("verify", "--target", "cpu", "--color", "always", LOOKUP).stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_runs_with_no_options_and_asserts_its_result(path: Path) -> None:
    text = path.read_text()
    assert find_assertions(Source(text, path.name)), "an example asserts something"
    assert ptoas("run", str(path)).exit_code == 0
    ranks = ("--ranks", "4") if "my_rank" in text else ()
    done = ptoas("run", str(path), "--check-file", *ranks)
    assert done.exit_code == 0, done.output
    assert "held" in done.stderr


def test_run_reports_what_differs_from_what_is_expected(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.npy"
    import numpy as np

    np.save(wrong, np.zeros((16, 32), np.float32))
    done = ptoas("run", LOOKUP, "--expect", f"out={wrong}")
    assert done.exit_code == 1
    assert "error[PTO-R" in done.stderr


def test_lower_prints_a_whole_unit() -> None:
    done = ptoas("lower", LOOKUP)
    assert done.exit_code == 0
    assert done.stdout.startswith("#include <cstddef>\n")
    assert "MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, tableGM, idx);" in done.stdout


def test_the_command_prints_the_reference() -> None:
    assert ptoas("instructions", "--format", "markdown").stdout == reference.markdown()


def test_closed_pipe_is_not_an_error() -> None:
    command = f"{sys.executable} -m ptoas rules | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env={**os.environ})
    assert "Traceback" not in done.stderr


def test_standard_input_is_checked_against_its_own_assertions() -> None:
    text = """.target a5
.arg %x : !pto.memref<8x8xf32>
%t = tload %x : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
tstore %t, %x
// RUN-CHECK: x == 1
"""
    for value, code in (("full:1", 0), ("full:2", 1)):
        result = ptoas("run", "-", "--check-file", "--arg", f"x={value}", text=text)
        assert result.exit_code == code, result.output


def test_instructions_and_targets_as_data() -> None:
    listed = json.loads(ptoas("instructions", "--format", "json").stdout)
    assert {"mgather", "tload", "comm.tgather"} <= {each["name"] for each in listed}
    assert "a5-custom" in ptoas("targets").stdout


def test_verify_can_be_quiet() -> None:
    """Warnings and the summary go, errors stay."""
    text = ".arg %a : !pto.tile<8x16xf32>\n%b = tadd %a, %a : !pto.tile<8x16xf32>\n"
    assert ptoas("verify", "--target", "a5", "-", text=text).stdout != ""
    quiet = ptoas("verify", "--target", "a5", "--quiet", "-", text=text)
    assert quiet.exit_code == 0 and quiet.stdout == ""
    wrong = ptoas("verify", "--target", "cpu", "--quiet", LOOKUP)
    assert wrong.exit_code == 1 and "PTO-A3" in wrong.stdout and "file" not in wrong.stdout.splitlines()[-1]


def test_run_on_all_targets_compares_them() -> None:
    done = ptoas("run", "--target", "all", LOOKUP)
    assert done.exit_code == 0
    assert "a2a3, a5: equal results" in done.stdout and "cpu: refused (PTO-A3" in done.stdout


def test_run_prints_its_result_as_json() -> None:
    data = json.loads(ptoas("run", "--format", "json", "--stats", "--trace", LOOKUP).stdout)
    assert data["target"] == "a5" and "out" in data["outputs"]
    assert data["stats"]["instructions"] == {"tload": 1, "mgather": 1, "tstore": 1}
    load, gather, store = data["trace"]
    assert (gather["op"], gather["pipes"], gather["block"], gather["core"]) == ("mgather", ["PIPE_V"], 0, 0)
    assert gather["writes"] == [
        {"name": "dst", "memory": "vec", "address": 0, "bytes": 2048, "shape": [16, 32], "dtype": "f32"}
    ]
    assert store["iteration"] == {} and load["line"] < gather["line"] < store["line"]


def test_a_run_shows_its_warnings() -> None:
    """A flag that stays up is no error, and is not passed over either."""
    text = (
        "func.func @f() {\n"
        "  pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]\n"
        "  return\n}\n"
    )
    done = ptoas("run", "--target", "a5", "--force", "-", text=text)
    assert done.exit_code == 0 and "PTO-R305" in done.stderr


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), 1, "more memory than available"),
        (RecursionError(), 1, "more depth than available"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_exhausted_resources_end_lower_without_a_traceback(
    error: BaseException, code: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("ptoas.cli.lower.lower_file", fail)
    done = ptoas("lower", LOOKUP)
    assert done.exit_code == code and words in done.stderr
    assert "Traceback" not in done.output


PLAIN = ".arg %a : !pto.tile<8x16xf32>\n%b = tadd %a, %a : !pto.tile<8x16xf32>\n"


def test_verify_reports_a_missing_target() -> None:
    assert "<stdin> names no target" not in ptoas("verify", "-", "--target", "all", text=PLAIN).stdout
    assert "names no target" not in ptoas("verify", "-", text=".target a5\n" + PLAIN).stdout
    last = ptoas("verify", "-", text=PLAIN).stdout.splitlines()[-1]
    assert last == "- names no target and none was asked for: checked for all; --target a5 asks for one"


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("ascend910b", "a2a3"),
        ("Ascend910B4", "a2a3"),
        ("Ascend910_93", "a2a3"),
        ("dav-c220", "a2a3"),
        ("Ascend910_9599", "a5"),
        ("Ascend950PR_9599", "a5"),
    ],
)
def test_chip_name_selects_its_target(name: str, target: str) -> None:
    assert json.loads(ptoas("run", "-", "--json", "--target", name, text=PLAIN).stdout)["target"] == target


@pytest.mark.parametrize("name", ["ascend910", "ascend", "ascend310", "910b"])
def test_another_chip_is_no_target(name: str) -> None:
    assert ptoas("verify", "-", "--target", name, text=PLAIN).exit_code == 2


def test_a_placed_program_becomes_values(tmp_path: Path) -> None:
    """The address follows the value that it is for, and comes back before it."""
    placed = """module {
  func.func @f(%x: !pto.memref<8x8xf32>) {
    %a = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
    pto.tassign %a, @tile(0x40) : !pto.tile_buf<vec, 8x8xf32>
    pto.tload ins(%x : !pto.memref<8x8xf32>) outs(%a : !pto.tile_buf<vec, 8x8xf32>)
    pto.tstore ins(%a : !pto.tile_buf<vec, 8x8xf32>) outs(%x : !pto.memref<8x8xf32>)
    return
  }
}
"""
    ssa = ptoas("convert", "-", "--to", "ssa", text=placed)
    assert ssa.exit_code == 0, ssa.stderr
    assert ssa.stdout.index("pto.tload") < ssa.stdout.index("pto.tassign %a, @tile(0x40)")
    assert ptoas("convert", "-", "--to", "dps", text=ssa.stdout).stdout == placed
    twice = placed.replace(
        "    pto.tload", "    pto.tassign %a, @tile(0x80) : !pto.tile_buf<vec, 8x8xf32>\n    pto.tload"
    )
    refused = ptoas("convert", "-", "--to", "ssa", text=twice)
    assert refused.exit_code == 1 and "`%a` is given two addresses" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("verify", "missing.pto"), ""),
        (("convert", "-", "--to", "ssa"), ""),
        (("convert", "-", "--to", "ssa"), "// nothing\n\n"),
        (("convert", "-", "--to", "ssa"), "func.func @f() {\n\n"),
        (("lower", "-", "--target", "a5", "-o", "/dev/null/folder.cpp"), PLAIN),
    ],
)
def test_no_finding_has_an_empty_frame(arguments: tuple[str, ...], text: str) -> None:
    output = ptoas(*arguments, text=text).output
    assert "error[PTO-" in output
    for frame in re.findall(r"^ *\d+ \|(.*)$", output, re.MULTILINE):
        assert frame.strip()


UNKNOWN = """.target a5
.arg %x : !pto.memref<8x8xf32>
.arg %go : i1
%a = tload %x : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
%b = tneg %a : !pto.tile<8x8xf32>
scf.if %go {
  pto.tnew ins(%a : !pto.tile<8x8xf32>) outs(%b : !pto.tile<8x8xf32>) {depth = 3 : i32}
}
tstore %b, %x
"""


def test_unknown_instruction_passes_every_command() -> None:
    for name in ("verify", "run", "lower"):
        assert "PTO-P020" in ptoas(name, "-", text=UNKNOWN).output, "without the option it is an error"
    keep = "--allow-unregistered"
    assert ptoas("verify", "-", keep, text=UNKNOWN).exit_code == 0
    assert ptoas("run", "-", keep, "--arg", "go=0", text=UNKNOWN).exit_code == 0, "it is not reached"
    reached = ptoas("run", "-", keep, "--arg", "go=1", text=UNKNOWN)
    assert reached.exit_code == 1 and "PTO-R505" in reached.stderr and "<stdin>:7:3" in reached.stderr
    lines = [line.strip() for line in ptoas("lower", "-", keep, text=UNKNOWN).stdout.splitlines()]
    at = lines.index("TNEW(b, a);")
    said = "// UNKNOWN to ptoas, neither checked nor synchronised; left out: depth = 3 : i32"
    assert lines[at - 1] == said
