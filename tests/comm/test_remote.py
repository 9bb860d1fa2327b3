"""Windows, transfers and signals between ranks of one process."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoas
from ptoas.compiler.run import check_file, run, run_ranks
from ptoas.diagnostics import Diagnostic, PtoasError, Source
from ptoas.runner.context import RANK, WINDOW_BYTES, WINDOWS, RankPlace
from ptoas.runner.ranks.in_process import RanksResult

from .remote_programs import FENCE, POLL, WAIT, offset, ring

EXAMPLES = Path(__file__).parents[2] / "examples"


def ranks_of(text: str, ranks: int, arguments: Any = (), target: str = "cpu", **options: Any) -> RanksResult:
    options.setdefault("generate", True)
    result = run_ranks(ptoas.parse(text, "test.pto"), arguments, target, ranks=ranks, **options)
    assert result is not None
    return result


def failing(code: str, text: str, ranks: int, arguments: Any = (), **options: Any) -> list[Diagnostic]:
    with pytest.raises(PtoasError) as caught:
        ranks_of(text, ranks, arguments, **options)
    assert {d.code for d in caught.value.diagnostics} == {code}, [d.message for d in caught.value.diagnostics]
    return list(caught.value.diagnostics)


def from_the_left(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The contents of each rank after all have put their own into the next."""
    return np.roll(values, 1, axis=0)


def outs(result: RanksResult, ranks: int) -> np.ndarray[Any, Any]:
    return np.stack([result.outputs[f"out@{rank}" if ranks > 1 else "out"] for rank in range(ranks)])


# --- windows -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", [1, 2, 5])
@pytest.mark.parametrize("seed", [0, 3])
def test_a_put_reaches_the_next_rank(ranks: int, seed: int) -> None:
    src = np.random.default_rng(ranks).random((ranks, 5, 12), dtype=np.float32)
    result = ranks_of(ring(5, 12, tile=(2, 7), tiles=2), ranks, {"src": src}, seed=seed)
    assert np.array_equal(outs(result, ranks), from_the_left(src))
    assert result.outputs["signal"].tolist() == [[1]] * ranks
    assert np.array_equal(result.outputs["window"], from_the_left(src))


def test_a_put_that_adds() -> None:
    src = np.arange(64, dtype=np.float32).reshape(2, 4, 8)
    window = np.full((2, 4, 8), 100, np.float32)
    text = ring(4, 8, attrs="atomicType = #pto<atomic_type atomic_add>")
    result = ranks_of(text, 2, {"src": src, "window": window})
    assert np.array_equal(outs(result, 2), 100 + from_the_left(src))


@pytest.mark.parametrize("element", ["i8", "i16", "f16"])
def test_elements_of_other_sizes(element: str) -> None:
    dtype = {"i8": np.int8, "i16": np.int16, "f16": np.float16}[element]
    src = np.arange(3 * 4 * 32).reshape(3, 4, 32).astype(dtype)
    result = ranks_of(ring(4, 32, element=element, tile=(2, 32)), 3, {"src": src})
    assert np.array_equal(outs(result, 3), from_the_left(src))


def test_the_table() -> None:
    words = RankPlace(2, 3, 4096).table()
    assert words[RANK] & 0xFFFFFFFF == 2 and words[RANK] >> 32 == 3 and words[WINDOW_BYTES] == 4096
    bases = words[WINDOWS : WINDOWS + 3]
    assert len(set(bases.tolist())) == 3 and np.diff(bases).min() >= 4096
    # Alone there is one rank, and its window is where the table says.
    text = "func.func @main(%out: !pto.ptr<i32>, %window: !pto.ptr<i32>, %ctx: !pto.ptr<i64>) {\n" + (
        "  %c0 = arith.constant 0 : index\n"
        "  %d = func.call @to_i32(%ctx, %c0) : (!pto.ptr<i64>, index) -> index\n"
        "  %p = pto.addptr %window, %d : !pto.ptr<i32> -> !pto.ptr<i32>\n"
        "  %x = pto.load_scalar %p[%c0] : !pto.ptr<i32> -> i32\n"
        "  pto.store_scalar %x, %out[%c0] : !pto.ptr<i32>, i32\n  return\n}\n" + offset("i32")
    )
    assert run(ptoas.parse(text), {"window": np.array([7], np.int32)}, "a5").outputs["out"].tolist() == [7]


