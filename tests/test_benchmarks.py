"""The figures of the benchmarks: ratios, limits, and what counts as a change."""

from __future__ import annotations

import json
import re
from importlib import import_module
from math import inf
from pathlib import Path

import pytest

from benchmarks.__main__ import BENCHMARKS
from benchmarks.figures import Row, amount, change, comparison, in_turns, machine, results, table

ROOT = Path(__file__).parents[1]


def row(what: str = "parse", ours: float = 3.0, theirs: float = 2.0, **options) -> Row:
    return Row(what, "xDSL", [ours], [theirs], **options)


def test_the_best_samples_make_the_ratio() -> None:
    assert Row("a", "b", [4.0, 3.0, 5.0], [2.0, 9.0, 2.0]).ratio == 1.5
    assert Row("a", "b", [4.0, 2.0], [6.0, 8.0], speed=True).ratio == 3.0


@pytest.mark.parametrize(
    ("options", "limit", "ok"),
    [
        ({}, "", True),
        ({"at_most": 1.5}, "<= 1.5", True),
        ({"at_most": 1.4}, "<= 1.4", False),
        ({"at_least": 0.6, "speed": True}, ">= 0.6", True),
        ({"at_least": 0.7, "speed": True}, ">= 0.7", False),
    ],
)
def test_a_limit_is_kept_or_not(options: dict[str, float], limit: str, ok: bool) -> None:
    made = row(**options)
    assert (made.limit, made.ok) == (limit, ok)
    (line,) = (line for line in table([made]).splitlines() if "parse" in line)
    assert ("OVER" in line) == (not ok) and ("| ok" in line) == (ok and bool(limit))


def test_noise_is_how_far_the_halves_are_apart() -> None:
    steady = Row("a", "b", [2.0, 2.0, 2.0, 2.0], [1.0, 1.0, 1.0, 1.0])
    assert steady.noise == 0
    # 3 in the first half, 2 in the second, 2 at best.
    assert Row("a", "b", [3.0, 4.0, 2.0, 2.0], [1.0, 1.0, 1.0, 1.0]).noise == 0.5
    assert row().noise == 0  # one sample says nothing


def kept(ratio: float, noise: float = 0.0, speed: bool = False) -> dict[str, object]:
    return {"what": "a", "ratio": ratio, "noise": noise, "speed": speed}


@pytest.mark.parametrize(
    ("then", "now", "mark"),
    [
        (kept(1.0), kept(1.09), ""),
        (kept(1.0), kept(1.2), "SLOWER"),
        (kept(1.0), kept(0.8), "faster"),
        (kept(1.0, speed=True), kept(0.8, speed=True), "SLOWER"),
        (kept(1.0, speed=True), kept(1.2, speed=True), "faster"),
        (kept(1.0, noise=0.15), kept(1.2, noise=0.1), ""),
        (kept(0.0), kept(0.0), ""),
    ],
)
def test_a_change_counts_beyond_the_noise_of_both(then: dict, now: dict, mark: str) -> None:
    assert change(then, now)[1] == mark


def test_something_out_of_nothing_is_slower() -> None:
    assert change(kept(0.0), kept(0.1)) == (inf, "SLOWER")


def test_two_runs_side_by_side() -> None:
    then = results([row("same"), row("worse"), row("dropped")])
    now = results([row("same", 3.1), row("worse", 6.0), row("added")])
    text, fine = comparison(then, now)
    lines = {line.split("|")[1].strip(): line.split("|")[2:6] for line in text.splitlines()[2:]}
    assert {what: [cell.strip() for cell in cells] for what, cells in lines.items()} == {
        "same": ["1.50", "1.55", "+3%", ""],
        "worse": ["1.50", "3.00", "+100%", "SLOWER"],
        "added": ["", "1.50", "", "new"],
        "dropped": ["1.50", "", "", "gone"],
    }
    assert not fine
    assert comparison(then, then)[1]


def test_functions_take_turns() -> None:
    seen: list[str] = []
    ticks = iter(range(100))
    samples = in_turns(
        lambda: seen.append("a"),
        lambda: seen.append("b"),
        repeats=2,
        clock=lambda: next(ticks),
        before=lambda: seen.append("-"),
        per=4,
    )
    assert "".join(seen) == "-a-b-a-b"
    assert samples == [[0.25, 0.25], [0.25, 0.25]]


def test_amounts_are_human_readable() -> None:
    assert [amount(1.5), amount(0.0023), amount(0.0000071)] == ["1.5 s", "2.3 ms", "7.1 µs"]
    assert amount(64, "MiB") == "64 MiB"


def test_result_does_not_identify_the_machine() -> None:
    assert set(machine()) == {"cores", "python", "numpy", "xdsl", "date"}


def test_benchmark_returns_rows() -> None:
    lower = import_module("benchmarks.lower")
    (made,) = lower.measure(quick=True, sizes=(1_000,))
    assert made.what == "lower 1 KB for a5, passes and C++" and made.ratio > 0 and made.limit == "<= 2.5"
    for name in BENCHMARKS:
        assert callable(import_module(f"benchmarks.{name}").measure)
    programs = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    others = {
        "__init__",
        "__main__",
        "calibration",
        "code_lines",
        "figures",
        "generate",
        "kernels",
        "mpi_put",
    }
    assert programs == {*BENCHMARKS, *others}


def test_the_kept_results_are_whole() -> None:
    found = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    assert set(found["machine"]) == set(machine())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found["machine"]["date"])
    names = [entry["what"] for entry in found["rows"]]
    assert len(names) == len(set(names)) > 30, "each figure has a name of its own"
    # Whether a figure keeps its limit depends on the machine; that the file says so truly does not.
    for entry in found["rows"]:
        bound, _, number = entry["limit"].partition(" ")
        kept = {
            "": True,
            "<=": entry["ratio"] <= float(number or 0),
            ">=": entry["ratio"] >= float(number or 0),
        }
        assert entry["ok"] == kept[bound], entry["what"]
        assert entry["speed"] or bound != ">=", entry["what"]
