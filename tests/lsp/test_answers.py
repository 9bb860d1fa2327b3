"""Answers at single places, asked of the library that the server is made of: `|` marks the cursor."""

from __future__ import annotations

import pytest

from ptoas.lsp import actions, completion, hover, lens, navigate, signature
from ptoas.lsp.formatting import formatting
from ptoas.lsp.names import Kind
from ptoas.lsp.plan import plan
from ptoas.lsp.session import EditorSettings, File

HEAD = """\
.target a5
.arg %p : !pto.ptr<f32>
.arg %g : !pto.group<4 x !pto.memref<64x32xf32>>
.arg %v : !pto.memref<?x32xf32, strides=[32, 1]>
.arg %t : !pto.tile<16x32xf16, valid=9x?, blayout=col_major, slayout=row_major>
.const %n = 3 : index
"""

BLOCKS = """\
func.func @f(%c: i1, %a: i32) -> i32 {
  cf.cond_br %c, ^yes(%a : i32), ^no
^yes(%b: i32):
  return %b : i32
^no:
  cf.br ^yes(%a : i32)
}
"""


def at(text: str) -> tuple[File, int]:
    offset = text.index("|")
    return File("file:///a.pto", "a.pto", text[:offset] + text[offset + 1 :]), offset


def hovered(text: str) -> str | None:
    found = hover.hover(*at(text), EditorSettings())
    return None if found is None else found.contents.value  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("%x = addptr %|p, %n : !pto.ptr<f32> -> !pto.ptr<f32>", "pointer to f32 (4 bytes each), in `gm`"),
        ("%x = comm.tgather %|g", "the same memory on 4 ranks"),
        ("tprint %|v", "strides 32, 1 elements"),
        ("%x = tneg %|t", "Nz, columns of row-major boxes, boxes of 16x16"),
        ("%x = tneg %|t", "valid: 9x?"),
        ("%x = arith.ad|di %n, %n : index", "`arith.addi`"),
        ("%x = mgather.row %v, %t {coale|sce = row}", "`coalesce` of `mgather`"),
        ("%x = mgather %v, %t {gatherOob = cla|mp}", "a value of `gatherOob`"),
        ("tprint %no|where", "is not defined"),
        ("%x = arith.constant 1 : f|32", "scalar of 4 bytes"),
        ("%x = alloc_tile : !pto.asyn|c_event", "A transfer that was started"),
        ("func.call @absen|t() : () -> ()", "not defined in this file"),
    ],
)
def test_hover_shows(line: str, said: str) -> None:
    assert said in (hovered(HEAD + line) or "")


def test_hover_is_silent_where_there_is_nothing() -> None:
    for text in ("|", "%x = tn|op %y", "%x = alloc_tile : !pto.ti|lo<3>", "%x = tneg %t|  ,", "tadd %a [|"):
        hovered(HEAD + text)
    assert hovered(f"{HEAD}%x = alloc_tile : !pto.ti|lo<3>") is None


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("func.call @|", "@f"),
        ("%x = alloc_tile : !pto.memref<64x32xf32, |", "strides="),
        ("%x = alloc_tile : !pto.tile<vec, 16x32xf32, pa|", "pad="),
        ("%x = alloc_tile : !pto.tile<16x32xf32, slayout = |", "none_box"),
        ("barrier #pto<|", "pipe"),
        ("barrier #pto<pipe |", "PIPE_V"),
        ("%x = alloc_tile : |", "!pto.tile"),
        ("%x = tadd %t, %t : !pto.tile<8x8xf32>, |", "index"),
        ("%x = alloc_tile ad|", "addr ="),
        ("pto.tadd |", "ins("),
        ("%x = make_tensor_view %p, shape = [%|", "%n"),
        ("set_flag[#pto.pipe<PIPE_V>, |", "#pto.pipe<PIPE_MTE2>"),
        ("%x = tcvt %t {rmode = |", "#pto.round_mode<RINT>"),
        ("%x = comm.tgather %g {root = |", "true"),
        (".|", ".arg"),
        ("pto.tl|", "pto.tload"),
    ],
)
def test_completion_offers(line: str, offered: str) -> None:
    body = f"func.func @f(%p: !pto.ptr<f32>, %n: index, %t: !pto.tile<8x8xf32>) {{\n  {line}\n}}\n"
    text = f".target a5\n{line}" if line.startswith(".") else body
    found = completion.complete(*at(text))
    assert offered in [item.label for item in found.items]


