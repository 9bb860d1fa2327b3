"""`ptoas test`: checks that stand in programs, with their arguments."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from ptoas.cli.main import main

ROOT = Path(__file__).parents[1]
COPY = """.arg %x   : !pto.memref<1x8xf32>
.arg %out : !pto.memref<1x8xf32>
%a = tload %x : (!pto.memref<1x8xf32>) -> !pto.tile<1x8xf32>
tstore %a, %out
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("copy.pto").write_text(
        COPY + "# ARGS: x=arange\n# ARGS[a5]: --blocks 1\n# RUN-CHECK: out == x\n"
        "# RUN-CHECK[a5, cpu]: sum(out) == 28\n"
    )
    Path("wrong.pto").write_text(".target a5\n" + COPY + "# RUN-CHECK: out == x\n# RUN-CHECK: out == x + 1\n")
    Path("idle.pto").write_text(COPY)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["test", *arguments])


def lines(done: Result) -> list[str]:
    return [line for line in done.stdout.splitlines() if line.startswith(("ok", "fail"))]


def test_a_run_takes_the_arguments_of_the_file_when_it_checks_it(here: Path) -> None:
    def held(*arguments: str) -> int:
        return CliRunner().invoke(main, ["run", "copy.pto", "--target", "a5", *arguments]).exit_code

    assert held("--check-file") == 0  # 0 + 1 + ... + 7 == 28, by the file's ARGS
    assert held("--check-file", "--arg", "x=full:2") == 1  # what is typed wins
    Path("copy.pto").write_text(COPY + "# ARGS[cpu]: x=arange\n# RUN-CHECK: sum(out) == 28\n")
    assert held("--check-file") == 1  # those were for another target
    Path("copy.pto").write_text(COPY + "# ARGS: --rnaks 4\n")
    assert (held("--check-file"), held()) == (1, 0)
    Path("copy.pto").write_text(COPY + "# ARGS: x=[3, 1, 2, 0, 5, 4, -7, 6]\n# RUN-CHECK: out[0, 6] == -7\n")
    assert held("--check-file") == 0


def test_every_check_on_every_target_it_names(here: Path) -> None:
    done = run(".")
    assert done.exit_code == 1
    assert lines(done) == [
        "ok    copy.pto:7 [cpu] out == x",
        "ok    copy.pto:8 [cpu] sum(out) == 28",
        "ok    copy.pto:7 [a2a3] out == x",
        "ok    copy.pto:7 [a5] out == x",
        "ok    copy.pto:8 [a5] sum(out) == 28",
        "ok    copy.pto:7 [a5-custom] out == x",
        "ok    wrong.pto:6 [a5] out == x",
        "fail  wrong.pto:7 [a5] out == x + 1",
    ]
    assert "8 checks in 3 files: 7 ok, 1 failed; 1 file without a check" in done.stdout
    assert "error[PTO-R702] [a5]: does not hold: out == x + 1" in done.stderr
    assert lines(run(".", "-q")) == ["fail  wrong.pto:7 [a5] out == x + 1"]
    assert run("copy.pto").exit_code == 0
    assert run(".", "-j", "2").stdout.splitlines()[:-1] == done.stdout.splitlines()[:-1]


def test_some_of_them(here: Path) -> None:
    assert lines(run(".", "-k", "SUM")) == [
        "ok    copy.pto:8 [cpu] sum(out) == 28",
        "ok    copy.pto:8 [a5] sum(out) == 28",
    ]
    assert lines(run("copy.pto", "--target", "a2a3")) == ["ok    copy.pto:7 [a2a3] out == x"]
    assert lines(run("copy.pto", "-k", "copy.pto:8 [a5]")) == ["ok    copy.pto:8 [a5] sum(out) == 28"]


