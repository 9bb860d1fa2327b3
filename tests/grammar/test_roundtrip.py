"""Printing and parsing round-trips in every form: structure and names."""

# ruff: noqa: E501  (programs have long lines)

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import ptoas
from ptoas.compiler.forms import print_module
from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.grammar.printer import FORMS, bare_function
from tests.grammar.strategies import Drawn, modules, modules_with

ROOT = Path(__file__).parents[2]


def names(module: ModuleOp) -> list[str | None]:
    """The names of all values, in order."""
    values: list[SSAValue] = []
    for op in module.walk():
        values += [arg for region in op.regions for block in region.blocks for arg in block.args]
        values += op.results
    return [value.name_hint for value in values]


def read_back(module: ModuleOp, form: str, **options: bool) -> ModuleOp:
    """The module, printed and read again; a bare program has its function's name as its file's (D4)."""
    function = bare_function(module) if form == "asm" else None
    filename = f"{function.sym_name.data}.pto" if function else "k.mlir"
    return ptoas.parse(print_module(module, form), filename, **options)


def check(module: ModuleOp, **options: bool) -> None:
    for form in ("asm", "generic"):
        again = read_back(module, form, **options)
        assert again.is_structurally_equivalent(module), print_module(module, form)
        assert names(again) == names(module)
        assert print_module(again, form) == print_module(module, form)
    for form in ("dps", "ssa"):
        try:
            text = print_module(module, form)
        except ptoas.PtoasError as error:
            assert form == "ssa" and {d.code for d in error.diagnostics} == {"PTO-L001"}
            continue
        again = ptoas.parse(text, "k.mlir", **options)
        assert print_module(again, form) == text
        again.verify()


# --- programs --------------------------------------------------------------------------------------

LOOKUP = """.arg %table : !pto.memref<64x32xf32>
.arg %indices : !pto.memref<1x16xi32>
.arg %out : !pto.memref<16x32xf32>
%idx_12 = tload %indices : !pto.tile<1x16xi32>
%rows = mgather.row.clamp %table, %idx_12 : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>
tstore %rows, %out
"""