SCALARS = (
    "func.func @main(%window: !pto.ptr<i32>, %ctx: !pto.ptr<i64>, %my_rank: index, %far: index) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %peer = arith.subi %c1, %my_rank : index\n"
    "  %d = func.call @to_i32(%ctx, %peer) : (!pto.ptr<i64>, index) -> index\n"
    "  %p = pto.addptr %window, %d : !pto.ptr<i32> -> !pto.ptr<i32>\n"
    "  %r = arith.index_cast %my_rank : index to i32\n"
    "  %at = arith.addi %my_rank, %far : index\n"
    "  pto.store_scalar %r, %p[%at] : !pto.ptr<i32>, i32\n"
    "  return\n}\n"
) + offset("i32")


def test_a_scalar_of_another_rank() -> None:
    window = np.full((2, 8), -1, np.int32)
    ranks_of(SCALARS, 2, {"window": window, "far": 3})
    assert window.tolist() == [[-1, -1, -1, -1, 1, -1, -1, -1], [-1, -1, -1, 0, -1, -1, -1, -1]]


@pytest.mark.parametrize(
    ("far", "expected"),
    [(8, "4 bytes behind the end of %window of rank 1"), (-9, "36 bytes in front of %window")],
)
def test_scalar_outside_all_windows_is_rejected(far: int, expected: str) -> None:
    found = failing("PTO-R850", SCALARS, 2, {"window": np.zeros((2, 8), np.int32), "far": far})
    assert expected in found[0].message and found[0].message.startswith(
        "rank 0: store_scalar: rank 0 computes an address from"
    )
    assert "base[peer] - base[self]" in (found[0].fix or "")


@pytest.mark.parametrize(("reach", "bytes"), [("1", 4), ("20", 80), ("-1", -4)])
def test_view_outside_all_windows_is_rejected(reach: str, bytes: int) -> None:
    found = failing("PTO-R850", ring(4, 8, reach=reach), 2, {"window": np.zeros((2, 4, 8), np.float32)})
    side = "behind the end" if bytes > 0 else "in front"
    assert f"{abs(bytes)} bytes {side} of %window of rank 1, which has 128" in found[0].message
    assert found[0].span.line == 15


def test_windows_of_two_sizes() -> None:
    """The places in the windows are the same on every rank; what is behind a smaller one is nobody's."""
    given = {"window@0": np.zeros(16, np.float32), "window@1": np.zeros(32, np.float32)}
    found = failing("PTO-R850", ring(4, 8), 2, given)
    assert "behind the end of %window of rank 0, which has 64" in found[0].message


@pytest.mark.parametrize("name", ["rank", "nth"])
def test_the_rank_by_a_word(name: str) -> None:
    text = ring(4, 8).replace("my_rank", name).replace("nranks", "count")
    texts = ["count=ranks", *([f"{name}=rank"] if name == "nth" else []), "ctx=context"]
    assert ranks_of(text, 3, texts).outputs["signal"].tolist() == [[1]] * 3


def test_the_rank_is_what_is_compared_with_the_root() -> None:
    memory = "!pto.memref<2x8xf32>"
    text = (
        f"func.func @main(%a: {memory}, %b: {memory}, %own: {memory}, %arg3: i32) {{\n"
        "  %r = arith.constant 1 : i32\n  %is = arith.cmpi eq, %arg3, %r : i32\n  scf.if %is {\n"
        f"    pto.comm.tbroadcast(%own, group(%a, %b) : {memory}, {memory}, {memory}) {{root = 1 : i32}}\n"
        "  }\n  return\n}\n"
    )
    own = np.random.default_rng(0).random((2, 2, 8), dtype=np.float32)
    result = ranks_of(text, 2, {"own": own})
    assert np.array_equal(result.outputs["a"], own[1]) and np.array_equal(result.outputs["b"], own[1])


def test_the_rank_is_what_is_cast_to_one() -> None:
    text = ring(4, 8).replace("%my_rank", "%arg6").replace("%me =", "%my_rank__ssa_v0_idx =")
    text = text.replace("%me,", "%my_rank__ssa_v0_idx,")
    assert ranks_of(text, 3).outputs["signal"].tolist() == [[1]] * 3


