# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Small passes: folding, dead code, scratch, carried tiles, and the pipeline as a list."""

from __future__ import annotations

import re

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

import ptoas
from ptoas.compiler.run import run
from ptoas.dialects.pto.comm import CommTGatherOp
from ptoas.dialects.pto.elementwise import TAddOp
from ptoas.dialects.pto.gather import TGatherOp
from ptoas.dialects.pto.movement import TMovOp
from ptoas.dialects.pto.reduce import TRowSumOp
from ptoas.dialects.pto.views import AllocTileOp, MakeTensorViewOp
from ptoas.ir.clone import clone
from ptoas.ir.names import defined
from ptoas.lowering import PASSES, UnknownPassError, build_pipeline, prepare, run_passes
from ptoas.lowering.eliminate_dead_code import EliminateDeadCodePass
from ptoas.lowering.fold_constants import FoldConstantsPass


def ops(module: ModuleOp, kind: type[Operation]) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, kind)]


def test_integer_arithmetic_on_constants_is_folded() -> None:
    module = ptoas.parse("""
func.func @f(%p: !pto.ptr<i32>) {
  %a = arith.constant 4 : i32
  %b = arith.constant 8 : i32
  %c = arith.muli %a, %b : i32
  %d = arith.subi %c, %a : i32
  %i = arith.constant 0 : index
  pto.store_scalar %d, %p[%i] : !pto.ptr<i32>, i32
  return
}
""")
    run_passes(module, [FoldConstantsPass(), EliminateDeadCodePass()])
    values = [op.value for op in ops(module, arith.ConstantOp)]  # pyright: ignore
    assert sorted(v.value.data for v in values if isinstance(v, IntegerAttr)) == [0, 28]
    assert not ops(module, arith.MuliOp)


def test_a_branch_on_a_constant_is_taken() -> None:
    module = ptoas.parse("""
func.func @f(%p: !pto.ptr<i32>) {
  %a = arith.constant 4 : i32
  %b = arith.constant 8 : i32
  %i = arith.constant 0 : index
  %less = arith.cmpi slt, %a, %b : i32
  %x = scf.if %less -> (i32) {
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  pto.store_scalar %x, %p[%i] : !pto.ptr<i32>, i32
  return
}
""")
    FoldConstantsPass().apply(Context(), module)
    module.verify()
    assert not ops(module, scf.IfOp)
    result = run(module, {"p": np.zeros(1, np.int32)}, target="a5")
    assert result.outputs["p"][0] == 4


def test_unused_views_and_tiles_disappear_but_stores_stay() -> None:
    module = ptoas.parse("""
func.func @f(%p: !pto.ptr<f32>, %m: !pto.memref<8x8xf32>) {
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %v = pto.make_tensor_view %p, shape = [%c8, %c8], strides = [%c8, %c1] : !pto.tensor_view<8x8xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  %u = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%m : !pto.memref<8x8xf32>) outs(%u : !pto.tile_buf<vec, 8x8xf32>)
  return
}
""")
    EliminateDeadCodePass().apply(Context(), module)
    assert not ops(module, MakeTensorViewOp)
    assert not ops(module, arith.ConstantOp)
    assert [op.results[0].name_hint for op in ops(module, AllocTileOp)] == ["u"]


TILE_GATHER = """
.arg %a : !pto.memref<16x16xf32>
.arg %b : !pto.memref<8x16xi32>
.arg %out : !pto.memref<8x16xf32>
%x = tload %a : (!pto.memref<16x16xf32>) -> !pto.tile<16x16xf32>
%i = tload %b : (!pto.memref<8x16xi32>) -> !pto.tile<8x16xi32>
%d = tgather %x, %i : (!pto.tile<16x16xf32>, !pto.tile<8x16xi32>) -> !pto.tile<8x16xf32>
tstore %d, %out
"""


def test_scratch_of_a_tile_gather_is_as_large_as_the_target_uses_it() -> None:
    sizes = {}
    for target in ("a2a3", "a5"):
        (gather,) = ops(prepare(ptoas.parse(TILE_GATHER), target), TGatherOp)
        assert isinstance(gather, TGatherOp) and gather.tmp is not None
        sizes[target] = gather.tmp.type.size_bytes  # pyright: ignore
    assert sizes == {"a2a3": 8 * 16 * 4, "a5": 32}


