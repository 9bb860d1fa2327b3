"""Several ranks in one process, against plain concatenation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas
from ptoas.compiler.run import check_file, run, run_ranks
from ptoas.diagnostics import Diagnostic, PtoasError, Source
from ptoas.runner.ranks.in_process import RanksResult, parse_ranks

from .programs import HANDSHAKE, SIGNAL, SOURCE_CHANGES, WAITS, gather, guarded

EXAMPLES = Path(__file__).parents[2] / "examples"
TARGETS = ("cpu", "a2a3", "a5", "a5-custom")


def ranks_of(text: str, ranks: int, arguments: Any = (), target: str = "a5", **options: Any) -> RanksResult:
    options.setdefault("generate", True)
    result = run_ranks(ptoas.parse(text, "test.pto"), arguments, target, ranks=ranks, **options)
    assert result is not None
    return result


def failing(code: str, text: str, ranks: int, arguments: Any = (), **options: Any) -> Diagnostic:
    with pytest.raises(PtoasError) as caught:
        ranks_of(text, ranks, arguments, **options)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code, diagnostic.message
    return diagnostic


# --- results -------------------------------------------------------------------------------------

cases = st.fixed_dictionaries(
    {
        "ranks": st.integers(1, 8),
        "shape": st.lists(st.integers(1, 3), max_size=3).flatmap(
            lambda outer: st.tuples(*map(st.just, outer), st.integers(1, 20), st.integers(1, 40))
        ),
        "tile": st.none() | st.tuples(st.integers(1, 24), st.integers(1, 40)),
        "tiles": st.integers(1, 2),
        "extra": st.integers(0, 3),
        "root": st.integers(0, 7),
        "seed": st.integers(0, 3),
    }
)


@settings(max_examples=60)
@given(cases)
def test_gather_concatenates(case: dict[str, Any]) -> None:
    ranks, shape, seed = case["ranks"], case["shape"], case["seed"]
    root = case["root"] % ranks
    text = gather(ranks, shape, case["tile"], root=root, extra=case["extra"], tiles=case["tiles"])
    rng = np.random.default_rng(seed)
    sources = rng.random((ranks, *shape), dtype=np.float32)
    rows = len(shape) - 2
    whole = list(shape)
    whole[rows] = whole[rows] * ranks + case["extra"]
    before = rng.random(whole, dtype=np.float32)
    result = ranks_of(text, ranks, {"sources": sources, f"own@{root}": before.copy()}, seed=seed)
    expected = before.copy()
    expected.swapaxes(0, rows)[: shape[rows] * ranks] = np.concatenate(list(sources), axis=rows).swapaxes(
        0, rows
    )
    assert np.array_equal(result.outputs["own"], expected)


@settings(max_examples=25)
@given(st.integers(1, 5), st.integers(0, 4), st.integers(1, 2), st.sampled_from(["tscatter", "tbroadcast"]))
def test_scatter_and_broadcast(ranks: int, root: int, tiles: int, op: str) -> None:
    root %= ranks
    text = gather(ranks, (5, 12), (2, 7), root=root, tiles=tiles, op=op)
    shape = (ranks * 5, 12) if op == "tscatter" else (5, 12)
    own = np.random.default_rng(ranks).random(shape, dtype=np.float32)
    result = ranks_of(text, ranks, {"sources": np.zeros((ranks, 5, 12), np.float32), f"own@{root}": own})
    expected = own.reshape(ranks, 5, 12) if op == "tscatter" else np.stack([own] * ranks)
    assert np.array_equal(result.outputs["sources"], expected)


@pytest.mark.parametrize(("kind", "fold"), [("sum", np.add), ("max", np.maximum), ("min", np.minimum)])
@pytest.mark.parametrize("root", [0, 2])
def test_reduce_starts_with_the_root(kind: str, fold: Any, root: int) -> None:
    text = gather(4, (5, 16), (2, 7), root=root, op="treduce", attrs=f"op = #pto<reduce_op {kind}>")
    sources = np.random.default_rng(1).random((4, 5, 16), dtype=np.float32)
    expected = sources[root]
    for rank in (r for r in range(4) if r != root):
        expected = fold(expected, sources[rank])
    assert np.array_equal(ranks_of(text, 4, {"sources": sources}).outputs["own"], expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["gather_ranks", "gather_ranks_pingpong"])
def test_the_examples(name: str, target: str) -> None:
    path = EXAMPLES / f"{name}.pto"
    result = run_ranks(ptoas.parse_file(str(path)), (), target, ranks=4)
    assert result is not None
    assert check_file(Source(path.read_text(), str(path)), result) >= 4


def test_strided_members_and_destination() -> None:
    args = (
        "%sources: !pto.group<2 x !pto.memref<3x8xf32, strides=[20, 1]>>, "
        "%own: !pto.memref<6x8xf32, strides=[9, 1]>, %my_rank: i32"
    )
    call = (
        "pto.comm.tgather(%own, group(%sources) : !pto.memref<6x8xf32, strides=[9, 1]>, "
        "!pto.group<2 x !pto.memref<3x8xf32, strides=[20, 1]>>) {root = 0 : i32}"
    )
    sources = np.arange(48, dtype=np.float32).reshape(2, 3, 8)
    result = ranks_of(guarded([call], args), 2, {"sources": sources})
    assert np.array_equal(result.outputs["own"], sources.reshape(6, 8))


def test_staging_holds_the_last_chunks() -> None:
    text = gather(2, (5, 8), (2, 8), tiles=2).replace(
        "  }\n  return",
        "    %out = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>\n"
        "    %o = arith.constant 0 : index\n"
        "    %sub = pto.subview %pong[%o, %o] sizes [1, 8] : !pto.tile_buf<vec, 2x8xf32, valid=?x?>"
        " -> !pto.tile_buf<vec, 1x8xf32>\n"
        "    pto.tmov ins(%sub : !pto.tile_buf<vec, 1x8xf32>) outs(%out : !pto.tile_buf<vec, 1x8xf32>)\n"
        "  }\n  return",
    )
    sources = np.arange(80, dtype=np.float32).reshape(2, 5, 8)
    # Six chunks: rows 0-1, 2-3, 4 of each rank; the last goes to pong.
    assert np.array_equal(ranks_of(text, 2, {"sources": sources}, force=True).outputs["out"], sources[1, 4:])


# --- arguments -----------------------------------------------------------------------------------

OWN = """
func.func @main(%group: !pto.group<3 x !pto.memref<4x8xf32>>, %src: !pto.memref<4x8xf32>, %own: !pto.memref<12x8xf32>, %my_rank: index, %nranks: i32, %out: !pto.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %root = arith.constant 1 : index
  %is_root = arith.cmpi eq, %my_rank, %root : index
  pto.store_scalar %nranks, %out[%my_rank] : !pto.ptr<i32>, i32
  scf.if %is_root {
    pto.comm.tgather(%own, group(%group) : !pto.memref<12x8xf32>, !pto.group<3 x !pto.memref<4x8xf32>>) {root = 1 : i32}
  }
  return
}
"""  # noqa: E501


def test_a_group_of_the_ranks_own_arguments() -> None:
    src = np.arange(96, dtype=np.float32).reshape(3, 4, 8)
    arguments = {"group": "@src", "src": src, "out": np.zeros(3, np.int32)}
    result = ranks_of(OWN, 3, arguments)
    assert np.array_equal(result.outputs["own"], src.reshape(12, 8))
    # Every rank stored how many there are at its own place of its own memory.
    for rank in range(3):
        assert result.outputs[f"out@{rank}"].tolist() == [3 * (n == rank) for n in range(3)]


def test_printing_what_ranks_share() -> None:
    """Once for all of them; what each has of its own is said by each."""
    said: list[str] = []
    src = np.arange(96, dtype=np.float32).reshape(3, 4, 8)
    prints = ["group[:, 0, 1]", "out[2]"]
    given = {"group": src, "out": np.zeros(3, np.int32)}
    result = ranks_of(OWN, 3, given, prints=prints, on_output=said.append)
    assert result.printed == said
    assert said == [
        "rank 0: %out at the end:\n0",
        "rank 1: %out at the end:\n0",
        "rank 2: %out at the end:\n3",
        "%group at the end:\n[ 1. 33. 65.]",
    ]
    arguments: Any = {"group": "@src", "src": src}
    assert ranks_of(OWN, 3, arguments, prints=["src[2, 3]"]).printed[0].endswith("94. 95.]")
    found = failing("PTO-R601", OWN, 3, arguments, prints=["group"])
    assert "not shared memory; ranks share src" in found.message
    assert failing("PTO-R609", OWN, 3, {"group": src}, prints=["group[7]"]).message.startswith(
        "--print group"
    )


def test_arguments_of_single_ranks(tmp_path: Path) -> None:
    np.save(tmp_path / "two.npy", np.full((4, 8), 7, np.float32))
    np.save(tmp_path / "out.npy", np.zeros(3, np.int32))
    texts = [
        "group=zeros",
        f"group@2={tmp_path / 'two.npy'}",
        "group@0=full:3",
        f"out={tmp_path / 'out.npy'}",
    ]
    own = ranks_of(OWN, 3, texts).outputs["own"]
    assert own[:, 0].tolist() == [3.0] * 4 + [0.0] * 4 + [7.0] * 4


def test_wrong_arguments() -> None:
    text = gather(3, (4, 8))
    assert "ranks are 0 to 2" in failing("PTO-R601", text, 3, ["sources@3=zeros"]).message
    assert "'source'" in failing("PTO-R601", text, 3, ["source=zeros"]).message
    assert "2 are running" in failing("PTO-R804", text, 2).message
    assert "2 parts" in failing("PTO-R603", text, 3, {"sources": np.zeros((2, 4, 8), np.float32)}).message
    assert failing("PTO-R603", text, 3, {"sources@1": np.zeros((4, 9), np.float32)})
    assert failing("PTO-R602", text, 3, {"sources": np.zeros((3, 4, 8))})
    with pytest.raises(ValueError, match="mpi"):
        parse_ranks("many")


def test_without_ranks_one_core_plays_the_root() -> None:
    sources = np.arange(24, dtype=np.float32).reshape(3, 1, 8)
    result = run(ptoas.parse(gather(3, (1, 8), root=2)), {"sources": sources}, "a5", generate=True)
    assert np.array_equal(result.outputs["own"], sources.reshape(3, 8))


# --- what goes wrong -----------------------------------------------------------------------------


def test_only_the_root_may_call() -> None:
    text = gather(4, (2, 8), root=2).replace("arith.cmpi eq", "arith.cmpi sge")
    found = failing("PTO-R801", text, 4)
    assert found.message.startswith("rank 3: comm.tgather") and found.span.line == 5


@pytest.mark.parametrize("seed", range(6))
def test_a_source_that_changes_is_reported_in_every_interleaving(seed: int) -> None:
    found = failing("PTO-R802", SOURCE_CHANGES, 2, seed=seed)
    assert "rank 1 writes %g1" in found.message and "rank 0" in found.message
    assert (found.span.line, found.notes[0].span.line) == (11, 6)


def test_a_scalar_orders_ranks() -> None:
    def windows() -> dict[str, Any]:
        return {"w0": np.arange(300, dtype=np.int32), "w1": np.zeros(300, np.int32)}

    for seed in range(4):
        own = ranks_of(HANDSHAKE.format(signal=SIGNAL), 2, windows(), seed=seed).outputs["own"]
        assert np.array_equal(own, np.concatenate([np.arange(256), np.ones(256)]).reshape(16, 32))
    # The flag before the data orders nothing.
    early = HANDSHAKE.format(signal="").replace("  } else {\n", "  } else {\n    " + SIGNAL + "\n")
    assert failing("PTO-R802", early, 2, windows()).message.startswith("rank 1 writes %w1 (tstore")


def test_a_rank_that_waits_for_nothing() -> None:
    arguments = {"w0": np.zeros(300, np.int32), "w1": np.zeros(300, np.int32)}
    found = failing("PTO-R803", HANDSHAKE.format(signal=""), 2, arguments)
    table = [note.message for note in found.notes]
    assert "rank 0 | line 14 | waits for %w1[256], which stays 0" in table[0]
    assert table[1] == "rank 1 | - | has finished"


def test_wait_for_a_flag_never_set_is_a_deadlock() -> None:
    found = failing("PTO-R803", WAITS, 4, force=True)
    assert found.message == "ranks 1 and 3 wait for something that never happens; 2 of 4 have finished"
    assert [n.message.split(" | ")[:2] for n in found.notes] == [
        ["rank 0", "-"],
        ["rank 1", "line 9"],
        ["rank 2", "-"],
        ["rank 3", "line 9"],
    ]


def test_ping_and_pong_on_common_bytes() -> None:
    text = gather(2, (4, 8), (2, 8), tiles=2)
    near = text.replace(
        "%ping = pto.alloc_tile", "%a = arith.constant 0 : i64\n    %ping = pto.alloc_tile addr = %a"
    )
    for distance, legal in ((32, False), (64, True)):
        program = near.replace(
            "%pong = pto.alloc_tile",
            f"%b = arith.constant {distance} : i64\n    %pong = pto.alloc_tile addr = %b",
        )
        if legal:
            ranks_of(program, 2, force=True)
        else:
            assert "share bytes" in failing("PTO-R301", program, 2, force=True).message
            ranks_of(program, 2, force=True, checks="mem,init")


def test_a_gather_over_its_own_source() -> None:
    args = "%p: !pto.ptr<f32>, %g1: !pto.memref<4x8xf32>, %my_rank: i32"
    views = [
        "%i0 = arith.constant 0 : index",
        "%i1 = arith.constant 1 : index",
        "%i4 = arith.constant 4 : index",
        "%i8 = arith.constant 8 : index",
        "%off = arith.constant {offset} : index",
        "%own = pto.make_tensor_view %p, shape = [%i8, %i8], strides = [%i8, %i1] : !pto.tensor_view<8x8xf32>",  # noqa: E501
        "%q = pto.addptr %p, %off : !pto.ptr<f32> -> !pto.ptr<f32>",
        "%g0 = pto.make_tensor_view %q, shape = [%i4, %i8], strides = [%i8, %i1] : !pto.tensor_view<4x8xf32>",
        "pto.comm.tgather(%own, group({group}) : !pto.tensor_view<8x8xf32>, {types}) {{root = 0 : i32}}",
    ]

    def program(offset: int, group: str, types: str) -> str:
        return guarded([line.format(offset=offset, group=group, types=types) for line in views], args)

    view, memref = "!pto.tensor_view<4x8xf32>", "!pto.memref<4x8xf32>"
    # In place: the root's data is where it belongs.
    ranks_of(program(0, "%g0, %g1", f"{view}, {memref}"), 2, {"p": np.zeros(64, np.float32)}, force=True)
    wrong = program(8, "%g1, %g0", f"{memref}, {view}")
    assert (
        "lies in the destination"
        in failing("PTO-R802", wrong, 2, {"p": np.zeros(64, np.float32)}, force=True).message
    )


def test_a_destination_is_local_and_apart_from_the_roots_source() -> None:
    """D41; in place, where the source is the root's part of the destination, is fine (above)."""
    memory, whole = "!pto.memref<4x8xf32>", "!pto.memref<8x8xf32>"
    view = "!pto.partition_tensor_view<4x8xf32>"

    def program(rows: int, group: str, types: str, dst: str = "%own") -> str:
        part = (
            f"%i0 = arith.constant 0 : index\n%at = arith.constant {rows} : index\n"
            "%i4 = arith.constant 4 : index\n%i8 = arith.constant 8 : index\n"
            f"%part = pto.partition_view %own, offsets = [%at, %i0], sizes = [%i4, %i8] : {whole} -> {view}"
        )
        gather = f"pto.comm.tgather({dst}, group({group}) : {whole}, {types}) {{root = 0 : i32}}"
        return guarded([part, gather], f"%g0: {memory}, %g1: {memory}, %own: {whole}, %my_rank: i32")

    def found(code: str, *given: Any) -> str:
        return failing(code, program(*given), 2, force=True).message

    assert "lies in the memory of rank 1" in found("PTO-R806", 4, "%g0, %part", f"{memory}, {view}")
    assert "overlaps the source of the root" in found("PTO-R807", 4, "%part, %g1", f"{view}, {memory}")
    ranks_of(program(0, "%part, %g1", f"{view}, {memory}"), 2, force=True)
    ranks_of(program(0, "%g0, %g1", f"{memory}, {memory}"), 2, force=True)