DEALT_OUT = (
    """
func.func @main(%table: !pto.ptr<i32>, %window: !pto.ptr<i32>, %signal: !pto.ptr<i32>, %ctx: !pto.ptr<i64>, %arg4: i32, %arg5: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %each = arith.constant 4 : index
  %tokens = arith.constant 16 : index
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i32
  %a = arith.index_cast %arg4 : i32 to index
  %mine = arith.remsi %a, %c2 : index
  %first = arith.index_cast %arg5 : i32 to index
  %part = arith.muli %mine, %tokens : index
  %sent = pto.declare_local_array -> !pto.local_array<2xi32>
  scf.for %i = %c0 to %c2 step %c1 {
    pto.local_array_set %sent[%i], %none : !pto.local_array<2xi32>, i32
  }
  scf.for %k = %c0 to %tokens step %c1 {
    %expert = pto.load_scalar %table[%k] : !pto.ptr<i32> -> i32
    %e = arith.index_cast %expert : i32 to index
    %dst = arith.divsi %e, %each : index
    %n = pto.local_array_get %sent[%dst] : !pto.local_array<2xi32> -> i32
    %more = arith.addi %n, %one : i32
    pto.local_array_set %sent[%dst], %more : !pto.local_array<2xi32>, i32
    %d = func.call @to_i32(%ctx, %dst) : (!pto.ptr<i64>, index) -> index
    %p = pto.addptr %window, %d : !pto.ptr<i32> -> !pto.ptr<i32>
    %slot = arith.index_cast %n : i32 to index
    %at = arith.addi %part, %slot : index
    pto.store_scalar %expert, %p[%at] : !pto.ptr<i32>, i32
  }
  scf.for %t = %c0 to %c2 step %c1 {
    %other = arith.cmpi ne, %t, %mine : index
    scf.if %other {
      %peer = arith.addi %first, %t : index
      %e = func.call @to_i32(%ctx, %peer) : (!pto.ptr<i64>, index) -> index
      %q = pto.addptr %signal, %e : !pto.ptr<i32> -> !pto.ptr<i32>
      %word = pto.make_tensor_view %q, shape = [%c1], strides = [%c1] : !pto.tensor_view<1xi32>
      pto.comm.tnotify(%word, %one : !pto.tensor_view<1xi32>, i32) {notifyOp = #pto<notify_op atomic_add>}
    }
  }
  %own = pto.make_tensor_view %signal, shape = [%c1], strides = [%c1] : !pto.tensor_view<1xi32>
  pto.comm.twait(%own, %one : !pto.tensor_view<1xi32>, i32) {cmp = #pto<wait_cmp ge>}
  return
}
"""  # noqa: E501 - programs are text
    + offset("i32")
)


def test_peers_are_found_by_what_is_made_of_them() -> None:
    """Nothing has a name: the rank is what peers are compared with, they count from 0, and numbers in memory
    name all of them."""

    def received(ranks: int, text: str, **options: Any) -> np.ndarray[Any, Any]:
        window = np.full((ranks, 32), -1, np.int32)
        return ranks_of(text, ranks, {"window": window}, target="a5", **options).outputs["window"]

    for rank, window in enumerate(received(2, DEALT_OUT).reshape(2, 2, 16)):
        got = np.tile(np.arange(4 * rank, 4 * rank + 4), 2)
        assert (window[:, :8] == got).all() and (window[:, 8:] == -1).all()
    # Of more ranks than the program has counters for, two are sent something.
    alone = "\n".join(line for line in DEALT_OUT.splitlines() if "twait" not in line)
    assert (received(4, alone, checks="mem")[2:] == -1).all()


# --- order ---------------------------------------------------------------------------------------

DEVICES = ("a2a3", "a5")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("target", DEVICES)
def test_a_notification_does_not_wait_for_a_put(target: str, seed: int) -> None:
    found = failing("PTO-R802", ring(4, 8, tile=(4, 8)), 2, target=target, seed=seed)
    assert "rank 0 writes %window@1 (comm.tput at line 18)" in found[0].message
    assert "rank 1, which reads it (comm.tget at line 25)" in found[0].message
    assert [note.span.line for note in found[0].notes] == [25, 22]
    assert "fence.barrier_all" in (found[0].fix or "")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("target", ["cpu", *DEVICES])
def test_a_fence_makes_a_put_visible(target: str, seed: int) -> None:
    src = np.random.default_rng(0).random((3, 4, 8), dtype=np.float32)
    result = ranks_of(ring(4, 8, tile=(4, 8), fence=FENCE), 3, {"src": src}, target=target, seed=seed)
    assert np.array_equal(outs(result, 3), from_the_left(src))
    assert result.warnings == []


