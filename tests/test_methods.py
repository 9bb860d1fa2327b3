"""The methods of dataclasses are compiled once, and are the same as ever."""

from __future__ import annotations

import dataclasses
import marshal
import os
import subprocess
import sys
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest

from ptoas.cli import methods
from ptoas.cli.methods import Methods

ROOT = Path(__file__).parent.parent
LOOKUP = str(ROOT / "examples" / "embedding_lookup.pto")


def make(monkeypatch: pytest.MonkeyPatch, kept: Methods | None) -> type:
    """A class with every method that a dataclass can have."""
    if kept is not None:
        monkeypatch.setattr(dataclasses, "exec", kept.execute, raising=False)

    class Point:
        """A place."""

        x: int
        y: list[int] = dataclasses.field(default_factory=list[int])

    made = dataclasses.dataclass(frozen=True, order=True, unsafe_hash=True)(Point)
    monkeypatch.undo()
    return made


def test_methods_that_were_kept_are_those_that_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "kept"
    first = Methods(place)
    make(monkeypatch, first)
    assert first.new and not first.known
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    first.write()
    second = Methods(place)
    point, plain = make(monkeypatch, second), make(monkeypatch, None)
    assert second.known.keys() == first.new.keys() and not second.new
    for name in ("__init__", "__repr__", "__eq__", "__lt__", "__hash__", "__setattr__", "__delattr__"):
        ours, theirs = getattr(point, name), getattr(plain, name)
        assert ours.__code__ == theirs.__code__ and ours.__annotations__ == theirs.__annotations__, name
        assert ours.__globals__ is theirs.__globals__
    assert repr(point(1)) == "make.<locals>.Point(x=1, y=[])"
    assert point(1) < point(2) and point(1) == point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point(1).x = 2


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" + MAGIC_NUMBER[1:] + marshal.dumps({"x": 1}), MAGIC_NUMBER, MAGIC_NUMBER + marshal.dumps(7)],
    ids=["empty", "another Python's", "cut short", "something else"],
)
def test_a_file_that_is_not_ours_is_passed_over(data: bytes, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    place.write_bytes(data)
    assert Methods(place).known == {}


def test_nothing_is_written_where_python_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, silent in ((tmp_path / "kept", True), (tmp_path / "missing" / "kept", False)):
        kept = Methods(place)
        make(monkeypatch, kept)
        monkeypatch.setattr(sys, "dont_write_bytecode", silent)
        kept.write()
        assert list(tmp_path.iterdir()) == []


def test_a_file_that_grew_too_long_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Methods(tmp_path / "kept")
    monkeypatch.setattr(methods, "MOST", 2)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for text in ("a = 1", "b = 1", "c = 1"):
        kept.execute(text, {}, {})
        kept.write()
        kept = Methods(kept.path)
    assert list(kept.known) == ["c = 1"]


def test_a_command_compiles_no_method_again(tmp_path: Path) -> None:
    """And it finds nearly all of them: neither xDSL's nor ours are made in another way."""
    code = (
        "import sys; sys.pycache_prefix, sys.dont_write_bytecode = sys.argv.pop(), False\n"
        "from ptoas.cli import methods\n"
        "from ptoas.cli.main import main\n"
        "seen = []\n"
        "class Seen(methods.Methods):\n"
        "    def __init__(self, path): super().__init__(path); seen.append(self)\n"
        "methods.Methods = Seen\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(len(seen[0].known), len(seen[0].new))"
    )
    found: list[list[int]] = []
    for _ in range(2):
        command = [sys.executable, "-c", code, "convert", LOOKUP, "--to", "asm", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
        found.append([int(word) for word in done.stdout.split()[-2:]])
    (_, compiled), (known, more) = found
    assert found[0][0] == 0 and compiled > 100  # a class at a time from Python 3.13 on
    assert (known, more) == (compiled, 0)


def test_a_command_that_ends_at_once_keeps_them_too(tmp_path: Path) -> None:
    command = [sys.executable, "-X", f"pycache_prefix={tmp_path}", "-m", "ptoas", "convert", LOOKUP]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(
        [*command, "--to", "asm"], stdout=subprocess.DEVNULL, check=True, cwd=ROOT, env=environment
    )
    (kept,) = tmp_path.rglob("*.methods")
    assert len(Methods(kept).known) > 100


def test_a_dataclass_of_the_command_has_no_signature_for_a_docstring() -> None:
    """And all else that it had."""
    code = (
        "import dataclasses\n"
        "from ptoas.cli.methods import keep_methods\n"
        "keep_methods()\n"
        "@dataclasses.dataclass(frozen=True)\n"
        "class Point:\n"
        "    x: int\n"
        "@dataclasses.dataclass(slots=True)\n"
        "class Told:\n"
        "    'A place.'\n"
        "    y: int = 2\n"
        "print(Point.__doc__, Told.__doc__, Point(1), Told())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "Point A place. Point(x=1) Told(y=2)\n"