def test_static_tiles_must_divide_at_run_time_too() -> None:
    text = gather(2, (5, 8), (2, 8)).replace("valid_row = %r valid_col = %c ", "").replace(", valid=?x?", "")
    assert "no multiple" in failing("PTO-R105", text, 2, force=True).message


def test_an_error_of_one_rank_ends_all() -> None:
    text = WAITS.replace(
        "pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]",
        "pto.tstore ins(%u : !pto.tile_buf<vec, 8x32xf32>) outs(%x : !pto.memref<8x32xf32>)",
    )
    text = text.replace("  %odd", "  %u = pto.alloc_tile : !pto.tile_buf<vec, 8x32xf32>\n  %odd")
    found = failing("PTO-R201", text, 4, force=True)
    assert found.message.startswith("ranks 1 and 3: tstore reads %u")


def test_runs_are_deterministic() -> None:
    text = gather(4, (6, 8), (2, 8))
    first, second = (ranks_of(text, 4, seed=9, trace=True) for _ in range(2))
    assert first.trace == second.trace and np.array_equal(first.outputs["own"], second.outputs["own"])


# --- what has to fit -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("member", "own", "legal"),
    [
        ("4x8", "8x8", True),
        ("4x8", "9x8", True),
        ("4x8", "7x8", False),
        ("4x8", "8x9", False),
        ("4x8", "8x7", False),
        ("2x4x8", "2x8x8", True),
        ("2x4x8", "1x8x8", False),
        ("2x4x8", "3x8x8", False),
    ],
)
def test_the_roots_memory_holds_all_ranks(member: str, own: str, legal: bool) -> None:
    """Document 003: DIM_3 of the destination is at least N * H; the other extents are a rank's."""
    whole = gather(2, tuple(map(int, member.split("x"))))
    height = int(member.split("x")[-2])
    text = whole.replace(member.replace(f"{height}x8", f"{2 * height}x8") + "xf32>", own + "xf32>")
    if legal:
        ranks_of(text, 2, force=True)
    else:
        assert "in the root's memory" in failing("PTO-R105", text, 2, force=True).message