def test_the_documents_revision_takes_no_scratch() -> None:
    (gather,) = ops(prepare(ptoas.parse(TILE_GATHER), "a5", isa="doc"), TGatherOp)
    assert isinstance(gather, TGatherOp) and gather.tmp is None


OPEN_TILE_GATHER = """
func.func @k(%s: !pto.tile_buf<vec, 16x16xf16>, %m: !pto.memref<?x?xi32>, %rows: index, %cols: index, %o: !pto.memref<?x?xf16>) {{
  %i = pto.alloc_tile {extents} : !pto.tile_buf<vec, 16x16xi32, valid={valid}>
  %d = pto.alloc_tile {extents} : !pto.tile_buf<vec, 16x16xf16, valid={valid}>
  {between}
  pto.tload ins(%m : !pto.memref<?x?xi32>) outs(%i : !pto.tile_buf<vec, 16x16xi32, valid={valid}>)
  pto.tgather ins(%s, %i : !pto.tile_buf<vec, 16x16xf16>, !pto.tile_buf<vec, 16x16xi32, valid={valid}>) outs(%d : !pto.tile_buf<vec, 16x16xf16, valid={valid}>)
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x16xf16, valid={valid}>) outs(%o : !pto.memref<?x?xf16>)
  return
}}
"""
RESHAPED = "pto.set_validshape %i, %cols, %rows : !pto.tile_buf<vec, 16x16xi32, valid=?x?>"


@pytest.mark.parametrize(
    ("extents", "valid", "between", "scratch"),
    [
        ("valid_row = %rows valid_col = %cols", "?x?", "", "ITile tmp(rows, cols);"),
        ("valid_row = %rows", "?x16", "", "ITile tmp(rows);"),
        ("valid_col = %cols", "16x?", "", "ITile tmp(cols);"),
        ("valid_row = %rows valid_col = %cols", "?x?", RESHAPED, "TmpTile tmp;"),
    ],
)
def test_scratch_is_as_valid_as_the_indices(extents: str, valid: str, between: str, scratch: str) -> None:
    """The A2/A3 header wants equal valid shapes; where several places give them, the whole tile is valid."""
    text = OPEN_TILE_GATHER.format(extents=extents, valid=valid, between=between)
    cpp = ptoas.lower(ptoas.parse(text), "a2a3")
    assert scratch in [line.strip() for line in cpp.splitlines()]
    assert "using TmpTile = Tile<TileType::Vec, int32_t, 16, 16>;" in cpp or "TmpTile" not in scratch


def test_scratch_of_the_program_is_kept() -> None:
    text = """
func.func @f(%a: !pto.memref<16x16xf32>, %o: !pto.memref<16x1xf32, dn>) {
  %x = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  %mine = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  %s = pto.alloc_tile : !pto.tile_buf<vec, 16x1xf32>
  pto.tload ins(%a : !pto.memref<16x16xf32>) outs(%x : !pto.tile_buf<vec, 16x16xf32>)
  pto.trowsum ins(%x, %mine : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) outs(%s : !pto.tile_buf<vec, 16x1xf32>)
  pto.tstore ins(%s : !pto.tile_buf<vec, 16x1xf32>) outs(%o : !pto.memref<16x1xf32, dn>)
  return
}
"""
    (reduce,) = ops(prepare(ptoas.parse(text), "a2a3"), TRowSumOp)
    assert isinstance(reduce, TRowSumOp) and reduce.tmp is not None
    assert reduce.tmp.name_hint == "mine"


def test_a_collective_gets_staging_that_fits() -> None:
    text = """
.arg %g : !pto.group<2 x !pto.memref<4096x300xf32>>
.arg %out : !pto.memref<8192x300xf32>
tgather %g, %out : (!pto.group<2 x !pto.memref<4096x300xf32>>, !pto.memref<8192x300xf32>)
"""
    (gather,) = ops(prepare(ptoas.parse(text), "a5"), CommTGatherOp)
    assert isinstance(gather, CommTGatherOp)
    (stage,) = gather.staging
    tile = stage.type
    assert tile.cols == 304 and tile.size_bytes <= 248 * 1024  # pyright: ignore


