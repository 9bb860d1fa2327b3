"""Generated arguments: a program of the usual shape runs, whatever it reaches."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ptoas
from ptoas.diagnostics import PtoasError

TILE = "!pto.tile_buf<vec, 1x64xf32>"

PAGED = f"""
func.func @paged(%table: !pto.ptr<i32>, %cache: !pto.ptr<f32>, %out: !pto.ptr<f32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = pto.alloc_tile : {TILE}
  scf.for %i = %c0 to %c4 step %c1 {{
    %page = pto.load_scalar %table[%i] : !pto.ptr<i32> -> i32
    %row = arith.index_cast %page : i32 to index
    %start = arith.muli %row, %c64 : index
    %moved = arith.addi %start, %c64 : index
    %p = pto.addptr %cache, %moved : !pto.ptr<f32> -> !pto.ptr<f32>
    %v = pto.make_tensor_view %p, shape = [%c1, %c64], strides = [%c64, %c1] : !pto.tensor_view<1x64xf32>
    %o = pto.make_tensor_view %out, shape = [%c1, %c64], strides = [%c64, %c1] : !pto.tensor_view<1x64xf32>
    pto.tload ins(%v : !pto.tensor_view<1x64xf32>) outs(%t : {TILE})
    pto.tstore ins(%t : {TILE}) outs(%o : !pto.tensor_view<1x64xf32>)
  }}
  return
}}
"""


CHOSEN_OFFSET = f"""
func.func @chosen(%x: !pto.ptr<f32>, %o: !pto.ptr<f32>, %from: index, %flag: i1) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %at = scf.if %flag -> (index) {{
    scf.yield %from : index
  }} else {{
    scf.yield %c0 : index
  }}
  %v = pto.make_tensor_view %x, shape = [%c1, %c64], strides = [%c64, %c1] : !pto.tensor_view<1x64xf32>
  %p = pto.partition_view %v, offsets = [%at, %c0], sizes = [%c1, %c64] : !pto.tensor_view<1x64xf32> -> !pto.partition_tensor_view<1x64xf32>
  %w = pto.make_tensor_view %o, shape = [%c1, %c64], strides = [%c64, %c1] : !pto.tensor_view<1x64xf32>
  %t = pto.alloc_tile : {TILE}
  pto.tload ins(%p : !pto.partition_tensor_view<1x64xf32>) outs(%t : {TILE})
  pto.tstore ins(%t : {TILE}) outs(%w : !pto.tensor_view<1x64xf32>)
  return
}}
"""  # noqa: E501


def test_offset_that_a_branch_yields_is_zero() -> None:
    """The slice of an offset goes through regions to the argument."""
    kernel = ptoas.compile(ptoas.parse(CHOSEN_OFFSET), "a5")
    chosen = next(parameter for parameter in kernel.parameters if parameter.name == "from")
    assert (chosen.suggestion, chosen.reason) == (0, "offsets are made of it")
    ptoas.run(ptoas.parse(CHOSEN_OFFSET), {"flag": True}, target="a5", generate=True)


def test_memory_grows_to_what_is_reached() -> None:
    """Page 0, for memory that is_computed_with is zero: elements 64 to 127 of the cache."""
    result = ptoas.run(ptoas.parse(PAGED), {}, target="a5", generate=True)
    assert result.arguments["table"].tolist() == [0, 0, 0, 0]
    cache = result.arguments["cache"]
    assert cache.shape == (128,) and len(np.unique(cache)) > 100
    assert np.array_equal(result.outputs["out"].ravel(), cache[64:])


def test_generated_arguments_are_equal_in_each_run() -> None:
    kernel = ptoas.compile(ptoas.parse(PAGED), "a5")
    arguments = kernel.complete({})
    first = np.array(kernel.execute(arguments).outputs["out"])
    assert np.array_equal(kernel.execute(arguments).outputs["out"], first)


def test_memory_that_grows_stays_within_its_limit() -> None:
    far = PAGED.replace("arith.addi %start, %c64", "arith.addi %start, %far").replace(
        "  %t = pto", "  %far = arith.constant 300000 : index\n  %t = pto", 1
    )
    with pytest.raises(PtoasError) as raised:
        ptoas.run(ptoas.parse(far), {}, target="a5", max_memory=1 << 20, generate=True)
    assert raised.value.diagnostics[0].code in ("PTO-R102", "PTO-R606")


def test_a_negative_place_is_still_outside() -> None:
    below = PAGED.replace("arith.addi %start, %c64", "arith.subi %start, %c64")
    with pytest.raises(PtoasError) as raised:
        ptoas.run(ptoas.parse(below), {}, target="a5", generate=True)
    assert raised.value.diagnostics[0].code == "PTO-R102"


PARTS = """
func.func @parts(%x: !pto.ptr<f32>, %n: index, %out: !pto.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %v = pto.make_tensor_view %x, shape = [%n, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
  %o = pto.make_tensor_view %out, shape = [%n, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
  %c48 = arith.constant 48 : index
  scf.for %i = %c0 to %c48 step %c16 {
    %p = pto.partition_view %v, offsets = [%i, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x64xf32>
    %q = pto.partition_view %o, offsets = [%i, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x64xf32>
    pto.tload ins(%p : !pto.partition_tensor_view<16x64xf32>) outs(%t : !pto.tile_buf<vec, 16x64xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 16x64xf32>) outs(%q : !pto.partition_tensor_view<16x64xf32>)
  }
  return
}
"""  # noqa: E501


def test_generated_extent_holds_its_parts() -> None:
    """The last part begins at row 32 and has 16 rows."""
    result = ptoas.run(ptoas.parse(PARTS), {}, target="a5", generate=True)
    assert result.arguments["n"] == 48
    assert np.array_equal(result.outputs["out"], result.arguments["x"])


def test_integers_that_divide_are_ones_and_others_too() -> None:
    text = """
    func.func @f(%d: !pto.ptr<i32>, %x: !pto.memref<1x8xi32>, %out: !pto.memref<1x8xi32>, %r: !pto.ptr<i32>) {
      %c0 = arith.constant 0 : index
      %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
      pto.tload ins(%x : !pto.memref<1x8xi32>) outs(%t : !pto.tile_buf<vec, 1x8xi32>)
      pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xi32>) outs(%out : !pto.memref<1x8xi32>)
      %v = pto.load_scalar %d[%c0] : !pto.ptr<i32> -> i32
      %w = arith.divsi %v, %v : i32
      pto.store_scalar %w, %r[%c0] : !pto.ptr<i32>, i32
      return
    }
    """
    result = ptoas.run(ptoas.parse(text), {}, target="a5", generate=True)
    assert result.arguments["d"].tolist() == [1]
    assert result.outputs["out"].tolist() == [[1] * 8] and result.outputs["r"].tolist() == [1]


# --- the command -----------------------------------------------------------------------------------


def command(*words: str) -> str:
    from click.testing import CliRunner

    from ptoas.cli.main import main

    done = CliRunner().invoke(main, ["run", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_arguments_are_described_and_nothing_runs(tmp_path: Path) -> None:
    (tmp_path / "paged.pto").write_text(PAGED)
    file = str(tmp_path / "paged.pto")
    head, table, cache, out = command(file, "--target", "a5", "--describe").splitlines()
    assert head.split() == ["name", "type", "size", "direction", "value", "why"]
    assert table.split()[:5] == ["table", "!pto.ptr<i32>", "4", "in", "0"] and "offsets" in table
    assert "0 or more" in cache and "its size is what the run reaches" in cache
    assert out.split()[2:5] == ["1x64", "out", "0"]
    rows = json.loads(command(file, "--target", "a5", "--describe", "--json", "--arg", "table=0"))
    assert [row["name"] for row in rows] == ["table", "cache", "out"] and rows[0]["why"] == "it was given"


def test_a_set_of_arguments_is_kept_and_replayed(tmp_path: Path) -> None:
    """With another seed the cache would be another; and page 1 reaches further than page 0 did."""
    (tmp_path / "paged.pto").write_text(PAGED.replace("f32", "bf16"))
    file, kept = str(tmp_path / "paged.pto"), str(tmp_path / "set")
    first = command(file, "--target", "a5", "--json", "--seed", "3", "--arg", "table=1", "--save", kept)
    again = command(file, "--target", "a5", "--json", "--seed", "4", "--load", kept)
    assert json.loads(first)["outputs"] == json.loads(again)["outputs"]
    other = command(file, "--target", "a5", "--json", "--seed", "4", "--arg", "table=1")
    assert json.loads(first)["outputs"] != json.loads(other)["outputs"]


def test_a_set_of_another_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "paged.pto").write_text(PAGED)
    (tmp_path / "parts.pto").write_text(PARTS)
    command(str(tmp_path / "paged.pto"), "--target", "a5", "--save", str(tmp_path))
    from click.testing import CliRunner

    from ptoas.cli.main import main

    for words, code in (([str(tmp_path)], "PTO-R601"), ([str(tmp_path / "none")], "PTO-R604")):
        done = CliRunner().invoke(
            main, ["run", str(tmp_path / "parts.pto"), "--target", "a5", "--load", *words]
        )
        assert done.exit_code != 0 and code in done.output


WAITING = """
func.func @wait(%arrived: !pto.ptr<i32>, %n: i32, %out: !pto.memref<1x8xi32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : i32
  %wanted = arith.muli %c4, %c4 : i32
  %v = pto.make_tensor_view %arrived, shape = [%c1], strides = [%c1] : !pto.tensor_view<1xi32>
  pto.comm.twait(%v, %wanted : !pto.tensor_view<1xi32>, i32) {cmp = #pto<wait_cmp CMP>}
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
  pto.texpands ins(%wanted : i32) outs(%t : !pto.tile_buf<vec, 1x8xi32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xi32>) outs(%out : !pto.memref<1x8xi32>)
  return
}
"""


@pytest.mark.parametrize(
    ("compared", "held"), [("ge", 16), ("gt", 17), ("eq", 16), ("ne", 17), ("lt", 0), ("le", 0)]
)
def test_generated_signal_has_arrived(compared: str, held: int) -> None:
    text = WAITING.replace("CMP", compared)
    result = ptoas.run(ptoas.parse(text), target="a5", generate=True)
    assert result.arguments["arrived"].tolist() == [held]
    notification = (
        "  pto.comm.tnotify(%v, %c4 : !pto.tensor_view<1xi32>, i32) {notifyOp = #pto<notify_op set>}\n"
    )
    kernel = ptoas.compile(
        ptoas.parse(text.replace("  pto.comm.twait", notification + "  pto.comm.twait")), "a5", generate=True
    )
    assert kernel.complete({})["arrived"].tolist() == [0], "the program tells it itself"
    unknown = text.replace("%wanted :", "%n :", 1)
    if compared == "ge":
        assert (
            ptoas.run(ptoas.parse(unknown), {"n": 9}, target="a5", generate=True).arguments["arrived"].min()
            >= 9
        )


def test_single_rank_reaching_peers_error_mentions_ranks() -> None:
    module = ptoas.parse_file(str(Path(__file__).parents[1] / "examples" / "all_gather.pto"))
    with pytest.raises(PtoasError) as caught:
        ptoas.run(module, {"nranks": 2}, generate=True)
    (finding,) = caught.value.diagnostics
    assert finding.code == "PTO-R102" and "--ranks" in (finding.fix or "")
