"""One style: everything that is said stays, and formatting twice changes nothing more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import ptoas
from ptoas.cli.main import main
from ptoas.grammar.format import format_text
from ptoas.grammar.layout import comments_of
from tests.isa.annotations import all_programs

ROOT = Path(__file__).parents[2]
CORPUS = sorted([*(ROOT / "examples").rglob("*.pto"), *(ROOT / "tests").rglob("*.pto")])

UGLY = """

module attributes{pto.target_arch="a5"}{

func.func@f(%a :!pto.memref<16 x 32 x f32>,%n:index)->index attributes {x=1:i32}{ // the body


%r:2=scf.for %i=%n to %n step %n iter_args(%x=%n,%y=%n)->(index,index){
scf.yield %x,%y:index,index;}
  %t=pto.alloc_tile:!pto.tile_buf<vec , 16x32xf32,blayout = row_major>;  pto.tload ins(%a:!pto.memref<8xf32> )
outs(%t : !pto.tile_buf<vec, 16x32xf32>)   // a trailing one
     # one of its own
  scf.if %c{}else{
  "my.op" (%a)({ ^bb0( %q : index ) : "my.end"():()->() }) : (index)->()
  }
// the last


return %r#1:index }
}
# RUN-CHECK: out == 1
"""

NICE = """module attributes {pto.target_arch = "a5"} {
  func.func @f(%a: !pto.memref<16x32xf32>, %n: index) -> index attributes {x = 1 : i32} {  // the body
    %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %n, %y = %n) -> (index, index) {
      scf.yield %x, %y : index, index
    }
    %t = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32, blayout=row_major>
    pto.tload ins(%a : !pto.memref<8xf32>)
        outs(%t : !pto.tile_buf<vec, 16x32xf32>)  // a trailing one
    # one of its own
    scf.if %c {
    } else {
      "my.op"(%a) ({
      ^bb0(%q: index):
        "my.end"() : () -> ()
      }) : (index) -> ()
    }
    // the last

    return %r#1 : index
  }
}
# RUN-CHECK: out == 1
"""


def test_the_style() -> None:
    assert format_text(UGLY) == NICE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".arg %a:f32\n.arg %long  :  i32 # why\n", ".arg %a    : f32\n.arg %long : i32  # why\n"),
        ("#map=affine_map<(i,j)->(j, i)>\n", "#map = affine_map<(i,j)->(j, i)>\n"),
        ("tfoo %a , %b #key = value\n", "tfoo %a, %b #key=value\n"),
        ("a %x,   // first\n\n  # second\n\n  %y\n", "a %x,  // first\n    # second\n    %y\n"),
        ("scf.if %c {\n} // why\nelse {\n}", "scf.if %c {\n}  // why\nelse {\n}\n"),
        ("foo (\n  %a\n)", "foo(\n    %a\n)\n"),
        ("%w = pto.subview %t [%z ,%z] sizes[8,8]", "%w = pto.subview %t[%z, %z] sizes [8, 8]\n"),
        ('a "x  ,y" : !foo.bar< a , b >\r\nb\r\n', 'a "x  ,y" : !foo.bar< a , b >\r\nb\r\n'),
        ("a : !pto.tile_buf<vec, // why\n 8x8xf32>", "a : !pto.tile_buf<vec, // why\n 8x8xf32>\n"),
        ("scf.index_switch %i case 0 { } default\n{ }", "scf.index_switch %i case 0 {\n}\ndefault {\n}\n"),
        ("  \n\n", ""),
    ],
)
def test_comments_keep_their_positions(text: str, expected: str) -> None:
    assert format_text(text) == expected
    assert format_text(expected) == expected


@pytest.mark.parametrize(
    ("text", "code"), [("foo(%a", "PTO-P012"), ('a "b', "PTO-P011"), ("a\0b", "PTO-P001")]
)
def test_format_rejects_unclosed_brackets_and_strings(text: str, code: str) -> None:
    with pytest.raises(ptoas.PtoasError) as caught:
        format_text(text)
    assert caught.value.diagnostics[0].code == code


def test_a_semicolon_that_keeps_statements_apart_is_not_dropped() -> None:
    with pytest.raises(ptoas.PtoasError, match="PTO-P090"):
        format_text("foo %a; to %b")


def texts() -> Iterator[str]:
    for path in CORPUS:
        try:
            yield path.read_bytes().decode()
        except UnicodeDecodeError:
            continue


def said(text: str) -> list[str]:
    return [text[start:end] for start, end in comments_of(text)]


def test_the_whole_corpus_keeps_its_comments_and_needs_it_once() -> None:
    formatted = 0
    for text in texts():
        try:
            done = format_text(text)
        except ptoas.PtoasError as error:
            assert {d.code for d in error.diagnostics} <= {
                "PTO-P001",
                "PTO-P011",
                "PTO-P012",
                "PTO-P013",
                "PTO-P014",
            }
            continue
        assert format_text(done) == done
        assert said(done) == said(text)
        formatted += 1
    assert formatted > 300


def generic(text: str) -> str | None:
    """The meaning of a program, without its lines and columns."""
    try:
        return ptoas.print_module(ptoas.parse(text, "p.pto", allow_unregistered=True), "generic")
    except ptoas.PtoasError:
        return None


def test_the_meaning_stays() -> None:
    read = 0
    # Every fifth program of each file keeps it quick; all examples and kernels.
    texts = [program.text for program in all_programs()[::5]]
    texts += [path.read_text() for path in CORPUS if path.parent.name in ("examples", "kernels", "golden")]
    for text in texts:
        # All white space that can go, goes; then it comes back.
        squeezed = re.sub(r" *([,:=(){}]) *", r"\1", text) if "#" not in text and '"' not in text else text
        meaning = generic(squeezed)
        if meaning is not None:
            assert generic(format_text(squeezed)) == meaning
            read += 1
    assert read > 300


# --- the command -----------------------------------------------------------------------------------


def test_fmt_lists_the_changed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ugly.pto").write_text("return  ;")
    Path("nice.pto").write_text("return\n")
    Path("broken.pto").write_text("foo(")
    run = CliRunner().invoke
    done = run(main, ["fmt", ".", "--check"])
    assert done.exit_code == 1
    assert "would change ugly.pto\n2 files, 1 to change\n" in done.output and "PTO-P012" in done.output
    done = run(main, ["fmt", "ugly.pto", "nice.pto", "--diff"])
    assert done.exit_code == 1
    assert done.output.startswith("--- a/ugly.pto\n+++ b/ugly.pto\n@@ -1 +1 @@\n-return  ;\n\\ No newline")
    assert Path("ugly.pto").read_text() == "return  ;"
    done = run(main, ["fmt", "ugly.pto", "nice.pto"])
    assert (done.exit_code, done.output) == (0, "changed ugly.pto\n2 files, 1 changed\n")
    assert Path("ugly.pto").read_text() == "return\n"
    assert run(main, ["fmt", "ugly.pto", "--check", "-q"]).output == ""
    assert run(main, ["fmt", "-"], input="a  %b").output == "a %b\n"
    assert "there.pto:1:4" in run(main, ["fmt", "-", "--stdin-filename", "there.pto"], input="foo(").output


# --- comments of another form ------------------------------------------------------------------------

COMMENTED = """# head
.target a5
.arg %a : !pto.tile<8x8xf32>  # the tile