ACCUMULATE = """
func.func @f(%a: !pto.ptr<f32>, %out: !pto.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 1.0 : f32
  %vo = pto.make_tensor_view %out, shape = [%c8, %c8], strides = [%c8, %c1] : !pto.tensor_view<8x8xf32>
  %va = pto.make_tensor_view %a, shape = [%c64, %c8], strides = [%c8, %c1] : !pto.tensor_view<64x8xf32>
  %s = pto.texpands %z : f32 -> !pto.tile<8x8xf32>
  %p = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %s) -> (!pto.tile<8x8xf32>) {
    %r = arith.muli %k, %c8 : index
    %pv = pto.partition_view %va, offsets = [%r, %c0], sizes = [%c8, %c8] : !pto.tensor_view<64x8xf32> -> !pto.partition_tensor_view<8x8xf32>
    %x = pto.tload %pv : !pto.partition_tensor_view<8x8xf32> -> !pto.tile<8x8xf32>
    BODY
  }
  pto.tstore %p, %vo : (!pto.tile<8x8xf32>, !pto.tensor_view<8x8xf32>) -> ()
  return
}
"""
T = "!pto.tile<8x8xf32>"


@pytest.mark.parametrize(
    ("body", "step", "copies"),
    [
        (f"%q = pto.tadd %acc, %x : ({T}, {T}) -> {T}\n scf.yield %q : {T}", lambda acc, x: acc + x, 0),
        (
            # The old value is read after the new one is made: it can't be written in place.
            f"%q = pto.tadd %acc, %x : ({T}, {T}) -> {T}\n %w = pto.tmul %q, %acc : ({T}, {T}) -> {T}\n"
            f" %v = pto.tadd %w, %q : ({T}, {T}) -> {T}\n %u = pto.tsub %v, %acc : ({T}, {T}) -> {T}\n"
            f" scf.yield %v : {T}",
            lambda acc, x: (acc + x) * acc + (acc + x),
            1,
        ),
    ],
)
@pytest.mark.parametrize("turns", [0, 1, 3])
def test_a_carried_tile_has_the_value_of_the_iteration_before(
    body: str, step: object, copies: int, turns: int
) -> None:
    module = ptoas.parse(ACCUMULATE.replace("BODY", body))
    ready = prepare(module, "a5")
    ready.verify()
    assert len(ops(ready, TMovOp)) == copies
    data = np.arange(512, dtype=np.float32) % 5 - 2
    result = run(module, {"a": data.copy(), "out": np.zeros(64, np.float32), "n": turns}, target="a5")
    acc = np.ones(64, np.float32)
    for turn in range(turns):
        acc = step(acc, data[64 * turn : 64 * turn + 64])  # type: ignore[operator]
    assert np.array_equal(np.asarray(result.arguments["out"]).reshape(-1), acc)


def test_exchanged_tiles_are_not_copied() -> None:
    text = """
func.func @f(%a: !pto.memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  %u = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%a : !pto.memref<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  pto.tload ins(%a : !pto.memref<8x8xf32>) outs(%u : !pto.tile_buf<vec, 8x8xf32>)
  %x, %y = scf.for %k = %c0 to %n step %c1 iter_args(%p = %t, %q = %u) -> (!pto.tile_buf<vec, 8x8xf32>, !pto.tile_buf<vec, 8x8xf32>) {
    pto.tadd ins(%p, %q : !pto.tile_buf<vec, 8x8xf32>, !pto.tile_buf<vec, 8x8xf32>) outs(%p : !pto.tile_buf<vec, 8x8xf32>)
    scf.yield %q, %p : !pto.tile_buf<vec, 8x8xf32>, !pto.tile_buf<vec, 8x8xf32>
  }
  pto.tstore ins(%x : !pto.tile_buf<vec, 8x8xf32>) outs(%a : !pto.memref<8x8xf32>)
  return
}
"""
    ready = prepare(ptoas.parse(text), "a5")
    assert not ops(ready, TMovOp)
    assert len(ops(ready, TAddOp)) == 1


