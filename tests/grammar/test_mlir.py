"""MLIR around the instructions, and the DPS text of views and scalars."""

# ruff: noqa: E501  (programs have long lines)

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

import ptoas
from ptoas.dialects.pto.gather import MGatherOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import TileType

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


# --- MLIR around it ---------------------------------------------------------------------------------

BODY = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
"""


def inside(body: str, args: str = "", **options: bool) -> ModuleOp:
    return ptoas.parse(f"module {{\nfunc.func @f({args}) {{{BODY}{body}\nreturn\n}}\n}}", "f.mlir", **options)


LOOPS = {
    "plain": "scf.for %i = %c0 to %c8 step %c1 {\n%x = arith.addi %i, %c1 : index\n}",
    "typed": "scf.for %i = %c0 to %c8 step %c1 : index {\n}",
    "on one line": "scf.for %i = %c0 to %c8 step %c1 { %x = arith.addi %i, %c1 : index }",
    "brace on its own line": "scf.for %i = %c0 to %c8 step %c1\n{\n}",
    "with a yield": "scf.for %i = %c0 to %c8 step %c1 {\nscf.yield\n}",
    "with attributes": "scf.for %i = %c0 to %c8 step %c1 {\n} {unroll = 4 : i64}",
    "carrying one": "%s = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %c0) -> (index) {\n"
    "%n = arith.addi %a, %i : index\nscf.yield %n : index\n}",
    "carrying two": "%s, %t = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %c0, %b = %c1) -> (index, index) {\n"
    "scf.yield %b, %a : index, index\n}\n%u = arith.addi %s, %t : index",
    "carrying two under one name": "%s:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %c0, %b = %c1)"
    " -> (index, index) {\nscf.yield %b, %a : index, index\n}\n%u = arith.addi %s#0, %s#1 : index",
    "nested": "scf.for %i = %c0 to %c8 step %c1 {\nscf.for %j = %c0 to %i step %c1 {\n"
    "%x = arith.muli %i, %j : index\n}\n}",
}


@pytest.mark.parametrize("kind", LOOPS)
def test_loops(kind: str) -> None:
    module = inside(LOOPS[kind])
    module.verify()
    assert len(ops(module, "scf.for")) == (2 if kind == "nested" else 1)


def test_results_under_one_name() -> None:
    module = inside(LOOPS["carrying two under one name"])
    (loop,), (*_, add) = ops(module, "scf.for"), ops(module, "arith.addi")
    assert list(add.operands) == list(loop.results)


def test_loop_attributes() -> None:
    (loop,) = ops(inside(LOOPS["with attributes"]), "scf.for")
    assert str(loop.attributes["unroll"]) == "4 : i64"


BRANCHES = {
    "plain": "scf.if %b {\n%x = arith.addi %c0, %c1 : index\n}",
    "else": "scf.if %b {\n} else {\n}",
    "else on its own line": "scf.if %b {\n}\nelse\n{\n}",
    "result": "%r = scf.if %b -> (index) {\nscf.yield %c0 : index\n} else {\nscf.yield %c1 : index\n}",
    "result without parentheses": "%r = scf.if %b -> index {\nscf.yield %c0 : index\n} else {\nscf.yield %c1 : index\n}",
    "two results": "%r:2 = scf.if %b -> (index, i1) {\nscf.yield %c0, %b : index, i1\n} else {\n"
    "scf.yield %c1, %b : index, i1\n}\n%z = arith.addi %r#0, %c1 : index",
    "on one line": "scf.if %b { } else { }",
}


@pytest.mark.parametrize("kind", BRANCHES)
def test_branches(kind: str) -> None:
    module = inside(BRANCHES[kind], "%b: i1")
    module.verify()
    assert len(ops(module, "scf.if")) == 1


def test_while() -> None:
    module = inside(
        """%r = scf.while (%a = %c0) : (index) -> index {
      %go = arith.cmpi slt, %a, %c8 : index
      scf.condition(%go) %a : index
    } do {
    ^bb0(%b: index):
      %n = arith.addi %b, %c1 : index
      scf.yield %n : index
    }"""
    )
    module.verify()
    (loop,) = ops(module, "scf.while")
    assert [len(region.block.args) for region in loop.regions] == [1, 1]
    assert loop.results[0].name_hint == "r"


ARITHMETIC = [
    "%x = arith.addi %c0, %c1 : index",
    "%x = arith.addi %c0, %c1 overflow<nsw> : index",
    "%x = arith.cmpi slt, %c0, %c1 : index",
    "%x = arith.cmpi ult, %c0, %c1 : index",
    "%x = arith.index_cast %c0 : index to i32",
    "%x = arith.select %b, %c0, %c1 : index",
    "%x = arith.minsi %c0, %c1 : index",
    "%x = arith.maxui %c0, %c1 : index",
    "%x = arith.ceildivsi %c0, %c1 : index",
    "%x = arith.remui %c0, %c1 : index",
    "%x = arith.mulf %f, %f : f32",
    "%x = arith.addf %f, %f fastmath<fast> : f32",
    "%x = arith.cmpf ogt, %f, %f : f32",
    "%x = arith.extf %f : f32 to f64",
    "%x = arith.fptosi %f : f32 to i32",
    "%x = arith.sitofp %n : i32 to f32",
    "%x = arith.extsi %n : i32 to i64",
    "%x = arith.trunci %n : i32 to i16",
    "%x = arith.negf %f : f32",
    "%x = arith.xori %n, %n : i32",
    "%x = arith.shli %n, %n : i32",
]


@pytest.mark.parametrize("line", ARITHMETIC)
def test_arithmetic(line: str) -> None:
    module = inside(line, "%b: i1, %f: f32, %n: i32")
    module.verify()
    assert ops(module, line.split()[2])[0].results[0].name_hint == "x"


def test_functions_and_calls() -> None:
    text = """module @lib attributes {pto.target_arch = "a5"} {
  func.func private @helper(!pto.ptr<f32>, index) -> index
  func.func @id(%x: index {pto.role = "extent"}) -> index attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    return %x : index
  }
  func.func public @f(%p: !pto.ptr<f32>, %n: index) {
    %a = func.call @helper(%p, %n) : (!pto.ptr<f32>, index) -> index
    %b = call @id(%a) : (index) -> index
    func.return
  }
}"""
    module = ptoas.parse(text)
    module.verify()
    helper, identity, main = module.body.block.ops
    assert isinstance(helper, FuncOp) and isinstance(identity, FuncOp) and isinstance(main, FuncOp)
    assert module.sym_name is not None and module.sym_name.data == "lib"
    assert helper.sym_visibility is not None and not helper.body.blocks
    assert identity.arg_attrs is not None and str(identity.arg_attrs.data[0].data["pto.role"]) == '"extent"'
    assert str(identity.attributes["pto.kernel_kind"]) == "#pto.kernel_kind<vector>"
    assert [str(op.properties["callee"]) for op in ops(module, "func.call")] == ["@helper", "@id"]


def test_functions_without_a_module() -> None:
    module = ptoas.parse(
        "func.func @a() {\nreturn\n}\nfunc.func @b() {\nfunc.call @a() : () -> ()\nreturn\n}"
    )
    assert [f.sym_name.data for f in module.body.block.ops if isinstance(f, FuncOp)] == ["a", "b"]


def test_return_may_be_left_out() -> None:
    (function,) = ptoas.parse("func.func @a() {\n}").body.block.ops
    assert [op.name for op in function.walk()] == ["func.func", "func.return"]


def test_blocks() -> None:
    text = """func.func @f(%x: index) {
  "cf.br"(%x)[^next] : (index) -> ()
^next(%y: index):
  return
}"""
    module = ptoas.parse(text, allow_unregistered=True)
    (function,) = module.body.block.ops
    assert len(function.regions[0].blocks) == 2


def test_aliases() -> None:
    text = """#rows = #pto.coalesce<row>
