"""`ptoas compare` with a library of a few lines: equal bytes, other bytes, and what can go wrong before."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import ptoas
from ptoas.cli.main import main
from ptoas.diagnostics.data import load_data
from ptoas.dialects.pto import OPS
from ptoas.simulator.compare import differing
from ptoas.simulator.faults import BUILD, BYTES, STOPS, likely_causes
from tests.comm.remote_programs import ring

ROOT = Path(__file__).parents[2]

LIBRARY = """
#pragma once
#include <cstdint>
#include <cstdlib>
#define AICORE
#define __gm__
namespace pto {
enum class TileType { Vec };
template <int...> struct Shape {};
template <int...> struct Stride {};
template <typename T, typename S, typename D>
struct GlobalTensor {
    T *at;
    explicit GlobalTensor(T *p) : at(p) {}
};
inline unsigned char local[1 << 12];
template <TileType L, typename T, int R, int C>
struct Tile {
    static constexpr int count = R * C;
    T *at = nullptr;
    T *data() { return at; }
};
template <typename X>
void TASSIGN(X &tile, long address) { tile.at = reinterpret_cast<decltype(tile.at)>(local + address); }
template <unsigned long Address, typename X>
void TASSIGN(X &tile) { TASSIGN(tile, static_cast<long>(Address)); }
template <typename X, typename G>
void TLOAD(X &tile, G &memory)
{
    for (int i = 0; i < X::count; ++i) tile.at[i] = memory.at[i];
}
template <typename G, typename X>
void TSTORE(G &memory, X &tile)
{
    for (int i = 0; i < X::count; ++i) memory.at[i] = tile.at[i];
}
template <typename X, typename S>
void TADDS(X &to, X &from, S number)
{
    for (int i = 0; i < X::count; ++i) to.at[i] = from.at[i] + number;
#ifdef WRONG
    to.at[3] = 1.5f;
#endif
#ifdef STOPS
    std::abort();
#endif
#ifdef HANGS
    for (volatile int i = 0;;) i = i;
#endif
}
template <typename X>
void TEXP(X &to, X &from) { TADDS(to, from, 1); }
}
"""
PROGRAM = """.arg %x : !pto.memref<2x8xf32>
.arg %t : !pto.tile<2x8xf32>
.arg %s : f32
.arg %out : !pto.memref<2x8xf32>
%a = tload %x : (!pto.memref<2x8xf32>) -> !pto.tile<2x8xf32>
%b = tadds %a, %s : (!pto.tile<2x8xf32>, f32) -> !pto.tile<2x8xf32>
tstore %b, %out
%left = tadds %t, %s : (!pto.tile<2x8xf32>, f32) -> !pto.tile<2x8xf32>
"""
COPY = """.arg %x : !pto.memref<2x8xf32>
%a = tload %x : (!pto.memref<2x8xf32>) -> !pto.tile<2x8xf32>
tstore %a, %x
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("library")
    (root / "include" / "pto").mkdir(parents=True)
    (root / "include" / "pto" / "pto-inst.hpp").write_text(LIBRARY)
    return root / "include"


@pytest.fixture(scope="module")
def cxx() -> str:
    found = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
    if found is None:
        pytest.skip("there is no C++ compiler")
    return found


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.pto"
    path.write_text(PROGRAM)
    return path


def command(*words: object) -> Result:
    return CliRunner().invoke(main, ["compare", *(str(word) for word in words)], catch_exceptions=False)


def codes(result: Result) -> list[str]:
    return [error["code"] for error in json.loads(result.stdout)["errors"]]


def test_the_same_bytes(library: Path, cxx: str, kernel: Path) -> None:
    """Memory, a tile of the caller's, a scalar, and a tile that nobody reads."""
    done = command(kernel, "--include", library, "--cxx", cxx, "--keep", kernel.parent / "kept")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == "equal: x 2x8xf32, t 2x8xf32, out 2x8xf32, left 2x8xf32\n"
    assert "TADDS(b, a, s);" in (kernel.parent / "kept" / "kernel.cpp").read_text()


LAUNCHED = """
func.func @rows(%x: !pto.memref<2x8xf32>, %__pypto_spmd_block_idx: i32, %out: !pto.memref<2x8xf32>,
                %__pypto_spmd_block_num: index, %n: f32, %__pypto_spmd_subblock_idx: i64) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32>
  %block = arith.sitofp %__pypto_spmd_block_idx : i32 to f32
  %count = arith.index_cast %__pypto_spmd_block_num : index to i32
  %blocks = arith.sitofp %count : i32 to f32
  %lane = arith.sitofp %__pypto_spmd_subblock_idx : i64 to f32
  %a = arith.addf %block, %blocks : f32
  %b = arith.addf %a, %lane : f32
  %s = arith.addf %b, %n : f32
  pto.tload ins(%x : !pto.memref<2x8xf32>) outs(%t : !pto.tile_buf<vec, 2x8xf32>)
  pto.tadds ins(%t, %s : !pto.tile_buf<vec, 2x8xf32>, f32) outs(%t : !pto.tile_buf<vec, 2x8xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 2x8xf32>) outs(%out : !pto.memref<2x8xf32>)
  return
}
"""


