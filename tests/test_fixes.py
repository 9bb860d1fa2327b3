"""A fix is done on request, does what it says, and brings up no error."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

import ptoas
from ptoas.cli.fixing import fix_source
from ptoas.cli.main import main
from ptoas.diagnostics import pages
from ptoas.diagnostics.citations import explain
from ptoas.diagnostics.edits import applied
from ptoas.diagnostics.sarif import to_sarif
from ptoas.lowering import prepare
from ptoas.project.verify_files import VerifyOptions, verify_source
from ptoas.targets.explain import example_targets
from tests.differential import pipe_order
from tests.isa.annotations import all_programs

TILE = "!pto.tile<8x8xf32>"
BUFFER, MEMORY = "!pto.tile_buf<vec, 8x8xf32>", "!pto.memref<8x8xf32>"


def neg(opcode: str = "tneg", operand: str = "%a", tile: str = TILE, more: str = "") -> str:
    return f".target a5\n.arg %a : {TILE}\n%b = {opcode} {operand}{more} : {tile}\n"


def gather(opcode: str = "mgather.row", more: str = "") -> str:
    return (
        ".target a5\n.arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n"
        f"%d = {opcode} %t, %i{more} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>)"
        " -> !pto.tile<16x32xf32>\n"
    )


def kernel(*lines: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    args = f"%x: {MEMORY}, %t: {BUFFER}, %s: !pto.memref<1xi32>"
    return (
        'module attributes {pto.target_arch = "a5"} {\n'
        f"  func.func @f({args}) {{\n{body}    return\n  }}\n}}\n"
    )


ALLOC = f"%a = pto.alloc_tile : {BUFFER}"
LOAD = f"pto.tload ins(%x : {MEMORY}) outs(%a : {BUFFER})"
STORE = f"pto.tstore ins(%a : {BUFFER}) outs(%x : {MEMORY})"
NEG = f"pto.tneg ins(%a : {BUFFER}) outs(%a : {BUFFER})"
UNUSED = f"%u = pto.alloc_tile : {BUFFER}"
PUT = f"pto.comm.tput(%x, %x, buf(%t) : {MEMORY}, {MEMORY}, {BUFFER})"
TELL = "pto.comm.tnotify(%s, %one : !pto.memref<1xi32>, i32) {notifyOp = #pto<notify_op set>}"
ONE, FENCE = "%one = arith.constant 1 : i32", "pto.fence.barrier_all #pto.fence_scope<gm>"


def flag(word: str, source: str, sink: str, event: int = 0) -> str:
    return f"pto.{word}[#pto.pipe<PIPE_{source}>, #pto.pipe<PIPE_{sink}>, #pto.event<EVENT_ID{event}>]"


def both(source: str, sink: str) -> tuple[str, str]:
    return flag("set_flag", source, sink), flag("wait_flag", source, sink)


COPY = (ALLOC, LOAD, *both("MTE2", "V"), NEG, *both("V", "MTE3"), STORE)
V_BARRIER = "pto.barrier #pto.pipe<PIPE_V>"
LATE = (*COPY[:6], flag("wait_flag", "V", "MTE3", 1), STORE)

SAFE = [
    ("PTO-P020", neg("TNEG"), neg("tneg")),
    ("PTO-P010", neg("tneg\u3000"), neg("tneg ")),
    ("PTO-P052", gather("pto.mgather.clamp.row"), gather("pto.mgather.row.clamp")),
    ("PTO-P022", gather(more=" {x.note = hello}"), gather(more=' {x.note = "hello"}')),
    (
        "PTO-P051",
        gather("mgather", " {coalesce = #pto<coalesce row>, coalesce = #pto<coalesce row>}"),
        gather("mgather", " {coalesce = #pto<coalesce row>}"),
    ),
    ("PTO-N103", kernel(ALLOC, LOAD, UNUSED, STORE), kernel(ALLOC, LOAD, STORE)),
    ("PTO-F108", kernel(*COPY, V_BARRIER), kernel(*COPY)),
    ("PTO-D105", kernel(ONE, PUT, TELL), kernel(ONE, PUT, FENCE, TELL)),
    (
        "PTO-H205",
        kernel("pto.fence.barrier_all #pto.fence_scope<local_memory>"),
        kernel("pto.barrier #pto.pipe<PIPE_ALL>"),
    ),
    (
        "PTO-E312",
        neg("texp", more=" {precisionType = #pto<exp_precision high_precision>}").replace("a5", "a2a3"),
        neg("texp").replace("a5", "a2a3"),
    ),
]

UNSAFE = [
    ("PTO-P020", neg("tnge"), neg("tneg")),
    ("PTO-P010", neg().replace(".arg", ".agr"), neg()),
    ("PTO-P021", neg(tile="!pto.tlie<8x8xf32>"), neg()),
    ("PTO-P021", neg(tile="!pto.tile<8x8xf23>"), neg()),
    (
        "PTO-P022",
        gather(more=" {gatherOob = #pto<gather_oob clmap>}"),
        gather(more=" {gatherOob = #pto<gather_oob clamp>}"),
    ),
    ("PTO-P030", neg(operand="%aa"), neg()),
    ("PTO-P052", gather("mgather.rwo"), gather("mgather.row")),
    (
        "PTO-P053",
        gather(more=" {gatherOb = #pto<gather_oob clamp>}"),
        gather(more=" {gatherOob = #pto<gather_oob clamp>}"),
    ),
    ("PTO-N102", kernel(ALLOC, LOAD, LOAD, STORE), kernel(ALLOC, LOAD, STORE)),
    ("PTO-F102", kernel(*LATE), kernel(*COPY)),
]


def findings(text: str) -> tuple[ptoas.Diagnostic, ...]:
    return verify_source(ptoas.Source(text, "f.pto"), VerifyOptions()).report.diagnostics


@pytest.mark.parametrize(("code", "text", "expected"), SAFE, ids=[code for code, *_ in SAFE])
def test_safe_fix_is_applied(code: str, text: str, expected: str) -> None:
    assert code in {d.code for d in findings(text) if d.edits}
    assert fix_source(ptoas.Source(text, "f.pto"), VerifyOptions()).after == expected


@pytest.mark.parametrize(("code", "text", "expected"), UNSAFE, ids=[code for code, *_ in UNSAFE])
def test_unsafe_fix_needs_its_option(code: str, text: str, expected: str) -> None:
    assert code in {d.code for d in findings(text) if d.edits}
    assert fix_source(ptoas.Source(text, "f.pto"), VerifyOptions()).after == text
    assert fix_source(ptoas.Source(text, "f.pto"), VerifyOptions(), unsafe=True).after == expected


def test_fix_keeps_statements_that_another_target_needs() -> None:
    text = kernel(*COPY, V_BARRIER)
    options = VerifyOptions(targets=("a2a3", "a5"))
    assert fix_source(ptoas.Source(text, "f.pto"), options).after == text


# --- missing flags --------------------------------------------------------------------------------------

LOOP = """.target a5
.arg %x : !pto.memref<8x8xf32>
.arg %y : !pto.memref<8x8xf32>
%zero = arith.constant 0 : index
%one = arith.constant 1 : index
%turns = arith.constant 4 : index
%a = alloc_tile : !pto.tile<8x8xf32>
@scf.for %i = %zero to %turns step %one {
  @tload %a, %x
  set_flag[PIPE_MTE2, PIPE_V, EVENT_ID0]
  wait_flag[PIPE_MTE2, PIPE_V, EVENT_ID0]
  %b = tneg %a  # read@
  pto.barrier <PIPE_MTE3>
  set_flag[PIPE_V, PIPE_MTE3, EVENT_ID0]
  wait_flag[PIPE_V, PIPE_MTE3, EVENT_ID0]
  tstore %b, %y
  set_flag[PIPE_MTE3, PIPE_V, EVENT_ID0]
  wait_flag[PIPE_MTE3, PIPE_V, EVENT_ID0]
}@
"""


@pytest.mark.parametrize(
    ("prefix", "form"), [("", "{}"), ("pto.", "<{}>"), ("pto.", '"{}"')], ids=["asm", "MLIR", "strings"]
)
def test_a_missing_flag_of_a_loop_is_one_fix_in_the_spelling_of_the_program(prefix: str, form: str) -> None:
    def spelled(text: str) -> str:
        named = re.sub(r"\b(set|wait)_flag\[", rf"{prefix}\g<0>", text)
        return re.sub(r"\b(?<!<)(PIPE_\w+|EVENT_ID0)(?!>)", lambda m: form.format(m[0]), named)

    names = "[PIPE_V, PIPE_MTE2, EVENT_ID0]"
    added = (f"set_flag{names}\n", f"wait_flag{names}\n  ", f"\n  set_flag{names}", f"\nwait_flag{names}")
    text, *rest = LOOP.split("@")
    expected = text + "".join(flag + part for flag, part in zip(added, rest, strict=True))
    broken = spelled(LOOP.replace("@", ""))
    (found,) = [finding for finding in findings(broken) if finding.is_error]
    assert found.code == "PTO-F101" and len(found.edits) == 4
    fixed = fix_source(ptoas.Source(broken, "f.pto"), VerifyOptions(), unsafe=True)
    assert fixed.after == spelled(expected)


@pytest.mark.parametrize("seed", range(24))
def test_flags_that_are_taken_away_are_put_back(seed: int) -> None:
    """Programs with inserted flags, of which some or all are missing: every finding is fixed."""
    random = Random(seed)
    target = pipe_order.TARGETS[seed % 3]
    module = prepare(ptoas.parse(pipe_order.write(random, sync=False)), target)
    lines = ptoas.print_module(module).splitlines()
    flags = [n for n, line in enumerate(lines) if re.search(r"(set|wait)_flag|pto\.barrier", line)]
    gone = set(random.sample(flags, min(len(flags), random.choice([1, 2, 3, len(flags)]))))
    text = "".join(f"{line}\n" for n, line in enumerate(lines) if n not in gone)
    options = VerifyOptions(targets=(target,), sync="manual")
    after = fix_source(ptoas.Source(text, "f.pto"), options, unsafe=True).after
    left = verify_source(ptoas.Source(after, "f.pto"), options).report.diagnostics
    # Tiles that overlap in part have to be moved: no flag helps.
    assert not [d for d in left if d.code.startswith("PTO-F") and "place " not in str(d.fix)]


# --- no fix brings up an error -----------------------------------------------------------------------


def errors(text: str, target: str) -> Counter[str] | None:
    """The codes of the errors; none where the text can't be read, so that nothing was checked."""
    report = verify_source(ptoas.Source(text, "f.pto"), VerifyOptions(targets=(target,)))
    return Counter(d.code for d in report.report.errors) if report.readable else None


