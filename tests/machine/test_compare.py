# ruff: noqa: E501 - programs are text
"""One text, two targets, two results: which rule of the two makes the difference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import ptoas
from ptoas.runner.compare import Comparison, Difference, first_difference
from ptoas.runner.run import run, run_all


def differences(text: str, targets: tuple[str, str], arguments: dict[str, Any]) -> Comparison:
    return run_all(ptoas.parse(text, "test.pto"), arguments, targets=targets, force=True)


F8 = "!pto.tile_buf<vec, 8x8xf32>"


def gather(table: str, index: str, suffix: str, dst: str = "8x8xf32") -> str:
    return f"""
.arg %table : !pto.memref<{table}>
.arg %idx : !pto.memref<{index}xi32>
.arg %out : !pto.memref<{dst}>
%i = tload %idx : (!pto.memref<{index}xi32>) -> !pto.tile<{index}xi32>
%d = mgather{suffix} %table, %i : (!pto.memref<{table}>, !pto.tile<{index}xi32>) -> !pto.tile<{dst}>
tstore %d, %out
"""


@dataclass
class Case:
    text: str
    targets: tuple[str, str]
    reason: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


CASES = {
    "tcvt": Case(
        """
.arg %a : !pto.memref<8x8xf32>
.arg %out : !pto.memref<8x8xf32>
%x = tload %a : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
%y = tcvt %x {rmode = #pto.round_mode<CAST_RINT>} : !pto.tile<8x8xf32> -> !pto.tile<8x8xf32>
tstore %y, %out
""",
        ("cpu", "a5"),
        "tcvt: devices round f32 to f32 to whole numbers",
        {"a": np.full((8, 8), 1.25, np.float32)},
    ),
    "tscatter": Case(
        f"""
func.func @main(%m: !pto.memref<8x8xf32>, %idx: !pto.memref<1x8xi32>, %out: !pto.memref<8x8xf32>) {{
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
  %s = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  %d = pto.alloc_tile : {F8}
  %one = arith.constant 1.0 : f32
  pto.tload ins(%m : !pto.memref<8x8xf32>) outs(%d : {F8})
  pto.tload ins(%idx : !pto.memref<1x8xi32>) outs(%i : !pto.tile_buf<vec, 1x8xi32>)
  pto.texpands ins(%one : f32) outs(%s : !pto.tile_buf<vec, 1x8xf32>)
  pto.tscatter ins(%s, %i : !pto.tile_buf<vec, 1x8xf32>, !pto.tile_buf<vec, 1x8xi32>) outs(%d : {F8})
  pto.tstore ins(%d : {F8}) outs(%out : !pto.memref<8x8xf32>)
  return
}}
""",
        ("cpu", "a5"),
        "tscatter: devices clear the destination first",
        {"m": np.full((8, 8), 7, np.float32), "idx": np.arange(8, dtype=np.int32).reshape(1, 8)},
    ),
    "padding": Case(
        """
func.func @main(%m: !pto.memref<2x5xf32>, %before: !pto.memref<3x16xf32>, %out: !pto.memref<3x16xf32>) {
  %a = arith.constant 0 : i64
  %t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 3x16xf32, valid=2x5>
  %w = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 3x16xf32>
  pto.tload ins(%before : !pto.memref<3x16xf32>) outs(%w : !pto.tile_buf<vec, 3x16xf32>)
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.tload ins(%m : !pto.memref<2x5xf32>) outs(%t : !pto.tile_buf<vec, 3x16xf32, valid=2x5>)
  pto.tstore ins(%w : !pto.tile_buf<vec, 3x16xf32>) outs(%out : !pto.memref<3x16xf32>)
  return
}
""",
        ("a2a3", "cpu"),
        "padding: a simulator's load fills the whole tile",
        {"before": np.full((3, 16), 7, np.float32)},
    ),
    "index width": Case(
        gather("7x8xf32", "8x8", ".elem.wrap"),
        ("cpu", "a5"),
        "index width (D12): 32 unsigned bits, or 64 on cpu",
        {"idx": np.full((8, 8), -1, np.int32), "table": np.arange(56, dtype=np.float32).reshape(7, 8)},
    ),
    "index width, the other first": Case(
        gather("7x8xf32", "8x8", ".elem.wrap"),
        ("a5", "cpu"),
        "index width (D12): 32 unsigned bits, or 64 on cpu",
        {"idx": np.full((8, 8), -1, np.int32), "table": np.arange(56, dtype=np.float32).reshape(7, 8)},
    ),
    "row stride": Case(
        gather("8x8xf32, nd, strides=[12, 1]", "1x8", ".row"),
        ("a2a3", "a5"),
        "row stride (D16)",
        {"idx": np.arange(8, dtype=np.int32).reshape(1, 8), "table": np.arange(64, dtype=np.float32).reshape(8, 8)},
    ),
    "NZ": Case(
        gather("1x2x1x16x8xf32, nz", "8x8", ".elem"),
        ("a2a3", "a5"),
        "NZ tables: only one of the two knows the layout",
        {
            "idx": np.arange(64, dtype=np.int32).reshape(8, 8),
            "table": np.arange(256, dtype=np.float32).reshape(1, 2, 1, 16, 8),
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_rule_that_makes_the_difference_is_named(name: str) -> None:
    case = CASES[name]
    found = differences(case.text, case.targets, case.arguments)
    (difference,) = found.differences
    assert (difference.first, difference.second) == case.targets
    assert any(reason.startswith(case.reason) for reason in difference.reasons), found.text()
    assert difference.text().startswith(f"out{list(difference.place)}: ")
    assert "different results" in found.text()


def test_a_target_alone_is_compared_with_nothing() -> None:
    found = run_all(
        ptoas.parse(CASES["row stride"].text), CASES["row stride"].arguments, targets=("a2a3", "a5")
    )
    assert "a2a3: ran" in found.text() and "a5: refused (PTO-" in found.text()
    assert "equal" not in found.text() and found.equal


def test_an_output_that_only_one_has() -> None:
    module = ptoas.parse(gather("8x8xf32", "8x8", ".elem"))
    a, b = (run(module, {"idx": np.zeros((8, 8), np.int32)}, target) for target in ("a2a3", "a5"))
    assert first_difference(a, b) is None
    del b.bits["out"]
    found = first_difference(a, b)
    assert isinstance(found, Difference) and found.values == ("an output", "none like it")
    assert "no rule of the two targets explains it" in found.text()
