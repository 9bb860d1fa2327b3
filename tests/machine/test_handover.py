"""A gather whose tile is stored right after it passes its selection to the store, without observable
difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoas
from ptoas.compiler.run import run
from ptoas.diagnostics import PtoasError
from ptoas.machine import handover

ROWS, WIDTH, COUNT = 50, 256, 48

PROGRAM = """
!data = !pto.tile_buf<vec, 16x256xf32{valid}>
!index = !pto.tile_buf<vec, 1x16xi32>
!part = !pto.partition_tensor_view<16x256xf32>
module attributes {{pto.target_arch = "a5"}} {{
  func.func @embed(%table: !pto.memref<50x256xf32>, %idx: !pto.memref<1x48xi32>,
                   %out: !pto.memref<48x256xf32>, %more: !pto.memref<16x256xf32>, %last: index) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %n = arith.constant 48 : index
    %w = arith.constant 256 : index
    %i = pto.alloc_tile{at_index} : !index
    %d = pto.alloc_tile{at_data} : !data
    %e = pto.alloc_tile{at_other} : !data
    scf.for %k = %c0 to %n step %c16 {{
      %ip = pto.partition_view %idx, offsets = [%c0, %k], sizes = [%c1, %c16]
          : !pto.memref<1x48xi32> -> !pto.partition_tensor_view<1x16xi32>
      pto.tload ins(%ip : !pto.partition_tensor_view<1x16xi32>) outs(%i : !index)
      pto.mgather ins(%table, %i : !pto.memref<50x256xf32>, !index) outs(%d : !data)
          {{coalesce = #pto<coalesce row>{oob}}}
      %at = arith.minsi %k, %last : index
      %op = pto.partition_view {memory}, offsets = [%at, %c0], sizes = [%c16, %w]
          : !pto.memref<{memory_rows}x256xf32> -> !part
      pto.tstore ins(%d : !data) outs(%op : !part)
    }}
    {after}
    return
  }}
}}
"""

SEEN = "pto.tstore ins(%d : !data) outs(%more : !pto.memref<16x256xf32>)"
OTHER = """pto.tabs ins(%e : !data) outs(%e : !data)
    pto.tstore ins(%e : !data) outs(%more : !pto.memref<16x256xf32>)"""

CASES: dict[str, dict[str, Any]] = {
    "stored only": {},
    "and looked at later": {"after": SEEN},
    "another tile has its bytes": {
        "after": OTHER,
        "at_index": " addr = %c40960",
        "at_data": " addr = %c0i",
        "at_other": " addr = %c8192",
        "checks": "none",
    },
    "clamped": {"oob": ", gatherOob = #pto<gather_oob clamp>", "most": 200},
    "wrapped": {"oob": ", gatherOob = #pto<gather_oob wrap>", "most": 200},
    "zeros": {"oob": ", gatherOob = #pto<gather_oob zero>", "most": 200},
    "into the table itself": {"memory": "%table", "memory_rows": 50},
}


def program(**case: Any) -> str:
    text = PROGRAM.format(
        valid="",
        at_index=case.get("at_index", ""),
        at_data=case.get("at_data", ""),
        at_other=case.get("at_other", ""),
        oob=case.get("oob", ""),
        memory=case.get("memory", "%out"),
        memory_rows=case.get("memory_rows", 48),
        after=case.get("after", ""),
    )
    addresses = "".join(
        f"    %{name} = arith.constant {at} : i64\n"
        for name, at in (("c0i", 0), ("c8192", 8192), ("c40960", 40960))
        if f"%{name}" in text
    )
    return text.replace("    %i = pto.alloc_tile", addresses + "    %i = pto.alloc_tile")


def arguments(most: int = ROWS, last: int = 32) -> dict[str, Any]:
    rng = np.random.default_rng(4)
    return {
        "table": rng.standard_normal((ROWS, WIDTH), np.float32),
        "idx": rng.integers(0, most, (1, COUNT)).astype(np.int32),
        "out": np.zeros((COUNT, WIDTH), np.float32),
        "more": np.zeros((16, WIDTH), np.float32),
        "last": last,
    }


def outcome(text: str, given: dict[str, Any], checks: str) -> object:
    try:
        run(ptoas.parse(text, "test.pto"), given, checks=checks, force=True)
    except PtoasError as error:
        return [(each.code, each.message) for each in error.diagnostics]
    return {name: value.tobytes() for name, value in given.items() if isinstance(value, np.ndarray)}


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_instructions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = dict(CASES[name])
    checks = [case.pop("checks")] if "checks" in case else ["none", "mem,init", "all"]
    most, text = case.pop("most", ROWS), program(**case)
    put_off: list[handover.DeferredGather] = []
    gathering = handover.Handover.gathering

    def watched(self: handover.Handover, step: Any) -> Any:
        put_off.extend([step.later] if step.later is not None else [])
        return gathering(self, step)

    for each in checks:
        put_off.clear()
        with monkeypatch.context() as patch:
            patch.setattr(handover, "LEAST_BYTES", 1 << 40)
            expected = outcome(text, arguments(most), each)
        with monkeypatch.context() as patch:
            patch.setattr(handover.Handover, "gathering", watched)
            found = outcome(text, arguments(most), each)
        assert found == expected
        assert bool(put_off) == (name != "zeros"), "the gather is put off where its work has two parts"


def test_the_first_error_is_that_of_the_gather() -> None:
    """Its index is outside, and so is what comes after it."""
    given = arguments(last=-1)
    given["idx"][0, 3] = ROWS
    (found,) = outcome(program(), given, "all")  # type: ignore[misc]
    assert found[0] == "PTO-R101"
    (found,) = outcome(program(), arguments(last=-1), "all")  # type: ignore[misc]
    assert found[0] == "PTO-R103"


@pytest.mark.parametrize(
    "name, unseen",
    [("stored only", True), ("and looked at later", False), ("another tile has its bytes", False)],
)
def test_a_tile_that_is_looked_at_is_filled(name: str, unseen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bool] = []
    start = handover.Handover.__init__

    def watched(self: handover.Handover, unseen: bool, machine: Any) -> None:
        made.append(unseen)
        start(self, unseen, machine)

    monkeypatch.setattr(handover.Handover, "__init__", watched)
    case = {k: v for k, v in CASES[name].items() if k not in ("checks", "most")}
    ptoas.compile(ptoas.parse(program(**case), "test.pto"), force=True)
    assert made == [unseen]