@pytest.mark.parametrize("target", DEVICES)
def test_a_fence_before_the_put_is_none(target: str) -> None:
    text = ring(4, 8, tile=(4, 8)).replace("  pto.comm.tput", f"  {FENCE}\n  pto.comm.tput")
    failing("PTO-R802", text, 2, target=target)


def test_order_between_ranks_is_transitive() -> None:
    """Rank 0 puts to rank 2 and tells rank 1, which tells rank 2 without a fence of its own."""
    text = HANDED_ON + offset("f32") + offset("i32")
    src = np.random.default_rng(0).random((3, 4, 8), dtype=np.float32)
    for seed in range(4):
        result = ranks_of(text, 3, {"src": src}, "a5", seed=seed)
        assert np.array_equal(result.outputs["out"], src[0])
    failing("PTO-R802", text.replace(f"    {FENCE}\n", ""), 3, target="a5")


def _at(name: str, element: str, rank: str, shape: str = "%c1", strides: str = "%c1", type: str = "1") -> str:
    """Lines that make %{name}: the memory of a rank."""
    argument = {"f32": "%window", "i32": "%signal"}[element]
    return (
        f"    %{name}d = func.call @to_{element}(%ctx, {rank}) : (!pto.ptr<i64>, index) -> index\n"
        f"    %{name}p = pto.addptr {argument}, %{name}d : !pto.ptr<{element}> -> !pto.ptr<{element}>\n"
        f"    %{name} = pto.make_tensor_view %{name}p, shape = [{shape}], strides = [{strides}] : "
        f"!pto.tensor_view<{type}x{element}>\n"
    )


_TELL = "    pto.comm.tnotify(%{}, %one : !pto.tensor_view<1xi32>, i32) {{notifyOp = #pto<notify_op set>}}\n"
_WAIT = "    pto.comm.twait(%{}, %one : !pto.tensor_view<1xi32>, i32) {{cmp = #pto<wait_cmp eq>}}\n"
HANDED_ON = (
    "func.func @main(%src: !pto.memref<4x8xf32>, %out: !pto.memref<4x8xf32>, %window: !pto.ptr<f32>, "
    "%signal: !pto.ptr<i32>, %ctx: !pto.ptr<i64>, %my_rank: i32) {\n"
    "  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
    "  %c4 = arith.constant 4 : index\n  %c8 = arith.constant 8 : index\n"
    "  %one = arith.constant 1 : i32\n"
    "  %me = arith.index_cast %my_rank : i32 to index\n"
    "  scf.index_switch %me\n  case 0 {\n"
    + _at("a", "f32", "%c2", "%c4, %c8", "%c8, %c1", "4x8")
    + "    pto.comm.tput(%a, %src : !pto.tensor_view<4x8xf32>, !pto.memref<4x8xf32>)\n"
    + f"    {FENCE}\n"
    + _at("b", "i32", "%c1")
    + _TELL.format("b")
    + "    scf.yield\n  }\n  case 1 {\n"
    + _at("c", "i32", "%c1")
    + _WAIT.format("c")
    + _at("d", "i32", "%c2")
    + _TELL.format("d")
    + "    scf.yield\n  }\n  default {\n"
    + _at("e", "i32", "%c2")
    + _WAIT.format("e")
    + _at("f", "f32", "%c2", "%c4, %c8", "%c8, %c1", "4x8")
    + "    pto.comm.tget(%out, %f : !pto.memref<4x8xf32>, !pto.tensor_view<4x8xf32>)\n"
    + "    scf.yield\n  }\n  return\n}\n"
)


@pytest.mark.parametrize("target", DEVICES)
def test_a_barrier_is_no_fence(target: str) -> None:
    failing("PTO-R802", ring(4, 8, tile=(4, 8), fence="pto.barrier <PIPE_ALL>"), 2, target=target)


@pytest.mark.parametrize("target", ["cpu", *DEVICES])
def test_without_a_wait_nothing_is_ordered(target: str) -> None:
    found = failing("PTO-R802", ring(4, 8, tile=(4, 8), wait=""), 2, target=target)
    assert all("fence" not in note.message for note in found[0].notes[:1])


@pytest.mark.parametrize("target", ["cpu", *DEVICES])
def test_an_asynchronous_put_is_visible_after_its_wait(target: str) -> None:
    src = np.random.default_rng(0).random((3, 1, 64), dtype=np.float32)
    result = ranks_of(ring(1, 64, put="tput_async"), 3, {"src": src}, target=target)
    assert np.array_equal(outs(result, 3), from_the_left(src))


