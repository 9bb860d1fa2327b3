"""Errors of a text, their places and fixes: every bad input with its exact diagnostics."""

# ruff: noqa: E501  (programs have long lines)

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas
from ptoas.diagnostics import Diagnostic
from ptoas.diagnostics.render import render
from ptoas.grammar.names import MOST_PROBLEMS
from tests.grammar.bad_input import CASES, HEAD, Expected


def diagnostics(text: str, **options: bool) -> tuple[Diagnostic, ...]:
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(text, "k.pto", **options)
    return caught.value.diagnostics


def facts(diagnostic: Diagnostic) -> Expected:
    span = diagnostic.span
    return diagnostic.code, span.line, span.column, span.length, diagnostic.message, diagnostic.fix


@pytest.mark.parametrize("name", CASES)
def test_bad_input(name: str) -> None:
    text, expected = CASES[name]
    found = diagnostics(text)
    assert [facts(d) for d in found] == expected
    assert all(d.is_error and d.span.file == "k.pto" for d in found)


@pytest.mark.parametrize("name", CASES)
def test_carets_stand_under_the_span(name: str) -> None:
    text, _ = CASES[name]
    for diagnostic in diagnostics(text):
        lines = render(diagnostic).splitlines()
        if not text.strip():
            assert not any("|" in line for line in lines), "there is nothing to show"
            continue
        under = next(at for at, line in enumerate(lines) if set(line.partition("|")[2].strip()) == {"^"})
        shown, carets = lines[under - 1], lines[under]
        assert lines[1] == f"  --> k.pto:{diagnostic.span.line}:{diagnostic.span.column}"
        if len(shown) < 150:
            line = text.split("\n")[diagnostic.span.line - 1]
            written = line.replace("\x00", " ").replace("\xa0", " ")  # shown as spaces
            assert shown.split("| ", 1)[1].rstrip() == written.rstrip()
            assert carets.split("| ", 1)[1].index("^") == diagnostic.span.column - 1


def test_notes_show_the_other_place() -> None:
    text = HEAD + "tprint %d\n%d = texp %idx"
    (note,) = diagnostics(text)[0].notes
    assert note.span is not None and (note.span.line, note.span.column) == (4, 1)
    (note,) = diagnostics(HEAD + ".arg %idx : f32\ntprint %idx")[0].notes
    assert note.span is not None and (note.span.line, note.span.column) == (2, 6)


# --- several errors, each once ---------------------------------------------------------------------

SEVERAL = """.arg %a : !pto.tile<8x16xf32>
%b = frob %a
%c = tadd %a, %nope
%d = tadd %b, %c
%e = texp %a : !pto.tile<8x16xf33>
%a = texp %a
%f = tadd %e, %e
tprint %a extra
%g = texp.row %a
.arg %z : !pto.til<4>
tprint %z
"""


def test_independent_errors_are_all_reported() -> None:
    """Errors that follow from one of them (%d, %f, %z) are not."""
    assert [(d.code, d.span.line) for d in diagnostics(SEVERAL)] == [
        ("PTO-P020", 2),
        ("PTO-P030", 3),
        ("PTO-P021", 5),
        ("PTO-P031", 6),
        ("PTO-P010", 8),
        ("PTO-P052", 9),
        ("PTO-P021", 10),
    ]


def test_errors_inside_regions_and_functions() -> None:
    text = """module {
  func.func @f(%a: index, %t: !pto.tyle<4>) {
    frob %a
    scf.for %i = %a to %a step %a {
      frob2 %i
    }
    frob3 %t
    return
  }
  func.func @g(%a: index) {
    scf.for %i = %a to %nope step %a {
      frob4 %i
    }
    return
  }
}"""
    found = [(d.code, d.span.line) for d in diagnostics(text)]
    assert found == [
        ("PTO-P021", 2),
        ("PTO-P020", 3),
        ("PTO-P020", 5),
        ("PTO-P020", 7),
        ("PTO-P030", 11),
        ("PTO-P020", 12),
    ]


def test_errors_around_an_unclosed_bracket() -> None:
    text = ".arg %a : !pto.tile<8x16xf32>\n%b = tadd(%a, %a\n%c = frob %a\n%d = texp %b\n"
    assert [(d.code, d.span.line, d.span.column) for d in diagnostics(text)] == [
        ("PTO-P012", 2, 10),
        ("PTO-P020", 3, 6),
    ]


def test_a_name_is_reported_once() -> None:
    text = ".arg %a : !pto.tile<8x16xf32>\n%b = tadd %a, %x\n%c = tadd %x, %x\ntprint %x"
    assert [(d.code, d.span.line) for d in diagnostics(text)] == [("PTO-P030", 2)]


def test_destination_of_a_wrong_statement_is_not_missed() -> None:
    text = (
        HEAD
        + "mgather.rwo %d, %table, %idx : (!pto.tile<16x32xf32>, !pto.memref<64x32xf32>, !pto.tile<1x16xi32>)\ntprint %d"
    )
    assert [(d.code, d.span.line) for d in diagnostics(text)] == [("PTO-P052", 3)]