@pytest.mark.parametrize(("own", "legal"), [("4x8", True), ("5x8", False), ("4x9", False)])
def test_a_broadcast_has_the_shape_of_a_rank(own: str, legal: bool) -> None:
    text = gather(2, (4, 8), op="tbroadcast").replace(
        "%own: !pto.memref<4x8xf32>", f"%own: !pto.memref<{own}xf32>"
    )
    text = text.replace(": !pto.memref<4x8xf32>, !pto.group", f": !pto.memref<{own}xf32>, !pto.group")
    if legal:
        ranks_of(text, 2, force=True)
    else:
        assert "every rank" in failing("PTO-R105", text, 2, force=True).message


def test_all_ranks_have_one_shape_and_one_stride() -> None:
    """Document 003: undefined where they differ."""

    def program(second: str) -> str:
        first = "!pto.memref<4x8xf32>"
        types = f"!pto.memref<8x8xf32>, {first}, {second}"
        call = f"pto.comm.tgather(%own, group(%a, %b) : {types}) {{root = 0 : i32}}"
        return guarded([call], f"%a: {first}, %b: {second}, %own: !pto.memref<8x8xf32>, %my_rank: i32")

    ranks_of(program("!pto.memref<4x8xf32, strides=[8, 1]>"), 2, force=True)
    for other in ("!pto.memref<4x8xf32, strides=[9, 1]>", "!pto.memref<3x8xf32>"):
        found = failing("PTO-R105", program(other), 2, force=True)
        assert "rank 1 has shape" in found.message and "all ranks have the same" in found.message


