"""One session of an editor with `ptoas lsp`, over its standard streams: every request, on real programs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

import ptoas
from tests.lsp.client import Client, Failure, Text

KERNEL = """\
// 𝑥: two units of UTF-16
!tile = !pto.tile_buf<vec, 16x32xf32>
#keep = #pto.layout<nd>
module attributes {pto.target_arch = "a5"} {
  func.func @scale(%src: !pto.memref<16x32xf32>, %out: !pto.memref<16x32xf32>) {
    %a = pto.alloc_tile : !tile
    pto.tload ins(%src : !pto.memref<16x32xf32>) outs(%a : !tile)
    %b = pto.tneg %a
    pto.tstore ins(%b : !tile) outs(%out : !pto.memref<16x32xf32>)
    func.call @wait() : () -> ()
    return
  }
  func.func @wait() {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %t = pto.alloc_tile : !tile
    %s = arith.constant 1.0 : f32
    pto.texpands ins(%s : f32) outs(%t : !tile)
    scf.for %i = %c0 to %c4 step %c1 {
      pto.tneg ins(%t : !tile) outs(%t : !tile)
    }
    return
  }
}
"""

LOOKUP = """\
.arg %table : !pto.memref<64x32xf32>
.arg %idx : !pto.tile<1x16xi32>
.arg %out : !pto.memref<16x32xf32>
%dst = mgather.row.clamp %table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>
tstore %dst, %out
# RUN-CHECK: out == rows(table, idx)
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "other.pto").write_text("func.func @elsewhere() {\n  return\n}\n")
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(folder / ".cache")
    try:
        made = Client(cwd=str(folder))
    finally:
        os.environ.pop("XDG_CACHE_HOME") if before is None else os.environ.update(XDG_CACHE_HOME=before)
    root = {"uri": folder.as_uri(), "name": "workspace"}
    answer = made.ask(
        "initialize",
        processId=None,
        rootUri=folder.as_uri(),
        workspaceFolders=[root],
        capabilities={"general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]}},
    )
    assert answer["capabilities"]["positionEncoding"] == "utf-16"
    made.notify("initialized")
    made.capabilities = answer["capabilities"]  # type: ignore[attr-defined]
    made.folder = folder  # type: ignore[attr-defined]
    yield made
    assert made.close() == 0


@pytest.fixture(scope="module")
def kernel(client: Client) -> Text:
    text = Text(client, (client.folder / "kernel.pto").as_uri(), KERNEL)  # type: ignore[attr-defined]
    assert text.findings() == []
    return text


@pytest.fixture(scope="module")
def lookup(client: Client) -> Text:
    return Text(client, (client.folder / "lookup.pto").as_uri(), LOOKUP)  # type: ignore[attr-defined]


def shown(hover: dict[str, Any]) -> str:
    return hover["contents"]["value"]


def test_findings_have_a_page_and_related_places(client: Client, lookup: Text) -> None:
    (finding,) = [d for d in lookup.findings() if d["severity"] == 1 and d["code"] == "PTO-A301"]
    assert finding["source"] == "ptoas" and "(on cpu)" in finding["message"]
    page = Path(unquote(urlparse(finding["codeDescription"]["href"]).path))
    assert page.read_text().startswith("# PTO-A301: ")
    lookup.edit("tstore %dst", "%dst = tneg %idx\ntstore %dst")
    (twice,) = (d for d in lookup.findings() if d["code"] == "PTO-P031")
    assert lookup.at(twice["range"]) == "%dst" and twice["range"]["start"]["line"] == 4
    (related,) = twice["relatedInformation"]
    assert related["location"]["range"]["start"]["line"] == 3 and "defined here" in related["message"]
    lookup.edit("%dst = tneg %idx\n", "")
    assert all(d["code"] != "PTO-P031" for d in lookup.findings())


def test_a_finding_moves_with_its_function(client: Client, kernel: Text) -> None:
    """The second function is not read again when the first one changes, yet its lines are counted anew."""
    good = "    %b = pto.tneg %a\n"
    kernel.edit("      pto.tneg ins(%t", "      pto.barrier #pto.pipe<PIPE_MTE9>\n      pto.tneg ins(%t")
    assert [d["code"] for d in kernel.findings()] == ["PTO-P022"]
    kernel.edit("PIPE_MTE9", "PIPE_V")
    (first,) = kernel.findings()
    kernel.edit(good, f"\n\n{good}")
    (second,) = kernel.findings()
    assert first["code"] == second["code"]
    assert second["range"]["start"]["line"] == first["range"]["start"]["line"] + 2
    kernel.edit(f"\n\n{good}", good)
    kernel.edit("      pto.barrier #pto.pipe<PIPE_V>\n", "")
    kernel.edit(good, good)
    assert kernel.findings() == []


def test_hover(kernel: Text) -> None:
    assert "a block of global memory into a tile" in shown(kernel.ask("hover", "tload"))
    tile = shown(kernel.ask("hover", "%b :"))
    assert "tile of `16x32` f32 in `vec`" in tile and "2,048 bytes" in tile and "ND, row by row" in tile
    assert "last written by `tneg` on line 8" in tile and "on a5" in tile and "`0x" in tile
    assert "last written by `texpands`" in shown(kernel.ask("hover", "%t : !tile) outs(%t"))
    assert "in the loop also by `tneg`" in shown(kernel.ask("hover", "%t : !tile) outs(%t"))
    assert "an argument" in shown(kernel.ask("hover", "%src :"))
    assert "!pto.tile_buf<vec, 16x32xf32>" in shown(kernel.ask("hover", "!tile", nth=1))
    assert "func.func @wait()" in shown(kernel.ask("hover", "@wait"))
    assert "one of `nd`" in shown(kernel.ask("hover", "#pto.layout"))
    assert "2,048 bytes" in shown(kernel.ask("hover", "!pto.memref<16x32"))
    assert kernel.ask("hover", "two units") is None


def test_hover_distinguishes_results_of_one_name(client: Client) -> None:
    text = """.target a5
%c = arith.constant 1 : i1
%n = arith.constant 2 : index
%x = arith.constant 2.0 : f32
%r:2 = scf.if %c -> (index, f32) {
  scf.yield %n, %x : index, f32
} else {
  scf.yield %n, %x : index, f32
}
%y = arith.addf %r#1, %x : f32
%z = arith.addi %r#0, %n : index
"""
    file = Text(client, (client.folder / "results.pto").as_uri(), text)  # type: ignore[attr-defined]
    assert "%r : f32" in shown(file.ask("hover", "%r#1")) and "%r : index" in shown(file.ask("hover", "%r#0"))
    assert file.ask("definition", "%r#1")["range"]["start"]["line"] == 4
    assert "| `vec` | " in shown(file.ask("hover", "a5"))


def test_definitions_and_references(kernel: Text) -> None:
    for mark, line in (("%a\n", 5), ("!tile)", 1), ("@wait()", 12), ("%i =", 19), ("%out :", 4)):
        assert kernel.ask("definition", mark)["range"]["start"]["line"] == line, mark
    uses = kernel.ask("references", "%a =", context={"includeDeclaration": False})
    assert [kernel.at(use["range"]) for use in uses] == ["%a", "%a"]
    every = kernel.ask("references", "@wait", context={"includeDeclaration": True})
    assert [use["range"]["start"]["line"] for use in every] == [9, 12]
    assert len(kernel.ask("references", "!tile", context={"includeDeclaration": True})) == KERNEL.count(
        "!tile"
    )
    assert [h["kind"] for h in kernel.ask("documentHighlight", "%c4")] == [3, 2]


def labels(text: Text, mark: str, past: int) -> list[str]:
    return [item["label"] for item in text.ask("completion", mark, past)["items"]]


def test_completion(lookup: Text) -> None:
    def typed(line: str) -> list[str]:
        lookup.edit("tstore %dst, %out", f"{line}\ntstore %dst, %out")
        found = labels(lookup, f"{line}\n", len(line))
        lookup.edit(f"{line}\n", "")
        return found

    assert {"tload", "tadd", "scf.for", "arith.constant", "comm.tgather"} <= set(typed("%x = t"))
    assert {"mgather.row", "mgather.elem"} <= set(typed("%x = mgather."))
    assert typed("%x = tneg %")[0] == "%dst", "the nearest value that the operand takes"
    assert typed("tload %dst, %")[:2] == ["%out", "%table"]
    assert typed("%x = mgather %table, %idx {")[:1] == ["gatherOob"]
    assert typed("%x = mgather %table, %idx {coalesce = #")[:2] == [
        "#pto.coalesce<row>",
        "#pto.coalesce<elem>",
    ]
    assert {"PIPE_V", "PIPE_MTE2"} <= set(typed("barrier #pto.pipe<"))
    assert {"!pto.tile", "!pto.memref"} <= set(typed("%x = alloc_tile : !"))
    assert typed("%x = alloc_tile : !pto.tile<16x32xf32, blayout=") == ["row_major", "col_major"]
    assert typed(".target ") == ["cpu", "a2a3", "a5", "a5-custom"]
    assert typed("# tl") == [], "not in a comment"
    item = next(i for i in lookup.ask("completion", "tstore", 2)["items"] if i["label"] == "tstore")
    assert "tile" in lookup.client.ask("completionItem/resolve", **item)["documentation"]["value"]


def test_signature_help(lookup: Text) -> None:
    found = lookup.ask("signatureHelp", "tstore %dst, ", past=12)
    (signature,) = found["signatures"]
    names = [parameter["label"] for parameter in signature["parameters"]]
    assert names[found["activeParameter"]] == "%mem" and signature["label"].startswith("tstore ")


def test_symbols(client: Client, kernel: Text) -> None:
    symbols = kernel.ask("documentSymbol")
    assert [symbol["name"] for symbol in symbols] == ["!tile", "#keep", "@scale", "@wait"]
    children = {child["name"]: child["detail"] for child in symbols[2]["children"]}
    assert children == {"%src": "16x32xf32", "%out": "16x32xf32", "%a": "16x32xf32", "%b": "16x32xf32"}
    found = client.ask("workspace/symbol", query="else")
    assert [(each["name"], each["location"]["uri"][-9:]) for each in found] == [("@elsewhere", "other.pto")]


def test_rename(kernel: Text, lookup: Text) -> None:
    edits = kernel.ask("rename", "@wait", newName="pause")["changes"][kernel.uri]
    assert kernel.edited(edits) == KERNEL.replace("@wait", "@pause")
    edits = kernel.ask("rename", "!tile", newName="!block")["changes"][kernel.uri]
    assert kernel.edited(edits) == KERNEL.replace("!tile", "!block")
    edits = lookup.ask("rename", "%out", newName="rows_out")["changes"][lookup.uri]
    changed = lookup.edited(edits)
    assert changed == lookup.text.replace("%out", "%rows_out").replace(": out ==", ": rows_out ==")
    assert kernel.at(kernel.ask("prepareRename", "%b =")) == "b"
    for text, mark, new, reason in (
        (kernel, "%a =", "b", "there is `%b` on line 8 already"),
        (kernel, "tload", "x", "part of the language"),
        (kernel, "%a =", "two words", "can't be the name"),
        (kernel, "!tile =", "pto.tile", "can't be the name"),
    ):
        with pytest.raises(Failure, match=reason):
            text.ask("rename", mark, newName=new)


def decoded(text: Text, data: list[int], legend: dict[str, Any]) -> dict[str, set[str]]:
    """The texts of semantic tokens by their kind."""
    lines, line, column = text.text.split("\n"), 0, 0
    found: dict[str, set[str]] = {}
    for at in range(0, len(data), 5):
        down, right, length, kind, _ = data[at : at + 5]
        line, column = line + down, right + (0 if down else column)
        units = lines[line].encode("utf-16-le")[2 * column : 2 * (column + length)]
        found.setdefault(legend["tokenTypes"][kind], set()).add(units.decode("utf-16-le"))
    return found


def test_semantic_tokens(client: Client, kernel: Text) -> None:
    legend = client.capabilities["semanticTokensProvider"]["legend"]  # type: ignore[attr-defined]
    found = decoded(kernel, kernel.ask("semanticTokens/full")["data"], legend)
    assert {"pto.tload", "pto.tneg", "@wait", "@scale"} <= found["function"]
    assert {"%a", "%i", "%t"} <= found["variable"] and found["parameter"] == {"%src", "%out"}
    assert {"!tile", "!pto.memref<16x32xf32>", "index"} <= found["type"]
    assert {"func.func", "scf.for", "to", "step", "ins"} <= found["keyword"]
    assert found["comment"] == {"// 𝑥: two units of UTF-16"} and "1.0" in found["number"]
    some = {"start": {"line": 4, "character": 0}, "end": {"line": 5, "character": 0}}
    part = decoded(kernel, kernel.ask("semanticTokens/range", range=some)["data"], legend)
    assert part["function"] == {"@scale"}


def test_formatting(client: Client, lookup: Text) -> None:
    options = {"tabSize": 2, "insertSpaces": True}
    lookup.edit("tstore %dst, %out", "  tstore   %dst,%out")
    wanted = ptoas.format_text(lookup.text)
    edits = lookup.ask("formatting", options=options)
    assert lookup.edited(edits) == wanted != lookup.text
    top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    assert not any(
        "tstore" in edit["newText"] for edit in lookup.ask("rangeFormatting", range=top, options=options)
    )
    lookup.edit("  tstore   %dst,%out", "tstore %dst, %out")


def test_code_actions(client: Client) -> None:
    """A slip in a name and capitals in an opcode: one at a time, and what is certain at once."""
    tile = "!pto.tile<8x8xf32>"
    text = f".arg %input : {tile}\n%b = TNEG %input : {tile}\n%c = tneg %inptu : {tile}\n"
    file = Text(client, (client.folder / "fix.pto").as_uri(), text)  # type: ignore[attr-defined]
    opcode, name = file.findings()
    assert [opcode["code"], name["code"]] == ["PTO-P020", "PTO-P030"]

    def edited(found: dict[str, Any]) -> str:
        return file.edited(found["edit"]["changes"][file.uri])

    (fix,) = file.ask("codeAction", range=opcode["range"], context={"diagnostics": [], "only": ["quickfix"]})
    assert edited(fix) == text.replace("TNEG", "tneg") and fix["kind"] == "quickfix" and fix["isPreferred"]
    assert fix["diagnostics"] == [opcode]
    (fix,) = file.ask("codeAction", range=name["range"], context={"diagnostics": [name]})
    assert edited(fix) == text.replace("%inptu", "%input") and not fix["isPreferred"]
    (sure,) = file.ask(
        "codeAction", range=name["range"], context={"diagnostics": [], "only": ["source.fixAll"]}
    )
    assert edited(sure) == text.replace("TNEG", "tneg") and sure["kind"] == "source.fixAll.ptoas"


def test_inlay_hints(kernel: Text) -> None:
    whole = {"start": {"line": 0, "character": 0}, "end": kernel.place("}\n", nth=3)}
    hints = kernel.ask("inlayHint", range=whole)
    found = {(hint["position"]["line"], hint["label"]) for hint in hints}
    assert (7, ": 16x32xf32") in found, "the result of tneg, whose type is not written"
    assert (6, "set MTE2→V #0") in found and (7, "wait MTE2→V #0") in found
    assert any(line == 5 and label.startswith("@ vec 0x") for line, label in found)
    why = {hint["label"]: hint["tooltip"] for hint in hints}
    assert "tload (line 7) writes %a before tneg (line 8) reads it" in why["wait MTE2→V #0"]


def test_code_lens(client: Client, kernel: Text, lookup: Text) -> None:
    lenses = kernel.ask("codeLens")
    assert [each["range"]["start"]["line"] for each in lenses] == [4, 12]
    title = client.ask("codeLens/resolve", **lenses[0])["command"]["title"]
    assert title == "verify: cpu ✓ · a2a3 ✓ · a5 ✓ · a5-custom ✓"
    (lens,) = lookup.ask("codeLens")
    command = client.ask("codeLens/resolve", **lens)["command"]
    report = ptoas.verify_targets(ptoas.parse(lookup.text, "lookup.pto"), ptoas.TARGETS)
    errors = report.count("cpu", ptoas.Severity.ERROR)
    assert errors and command["title"].startswith(f"verify: cpu ✗ {errors} · a2a3 ✓ · a5 ✓")
    answer = client.ask(
        "workspace/executeCommand", command=command["command"], arguments=command["arguments"]
    )
    assert answer["targets"]["cpu"]["errors"] == errors and answer["targets"]["a5"]["errors"] == 0
    said = client.notice(lambda message: message.get("method") == "window/showMessage")["message"]
    assert said.startswith(f"lookup.pto runs on a2a3, a5; refused by cpu ({errors} error")


def test_a_text_with_mistakes_still_answers(client: Client, kernel: Text) -> None:
    kernel.edit("    %b = pto.tneg %a\n", "    %b = pto.tneg %a, (\n")
    codes = [d["code"] for d in kernel.findings()]
    assert codes and all(code.startswith("PTO-P") for code in codes)
    assert "16x32" in shown(kernel.ask("hover", "%b :"))  # as it was when the text was last whole
    assert kernel.ask("definition", "%b :")["range"]["start"]["line"] == 7
    assert kernel.ask("definition", "%a : !tile")["range"]["start"]["line"] == 5
    assert "@scale" in [symbol["name"] for symbol in kernel.ask("documentSymbol")]
    assert len(kernel.ask("semanticTokens/full")["data"]) > 100
    assert "%a" in labels(kernel, "%a, (", 1)
    assert kernel.ask("inlayHint", range={"start": kernel.place("module"), "end": kernel.place("return")})
    kernel.edit(", (\n", "\n")
    assert kernel.findings() == []


def test_settings(client: Client, lookup: Text) -> None:
    lookup.edit("tstore %dst", "tstore  %dst")
    assert any(d["code"] == "PTO-A301" for d in lookup.findings())
    client.notify(
        "workspace/didChangeConfiguration", settings={"ptoas": {"target": "a5", "docs": "https://x/r"}}
    )
    assert lookup.findings() == []
    client.notify(
        "workspace/didChangeConfiguration", settings={"ptoas": {"target": "cpu", "docs": "https://x/r"}}
    )
    (finding,) = [d for d in lookup.findings() if d["code"] == "PTO-A301"]
    assert finding["codeDescription"]["href"].startswith("https://x/r/rules/PTO-A301.html")
    client.notify("workspace/didChangeConfiguration", settings={})


def test_the_project_and_its_comments_have_their_say(client: Client) -> None:
    """As `verify` in that folder: its target wins, its codes and comments are kept back."""
    folder = client.folder / "project"  # type: ignore[attr-defined]
    folder.mkdir()
    (folder / "ptoas.toml").write_text('target = "cpu"\nper-file-ignores = {"quiet.pto" = ["PTO-A301"]}\n')
    text = f".target a5\n{LOOKUP}"
    loud = Text(client, (folder / "loud.pto").as_uri(), text)
    codes = [d["code"] for d in loud.findings()]
    assert "PTO-A301" in codes
    quiet = Text(client, (folder / "quiet.pto").as_uri(), text)
    assert [d["code"] for d in quiet.findings()] == [code for code in codes if code != "PTO-A301"]
    loud.edit("%dst = mgather", "# ptoas: ignore[PTO-A301, PTO-A205]\n%dst = mgather")
    assert "PTO-A301" not in [d["code"] for d in loud.findings()]
    broken = client.folder / "broken"  # type: ignore[attr-defined]
    broken.mkdir()
    (broken / "ptoas.toml").write_text('target = "a6"\n')
    Text(client, (broken / "a.pto").as_uri(), text).findings()
    said = client.notice(lambda m: m.get("method") == "window/showMessage")["message"]
    assert "PTO-E953" in said and "ptoas.toml:1" in said


def test_a_closed_file_has_no_findings(client: Client) -> None:
    uri = (client.folder / "gone.pto").as_uri()  # type: ignore[attr-defined]
    text = Text(client, uri, "tnop %a\n")
    assert [d["code"] for d in text.findings()] == ["PTO-P020"]
    client.notify("textDocument/didClose", textDocument={"uri": uri})
    closed = client.notice(
        lambda m: m.get("method", "").endswith("publishDiagnostics") and m["params"]["uri"] == uri
    )
    assert closed["diagnostics"] == []
