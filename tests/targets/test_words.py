"""Messages of findings, in exact words: the problem and the fix."""

from __future__ import annotations

import pytest

from ptoas.grammar.parse import parse
from ptoas.targets.rules.examples import mgather, tload
from ptoas.verifier.verify import verify


def words(text: str, target: str) -> dict[str, tuple[str, str | None]]:
    """Message and fix by code."""
    return {d.code: (d.message, d.fix) for d in verify(parse(text), target).diagnostics}


@pytest.mark.parametrize(
    ("target", "element", "fix"),
    [
        ("cpu", "f8E4M3FN", "pass --aicore if the simulator is an AICORE build"),
        ("cpu", "f8E5M2", "pass --aicore if the simulator is an AICORE build"),
        ("cpu", "!pto.hif8", None),
        ("a2a3", "f8E4M3FN", None),
    ],
)
def test_an_aicore_build_is_proposed_for_what_it_adds(target: str, element: str, fix: str | None) -> None:
    """D3: float8 is never taken on a2a3, on cpu only with --aicore."""
    text = mgather("elem", f"16x32x{element}", f"64x32x{element}", "16x32xi32")
    assert words(text, target)["PTO-I101"][1] == fix


@pytest.mark.parametrize(
    ("dst", "bytes", "padded"),
    [
        ("16x12xf32", "12 x 4 bytes = 48 bytes", 16),
        ("16x20xf16", "20 x 2 bytes = 40 bytes", 32),
        ("16x40xi8", "40 x 1 bytes = 40 bytes", 64),
        ("16x33xi8", "33 x 1 bytes = 33 bytes", 64),
    ],
)
def test_a_row_is_padded_to_whole_blocks(dst: str, bytes: str, padded: int) -> None:
    """000: rows are multiples of 32 bytes."""
    cols = bytes.split()[0]
    element = dst.rpartition("x")[2]
    assert words(mgather("row", dst, f"64x{cols}x{element}", "1x16xi32"), "a2a3")["PTO-I105"] == (
        f"columns of `%dst`: found {bytes}, expected a multiple of 32 bytes",
        f"pad to {padded} columns and keep {cols} valid",
    )


@pytest.mark.parametrize(
    ("mode", "idx", "message"),
    [
        ("", "16x16xi32", "columns of the index tile `%idx`: found 16, expected 1 or 32"),
        ("row", "16x16xi32", "columns of the index tile `%idx` in Row mode: found 16, expected 1"),
        ("elem", "16x16xi32", "columns of the index tile `%idx` in Elem mode: found 16, expected 32"),
    ],
)
def test_the_custom_gather_names_the_columns_it_takes(mode: str, idx: str, message: str) -> None:
    """002: without a mode the columns choose one."""
    assert words(mgather(mode, "16x32xf32", "64x32xf32", idx), "a5-custom")["PTO-A207"] == (message, None)


def test_an_index_of_rows_is_one_row() -> None:
    found = words(mgather("row", "16x32xf32", "64x32xf32", "1x24xi32"), "a2a3")
    message = "valid shape of the index `%idx` in Row mode: found 1x24, expected 1x16"
    fix = "declare `%idx` as `!pto.tile_buf<vec, 1x24xi32, valid=1x16>`"
    assert found == {"PTO-A202": (message, fix)}


def test_a_padded_table_is_shown_with_its_strides() -> None:
    found = words(mgather("row", "16x32xf32", "64x32xf32, strides=[40, 1]", "1x16xi32"), "a5")
    message = "the 64x32 table has gaps: its strides are [40, 1]"
    assert found == {"PTO-A214": (message, "copy the table into a packed one")}


@pytest.mark.parametrize(
    ("block", "element", "required"), [("8x16", "f16", "16x16"), ("16x16", "i8", "16x32")]
)
def test_a_block_of_nz_memory_is_shown_whole(block: str, element: str, required: str) -> None:
    """A fractal block has 16 rows of 32 bytes."""
    rows, cols = map(int, block.split("x"))
    tile = f"64x{cols}x{element}, valid={4 * rows}x{cols}, blayout=col_major, slayout=row_major"
    message, _ = words(tload(tile, f"1x1x4x{block}x{element}, nz"), "a2a3")["PTO-M104"]
    assert message == f"Shape[3]xShape[4] of NZ memory: found {block}, expected {required}"