@pytest.mark.parametrize("target", DEVICES)
def test_an_asynchronous_put_that_is_not_awaited(target: str) -> None:
    lines = (line for line in ring(1, 64, put="tput_async").splitlines() if "wait_async" not in line)
    text = "\n".join(
        "  %x = pto.load_scalar %window[%c0] : !pto.ptr<f32> -> f32" if "tget" in line else line
        for line in lines
    )
    found = failing("PTO-R802", text, 2, target=target)
    assert "comm.tput_async" in found[0].message
    # Without the check it goes through, with a word about it, and the other rank may see what was there.
    result = ranks_of(text, 2, target=target, checks="mem,init")
    assert [d.code for d in result.warnings if d.code != "PTO-N106"] == ["PTO-D113", "PTO-R860"]


# --- waiting -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_unsatisfied_wait_is_a_deadlock(seed: int) -> None:
    (found,) = failing("PTO-R803", ring(4, 8, target="%c0"), 3, seed=seed)
    assert found.message == "ranks 1 and 2 wait for something that never happens; 1 of 3 have finished"
    assert [note.message.rpartition(" (")[0] or note.message for note in found.notes] == [
        "rank 0 | - | has finished",
        "rank 1 | line 21 | waits until %signal >= 1; %signal[0] is 0",
        "rank 2 | line 21 | waits until %signal >= 1; %signal[0] is 0",
    ]


def test_asking_again_and_again() -> None:
    src = np.random.default_rng(0).random((4, 4, 8), dtype=np.float32)
    result = ranks_of(ring(4, 8, wait=POLL), 4, {"src": src})
    assert np.array_equal(outs(result, 4), from_the_left(src))
    (found,) = failing("PTO-R803", ring(4, 8, wait=POLL, target="%c0"), 2)
    assert "waits until %signal >= 1; %signal[0] is 0 and stays so" in found.notes[1].message


def test_a_signal_of_several_words() -> None:
    text = ring(4, 8, wait="").replace("pto.comm.tget", "//")
    lines = [
        "%c3 = arith.constant 3 : index",
        "%words = pto.make_tensor_view %signal, shape = [%c3], strides = [%c1] : !pto.tensor_view<3xi32>",
        "pto.comm.twait(%words, %one : !pto.tensor_view<3xi32>, i32) {cmp = #pto<wait_cmp ge>}",
    ]
    text = text.replace("  return\n}", "  " + "\n  ".join(lines) + "\n  return\n}", 1)
    (found,) = failing("PTO-R803", text, 2)
    # The neighbour adds to the first word, nobody to the others.
    assert "%signal[1] is 0" in found.notes[0].message
    result = ranks_of(text, 2, {"signal": np.array([[0, 1, 1]] * 2, np.int32)})
    assert result.outputs["signal"].tolist() == [[1, 1, 1]] * 2


# --- whose memory --------------------------------------------------------------------------------


def test_a_rank_waits_for_its_own_signal() -> None:
    text = ring(4, 8, wait=WAIT.replace("%own", "%word"))
    (found, _) = failing("PTO-R851", text, 2)
    assert "the signal is memory of rank 1 (%signal); a rank can only test its own signals" in found.message


def test_a_rank_puts_its_own() -> None:
    text = ring(4, 8).replace("tput(%there, %src", "tput(%out, %there")
    text = text.replace(
        "tensor_view<4x8xf32>, !pto.memref<4x8xf32>) {}", "memref<4x8xf32>, !pto.tensor_view<4x8xf32>) {}"
    )
    (found, _) = failing("PTO-R851", text, 2)
    assert "src is memory of rank 1 (%window); it is this rank's own that is put" in found.message
    got = text.replace("tput", "tget").replace(" {}", "")
    assert ranks_of(got, 2).outputs["signal"].tolist() == [[1], [1]]


# --- the examples ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["all_gather", "reduce_scatter", "all_to_all"])
def test_the_examples(name: str) -> None:
    path = EXAMPLES / f"{name}.pto"
    text = path.read_text()
    for target in ("cpu", "a2a3", "a5", "a5-custom"):
        for seed in range(2):
            result = ranks_of(text, 4, target=target, seed=seed)
            assert check_file(Source(text, str(path)), result) >= 3
    # Each of them says so: without the fence it is a race.
    unfenced = "\n".join(line for line in text.splitlines() if "pto.fence" not in line)
    if name == "reduce_scatter":
        failing("PTO-R802", unfenced, 4, target="a5")