RELATED = {"PTO-F107", "PTO-F103", "PTO-F104", "PTO-H101", "PTO-N101"}
FIXED = {code for code, *_ in (*SAFE, *UNSAFE)} | RELATED


def programs() -> Iterator[tuple[str, str]]:
    """Programs with findings that have edits, each with a target: of the tests, and of the rules."""
    yield from ((text, "a2a3" if "a2a3" in text else "a5") for _, text, _ in (*SAFE, *UNSAFE))
    for code in sorted(FIXED & ptoas.RULES.keys()):
        yield ptoas.RULES[code].failing, example_targets(ptoas.RULES[code])[-1]
    for program in all_programs():
        for target in ("a2a3", "a5"):
            codes = {code for _, code in program.expected(target)}
            if codes & FIXED and not program.options:
                yield program.text, target


def test_fixes_introduce_no_error() -> None:
    """A safe one alone does not, and nothing that the command does, even where it was asked for all."""
    tried: set[str] = set()
    for text, target in programs():
        report = verify_source(ptoas.Source(text, "f.pto"), VerifyOptions(targets=(target,)))
        fixable = [d for d in report.report.diagnostics if d.edits]
        if not fixable or not report.readable:
            continue
        before = Counter(d.code for d in report.report.errors)
        safe = [applied(text, [d])[0] for d in fixable if all(edit.safe for edit in d.edits)]
        fixed = fix_source(ptoas.Source(text, "f.pto"), VerifyOptions(targets=(target,)), unsafe=True)
        tried |= {d.code for d in fixable}
        for changed in {*safe, fixed.after}:
            after = errors(changed, target)
            assert after is not None and not after - before, changed
    assert len(tried) >= 9, tried


