"""Every instruction can be built from Python: operands and attributes by position or by name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    UnregisteredOp,
    f16,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.comm import CommTGatherOp, CommTReduceOp
from ptoas.dialects.pto.construct import usage
from ptoas.dialects.pto.elementwise import TAddOp, TCIOp, TNegOp
from ptoas.dialects.pto.enums import (
    Coalesce,
    CoalesceAttr,
    Event,
    EventAttr,
    GatherOOB,
    GatherOOBAttr,
    Layout,
    Pipe,
    PipeAttr,
    PtoEnumAttr,
)
from ptoas.dialects.pto.gather import MGatherOp, TGatherOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TLoadOp, TStoreOp
from ptoas.dialects.pto.movement import TMovOp
from ptoas.dialects.pto.quant import TCvtOp
from ptoas.dialects.pto.reduce import TRowSumOp
from ptoas.dialects.pto.scalar import AddPtrOp, GetBlockIdxOp, LoadScalarOp
from ptoas.dialects.pto.sync import BarrierOp, SetFlagOp
from ptoas.dialects.pto.tile_scalar import TAddSOp
from ptoas.dialects.pto.types import DYNAMIC, MemRefType, PtrType, TileType
from ptoas.dialects.pto.views import AllocTileOp, SubviewOp
from tests.grammar.strategies import Drawn, modules_with

TILE = TileType.of(f32, 16, 32)
VIEW = MemRefType.of([64, 32], f32)


def value(type: Attribute) -> SSAValue:
    return UnregisteredOp.with_name("made").create(result_types=[type]).results[0]


def plain(attribute: Attribute) -> Any:
    """The Python value that an author would write for an attribute."""
    match attribute:
        case PtoEnumAttr(data=member):
            return member.value
        case UnitAttr():
            return True
        case StringAttr(data=text):
            return text
        case DenseArrayBase():
            return [int(number) for number in attribute.get_values()]
        case IntegerAttr(type=type) if type in (i64, BoolAttr.from_bool(True).type):
            return bool(attribute.value.data) if type != i64 else attribute.value.data
        case _:
            return attribute


@pytest.mark.parametrize("cls", OPS, ids=lambda cls: cls.name)
def test_constructor_follows_the_declaration(cls: type[PtoOp]) -> None:
    """By name and by position, against operations with segments counted by hand."""

    @settings(
        max_examples=5,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(modules_with(cls))
    def property(drawn: Drawn) -> None:
        op = next(op for op in drawn.module.walk() if isinstance(op, cls))
        operands = {s.name: list(v) if s.variadic else v[0] if v else None for s, v in op.segments()}
        accessors = {prop: name for name, (prop, _) in cls.get_irdl_definition().accessor_names.items()}
        fields = {
            accessors.get(name, name): plain(a)
            for name, a in op.properties.items()
            if not name.endswith("SegmentSizes")
        }
        types = [result.type for result in op.results]
        same = {value: value for value in op.operands}
        built = cls(**operands, **fields, result_types=types, attributes=op.attributes)
        assert built.is_structurally_equivalent(op, same), f"{built} is not {op}"

        # By position: types, then slots but for scratch, then the attributes that must be there.
        slots = [operands.pop(slot.name) for slot in cls.signature().slots if slot.name not in cls.SCRATCH]
        must = [accessors.get(name, name) for name, f in cls.signature().fields.items() if not f.optional]
        needed = [fields.pop(name) for name in must]
        built = cls(*types, *slots, *needed, **operands, **fields, attributes=op.attributes)
        assert built.is_structurally_equivalent(op, same), f"{built} is not {op}"

    property()


# --- as a person writes it -------------------------------------------------------------------------


def test_a_load_takes_a_destination_or_a_result() -> None:
    view, tile = value(VIEW), value(TILE)
    assert TLoadOp(view, tile).dst is tile
    assert TLoadOp(view, result_type=TILE).results[0].type == TILE
    assert TLoadOp(mem=view, dst=tile).is_dps and not TLoadOp(view, TILE).is_dps


def test_a_tile_takes_its_extents_by_name() -> None:
    rows = value(IndexType())
    open_tile = TileType.of(f32, 16, 32, valid=(DYNAMIC, 32))
    op = AllocTileOp(open_tile, valid_row=rows)
    assert (op.addr, op.valid_row, op.valid_col) == (None, rows, None)
    assert op.result.type == open_tile


@pytest.mark.parametrize(
    ("coalesce", "oob"),
    [
        ("row", "clamp"),
        (Coalesce.Row, GatherOOB.Clamp),
        (CoalesceAttr(Coalesce.Row), GatherOOBAttr(GatherOOB.Clamp)),
        (0, 1),
    ],
)
def test_attributes_are_words_members_numbers_or_attributes(coalesce: Any, oob: Any) -> None:
    table, idx, dst = value(VIEW), value(TileType.of(i32, 1, 16)), value(TILE)
    for name in ("gather_oob", "gatherOob"):
        op = MGatherOp(table, idx, dst, coalesce=coalesce, **{name: oob})
        assert op.coalesce == CoalesceAttr(Coalesce.Row)
        assert op.gather_oob == GatherOOBAttr(GatherOOB.Clamp)


def test_flags_by_position() -> None:
    op = SetFlagOp("MTE2", Pipe.PIPE_V, 3)
    assert op.src_pipe == PipeAttr(Pipe.PIPE_MTE2) and op.dst_pipe == PipeAttr(Pipe.PIPE_V)
    assert op.event_id == EventAttr(Event.EVENT_ID3)


def test_a_flag_that_is_false_is_left_out() -> None:
    dst, member = value(VIEW), value(VIEW)
    assert CommTGatherOp(dst, [member], pingpong=True).pingpong == UnitAttr()
    assert CommTGatherOp(dst, [member], pingpong=False).pingpong is None
    assert TCIOp(value(i32), TileType.of(i32, 1, 8), descending=False).descending == BoolAttr.from_bool(False)


def test_scratch_is_never_taken_for_the_destination() -> None:
    src, dst, tmp = value(TILE), value(TileType.of(f32, 16, 1)), value(TILE)
    without, with_scratch = TRowSumOp(src, dst), TRowSumOp(src, dst, tmp=tmp)
    assert (without.tmp, without.dst) == (None, dst)
    assert (with_scratch.tmp, with_scratch.dst) == (tmp, dst)


def test_constructor_skips_optional_slots_that_do_not_accept_a_value() -> None:
    src, idx, dst = value(TILE), value(TileType.of(i32, 16, 32)), value(TILE)
    gather = TGatherOp(src, idx, dst)
    assert (gather.indices, gather.threshold, gather.dst, gather.cdst) == (idx, None, dst, None)
    own, ranks = value(VIEW), [value(VIEW), value(VIEW)]
    reduce = CommTReduceOp(own, ranks, op="sum")
    assert reduce.acc is None and list(reduce.group) == ranks


def test_xdsl_constructor_still_works() -> None:
    a, b = value(TILE), value(TILE)
    assert TAddOp(operands=[a, b, None], result_types=[TILE]).results[0].type == TILE
    assert TAddOp.build(operands=[a, b, a], result_types=[None]).dst is a
    assert TAddOp.create(operands=[a, b, a]).clone().dst is a
    pipe: dict[str, Attribute] = {"pipe": PipeAttr(Pipe.PIPE_V)}
    assert BarrierOp(properties=pipe).pipe == PipeAttr(Pipe.PIPE_V)


# --- types of results ------------------------------------------------------------------------------


INDEX_ROW = TileType.of(i32, 1, 16)
INDEX_COLUMN = TileType.of(i32, 16, 1)
INDEX_2D = TileType.of(i32, 4, 8, valid=(3, 8))


@pytest.mark.parametrize(
    ("built", "type"),
    [
        (lambda: TNegOp(value(TILE)), TILE),
        (lambda: TAddOp(value(TILE), value(TILE)), TILE),
        (lambda: TAddSOp(value(TILE), value(f32)), TILE),
        (lambda: TMovOp(value(TILE)), TILE),
        (lambda: TLoadOp(value(VIEW)), TileType.of(f32, 64, 32)),
        (lambda: TLoadOp(value(MemRefType.of([2, 3, 8], f16))), TileType.of(f16, 6, 8)),
        (lambda: TLoadOp(value(MemRefType.of([8], f16))), TileType.of(f16, 1, 8)),
        (lambda: MGatherOp(value(VIEW), value(INDEX_ROW), coalesce="row"), TileType.of(f32, 16, 32)),
        (lambda: MGatherOp(value(VIEW), value(INDEX_COLUMN), coalesce="row"), TileType.of(f32, 16, 32)),
        (
            lambda: MGatherOp(value(VIEW), value(INDEX_2D), coalesce="elem"),
            TileType.of(f32, 4, 8, valid=(3, 8)),
        ),
        (lambda: TGatherOp(value(TILE), value(INDEX_2D)), TileType.of(f32, 4, 8, valid=(3, 8))),
        (lambda: LoadScalarOp(value(PtrType(f16)), value(IndexType())), f16),
        (lambda: AddPtrOp(value(PtrType(f16)), value(IndexType())), PtrType(f16)),
        (lambda: GetBlockIdxOp(), i64),
        (
            lambda: SubviewOp(value(TILE), [value(IndexType())] * 2, sizes=[4, 16]),
            TileType.of(f32, 4, 16),
        ),
    ],
)
def test_the_result_follows_from_the_operands(built: Any, type: Attribute) -> None:
    (result,) = built().results
    assert result.type == type


@pytest.mark.parametrize(
    "built",
    [
        lambda: TLoadOp(value(MemRefType.of([DYNAMIC, 32], f32))),
        lambda: TLoadOp(value(MemRefType.of([64, 32], f32, Layout.NZ))),
        lambda: MGatherOp(value(VIEW), value(INDEX_ROW)),  # the mode is the target's
        lambda: MGatherOp(value(VIEW), value(TileType.of(i32, 1, 16, valid=(1, DYNAMIC))), coalesce="row"),
        lambda: MGatherOp(value(MemRefType.of([64, DYNAMIC], f32)), value(INDEX_ROW), coalesce="row"),
        lambda: TGatherOp(value(TileType.of(f32, 16, 12)), mask_pattern="P0101"),
        lambda: TCvtOp(value(TILE)),
    ],
)
def test_constructor_requires_result_type_if_not_inferable(built: Any) -> None:
    with pytest.raises(TypeError, match="needs `dst`, or the result's type as `result_type=`"):
        built()


# --- mistakes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("built", "message"),
    [
        (
            lambda: MGatherOp(value(VIEW), indx=value(INDEX_ROW)),
            "pto.mgather has no operand or attribute `indx`; did you mean `idx`?",
        ),
        (
            lambda: TStoreOp(value(TILE)),
            "pto.tstore needs `mem`: a view of global memory (memref, tensor_view or partition_tensor_view); "
            "tstore(src, mem, *, ",
        ),
        (
            lambda: TLoadOp(value(TILE)),
            "pto.tload takes a view of global memory (memref, tensor_view or partition_tensor_view) as "
            "`mem`, found a value of type !pto.tile_buf<vec, 16x32xf32>",
        ),
        (lambda: TAddOp(value(TILE), 3), "pto.tadd takes a tile as `src1`, found 3"),
        (lambda: TNegOp(value(TILE), value(f32)), "pto.tneg has no operand for a value of type f32"),
        (lambda: TNegOp([value(TILE)]), "pto.tneg takes one value as `src`, found [<"),
        (
            lambda: MGatherOp(value(VIEW), value(INDEX_ROW), coalesce="rwo"),
            "pto.mgather can't have 'rwo' as `coalesce`; it is one of row, elem; did you mean `row`?",
        ),
        (
            lambda: SetFlagOp("MTE2", "V", 8),
            "pto.set_flag can't have 8 as `event_id`; it is one of EVENT_ID0",
        ),
        (lambda: SetFlagOp("MTE2", "V"), "pto.set_flag needs the attribute `event_id`"),
        (lambda: SubviewOp(value(TILE), sizes=3), "pto.subview can't have 3 as `sizes`"),
        (lambda: AllocTileOp(), "pto.alloc_tile needs the result's type as `result_type=`"),
        (lambda: TNegOp(value(TILE), TILE, TILE), "pto.tneg has 1 result(s), found 2 result type(s)"),
    ],
)
def test_a_mistake_is_named(built: Any, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        built()
    assert message in str(raised.value)


def test_usage_separates_positional_and_keyword_arguments() -> None:
    gather = "mgather(mem, idx, dst=None, *, coalesce=None, gather_oob=None, result_type=None)"
    assert usage(MGatherOp) == gather
    assert usage(SetFlagOp) == "set_flag(src_pipe, dst_pipe, event_id)"
    assert usage(TRowSumOp) == "trowsum(src, dst=None, *, tmp=None, result_type=None)"


def test_a_slot_is_found_where_it_is_now() -> None:
    """The segment sizes are cached; changing them updates the operands of every slot."""
    first, second, other = (value(IndexType()) for _ in range(3))
    tile = AllocTileOp(
        TileType.of(f32, 16, 32, valid=(DYNAMIC, DYNAMIC)), addr=first, valid_row=second, valid_col=other
    )
    assert (tile.addr, tile.valid_row, tile.valid_col) == (first, second, other)
    tile.fill("addr", [])
    assert (tile.addr, tile.valid_row, tile.valid_col) == (None, second, other)
    tile.fill("valid_row", [])
    tile.fill("addr", [first])
    assert (tile.addr, tile.valid_row, tile.valid_col) == (first, None, other)
    with pytest.raises(NotImplementedError):
        tile.addr = other  # pyright: ignore[reportAttributeAccessIssue]
