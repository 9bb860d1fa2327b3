"""The statements of docs/coming-from-ptoas.md on options and C++ hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from ptoas.cli.main import main

KERNEL = """module {
  func.func @scale(%x: !pto.ptr<f32>, %out: !pto.ptr<f32>)
      attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %factor = arith.constant 2.0 : f32
    %vx = pto.make_tensor_view %x, shape = [%c8, %c8], strides = [%c8, %c1] : !pto.tensor_view<8x8xf32>
    %vo = pto.make_tensor_view %out, shape = [%c8, %c8], strides = [%c8, %c1] : !pto.tensor_view<8x8xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
    %d = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
    pto.tload ins(%vx : !pto.tensor_view<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
    pto.tmuls ins(%t, %factor : !pto.tile_buf<vec, 8x8xf32>, f32) outs(%d : !pto.tile_buf<vec, 8x8xf32>)
    pto.tprint ins(%d : !pto.tile_buf<vec, 8x8xf32>)
    pto.tstore ins(%d : !pto.tile_buf<vec, 8x8xf32>) outs(%vo : !pto.tensor_view<8x8xf32>)
    return
  }
}
"""

SAID = [
    # options: what is given, and what is then printed
    ("lower --target a3", "#include <pto/pto-inst.hpp>"),
    ("lower --target a5", "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);"),
    ("lower --target a5 --sync all", "pipe_barrier(PIPE_ALL);"),
    ("lower --target a5 --sync manual", "error[PTO-F101]"),
    ("lower --target a5 --print-after insert-sync", "// after insert-sync"),
    ("lower --target a5 --print-after all", "// after plan-memory"),
    ("lower --target a5 --until plan-memory", "addr = "),
    ("convert --to dps", "pto.tmuls ins(%t, %factor"),
    ("lower --target a5 --annotate", "// "),
    # the C++
    ("lower --target a5", 'extern "C" __global__ AICORE void scale(__gm__ float *x, __gm__ float *out)'),
    ("lower --target a5", "#if defined(__DAV_VEC__)"),
    ("lower --target a5", "set_mask_norm();"),
    ("lower --target a5", "set_vector_mask(-1, -1);"),
    ("lower --target a5", "TMULS(d, t, 2.0f);"),
    # prints for debugging
    ("lower --target a5", "TPRINT(d"),
    ("run --target a5 --trace", "tmuls"),
    ("run --target a5 --print out", "%out at the end"),
    ("run --target a5 --describe", "direction"),
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("coming") / "kernel.pto"
    path.write_text(KERNEL)
    return path


@pytest.mark.parametrize(("words", "printed"), SAID)
def test_statements_of_the_page_hold(words: str, printed: str, file: Path) -> None:
    command, *options = words.split()
    done = CliRunner().invoke(main, [command, str(file), *options], catch_exceptions=True)
    assert printed in done.output + str(done.exception or "")


def test_missing_target_is_reported(file: Path) -> None:
    done = CliRunner().invoke(main, ["lower", str(file)])
    assert done.exit_code == 2 and "target" in done.output