def test_nothing_to_check_is_a_failure(here: Path) -> None:
    for arguments in (["idle.pto"], [".", "-k", "nowhere"], ["wrong.pto", "--target", "cpu"]):
        done = run(*arguments)
        assert done.exit_code == 1 and "PTO-E955" in done.stderr
    Path("idle").mkdir()
    for name in ("a.pto", "b.pto"):
        Path("idle", name).write_text(Path("idle.pto").read_text())
    assert "there is no RUN-CHECK in idle (2 files)" in run("idle").stderr
    assert "-k and --target leave no RUN-CHECK of wrong.pto" in run("wrong.pto", "--target", "cpu").stderr
    Path("empty").mkdir()
    assert "PTO-T201" in run("empty").stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("# ARGS: x", "neither NAME=VALUE nor an option"),
        ("# ARGS: --rnaks 4", "did you mean `--ranks`?"),
        ("# ARGS: --rnaks 4 x=zeros", "did you mean `--ranks`?"),
        ("# ARGS: --rnaks=4 x=zeros", "did you mean `--ranks`?"),
        ("# ARGS: --seed many", "`--seed` needs a number"),
        ("# ARGS: --entry", "`--entry` needs a value"),
        ("# ARGS: x='", "no closing quotation"),
        ("# ARGS[a6]: x=1", "there is no target 'a6'"),
    ],
)
def test_arguments_that_can_not_be_read(here: Path, line: str, words: str) -> None:
    Path("wrong.pto").write_text(f".target a5\n{COPY}{line}\n# RUN-CHECK: out == x\n")
    done = run("wrong.pto")
    assert done.exit_code == 1 and words in done.stderr
    assert done.stderr.count("error[PTO-E954]") == 1, "each is said once"


def test_words_after_an_unknown_option(here: Path) -> None:
    """The first may be its value, a second one is not."""
    Path("wrong.pto").write_text(f".target a5\n{COPY}# ARGS: --rnaks 4 5\n# RUN-CHECK: out == x\n")
    done = run("wrong.pto")
    assert "`4`" not in done.stderr and "`5` is neither" in done.stderr


def test_a_program_that_does_not_run(here: Path) -> None:
    Path("wrong.pto").write_text(".target a5\n" + COPY + "# ARGS: y=1 --aicore\n# RUN-CHECK: out == x\n")
    done = run("wrong.pto")
    assert lines(done) == ["fail  wrong.pto:7 [a5] out == x"] and "PTO-R60" in done.stderr
    Path("wrong.pto").write_text("no program\n# RUN-CHECK: 1\n")
    assert lines(run("wrong.pto")) == ["fail  wrong.pto:1"]
    assert "PTO-P001" in run("missing.pto").stderr


def test_a_host_reads_the_outcomes(here: Path) -> None:
    Path("broken.pto").write_text("no program\n# RUN-CHECK: 1\n")
    run(".", "--junit", "out.xml")
    root = ElementTree.parse("out.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("9", "1", "1")
    (case,) = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert (case.get("file"), case.get("line")) == ("wrong.pto", "7")
    failure = case.find("failure")
    assert (
        failure is not None and failure.get("type") == "PTO-R702" and "out == x + 1" in (failure.text or "")
    )
    assert "<testsuites" in run("copy.pto", "--junit", "-").stdout


def test_the_examples_hold() -> None:
    done = run(str(ROOT / "examples" / "embedding_lookup.pto"), str(ROOT / "examples" / "all_gather.pto"))
    assert done.exit_code == 0 and "5 checks in 2 files: 5 ok" in done.stdout


def test_the_kernels_of_the_examples_compute_what_numpy_does() -> None:
    kernels = (
        *("softmax", "layer_norm", "rms_norm", "rope", "top_k", "padded_embedding"),
        *("dense_relu", "flash_attention", "all_reduce"),
    )
    done = run(*(str(ROOT / "examples" / f"{name}.pto") for name in kernels))
    assert done.exit_code == 0 and "12 checks in 9 files: 12 ok" in done.stdout