# --- the command, and what machines read --------------------------------------------------------------


def test_the_command_fixes_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("negate.pto").write_text(neg("TNEG"))
    run = CliRunner().invoke
    done = run(main, ["verify", "negate.pto", "--fix", "--diff"])
    assert done.exit_code == 1 and "-%b = TNEG" in done.output and "+%b = tneg" in done.output
    assert Path("negate.pto").read_text() == neg("TNEG")
    done = run(main, ["verify", "negate.pto", "--fix"])
    assert done.exit_code == 0
    assert done.output.startswith("fixed negate.pto: PTO-P020\n1 finding fixed in 1 file\n")
    assert Path("negate.pto").read_text() == neg("tneg")
    assert run(main, ["verify", "negate.pto", "--diff"]).output == ""
    assert run(main, ["verify", "-", "--fix"], input=neg("TNEG")).output == neg("tneg")
    done = run(main, ["verify", "missing.pto", "--fix"])
    assert done.exit_code == 1 and "PTO-P001" in done.output
    Path("negate.pto").write_text(neg("tnegg"))
    done = run(main, ["verify", "negate.pto", "--fix"])
    assert done.output.startswith("0 findings fixed in 0 files\n")
    assert "1 file, 1 error, 0 warnings; 1 fixable with --fix --unsafe-fixes\n" in done.output
    Path("other.pto").write_text(neg("TNEG"))
    last = run(main, ["verify", "negate.pto", "other.pto"]).output
    assert "2 errors, 0 warnings; 1 fixable with --fix, 1 more with --fix --unsafe-fixes\n" in last


