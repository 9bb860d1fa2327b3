"""Requirements of a collective on its group and memory, each rank's part, and the contents of its tiles."""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .programs import gather, guarded
from .test_ranks import failing, ranks_of

OPS = ("tgather", "tscatter", "tbroadcast", "treduce")


def run_four(text: str, op: str, **options: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The root's memory, another rank's own memory, and the group's, after rank 1 of four called."""
    shape = (16, 8) if op in ("tgather", "tscatter") else (4, 8)
    own = np.arange(shape[0] * 8, dtype=np.float32).reshape(shape)
    sources = 1000 + np.arange(128, dtype=np.float32).reshape(4, 4, 8)
    arguments = {"sources": sources, **{f"own@{rank}": own - rank for rank in range(4)}}
    result = ranks_of(text, 4, arguments, **options)
    after = result.ranks[1].arguments["own"], result.ranks[2].arguments["own"]
    return *(np.array(array) for array in after), np.array(result.ranks[1].arguments["sources"])


# --- who calls -----------------------------------------------------------------------------------


def test_without_a_root_it_is_rank_0() -> None:
    text = gather(3, (2, 8)).replace(" {root = 0 : i32}", "")
    sources = np.arange(48, dtype=np.float32).reshape(3, 2, 8)
    assert np.array_equal(ranks_of(text, 3, {"sources": sources}).outputs["own"], sources.reshape(6, 8))
    failing("PTO-R801", text.replace("cmpi eq", "cmpi ne"), 3, force=True)


def views(members: list[str], own: str, fields: str = "root = 0 : i32", op: str = "tgather") -> str:
    """A collective whose ranks' memories are arguments of their own."""
    names = [f"%m{n}" for n in range(len(members))]
    call = f"pto.comm.{op}(%own, group({', '.join(names)}) : {', '.join([own, *members])}) {{{fields}}}"
    arguments = [f"{name}: {type_}" for name, type_ in zip(names, members, strict=True)]
    return guarded([call], ", ".join([*arguments, f"%own: {own}", "%my_rank: i32"]))


def test_as_many_ranks_run_as_the_group_lists() -> None:
    text = views(["!pto.memref<4x8xf32>"] * 2, "!pto.memref<8x8xf32>")
    ranks_of(text, 2)
    found = failing("PTO-R804", text, 3, force=True)
    assert "the group has 2 ranks, 3 are running" in found.message and found.fix == "pass `--ranks 2`"


def test_ranks_of_one_stride_have_one_shape_too() -> None:
    own = "!pto.memref<1x1x1x8x8xf32>"
    one, two = "!pto.memref<1x1x1x4x8xf32>", "!pto.memref<2x1x1x4x8xf32>"
    ranks_of(views([one, one], own), 2, force=True)
    found = failing("PTO-R105", views([one, two], own), 2, force=True)
    assert "rank 1 has shape [2, 1, 1, 4, 8]" in found.message


# --- the collective unit -------------------------------------------------------------------------


@pytest.mark.parametrize("op", OPS)
def test_on_the_ccu_every_rank_calls_and_the_roots_data_moves(op: str) -> None:
    """Document 003, CCU path: all ranks launch it. Called by all without it, each but the root is wrong."""
    alone = gather(4, (4, 8), (2, 8), root=1, op=op)
    everybody = alone.replace("  scf.if %is_root {\n", "").replace("  }\n  return", "  return")
    failing("PTO-R801", everybody, 4, force=True)
    aiv = everybody.replace("root = 1 : i32}", "root = 1 : i32, engine = #pto<coll_engine aiv>}")
    failing("PTO-R801", aiv, 4, force=True)
    ccu = everybody.replace("root = 1 : i32}", "root = 1 : i32, engine = #pto<coll_engine ccu>}")
    expected, found = run_four(alone, op), run_four(ccu, op, force=True)
    for before, now in zip(expected, found, strict=True):
        assert np.array_equal(before, now)


# --- tiles whose extents are partly fixed --------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "extents", "shape", "wrong"),
    [
        ("valid=?x8", "valid_row = %r ", (5, 16), None),
        ("valid=?x8", "valid_row = %r ", (4, 12), "12 columns of a rank are no multiple of the 8"),
        ("valid=2x?", "valid_col = %c ", (4, 12), None),
        ("valid=2x?", "valid_col = %c ", (5, 16), "5 rows of a rank are no multiple of the 2"),
    ],
)
def test_only_fixed_extents_must_divide(
    tile: str, extents: str, shape: tuple[int, int], wrong: str | None
) -> None:
    """Document 003, chunked mode: ValidRow divides DIM_3 and ValidCol DIM_4, each where it is static."""
    text = gather(2, shape, (2, 8)).replace("valid=?x?", tile)
    text = text.replace("valid_row = %r valid_col = %c ", extents)
    if wrong is None:
        sources = np.random.default_rng(0).random((2, *shape), np.float32)
        out = ranks_of(text, 2, {"sources": sources}, force=True).outputs["own"]
        assert np.array_equal(out, np.concatenate(sources))
    else:
        assert wrong in failing("PTO-R105", text, 2, force=True).message


