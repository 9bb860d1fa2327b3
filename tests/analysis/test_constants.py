"""Constants through `arith`, and what follows from them for tiles and views."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.knowledge import Knowledge, packed_strides
from ptoas.dialects.pto.enums import Layout
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.grammar.parse import parse

INDEX = IndexType()


def constant(value: int, type: IntegerType | IndexType = INDEX) -> SSAValue:
    return arith.ConstantOp(IntegerAttr(value, type)).result


def truncated(a: int, b: int) -> int | None:
    """Division as C does it."""
    return None if b == 0 else int(abs(a) // abs(b)) * (1 if (a >= 0) == (b > 0) or abs(a) < abs(b) else -1)


SIMPLE = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.DivSIOp: truncated,
    arith.FloorDivSIOp: lambda a, b: a // b if b else None,
    arith.CeilDivSIOp: lambda a, b: -((-a) // b) if b else None,
    arith.RemSIOp: lambda a, b: a - b * truncated(a, b) if b else None,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
}


@settings(max_examples=100)
@given(st.sampled_from(list(SIMPLE)), st.integers(-1000, 1000), st.integers(-50, 50))
def test_arithmetic_is_followed(op: type[Operation], a: int, b: int) -> None:
    made = op(constant(a), constant(b))  # type: ignore[call-arg]
    assert Knowledge().constant(made.results[0]) == SIMPLE[op](a, b)


@given(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
@settings(max_examples=50)
def test_integers_wrap_in_their_width(a: int, b: int) -> None:
    i32 = IntegerType(32)
    total = Knowledge().constant(arith.AddiOp(constant(a, i32), constant(b, i32)).result)
    assert total is not None and -(2**31) <= total < 2**31 and (total - a - b) % 2**32 == 0


def test_sum_with_an_argument_is_no_constant() -> None:
    module = parse(
        "func.func @f(%n: index) {\n  %c = arith.constant 4 : index\n"
        "  %s = arith.addi %n, %c : index\n  return\n}"
    )
    add = next(op for op in module.walk() if isinstance(op, arith.AddiOp))
    assert Knowledge().constant(add.result) is None


def test_division_by_zero_is_not_known() -> None:
    assert Knowledge().constant(arith.DivSIOp(constant(1), constant(0)).result) is None


def test_a_long_chain_needs_no_deep_stack() -> None:
    value = constant(0)
    one = constant(1)
    for _ in range(5000):
        value = arith.AddiOp(value, one).result
    assert Knowledge().constant(value) == 5000


def test_casts_and_selections() -> None:
    know = Knowledge()
    cast = arith.IndexCastOp(constant(7), IntegerType(64)).result
    chosen = arith.SelectOp(constant(1, IntegerType(1)), constant(3), constant(4)).result
    assert know.constant(cast) == 7 and know.constant(chosen) == 3


def test_a_bit_is_read_with_its_sign() -> None:
    """A true `i1` extends to -1, and to 1 without a sign."""
    i1, i8 = IntegerType(1), IntegerType(8)
    both = arith.AndIOp(constant(1, i1), constant(1, i1)).result
    know = Knowledge()
    assert know.constant(arith.ExtSIOp(both, i8).results[0]) == -1
    assert know.constant(arith.ExtUIOp(both, i8).results[0]) == 1
    assert know.constant(arith.SelectOp(both, constant(3), constant(4)).result) == 3


def values(text: str) -> dict[str, SSAValue]:
    module = parse(text)
    return {result.name_hint or "": result for op in module.walk() for result in op.results}


HEAD = "func.func @f(%p: !pto.ptr<f32>, %n: index) {\n"
CONSTANTS = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in (0, 1, 8, 16, 32, 64))


def view(text: str) -> dict[str, SSAValue]:
    return values(f"{HEAD}{CONSTANTS}  {text}\n  return\n}}")


def test_extents_of_tiles() -> None:
    tile = "!pto.tile_buf<vec, 16x32xf32, valid=?x?>"
    named = view(
        f"%a = pto.alloc_tile valid_row = %c8 valid_col = %n : {tile}\n"
        f"  %b = pto.alloc_tile valid_row = %c8 valid_col = %c16 : {tile}\n"
        f"  pto.set_validshape %b, %n, %n : {tile}"
    )
    know = Knowledge()
    assert know.tile(named["a"]).valid == (8, -1)
    assert know.tile(named["b"]).valid == (-1, -1), "it may be set anywhere"


def test_strides_and_windows_of_parts() -> None:
    named = view(
        "%v = pto.make_tensor_view %p, shape = [%c64, %c32], strides = [%c32, %c1] : "
        "!pto.tensor_view<?x?xf32>\n"
        "  %u = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c16, %c32] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x32xf32>\n"
        "  %w = pto.partition_view %v, offsets = [%c16, %c0], sizes = [%c16, %c8] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x8xf32>"
    )
    know = Knowledge()
    assert know.view(named["v"]).shape == (64, 32) and know.view(named["v"]).is_packed
    assert know.view(named["w"]).strides == (32, 1) and know.view(named["w"]).is_packed is False
    first, second = know.window(named["u"]), know.window(named["w"])
    assert (first.first, first.last) == (0, 16 * 32 - 1)
    assert (second.first, second.last) == (16 * 32, 31 * 32 + 7)
    assert not first.overlaps(second) and first.overlaps(know.window(named["v"]))


def test_packed_strides() -> None:
    assert packed_strides((2, 3, 4), Layout.ND) == (12, 4, 1)
    assert packed_strides((2, 3, 4), Layout.DN) == (12, 1, 3)
    assert packed_strides((2, -1, 4), Layout.ND) == (-1, 4, 1)


def test_equal_knowledge_has_equal_keys() -> None:
    tile = "!pto.tile_buf<vec, 16x32xf32>"
    named = view(f"%a = pto.alloc_tile : {tile}\n  %b = pto.alloc_tile : {tile}")
    know = Knowledge()
    assert know.key(named["a"]) == know.key(named["b"])
    assert know.key(named["c8"]) != know.key(named["c16"])


def test_operations_are_found_by_slot() -> None:
    from ptoas.targets import get_target
    from ptoas.targets.facts import Facts
    from ptoas.targets.row import Row

    module = parse(
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n"
        "%d = mgather.row %t, %i : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>"
    )
    op = next(op for op in module.walk() if isinstance(op, PtoOp))
    facts = Facts(op, get_target("a5"), Knowledge(), aicore=False, checked=(), row=Row())
    assert facts.tile("dst").type.shape == (16, 32) and facts.view("mem").shape5 == (1, 1, 1, 64, 32)
    assert facts.is_tile("idx") and not facts.is_tile("mem") and facts.is_row