def test_the_program_of_the_guide() -> None:
    guide = (EXAMPLES.parent / "docs" / "ranks.md").read_text()
    (program,) = re.findall(r"```pto[^\n]*\n(.*?)```", guide, re.DOTALL)
    src = np.random.default_rng(0).random((3, 16, 32), dtype=np.float32)
    assert np.array_equal(ranks_of(program, 3, {"src": src}, "a5").outputs["window"], from_the_left(src))


# --- several roots -------------------------------------------------------------------------------


def test_collectives_of_several_roots_in_flight() -> None:
    """Every rank broadcasts into a place of its own of all ranks, at the same time."""
    ranks = 4
    types = ", ".join(["!pto.memref<2x8xf32>"] * (1 + ranks))
    lines: list[str] = []
    for root in range(ranks):
        group = ", ".join(f"%g{root}{rank}" for rank in range(ranks))
        lines += [
            f"  %r{root} = arith.constant {root} : i32",
            f"  %is{root} = arith.cmpi eq, %my_rank, %r{root} : i32",
            f"  scf.if %is{root} {{",
            f"    pto.comm.tbroadcast(%src, group({group}) : {types}) {{root = {root} : i32}}",
            "  }",
        ]
    members = [f"%g{root}{rank}: !pto.memref<2x8xf32>" for root in range(ranks) for rank in range(ranks)]
    head = ", ".join(["%src: !pto.memref<2x8xf32>", *members, "%my_rank: i32"])
    text = f"func.func @main({head}) {{\n" + "\n".join(lines) + "\n  return\n}\n"
    src = np.random.default_rng(0).random((ranks, 2, 8), dtype=np.float32)
    for seed in range(3):
        outputs = ranks_of(text, ranks, {"src": src}, "a5", seed=seed).outputs
        for root in range(ranks):
            assert all(np.array_equal(outputs[f"g{root}{rank}"], src[root]) for rank in range(ranks))


# --- transfers that go on -------------------------------------------------------------------------

BESIDE = """
func.func @main(%t: !pto.tile_buf<vec, 1x64xi32>, %u: !pto.tile_buf<vec, 1x64xi32>, %ws: !pto.ptr<i8>, %a: !pto.memref<64xi32>, %b: !pto.memref<64xi32>) {
  %s = pto.comm.build_async_session(%t, %ws : !pto.tile_buf<vec, 1x64xi32>, !pto.ptr<i8>) -> !pto.async_session
  %o = pto.comm.build_async_session(%u, %ws : !pto.tile_buf<vec, 1x64xi32>, !pto.ptr<i8>) -> !pto.async_session
  %e = pto.comm.tput_async(%a, %b, %s : !pto.memref<64xi32>, !pto.memref<64xi32>, !pto.async_session) -> !pto.async_event
  {then}
  %done = pto.comm.wait_async_event(%e, %s : !pto.async_event, !pto.async_session) -> i1
  return
}
"""  # noqa: E501

THEN = [
    # The scratch tile of the session, and that of another.
    ("pto.tload ins(%b : !pto.memref<64xi32>) outs(%t : !pto.tile_buf<vec, 1x64xi32>)", "PTO-R861"),
    ("pto.tload ins(%b : !pto.memref<64xi32>) outs(%u : !pto.tile_buf<vec, 1x64xi32>)", None),
    ("pto.tload ins(%a : !pto.memref<64xi32>) outs(%u : !pto.tile_buf<vec, 1x64xi32>)", "PTO-R861"),
    ("pto.tstore ins(%u : !pto.tile_buf<vec, 1x64xi32>) outs(%b : !pto.memref<64xi32>)", "PTO-R861"),
    (
        "%f = pto.comm.wait_async_event(%e, %o : !pto.async_event, !pto.async_session) -> i1",
        "PTO-R862",
    ),
]


@pytest.mark.parametrize(("then", "code"), THEN)
def test_memory_of_a_pending_transfer_must_not_be_accessed(then: str, code: str | None) -> None:
    module = ptoas.parse(BESIDE.replace("{then}", then), "test.pto")
    if code is None:
        run(module, {}, "a5", generate=True)
        return
    with pytest.raises(PtoasError) as caught:
        run(module, {}, "a5", force=True, generate=True)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line) == (code, 6)
    if code == "PTO-R861":
        assert found.notes[0].span is not None and found.notes[0].span.line == 5
