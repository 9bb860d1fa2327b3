"""A project: its configuration, its comments, which of its files are looked at, and what is kept of them."""

from __future__ import annotations

import importlib.metadata
import json
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

import ptoas
from ptoas.cli import watching
from ptoas.cli.main import main
from ptoas.cli.terminal import use_colour
from ptoas.project import cache
from ptoas.project.find import find_files
from ptoas.project.pool import worker_count

ROOT = Path(__file__).parents[1]
GOOD = ".target a5\n.arg %a : !pto.tile<8x8xf32>\n%b = tneg %a : !pto.tile<8x8xf32>\n"
BAD = GOOD.replace("f32", "f64")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PTOAS_CACHE_DIR", str(tmp_path / "verdicts"))
    Path("good.pto").write_text(GOOD)
    Path("bad.pto").write_text(BAD)
    return tmp_path


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=text)


def codes(*arguments: str) -> list[str]:
    done = run("verify", *arguments, "--format", "json")
    return [finding["code"] for finding in json.loads(done.stdout)]


# --- configuration -----------------------------------------------------------------------------------


def test_a_configuration_is_found_and_obeyed(here: Path) -> None:
    assert "PTO-I101" in codes("bad.pto")
    Path("pyproject.toml").write_text('[tool.other]\nx = 1\n[tool.ptoas]\nignore = ["PTO-I1"]\n')
    assert codes("bad.pto") == []
    assert "PTO-I101" in codes("bad.pto", "--isolated")
    Path("sub").mkdir()
    Path("sub/ptoas.toml").write_text(
        'target = ["cpu", "a5"]\nselect = "PTO-I101,PTO-T"\nwerror = true\njobs = 1\n'
    )
    Path("sub/bad.pto").write_text(BAD)
    found = [
        d for d in json.loads(run("verify", "sub", "--format", "json").stdout) if d["code"] == "PTO-I101"
    ]
    assert {target for finding in found for target in finding["targets"]} == {"cpu", "a5"}
    assert codes("bad.pto", "--config", "sub/ptoas.toml").count("PTO-I101") == len(found)
    assert codes("sub/bad.pto", "--select", "PTO-N", "--target", "a5") == []


