"""Comments, statements and lines (D5)."""

# ruff: noqa: E501  (programs have long lines)

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import ptoas
from ptoas.dialects.pto.enums import (
    Coalesce,
)
from ptoas.dialects.pto.gather import MGatherOp

HEAD = """.arg %table : !pto.memref<64x32xf32>
.arg %idx : !pto.tile<1x16xi32>
"""
TYPES = "(!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>"


def ops(module: ModuleOp, name: str) -> list[Operation]:
    return [op for op in module.walk() if op.name == name]


def only(text: str, name: str, **options: bool) -> Operation:
    (op,) = ops(ptoas.parse(text, "f.pto", **options), name)
    return op


def gather(line: str, head: str = HEAD) -> MGatherOp:
    op = only(head + line, "pto.mgather")
    assert isinstance(op, MGatherOp)
    return op


# --- comments and line ends (D5) --------------------------------------------------------------------

LINE = f"%d = mgather.row %table, %idx : {TYPES}"
COMMENTED = {
    "slashes": f"// one\n{LINE} // two\n//three",
    "hash and space": f'# one\n{LINE} # two {{ ( < " unbalanced\n# three',
    "double hash": f"## one\n{LINE} ## two",
    "hash at the end": f"#\n{LINE} #",
    "hash first on its line": f"#one, not an alias\n  #pto.looks<like> an attribute\n{LINE}",
    "an alias-like comment with a space": f"# name = 3\n{LINE}",
    "instruction in a comment": f"# {LINE}\n{LINE}\n// {LINE}",
    "unicode": f"# 自动模式:由编译器负责 ✓\n{LINE} // μs",
    "between lines of a statement": LINE.replace(" : ", " // goes on\n  # and on\n  : "),
    "semicolon": f"{LINE};",
    "semicolons": f";;\n{LINE} ; ;",
}


@pytest.mark.parametrize("kind", COMMENTED)
def test_comments(kind: str) -> None:
    assert gather(COMMENTED[kind]).coalesce is not None


def test_attribute_is_no_comment() -> None:
    op = gather(f"%d = mgather %table, %idx #coalesce=row # a comment #coalesce=elem\n : {TYPES}")
    assert op.coalesce is not None and op.coalesce.data is Coalesce.Row


def test_comment_after_an_attribute_at_line_start() -> None:
    op = gather(f'%d = mgather %table, %idx {{coalesce =\n  #pto<coalesce row>}} // "one\n : {TYPES}')
    assert op.coalesce is not None and op.coalesce.data is Coalesce.Row


def test_slashes_in_a_string_are_no_comment() -> None:
    op = only('module attributes {note = "a // b # c"} {\n}', "builtin.module")
    assert str(op.attributes["note"]) == '"a // b # c"'


def test_several_statements_on_a_line() -> None:
    text = ".arg %a : !pto.tile<8x16xf32>; %b = tadd %a, %a; %c = texp %b; tprint %c"
    assert [op.name for op in ptoas.parse(text).walk()][2:-1] == ["pto.tadd", "pto.texp", "pto.tprint"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", "\r\n\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_line_ends(end: str, final: bool) -> None:
    text = (HEAD + LINE).replace("\n", end) + (end if final else "")
    assert ptoas.parse(text, "f.pto").is_structurally_equivalent(ptoas.parse(HEAD + LINE, "f.pto"))


def test_windows_file_with_a_byte_order_mark(tmp_path) -> None:
    path = tmp_path / "f.pto"
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + LINE).replace("\n", "\r\n").encode())
    assert ptoas.parse_file(path).is_structurally_equivalent(ptoas.parse(HEAD + LINE, "f.pto"))


def test_byte_order_mark_in_a_text() -> None:
    assert gather(LINE, "\ufeff" + HEAD)


def test_tabs_and_no_spaces() -> None:
    text = ".arg\t%a:!pto.tile<8x16xf32>\n\t%b=tadd\t%a,%a:(!pto.tile<8x16xf32>,!pto.tile<8x16xf32>)->!pto.tile<8x16xf32>"
    assert only(text, "pto.tadd")


def test_statement_over_several_lines() -> None:
    text = """%d = pto.alloc_tile
      : !pto.tile_buf<vec,
                      16x32xf32>
    pto.mgather
      ins(%table,
          %idx
          : !pto.memref<64x32xf32>,
            !pto.tile<1x16xi32>)
      outs(%d : !pto.tile_buf<vec, 16x32xf32>)
      {coalesce = #pto<coalesce row>,
       gatherOob = #pto<gather_oob clamp>}"""
    assert gather(text).gather_oob is not None