def test_the_pipeline_is_a_list_of_passes() -> None:
    names = [each.name for each in build_pipeline("a5")]
    assert names == [name for name in PASSES if name != "legalize-cpu"]
    assert [p.name for p in build_pipeline("cpu", legalize=True, until="legalize-cpu")][-1] == "legalize-cpu"


def test_an_unknown_pass_is_named_with_the_known_ones() -> None:
    with pytest.raises(UnknownPassError, match=r"'fuse'.*plan-memory"):
        build_pipeline("a5", until="fuse")


def test_every_pass_leaves_a_module_that_verifies() -> None:
    seen: list[str] = []

    def after(name: str, module: ModuleOp) -> None:
        module.verify()
        seen.append(name)

    prepare(ptoas.parse(TILE_GATHER), "a5", after=after)
    assert seen == [each.name for each in build_pipeline("a5")]


def test_the_module_itself_is_left_alone() -> None:
    module = ptoas.parse(TILE_GATHER)
    before = str(module)
    prepare(module, "a2a3")
    assert str(module) == before


def test_loops_and_branches_without_effect_disappear_and_others_stay() -> None:
    module = ptoas.parse("""
func.func @f(%p: !pto.ptr<i32>, %n: index, %m: i32, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = scf.if %flag -> (i32) {
    scf.yield %m : i32
  } else {
    %d = arith.addi %m, %m : i32
    scf.yield %d : i32
  }
  scf.for %k = %c0 to %n step %c1 {
    %e = arith.addi %x, %m : i32
  }
  scf.for %k = %c0 to %n step %c1 {
    pto.store_scalar %m, %p[%k] : !pto.ptr<i32>, i32
  }
  return
}
""")
    EliminateDeadCodePass().apply(Context(), module)
    module.verify()
    assert len(ops(module, scf.ForOp)) == 1
    assert not ops(module, scf.IfOp)


def test_names_that_end_in_a_number_are_kept() -> None:
    text = """
.arg %in_12 : !pto.memref<8x8xf32>
%row_3 = tload %in_12 : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
tstore %row_3, %in_12
"""
    cpp = ptoas.lower(ptoas.parse(text), "a5")
    assert "TLOAD(row_3, in_12GM);" in cpp


@pytest.mark.parametrize(("element", "codes"), [("i32", []), ("i64", ["PTO-L010"])])
def test_a_tile_that_cannot_be_copied_is_not_carried(element: str, codes: list[str]) -> None:
    """The old value is read after the new one is there, so that both are needed; tmov takes no i64 (a5)."""
    tile, memory = f"!pto.tile<8x8x{element}>", f"!pto.memref<8x8x{element}>"
    text = f"""
func.func @f(%m: {memory}, %n: index) {{
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %first = pto.tload %m : ({memory}) -> {tile}
  %last = scf.for %k = %z to %n step %o iter_args(%old = %first) -> ({tile}) {{
    %new = pto.tload %m : ({memory}) -> {tile}
    pto.tstore %old, %m : ({tile}, {memory}) -> ()
    scf.yield %new : {tile}
  }}
  pto.tstore %last, %m : ({tile}, {memory}) -> ()
  return
}}
"""
    module = ptoas.parse(text)
    assert ptoas.verify(module, target="a5").ok
    found: list[str] = []
    try:
        assert "TMOV(" in ptoas.lower(module, "a5")
    except ptoas.PtoasError as error:
        found = [d.code for d in error.diagnostics]
    assert found == codes


def test_a_result_has_its_address_before_the_instruction_that_makes_it() -> None:
    text = """
.arg %x : !pto.memref<8x8xf32>
.const %there = 64 : i64
%a = tload %x : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
tassign %a, @tile(0x1000)
%b = tload %x : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
tassign %b, %there
"""
    lines = [line.strip() for line in ptoas.lower(ptoas.parse(text), "a5").splitlines()]
    assert lines.index("TASSIGN<0x1000>(a);") < lines.index("TLOAD(a, xGM);")
    assert lines.index("TASSIGN<0x40>(b);") < lines.index("TLOAD(b, xGM);")


