"""Findings of a program that is checked for several targets: their targets and words."""

from __future__ import annotations

import pytest

from ptoas.grammar.parse import parse
from ptoas.verifier.verify import verify_targets

Finding = tuple[tuple[str, ...], str]
"""The targets that it is said of, and the message."""


def warnings(text: str, targets: str, code: str) -> list[Finding]:
    report = verify_targets(parse(text, "example.pto"), targets.split())
    return [(d.targets, d.message) for d in report.diagnostics if d.code == code]


def mgather(name: str, table: str, index: str, result: str) -> str:
    memory, idx, dst = f"!pto.memref<{table}>", f"!pto.tile<{index}>", f"!pto.tile<{result}>"
    head = f".arg %table : {memory}\n.arg %idx : {idx}\n"
    return f"{head}%dst = {name} %table, %idx : ({memory}, {idx}) -> {dst}\n"


# --- PTO-W101: the mode ---------------------------------------------------------------------------

NO_MODE = mgather("mgather", "64x16xf32", "16x16xi32", "16x16xf32")


def test_the_modes_that_targets_choose_are_named() -> None:
    """Elem on cpu, row on a2a3 and a5 (D8); a5-custom goes by the index, which is as wide as the result."""
    targets = ("cpu", "a2a3", "a5", "a5-custom")
    message = "mgather without a mode is elem on cpu, a5-custom and row on a2a3, a5"
    assert warnings(NO_MODE, " ".join(targets), "PTO-W101") == [(targets, message)]


@pytest.mark.parametrize("targets", ["a2a3 a5", "cpu a5-custom"])
def test_targets_that_choose_one_mode_need_none(targets: str) -> None:
    assert warnings(NO_MODE, targets, "PTO-W101") == []


# --- PTO-W102: wrap -------------------------------------------------------------------------------


def wrap(table: str, index: str = "i32", name: str = "mgather.elem.wrap") -> str:
    return mgather(name, f"{table}xf32", f"16x16x{index}", "16x16xf32")


@pytest.mark.parametrize("targets", ["cpu a2a3", "a2a3 cpu", "cpu a5 a5-custom"])
@pytest.mark.parametrize(
    ("table", "size"), [("60x16", "capacity 960"), ("3x1", "capacity 3"), ("?x16", "an unknown capacity")]
)
def test_a_signed_index_wraps_differently_on_cpu(targets: str, table: str, size: str) -> None:
    """2^32 - 1 and 2^64 - 1 leave one remainder only if the capacity divides both: a power of two."""
    message = f"negative indices of type i32 with {size} wrap differently on cpu"
    assert warnings(wrap(table), targets, "PTO-W102") == [(tuple(targets.split()), message)]


@pytest.mark.parametrize("table", ["1x1", "2x1", "64x16"])
def test_power_of_two_wraps_equally(table: str) -> None:
    assert warnings(wrap(table), "cpu a2a3", "PTO-W102") == []


@pytest.mark.parametrize("targets", ["a2a3 a5", "a5 a5-custom"])
def test_devices_wrap_equally(targets: str) -> None:
    assert warnings(wrap("60x16"), targets, "PTO-W102") == []


def test_unsigned_index_wraps_equally() -> None:
    assert warnings(wrap("60x16", "u32"), "cpu a2a3", "PTO-W102") == []


def test_each_target_has_the_capacity_of_its_mode() -> None:
    """Without a mode, a2a3 chooses from 64 rows, a power of two, and cpu from 1536 elements."""
    found = warnings(wrap("64x24", name="mgather.wrap"), "cpu a2a3", "PTO-W102")
    assert [targets for targets, _ in found] == [("cpu",)]
    assert "capacity 1536" in found[0][1]


# --- PTO-W103: the index of a tile gather ---------------------------------------------------------


@pytest.mark.parametrize(
    ("targets", "taking", "refusing"),
    [("a2a3 a5", ("a5",), "a2a3"), ("cpu a2a3 a5", ("a5",), "cpu, a2a3"), ("a5 a2a3", ("a5",), "a2a3")],
)
def test_short_indices_are_taken_by_a5_alone(targets: str, taking: tuple[str, ...], refusing: str) -> None:
    """The warning stands where the type is taken; the others have an error of their own."""
    tile = "!pto.tile<16x16x{}>".format
    text = (
        f".arg %s : {tile('f32')}\n.arg %i : {tile('i16')}\n"
        f"%d = tgather %s, %i : ({tile('f32')}, {tile('i16')}) -> {tile('f32')}\n"
    )
    message = f"indices of type i16 are not supported on {refusing}"
    assert warnings(text, targets, "PTO-W103") == [(taking, message)]


# --- PTO-W104: the form of the table --------------------------------------------------------------

NZ = mgather(
    "mgather.row", "1x1x4x16x16xf16, nz", "1x32xi32", "32x16xf16, blayout=col_major, slayout=row_major"
)
STRIDED = mgather("mgather.row", "64x32xf32, strides=[40, 1]", "1x16xi32", "16x32xf32")


def test_an_nz_table_is_pointed_out_where_it_is_taken() -> None:
    message = "a table with nz is not supported on a5"
    assert warnings(NZ, "a2a3 a5", "PTO-W104") == [(("a2a3",), message)]
    assert warnings(NZ, "a5 a5-custom", "PTO-W104") == []


def test_strides_are_pointed_out_where_they_are_taken() -> None:
    message = "a table with strides [40, 1] is not supported on a5"
    assert warnings(STRIDED, "a2a3 a5", "PTO-W104") == [(("a2a3",), message)]
    assert warnings(STRIDED, "cpu a2a3", "PTO-W104") == []
