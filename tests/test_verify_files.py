"""Many files, many targets: finding, reporting, and formats for machines."""

from __future__ import annotations

import io
import json
import os
import sys
from functools import partial
from pathlib import Path

import jsonschema
import pytest

from ptoas.diagnostics.sarif import render_sarif
from ptoas.project.find import find_files
from ptoas.project.verdicts import (
    FileReport,
    all_diagnostics,
    exit_code,
    matrix_targets,
    render_matrix,
    reports_of,
    summary,
    unfound,
)
from ptoas.project.verify_files import (
    UnknownCodeError,
    VerifyOptions,
    parse_codes,
    parse_targets,
    verify_file,
)
from ptoas.targets import UnknownTargetError

ROOT = Path(__file__).parents[1]
GOOD = (
    ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<16x32xi32>\n"
    "%d = mgather.elem %t, %i : (!pto.memref<64x32xf32>, !pto.tile<16x32xi32>) -> !pto.tile<16x32xf32>\n"
)
BAD = GOOD.replace("16x32xi32", "16x32xi16")
BROKEN = "this is no program\n"


def verify_paths(
    paths: list[str], options: VerifyOptions | None = None, jobs: int | str = 1
) -> list[FileReport]:
    files, problems = find_files(paths)
    work = partial(verify_file, options=options or VerifyOptions())
    return [*unfound(problems), *reports_of(files, work, jobs)]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name, text in (("good.pto", GOOD), ("sub/bad.pto", BAD), ("broken.pto", BROKEN), ("note.txt", BAD)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_targets_of_a_command_line() -> None:
    assert parse_targets("a5") == ("a5",)
    assert parse_targets("a5,cpu") == ("cpu", "a5") == parse_targets(["a5", "cpu"])
    assert parse_targets("all") == ("cpu", "a2a3", "a5", "a5-custom")
    assert parse_targets("a2, a3") == ("a2a3",) and parse_targets(None) == ()
    with pytest.raises(UnknownTargetError, match="'a6'"):
        parse_targets("a5,a6")


def test_codes_of_a_command_line() -> None:
    assert parse_codes("PTO-A201, pto-f") == ("PTO-A201", "PTO-F")
    assert parse_codes("PTO-P030") == ("PTO-P030",)
    with pytest.raises(UnknownCodeError, match="PTO-Z1"):
        parse_codes("PTO-Z1")


@pytest.mark.parametrize("options", [VerifyOptions(select=("PTO-A",)), VerifyOptions(ignore=("PTO-P",))])
@pytest.mark.parametrize("path", ["broken.pto", "missing.pto"])
def test_a_file_that_was_not_checked_has_not_passed(here: Path, path: str, options: VerifyOptions) -> None:
    assert here.exists()
    reports = verify_paths([path, "good.pto"], options)
    assert exit_code(reports) == 1
    assert {d.span.file for d in all_diagnostics(reports)} == {path}


def test_files_below_directories(here: Path) -> None:
    files, problems = find_files(["."])
    assert files == ["broken.pto", "good.pto", os.path.join("sub", "bad.pto")] and not problems
    assert find_files(["note.txt", "-", "good.pto", "."])[0][:3] == ["note.txt", "-", "good.pto"]


def test_a_directory_without_programs(here: Path) -> None:
    (here / "empty").mkdir()
    reports = verify_paths(["empty", "good.pto"], VerifyOptions(targets=("a5",)))
    assert exit_code(reports) == 1
    (problem,) = all_diagnostics(reports)
    assert problem.code == "PTO-T201" and "empty" in problem.message


def test_unreadable_files_among_good_ones(here: Path) -> None:
    (here / "binary.pto").write_bytes(b"\xff\xfe\x00")
    reports = verify_paths([".", "missing.pto"], VerifyOptions(targets=("a5",)))
    by_path = {report.path: report for report in reports}
    assert by_path["good.pto"].ok and by_path["good.pto"].readable
    for name in ("binary.pto", "broken.pto", "missing.pto"):
        assert not by_path[name].ok and not by_path[name].readable
        assert all(d.code.startswith("PTO-P") for d in by_path[name].report.diagnostics)
    assert [d.code for d in by_path[os.path.join("sub", "bad.pto")].report.diagnostics] == ["PTO-I101"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(BAD.encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    report = verify_file("-", VerifyOptions(targets=("a5",)))
    assert [(d.code, d.span.file) for d in report.report.diagnostics] == [("PTO-I101", "<stdin>")]


def test_the_matrix(here: Path) -> None:
    reports = verify_paths(["."], VerifyOptions(targets=parse_targets("all")))
    lines = render_matrix(reports, ascii_only=True).splitlines()
    assert lines[0].split() == ["file", "syntax", "cpu", "a2a3", "a5", "a5-custom"]
    cells = {line.split()[0]: line.split()[1:] for line in lines[1:]}
    assert cells["good.pto"] == ["ok"] * 5
    assert cells[os.path.join("sub", "bad.pto")] == ["ok", *["x", "1"] * 4]
    assert cells["broken.pto"] == ["x", "1", *"----"], "it was checked for no target"
    assert "\x1b[31m" in render_matrix(reports, colour=True)
    assert summary(reports) == "3 files, 2 errors, 0 warnings; 1 fixable with --fix --unsafe-fixes"


def test_files_that_name_different_targets_have_gaps_in_the_matrix(here: Path) -> None:
    for name in ("a5", "cpu"):
        head = f'module attributes {{pto.target_arch = "{name}"}}'
        text = f"{head} {{\n  func.func @f() {{\n    return\n  }}\n}}\n"
        (here / f"{name}.pto").write_text(text)
    lines = render_matrix(verify_paths(["a5.pto", "cpu.pto"]), ascii_only=True).splitlines()
    assert [line.split() for line in lines] == [
        ["file", "cpu", "a5"],
        ["a5.pto", "-", "ok"],
        ["cpu.pto", "ok", "-"],
    ]


def test_several_processes_find_the_same(here: Path) -> None:
    for number in range(12):
        (here / f"copy{number}.pto").write_text(BAD if number % 3 else GOOD)
    options = VerifyOptions(targets=("a2a3", "a5"))
    alone = verify_paths(["."], options, jobs=1)
    together = verify_paths(["."], options, jobs=2)
    assert [r.path for r in alone] == [r.path for r in together]
    assert [(d.code, d.span, d.targets) for d in all_diagnostics(alone)] == [
        (d.code, d.span, d.targets) for d in all_diagnostics(together)
    ]
    assert len(together) == 15


def test_options_reach_the_report(here: Path) -> None:
    assert verify_file("sub/bad.pto", VerifyOptions(targets=("a5",), ignore=("PTO-I101",))).ok
    fp8 = GOOD.replace("f32", "f8E4M3FN")
    (here / "fp8.pto").write_text(fp8)
    assert not verify_file("fp8.pto", VerifyOptions(targets=("cpu",))).ok
    assert verify_file("fp8.pto", VerifyOptions(targets=("cpu",), aicore=True)).ok


def test_the_examples_hold_what_they_say() -> None:
    expected = {
        "column_index": "a5 a5-custom",
        "dynamic_shapes": "cpu a2a3 a5 a5-custom",
        "element_gather": "a2a3 a5 a5-custom",
        "embedding_lookup": "a2a3 a5",
        "all_reduce": "cpu a2a3 a5 a5-custom",
        "dense_relu": "cpu a5 a5-custom",
        "flash_attention": "cpu a5 a5-custom",
        "hash_lookup": "a5 a5-custom",
        "layer_norm": "cpu a2a3 a5 a5-custom",
        "padded_embedding": "a2a3 a5",
        "rms_norm": "cpu a2a3 a5 a5-custom",
        "rope": "cpu a2a3 a5 a5-custom",
        "softmax": "cpu a2a3 a5 a5-custom",
        "top_k": "cpu a2a3 a5 a5-custom",
        "portable_gather": "cpu a2a3 a5 a5-custom",
        "single_element": "cpu a2a3 a5 a5-custom",
        "sparse_gather": "a2a3 a5 a5-custom",
        "tile_gather": "cpu a2a3 a5 a5-custom",
    }
    for name, targets in expected.items():
        report = verify_file(
            str(ROOT / "examples" / f"{name}.pto"), VerifyOptions(targets=parse_targets("all"))
        )
        legal = [target for target in report.report.targets if report.report.for_target(target).ok]
        assert legal == targets.split(), name


# --- SARIF ---------------------------------------------------------------------------------------

# The part of SARIF 2.1.0 that is written, and nothing beyond it.
_MESSAGE = {
    "type": "object",
    "required": ["text"],
    "properties": {
        "text": {"type": "string", "minLength": 1},
        "markdown": {"type": "string", "minLength": 1},
    },
    "additionalProperties": False,
}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_NUMBER = {"type": "integer", "minimum": 1}
_PLACE = {
    "type": "object",
    "required": ["artifactLocation", "region"],
    "properties": {
        "artifactLocation": {
            "type": "object",
            "required": ["uri"],
            "properties": {"uri": {"type": "string", "pattern": "^[^ ]+$"}},
            "additionalProperties": False,
        },
        "region": {
            "type": "object",
            "required": ["startLine", "startColumn"],
            "properties": dict.fromkeys(["startLine", "startColumn", "endLine", "endColumn"], _NUMBER),
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}
_RULE = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "shortDescription": _MESSAGE,
        "fullDescription": _MESSAGE,
        "defaultConfiguration": {
            "type": "object",
            "properties": {"level": _LEVEL},
            "additionalProperties": False,
        },
        "help": {
            "type": "object",
            "required": ["text"],
            "properties": {"text": {"type": "string"}, "markdown": {"type": "string"}},
            "additionalProperties": False,
        },
        "helpUri": {"type": "string", "format": "uri"},
    },
    "additionalProperties": False,
}
_FIX = {
    "type": "object",
    "required": ["artifactChanges"],
    "properties": {
        "description": _MESSAGE,
        "artifactChanges": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["artifactLocation", "replacements"],
                "properties": {
                    "artifactLocation": _PLACE["properties"]["artifactLocation"],
                    "replacements": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["deletedRegion"],
                            "properties": {
                                "deletedRegion": _PLACE["properties"]["region"],
                                "insertedContent": {"type": "object", "required": ["text"]},
                            },
                            "additionalProperties": False,
                        },
                    },
                },
                "additionalProperties": False,
            },
        },
        "properties": {"type": "object"},
    },
    "additionalProperties": False,
}
_RESULT = {
    "type": "object",
    "required": ["message", "ruleId", "ruleIndex", "level", "locations", "partialFingerprints"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": _LEVEL,
        "message": _MESSAGE,
        "locations": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {"physicalLocation": _PLACE},
                "additionalProperties": False,
            },
        },
        "relatedLocations": {
            "type": "array",
            "uniqueItems": True,
            "items": {
                "type": "object",
                "properties": {"id": _NUMBER, "physicalLocation": _PLACE, "message": _MESSAGE},
                "additionalProperties": False,
            },
        },
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "fixes": {"type": "array", "uniqueItems": True, "items": _FIX},
        "properties": {"type": "object"},
    },
    "additionalProperties": False,
}
_DRIVER = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"const": "ptoas"},
        "version": {"type": "string"},
        "semanticVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
        "rules": {"type": "array", "uniqueItems": True, "items": _RULE},
    },
    "additionalProperties": False,
}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "pattern": "sarif-schema-2.1.0.json$"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {"type": "object", "required": ["driver"], "properties": {"driver": _DRIVER}},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": _RESULT},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}


def test_sarif_is_well_formed() -> None:
    paths = [str(ROOT / "examples"), str(ROOT / "tests" / "isa" / "flags.pto")]
    found = all_diagnostics(verify_paths(paths, VerifyOptions(targets=parse_targets("all"))))
    log = json.loads(render_sarif(found))
    jsonschema.validate(log, SARIF)
    run = log["runs"][0]
    assert len(run["results"]) == len(found)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])


def test_sarif_of_nothing() -> None:
    log = json.loads(render_sarif([]))
    jsonschema.validate(log, SARIF)
    assert log["runs"][0]["results"] == []


def test_a_file_that_cannot_be_read_was_checked_for_no_target(tmp_path: Path) -> None:
    broken, fine = tmp_path / "broken.pto", tmp_path / "fine.pto"
    broken.write_text("mgahter %a\n")
    fine.write_text(".target a5\n.arg %x : !pto.memref<8x8xf32>\n")
    assert matrix_targets(verify_paths([str(broken)])) == ()
    assert matrix_targets(verify_paths([str(broken), str(fine)])) == ("a5",)