# --- sources that are written before they are read -----------------------------------------------


def overlapping(op: str, own: tuple[int, int], member: tuple[int, int], tiles: str) -> str:
    """A call of one rank on two views of one buffer: `(offset, stride of rows)` of the root's memory and of the
    rank's, each of 4x8; `tiles` are rows of `acc` and of the staging tile."""
    lines = [f"%i{n} = arith.constant {n} : index" for n in sorted({1, 4, 8, *own, *member})]
    for name, (offset, stride) in (("own", own), ("member", member)):
        lines.append(f"%p_{name} = pto.addptr %p, %i{offset} : !pto.ptr<f32> -> !pto.ptr<f32>")
        lines.append(
            f"%{name} = pto.make_tensor_view %p_{name}, shape = [%i4, %i8], strides = [%i{stride}, %i1] : !pto.tensor_view<4x8xf32>"
        )
    names, types = [], []
    for name, rows in zip(("acc", "recv"), tiles.split(), strict=True):
        if name == "acc" and op != "treduce":
            continue
        types.append(f"!pto.tile_buf<vec, {rows}x8xf32>")
        lines.append(f"%{name} = pto.alloc_tile : {types[-1]}")
        names.append("%acc" if name == "acc" else "recv(%recv)")
    view = "!pto.tensor_view<4x8xf32>"
    lines.append(
        f"pto.comm.{op}(%own, {', '.join(names)}, group(%member) : {', '.join([view, *types, view])}) {{root = 0 : i32}}"
    )
    return guarded(lines, "%p: !pto.ptr<f32>, %my_rank: i32")


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize(
    ("own", "member", "tiles", "legal"),
    [
        # In place: what is stored is what was there.
        ((0, 8), (0, 8), "4 4", True),
        ((0, 8), (0, 8), "2 2", True),
        # A row further: all is read before anything is stored, unless it goes in chunks; but a destination
        # does not overlap the root's source (D41).
        ((0, 8), (8, 8), "4 4", None),
        ((0, 8), (8, 8), "2 2", False),
        # From the same first byte, but rows lie further apart.
        ((0, 8), (0, 16), "4 4", None),
        ((0, 8), (0, 16), "2 2", False),
        ((0, 16), (0, 8), "2 2", False),
        # Between each other's rows.
        ((0, 16), (8, 16), "2 2", True),
        ((0, 8), (32, 8), "2 2", True),
    ],
)
def test_a_source_is_read_before_anything_is_stored_over_it(
    op: str, own: tuple[int, int], member: tuple[int, int], tiles: str, legal: bool | None
) -> None:
    text, before = overlapping(op, own, member, tiles), np.arange(128, dtype=np.float32)
    if legal is None and op in ("tgather", "treduce"):
        failing("PTO-R807", text, 1, {"p": before.copy()}, force=True)
        return
    if legal is False:
        found = failing("PTO-R802", text, 1, {"p": before.copy()}, force=True)
        assert "the source of rank 0 lies in the destination of rank 0" in found.message
        ranks_of(text, 1, {"p": before.copy()}, force=True, checks="init,race,budget")
        return
    p = before.copy()
    ranks_of(text, 1, {"p": p}, force=True)
    places = {
        name: at[0] + at[1] * np.arange(4)[:, None] + np.arange(8) for name, at in (("o", own), ("m", member))
    }
    source, target = ("m", "o") if op in ("tgather", "treduce") else ("o", "m")
    expected = before.copy()
    expected[places[target]] = before[places[source]]
    assert np.array_equal(p, expected)


