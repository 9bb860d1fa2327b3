# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Blocks and branches, switches, bodies: read, printed in every form, checked; what runs, with its values."""

from __future__ import annotations

import numpy as np
import pytest

import ptoas

TILE = "!pto.tile_buf<vec, 8x8xf32>"
MEM = "!pto.memref<8x8xf32>"

BLOCKS = f"""module {{
  func.func @k(%c: i1, %a: {MEM}, %n: index, %w: i32) -> index {{
    %t = pto.tload %a : ({MEM}) -> {TILE}
    cf.cond_br %c, ^left, ^end(%n : index) {{weight = 1 : i32}}
  ^left:
    %m = arith.addi %n, %n : index
    cf.switch %w : i32, [
      default: ^left,
      -4: ^end(%m : index),
      7: ^last
    ]
  ^last:
    cf.br ^end(%m : index)
  ^end(%x: index):
    pto.tstore %t, %a : ({TILE}, {MEM}) -> ()
    return %x : index
  }}
}}"""

CHOICES = f"""module {{
  func.func @k(%n: index, %a: {MEM}, %b: {MEM}) {{
    %t = pto.tload %a : ({MEM}) -> {TILE}
    %s = scf.index_switch %n {{likely = 2 : i32}} -> {TILE}
    case 2 {{
      %u = pto.tneg %t : ({TILE}) -> {TILE}
      scf.yield %u : {TILE}
    }}
    case -5 {{
      %u = pto.tadd %t, %t : ({TILE}, {TILE}) -> {TILE}
      scf.yield %u : {TILE}
    }}
    default {{
      scf.yield %t : {TILE}
    }}
    %w = scf.execute_region -> {TILE} no_inline {{
      %u = pto.tmul %s, %t : ({TILE}, {TILE}) -> {TILE}
      scf.yield %u : {TILE}
    }} {{note = "once"}}
    scf.index_switch %n
    case 1 {{
      pto.tstore %t, %b : ({TILE}, {MEM}) -> ()
    }}
    default {{
      pto.tstore %w, %b : ({TILE}, {MEM}) -> ()
    }}
    scf.execute_region {{
    }}
    return
  }}
}}"""


@pytest.mark.parametrize("text", [BLOCKS, CHOICES])
def test_control_is_printed_as_it_is_read(text: str) -> None:
    module = ptoas.parse(text, "k.pto")
    for form in ("asm", "ssa", "generic"):
        printed = ptoas.print_module(module, form)
        again = ptoas.parse(printed, "k.pto")
        assert module.is_structurally_equivalent(again), printed
        assert ptoas.print_module(again, form) == printed
    assert '"' not in ptoas.print_module(module, "ssa").replace('"once"', "")


def test_a_fusion_region_is_a_body_that_runs_once() -> None:
    function = f"""func.func @k(%a: {MEM}, %b: {MEM}) {{
      %r = REGION{{
        %t = pto.tload %a : ({MEM}) -> {TILE}
        YIELD
      }}TYPE
      pto.tstore %r, %b : ({TILE}, {MEM}) -> ()
      return
    }}"""
    region = ("pto.fusion_region ", f"pto.yield(%t) : ({TILE}) -> ()", f" : {TILE}")
    body = (f"scf.execute_region -> {TILE} ", f"scf.yield %t : {TILE}", "")
    fused, once = (
        function.replace("REGION", head).replace("YIELD", end).replace("TYPE", type)
        for head, end, type in (region, body)
    )
    assert ptoas.parse(fused, "k.pto").is_structurally_equivalent(ptoas.parse(once, "k.pto"))


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("n", [1, 2, -5, 7])
def test_a_switch_takes_its_case(target: str, n: int) -> None:
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    b = np.zeros_like(a)
    ptoas.compile(ptoas.parse(CHOICES), target)({"n": n, "a": a, "b": b})
    assert np.array_equal(b, {1: a, 2: -a * a, -5: 2 * a * a, 7: a * a}[n])