#oob = #pto<gather_oob clamp>
!idx = !pto.tile<1x16xi32>
!dst = !pto.tile<16x32xf32>
module {
  func.func @f(%t: !pto.memref<64x32xf32>, %i: !idx) {
    %d = pto.mgather %t, %i {coalesce = #rows, gatherOob = #oob} : (!pto.memref<64x32xf32>, !idx) -> !dst
    return
  }
}"""
    op = only(text, "pto.mgather")
    assert isinstance(op, MGatherOp) and op.coalesce is not None and op.gather_oob is not None
    assert op.destination.type == TileType.of(op.destination.type.element_type, 16, 32)


def test_alias_is_local_to_its_file() -> None:
    for rows in (8, 16):
        text = f"!t = !pto.tile<{rows}x16xf32>\nfunc.func @f(%a: !t) {{\n%b = pto.texp %a : (!t) -> !t\nreturn\n}}"
        assert only(text, "pto.texp").results[0].type.shape == (rows, 16)


LOCATIONS = [
    "%x = arith.addi %c0, %c1 : index loc(unknown)",
    '%x = arith.addi %c0, %c1 : index loc("a.py":3:7)',
    '%x = arith.addi %c0, %c1 : index loc(fused["a"("b"), "c.py":1:2])',
    '%x = arith.addi %c0, %c1 : index loc(callsite("f" at "g.py":10:8))',
    "%x = arith.addi %c0, %c1 : index loc(#loc)",
]


@pytest.mark.parametrize("line", LOCATIONS)
def test_locations_are_read_over(line: str) -> None:
    (op,) = ops(inside(line), "arith.addi")
    assert op.attributes == {}


def test_locations_of_structure() -> None:
    text = """#loc = loc("k.py":1:1)
module {
  func.func @f(%a: index loc("k.py":2:3)) {
    scf.for %i = %a to %a step %a {
    } loc(#loc)
    return loc(unknown)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("k.py":9:9)"""
    ptoas.parse(text).verify()


# --- DPS text of views and scalars ------------------------------------------------------------------

VIEWS = [
    "%v = pto.make_tensor_view %p, shape = [%c8, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x?xf32>",
    "%v = pto.make_tensor_view %p, shape = [%c8, %c8] strides = [%c8, %c1] : !pto.tensor_view<?x?xf32>",
    "%v = pto.make_tensor_view %p, shape = [%c8, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>",
    "%v = pto.make_tensor_view %p, shape = [%c8], strides = [%c1] : !pto.tensor_view<256xf32>",
]


@pytest.mark.parametrize("line", VIEWS)
def test_make_tensor_view(line: str) -> None:
    module = inside(line, "%p: !pto.ptr<f32>")
    module.verify()
    (op,) = ops(module, "pto.make_tensor_view")
    assert isinstance(op, PtoOp)
    assert {v.name_hint for v in op.operands_of("strides")} <= {"c8", "c1"}


def test_partition_infers_its_result() -> None:
    module = inside(
        "%v = pto.make_tensor_view %p, shape = [%c8, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x?xf32>\n"
        "%a = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c8, %n] : !pto.tensor_view<?x?xf32>\n"
        "%b = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c1, %c8]",
        "%p: !pto.ptr<f32>, %n: index",
    )
    types = [str(op.results[0].type) for op in ops(module, "pto.partition_view")]
    assert types == ["!pto.partition_tensor_view<8x?xf32>", "!pto.partition_tensor_view<1x8xf32>"]


ALLOCS = {
    "pto.alloc_tile : !pto.tile_buf<vec, 8x16xf32>": [],
    "pto.alloc_tile addr = %a : !pto.tile_buf<vec, 8x16xf32>": ["addr"],
    "pto.alloc_tile valid_row = %c1 valid_col = %c8 : !pto.tile_buf<vec, 8x16xf32, valid=?x?>": [
        "valid_row",
        "valid_col",
    ],
    "pto.alloc_tile addr = %a valid_row = %c1 : !pto.tile_buf<vec, 8x16xf32, valid=?x16>": [
        "addr",
        "valid_row",
    ],
    "pto.alloc_tile addr = %a, valid_col = %c1 : !pto.tile_buf<vec, 8x16xf32, valid=8x?>": [
        "addr",
        "valid_col",
    ],
}


@pytest.mark.parametrize("line", ALLOCS)
def test_alloc_tile(line: str) -> None:
    module = inside(f"%t = {line}", "%a: i64")
    module.verify()
    (op,) = ops(module, "pto.alloc_tile")
    assert isinstance(op, PtoOp)
    assert [slot.name for slot, values in op.segments() if values] == ALLOCS[line]


SCALARS = [
    "%v = pto.load_scalar %p[%c0] : !pto.ptr<f32> -> f32",
    "pto.store_scalar %f, %p[%c0] : !pto.ptr<f32>, f32",
    "%q = pto.addptr %p, %c8 : !pto.ptr<f32> -> !pto.ptr<f32>",
    "%b = pto.get_block_idx",
    "%b = pto.get_block_num : i64",
    "pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]",
    "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID7>]",
    "pto.barrier #pto.pipe<PIPE_ALL>",
    "pto.barrier <PIPE_ALL>",
    "pto.set_validshape %t, %c8, %c8 : !pto.tile_buf<vec, 16x16xf32, valid=?x?>",
    "%s = pto.subview %t[%c0, %c8] sizes [8, 8] : !pto.tile_buf<vec, 16x16xf32, valid=?x?> -> !pto.tile_buf<vec, 8x8xf32>",
    "%s = pto.subview %t[%c0, %c8] sizes [8, 8] valid [%c1, %c8] : !pto.tile_buf<vec, 16x16xf32, valid=?x?> -> "
    "!pto.tile_buf<vec, 8x8xf32, valid=?x?>",
    "pto.tprint ins(%t : !pto.tile_buf<vec, 16x16xf32, valid=?x?>)",
]


@pytest.mark.parametrize("line", SCALARS)
def test_memory_and_sync(line: str) -> None:
    module = inside(line, "%p: !pto.ptr<f32>, %f: f32, %t: !pto.tile_buf<vec, 16x16xf32, valid=?x?>")
    module.verify()
    assert any(isinstance(op, PtoOp) for op in module.walk())


def test_conversion_with_attributes_inside_ins() -> None:
    line = (
        "pto.tcvt ins(%a {rmode = #pto<round_mode RINT>} : !pto.tile_buf<vec, 8x16xf32>)"
        " outs(%b : !pto.tile_buf<vec, 8x16xf16>)"
    )
    text = f".arg %a : !pto.tile<8x16xf32>\n.arg %b : !pto.tile<8x16xf16>\n{line}"
    assert str(only(text, "pto.tcvt").properties["rmode"]) == "#pto.round_mode<RINT>"


def test_types_beside_operands() -> None:
    """`%a : T, %b : U` inside one group, and a type's name left out."""
    text = (
        ".arg %a : !pto.tile<8x16xf32>\n.arg %b : !pto.tile<8x16xf32>\n"
        "pto.tadd ins(%a, %b : <vec, 8x16xf32>, <vec, 8x16xf32>) outs(%b : <vec, 8x16xf32>)"
    )
    assert len(only(text, "pto.tadd").operands) == 3


def test_the_same_bits_under_another_type() -> None:
    text = """func.func @f(%a: i32) {
      %u = builtin.unrealized_conversion_cast %a : i32 to ui32
      %v = "builtin.unrealized_conversion_cast"(%a) : (i32) -> ui32
      return
    }"""
    casts = [op for op in ptoas.parse(text).walk() if "cast" in op.name]
    assert [(op.name, str(op.results[0].type)) for op in casts] == [
        ("builtin.unrealized_conversion_cast", "ui32")
    ] * 2


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("@plain.name-1", "plain.name-1"),
        ('@"quoted"', "quoted"),
        ('@"with space"', "with space"),
        (r'@"k\C3\B6rnel"', "körnel"),
        (r'@"a \"b\" \\ c"', 'a "b" \\ c'),
        ("@körnel", "körnel"),
    ],
)
@pytest.mark.parametrize("form", ["asm", "ssa", "dps", "generic"])
def test_names_are_read_as_they_are_printed(written: str, name: str, form: str) -> None:
    module = ptoas.parse(f"func.func {written}() {{\n  return\n}}\n")
    for _ in range(2):
        (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
        assert function.sym_name.data == name
        module = ptoas.parse(ptoas.print_module(module, form))


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("array<i1024: 1>", None),
        ("array<i1025: 1>", "an integer has at most 1024 bits, found 1025"),
        ("array<i4294967295: 1>", "an integer has at most 1024 bits, found 4294967295"),
        ("dense<5> : tensor<2xi4294967295>", "an integer has at most 1024 bits, found 4294967295"),
        ("dense<0> : tensor<64x64xi8>", None),
        ("dense<0> : tensor<64x65xi8>", "an array of 64x65; at most 4,096 elements are read here"),
        (
            "dense<0> : vector<10000000000xf32>",
            "an array of 10000000000; at most 4,096 elements are read here",
        ),
        (f"dense<{[1] * 5000}> : tensor<5000xi8>", None),
        ('#new.attr<"2xi4294967295">', None),
    ],
)
def test_short_text_can_not_allocate_large_memory(attribute: str, message: str | None) -> None:
    text = f'func.func @k() {{\n  "x.y"() {{a = {attribute}}} : () -> ()\n  return\n}}\n'
    try:
        ptoas.parse(text, allow_unregistered=True)
    except ptoas.PtoasError as error:
        (found,) = error.diagnostics
        assert (found.code, found.span.line, found.span.column) == ("PTO-P022", 2, 16)
        # xDSL has no arrays of such integers.
        assert found.message == message or (
            message is None and found.message == f"`{attribute}` is not a valid attribute"
        )
    else:
        assert message is None


def test_attributes_of_a_module_over_several_lines() -> None:
    text = 'module attributes {\n  pto.target_arch = "a5",\n  pto.x = 1 : i32\n} {\n  func.func @f() {\n    return\n  }\n}'
    assert ptoas.parse(text).attributes.keys() == {"pto.target_arch", "pto.x"}