def test_driver_passes_the_launch_parameters(library: Path, cxx: str, tmp_path: Path) -> None:
    (tmp_path / "rows.pto").write_text(LAUNCHED)
    done = command(
        tmp_path / "rows.pto", "--include", library, "--cxx", cxx, "--arg", "n=3", "--keep", tmp_path / "kept"
    )
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == "equal: x 2x8xf32, out 2x8xf32\n"


def test_the_driver_passes_the_number_of_each_block(library: Path, tmp_path: Path) -> None:
    """The small library has no blocks, so it ends with the text."""
    (tmp_path / "rows.pto").write_text(LAUNCHED.replace("  pto.tstore", "  // pto.tstore"))
    command(
        *(tmp_path / "rows.pto", "--include", library, "--cxx", "false", "--keep", tmp_path / "kept"),
        *("--arg", "n=3", "--blocks", 2),
    )
    made = (tmp_path / "kept" / "driver.cpp").read_text()
    call = next(line for line in made.splitlines() if "rows(" in line)
    assert "static_cast<int32_t>(block)" in call and "(2)" in call and "static_cast<int64_t>(0)" in call


def test_cores_that_pass_tiles_are_threads(library: Path, tmp_path: Path) -> None:
    """The generated entry starts a thread per core; the build fails, as the small library has no channels."""
    text = (ROOT / "examples" / "cube_to_vector.pto").read_text().replace('"a5"', '"cpu"')
    (tmp_path / "cores.pto").write_text(text)
    done = command(
        tmp_path / "cores.pto", "--include", library, "--cxx", "false", "--keep", tmp_path / "kept"
    )
    assert done.exit_code == 1 and "PTO-R71" in done.stderr
    made = (tmp_path / "kept" / "kernel.cpp").read_text()
    assert made.count("std::thread ") == 3 and 'extern "C" void relu_rows(' in made


def test_other_bytes_are_shown_with_their_place(library: Path, cxx: str) -> None:
    module = ptoas.parse(
        PROGRAM.replace("tadds %a, %s :", "texp %a :").replace("32>, f32) -> ", "32>) -> ", 1)
    )
    x = np.zeros((2, 8), np.float32)
    found = ptoas.compare(module, str(library), {"x": x, "s": 0.5}, cxx=f"{cxx} -DWRONG")
    out, left = found.outputs[2:]
    assert not found.equal and (out.name, out.count) == ("out", 1)
    # exp(0) is the 1 that this library gives, but for the element that it spoils.
    assert [(d.place, d.run, d.program) for d in out.first] == [
        ((0, 3), "1.0 (0x3f800000)", "1.5 (0x3fc00000)")
    ]
    assert (left.name, left.count) == ("left", 1) and left.first[0].place == (0, 3)
    assert [error.code for error in found.errors] == ["PTO-R710", "PTO-R710"]
    assert found.errors[0].span.line == 4
    assert any("the simulator's texp" in note.message for note in found.errors[0].notes)
    assert "out: 1 of 16 elements differ" in found.text()


CHAIN = """.arg %x : !pto.memref<2x8xf32>
.arg %out : !pto.memref<2x8xf32>
%a = tload %x : (!pto.memref<2x8xf32>) -> !pto.tile<2x8xf32>
%c1 = arith.constant 1 : index
%c0 = arith.constant 0 : index
scf.for %i = %c0 to %c1 step %c1 {
  %b = tadds %a, 2.0 : (!pto.tile<2x8xf32>, f32) -> !pto.tile<2x8xf32>
  %c = texp %b : !pto.tile<2x8xf32>
  %d = tadds %c, 4.0 : (!pto.tile<2x8xf32>, f32) -> !pto.tile<2x8xf32>
  tstore %d, %out
}
"""


def test_the_first_instruction_that_differs_is_named(library: Path, cxx: str) -> None:
    """The small library's `texp` adds one; what follows from its result is not blamed."""
    found = ptoas.compare(ptoas.parse(CHAIN), str(library), {"x": np.zeros((2, 8), np.float32)}, cxx=cxx)
    note = found.errors[0].notes[0]
    assert "is the first instruction whose result differs: [0, 0] is 7.38" in note.message
    assert ", 3.0 (0x40400000) in the compiled program" in note.message
    assert note.span is not None and note.span.line == 8


@pytest.mark.parametrize(
    ("flag", "code", "said"),
    [
        ("STOPS", "PTO-R714", "was stopped by SIGABRT"),
        ("HANGS", "PTO-R715", "did not end within 0.5 s"),
        ("TADDS=1", "PTO-R713", "rejects the C++"),
    ],
)
def test_program_without_output_is_reported(
    library: Path, cxx: str, kernel: Path, flag: str, code: str, said: str
) -> None:
    words = (kernel, "--include", library, "--cxx", f"{cxx} -D{flag}", "--timeout", 0.5)
    done = command(*words, "--json")
    assert done.exit_code == 1 and codes(done) == [code]
    (error,) = json.loads(done.stdout)["errors"]
    assert said in error["message"]
    if code == "PTO-R713":
        assert any("error" in note["message"] for note in error["notes"])