@pytest.mark.parametrize(("root", "legal"), [(0, True), (2, True), (3, False), (-1, False)])
def test_the_root_is_a_rank(root: int, legal: bool) -> None:
    module = ptoas.parse(gather(3, (2, 8), root=root), "test.pto")
    if legal:
        run(module, {}, "a5", force=True, generate=True)
        return
    with pytest.raises(PtoasError, match="of a group of 3 ranks"):
        run(module, {}, "a5", force=True, generate=True)


def test_as_many_ranks_as_the_group_has() -> None:
    assert "4 are running" in failing("PTO-R804", gather(3, (2, 8)), 4, force=True).message


@pytest.mark.parametrize("extent", ["r", "c"])
def test_a_staging_tile_has_something_valid(extent: str) -> None:
    text = gather(2, (4, 8), (2, 8))
    number = {"r": 2, "c": 8}[extent]
    text = text.replace(f"%{extent} = arith.constant {number}", f"%{extent} = arith.constant 0")
    assert "no valid element" in failing("PTO-R105", text, 2, force=True).message


def test_static_columns_must_divide_too() -> None:
    for width, legal in ((16, True), (20, False)):
        text = (
            gather(2, (4, width), (4, 8))
            .replace("valid_row = %r valid_col = %c ", "")
            .replace(", valid=?x?", "")
        )
        if legal:
            ranks_of(text, 2, force=True)
        else:
            assert f"{width} columns" in failing("PTO-R105", text, 2, force=True).message