@pytest.mark.parametrize(("tiles", "code"), [("4 4", "PTO-R807"), ("2 4", "PTO-R802"), ("4 2", "PTO-R802")])
def test_reduction_uses_chunks_of_its_smaller_tile(tiles: str, code: str) -> None:
    """An overlap is reported as "overwritten before it is read" if it is, else as an overlap (D41)."""
    text = overlapping("treduce", (0, 8), (8, 8), tiles)
    failing(code, text, 1, {"p": np.zeros(128, np.float32)}, force=True)


# --- what a reduction does with its tiles --------------------------------------------------------

TILE = "!pto.tile_buf<vec, 2x8xf32, valid=?x?>"


def reduction(ranks: int, rows: int, places: tuple[int, ...] = (), show: str = "", shown: int = 2) -> str:
    """Through %acc, %ping and %pong of two rows, at addresses if given; then rows of one are stored in %out."""
    lines = [
        "%r = arith.constant 2 : index",
        "%c = arith.constant 8 : index",
        "%o = arith.constant 0 : index",
    ]
    names = ("acc", "ping", "pong")
    for n, name in enumerate(names):
        where = ""
        if places:
            lines.append(f"%at{n} = arith.constant {places[n]} : i64")
            where = f"addr = %at{n} "
        lines.append(f"%{name} = pto.alloc_tile {where}valid_row = %r valid_col = %c : {TILE}")
    own, group = f"!pto.memref<{rows}x8xf32>", f"!pto.group<{ranks} x !pto.memref<{rows}x8xf32>>"
    lines.append(
        f"pto.comm.treduce(%own, %acc, recv(%ping, %pong), group(%sources) : {own}, {TILE}, {TILE}, {TILE}, {group}) {{root = 0 : i32, pingpong}}"
    )
    arguments = f"%sources: {group}, %own: {own}, %my_rank: i32"
    if show:
        part, out = f"!pto.tile_buf<vec, {shown}x8xf32>", f"!pto.memref<{shown}x8xf32>"
        lines.append(f"%sub = pto.subview %{show}[%o, %o] sizes [{shown}, 8] : {TILE} -> {part}")
        lines.append(f"pto.tstore ins(%sub : {part}) outs(%out : {out})")
        arguments += f", %out: {out}"
    return guarded(lines, arguments)


@pytest.mark.parametrize(
    ("tile", "expected"),
    [
        # The sum's rows 0-1, 2-3, 4, one after the other.
        ("acc", [("sum", 4), ("sum", 3)]),
        # Rank 1: rows 0-1 in ping, 2-3 in pong, 4 in ping; rank 2: rows 0-1 in pong, 2-3 in ping, 4 in pong.
        ("ping", [(2, 2), (2, 3)]),
        ("pong", [(2, 4), (2, 1)]),
    ],
)
def test_reduction_leaves_its_last_chunks_in_the_staging_tiles(
    tile: str, expected: list[tuple[Any, int]]
) -> None:
    sources = np.arange(120, dtype=np.float32).reshape(3, 5, 8)
    out = ranks_of(reduction(3, 5, show=tile), 3, {"sources": sources}, force=True).outputs["out"]
    rows = [sources.sum(axis=0)[row] if which == "sum" else sources[which][row] for which, row in expected]
    assert np.array_equal(out, rows)