def test_a_switch_and_a_body_are_c() -> None:
    lines = [line.strip() for line in ptoas.lower(ptoas.parse(CHOICES), "a5").splitlines()]
    at = lines.index("switch (n) {")
    assert lines[at + 1 : at + 7] == [
        "case 2: {",
        "TTile u;",
        "TASSIGN<0x100>(u);",
        "TNEG(u, t);",
        "s = u;",
        "break;",
    ]
    assert "case -5: {" in lines and "default: {" in lines
    at = lines.index("w = u_3;")
    assert lines[at - 4 : at] == ["{", "TTile u_3;", "TASSIGN<0x300>(u_3);", "TMUL(u_3, s, t);"]


def test_flags_see_that_a_case_is_always_taken() -> None:
    """Written in every case: no way leads past them. Written in one: the other leaves it unwritten."""
    text = f"""func.func @k(%n: index, %a: {MEM}) {{
  %t = pto.alloc_tile : {TILE}
  scf.index_switch %n
  case 1 {{
    pto.tload ins(%a : {MEM}) outs(%t : {TILE})
  }}
  default {{
    pto.tload ins(%a : {MEM}) outs(%t : {TILE})
  }}
  pto.tstore ins(%t : {TILE}) outs(%a : {MEM})
  return
}}"""
    assert ptoas.verify(ptoas.parse(text), "a5").diagnostics == ()


def test_a_block_that_is_never_reached_hides_no_value() -> None:
    """`^dead` leads to `^b` too, and no way leads to `^dead`: `%x` is defined on every way to `^b`."""
    ptoas.parse(
        "func.func @f(%n: index) {\n%x = arith.addi %n, %n : index\ncf.br ^a\n^a:\n"
        "%y = arith.addi %x, %n : index\ncf.br ^b\n^dead:\ncf.br ^b\n^b:\n"
        "%z = arith.addi %x, %y : index\nreturn\n}\n"
    )


def test_bodies_of_several_blocks_are_checked_in_part_and_not_lowered_or_run() -> None:
    module = ptoas.parse(BLOCKS)
    report = ptoas.verify(module, "a5")
    assert report.ok and [d.code for d in report.warnings] == ["PTO-N100"]
    for use in (lambda: ptoas.lower(module, "a5"), lambda: ptoas.compile(module, "a5")):
        with pytest.raises(ptoas.PtoasError, match=r"PTO-L020.*`@k` has 4 blocks"):
            use()
    inside = ptoas.parse(
        "func.func @f(%c: i1) {\nscf.execute_region {\ncf.br ^a\n^a:\nscf.yield\n}\nreturn\n}", "f.pto"
    )
    with pytest.raises(ptoas.PtoasError, match=r"PTO-L020.*this `scf.execute_region` has 2 blocks"):
        ptoas.lower(inside, "a5")


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("cf.br ^b", "PTO-P030", "there is no block `^b`"),
        (
            "cf.br ^a(%n : i32)\n^a(%x: index):",
            "PTO-P042",
            "the operand's type is index, but this statement declares",
        ),
        ("cf.br ^a(%n : index)\n^a:", "PTO-P042", "passes index, but the block takes nothing"),
        ("cf.br ^a\n^a(%x: index):", "PTO-P042", "passes nothing, but the block takes index"),
        ("cf.br ^a(%n, %n : index)\n^a(%x: index):", "PTO-P041", "2 values, but 1 type"),
        ("cf.cond_br %n, ^a, ^a\n^a:", "PTO-P042", "a condition must be i1, found index"),
        ("cf.switch %n : i32, [default: ^a]\n^a:", "PTO-P042", "needs an integer selector"),
        ("scf.execute_region {\ncf.br ^a\n}\ncf.br ^a\n^a:", "PTO-P061", "can't branch out of its body"),
        (
            "cf.cond_br %c, ^a, ^b\n^a:\n%x = arith.addi %n, %n : index\ncf.br ^b\n^b:\n"
            "%y = arith.addi %x, %n : index",
            "PTO-P080",
            "`%x` is not defined on every path to this use",
        ),
        ("scf.index_switch %c\ndefault {\n}", "PTO-P042", "the selector must be an index, found i1"),
        ("scf.index_switch %n\ncase 1 {\n}\ncase 1 {\n}\ndefault {\n}", "PTO-P060", "duplicate case"),
        ("scf.index_switch %n\ncase 1 {\n}", "PTO-P010", "the statement ends, expected `case` or `default`"),
        (
            "%r = scf.index_switch %n -> index\ncase 1 {\nscf.yield %c : i1\n}\ndefault {\nscf.yield %n : index\n}",
            "PTO-P042",
            "`scf.index_switch`: a body yields i1, expected index",
        ),
        (
            "%r = scf.execute_region -> index {\nscf.yield %c : i1\n}",
            "PTO-P042",
            "`scf.execute_region`: a body yields i1, expected index",
        ),
    ],
)
def test_errors_in_control_flow_are_reported(body: str, code: str, message: str) -> None:
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(f"func.func @f(%c: i1, %n: index) {{\n{body}\nreturn\n}}", "f.pto")
    (finding,) = caught.value.diagnostics
    assert finding.code == code and message in finding.message


