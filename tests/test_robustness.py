# ruff: noqa: E501 - programs are text
"""Programs, files and settings that once ended in an internal error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ptoas.cli.main import main

LOCAL_POINTER = """
func.func @f(%out: !pto.memref<1x8xf32>, %p: !pto.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i64
  %one = arith.constant 1.0 : f32
  %q = pto.castptr %z : i64 -> !pto.ptr<f32, ub>
  pto.store_scalar %one, %q[%c0] : !pto.ptr<f32, ub>, f32
  %v = pto.load_scalar %q[%c0] : !pto.ptr<f32, ub> -> f32
  return
}
"""
MULTI_TILE = """
func.func @f(%x: !pto.memref<1x16xf32>) {{
  %c1 = arith.constant 1 : index
  %at = arith.constant 224 : {0}
  %m = pto.alloc_multi_tile addr = %at : !pto.multi_tile_buf<vec, 1x16xf32, count=2>
  %t = pto.multi_tile_get %m[%c1] : !pto.multi_tile_buf<vec, 1x16xf32, count=2> -> !pto.tile_buf<vec, 1x16xf32>
  pto.tload ins(%x : !pto.memref<1x16xf32>) outs(%t : !pto.tile_buf<vec, 1x16xf32>)
  return
}}
"""
COPY = """.arg %x : !pto.memref<1x8xf32>
.arg %out : !pto.memref<1x8xf32>
%a = tload %x : (!pto.memref<1x8xf32>) -> !pto.tile<1x8xf32>
tstore %a, %out
"""


def command(*arguments: str, text: str | None = None) -> Result:
    done = CliRunner().invoke(main, [*arguments], input=text)
    assert "PTO-X001" not in done.output, done.output
    return done


@pytest.mark.parametrize("several", ["--blocks", "--ranks"])
def test_blocks_and_ranks_load_scalars_through_local_pointers(several: str) -> None:
    done = command("run", "-", "--target", "a5", "--check", "mem", several, "2", text=LOCAL_POINTER)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("name", ["verify", "lower", "run"])
def test_the_base_of_a_multi_tile_may_have_few_bits(name: str) -> None:
    """The second tile is at 224 + 64, which eight bits do not hold."""
    done = command(name, "-", "--target", "a5", text=MULTI_TILE.format("ui8"))
    assert done.exit_code == 0, done.output
    if name == "lower":
        assert done.stdout == command("lower", "-", "--target", "a5", text=MULTI_TILE.format("i64")).stdout


def test_a_base_that_is_calculated_in_few_bits_is_refused() -> None:
    text = MULTI_TILE.format("i8").replace("  %at = arith.constant 224 : i8\n", "")
    text = text.replace("@f(", "@f(%at: i8, ")
    assert "an address of type i8" in command("verify", "-", "--target", "a5", text=text).output


@pytest.mark.parametrize("name", ["verify", "lower", "run"])
@pytest.mark.parametrize("size", [(64, 16), (16, 64), (64, 64)])
def test_a_subview_larger_than_its_fractal_tile_is_refused(name: str, size: tuple[int, int]) -> None:
    rows, cols = size
    tile = "!pto.tile_buf<mat, {0}x{1}xf16, blayout=col_major, slayout=row_major>"
    whole, part = tile.format(32, 32), tile.format(rows, cols)
    text = f"""
