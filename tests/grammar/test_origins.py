"""Locations that a generator recorded: `loc("model.py":42:7)` in every form of MLIR."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import ptoas
from ptoas.cli.main import main
from ptoas.diagnostics.render import render
from ptoas.grammar.build import Builder
from ptoas.grammar.parse import read
from ptoas.ir.location import origin_of

T = "!pto.tile_buf<vec, 8x64xf32>"
M = "!pto.memref<8x64xf32>"
HEAD = f"""module attributes {{pto.target_arch = "a5"}} {{
  func.func @copy(%x: {M} loc("model.py":1:1), %y: {M}) {{
    %a = pto.alloc_tile : {T}
    pto.tload ins(%x : {M}) outs(%a : {T}) LOC
    pto.tstore ins(%a : {T}) outs(%y : {M}) loc("model.py":14:9)
    return
  }}
}}
"""
ALIASES = """#loc = loc(unknown)
#loc1 = loc("model.py":12:5)
#loc2 = loc("relu"(callsite(#loc1 at "main.py":3:1)))
#loc3 = loc(fused<"tiled">[#loc2, #loc])
"""


def program(loc: str, aliases: str = "", first: bool = True) -> str:
    text = HEAD.replace("LOC", loc)
    return aliases + text if first else text + aliases


def origins(text: str) -> list[str]:
    module = ptoas.parse(text, "copy.pto")
    return [str(origin_of(op)) for op in module.walk() if op.name == "pto.tload"]


@pytest.mark.parametrize(
    ("loc", "place"),
    [
        ('loc("model.py":42:7)', "model.py:42:7"),
        ('loc ( "model.py" :42:7 )'.replace(" :", ":"), "model.py:42:7"),
        ('loc("model.py":42:7 to 43:1)', "model.py:42:7"),
        ('loc("relu"("model.py":42:7))', "model.py:42:7"),
        ('loc(callsite("callee.py":1:2 at "caller.py":3:4))', "callee.py:1:2"),
        ('loc(callsite("f"(callsite("a.py":1:2 at "b.py":3:4)) at "c.py":5:6))', "a.py:1:2"),
        ('loc(fused["a.py":1:2, "b.py":3:4])', "a.py:1:2"),
        ('loc(fused<"pass">["a.py":1:2])', "a.py:1:2"),
        ('loc("a \\22quoted\\22 (name).py":1:2)', 'a "quoted" (name).py:1:2'),
        ("loc(unknown)", "None"),
        ("", "None"),
    ],
)
def test_every_form_of_a_location_is_kept(loc: str, place: str) -> None:
    assert origins(program(loc)) == [place]


@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_aliases_are_resolved_wherever_they_are_defined(first: bool) -> None:
    for alias in ("#loc1", "#loc2", "#loc3"):
        assert origins(program(f"loc({alias})", ALIASES, first)) == ["model.py:12:5"]


def test_aliases_that_grow_or_refer_to_themselves_end() -> None:
    growing = "".join(f"#a{n} = loc(fused[#a{n + 1}, #a{n + 1}])\n" for n in range(40))
    assert origins(program("loc(#a0)", growing + '#a40 = loc("m.py":1:1)\n')) == ["m.py:1:1"]
    assert origins(program("loc(#a)", "#a = loc(fused[#b])\n#b = loc(fused[#a])\n")) == ["None"]


@pytest.mark.parametrize("form", ["ssa", "dps", "generic"])
def test_locations_are_printed_and_read_again(form: str) -> None:
    text = program("loc(#loc3)", ALIASES)
    whole = 'fused<"tiled">["relu"(callsite("model.py":12:5 at "main.py":3:1)), unknown]'
    printed = ptoas.print_module(ptoas.parse(text, "copy.pto"), form)
    assert f"loc({whole})" in printed
    assert ptoas.print_module(ptoas.parse(printed, "copy.pto"), form) == printed


def test_locations_of_loops_and_functions_are_kept() -> None:
    text = (
        "func.func @f(%n: index) {\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
        '  scf.for %i = %c0 to %n step %c1 {\n    pto.barrier <PIPE_ALL>\n  } loc("m.py":5:1)\n  return\n'
        '} loc("m.py":2:1)\n'
    )
    module = ptoas.parse(text, "loop.pto")
    assert {op.name: str(origin_of(op)) for op in module.walk() if origin_of(op)} == {
        "func.func": "m.py:2:1",
        "scf.for": "m.py:5:1",
    }


def test_locations_survive_every_pass() -> None:
    module = ptoas.parse(program('loc("model.py":42:7)'), "copy.pto")
    missing: list[str] = []

    def after(name: str, current: ptoas.ModuleOp) -> None:
        if [str(origin_of(op)) for op in current.walk() if op.name == "pto.tload"] != ["model.py:42:7"]:
            missing.append(name)

    ptoas.lower(module, "a5", after=after)
    assert missing == []


def test_cpp_has_locations_as_comments_if_asked_for() -> None:
    module = ptoas.parse(program('loc("model.py":42:7)'), "copy.pto")
    lines = ptoas.lower(module, "a5", emit_loc=True).splitlines()
    at = next(n for n, line in enumerate(lines) if "TLOAD(" in line)
    assert lines[at - 1].strip() == "// loc: model.py:42:7"
    assert "// loc:" not in ptoas.lower(module, "a5")


def test_statements_that_differ_in_their_location_share_a_cache_entry() -> None:
    statement = f"    pto.tload ins(%x : {M}) outs(%a : {T})"
    texts = [program(f'loc("model.py":{n}:1)') + "" for n in range(3)]
    builders = [Builder(ptoas.Source(text, "copy.pto")) for text in texts]
    for builder in builders:
        read(builder)
    assert {raw.text for b in builders for raw in b.statements[0].regions[0][0].regions[0][1:2]} == {
        statement.strip()
    }


WRONG = program('loc("model.py":2:3)').replace("8x64xf32", "8x64xf64")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "copy.pto").write_text(WRONG)
    (tmp_path / "model.py").write_text("import pypto\n  y = load(x)\n")
    return tmp_path


def findings(path: str) -> list[ptoas.Diagnostic]:
    report = ptoas.verify(ptoas.parse_file(path), "a5")
    return [finding for finding in report.diagnostics if finding.origin is not None]


def test_finding_shows_its_origin_first(folder: Path) -> None:
    finding = next(f for f in findings("build/copy.pto") if str(f.origin) == "model.py:2:3")
    text = render(finding)
    assert text.index("--> model.py:2:3") < text.index("y = load(x)") < text.index("--> build/copy.pto:4:")
    assert render(finding, "concise").startswith("model.py:2:3: error[")
    assert "(build/copy.pto:4:" in render(finding, "concise")
    assert "file=model.py,line=2,col=3" in render(finding, "github")


def test_json_and_sarif_have_both_places(folder: Path) -> None:
    finding = next(f for f in findings("build/copy.pto") if str(f.origin) == "model.py:2:3")
    (data,) = json.loads(render([finding], "json"))
    assert data["origin"] == {"file": "model.py", "line": 2, "column": 3}
    assert (data["file"], data["line"]) == ("build/copy.pto", 4)
    (result,) = json.loads(render([finding], "sarif"))["runs"][0]["results"]
    place, related = result["locations"][0]["physicalLocation"], result["relatedLocations"][-1]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("model.py", 2)
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "build/copy.pto"


@pytest.mark.parametrize(
    "file", ["/etc/passwd", "../secret.py", ".env", "link.py", "missing.py", "build", "a\\00b.py"]
)
def test_text_of_other_files_is_never_shown(folder: Path, file: str) -> None:
    (folder / ".env").write_text("TOKEN=1\nTOKEN=2\n")
    (folder.parent / "secret.py").write_text("SECRET\nSECRET\n")
    (folder / "link.py").symlink_to("/etc/passwd")
    (folder / "build" / "copy.pto").write_text(WRONG.replace('"model.py":2:3', f'"{file}":1:1'))
    text = "".join(render(finding) for finding in findings("build/copy.pto"))
    assert "root:" not in text and "SECRET" not in text and "TOKEN" not in text
    assert ":1:1" in text


def test_cached_verdict_prints_the_same(folder: Path) -> None:
    first, second = (
        CliRunner().invoke(main, ["verify", "build/copy.pto", "--target", "a5"]).output for _ in range(2)
    )
    assert first == second and "model.py:2:3" in first
