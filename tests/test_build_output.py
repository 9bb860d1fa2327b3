"""Build output of PyPTO: units under `ptoas/`, golden data beside them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ptoas.cli.main import main
from ptoas.runner.torch_file import read_torch

UNIT = """module attributes {pto.target_arch = "a2a3"} {
  func.func @double(%arg0: !pto.ptr<f32>, %arg1: !pto.ptr<f32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %x = pto.make_tensor_view %arg0, shape = [%c8, %c8], strides = [%c8, %c1] : !pto.tensor_view<8x8xf32>
    %y = pto.make_tensor_view %arg1, shape = [%c8, %c8], strides = [%c8, %c1] : !pto.tensor_view<8x8xf32>
    %xp = pto.partition_view %x, offsets = [%c0, %c0], sizes = [%c8, %c8]
        : !pto.tensor_view<8x8xf32> -> !pto.partition_tensor_view<8x8xf32>
    %yp = pto.partition_view %y, offsets = [%c0, %c0], sizes = [%c8, %c8]
        : !pto.tensor_view<8x8xf32> -> !pto.partition_tensor_view<8x8xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
    pto.tload ins(%xp : !pto.partition_tensor_view<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
    pto.tadd ins(%t, %t : !pto.tile_buf<vec, 8x8xf32>, !pto.tile_buf<vec, 8x8xf32>)
        outs(%t : !pto.tile_buf<vec, 8x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32>) outs(%yp : !pto.partition_tensor_view<8x8xf32>)
    return
  }
}
"""
GOLDEN = """import torch
__outputs__ = ["out"]
RTOL = 0.001
ATOL = 0
def generate_inputs(params):
    a = torch.randn((8, 8))
    return [
        ("a", a),
        ("out", torch.zeros((8, 8))),
    ]
raise SystemExit("this file is not run")
"""


def save_torch(
    path: Path, array: np.ndarray, name: bytes = b"FloatStorage", count: int | None = None
) -> None:
    """Write what `torch.save` writes for a tensor; there is no torch here."""
    rows, columns = array.shape

    def text(word: bytes) -> bytes:
        return b"X" + len(word).to_bytes(4, "little") + word

    def pair(first: int, second: int) -> bytes:
        return b"K" + bytes([first]) + b"K" + bytes([second]) + b"\x86"

    size = (array.size if count is None else count).to_bytes(4, "little")
    storage = b"(" + text(b"storage") + b"ctorch\n" + name + b"\n" + text(b"0") + text(b"cpu") + b"J" + size
    strides = pair(array.strides[0] // array.itemsize, array.strides[1] // array.itemsize)
    described = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"tQK\x00" + pair(rows, columns) + strides
    described = b"\x80\x02" + described + b"\x89ccollections\nOrderedDict\n)RtR."
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", described)
        archive.writestr("archive/byteorder", "little")
        archive.writestr("archive/data/0", array.tobytes("A"))


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build of one unit with golden data and one without, in a folder that git ignores."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("build_output/\n")
    for name in ("first", "second"):
        (tmp_path / "build_output" / name / "ptoas").mkdir(parents=True)
        (tmp_path / "build_output" / name / "ptoas" / "double.pto").write_text(UNIT)
    first = tmp_path / "build_output" / "first"
    (first / "golden.py").write_text(GOLDEN)
    data = np.arange(64, dtype=np.float32).reshape(8, 8)
    save_torch(first / "data" / "in" / "a.pt", data)
    save_torch(first / "data" / "out" / "out.pt", 2 * data)
    return first


def ptoas(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_units_are_compared_with_their_golden_data(build: Path) -> None:
    result = ptoas("test", "build_output", "--junit", "units.xml", "-j", "1")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "ok    build_output/first/ptoas/double.pto:1 [a2a3] golden data"
    assert lines[1] == "ok    build_output/second/ptoas/double.pto:1 [a2a3] generated arguments"
    assert lines[2].startswith("2 checks in 2 files: 2 ok, 0 failed")
    root = ElementTree.parse("units.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "0")


@pytest.mark.parametrize("command", ["test", "run"])
def test_result_that_differs_from_golden_data_fails(build: Path, command: str) -> None:
    save_torch(build / "data" / "out" / "out.pt", np.ones((8, 8), np.float32))
    result = ptoas(command, "build_output")
    assert result.exit_code == 1
    assert "arg1 differs from build_output/first/data/out/out.pt" in result.output
    assert "1 ok, 1 failed" in result.output


def test_tolerance_is_that_of_the_script(build: Path) -> None:
    near = 2.0005 * np.arange(64, dtype=np.float32).reshape(8, 8)
    save_torch(build / "data" / "out" / "out.pt", near)
    assert ptoas("test", "build_output").exit_code == 0
    (build / "golden.py").write_text(GOLDEN.replace("RTOL = 0.001", "RTOL = 1e-6"))
    assert ptoas("test", "build_output").exit_code == 1


def test_verify_and_run_have_a_line_for_each_unit(build: Path) -> None:
    verified = ptoas("verify", "build_output", "--isolated")
    assert verified.exit_code == 0
    assert [line for line in verified.output.splitlines() if "double.pto" in line][1:] != []
    run = ptoas("run", "build_output")
    assert run.output.splitlines()[-1] == "2 files: 2 ok, 0 failed"
    assert run.output.count("ok    build_output/") == 2


def test_data_of_parameters_is_found_by_name(build: Path) -> None:
    (build / "golden.py").unlink()
    assert "golden data" not in ptoas("test", "build_output").output
    (build / "ptoas" / "double.pto").write_text(UNIT.replace("%arg0", "%a").replace("%arg1", "%out"))
    assert "[a2a3] golden data" in ptoas("test", "build_output").output


def test_tensors_keep_their_shape_strides_and_type(tmp_path: Path) -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    save_torch(tmp_path / "t.pt", array)
    assert np.array_equal(read_torch(tmp_path / "t.pt"), array)
    save_torch(tmp_path / "t.pt", array.T)
    assert np.array_equal(read_torch(tmp_path / "t.pt"), array.T)
    save_torch(tmp_path / "t.pt", array.astype(np.int16), b"ShortStorage")
    assert read_torch(tmp_path / "t.pt").dtype == np.int16


def test_a_file_of_tensors_runs_no_code_and_allocates_no_more_than_it_has(tmp_path: Path) -> None:
    path = tmp_path / "t.pt"
    mark = tmp_path / "ran"
    code = b"cos\nmkdir\n(X" + len(str(mark)).to_bytes(4, "little") + str(mark).encode() + b"tR."
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", code)
    with pytest.raises(ValueError, match=r"it names os\.mkdir"):
        read_torch(path)
    assert not mark.exists()
    save_torch(path, np.zeros((2, 2), np.float32), count=2_000_000_000)
    with pytest.raises(ValueError, match="declares"):
        read_torch(path)
    save_torch(path, np.zeros((2, 2), np.float32), count=3)
    with pytest.raises(ValueError, match="larger than its elements"):
        read_torch(path)
