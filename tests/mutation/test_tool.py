"""The mutation tool on a toy: it finds the mutants, kills what is tested, and names what is not."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation.mutants import mutants
from tests.mutation.rooms import ROOMS
from tests.mutation.runner import ROOT
from tests.mutation.survivors import explained, read

TOY = Path(__file__).with_name("toy.py")

RUN = """
import json, sys
from tests.mutation.runner import Module, run_room
results = run_room([Module("tests/mutation/toy.py")], ["tests/mutation/toy_cases.py"])
sys.stderr.write(json.dumps([[r.mutant.text, r.mutant.change, r.outcome, r.test] for r in results]))
"""


def test_every_mutant_of_a_toy_is_judged() -> None:
    before = TOY.read_text()
    done = subprocess.run([sys.executable, "-c", RUN], cwd=ROOT, capture_output=True, text=True, check=False)
    assert TOY.read_text() == before
    results = json.loads(done.stderr.splitlines()[-1])
    alive = [(text, change, outcome) for text, change, outcome, _ in results if outcome != "killed"]
    assert alive == [
        ("return a < b", "< to <=", "survived"),
        ("return a * 2", "return None", "not run"),
        ("return a * 2", "* to //", "not run"),
        ("return a * 2", "2 to 3", "not run"),
    ]
    tests = {(text, change): test.partition("::")[2] for text, change, _, test in results}
    assert tests["if number < LIMIT:", "< to <="] == "test_small"
    # This one takes effect when the module is imported.
    assert tests["LIMIT = 3", "3 to 4"] in ("test_limit", "test_small")


@pytest.mark.parametrize(("source", "noticed"), [("LIMIT = 3", False), ("LIMIT = 4", True)])
def test_a_module_whose_own_examples_are_run_is_the_changed_one(
    tmp_path: Path, source: str, noticed: bool
) -> None:
    task = {
        "file": str(TOY),
        "source": TOY.read_text().replace("LIMIT = 3", source),
        "tests": [
            "tests/mutation/toy.py::tests.mutation.toy.clamp",
            "tests/mutation/toy_cases.py::test_limit",
        ],
    }
    (tmp_path / "task.json").write_text(json.dumps(task))
    command = [sys.executable, "-m", "tests.mutation.fresh", str(tmp_path / "task.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (
        (1, "tests/mutation/toy_cases.py::test_limit") if noticed else (0, "")
    )


CHANGES = [
    ("a and b", "and to or", "a or b"),
    ("a and b", "operand 1 of 2 dropped", "b and b"),
    ("not a", "not dropped", "a and a"),
    ("f(-1)", "-1 to 0", "f(0)"),
    ("x % 4", "% to //", "x // 4"),
    ("f(True)", "True to False", "f(False)"),
    ("min(a, b)", "min to max", "max(a, b)"),
    ("[x for x in y if x]", "filter dropped", "[x for x in y]"),
    ("a is None", "is to is not", "a is not None"),
]


@pytest.mark.parametrize(("before", "change", "after"), CHANGES)
def test_changes(before: str, change: str, after: str) -> None:
    found = {m.change: m for m in mutants(f"z = {before}\n")}
    assert ast.unparse(found[change].tree()) == f"z = {after}"


@pytest.mark.parametrize(
    "text", ['f"{n + 1} rows"', '"a" if n < 2 else "b"', '"text" + word', 'mismatch("rows", n + 1, 1)']
)
def test_messages_stay(text: str) -> None:
    assert mutants(f"z = {text}\n") == []


def test_every_mutant_of_the_rooms_compiles() -> None:
    for room in ROOMS.values():
        for module in room.modules:
            for mutant in module.mutants()[::97]:
                compile(mutant.tree(), module.path, "exec")


def test_every_explanation_is_about_a_line_that_exists() -> None:
    entries = explained()
    for entry in entries:
        found = {(m.text, m.change) for m in mutants((ROOT / entry.module).read_text())}
        for change in entry.changes:
            assert (entry.text, change) in found, f"{entry.module}: {entry.text} · {change}"


def test_an_explanation_is_read() -> None:
    (entry,) = read("# Title\n## `a.py`\nprose\n- `if x:` · condition True; condition False: no one asks\n")
    assert entry.covers("a.py", "if x:", "condition False")
    assert not entry.covers("a.py", "if x:", "and to or")
    assert not entry.covers("b.py", "if x:", "condition True")