def test_patterns_of_a_configuration(here: Path) -> None:
    for name in ("old/a.pto", "gen/b.pto", "c.pto"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(BAD)
    Path("ptoas.toml").write_text(
        'exclude = ["old/", "ba*.pto"]\n[per-file-ignores]\n"gen/*" = ["PTO-I101"]\n'
    )
    done = run("verify", ".", "--format", "concise", "--no-cache")
    assert "c.pto:3" in done.output and "gen" not in done.output and "old" not in done.output
    assert "3 files" in done.output
    assert "bad.pto:3" in run("verify", "bad.pto", "--format", "concise").output, (
        "a file that is named is checked"
    )
    assert "4 files" not in run("fmt", ".", "--check").output


@pytest.mark.parametrize(
    ("text", "code", "place", "words"),
    [
        ("[tool.ptoas]\ntarget = [", "PTO-E950", "pyproject.toml:2:", "this is not TOML"),
        ('[tool.ptoas]\ntarget = "a5"\nselct = ["PTO-A"]\n', "PTO-E951", "pyproject.toml:3:1", "`select`"),
        ('[tool.ptoas]\nwerror = "yes"\n', "PTO-E952", "pyproject.toml:2:1", "true or false"),
        ("[tool.ptoas]\njobs = 0\n", "PTO-E952", "pyproject.toml:2:1", '"auto"'),
        ("[tool.ptoas]\nselect = 3\n", "PTO-E952", "pyproject.toml:2:1", "a list of texts"),
        ("[tool.ptoas]\nper-file-ignores = 3\n", "PTO-E952", "pyproject.toml:2:1", "a table of patterns"),
        ('[tool.ptoas]\ntarget = ["cpu", "a6"]\n', "PTO-E953", "pyproject.toml:2:18", "'a6'"),
        (
            '[tool.ptoas]\nignore = [\n  "PTO-A201",\n  "PTO-A2011",\n]\n',
            "PTO-E953",
            "pyproject.toml:4:3",
            "PTO-A201",
        ),
        ('[tool.ptoas.per-file-ignores]\n"x/*" = ["PTO-Z"]\n', "PTO-E953", "pyproject.toml:2:10", "PTO-Z"),
        ("[tool]\nptoas = 3\n[tool.ptoas2]\n", "PTO-E952", "pyproject.toml:", "a table"),
    ],
)
def test_invalid_configuration_is_reported_with_its_place(
    here: Path, text: str, code: str, place: str, words: str
) -> None:
    Path("pyproject.toml").write_text(text)
    done = run("verify", "good.pto", "--config", "pyproject.toml")
    assert done.exit_code == 2
    assert f"error[{code}]" in done.stderr and place in done.stderr and words in done.stderr


def test_run_and_lower_read_it(here: Path) -> None:
    copy = "".join(line for line in GOOD.splitlines(True) if not line.startswith(".target"))
    Path("copy.pto").write_text(copy)
    assert "no target" in run("lower", "copy.pto").stderr
    Path("ptoas.toml").write_text('target = "a5"\nexclude = ["bad.pto"]\njobs = 1\n')
    assert "TNEG(b, a);" in run("lower", "copy.pto").stdout
    assert run("run", "copy.pto", "--describe").exit_code == 0
    assert "no target" in run("run", "copy.pto", "--describe", "--isolated").stderr
    assert "2 files: 2 ok, 0 failed" in run("lower", ".", "-o", "build").stdout
    assert "3 files: 2 ok, 1 failed" in run("run", "copy.pto", "good.pto", "bad.pto").stdout  # named
    Path("ptoas.toml").write_text('target = "a6"\n')
    assert "PTO-E953" in run("run", "copy.pto").stderr
    Path("ptoas.toml").write_text('target = ["a2a3", "a5"]\n')  # which of them?
    assert "no target" in run("lower", "copy.pto").stderr
    Path("wrong.pto").write_text("%a = \n")
    assert "there is no target 'a9'" in run("lower", "wrong.pto", "--target", "a9").stderr


def test_a_configuration_that_is_not_there(here: Path) -> None:
    done = run("verify", "good.pto", "--config", "none.toml")
    assert done.exit_code == 2 and "PTO-E950" in done.stderr
    Path("none.toml").write_bytes(b"\xff")
    assert "not UTF-8" in run("fmt", "good.pto", "--config", "none.toml").stderr


# --- files ---------------------------------------------------------------------------------------------


def test_hidden_and_ignored_files_are_passed_over(here: Path) -> None:
    (here / ".git").mkdir()
    for name in (".hidden/a.pto", "build/b.pto", "sub/keep.pto", "sub/drop.pto", "sub/deep/x.pto", ".c.pto"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(GOOD)
    Path(".gitignore").write_text("build/\n*.pto\n!keep.pto\n")
    Path("sub/deep/.gitignore").write_text("!x.pto\n")
    assert find_files(["."]) == ([os.path.join("sub", "deep", "x.pto"), os.path.join("sub", "keep.pto")], [])
    assert find_files(["sub"])[0] == [os.path.join("sub", "deep", "x.pto"), os.path.join("sub", "keep.pto")]
    assert find_files(["build/b.pto", ".hidden/a.pto"])[0] == ["build/b.pto", ".hidden/a.pto"]
    (files, (problem,)) = find_files(["build"])
    assert files == [] and problem.code == "PTO-T201"


def test_pipes_and_devices_are_not_read(here: Path) -> None:
    for name in ("pipe.pto", ".gitignore", "ptoas.toml"):
        os.mkfifo(name)
    done = run("verify", ".", "--format", "concise")
    assert "can't read pipe.pto: it is a pipe" in done.output and "3 files" in done.output
    done = run("verify", "good.pto", "--config", "ptoas.toml")
    assert done.exit_code == 2 and "can't read ptoas.toml: it is a pipe" in done.stderr


# --- comments that ignore ------------------------------------------------------------------------------


def test_a_comment_keeps_a_finding_back(here: Path) -> None:
    text = BAD.rstrip("\n") + "  # ptoas: ignore[PTO-I101]\n"
    Path("bad.pto").write_text(text)
    assert codes("bad.pto") == []
    Path("bad.pto").write_text(BAD.replace("%b", "// ptoas: ignore[PTO-I]\n\n%b"))
    assert codes("bad.pto") == []
    Path("bad.pto").write_text(BAD.replace("%b", "# ptoas: ignore[PTO-A108, PTO-I101]\n%b"))
    assert codes("bad.pto") == ["PTO-N110"]
    assert codes("bad.pto", "--select", "PTO-I101") == [], "nobody looked for the other"
    assert codes("bad.pto", "--target", "cpu") == ["PTO-T103"], (
        "it may be for the target that was not asked for"
    )
    run("verify", "bad.pto", "--fix")
    assert "# ptoas: ignore[PTO-I101]\n" in Path("bad.pto").read_text()


@pytest.mark.parametrize(
    ("comment", "code"),
    [
        ("ignore[PTO-I101]", "PTO-N110"),
        ("ignore[PTO-I1O1]", "PTO-N111"),
        ("ignore", "PTO-N112"),
        ("ignore[]", "PTO-N112"),
    ],
)
def test_a_comment_that_keeps_nothing_back(here: Path, comment: str, code: str) -> None:
    Path("good.pto").write_text(GOOD.rstrip("\n") + f"  # ptoas: {comment}\n")
    assert codes("good.pto") == [code]
    assert run("verify", "good.pto", "--werror").exit_code == 1
    assert codes("good.pto", "--ignore", "PTO-N11") == []
    if code == "PTO-N110":
        run("verify", "good.pto", "--fix")
        assert Path("good.pto").read_text() == GOOD


# --- what is kept ----------------------------------------------------------------------------------------


def test_an_unchanged_tree_is_not_checked_again(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("broken.pto").write_text("no program\n")
    first = run("verify", ".", "--target", "all")
    assert len(list((here / "verdicts").rglob("??/*"))) == 3
    with monkeypatch.context() as patch:
        patch.setattr(
            "ptoas.project.verify_files.parse", lambda *_, **__: pytest.fail("it was checked again")
        )
        again = run("verify", ".", "--target", "all")
    assert again.stdout == first.stdout and again.exit_code == first.exit_code == 1
    for form in ("json", "sarif", "full"):
        plain = run("verify", ".", "--target", "all", "--format", form, "--no-cache").stdout
        assert run("verify", ".", "--target", "all", "--format", form).stdout == plain


def test_cached_verdict_depends_on_file_options_and_configuration(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept() -> int:
        run("verify", ".")
        return len(list((here / "verdicts").rglob("??/*")))

    assert kept() == 2 == kept()
    Path("good.pto").write_text(GOOD + "\n")
    assert kept() == 3
    run("verify", ".", "--target", "a5")
    assert kept() == 5
    Path("ptoas.toml").write_text('ignore = ["PTO-I101"]')
    assert run("verify", ".").exit_code == 0
    assert kept() == 7
    monkeypatch.setattr(cache, "__version__", "9.9")
    assert kept() == 9
    monkeypatch.setattr(cache, "_plugins", lambda: "another")
    assert kept() == 11
    installed = importlib.metadata.version
    for number, library in enumerate(("xdsl", "lark"), 1):
        monkeypatch.setattr(
            importlib.metadata, "version", lambda name, new=library: "9.9" if name == new else installed(name)
        )
        assert kept() == 11 + 2 * number
    run("verify", ".", "--no-cache", "--werror")
    run("verify", "good.pto", "--werror")
    assert kept() == 15


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_verdict_is_kept_whole_by_a_quiet_command(here: Path, jobs: str) -> None:
    for number in range(4):
        Path(f"bad{number}.pto").write_text(BAD)
    plain = run("verify", ".", "--no-cache", "--target", "all").output  # with notes for the other targets
    quiet = run("verify", ".", "-q", "-j", jobs, "--target", "all").output
    assert len(list((here / "verdicts").rglob("??/*"))) == 6
    assert run("verify", ".", "--target", "all").output == plain != quiet
    assert run("verify", ".", "-q", "--target", "all").output == quiet


def test_an_entry_that_is_damaged_is_none(here: Path) -> None:
    first = run("verify", ".")
    for number, entry in enumerate(sorted((here / "verdicts").rglob("??/*"))):
        entry.write_text("{" if number else '{"sources": [], "findings": [[1]]}')
    assert run("verify", ".").output == first.output
    for entry in (here / "verdicts").rglob("??/*"):
        entry.write_text("[" * 200_000)
    assert run("verify", ".").output == first.output
    for shelf in (here / "verdicts").rglob("??"):
        shelf.chmod(0o500)
    Path("good.pto").write_text(GOOD + "# more\n")
    assert run("verify", ".").exit_code == 1


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("findings", 0, 0), 3),
        (("findings", 0, 1), None),
        (("findings", 0, 2, 1), "0"),
        (("findings", 0, 2, 1), 10**9),
        (("findings", 0, 2, 1), -1),
        (("findings", 0, 2), [0, True, 1]),
        (("findings", 0, 4), [[7, None]]),
        (("findings", 0, 5), ["a fix"]),
        (("findings", 0, 6), "a5"),
        (("findings", 0, 7), [[[0, 0, 1], 5, True]]),
        (("findings", 0, 7), [[[0, 0, 1], "text", "yes"]]),
        (("sources",), [[1, None], [2, 3]]),
        (("targets",), "a5"),
        (("targets",), [5]),
        (("readable",), "no"),
        (("unnamed",), 0),
    ],
)
def test_an_entry_with_values_of_other_types_is_none(here: Path, where: tuple[Any, ...], value: Any) -> None:
    first = run("verify", ".")
    changed = 0
    for entry in (here / "verdicts").rglob("??/*"):
        kept = part = json.loads(entry.read_text())
        if where[0] == "findings" and not kept["findings"]:
            continue
        for key in where[:-1]:
            part = part[key]
        part[where[-1]] = value
        entry.write_text(json.dumps(kept))
        path = str(kept["path"])
        with pytest.raises((TypeError, ValueError, KeyError, IndexError)):
            cache._restored(path, Path(path).read_text(), kept)
        changed += 1
    assert changed
    assert run("verify", ".").output == first.output


def test_every_folder_of_the_cache_is_private(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTOAS_CACHE_DIR", str(here / "new" / "cache"))
    before = os.umask(0)
    try:
        run("verify", ".")
    finally:
        os.umask(before)
    made = [here / "new", *(path for path in (here / "new").rglob("*") if path.is_dir())]
    assert len(made) > 3 and {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}


def _fill(folder: str) -> None:
    os.environ["PTOAS_CACHE_DIR"] = folder
    one = cache.Cache("options")
    report = ptoas.project.verdicts.FileReport("a.pto", ptoas.diagnostics.report.Report((), ("a5",)))
    for number in range(300):
        one.put(f"ab{number:062x}", report)


def test_processes_share_a_folder_that_stays_small(here: Path) -> None:
    context = get_context("fork")
    both = [context.Process(target=_fill, args=(str(here / "v"),)) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
        assert each.exitcode == 0
    entries = list((here / "v").rglob("ab/*"))
    assert len(entries) <= cache.MOST_ENTRIES
    assert all(json.loads(entry.read_text())["targets"] == ["a5"] for entry in entries)


# --- the rest of the command ----------------------------------------------------------------------------


def test_watching_does_again_what_changed(here: Path) -> None:
    seen: list[tuple[list[str], list[str]]] = []
    steps = iter(
        (
            lambda: Path("good.pto").write_text(GOOD + "# more\n"),
            lambda: None,
            lambda: Path("new.pto").write_text(GOOD),
            lambda: Path("bad.pto").unlink(),
        )
    )

    def pause() -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    def work(files: Sequence[str], changed: Sequence[str]) -> None:
        seen.append((list(files), list(changed)))

    with pytest.raises(KeyboardInterrupt):
        watching.watch(lambda: find_files(["."])[0], work, pause)
    assert seen == [
        (["bad.pto", "good.pto"], ["bad.pto", "good.pto"]),
        (["bad.pto", "good.pto"], ["good.pto"]),
        (["bad.pto", "good.pto", "new.pto"], ["new.pto"]),
        (["good.pto", "new.pto"], []),
    ]


def test_the_command_watches_until_it_is_interrupted(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def enough(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(watching.time, "sleep", enough)
    done = run("verify", "good.pto", "bad.pto", "--watch", "--format", "concise")
    assert "2 files" in done.stdout and "stopped" in done.stderr and done.exit_code == 0


def test_standard_input_has_a_name_and_a_report_a_file(here: Path) -> None:
    done = run("verify", "-", "--stdin-filename", "there/x.pto", "--format", "concise", text=BAD)
    assert done.stdout.startswith("there/x.pto:3:")
    done = run("verify", "bad.pto", "--format", "sarif", "-o", "out.sarif")
    assert done.stdout == "" and done.exit_code == 1
    assert json.loads(Path("out.sarif").read_text())["version"] == "2.1.0"


def test_notes_on_other_targets_do_not_flood(here: Path) -> None:
    Path("bad.pto").write_text(GOOD)
    done = run("verify", ".", "--target", "all", "--format", "concise")
    assert "note" not in done.output
    assert (
        "2 files are written for another target than some that they were checked for [PTO-T103]"
        in done.output
    )
    assert (
        run("verify", "good.pto", "--target", "all", "--format", "concise").output.count("note[PTO-T103]")
        == 1
    )


def test_colour_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for value, expected in (("1", True), ("0", False), ("", False)):
        monkeypatch.setenv("FORCE_COLOR", value)
        assert use_colour(sys.stdout) is expected
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not use_colour(sys.stdout)
    assert "\x1b[" in run("verify", "missing.pto", "--color", "always").output


def test_worker_count_follows_the_number_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3}, raising=False)
    assert [worker_count("auto", n) for n in (0, 1, 15, 16, 500)] == [1, 1, 1, 2, 4]
    assert [worker_count(2, n) for n in (0, 1, 500)] == [1, 1, 2]
    assert run("verify", "-j", "0", "x").exit_code == 2
    assert run("verify", "-j", "many", "x").exit_code == 2


def test_processes_find_what_one_finds(here: Path) -> None:
    for number in range(20):
        Path(f"more{number}.pto").write_text(BAD if number % 3 else GOOD)
    one = run("verify", ".", "--no-cache", "-j", "1")
    assert run("verify", ".", "--no-cache", "-j", "2").output == one.output
    one = run("lower", ".", "-o", "one", "-j", "1")
    assert run("lower", ".", "-o", "one", "-j", "2").output == one.output
    assert "ok " not in run("lower", ".", "-o", "one", "-q").output


@pytest.mark.parametrize(
    ("typed", "incomplete", "expected"),
    [
        (["verify", "--target"], "a", {"a2a3", "a5", "a5-custom", "all"}),
        (["verify", "--target"], "cpu,a2", {"cpu,a2a3"}),
        (["explain"], "pto-a30", {"PTO-A301", "PTO-A302"}),
        (["verify", "--ignore"], "PTO-N11", {"PTO-N110", "PTO-N111", "PTO-N112"}),
        (["lower", "--until"], "insert", {"insert-fences", "insert-sync"}),
    ],
)
def test_a_shell_completes(typed: list[str], incomplete: str, expected: set[str]) -> None:
    complete = ShellComplete(main, {}, "ptoas", "_PTOAS_COMPLETE")
    found = {item.value for item in complete.get_completions(typed, incomplete)}
    assert found == expected


@pytest.mark.heavy
def test_pre_commit_runs_the_hooks(here: Path) -> None:
    """The real program, in a repository; the hooks are ours, in the environment that has ptoas already."""
    import yaml

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    for hook in hooks:
        command = hook["entry"].removeprefix("ptoas ")
        hook.update(language="system", entry=f"{sys.executable} -m ptoas {command}")
    Path(".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]}))
    environment = {**os.environ, "PRE_COMMIT_HOME": str(here / "home"), "PYTHONPATH": str(ROOT)}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b"}

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, capture_output=True, text=True, env=environment, check=False)

    Path("checked.pto").write_text(
        ".target a5\n.arg %x : !pto.memref<8x8xf32>\n.arg %out : !pto.memref<8x8xf32>\n"
        "%a = tload %x : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>\ntstore   %a, %out\n"
        "# RUN-CHECK: out == x\n"
    )
    call("git", "init", "-q")
    call("git", "add", "checked.pto", "bad.pto", ".pre-commit-config.yaml")
    done = call(sys.executable, "-m", "pre_commit", "run", "--all-files")
    assert done.returncode == 1, done.stderr
    said = {
        line.split("..")[0]: line.rstrip(".").split(".")[-1]
        for line in done.stdout.splitlines()
        if "..." in line
    }
    assert said == {"ptoas verify": "Failed", "ptoas fmt": "Failed", "ptoas test": "Passed"}
    assert "PTO-I101" in done.stdout and "tstore %a, %out" in Path("checked.pto").read_text()


# --- known findings and counts -----------------------------------------------------------------------

UNORDERED = """\
.target a5
.arg %x : !pto.memref<8x64xf32>
.arg %y : !pto.memref<8x64xf32>
%a = tload %x
set_flag[PIPE_MTE2, PIPE_V, EVENT_ID0]
wait_flag[PIPE_MTE2, PIPE_V, EVENT_ID0]
%b = texp %a
tstore %b, %y
"""


def test_baseline_hides_known_findings_when_lines_move(here: Path) -> None:
    (here / "a.pto").write_text(UNORDERED)
    written = run("verify", "a.pto", "--update-baseline", "known.json")
    assert (written.exit_code, written.output) == (0, "1 finding written to known.json\n")
    (here / "a.pto").write_text(f"# A comment.\n{UNORDERED}")
    assert run("verify", "a.pto", "--baseline", "known.json").exit_code == 0
    (here / "a.pto").write_text(f"{UNORDERED}wait_flag[PIPE_V, PIPE_S, EVENT_ID3]\n")
    new = run("verify", "a.pto", "--baseline", "known.json", "--format", "concise")
    assert new.exit_code == 1
    assert "a.pto:9:" in new.output and "a.pto:8:" not in new.output


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2, "findings": {}}', None])
def test_baseline_that_cannot_be_read_is_a_usage_error(here: Path, text: str | None) -> None:
    (here / "a.pto").write_text(UNORDERED)
    if text is not None:
        (here / "known.json").write_text(text)
    result = run("verify", "a.pto", "--baseline", "known.json")
    assert result.exit_code == 2 and "PTO-E962" in result.output


def test_statistics_count_codes(here: Path) -> None:
    for name in ("a.pto", "b.pto"):
        (here / name).write_text(UNORDERED)
    result = run("verify", "a.pto", "b.pto", "--statistics", "--exit-zero")
    first, *_, last = result.output.splitlines()
    assert first.startswith("2  PTO-F101  ") and first.endswith("(2 files)")
    assert last == "2 files, 2 errors, 0 warnings; 2 fixable with --fix --unsafe-fixes"
    assert result.exit_code == 0


def test_severities_of_the_configuration_are_those_of_the_findings(here: Path) -> None:
    (here / "a.pto").write_text(UNORDERED)
    (here / "ptoas.toml").write_text('[severities]\n"PTO-F" = "note"\nPTO-F1 = "warning"\n')
    result = run("verify", "a.pto")
    assert result.exit_code == 0 and "warning[PTO-F101]" in result.output, "the longer prefix decides"
    assert run("verify", "a.pto", "--werror").exit_code == 1
    (here / "ptoas.toml").write_text('[severities]\n"PTO-F101" = "note"\n')
    assert "note[PTO-F101]" in run("verify", "a.pto", "--werror").output


def test_wrong_severities_are_findings_with_their_place(here: Path) -> None:
    (here / "a.pto").write_text(UNORDERED)
    (here / "ptoas.toml").write_text('[severities]\nPTO-F101 = "fatal"\n')
    result = run("verify", "a.pto")
    assert result.exit_code == 2 and "ptoas.toml:2:1" in result.stderr
    assert "PTO-F101: found 'fatal', expected error or warning or note" in result.stderr
    (here / "ptoas.toml").write_text('[severities]\nPTO-F999 = "error"\n')
    result = run("verify", "a.pto")
    assert result.exit_code == 2 and "there is no code `PTO-F999`" in result.stderr
    (here / "ptoas.toml").write_text('severities = "error"\n')
    assert "expected a table of codes" in run("verify", "a.pto").stderr


def test_verbose_prints_configuration_and_files(here: Path) -> None:
    for name in ("a.pto", "b.pto"):
        (here / name).write_text(UNORDERED)
    (here / "ptoas.toml").write_text('target = ["a5", "a2a3"]\n')
    first, second = (run("verify", "a.pto", "b.pto", "-v").stderr for _ in range(2))
    assert first == (
        "configuration: ptoas.toml\ntargets: a2a3, a5\n"
        "files: 2, of which 0 have not changed since they were checked\n"
    )
    assert "files: 2, of which 2 have not changed" in second
    assert "targets: those that programs name, else all" in run("verify", "a.pto", "-v", "--isolated").stderr


def test_sync_of_the_configuration_is_overridden_by_the_option(here: Path) -> None:
    (here / "a.pto").write_text(UNORDERED)
    (here / "ptoas.toml").write_text('sync = "auto"\n')
    assert run("verify", "a.pto").exit_code == 0
    assert run("verify", "a.pto", "--sync", "manual").exit_code == 1
