"""C++ of collectives."""

from __future__ import annotations

from pathlib import Path

import pytest

import ptoas
from ptoas.analysis.storage import places_of
from ptoas.analysis.structure import functions
from ptoas.compiler.lower import lower
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.lowering import prepare
from ptoas.targets import TARGETS

from .programs import gather

EXAMPLES = Path(__file__).parents[2] / "examples"


def lines_of(text: str, target: str = "a5", **options: str) -> list[str]:
    return [line.strip() for line in lower(ptoas.parse(text), target, **options).splitlines()]


@pytest.mark.parametrize("target", TARGETS)
def test_the_documents_calls(target: str) -> None:
    one = lower(ptoas.parse_file(str(EXAMPLES / "gather_ranks.pto")), target)
    assert "Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, -1, -1>;" in one
    assert "SourcesTensor tensors[4] = {" in one
    assert "comm::ParallelGroup<SourcesTensor> group(tensors, 4, 0);" in one
    assert "StagingTile staging(32, 64);" in one
    assert "comm::TGATHER(group, resultGM, staging);" in one
    two = lower(ptoas.parse_file(str(EXAMPLES / "gather_ranks_pingpong.pto")), target)
    assert "comm::ParallelGroup<SourcesTensor> group(tensors, 4, 2);" in two
    assert "comm::TGATHER(group, resultGM, ping, pong);" in two


def staging(text: str, target: str) -> list[TileType]:
    module = prepare(ptoas.parse(text), target)
    (op,) = [op for op in module.walk() if isinstance(op, CollectiveOp)]
    return [tile.type for tile in op.staging if isinstance(tile.type, TileType)]


@pytest.mark.parametrize("target", ["a2a3", "a5", "a5-custom"])
@pytest.mark.parametrize("attrs", ["", "pingpong"])
def test_staging_fits_the_memory_and_the_data(target: str, attrs: str) -> None:
    small = staging(gather(2, (10, 20), attrs=attrs), target)
    assert [tile.shape for tile in small] == [(10, 24)] * (2 if attrs else 1)
    large = staging(gather(2, (10_000, 100), attrs=attrs), target)
    free = {"a2a3": 192 * 1024, "a5": 248 * 1024, "a5-custom": 248 * 1024}[target]
    total = sum(tile.size_bytes for tile in large)
    row = 104 * 4
    assert free - len(large) * (row + 32) < total <= free
    assert all(tile.valid == (DYNAMIC, DYNAMIC) for tile in large)
    (wide, *_) = staging(gather(1, (1, 1_000_000), attrs=attrs), target)
    assert wide.rows == 1 and wide.size_bytes <= free


def test_staging_leaves_memory_for_other_tiles() -> None:
    text = gather(2, (10_000, 100)).replace(
        "  %root", "  %other = pto.alloc_tile : !pto.tile_buf<vec, 256x128xf32>\n  %root", 1
    )
    (tile,) = staging(text, "a2a3")
    assert tile.size_bytes <= 64 * 1024


def test_a_second_tile_is_like_the_first() -> None:
    text = gather(2, (10, 20), (4, 20), attrs="pingpong")
    ping, pong = staging(text, "a5")
    assert ping == pong
    assert "PingTile pong(4, 20);" in lines_of(text)


def test_the_ccu() -> None:
    text = gather(4, (8, 32), attrs="engine = #pto<coll_engine ccu>").replace(
        "%my_rank: i32", "%my_rank: i32, %slot: i64, %mask: i32"
    )
    # Every rank opens the gate, whoever the root is.
    text = text.replace("arith.cmpi eq", "arith.cmpi uge")
    text = text.replace("group(%sources)", "group(%sources), context(%slot, %mask)").replace(
        "f32>>) {root", "f32>>, i64, i32) {root"
    )
    lines = lines_of(text)
    trigger = "comm::CcuTriggerContext trigger{static_cast<uint64_t>(slot), static_cast<uint32_t>(mask)};"
    assert trigger in lines
    assert "comm::TGATHER<comm::CollEngine::CCU>(group, ownGM, staging, trigger);" in lines
    note = [line for line in lines_of(text, emit="launcher") if "HcclCcuKernelLaunch" in line]
    assert len(note) == 2, "at the call and at the launch"


