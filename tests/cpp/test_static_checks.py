"""The reference headers refuse what the documents say a target refuses: compiling proves something."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .harness import FLAGS, MACRO, compiler

HEAD = """
#include <cstddef>
#include <cstdint>
#include <pto/pto-inst.hpp>
using namespace pto;
using Table = GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 32, 1>>;
using Dst = Tile<TileType::Vec, float, 16, 32>;
using Row = Tile<TileType::Vec, int32_t, 1, 16>;
using Column = Tile<TileType::Vec, int32_t, 16, 1, BLayout::ColMajor>;
using Elem = Tile<TileType::Vec, int32_t, 16, 32>;
using Narrow = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 16, 24>;
"""


def compiles(body: str, target: str, tmp_path: Path, isa: int = 1) -> bool:
    source = tmp_path / "check.cpp"
    source.write_text(f"{HEAD}\nvoid f(float *p)\n{{\n    Table table(p);\n    {body}\n}}\n")
    flags = [*FLAGS, f"-DPTO_REF_TARGET={MACRO[target]}", f"-DPTO_REF_ISA_2026_08={isa}", "-fsyntax-only"]
    return subprocess.run([compiler(), *flags, str(source)], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("body", "accepted"),
    [
        ("Dst d; Row i; MGATHER<Coalesce::Row>(d, table, i);", {"a2a3", "a5"}),
        ("Dst d; Column i; MGATHER<Coalesce::Row>(d, table, i);", {"a5"}),
        ("Narrow d; Row i; MGATHER<Coalesce::Row>(d, table, i);", {"a2a3"}),
        ("Dst d; Elem i; MGATHER(d, table, i);", {"cpu"}),
        ("Dst d; Elem i; MGATHER<Coalesce::Row>(d, table, i);", set()),
    ],
)
def test_a_gather_compiles_where_it_is_legal(body: str, accepted: set[str], tmp_path: Path) -> None:
    assert {t for t in ("cpu", "a2a3", "a5") if compiles(body, t, tmp_path)} == accepted


def test_the_revisions_differ_in_the_scratch_of_a_tile_gather(tmp_path: Path) -> None:
    body = "Dst d, s; Elem i; TGATHER(d, s, i);"
    assert compiles(body, "a5", tmp_path, isa=0)
    assert not compiles(body, "a5", tmp_path, isa=1)


def test_an_unused_variable_is_an_error(tmp_path: Path) -> None:
    assert not compiles("(void)table; int unused = 0;", "a5", tmp_path)