def test_one_chunk_needs_no_second_tile() -> None:
    """Ping and pong on common bytes matter only when there is a second chunk to load."""
    for rows, legal in ((2, True), (3, False)):
        text = gather(1, (rows, 8), (2, 8), tiles=2).replace(
            "%ping = pto.alloc_tile", "%a = arith.constant 0 : i64\n    %ping = pto.alloc_tile addr = %a"
        )
        text = text.replace("%pong = pto.alloc_tile", "%pong = pto.alloc_tile addr = %a")
        if legal:
            ranks_of(text, 1, force=True)
        else:
            failing("PTO-R301", text, 1, force=True)


def after(text: str, tile: str, rows: int) -> str:
    """The program, with rows of a staging tile stored in %out after the call."""
    kind, staging = f"!pto.tile_buf<vec, {rows}x8xf32>", "!pto.tile_buf<vec, 2x8xf32, valid=?x?>"
    lines = [
        "%o = arith.constant 0 : index",
        f"%sub = pto.subview %{tile}[%o, %o] sizes [{rows}, 8] : {staging} -> {kind}",
        f"pto.tstore ins(%sub : {kind}) outs(%out : !pto.memref<{rows}x8xf32>)",
    ]
    text = text.replace("  }\n  return", "".join(f"    {line}\n" for line in lines) + "  }\n  return")
    return text.replace("%my_rank: i32)", f"%my_rank: i32, %out: !pto.memref<{rows}x8xf32>)")