def test_a_directory_of_programs(library: Path, cxx: str, tmp_path: Path) -> None:
    (tmp_path / "copy.pto").write_text(COPY)
    (tmp_path / "missing.pto").write_text(COPY.replace("tstore", "tneg"))
    done = command(tmp_path, "--include", library, "--cxx", cxx)
    assert done.exit_code == 1
    good, bad, summary = done.stdout.splitlines()
    assert good == f"ok    {tmp_path}/copy.pto: equal: x 2x8xf32" and bad.startswith("fail  ")
    assert summary == "2 files: 1 ok, 1 failed"
    assert command(tmp_path, "--include", library, "--keep", tmp_path / "k").exit_code == 2


@pytest.mark.parametrize(
    ("words", "code", "fix"),
    [
        (("--include", "no/such"), "PTO-R712", None),
        (("--include", "{library}/.."), "PTO-R712", "--include"),
        (("--include", "{library}", "--cxx", "no-such-c++ -O2"), "PTO-R711", "--cxx"),
        (("--include", "{library}", "--cxx", "'open"), "PTO-R711", "--cxx"),
    ],
)
def test_what_is_not_there(
    library: Path, kernel: Path, words: tuple[str, ...], code: str, fix: str | None
) -> None:
    done = command(kernel, *(word.format(library=library) for word in words), "--json")
    assert done.exit_code == 2 and codes(done) == [code]
    assert (fix or "") in (json.loads(done.stdout)["errors"][0]["fix"] or "")


def test_no_compiler_at_all(library: Path, kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(kernel.parent))
    monkeypatch.delenv("CXX", raising=False)
    done = command(kernel, "--include", library)
    assert done.exit_code == 2 and "PTO-R711" in done.stderr and "none of clang++, g++" in done.stderr


CALLED = """
func.func @outer(%x: !pto.memref<2x8xf32>) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32>
  pto.tload ins(%x : !pto.memref<2x8xf32>) outs(%a : !pto.tile_buf<vec, 2x8xf32>)
  func.call @inner(%a) : (!pto.tile_buf<vec, 2x8xf32>) -> ()
  return
}
func.func @inner(%t: !pto.tile_buf<vec, 2x8xf32>) {
  pto.tneg ins(%t : !pto.tile_buf<vec, 2x8xf32>) outs(%t : !pto.tile_buf<vec, 2x8xf32>)
  return
}
"""


@pytest.mark.parametrize(("text", "options"), [(ring(2, 8), {}), (CALLED, {"entry": "inner"})])
def test_kernel_without_a_driver_is_rejected(
    library: Path, cxx: str, text: str, options: dict[str, Any]
) -> None:
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.compare(ptoas.parse(text), str(library), cxx=cxx, **options)
    assert [d.code for d in caught.value.diagnostics] == ["PTO-R716"]


def test_bits_are_compared_not_numbers() -> None:
    """Zeros of both signs and two NaNs are equal or unequal as their bits are."""
    from ptoas.machine.dtypes import by_text

    ours = np.array([0.0, -0.0, np.nan, 2.0], np.float32).view(np.uint32)
    theirs = np.array([-0.0, -0.0, np.nan, 2.0], np.float32).view(np.uint32)
    found = differing("x", ours, theirs, by_text("f32"))
    assert found.count == 1 and found.first[0].program == "-0.0 (0x80000000)"


def test_every_fault_is_one_of_an_instruction() -> None:
    known = {op.name.removeprefix("pto.") for op in OPS}
    faults = load_data("simulator_faults")
    named = {
        name
        for symptom in (BUILD, STOPS, BYTES)
        for each in faults[symptom]
        for name in each["names"].split()
    }
    assert named <= known
    text = ".arg %x : !pto.tile<1x16xbf16>\n%y = tneg %x : !pto.tile<1x16xbf16>\n"
    (note,) = likely_causes(ptoas.parse(text), "bytes")
    assert note.message.startswith("likely: the simulator's bf16 is half precision")
    assert list(likely_causes(ptoas.parse(text), "build")) == []


def test_a_lane_number_can_t_be_passed_to_threads(library: Path) -> None:
    text = (ROOT / "examples" / "cube_to_vector.pto").read_text().replace('"a5"', '"cpu"')
    types = "(!pto.ptr<f16>, !pto.memref<64x64xf16>, !pto.ptr<f32>, index) -> ()"
    calls = "".join(
        f"    func.call @relu_rows_{kind}(%a, %b, %out, %tiles) : {types}\n" for kind in ("cube", "vector")
    )
    entry = (
        "  func.func @both(%a: !pto.ptr<f16>, %b: !pto.memref<64x64xf16>, %out: !pto.ptr<f32>, "
        f"%tiles: index, %__pypto_spmd_subblock_idx: i32) {{\n{calls}    return\n  }}\n}}\n\n# RUN-CHECK"
    )
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.compare(ptoas.parse(text.replace("}\n\n# RUN-CHECK", entry, 1)), str(library), cxx="false")
    assert [d.code for d in caught.value.diagnostics] == ["PTO-R716"]
