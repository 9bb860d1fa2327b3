"""Statements of `verify` about all schedules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import ptoas
from ptoas.cli.main import main
from tests.differential.schedules import FENCE, ONE, ROW, TILE, head

COPY = """
.target a5
.arg %x : !pto.memref<8x8xf32>
.arg %out : !pto.memref<8x8xf32>
%a = tload %x
tstore %a, %out
"""

EACH = "%many64 = pto.get_block_num\n%many = arith.index_cast %many64 : i64 to index"


def row(name: str, at: str) -> str:
    part = f"offsets = [{at}, %c0], sizes = [%c1, %c8]"
    return f"{name} = pto.partition_view %out, {part} : !pto.memref<8x8xf32> -> {ROW}"


def store(view: str, suffix: str = "") -> str:
    return f"pto.tstore ins(%t : {TILE}) outs({view} : {ROW}){suffix}"


def claim(*lines: str, target: str = "a5") -> str:
    module = ptoas.parse("\n".join([*head(), *lines, "return", "}"]))
    assert ptoas.verify(module, target, sync="auto").ok
    (found,) = ptoas.certify(module, target, sync="auto")
    return found.text


PROVED = "every schedule gives the same result, for any data"


def test_a_kernel_that_never_asks_for_its_block_is_one_block() -> None:
    (found,) = ptoas.certify(ptoas.parse(COPY), "a5")
    assert found.every_schedule and not found.blocks
    assert found.text == "every schedule of one block gives the same result, for any data"


@pytest.mark.parametrize(
    "lines",
    [
        (row("%p", "%me"), store("%p")),
        # Four rows for each block, one after the other.
        (
            "%base = arith.muli %me, %c4 : index",
            "scf.for %i = %c0 to %c4 step %c1 {",
            "%at = arith.addi %base, %i : index",
            row("%p", "%at"),
            store("%p"),
            "}",
        ),
        # Every n-th row of n blocks.
        (EACH, "scf.for %i = %me to %c8 step %many {", row("%p", "%i"), store("%p"), "}"),
        # As a loop over rows of its own, with a bound that is computed.
        (
            "%base = arith.muli %me, %c2 : index",
            "%end = arith.addi %base, %c2 : index",
            "%last = arith.minsi %end, %c7 : index",
            "scf.for %i = %base to %last step %c1 {",
            row("%p", "%i"),
            store("%p"),
            "}",
        ),
        # Nobody writes what all of them read.
        (f"pto.tload ins(%m0 : {ROW}) outs(%t : {TILE})", row("%p", "%me"), store("%p")),
    ],
)
def test_blocks_with_rows_of_their_own_have_one_result(lines: tuple[str, ...]) -> None:
    assert claim(*lines) == PROVED


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ((store("%o0"),), "bytes of `%out` that another core may touch"),
        (("%half = arith.divsi %me, %c2 : index", row("%p", "%half"), store("%p")), "another core may touch"),
        (
            (
                "%base = arith.muli %me, %c3 : index",
                "scf.for %i = %c0 to %c4 step %c1 {",
                "%at = arith.addi %base, %i : index",
                row("%p", "%at"),
                store("%p"),
                "}",
            ),
            "another core may touch",
        ),
        ((store("%o0", " {atomicType = #pto<atomic_type atomic_add>}"),), "adds to bytes of `%out`"),
        (
            (
                row("%p", "%me"),
                store("%p"),
                FENCE,
                f"pto.tload ins(%o3 : {ROW}) outs(%t : {TILE})",
            ),
            "or those of `tload`",
        ),
        (
            (
                "%seen = pto.load_scalar %cells[%c0] : !pto.ptr<i32> -> i32",
                "pto.store_scalar %seen, %cells[%c1] : !pto.ptr<i32>, i32",
            ),
            "loads a scalar of `%cells` that another core may store",
        ),
        # One line of the scalar cache belongs to one core, and four bytes apart is one line.
        (("pto.store_scalar %i1, %cells[%me] : !pto.ptr<i32>, i32",), "bytes of `%cells`"),
        (
            (f"%seen = pto.comm.ttest(%s0, %i1 : {ONE}, i32) {{cmp = #pto<wait_cmp ge>}} -> i1",),
            "looks at a signal without waiting",
        ),
        (
            (f"pto.comm.twait(%s0, %i1 : {ONE}, i32) {{cmp = #pto<wait_cmp ge>}}",),
            "waits for a value in memory",
        ),
    ],
)
def test_rejected_certificate_names_its_reason(lines: tuple[str, ...], reason: str) -> None:
    found = claim(f"pto.texpands ins(%f1 : f32) outs(%t : {TILE})", *lines)
    assert found.startswith("schedules could differ: ") and reason in found


def test_lines_of_the_scalar_cache_that_blocks_own_are_apart() -> None:
    at = "%line = arith.muli %me, %c8 : index\n%cell = arith.muli %line, %c2 : index"
    assert claim(at, "pto.store_scalar %i1, %cells[%cell] : !pto.ptr<i32>, i32") == PROVED


def test_vector_cores_have_halves_of_their_own() -> None:
    text = (Path(__file__).parents[1] / "examples/cube_to_vector.pto").read_text()
    (found,) = ptoas.certify(ptoas.parse(text), "a5")
    assert found.every_schedule
    together = text.replace(
        "%row = arith.addi %block, %first : index", "%row = arith.addi %block, %c0 : index"
    )
    (found,) = ptoas.certify(ptoas.parse(together), "a5")
    assert "bytes of `%out` that another core may touch" in found.text


def test_dynamic_event_prevents_the_certificate() -> None:
    flag = "[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_MTE3>, %n]"
    text = f"""
    func.func @copy(%x: !pto.memref<8x8xf32>, %out: !pto.memref<8x8xf32>, %n: index) {{
      %a = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
      pto.tload %a, %x
      pto.set_flag_dyn{flag}
      pto.wait_flag_dyn{flag}
      pto.tstore %a, %out
      return
    }}"""
    (found,) = ptoas.certify(ptoas.parse(text), "a5")
    assert "waits for an event that only the running program knows" in found.text


def test_a_missing_flag_prevents_the_claim() -> None:
    text = COPY.replace("tstore", "set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\ntstore")
    (found,) = ptoas.certify(ptoas.parse(text), "a5")
    assert [op.name for op, _ in found.choices] == ["pto.tstore", "pto.set_flag"]


def test_the_command_states_it_for_each_target_on_which_the_program_is_legal(tmp_path: Path) -> None:
    path = tmp_path / "copy.pto"
    path.write_text(COPY)
    arguments = ["verify", str(path), "--target", "a2a3,a5", "--format", "json", "--no-cache"]
    assert "PTO-F190" not in CliRunner().invoke(main, arguments).output
    result = CliRunner().invoke(main, [*arguments, "--certify"])
    assert result.exit_code == 0
    found = [each for each in json.loads(result.output) if each["code"] == "PTO-F190"]
    assert [(each["severity"], each["targets"]) for each in found] == [("note", ["a2a3", "a5"])]
    assert "every schedule of one block gives the same result" in found[0]["message"]


def test_a_function_without_a_body_prevents_the_claim() -> None:
    text = """
    func.func private @elsewhere(%n: i32)
    func.func @f(%n: i32) {
      func.call @elsewhere(%n) : (i32) -> ()
      return
    }"""
    (found,) = ptoas.certify(ptoas.parse(text), "a5")
    assert "`func.func` in line 2 has no body here" in found.text


def test_nothing_is_claimed_of_what_is_not_lowered(tmp_path: Path) -> None:
    path = tmp_path / "blocks.pto"
    path.write_text("""
    func.func @f(%c: i1) {
      cf.br ^again
    ^again:
      cf.cond_br %c, ^again, ^end
    ^end:
      return
    }""")
    arguments = ["verify", str(path), "--target", "a5", "--certify", "--format", "concise", "--no-cache"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0
    assert "note[PTO-F190] [a5]: nothing is claimed about schedules: `@f` has 3 blocks" in result.output