def test_a_loop_of_blocks_may_use_what_every_way_to_it_defines() -> None:
    text = """func.func @f(%c: i1, %n: index) {
  %x = arith.addi %n, %n : index
  cf.br ^head
^head:
  cf.cond_br %c, ^body, ^done
^body:
  %y = arith.addi %x, %n : index
  cf.cond_br %c, ^more, ^head
^more:
  %z = arith.addi %y, %x : index
  cf.br ^head
^done:
  return
^nowhere:
  %w = arith.addi %y, %x : index
  cf.br ^done
}"""
    ptoas.parse(text)


FORWARD = """func.func @choose(%c: i1, %d: i1, %a: i32, %b: i32, %p: !pto.ptr<i32>) {
  %c0 = arith.constant 0 : index
  cf.cond_br %c, ^x, ^y
^x:
  %s = arith.addi %a, %b : i32
  cf.cond_br %d, ^meet(%s : i32), ^z
^z:
  %q = arith.muli %s, %a : i32
  cf.br ^meet(%q : i32)
^y:
  %t = arith.subi %a, %b : i32
  cf.cond_br %d, ^meet(%t : i32), ^early
^early:
  return
^meet(%r: i32):
  pto.store_scalar %r, %p[%c0] : !pto.ptr<i32>, i32
  return
}
"""


@pytest.mark.parametrize(
    ("c", "d", "stored"),
    [(True, True, 7 + 5), (True, False, 12 * 7), (False, True, 7 - 5), (False, False, -1)],
)
def test_branches_that_go_forward_run(c: bool, d: bool, stored: int) -> None:
    """Ways that meet, one inside the other, and one that ends early."""
    text = FORWARD.replace("%d, ^meet(%t : i32), ^early", "%d, ^meet(%t : i32), ^late").replace(
        "^early:\n  return", "^late:\n  %m = arith.constant -1 : i32\n  cf.br ^meet(%m : i32)"
    )
    memory = np.zeros(4, np.int32)
    arguments = {"c": c, "d": d, "a": 7, "b": 5, "p": memory}
    assert ptoas.run(ptoas.parse(text), arguments, target="a5").outputs["p"][0] == stored
    assert ptoas.verify(ptoas.parse(text), "a5").diagnostics == ()


def test_ways_that_end_apart_and_share_a_block_stay_blocks() -> None:
    with pytest.raises(ptoas.PtoasError, match="PTO-L020"):
        ptoas.lower(ptoas.parse(FORWARD), "a5")


def test_an_early_return_is_an_else() -> None:
    text = FORWARD.replace("%d, ^meet(%s : i32), ^z", "%d, ^out, ^z").replace(
        "%d, ^meet(%t : i32), ^early", "%d, ^over, ^early"
    )
    text = text.replace("^meet(%r: i32):", "^over:\n  return\n^out:\n  return\n^meet(%r: i32):")
    for d, stored in ((True, 0), (False, 12 * 7)):
        memory = np.zeros(4, np.int32)
        arguments = {"c": True, "d": d, "a": 7, "b": 5, "p": memory}
        assert ptoas.run(ptoas.parse(text), arguments, target="a5").outputs["p"][0] == stored