PROGRAMS = {
    "lookup": LOOKUP,
    "destination first": """.arg %table : !pto.memref<64x32xf32>
.arg %idx : !pto.tile<16x32xi32>
mgather.elem.zero %dst, %table, %idx : (!pto.tile<16x32xf32>, !pto.memref<64x32xf32>, !pto.tile<16x32xi32>)
tprint %dst
""",
    "by hand": """.arg %m : !pto.memref<16x32xf32>
.arg %a : !pto.tile<16x32xf32>
.arg %b : !pto.tile<16x32xf32>
tassign %a, @tile(0x1000)
tassign %b, @tile(0x2000)
tload %a, %m
set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
texp %b, %a
barrier <PIPE_ALL>
""",
    "window": """.arg %m : !pto.memref<64x32xf32>
.const %i = 16
.const %j = 0
%t = tload %m[%i, %j] : !pto.tile<16x32xf32>
%u = tmuls %t, 2.5
tstore %u, %m[0, 0] #atomic=add
""",
    "mask": """.arg %s : !pto.tile<16x16xf32>
%half = tgather %s {maskPattern = #pto.mask_pattern<P0101>} : !pto.tile<16x16xf32> -> !pto.tile<16x8xf32>
%all = tgather %s {maskPattern = #pto.mask_pattern<P1111>} : !pto.tile<16x16xf32> -> !pto.tile<16x16xf32>
""",
    "index gather with scratch": """.arg %s : !pto.tile<16x16xf32>
.arg %i : !pto.tile<16x16xi32>
.arg %tmp : !pto.tile<16x16xi32>
.arg %d : !pto.tile<16x16xf32>
pto.tgather ins(%s, %i, %tmp : !pto.tile<16x16xf32>, !pto.tile<16x16xi32>, !pto.tile<16x16xi32>) outs(%d : !pto.tile<16x16xf32>)
""",
    "compare gather": """.arg %s : !pto.tile<16x16xf32>
.arg %k : f32
.arg %tmp : !pto.tile<16x16xi32>
.arg %d : !pto.tile<16x16xi32>
.arg %n : !pto.tile<1x16xi32>
pto.tgather ins(%s, %k, %tmp : !pto.tile<16x16xf32>, f32, !pto.tile<16x16xi32>) outs(%d, %n : !pto.tile<16x16xi32>, !pto.tile<1x16xi32>) {cmpMode = #pto<cmp gt>, offset = 7 : i32}
""",
    "scatters": """.arg %m : !pto.memref<64x32xf32>
.arg %s : !pto.tile<16x32xf32>
.arg %i : !pto.tile<1x16xi32>
.arg %j : !pto.tile<16x32xi32>
mscatter.row.skip %s, %i, %m : (!pto.tile<16x32xf32>, !pto.tile<1x16xi32>, !pto.memref<64x32xf32>)
mscatter.elem.wrap.add.default %s, %j, %m : (!pto.tile<16x32xf32>, !pto.tile<16x32xi32>, !pto.memref<64x32xf32>)
%t = tscatter %s, %j : (!pto.tile<16x32xf32>, !pto.tile<16x32xi32>) -> !pto.tile<16x32xf32>
""",
    "collective": """.arg %g : !pto.group<4 x !pto.memref<64x32xf32>>
.arg %out : !pto.memref<256x32xf32>
.arg %ping : !pto.tile<64x32xf32>
.arg %pong : !pto.tile<64x32xf32>
tgather %g, %out
pto.comm.tgather(%out, recv(%ping, %pong), group(%g) : !pto.memref<256x32xf32>, !pto.tile<64x32xf32>, !pto.tile<64x32xf32>, !pto.group<4 x !pto.memref<64x32xf32>>) {root = 1 : i32}
""",
    "softmax": """.arg %x : !pto.tile<8x64xf32>
%max = trowmax %x : (!pto.tile<8x64xf32>) -> !pto.tile<8x1xf32>
%spread = trowexpand %max : (!pto.tile<8x1xf32>) -> !pto.tile<8x64xf32>
%centred = tsub %x, %spread
%e = texp %centred
%sum = trowsum %e : (!pto.tile<8x64xf32>) -> !pto.tile<8x1xf32>
%wide = trowexpand %sum : (!pto.tile<8x1xf32>) -> !pto.tile<8x64xf32>
%y = tdiv %e, %wide
""",
    "kernel": """module attributes {pto.target_arch = "a5"} {
  func.func @gather(%table: !pto.ptr<f32>, %idx: !pto.ptr<i32>, %out: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %addr = arith.constant 0x800 : i64
    %tv = pto.make_tensor_view %table, shape = [%c64, %c32], strides = [%c32, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>
    %tp = pto.partition_view %tv, offsets = [%c0, %c0], sizes = [%c64, %c32] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<64x32xf32>
    %i = pto.alloc_tile addr = %addr valid_row = %c1 valid_col = %c16 : !pto.tile_buf<loc=vec, dtype=i32, rows=1, cols=16, v_row=?, v_col=?>
    %d = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
    pto.mgather ins(%tp, %i : !pto.partition_tensor_view<64x32xf32>, !pto.tile_buf<vec, 1x16xi32, valid=?x?>) outs(%d : !pto.tile_buf<vec, 16x32xf32>) {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob clamp>}
    %s = pto.subview %d[%c0, %c0] sizes [8, 32] : !pto.tile_buf<vec, 16x32xf32> -> !pto.tile_buf<vec, 8x32xf32>
    pto.set_validshape %i, %c1, %c16 : !pto.tile_buf<vec, 1x16xi32, valid=?x?>
    pto.tprint ins(%s : !pto.tile_buf<vec, 8x32xf32>)
    return
  }
}
""",
    "loops and branches": """func.func @f(%n: index, %b: i1) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %z = %c1) -> (index, index) {
    %s = arith.addi %a, %i : index
    %t = scf.if %b -> (index) {
      scf.yield %s : index
    } else {
      scf.yield %z : index
    }
    scf.yield %t, %a : index, index
  }
  %w = scf.while (%q = %r#0) : (index) -> index {
    %go = arith.cmpi slt, %q, %n : index
    scf.condition(%go) %q : index
  } do {
  ^bb0(%p: index):
    %next = arith.addi %p, %r#1 : index
    scf.yield %next : index
  }
  return %w : index
}
""",
    "calls": """module @library {
  func.func private @extern(!pto.ptr<f32>, index) -> index
  func.func @callee(%x: index {pto.role = "n"}) -> (index, index) {
    return %x, %x : index, index
  }
  func.func public @caller(%p: !pto.ptr<f32>, %n: index) {
    %a = func.call @extern(%p, %n) : (!pto.ptr<f32>, index) -> index
    %b:2 = func.call @callee(%a) : (index) -> (index, index)
    return
  }
}
""",
    "scalars": """func.func @f(%p: !pto.ptr<i32>, %q: !pto.ptr<f32>) {
  %c8 = arith.constant 8 : index
  %v = pto.load_scalar %p[%c8] : !pto.ptr<i32> -> i32
  %f = arith.sitofp %v : i32 to f32
  %far = pto.addptr %q, %c8 : !pto.ptr<f32> -> !pto.ptr<f32>
  pto.store_scalar %f, %far[%c8] : !pto.ptr<f32>, f32
  %block = pto.get_block_idx : i64
  %blocks = pto.get_block_num : i64
  return
}
""",
    "literals": """.const %zero = 0
.const %minus = -1 : i32
.const %half = 0.5 : f16
.const %nan = 0x7FC00000 : f32
.const %inf = 0x7F800000 : f32
.const %tiny = 1.0e-30 : f32
.const %third = 0.3333333333333333 : f64
.const %big = 0xFFFFFFFF : i32
.arg %t : !pto.tile<8x16xf32>
%u = tadds %t, %tiny
""",
    "element types": "".join(
        f".arg %t{k} : !pto.tile<4x32x{e}>\n%u{k} = tmov %t{k} : !pto.tile<4x32x{e}> -> !pto.tile<4x32x{e}>\n"
        for k, e in enumerate(
            ["i8", "u8", "i16", "u16", "i32", "u32", "f16", "bf16", "f32", "f8e4m3", "f8e5m2", "hif8"]
        )
    ),
    "conversions": """.arg %a : !pto.tile<8x16xf32>
%h = tcvt %a {rmode = #pto<round_mode RINT>} : (!pto.tile<8x16xf32>) -> !pto.tile<8x16xf16>
%i = tcvt %a : (!pto.tile<8x16xf32>) -> !pto.tile<8x16xi32>
.const %s = 3 : i32
%c = tci %s {descending = true} : (i32) -> !pto.tile<1x16xi32>
%e = texpands %s : (i32) -> !pto.tile<8x16xi32>
""",
    "numbered and odd names": """func.func @f(%0: index, %a$b: index, %a-b: index, %a.b: index, %x: index, %x_1: index) {
  %1 = arith.addi %0, %a$b : index
  %2 = arith.addi %a-b, %a.b : index
  %x_2 = arith.addi %x, %x_1 : index
  scf.for %i = %0 to %1 step %2 {
    %y = arith.addi %i, %x_2 : index
  }
  scf.for %i = %0 to %1 step %2 {
    %y = arith.addi %i, %x_2 : index
  }
  return
}
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    check(ptoas.parse(PROGRAMS[name], "program.pto"))


FILES = sorted([*ROOT.glob("examples/*.pto"), *ROOT.glob("tests/isa/**/*.pto")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_file(path: Path) -> None:
    """The examples, and the programs of the instruction tests, which stand in one file with headings between."""
    first, *rest = re.split(r"(?m)^# === .*$", path.read_text(encoding="utf-8"))
    read = 0
    for text in rest[:10] or [first]:
        try:
            module = ptoas.parse(text, "program.pto")
        except ptoas.PtoasError:
            continue  # wrong on purpose
        check(module)
        read += 1
    assert read


def test_names_survive_every_form() -> None:
    module = ptoas.parse(LOOKUP, "lookup.pto")
    for form in FORMS:
        text = print_module(module, form)
        for name in ("%table", "%indices", "%out", "%idx_12", "%rows"):
            assert f"{name} " in text or f"{name}," in text or f"{name}:" in text, (form, name)


def test_bare_program_is_printed_bare() -> None:
    text = print_module(ptoas.parse(LOOKUP, "lookup.pto"), "asm")
    assert text.startswith(".arg %table : !pto.memref<64x32xf32>\n") and "func" not in text
    assert "%rows = mgather.row.clamp %table, %idx_12 : " in text


def test_forms_are_what_they_are_called() -> None:
    module = ptoas.parse(LOOKUP, "lookup.pto")
    assert "%rows = pto.mgather %table, %idx_12 {" in print_module(module, "ssa")
    assert "pto.mgather ins(%table, %idx_12 : " in print_module(module, "dps")
    assert '"pto.mgather"(%table, %idx_12)' in print_module(module, "generic")
    with pytest.raises(ValueError, match="unknown form 'xml'; forms are asm, ssa, dps, generic"):
        print_module(module, "xml")


def test_printing_leaves_the_module_alone() -> None:
    module = ptoas.parse(LOOKUP, "lookup.pto")
    before = str(module)
    for form in FORMS:
        print_module(module, form)
    assert str(module) == before


# --- conversions -----------------------------------------------------------------------------------


def test_ssa_to_dps_and_back() -> None:
    """Through buffers and back to values: the same program."""
    module = ptoas.parse(PROGRAMS["softmax"], "softmax.pto")
    dps = ptoas.parse(print_module(module, "dps"))
    assert [op.name for op in dps.walk()].count("pto.alloc_tile") == 7
    ssa = ptoas.parse(print_module(dps, "ssa"))
    assert ssa.is_structurally_equivalent(ptoas.parse(print_module(module, "ssa")))
    assert names(ssa) == names(module)


BUFFERS = """.arg %a : !pto.tile<8x16xf32>
.arg %counts : vector<4xi16>
.const %addr = 0 : i64
.const %n = 4
%t = alloc_tile : !pto.tile<8x16xf32>
%placed = alloc_tile addr = %addr : !pto.tile<8x16xf32>
%open = alloc_tile valid_row = %n : !pto.tile<8x16xf32, valid=?x16>
"""

REFUSED = {
    "written twice": ("texp %t, %a\ntabs %t, %a", "`%t` is written more than once"),
    "at an address": ("texp %placed, %a", "`%placed` sits at an address, which a value can't have"),
    "open extents": ("texp %open, %a", "`%open` gets its valid extents at run time, which a value can't say"),
    "an argument": ("texp %a, %a", "`%a` is not a tile of this function, so it can't become a result"),
    "in place": ("tadd %t, %t, %a", "`%t` is read and written by one instruction"),
    "more than a tile": (
        "tmrgsort ins(%a, %a no_tmp : !pto.tile<8x16xf32>, !pto.tile<8x16xf32>) "
        "outs(%t, %counts : !pto.tile<8x16xf32>, vector<4xi16>)",
        "`tmrgsort` writes more than a result can be",
    ),
    "read before": ("tprint %t\ntexp %t, %a", "`%t` is used before this instruction writes it"),
    "in a loop": (
        "scf.for %i = %n to %n step %n {\ntexp %t, %a\n}",
        "`%t` is made outside the loop or branch that writes it",
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_dps_to_ssa_refusals_name_the_tile(why: str) -> None:
    line, message = REFUSED[why]
    module = ptoas.parse(BUFFERS + line, "k.pto")
    with pytest.raises(ptoas.PtoasError) as caught:
        print_module(module, "ssa")
    first = caught.value.diagnostics[0]
    assert (first.code, first.message) == ("PTO-L001", message)
    assert first.span.line >= 8
    assert first.fix == "keep this program in DPS form"


def test_all_refusals_at_once() -> None:
    module = ptoas.parse(BUFFERS + "texp %placed, %a\ntexp %open, %a\n", "k.pto")
    with pytest.raises(ptoas.PtoasError) as caught:
        print_module(module, "ssa")
    assert [d.span.line for d in caught.value.diagnostics] == [8, 9]


# --- every operation -------------------------------------------------------------------------------


# Shrinking a module takes minutes; what is drawn is short enough to read.
QUICKLY = settings(
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    report_multiple_bugs=False,
)


@pytest.mark.parametrize("cls", OPS, ids=lambda cls: cls.mnemonic())
def test_every_operation(cls: type[PtoOp]) -> None:
    seen: list[Drawn] = []

    @settings(QUICKLY, max_examples=4)
    @given(modules_with(cls))
    def property(drawn: Drawn) -> None:
        seen.append(drawn)
        check(drawn.module)

    property()
    assert seen


@settings(QUICKLY, max_examples=40)
@given(modules())
def test_generated_modules(drawn: Drawn) -> None:
    check(drawn.module)


def test_an_empty_module_keeps_its_block() -> None:
    """In the generic form `({})` is no block, and `({^bb0:})` is an empty one."""
    module = ptoas.parse("module {\n}\nfunc.func @k() {\n  return\n}\n")
    text = print_module(module, "generic")
    assert text.count("^bb0:") == 1
    assert ptoas.parse(text).is_structurally_equivalent(module)
