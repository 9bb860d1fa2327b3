"""`ptoas profile`: what it records, and what it tells."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import ptoas
from ptoas.cli.main import main
from ptoas.profiling.record import What
from tests.isa.annotations import all_programs
from tests.profiling.test_remarks import loop
from tests.profiling.test_timeline import check, check_sums

EXAMPLES = Path(__file__).parents[2] / "examples"
LOOKUP = str(EXAMPLES / "embedding_lookup.pto")


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["profile", *arguments])


def test_a_loop_counts_its_turns() -> None:
    found = ptoas.profile(ptoas.parse(loop(1)), target="a2a3")
    loads = [each for each in found.timeline.slices if each.work.name == "tload"]
    assert [each.iterations for each in loads] == [(16 * n,) for n in range(16)]
    assert len({id(each.work) for each in loads}) == 1, "one work, however often it is executed"
    static = ptoas.profile(ptoas.parse(loop(1)), target="a2a3", static=True)
    assert static.total == pytest.approx(found.total)


def test_blocks_are_cores_of_their_own() -> None:
    one = ptoas.profile(ptoas.parse(loop(1)), target="a2a3", checks="none")
    four = ptoas.profile(ptoas.parse(loop(1)), target="a2a3", checks="none", blocks=4)
    assert len(four.lanes()) == 4 and four.total == one.total
    assert four.summary().splitlines()[0].startswith("@k on a2a3: 11,700 cycles")
    assert "on 4 cores" in four.summary() and "core3.veccore0" in four.summary()
    static = ptoas.profile(ptoas.parse(loop(1)), target="a2a3", static=True, blocks=4)
    assert static.total == four.total


SIGNAL = """
func.func @k(%x: !pto.memref<64x64xf32>, %o: !pto.memref<64x64xf32>, %f: !pto.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %a = pto.alloc_tile : !pto.tile_buf<vec, 64x64xf32>
  %me = pto.get_block_idx : i64
  %zero = arith.constant 0 : i64
  %first = arith.cmpi eq, %me, %zero : i64
  scf.if %first {
    pto.tload ins(%x : !pto.memref<64x64xf32>) outs(%a : !pto.tile_buf<vec, 64x64xf32>)
    pto.tstore ins(%a : !pto.tile_buf<vec, 64x64xf32>) outs(%o : !pto.memref<64x64xf32>)
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.store_scalar %one, %f[%c0] : !pto.ptr<i32>, i32
  } else {
    scf.while : () -> () {
      %seen = pto.load_scalar %f[%c0] : !pto.ptr<i32> -> i32
      %no = arith.cmpi ne, %seen, %one : i32
      scf.condition(%no)
    } do {
      scf.yield
    }
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.tload ins(%o : !pto.memref<64x64xf32>) outs(%a : !pto.tile_buf<vec, 64x64xf32>)
  }
  return
}
"""


def test_a_core_waits_for_what_another_signals() -> None:
    arguments = ["f=zeros"]
    for schedule in (1, 5):
        found = ptoas.profile(ptoas.parse(SIGNAL), arguments, "a2a3", blocks=2, schedule=schedule)
        check(found.trace, found.timeline)
        store = next(s for s in found.timeline.slices if s.work.name == "store_scalar")
        polls = [s for s in found.timeline.slices if s.work.name == "load_scalar"]
        second = next(s for s in found.timeline.slices if s.work.name == "tload" and s.actor == (0, 1, 0))
        assert polls[-1].start >= store.end and second.start >= polls[-1].end
        assert len(polls) <= 2, "how often it looked is chance"
        flows = [event for event in found.perfetto()["traceEvents"] if event["ph"] == "s"]
        assert {event["pid"] for event in flows} == {0}
        assert any(event.what is What.ACQUIRE for event in found.trace.events)


def test_ranks_are_cores_of_their_own() -> None:
    done = command(str(EXAMPLES / "gather_ranks.pto"), "--ranks", "4", "--format", "json")
    assert done.exit_code == 0, done.output
    assert list(json.loads(done.stdout)["pipes"]) == ["core0.veccore0"], "the root does all the work"
    both = ptoas.profile(ptoas.parse(loop(1)), [], "a2a3", ranks=2)
    assert list(both.as_dict()["pipes"]) == ["core0.veccore0", "rank1.core0.veccore0"]
    assert command(LOOKUP, "--ranks", "mpi").exit_code == 2


def test_what_a_walk_has_to_assume() -> None:
    text = """