def test_a_reduction_of_one_rank_receives_nothing() -> None:
    sources = np.arange(16, dtype=np.float32).reshape(1, 2, 8)
    out = ranks_of(reduction(1, 2, show="acc"), 1, {"sources": sources}, force=True).outputs["out"]
    assert np.array_equal(out, sources[0])
    failing("PTO-R201", reduction(1, 2, show="ping"), 1, force=True)
    failing("PTO-R201", reduction(2, 2, show="pong"), 2, force=True)


@pytest.mark.parametrize(
    ("ranks", "rows", "places", "wrong"),
    [
        (3, 4, (0, 64, 128), None),
        # The sum is lost as soon as anything is received over it.
        (2, 2, (0, 32, 128), "%ping"),
        (3, 2, (0, 64, 32), "%pong"),
        (1, 2, (0, 32, 128), None),
        # Ping and pong matter when both receive something.
        (2, 2, (0, 64, 96), None),
        (2, 2, (0, 64, 32), None),
        (2, 4, (0, 64, 96), "%pong"),
        (3, 2, (0, 64, 96), "%pong"),
    ],
)
def test_tiles_of_a_reduction_that_are_used_together_lie_apart(
    ranks: int, rows: int, places: tuple[int, ...], wrong: str | None
) -> None:
    text = reduction(ranks, rows, places)
    if wrong is None:
        ranks_of(text, ranks, force=True)
        return
    found = failing("PTO-R301", text, ranks, force=True)
    assert f"loads a chunk into {wrong} " in found.message and "share bytes" in found.message
    ranks_of(text, ranks, force=True, checks="mem,init")


OPEN = """
func.func @main(%g: !pto.group<1 x !pto.memref<8x32xf32>>, %own: !pto.memref<8x32xf32>, %n: index) {
  %c32 = arith.constant 32 : index
  %t = pto.alloc_tile valid_row = %n valid_col = %c32 : !pto.tile_buf<vec, 16x32xf32, valid=?x?>
  pto.comm.tgather(%own, recv(%t), group(%g) : !pto.memref<8x32xf32>, !pto.tile_buf<vec, 16x32xf32, valid=?x?>, !pto.group<1 x !pto.memref<8x32xf32>>) {root = 0 : i32}
  return
}
"""


@pytest.mark.parametrize(("rows", "codes"), [(4, []), (8, []), (16, ["PTO-R125"])])
def test_run_warns_of_tile_larger_than_the_data(rows: int, codes: list[str]) -> None:
    """The headers of August 2026 store it as it is valid (D28)."""
    result = ranks_of(OPEN, 1, {"n": rows})
    assert [found.code for found in result.warnings] == codes


def test_a_tile_that_turns_out_to_be_larger_is_refused_by_the_headers() -> None:
    """As those that are known to be (PTO-C120)."""
    failing("PTO-R125", OPEN, 1, {"n": 16}, isa="2026.08")
    ranks_of(OPEN, 1, {"n": 8}, isa="2026.08")


@pytest.mark.parametrize(("rows", "codes"), [(32, []), (16, []), (8, ["PTO-R125"])])
def test_run_warns_of_data_smaller_than_the_tile(rows: int, codes: list[str]) -> None:
    """Also where the tile's extents are static (PTO-C120)."""
    view = "!pto.tensor_view<?x32xf32>"
    tile = "!pto.tile_buf<vec, 16x32xf32>"
    text = f"""
func.func @main(%g: !pto.ptr<f32>, %own: !pto.ptr<f32>, %n: index) {{
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %t = pto.alloc_tile : {tile}
  %a = pto.make_tensor_view %g, shape = [%n, %c32], strides = [%c32, %c1] : {view}
  %b = pto.make_tensor_view %own, shape = [%n, %c32], strides = [%c32, %c1] : {view}
  pto.comm.tgather(%b, recv(%t), group(%a) : {view}, {tile}, {view}) {{root = 0 : i32}}
  return
}}
"""
    arguments = {"n": rows, "g": np.zeros(1024, np.float32), "own": np.zeros(1024, np.float32)}
    assert [found.code for found in ranks_of(text, 1, arguments).warnings] == codes
