"""`ptoas diff`: the first instruction, and the first pass, that makes a number wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from xdsl.dialects.builtin import ModuleOp

import ptoas
from ptoas.cli.main import main
from ptoas.compiler.diff import diff_passes
from ptoas.machine.dtypes import by_text
from ptoas.runner.tolerance import Tolerance

ROOT = Path(__file__).parent.parent
KERNELS = [*sorted((ROOT / "examples").glob("*.pto")), *sorted((ROOT / "tests" / "kernels").glob("*.pto"))]
SWAPS = {
    "texp": "tneg",
    "tmuls": "tadds",
    "tadds": "tmuls",
    "tadd": "tsub",
    "tmul": "tadd",
    "tsub": "tadd",
    "trowmax": "trowmin",
    "trowsum": "trowmax",
    "tmax": "tmin",
    "tcolmax": "tcolmin",
    "tmaxs": "tmins",
}

PROGRAM = """
.target a5
.arg %x : !pto.memref<2x8xf32>
.arg %out : !pto.memref<2x8xf32>
%a = tload %x : (!pto.memref<2x8xf32>) -> !pto.tile<2x8xf32>
%b = texp %a : !pto.tile<2x8xf32>
%c = tadd %a, %b : !pto.tile<2x8xf32>
tstore %c, %out
"""


NEEDS_RANKS = {
    "all_gather",
    "all_reduce",
    "all_to_all",
    "gather_ranks",
    "gather_ranks_pingpong",
    "reduce_scatter",
}


def planted() -> list[tuple[Path, str, str | None, int]]:
    """Each kernel with one opcode replaced: file, text, function, line."""
    found: list[tuple[Path, str, str | None, int]] = []
    for path in KERNELS:
        text = path.read_text()
        for right, wrong in SWAPS.items():
            match = re.search(rf"(?<![\w@.])(?:pto\.)?({right})(?=[ \[])(?!.*-> !pto.tile<1x1)", text)
            if match and path.stem not in NEEDS_RANKS:
                functions = re.findall(r"func\.func @(\w+)", text[: match.start()])
                changed = text[: match.start(1)] + wrong + text[match.end(1) :]
                line = text.count("\n", 0, match.start()) + 1
                found.append((path, changed, functions[-1] if functions else None, line))
    return found


@pytest.mark.parametrize(
    ("path", "text", "entry", "line"), planted(), ids=lambda each: each.stem if isinstance(each, Path) else ""
)
def test_diff_names_the_planted_instruction(path: Path, text: str, entry: str | None, line: int) -> None:
    options = {"entry": entry}
    first = ptoas.Variant(ptoas.parse_file(str(path)), options=options, label="right")
    second = ptoas.Variant(ptoas.parse(text, "wrong.pto"), options=options, label="wrong")
    result = ptoas.diff(first, second)
    assert [(finding.code, finding.span.line) for finding in result.errors][:1] == [("PTO-R730", line)]


def variant(text: str, name: str) -> ptoas.Variant:
    return ptoas.Variant(ptoas.parse(text, name), label=name)


def test_diff_of_equal_programs_compares_every_instruction() -> None:
    result = ptoas.diff(variant(PROGRAM, "a"), variant(PROGRAM, "b"))
    assert result.equal and (result.matched, result.unmatched) == (4, 0)


def test_diff_reports_element_values_and_producers() -> None:
    x = np.zeros((2, 8), np.float32)
    x[1, 3] = 2
    wrong = PROGRAM.replace("tadd %a, %b", "tmul %a, %b")
    result = ptoas.diff(variant(PROGRAM, "a.pto"), variant(wrong, "b.pto"), {"x": x})
    (finding,) = result.errors
    assert finding.message.startswith("first difference: `%c`[0, 0] is 1 in a.pto and 0 in b.pto (16 of 16")
    assert [note.span.line for note in finding.notes if note.span] == [7, 5, 6]


def test_diff_tolerates_steps_of_the_element_type() -> None:
    wrong = PROGRAM.replace(
        "%c = tadd %a, %b", "%k = tmuls %b, 1.0000001 : !pto.tile<2x8xf32>\n%c = tadd %a, %k"
    )
    pair = variant(PROGRAM, "a.pto"), variant(wrong, "b.pto")
    assert not ptoas.diff(*pair).equal
    assert ptoas.diff(*pair, tolerance=ptoas.Tolerance(ulp=4)).equal
    assert ptoas.diff(*pair, tolerance=ptoas.Tolerance(rtol=1e-5)).equal


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "differs"),
    [
        (1.0, np.nextafter(np.float32(1), np.float32(2)), Tolerance(), True),
        (1.0, np.nextafter(np.float32(1), np.float32(2)), Tolerance(ulp=1), False),
        (-1e-45, 1e-45, Tolerance(ulp=2), False),
        (-1e-45, 1e-45, Tolerance(ulp=1), True),
        (np.nan, np.nan, Tolerance(), False),
        (np.nan, 1.0, Tolerance(atol=np.inf, rtol=1), True),
        (np.inf, 3e38, Tolerance(rtol=1, ulp=1 << 40), True),
        (np.inf, -np.inf, Tolerance(ulp=1 << 40), True),
        (np.inf, np.inf, Tolerance(), False),
        (0.0, -0.0, Tolerance(), False),
        (100.0, 101.0, Tolerance(rtol=0.01), False),
        (100.0, 102.0, Tolerance(atol=1, rtol=0.005), True),
    ],
)
def test_tolerance(one: float, other: float, tolerance: Tolerance, differs: bool) -> None:
    first, second = (np.array([number], np.float32).view(np.uint32) for number in (one, other))
    assert bool(tolerance.differing(first, second, by_text("f32"))[0]) is differs


def test_diff_reports_unmatched_values() -> None:
    renamed = (
        re.sub(r"%([abc])\b", r"%other_\1", PROGRAM)
        .replace("texp", "tneg")
        .replace("tstore %other_c", "tstore %other_a")
    )
    result = ptoas.diff(variant(PROGRAM, "a.pto"), variant(renamed, "b.pto"))
    assert {finding.code for finding in result.errors} <= {"PTO-R730", "PTO-R731"} and not result.equal
    assert result.unmatched == 6


def test_diff_matches_by_location_where_every_statement_has_one() -> None:
    located = re.sub(r"(%[abc] =.*|tstore.*)", lambda m: f'{m[1]} loc("model.py":{m.start()}:1)', PROGRAM)
    renamed = re.sub(r"%([abc])\b", r"%other_\1", located.replace("texp", "tneg"))
    result = ptoas.diff(variant(located, "a.pto"), variant(renamed, "b.pto"))
    assert result.divergence is not None and result.divergence.first.op.name == "pto.texp"
    assert result.unmatched == 0


def test_diff_refuses_programs_with_other_arguments() -> None:
    with pytest.raises(ptoas.PtoasError, match="PTO-R732"):
        ptoas.diff(variant(PROGRAM, "a.pto"), variant(PROGRAM.replace("%x", "%y"), "b.pto"))


def test_diff_reports_where_the_second_program_stops() -> None:
    text = PROGRAM.replace("%c = tadd %a, %b", "%k = tadds %b, 1.0 : !pto.tile<2x8xf32>\n%c = tadd %a, %k")
    flags = text.replace(
        "%b =", "set_flag[PIPE_MTE2, PIPE_V, EVENT_ID0]\nwait_flag[PIPE_MTE2, PIPE_V, EVENT_ID0]\n%b ="
    )
    second = ptoas.Variant(ptoas.parse(flags, "b.pto"), options={"force": True}, label="b.pto")
    result = ptoas.diff(variant(PROGRAM, "a.pto"), second)
    assert "PTO-R301" in {finding.code for finding in result.errors}


def test_diff_of_targets_runs_one_program_on_both() -> None:
    result = CliRunner().invoke(
        main, ["diff", str(ROOT / "examples/lookup_loop.pto"), "--target", "a2a3", "--target", "a5"]
    )
    assert result.exit_code == 0, result.output
    assert "equal: 32 instructions compared" in result.output


def test_diff_passes_names_the_pass(tmp_path: Path) -> None:
    dumps: dict[str, str] = {}
    module = ptoas.parse(PROGRAM, "a.pto")

    def keep(name: str, current: ModuleOp) -> None:
        dumps[name] = ptoas.print_module(current)

    ptoas.lower(module, "a5", after=keep)
    for number, (name, text) in enumerate(dumps.items()):
        broken = text.replace("texp", "tneg") if number >= list(dumps).index("plan-memory") else text
        (tmp_path / f"{number}_{name}.mlir").write_text(broken)
    result = diff_passes(str(tmp_path), module, target="a5")
    assert [finding.code for finding in result.errors] == ["PTO-R733"]
    assert result.errors[0].message.startswith(
        "pass `plan-memory` changes the result: first difference: `%b`"
    )


def test_diff_without_a_pass(tmp_path: Path) -> None:
    path = tmp_path / "a.pto"
    path.write_text(PROGRAM)

    def invoke(name: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["diff", str(path), "--without", name])
        return result.exit_code, result.output

    assert invoke("fold-constants") == (0, "equal: 4 instructions compared\n")
    code, output = invoke("insert-sync")
    assert code == 1 and "error[PTO-R3" in output
    assert invoke("plan-memory")[0] == 2
    assert invoke("plan-memry")[0] == 2


SOFTMAX = """
.target a5
.arg %x : !pto.memref<8x16xf32>
.arg %out : !pto.memref<8x16xf32>
%t = tload %x
%m = trowmax %t
%s = trowexpandsub %t, %m
%e = texp %s
%n = trowsum %e
%r = trowexpanddiv %e, %n
tstore %r, %out
"""
REFERENCE = """
import numpy as np