func.func @k(%x: !pto.memref<64x64xf32>, %n: index, %go: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pto.alloc_tile : !pto.tile_buf<vec, 64x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      pto.tload ins(%x : !pto.memref<64x64xf32>) outs(%a : !pto.tile_buf<vec, 64x64xf32>)
    }
  }
  scf.if %go {
    pto.tload ins(%x : !pto.memref<64x64xf32>) outs(%a : !pto.tile_buf<vec, 64x64xf32>)
  }
  return
}
"""

    def walked(*arguments: str) -> ptoas.Profile:
        return ptoas.profile(ptoas.parse(text), arguments, "a2a3", static=True)

    open_bounds = walked()
    assert open_bounds.total == 7 + 2 * 392 and len(open_bounds.trace.notes) == 3
    assert "line 6: a loop whose bounds are not known is walked once" in open_bounds.summary()
    assert walked("n=4", "go=0").total == 7 + 6 * 392 and walked("n=4", "go=0").trace.notes == []


def test_the_command_writes_what_other_tools_read(tmp_path: Path) -> None:
    trace, table, data = (tmp_path / name for name in ("trace.json", "lines.csv", "all.json"))
    done = command(LOOKUP, "--perfetto", str(trace), "--csv", str(table), "--json", str(data))
    assert done.exit_code == 0 and "critical path" in done.stdout
    assert "3 instructions; confidence in the pipes' time: B 82%, borrowed 18%" in done.stdout
    events = json.loads(trace.read_text())["traceEvents"]
    gather = next(event for event in events if event["name"] == "mgather")
    assert gather["args"]["line"].endswith("embedding_lookup.pto:17") and "(B: M16" in gather["args"]["cost"]
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["line"], row["op"], row["pipe"]) for row in rows] == [
        ("14", "tload", "MTE2"),
        ("17", "mgather", "V"),
        ("20", "tstore", "MTE3"),
    ]
    whole = json.loads(data.read_text())
    assert whole["flags"][0]["reasons"] == ["tload (line 14) writes %idx before mgather (line 17) reads it"]
    assert whole["stats"]["instructions"] == {"tload": 1, "mgather": 1, "tstore": 1}
    assert json.loads(command(LOOKUP, "--json", "-").stdout) == whole


def test_numbers_of_your_own(tmp_path: Path) -> None:
    costs = tmp_path / "mine.toml"
    costs.write_text('[a5."mgather.row"]\nformula = "100 * rows"\n[a5.chip]\nmhz = 1000\n')
    found = ptoas.profile(ptoas.parse_file(LOOKUP), target="a5", costs=str(costs))
    gather = next(work for work in found.works() if work.name == "mgather")
    assert gather.cost.parts[0].cycles == 1600 and gather.cost.confidence == "A"
    assert found.microseconds == round(found.total / 1000, 3)
    assert set(found.confidence()) == {"A", "borrowed"}
    for wrong in (str(tmp_path), str(tmp_path / "none.toml")):
        done = command(LOOKUP, "--costs", wrong)
        assert done.exit_code == 2 and "--costs" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--target", "cpu", "--force"], "has no pipes and no clock"),
        (["--arg", "indices=full:99"], None),
        (["--arg", "nothing=1"], "PTO-R601"),
    ],
)
def test_what_is_refused(arguments: list[str], says: str | None) -> None:
    done = command(LOOKUP, *arguments)
    assert (done.exit_code != 0) is (says is not None) and (says or "") in done.stderr + done.stdout


def test_a_program_without_instructions() -> None:
    found = ptoas.profile(ptoas.parse("func.func @f() {\n  return\n}"), target="a5")
    assert found.total == 0 and "nothing to time" in found.summary() and found.perfetto()["traceEvents"] == []


def test_every_instruction_has_a_cost() -> None:
    """The programs whose C++ the tests of instructions know, one a file and target."""
    seen: set[str] = set()
    for program in all_programs():
        for target in ("a2a3", "a5"):
            legal = program.cpp.get(target) and program.refusal(program.cpp, target) is None
            if not legal or f"{program.file} {target}" in seen or program.options:
                continue
            found = ptoas.profile(ptoas.parse(program.text), target=target, static=True)
            assert all(work.cost.model.source for work in found.works())
            check_sums(found.timeline)
            seen.add(f"{program.file} {target}")
    assert len(seen) > 200


@pytest.mark.parametrize("name", ["matmul.pto", "tile_gather.pto", "gather_ranks_pingpong.pto"])
def test_the_comments_of_lower_say_why(name: str) -> None:
    options: dict[str, Any] = {"target": "a5", "annotate": True}
    text = ptoas.lower(ptoas.parse_file(str(EXAMPLES / name)), **options)
    lines = [line.strip() for line in text.splitlines()]
    for n, line in enumerate(lines):
        if line.startswith(("set_flag(", "pipe_barrier(")):
            assert " before " in lines[n - 1], line
        if line.startswith(("TASSIGN(", "TASSIGN<")) and "mat" not in name:
            assert any("bytes at" in each or "text" in each for each in lines[n - 3 : n]), line
    if name == "tile_gather.pto":
        # Elements of two bytes: A2/A3 works out where they are in a tile of its own.
        source = (EXAMPLES / name).read_text().replace("xf32", "xf16")
        scratch = ptoas.lower(ptoas.parse(source), target="a2a3", annotate=True)
        assert "tgather (line " in scratch and "works in it, and the text leaves it out" in scratch