@pytest.mark.parametrize(
    ("height", "tile", "rows", "expected"),
    [
        # Rank 0: rows 0-1 in ping, 2-3 in pong, 4 in ping; rank 1: rows 0-1 in pong, 2-3 in ping, 4 in pong.
        (5, "ping", 2, [(1, 2), (1, 3)]),
        (5, "pong", 2, [(1, 4), (1, 1)]),
        # One chunk a rank: rank 0 in ping, rank 1 in pong.
        (2, "ping", 2, [(0, 0), (0, 1)]),
        (1, "pong", 1, [(1, 0)]),
    ],
)
def test_gather_leaves_its_last_chunks_in_ping_and_pong(
    height: int, tile: str, rows: int, expected: list[tuple[int, int]]
) -> None:
    sources = np.arange(16 * height, dtype=np.float32).reshape(2, height, 8)
    text = after(gather(2, (height, 8), (2, 8), tiles=2), tile, rows)
    result = ranks_of(text, 2, {"sources": sources}, force=True)
    assert np.array_equal(result.outputs["out"], [sources[place] for place in expected])


def test_a_tile_that_got_no_chunk_stays_unwritten() -> None:
    failing("PTO-R201", after(gather(1, (2, 8), (2, 8), tiles=2), "pong", 2), 1, force=True)
    failing("PTO-R201", after(gather(2, (1, 8), (2, 8), tiles=2), "pong", 2), 2, force=True)


def test_types_without_arithmetic_are_not_reduced() -> None:
    assert (
        "does not support arithmetic"
        in failing("PTO-R505", gather(2, (4, 32), op="treduce", element="hif8"), 2, force=True).message
    )


@pytest.mark.parametrize("schedule", [None, 3])
def test_blocks_of_ranks(schedule: int | None) -> None:
    """Both blocks of a rank do the same: they clash with each other, and with those of the other rank."""
    with pytest.raises(PtoasError) as caught:
        ranks_of(SOURCE_CHANGES, 2, blocks=2, schedule=schedule)
    found = [(d.code, d.message.partition(" (")[0]) for d in caught.value.diagnostics]
    assert found == [
        ("PTO-R306", "rank 0 block 0 and rank 0 block 1 write %own"),
        ("PTO-R306", "rank 1 block 0 and rank 1 block 1 write %g1"),
        ("PTO-R802", "rank 1 block 0 and rank 1 block 1 write %g1"),
    ]