func.func @f(%t: {whole}) {{
  %z = arith.constant 0 : index
  %s = pto.subview %t[%z, %z] sizes [{rows}, {cols}] : {whole} -> {part}
  return
}}
"""
    assert "PTO-V111" in command(name, "-", "--target", "a5", text=text).output


@pytest.mark.parametrize(("name", "code"), [("lower", "PTO-L004"), ("run", "PTO-R505")])
def test_a_type_of_another_dialect_in_a_signature_is_refused(name: str, code: str) -> None:
    text = "func.func @f(%x: !foo.bar) {\n  return\n}\n"
    done = command(name, "-", "--target", "a5", "--allow-unregistered", text=text)
    assert done.exit_code == 1 and code in done.output and "!foo.bar" in done.output


def test_pictures_are_not_written_onto_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = command("report", "-", "--target", "a5", "--svg", str(tmp_path / "file"), text=COPY)
    assert done.exit_code == 1 and "Not a directory" in done.output


def test_closed_standard_input_is_a_diagnostic() -> None:
    code = "import sys; sys.stdin = None; from ptoas.cli.main import main; main(['verify', '-'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "standard input is closed" in done.stdout + done.stderr


def test_a_link_to_itself_does_not_stop_a_directory(tmp_path: Path) -> None:
    (tmp_path / "copy.pto").write_text(COPY)
    os.symlink("loop.pto", tmp_path / "loop.pto")
    done = command("verify", "--target", "a5", str(tmp_path))
    assert "loop.pto" in done.output and "PTO-P001" in done.output and "2 files, 1 error" in done.output


@pytest.mark.parametrize("text", ["tool = 3\n", "tool = 3 # [tool.ptoas]\n", "tool = []\n"])
def test_tool_in_a_configuration_is_a_table(text: str, tmp_path: Path) -> None:
    (tmp_path / "copy.pto").write_text(COPY)
    (tmp_path / "pyproject.toml").write_text(text)
    options = ["--config", str(tmp_path / "pyproject.toml")]
    assert "PTO-E952" in command("verify", *options, str(tmp_path / "copy.pto")).output


def test_carriage_return_line_ends_are_accepted(tmp_path: Path) -> None:
    text = ("# a comment\n" + COPY).replace("\n", "\r")
    (tmp_path / "old.pto").write_bytes(text.encode())
    assert command("verify", "--target", "a5", str(tmp_path / "old.pto")).exit_code == 0
    (tmp_path / "wrong.pto").write_bytes(text.replace("tstore", "tsotre").encode())
    assert "wrong.pto:5:1" in command("verify", str(tmp_path / "wrong.pto"), "--format", "concise").output


# --- time ------------------------------------------------------------------------------------------


def timed(*arguments: str) -> str:
    """Return the output of a command, which must not take long, however slow the machine is."""
    done = subprocess.run(
        [sys.executable, "-m", "ptoas", *arguments], capture_output=True, text=True, timeout=30
    )
    assert "PTO-X001" not in done.stdout + done.stderr
    return done.stdout + done.stderr


def test_wildcards_of_a_gitignore_take_no_long_time(tmp_path: Path) -> None:
    (tmp_path / f"{'a' * 96}.pto").write_text(COPY)
    (tmp_path / "old.pto").write_text("wrong")
    (tmp_path / ".gitignore").write_text("*a*a*a*a*a*a*ab\nold*\n")
    assert "1 file, 0 errors" in timed("verify", "--target", "a5", str(tmp_path))


@pytest.mark.parametrize(
    "text", ['exclude = ["*a*a*a*a*a*a*ab"]', '[per-file-ignores]\n"*a*a*a*a*a*a*ab" = ["PTO-A201"]']
)
def test_wildcards_of_a_configuration_are_counted(text: str, tmp_path: Path) -> None:
    (tmp_path / f"{'a' * 96}.pto").write_text(COPY)
    (tmp_path / "ptoas.toml").write_text(text)
    said = timed("verify", "--target", "a5", str(tmp_path))
    assert "PTO-E952" in said and "at most 3 `*`" in said


def test_a_key_of_many_parts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "copy.pto").write_text(COPY)
    (tmp_path / "ptoas.toml").write_text(".".join(["a"] * 50_000) + " = 1\n")
    said = timed("verify", "--target", "a5", str(tmp_path))
    assert "PTO-E950" in said and "a line has more than 128 dots" in said


def test_a_large_configuration_is_refused(tmp_path: Path) -> None:
    (tmp_path / "copy.pto").write_text(COPY)
    (tmp_path / "ptoas.toml").write_text("# a comment\n" * 100_000)
    assert "larger than 1 MiB" in timed("verify", "--target", "a5", str(tmp_path))