def softmax(x):
    m = x.max(axis=1, keepdims=True)
    e = np.exp(x - m)
    return {"m": m, "e": e, "out": e / e.sum(axis=1, keepdims=True)}

def steps(x):
    return {"k": np.stack([x, x + 1, x + 2]), "out": x + 2}

def last(x):
    return {"k": x + 2}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("", "", None),
        ("trowmax %t", "trowmin %t", 6),
        ("texp %s", "tabs %s", 8),
        ("trowsum %e", "trowmax %e", 11),  # no value of the reference: the store of the output is named
    ],
)
def test_diff_names_the_first_value_that_a_reference_does_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, line: int | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("softmax.pto").write_text(SOFTMAX.replace(right, wrong))
    Path("reference.py").write_text(REFERENCE)
    arguments = ["diff", "softmax.pto", "reference.py:softmax", "--json"]
    result = CliRunner().invoke(main, [*arguments, "--allow-python"])
    lines = [error["line"] for error in json.loads(result.output)["errors"]]
    assert lines == ([] if line is None else [line]) and result.exit_code == bool(line)
    assert CliRunner().invoke(main, arguments).exit_code == 1, "executing Python needs a permission"


LOOP = """
module attributes {pto.target_arch = "a5"} {
func.func @f(%x: !pto.memref<2x8xf32>, %out: !pto.memref<2x8xf32>) {
  %k = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32>
  %low = arith.constant 0 : index
  %high = arith.constant 2 : index
  %one = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  pto.tload ins(%x : !pto.memref<2x8xf32>) outs(%k : !pto.tile_buf<vec, 2x8xf32>)
  scf.for %i = %low to %high step %one {
    pto.tadds ins(%k, %f : !pto.tile_buf<vec, 2x8xf32>, f32) outs(%k : !pto.tile_buf<vec, 2x8xf32>)
  }
  pto.tstore ins(%k : !pto.tile_buf<vec, 2x8xf32>) outs(%out : !pto.memref<2x8xf32>)
  return
}
}
"""


