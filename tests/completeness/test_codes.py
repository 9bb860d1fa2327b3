"""Every code can be explained, and some test sees it reported."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ptoas
from ptoas.diagnostics.data import load_data
from ptoas.project import explain as codes
from ptoas.targets.rule import RULES
from tests.isa.annotations import all_programs

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"PTO-[A-Z]\d{3}")
KNOWN = sorted(codes.CODES)


@cache
def strings(path: Path) -> tuple[str, ...]:
    """The string literals of a Python file, those that only document aside."""
    return tuple(_strings(path))


def _strings(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node.value


def files_of(folder: Path) -> list[Path]:
    return list(folder.rglob("*.py"))


def named_in(folder: Path) -> set[str]:
    return {code for path in files_of(folder) for text in strings(path) for code in CODE.findall(text)}


@cache
def expected() -> set[str]:
    """Codes that tests name: in their own code, or on the lines of annotated programs."""
    annotated = {code for p in all_programs() for found in p.findings.values() for _, code in found}
    stops = {
        code
        for program in all_programs()
        for said in (*program.run.values(), *program.cpp.values())
        for _, text in said
        for code in CODE.findall(text)
    }
    return annotated | stops | named_in(ROOT / "tests")


@pytest.mark.parametrize("code", KNOWN)
def test_a_test_expects_the_code(code: str) -> None:
    assert code in expected(), f"no test brings up {code}"


def test_reported_codes_are_exactly_the_registered_ones() -> None:
    reported = named_in(ROOT / "ptoas")
    assert reported == set(KNOWN)
    for code in KNOWN:
        assert codes.explain(code).startswith(code)


def test_a_code_of_the_catalogues_is_reported_somewhere() -> None:
    counts = Counter(
        code
        for path in files_of(ROOT / "ptoas")
        for text in strings(path)
        for code in CODE.findall(text)
        # A rule's code stands once, where the rule is made.
        if code not in RULES
    )
    for path in (ROOT / "ptoas" / "data" / "codes").glob("*.toml"):
        counts.update(load_data(f"codes/{path.stem}").keys())
    assert [code for code, count in counts.items() if count == 1] == [], "explained, but never reported"


# --- what no other test brings up ------------------------------------------------------------------

TILE = "!pto.tile_buf<vec, 8x8xf32>"
MEMORY = "!pto.memref<8x8xf32>"
LARGER = "!pto.memref<32x8xf32>"

CIRCLE = """
func.func @a() {
  func.call @b() : () -> ()
  return
}
func.func @b() {
  func.call @a() : () -> ()
  return
}
"""

NO_CAPACITY = """
func.func @f(%t: !pto.memref<?x32xf32>, %i: !pto.tile_buf<vec, 1x16xi32>, %d: !pto.tile_buf<vec, 16x32xf32>) {
  pto.mgather ins(%t, %i : !pto.memref<?x32xf32>, !pto.tile_buf<vec, 1x16xi32>)
    outs(%d : !pto.tile_buf<vec, 16x32xf32>)
    {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob clamp>}
  return
}
"""

NO_MEMORY = f"""
func.func @f(%x: {MEMORY}) {{
  %a = pto.alloc_tile : !pto.tile_buf<scale_left, 8x8xf32>
  pto.tload ins(%x : {MEMORY}) outs(%a : !pto.tile_buf<scale_left, 8x8xf32>)
  return
}}
"""

OWN_TILE_CARRIED = f"""
func.func @f(%go: i1) {{
  %a = pto.alloc_tile : {TILE}
  %r = scf.while (%t = %a) : ({TILE}) -> {TILE} {{
    scf.condition(%go) %t : {TILE}
  }} do {{
  ^bb0(%u: {TILE}):
    %b = pto.alloc_tile : {TILE}
    pto.tneg ins(%u : {TILE}) outs(%b : {TILE})
    scf.yield %b : {TILE}
  }}
  return
}}
"""

PLACED_TOO_LATE = f"""
func.func @f(%x: {MEMORY}) {{
  %c0 = arith.constant 0 : i64
  %a = pto.alloc_tile : {TILE}
  pto.tload ins(%x : {MEMORY}) outs(%a : {TILE})
  pto.tassign %a, %c0 : {TILE}, i64
  pto.tstore ins(%a : {TILE}) outs(%x : {MEMORY})
  return
}}
"""

NO_SIZE = """
func.func @f(%x: !pto.memref<?x8xf32>) {
  return
}
"""


@pytest.mark.parametrize(
    ("code", "line", "text", "target", "options"),
    [
        ("PTO-L003", 2, CIRCLE, "a5", {"verified": False}),
        ("PTO-L008", 3, NO_CAPACITY, "cpu", {"legalize": True}),
        ("PTO-L009", 3, NO_MEMORY, "a2a3", {"verified": False}),
        ("PTO-L010", 4, OWN_TILE_CARRIED, "a5", {}),
    ],
)
def test_lowering_refuses(code: str, line: int, text: str, target: str, options: dict[str, bool]) -> None:
    module = ptoas.parse(text, "program.pto")
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.lower(module, target, **options)
    assert [(d.code, d.span.line) for d in caught.value.diagnostics] == [(code, line)]


# Forced: no rule has seen to it that ping and pong are alike.
PING_UNLIKE_PONG = f"""
func.func @f(%l: {LARGER}, %t: {TILE}, %u: !pto.tile_buf<vec, 4x8xf32>, %g: {LARGER}) {{
  pto.comm.tbroadcast(%l, recv(%t, %u), group(%g)
      : {LARGER}, {TILE}, !pto.tile_buf<vec, 4x8xf32>, {LARGER}) {{root = 0 : i32}}
  return
}}
"""


@pytest.mark.parametrize(
    ("code", "line", "text", "force"),
    [
        ("PTO-R507", 5, PLACED_TOO_LATE, True),
        ("PTO-R508", 2, PING_UNLIKE_PONG, True),
        ("PTO-R608", 2, NO_SIZE, False),
    ],
    ids=lambda value: value if str(value).startswith("PTO") else "",
)
def test_running_refuses(code: str, line: int, text: str, force: bool) -> None:
    module = ptoas.parse(text, "program.pto")
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.run(module, target="a5", force=force, generate=True)
    assert [(d.code, d.span.line) for d in caught.value.diagnostics] == [(code, line)]


def test_mpi_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptoas.runner.ranks.mpi import load_mpi

    monkeypatch.setitem(__import__("sys").modules, "mpi4py", None)
    with pytest.raises(ptoas.PtoasError, match=r"error\[PTO-R805\]: MPI can't be used") as caught:
        load_mpi()
    assert "pip install" in (caught.value.diagnostics[0].fix or "")
