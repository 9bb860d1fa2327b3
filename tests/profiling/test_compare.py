"""Two profiles side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import ptoas
from benchmarks.kernels import prefetch, stream
from ptoas.cli.main import main
from ptoas.profiling.compare import ProfileComparison
from tests.profiling.test_stalls import profiled

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "lookup_loop.pto")


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["profile", *arguments])


def test_totals_are_those_of_the_profiles() -> None:
    one, two = profiled(prefetch(8)), profiled(stream(2, 2, 16, "64x64xf32"))
    found = ProfileComparison(one, two)
    totals = {name: values for name, *values in found.totals()}
    assert totals["total"] == [one.total, two.total]
    for first, second in ([one.total, two.total], totals["data alone"]):
        assert first > second
    for side, profile in enumerate((one, two)):
        parts = totals["data alone"][side] + totals["flags and barriers add"][side]
        assert parts == pytest.approx(profile.total)
        assert sum(each.cycles()[side] for each in found.lines()) == pytest.approx(
            sum(line.cycles + line.waited for line in profile.lines())
        )
        costs = sum(each.costs()[side] for each in found.flags())
        assert costs == pytest.approx(profile.total - profile.bound, abs=1)


def test_comparison_lists_added_and_removed_instructions() -> None:
    text = stream(2, 1, 16, "64x64xf32")
    barrier = "pto.barrier #pto.pipe<PIPE_ALL>\n"
    at = text.index("pto.tstore")
    with_barrier = text[:at] + barrier + text[at:]
    found = ProfileComparison(profiled(text), profiled(with_barrier))
    assert [each.change for each in found.flags() if each.change] == ["appeared"]
    assert found.flags()[0].text.startswith("barrier ALL")
    back = ProfileComparison(found.second, found.first)
    assert [each.change for each in back.flags() if each.change] == ["vanished"]
    # The same instructions face each other, one line further down.
    lines = [(each.first, each.second) for each in found.lines()]
    assert all(one and two and one.name == two.name for one, two in lines)
    assert {two.line - one.line for one, two in lines if one and two} == {0, 1}


def test_the_command_compares_programs_targets_and_settings(tmp_path: Path) -> None:
    other = tmp_path / "other.pto"
    other.write_text(Path(EXAMPLE).read_text().replace("8.0 : f32", "9.0 : f32"))
    for arguments in (
        [str(other)],
        ["--target", "a2a3", "--target", "a5"],
        ["--sync", "all", "--sync", "auto"],
    ):
        done = command(EXAMPLE, *arguments)
        assert done.exit_code == 0 and "side by side, in" in done.stdout, done.output
    data = json.loads(command(EXAMPLE, "--target", "a2a3", "--target", "a5", "--format", "json").stdout)
    assert data["unit"] == "ns" and [data[side]["target"] for side in ("first", "second")] == ["a2a3", "a5"]
    assert data["totals"]["total"] == pytest.approx(
        [data[side]["total_cycles"] / data[side]["clock_mhz"] * 1e3 for side in ("first", "second")]
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([EXAMPLE, "--csv", "lines.csv"], "--perfetto and --csv are of one program"),
        (["--target", "a5", "--target", "a5", "--target", "a5"], "--target is given 3 times"),
    ],
)
def test_what_two_sides_can_not_have(arguments: list[str], says: str) -> None:
    done = command(EXAMPLE, *arguments)
    assert done.exit_code == 2 and says in done.output


def test_equal_programs_have_no_difference() -> None:
    one, two = (ptoas.profile(ptoas.parse_file(EXAMPLE)) for _ in range(2))
    text = ProfileComparison(one, two).summary()
    assert "lines that changed" not in text and "flags and barriers that changed" not in text
