"""The command `lower`: read, lower, write; whole files or none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ptoas
from ptoas.compiler.lower import lower_file
from ptoas.diagnostics import PtoasError
from ptoas.lowering import PASSES, UnknownPassError

TEXT = """
.arg %a : !pto.memref<16x16xf32>
.arg %out : !pto.memref<16x16xf32>
%x = tload %a : (!pto.memref<16x16xf32>) -> !pto.tile<16x16xf32>
%y = tadd %x, %x : !pto.tile<16x16xf32>
tstore %y, %out
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "double.pto"
    path.write_text(TEXT)
    return str(path)


def test_a_file_becomes_a_file(source: str, tmp_path: Path) -> None:
    target = tmp_path / "double.cpp"
    target.write_text("old")
    target.chmod(0o640)
    text = lower_file(source, "a5", str(target))
    assert target.read_text() == text and "TADD(y, x, x);" in text
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["double.cpp", "double.pto"]


def test_a_link_is_not_followed(source: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("kept")
    link = tmp_path / "out.cpp"
    link.symlink_to(kept)
    with pytest.raises(PtoasError, match="link"):
        lower_file(source, "a5", str(link))
    assert kept.read_text() == "kept" and link.is_symlink()


def test_a_missing_folder_of_the_output_is_made(source: str, tmp_path: Path) -> None:
    target = tmp_path / "new" / "out.cpp"
    assert lower_file(source, "a5", str(target)) == target.read_text()


def test_a_failure_leaves_the_old_output(source: str, tmp_path: Path) -> None:
    target = tmp_path / "out.cpp"
    target.write_text("old")
    Path(source).write_text(TEXT.replace("tadd", "tdivide"))
    with pytest.raises(PtoasError):
        lower_file(source, "a5", str(target))
    assert target.read_text() == "old"


def test_until_prints_the_module_after_a_pass(source: str) -> None:
    text = lower_file(source, "a5", until="plan-memory")
    module = ptoas.parse(text)
    names = {op.name for op in module.walk()}
    assert "pto.alloc_tile" in names and "pto.set_flag" not in names
    assert "pto.set_flag" in {
        op.name for op in ptoas.parse(lower_file(source, "a5", until="insert-sync")).walk()
    }


@pytest.mark.parametrize("option", ["until", "print_after"])
def test_an_unknown_pass_is_refused_before_anything_is_read(option: str) -> None:
    with pytest.raises(UnknownPassError, match="fuse"):
        lower_file("no such file", "a5", **{option: "fuse"})


def test_the_module_is_shown_after_passes(source: str) -> None:
    shown: list[str] = []
    lower_file(source, "a5", print_after="all", show=shown.append)
    heads = [text.partition("\n")[0] for text in shown]
    assert heads == [f"// after {name}" for name in PASSES if name != "legalize-cpu"]
    shown.clear()
    lower_file(source, "a5", print_after="plan-memory", show=shown.append)
    assert len(shown) == 1