def test_the_neighbours() -> None:
    reduce = lines_of(gather(3, (8, 32), op="treduce", attrs="op = #pto<reduce_op max>"))
    assert "comm::TREDUCE(group, ownGM, acc, staging, comm::ReduceOp::Max);" in reduce
    assert "comm::TSCATTER(group, ownGM, staging);" in lines_of(gather(3, (8, 32), op="tscatter"))
    assert "comm::TBROADCAST(group, ownGM, staging);" in lines_of(gather(3, (8, 32), op="tbroadcast"))


def test_a_second_tile_is_like_a_first_of_fixed_extents() -> None:
    text = gather(2, (10, 24), attrs="pingpong").replace(
        "  %root", "  %mine = pto.alloc_tile : !pto.tile_buf<vec, 4x24xf32>\n  %root", 1
    )
    text = text.replace("group(%sources)", "recv(%mine), group(%sources)").replace(
        "!pto.group<2 x !pto.memref<10x24xf32>>) {",
        "!pto.tile_buf<vec, 4x24xf32>, !pto.group<2 x !pto.memref<10x24xf32>>) {",
    )
    ping, pong = staging(text, "a5")
    assert ping == pong and ping.shape == (4, 24) and ping.valid == (4, 24)


def test_staging_is_placed_above_manual_tiles() -> None:
    """A tile at an address of the program's own leaves only what is behind it."""
    text = gather(2, (10_000, 100)).replace(
        "  %root",
        "  %high = arith.constant 131072 : i64\n"
        "  %other = pto.alloc_tile addr = %high : !pto.tile_buf<vec, 8x128xf32>\n"
        "  %one = arith.constant 1.0 : f32\n"
        "  pto.texpands ins(%one : f32) outs(%other : !pto.tile_buf<vec, 8x128xf32>)\n"
        "  pto.tprint ins(%other : !pto.tile_buf<vec, 8x128xf32>)\n  %root",
        1,
    )
    module = prepare(ptoas.parse(text), "a2a3")
    (function,) = functions(module)
    places = places_of(function)
    (op,) = [op for op in module.walk() if isinstance(op, CollectiveOp)]
    (tile,) = op.staging
    address = places.address(tile)
    assert address is not None and isinstance(tile.type, TileType)
    assert address >= 131072 + 8 * 128 * 4
    assert address + tile.type.size_bytes <= 192 * 1024


def test_staging_beside_a_gather_stays_within_the_default_budget() -> None:
    """A kernel that gathers on a5 is launched with 128 KB unless it asks for more."""
    text = gather(2, (10_000, 100)).replace(
        "  %root",
        "  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n"
        "  pto.tload ins(%idx : !pto.memref<1x16xi32>) outs(%i : !pto.tile_buf<vec, 1x16xi32>)\n"
        "  %d = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>\n"
        "  pto.mgather ins(%table, %i : !pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x16xi32>) "
        "outs(%d : !pto.tile_buf<vec, 16x32xf32>) {coalesce = #pto<coalesce row>}\n"
        "  pto.tstore ins(%d : !pto.tile_buf<vec, 16x32xf32>) outs(%picked : !pto.memref<16x32xf32>)\n"
        "  %root",
        1,
    )
    text = text.replace(
        "%my_rank: i32",
        "%my_rank: i32, %table: !pto.memref<64x32xf32>, %idx: !pto.memref<1x16xi32>, "
        "%picked: !pto.memref<16x32xf32>",
    )
    (tile,) = staging(text, "a5")
    assert 64 * 1024 < tile.size_bytes <= 128 * 1024
