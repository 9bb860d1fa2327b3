"""No flag goes from one core to another."""

from __future__ import annotations

from tests.machine.support import execute, failing

TEXT = """
func.func @main() {
  pto.set_flag[<PIPE_FIX>, <PIPE_V>, <EVENT_ID0>]
  pto.wait_flag[<PIPE_FIX>, <PIPE_V>, <EVENT_ID0>]
  return
}
"""


def test_flags_do_not_cross_cores() -> None:
    """A program that `verify` refuses, run in spite of that."""
    assert "no core has both" in failing("PTO-R130", TEXT, sync="manual").message
    execute(TEXT, target="cpu", sync="manual")