CALLS = """
func.func @inner(%x: i32, %p: !pto.ptr<i32>) {
  %c0 = arith.constant 0 : index
  pto.store_scalar %x, %p[%c0] : !pto.ptr<i32>, i32
  return
}
func.func @helper(%x: i32, %p: !pto.ptr<i32>) {
  func.call @inner(%x, %p) : (i32, !pto.ptr<i32>) -> ()
  return
}
func.func @kernel(%x: i32, %p: !pto.ptr<i32>) {
  %debug = arith.constant DEBUG
  scf.if %debug {
    func.call @helper(%x, %p) : (i32, !pto.ptr<i32>) -> ()
  }
  return
}
"""


@pytest.mark.parametrize(("debug", "kept"), [("true", ["inner", "helper", "kernel"]), ("false", ["kernel"])])
def test_function_called_only_in_a_dead_branch_is_removed(debug: str, kept: list[str]) -> None:
    module = ptoas.parse(CALLS.replace("DEBUG", debug))
    ready = prepare(module, "a5", until="fold-constants")
    assert [op.sym_name.data for op in ready.walk() if isinstance(op, FuncOp)] == kept
    text = ptoas.lower(module, "a5", emit="launcher")
    assert re.findall(r"__global__ AICORE void (\w+)", text) == ["kernel"]
    out = np.array([5], np.int32)
    ptoas.run(module, {"x": 7, "p": out}, target="a5")
    assert out.tolist() == [7 if debug == "true" else 5]


def test_functions_that_nothing_has_ever_called_stay() -> None:
    text = (
        CALLS.replace("DEBUG", "false").replace("@kernel", "@first") + "func.func @second() {\n  return\n}\n"
    )
    ready = prepare(ptoas.parse(text), "a5", until="fold-constants")
    assert [op.sym_name.data for op in ready.walk() if isinstance(op, FuncOp)] == ["first", "second"]


@pytest.mark.parametrize(
    "body",
    [
        "%k_1 = arith.constant 4 : index\nscf.for %i_2 = %k_1 to %n step %k_1 {\n"
        "%c = arith.cmpi eq, %i_2, %k_1 : index\nscf.if %c {\npto.barrier #pto.pipe<PIPE_ALL>\n}\n}\nreturn",
        "cf.br ^loop(%n : index)\n^loop(%i_2: index):\n%c = arith.cmpi eq, %i_2, %n : index\n"
        "cf.cond_br %c, ^loop(%n : index), ^end\n^end:\nreturn",
    ],
    ids=["bodies of one block", "blocks that name each other"],
)
def test_a_copy_is_the_same_program_of_other_operations(body: str) -> None:
    module = ptoas.parse(
        f'module attributes {{pto.target_arch = "a5"}} {{\nfunc.func @f(%n: index) {{\n{body}\n}}\n}}'
    )
    copy = clone(module)
    assert type(copy) is type(module) and copy.is_structurally_equivalent(module)
    assert ptoas.print_module(copy) == ptoas.print_module(module)
    originals = list(module.walk())
    assert not set(copy.walk()) & set(originals)
    for op, twin in zip(originals, copy.walk(), strict=True):
        assert twin.location is op.location
        assert twin.attributes is not op.attributes and twin.properties is not op.properties
        assert [value.name_hint for value in defined(twin)] == [value.name_hint for value in defined(op)]
        assert not {value.owner for value in twin.operands} & {value.owner for value in op.operands}


def test_a_value_before_its_definition_is_copied_too() -> None:
    """No text says it, but a pass under way may."""
    module = ptoas.parse(
        "func.func @f() {\n%a = arith.constant 4 : index\n%b = arith.muli %a, %a : index\nreturn\n}"
    )
    (product,) = ops(module, arith.MuliOp)
    first = product.prev_op
    assert first is not None
    product.detach()
    assert first.parent is not None
    first.parent.insert_op_before(product, first)
    copied = ops(clone(module), arith.MuliOp)[0]
    assert [value.owner for value in copied.operands] == [copied.next_op, copied.next_op]