def test_machines_read_the_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(kernel(*COPY, V_BARRIER))
    (data,) = [d for d in json.loads(ptoas.render(found, "json")) if d["code"] == "PTO-F108"]
    assert data["edits"] == [
        {"file": "f.pto", "line": 11, "column": 1, "end_line": 12, "end_column": 1, "text": "", "safe": True}
    ]
    monkeypatch.setenv("PTOAS_DOCS_URL", "https://example.org/docs/")
    (run,) = to_sarif(found)["runs"]
    (rule,) = [rule for rule in run["tool"]["driver"]["rules"] if rule["id"] == "PTO-F108"]
    assert rule["helpUri"] == "https://example.org/docs/rules/PTO-F108.html"
    assert rule["help"]["text"].startswith("PTO-F108")
    (result,) = [result for result in run["results"] if result["ruleId"] == "PTO-F108"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 11, "startColumn": 1, "endLine": 12, "endColumn": 1},
            "insertedContent": {"text": ""},
        }
    ]
    monkeypatch.delenv("PTOAS_DOCS_URL")
    monkeypatch.setattr(pages, "_site_nearby", lambda: "file:///site")
    (run,) = to_sarif(found)["runs"]
    assert not any(rule.get("helpUri", "").startswith("file:") for rule in run["tool"]["driver"]["rules"])


def test_the_help_of_a_rule_is_its_explanation_and_the_public_page_that_it_cites(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PTOAS_DOCS_URL", raising=False)
    found = findings(ptoas.RULES["PTO-A201"].failing) + findings(".target a5\n%b = tneg %a\n")
    (run,) = to_sarif(found)["runs"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    cited, own = rules["PTO-A201"], rules["PTO-P030"]
    assert re.fullmatch(
        r"https://github\.com/hw-native-sys/pto-isa/blob/\w{40}/docs/isa/MGATHER\.md", cited["helpUri"]
    )
    assert "helpUri" not in own, "no document but ptoas says it"
    for rule in (cited, own):
        assert rule["help"]["text"] == explain(rule["id"])
        assert rule["help"]["text"] in rule["help"]["markdown"]


def test_a_finding_is_known_again_when_lines_move() -> None:
    def prints(text: str) -> list[str]:
        (run,) = to_sarif(findings(text))["runs"]
        return [result["partialFingerprints"]["ptoasFinding/v1"] for result in run["results"]]

    text = kernel(*COPY, V_BARRIER, V_BARRIER)
    assert prints(text) == prints("\n// a line\n" + text)
    assert len(set(prints(text))) == len(prints(text)) >= 2