def test_diff_compares_a_value_of_a_loop_with_all_arrays_or_the_last() -> None:
    functions: dict[str, Any] = {}
    exec(REFERENCE, functions)
    right = ptoas.parse(LOOP, "loop.pto")
    assert ptoas.diff_reference(right, functions["steps"]).matched == 4
    assert ptoas.diff_reference(right, functions["last"]).equal
    wrong = ptoas.parse(LOOP.replace("tadds", "tmuls"), "loop.pto")
    (error,) = ptoas.diff_reference(wrong, functions["steps"]).errors
    assert error.span.line == 11 and "at %i = 0" in error.message
    with pytest.raises(ptoas.PtoasError) as refused:
        ptoas.diff_reference(right, lambda x: {"k": x[0]})
    assert (
        refused.value.diagnostics[0].fix
        == "return an array of shape [2, 8] for the last one, or [3, 2, 8] for all"
    )


def test_diff_command_prints_json_and_exit_codes(tmp_path: Path) -> None:
    first, second = tmp_path / "a.pto", tmp_path / "b.pto"
    first.write_text(PROGRAM)
    second.write_text(PROGRAM.replace("texp", "tneg"))
    result = CliRunner().invoke(main, ["diff", str(first), str(second), "--json"])
    found = json.loads(result.output)
    assert result.exit_code == 1 and found["matched"] == 4 and found["errors"][0]["code"] == "PTO-R730"
    assert CliRunner().invoke(main, ["diff", str(first)]).exit_code == 2