def test_a_file_that_is_no_program_is_given_up() -> None:
    found = diagnostics("foo bar\n" * 5000)
    assert len(found) == MOST_PROBLEMS + 1
    assert found[-1].code == "PTO-P014"
    assert found[-1].message == f"more than {MOST_PROBLEMS} problems; the rest of the file is not checked"


# --- files -----------------------------------------------------------------------------------------


def file_error(path: Path | str) -> Diagnostic:
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse_file(path)
    (diagnostic,) = caught.value.diagnostics
    assert render(diagnostic)
    return diagnostic


def test_missing_file(tmp_path: Path) -> None:
    found = file_error(tmp_path / "no.pto")
    assert (found.code, found.span.line, found.span.column) == ("PTO-P001", 1, 1)
    assert found.message == f"can't read {tmp_path / 'no.pto'}: No such file or directory"


def test_directory(tmp_path: Path) -> None:
    assert file_error(tmp_path).message == f"can't read {tmp_path}: it is a directory"


def test_device() -> None:
    assert file_error("/dev/null").message == "can't read /dev/null: it is a device"


def test_invalid_utf8(tmp_path: Path) -> None:
    path = tmp_path / "k.pto"
    path.write_bytes(b"# caf\xe9 \ntprint %a\n")
    found = file_error(path)
    assert facts(found)[:5] == ("PTO-P001", 1, 6, 1, "this is not UTF-8 text: byte 0xe9 is invalid")


def test_invalid_utf8_on_a_later_line(tmp_path: Path) -> None:
    path = tmp_path / "k.pto"
    path.write_bytes("# größe\n\ntprint ".encode() + b"\xff\n")
    assert facts(file_error(path))[:4] == ("PTO-P001", 3, 8, 1)


def test_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "k.pto"
    path.write_bytes(b"\x7fELF\x02\x01\x01\x00\x00\x00")
    assert facts(file_error(path))[:5] == ("PTO-P001", 1, 8, 1, "this is not text: it contains a zero byte")


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "k.pto"
    path.write_bytes(b"")
    assert facts(file_error(path)) == (
        "PTO-P002",
        1,
        1,
        1,
        "the program is empty",
        "write at least one instruction",
    )


def test_windows_lines_have_the_same_columns() -> None:
    unix = HEAD + "%d = mgather.row %tabel, %idx -> !pto.tile<16x32xf32>\n%e = frob %idx"
    assert [facts(d) for d in diagnostics(unix)] == [
        facts(d) for d in diagnostics(unix.replace("\n", "\r\n"))
    ]


# --- sizes and depths ------------------------------------------------------------------------------

DEPTH = 10_000
LINE = "a line has at most 1,048,576 characters"
REGIONS = "regions are nested more than 100 deep"
BRACKETS = "brackets are nested more than 64 deep"

HOSTILE = {
    "a line of 50 MB": ("x" * 50_000_000, LINE),
    "operands of 50 MB": ("%d = tadd " + "%a, " * 12_500_000, LINE),
    "a string of 50 MB": ('module attributes {a = "' + "x" * 50_000_000 + '"} {}', LINE),
    "regions": ("func.func @f(%c: i1) {\n" + "scf.if %c {\n" * DEPTH + "}\n" * DEPTH + "}\n", REGIONS),
    "regions on one line": ("func.func @f(%c: i1) { " + "scf.if %c { " * DEPTH + "} " * DEPTH + "}", REGIONS),
    "modules": ("module {" * DEPTH + "}" * DEPTH, REGIONS),
    "generic regions": ('"a"() ({' * DEPTH + "}) : () -> ()" * DEPTH, REGIONS),
    "parentheses": (HEAD + "%d = tadd " + "(" * DEPTH + "%idx" + ")" * DEPTH, BRACKETS),
    "parentheses of types": (HEAD + "%d = tadd %idx : " + "(" * DEPTH + "f32" + ")" * DEPTH, BRACKETS),
    "angle brackets": (".arg %a : !pto.tile" + "<" * DEPTH + ">" * DEPTH, BRACKETS),
    "types in types": (".arg %a : " + "!pto.group<4 x " * DEPTH + "f32" + ">" * DEPTH, BRACKETS),
    "attribute arrays": ("module attributes {a = " + "[" * DEPTH + "]" * DEPTH + "} {}", BRACKETS),
    "attribute dictionaries": (
        "module attributes {a = " + "{a = " * DEPTH + "1" + "}" * DEPTH + "} {}",
        BRACKETS,
    ),
    "open brackets": ("(" * DEPTH, BRACKETS),
    "open regions": ("{" * DEPTH, REGIONS),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_size(name: str) -> None:
    text, message = HOSTILE[name]
    found = diagnostics(text)
    assert [(d.code, d.message) for d in found] == [("PTO-P014", message)]
    assert len(render(found[0])) < 1000


def test_limits_accept_realistic_programs() -> None:
    """Half the depth is read, printed and read again."""
    nested = "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * 50 + "}\n" * 50 + "return\n}\n"
    module = ptoas.parse(nested)
    assert ptoas.parse(str(module)).is_structurally_equivalent(module)
    ptoas.parse("module attributes {a = " + "[" * 60 + "]" * 60 + "} {}")