def test_completion_offers_values_in_scope() -> None:
    """A value of a body ends with the body; one of another function is never known."""
    text = (
        "func.func @g(%other: index) {\n  return\n}\n"
        "func.func @f(%c: i1) {\n  %a = arith.constant 1 : index\n"
        "  scf.if %c {\n    %inner = arith.constant 2 : index\n  }\n  %b = arith.addi %|\n}\n"
    )
    labels = {item.label for item in completion.complete(*at(text)).items}
    assert {"%a", "%c"} <= labels and not {"%inner", "%other", "%b"} & labels


@pytest.mark.parametrize(
    ("line", "active"),
    [
        ("%x = tadd %t, |", "src1"),
        ("pto.tadd ins(%t, |", "src1"),
        ("pto.tadd ins(%t, %t : !a, !a) outs(|", "dst"),
        ("%x = alloc_tile addr = |", "addr"),
        ("%x = alloc_tile valid_col = |", "valid_col"),
        ("%x = tadd %t, %t : |", None),
    ],
)
def test_the_operand_that_comes_next(line: str, active: str | None) -> None:
    file, offset = at(HEAD + line)
    found = signature.signature_help(file.document, offset)
    assert found is not None
    shown = found.signatures[0].parameters or []
    assert (None if found.active_parameter is None else shown[found.active_parameter].label) == (
        f"%{active}" if active else None
    )


def test_blocks_have_names() -> None:
    file, offset = at(BLOCKS.replace("^yes(%b", "^y|es(%b"))
    assert len(navigate.references(file, offset, True)) == 3
    target = navigate.definition(file, file.document.source.text.index("^yes") + 1)
    assert target is not None and target.range.start.line == 2
    assert {name.text for name in file.names.of_kind(Kind.BLOCK)} == {"yes", "no"}
    (value,) = (name for name in file.names.of_kind(Kind.VALUE) if name.text == "b")
    assert len(value.places) == 2
    assert "block `^yes`" in (hovered(BLOCKS.replace("^yes(%b", "^y|es(%b")) or "")


def test_rename_keeps_to_what_has_a_name() -> None:
    for text, reason in (
        (f"{HEAD}tprint %no|where", "is not defined"),
        ("!t|t = !pto.tile<8x8xf32>\n", "can't be the name"),
        ("\n|\n", "nothing here has a name"),
    ):
        file, offset = at(text)
        with pytest.raises(navigate.Refused, match=reason):
            navigate.rename(file, offset, "pto.x" if text[0] == "!" else "x")


def test_a_text_that_can_t_be_taken_apart_is_not_formatted() -> None:
    assert formatting(File("", "a.pto", 'tprint "open\n').document) == []
    for text in (
        "%a=arith.constant 1:index",
        "\n\n\n%a = arith.constant 1 : index\n\n\n",
        "%a=arith.constant 1:i32\n",
    ):
        edits = formatting(File("", "a.pto", text).document)
        assert len(edits) == 1 or text.startswith("\n")


def test_invalid_program_has_neither_plan_nor_verdict() -> None:
    huge = "!pto.tile<1024x1024xf32>"
    file = File(
        "", "a.pto", f".arg %a : !pto.memref<1024x1024xf32>\n%b = tload %a -> {huge}\ntstore %b, %a\n"
    )
    assert file.document.module is not None and plan(file.document.module, "a5") is None
    wrong = File("", "a.pto", "tnop %a\n")
    assert lens.summary(wrong).startswith("1 mistake in the text")
    (shown,) = lens.code_lenses(wrong)
    command = lens.resolve(wrong, shown, 0).command
    assert command is not None and "mistakes" in command.title
    assert actions.code_actions(wrong, 0, 4, ("a5",), ["refactor"], None) == []


def test_settings_that_make_no_sense_are_passed_over() -> None:
    assert (
        EditorSettings.of(None)
        == EditorSettings.of({"target": "a6"})
        == EditorSettings.of({"target": 3})
        == EditorSettings()
    )