# why
%b = tneg %a : !pto.tile<8x8xf32>  // beside
%z = tneg %b :
    // inside
    !pto.tile<8x8xf32>
# RUN-CHECK: True
"""


@pytest.mark.parametrize("form", ["asm", "ssa", "dps", "generic"])
def test_another_form_keeps_the_comments(form: str) -> None:
    module = ptoas.parse(COMMENTED, "p.pto")
    text = ptoas.print_module(module, form, comments=True)
    mark = "#" if form == "asm" else "//"
    expected = [
        f"{mark} head",
        f"{mark} the tile",
        f"{mark} why",
        "// beside",
        "// inside",
        f"{mark} RUN-CHECK: True",
    ]
    assert said(text) == expected
    assert re.search(r"%b\b.*tneg.*// beside$", text, re.MULTILINE) or form == "dps"
    assert generic(text) == generic(ptoas.print_module(module, form))


def test_every_comment_of_the_examples_survives_a_change_of_form() -> None:
    for path in sorted((ROOT / "examples").glob("*.pto")):
        source = path.read_text()
        module = ptoas.parse(source, path.name)
        for form in ("dps", "asm"):
            text = ptoas.print_module(module, form, comments=True)
            words = [re.sub(r"^(#+|//)", "", comment) for comment in said(source)]
            assert sorted(re.sub(r"^(#+|//)", "", comment) for comment in said(text)) == sorted(words)


def test_the_examples_are_in_style() -> None:
    for path in sorted((ROOT / "examples").rglob("*.pto")):
        assert format_text(path.read_text()) == path.read_text(), f"`ptoas fmt {path.name}`"