def slow(n: int) -> dict[str, str]:
    """Texts that a careless reader would take the square of their length for."""
    return {
        "open types": ".arg %a : !pto.tile<\n" * n,
        "results": "%a" + ", %a" * n + " tadd",
        "dashes": ".arg %a : !x<" + "-" * n,
        "arrows": ".arg %a : !x<" + "<->" * n,
        "backslashes": 'module attributes {a = "' + "\\" * 10 * n + "} {}",
        "quotes": '"' * 5 * n,
        "locations": "%a = tadd %b loc(" + '("' * n,
        "hashes": "#" * 10 * n + "\n#a" * n,
        "long names": ".arg %" + "a" * 15 * n + " : f32\ntprint %" + "b" * 15 * n,
        "undefined names": HEAD + "".join(f"%x{i} = texp %y{i}\n" for i in range(n)),
        "unknown types": "".join(f".arg %x{i} : !pto.tile<{i + 1}x1xf99>\n" for i in range(n)),
    }


def calls(text: str) -> int:
    """The number of function calls to read a text and report on it: a measure independent of the machine."""
    count = 0

    def seen(*_: object) -> None:
        nonlocal count
        count += 1

    previous = sys.getprofile()
    sys.setprofile(seen)
    try:
        assert diagnostics(text)
    finally:
        sys.setprofile(previous)
    return count


@pytest.mark.parametrize("name", slow(1))
def test_twice_the_text_is_twice_the_work(name: str) -> None:
    small, large = slow(1_000)[name], slow(2_000)[name]
    for text in (small, large):
        diagnostics(text)  # what is learnt of a text once is known now
    assert calls(large) < 2.2 * calls(small)


# --- nothing but PtoasError ------------------------------------------------------------------------

SEEDS = [text for text, _ in CASES.values() if 0 < len(text) < 1000] + [
    HEAD
    + "mgather.row.clamp %d, %table, %idx : (!pto.tile<16x32xf32>, !pto.memref<64x32xf32>, !pto.tile<1x16xi32>)\n",
    'module attributes {pto.target_arch = "a5"} {\n  func.func @f(%p: !pto.ptr<f32>, %n: index) {\n'
    "    %c = arith.constant 0 : index\n    %r:2 = scf.for %i = %c to %n step %n iter_args(%a = %c, %b = %n) -> (index, index) {\n"
    "      scf.yield %b, %a : index, index\n    }\n    %v = pto.make_tensor_view %p, shape = [%n, %r#1], strides = [%n, %c] : !pto.tensor_view<?x?xf32>\n"
    "    %t = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 16x32xf32, valid=?x32>\n    return loc(unknown)\n  }\n}\n",
]
PIECES = [
    *"%<>()[]{}:,=#!^@?\"';\n\r\t\\/-+.",
    "->",
    "//",
    "x",
    "0",
    "0x",
    "1e",
    "loc(",
    "pto.",
    "%a",
    "^bb0",
    "dense<",
    "\x00",
    "\ufeff",
    "é",
    "true",
]


@st.composite
def mutilated(draw: st.DrawFn) -> str:
    """A program with some characters gone, doubled, moved or put in."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        match draw(st.sampled_from(["cut", "insert", "copy", "swap"])):
            case "cut":
                text = text[:at] + text[at + draw(st.integers(1, 8)) :]
            case "insert":
                text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
            case "copy":
                other = draw(st.integers(0, len(text)))
                text = text[:at] + text[other : other + draw(st.integers(1, 30))] + text[at:]
            case _:
                lines = text.split("\n")
                k = draw(st.integers(0, len(lines) - 1))
                lines[k], lines[0] = lines[0], lines[k]
                text = "\n".join(lines)
    return text


@settings(max_examples=400)
@given(mutilated(), st.booleans())
def test_mutilated_programs(text: str, allow_unregistered: bool) -> None:
    check_only_our_error(text, allow_unregistered)


@settings(max_examples=150)
@given(st.lists(st.sampled_from([*PIECES, *"abcdefgh0123456789 "]), max_size=80), st.booleans())
def test_random_text(pieces: list[str], allow_unregistered: bool) -> None:
    check_only_our_error("".join(pieces), allow_unregistered)


def check_only_our_error(text: str, allow_unregistered: bool) -> None:
    try:
        ptoas.parse(text, "k.pto", allow_unregistered=allow_unregistered)
    except ptoas.PtoasError as error:
        assert error.diagnostics
        for diagnostic in error.diagnostics:
            assert render(diagnostic)
            assert 0 <= diagnostic.span.offset <= len(text)
