"""Random modules from the dialect's declarations: every operation, with types and attributes that fit."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    f16,
    f32,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.scf import ForOp, IfOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import BaseAttr

from ptoas.compiler.forms import print_module
from ptoas.dialects.pto import OPS
from ptoas.dialects.pto import constraints as c
from ptoas.dialects.pto.core_enums import PushLayout, PushLayoutAttr, PushQuant, PushQuantAttr
from ptoas.dialects.pto.core_types import AccPushEpilogueAttr, EventIdArrayType, PipeType
from ptoas.dialects.pto.element_types import ELEMENT_TYPES
from ptoas.dialects.pto.enums import (
    AddressSpace,
    BLayout,
    CompactMode,
    KernelKind,
    KernelKindAttr,
    Layout,
    PadValue,
    ReluPreMode,
    ReluPreModeAttr,
    SLayout,
    TileLoc,
)
from ptoas.dialects.pto.instruction import Field, Instruction, PtoOp
from ptoas.dialects.pto.local_types import LocalArrayType, MultiTileType, StructType
from ptoas.dialects.pto.multi_tile import MultiTileGetOp
from ptoas.dialects.pto.types import (
    SCALE_MEMORIES,
    AsyncEventType,
    AsyncSessionType,
    EventType,
    GroupType,
    MemRefType,
    PartitionTensorViewType,
    PrefetchAsyncContextType,
    PtrType,
    TensorViewType,
    TileType,
)

ELEMENTS = [e.type for e in ELEMENT_TYPES]
WRITTEN = [loc for loc in TileLoc if loc not in SCALE_MEMORIES.values()]
"""Memories that a type names; those of scales follow from the boxes."""
SCALARS: list[Attribute] = [i8, i16, i32, i64, f16, f32]
NAMES = ["x", "y", "idx", "idx_12", "x_1", "x_2", "a.b", "a-b", "a$b", "_", "T9", None, None]


@st.composite
def tiles(draw: st.DrawFn, element: Attribute) -> TileType:
    rows, cols = draw(st.integers(1, 64)), draw(st.integers(1, 64))
    valid = draw(st.sampled_from([(rows, cols), (rows, -1), (-1, cols), (-1, -1), (0, 1), (1, cols)]))
    plain = draw(st.booleans())
    return TileType.of(
        element,
        rows,
        cols,
        loc=draw(st.sampled_from(WRITTEN)),
        valid=None if plain else valid,
        blayout=None if plain else draw(st.sampled_from(BLayout)),
        slayout=SLayout.NoneBox if plain else draw(st.sampled_from(SLayout)),
        fractal=draw(st.sampled_from([512, 1024, 32])),
        pad=draw(st.sampled_from(PadValue)),
        compact=draw(st.sampled_from(CompactMode)),
    )


@st.composite
def views(draw: st.DrawFn, element: Attribute, rank: int) -> Attribute:
    shape = draw(st.lists(st.sampled_from([-1, 1, 16, 64]), min_size=rank, max_size=rank))
    strides = draw(st.none() | st.lists(st.sampled_from([-1, 1, 40]), min_size=rank, max_size=rank))
    cls = draw(st.sampled_from([MemRefType, TensorViewType, PartitionTensorViewType]))
    return cls.of(shape, element, draw(st.sampled_from(Layout)), strides)


BY_PLACE = ("address", "buf_id", "event_id", "mode")
"""Numbers that are written by their place, without a type."""


class Maker:
    """Makes operations; the values they need become arguments of the function."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw
        self.block = Block()
        self.values: list[SSAValue] = []
        self.taken: set[str | None] = set()

    def value(self, type: Attribute) -> SSAValue:
        fitting = [v for v in self.values if v.type == type]
        if fitting and self.draw(st.booleans()):
            return self.draw(st.sampled_from(fitting))
        value = self.block.insert_arg(type, len(self.block.args))
        self.name(value)
        self.values.append(value)
        return value

    def name(self, value: SSAValue) -> None:
        """A name that no other value has, or none."""
        name = self.draw(st.sampled_from(NAMES))
        if name not in self.taken:
            value._name = name  # pyright: ignore[reportPrivateUsage]
            self.taken.add(name)

    def type_for(self, constraint: Any, element: Attribute, rank: int) -> Attribute:
        own = element if constraint.element else self.draw(st.sampled_from(SCALARS))
        match constraint:
            case c.IndexTile() | c.IntegerTile():
                return self.draw(tiles(self.draw(st.sampled_from([i16, i32]))))
            case c.AnyTile():
                return self.draw(tiles(own))
            case c.AnyView():
                return self.draw(views(own, rank))
            case c.TileOrView():
                return self.draw(tiles(own) | views(own, rank))
            case c.ViewOrGroup():
                view = views(own, rank)
                return self.draw(view | view.map(lambda v: GroupType(IntAttr(4), v)))
            case c.BytePtr():
                return PtrType(i8)
            case c.LocalPtr():
                return PtrType(own, AddressSpace.Vec)
            case c.Ptr():
                return PtrType(own)
            case c.AnyAsyncSession():
                return AsyncSessionType()
            case c.AnyAsyncEvent():
                return AsyncEventType()
            case c.PrefetchContext():
                return PrefetchAsyncContextType()
            case c.SignalWord():
                return i32
            case c.AnyCounts():
                return c.COUNTS
            case c.AnyAddress():
                return i64
            case c.PtrOrAddress():
                return self.draw(st.sampled_from([i64, PtrType(i8), PtrType(own)]))
            case c.AnyLocalArray():
                return LocalArrayType.of([4] * rank, own if own in SCALARS else i32)
            case c.Struct():
                return StructType.of([own, StructType.of([own, i8])] if own in SCALARS else [i32])
            case c.MultiTile():
                return MultiTileType.of(self.draw(tiles(own)), self.draw(st.integers(2, 4)))
            case c.TileOrMultiTile():
                return TileType.of(i8, 1, 32)
            case c.PtrOrView():
                return self.draw(views(own, rank) | st.just(PtrType(own)))
            case c.AnyEvent():
                return EventType()
            case c.EventIds():
                return EventIdArrayType(IntAttr(self.draw(st.integers(1, 8))))
            case c.Handle():
                return PipeType()
            case c.AnyCounts():
                return c.COUNTS
            case c.Scalar():
                return own
            case c.Extent():
                return IndexType()
            case c.SignalWord():
                return i32
            case c.Index():
                return self.draw(st.sampled_from([IndexType(), i32, i64]))
            case _:
                raise AssertionError(constraint)

    def field(self, field: Field) -> Attribute:
        if field.enum is not None:
            return field.enum(self.draw(st.sampled_from(list(field.enum.enum))))
        bases = field.constraint.get_bases() or set()
        if field.name == "path":
            return DenseArrayBase.from_list(i64, self.draw(st.sampled_from([[0], [1, 0], [1, 1]])))
        if DenseArrayBase in bases:
            sizes = self.draw(st.lists(st.integers(1, 64), min_size=2, max_size=2))
            return DenseArrayBase.from_list(i64, sizes)
        if SymbolRefAttr in bases:
            return SymbolRefAttr("other")
        if AccPushEpilogueAttr in bases:
            parts = (PushLayout, PushQuant, ReluPreMode)
            words = [self.draw(st.sampled_from(list(part))) for part in parts]
            kinds = (PushLayoutAttr, PushQuantAttr, ReluPreModeAttr)
            return AccPushEpilogueAttr(*(kind(word) for kind, word in zip(kinds, words, strict=True)))
        if StringAttr in bases:
            return StringAttr(self.draw(st.sampled_from(["row", "col"])))
        if UnitAttr in bases:
            return UnitAttr()
        if isinstance(field.constraint, BaseAttr) and field.constraint.attr is IntegerAttr:
            return IntegerAttr(self.draw(st.integers(0, 1 << 20)), i64 if field.name in BY_PLACE else i32)
        return BoolAttr.from_bool(self.draw(st.booleans()))

    def operation(self, cls: type[PtoOp]) -> Operation | None:
        """An operation of the class, or None if nothing that was drawn goes together."""
        return next((op for _ in range(12) if (op := self._operation(cls)) is not None), None)

    def _operation(self, cls: type[PtoOp]) -> Operation | None:
        signature = cls.signature()
        takes_scalar = any(
            isinstance(s.constraint, c.Scalar) and s.constraint.element for s in signature.slots
        )
        element = self.draw(st.sampled_from(SCALARS if takes_scalar else ELEMENTS))
        count = self.draw(st.integers(1, 2))
        dps = issubclass(cls, Instruction) and self.draw(st.booleans())
        two = self.draw(st.booleans())  # both destinations of an instruction that can have two
        operands: list[SSAValue] = []
        sizes: list[int] = []
        for slot in signature.slots:
            size = count if slot.variadic else int(not slot.optional or self.draw(st.booleans()))
            if issubclass(cls, Instruction) and slot.name in cls.OUTS:
                size = int(dps and (slot.name == cls.OUTS[0] or two))
            sizes.append(size)
            operands += [self.value(self.type_for(slot.constraint, element, count)) for _ in range(size)]
        wanted = [
            (name, constraint)
            for name, constraint, optional in signature.results
            if not optional or self._gives(cls, dps, name, two)
        ]
        results = [self.type_for(r, element, count) for _, r in wanted]
        if cls is MultiTileGetOp:
            results = [operands[0].type]
        properties: dict[str, Attribute] = {}
        for name, field in signature.fields.items():
            if not field.optional or self.draw(st.booleans()):
                properties[name] = self.field(field)
        if signature.segmented:
            properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)
        if sum(optional for _, _, optional in signature.results) > 1:
            counts = [int(any(name == n for n, _ in wanted)) for name, _, _ in signature.results]
            properties["resultSegmentSizes"] = DenseArrayBase.from_list(i32, counts)
        attributes: dict[str, Attribute] = {}
        if self.draw(st.booleans()):
            attributes["pto.note"] = StringAttr('a "quoted" % name')
        regions = [Region(Block()) for _ in cls.get_irdl_definition().regions]
        op = cls.create(
            operands=operands,
            result_types=results,
            properties=properties,
            attributes=attributes,
            regions=regions,
        )
        if list(op.problems()):
            op.drop_all_references()
            return None
        for result in op.results:
            self.name(result)
            self.values.append(result)
        return op

    @staticmethod
    def _gives(cls: type[PtoOp], dps: bool, name: str, two: bool) -> bool:
        if not issubclass(cls, Instruction):
            return two
        return not dps and (name == "result" or two)

    def scalar(self) -> Operation:
        if self.draw(st.booleans()):
            value = self.draw(
                st.integers(-100, 100).map(lambda n: IntegerAttr(n, IndexType()))
                | st.floats(width=16).map(lambda x: FloatAttr(x, f32))
                | st.integers(0, 255).map(lambda n: IntegerAttr(n, i8))
            )
            op: Operation = ConstantOp(value)
        else:
            op = AddiOp(self.value(i32), self.value(i32))
        self.name(op.results[0])
        return op

    def body(self, depth: int) -> list[Operation]:
        ops: list[Operation] = []
        before = len(self.values)
        for _ in range(self.draw(st.integers(0, 4))):
            kind = self.draw(st.sampled_from(["pto"] * 6 + ["scalar", "for", "if"]))
            if kind == "pto":
                op = self.operation(self.draw(st.sampled_from(OPS)))
                ops += [op] if op is not None else []
            elif kind == "scalar":
                ops.append(self.scalar())
            elif depth:
                ops.append(self.nested(kind, depth))
        # What a body defines is not seen after it; arguments are.
        self.values = self.values[:before] + [v for v in self.values[before:] if v.owner is self.block]
        return ops

    def nested(self, kind: str, depth: int) -> Operation:
        index = IndexType()
        if kind == "for":
            bounds = [self.value(index) for _ in range(3)]
            block = Block([*self.body(depth - 1), YieldOp()], arg_types=[index])
            self.name(block.args[0])
            return ForOp(*bounds, [], Region(block))
        from xdsl.dialects.builtin import i1

        regions = [Region(Block([*self.body(depth - 1), YieldOp()])) for _ in range(2)]
        return IfOp(self.value(i1), [], *regions)


class Drawn:
    """A module whose `repr` is its text."""

    def __init__(self, module: ModuleOp):
        self.module = module

    def __repr__(self) -> str:
        return "\n" + print_module(self.module, "generic")


@st.composite
def modules(draw: st.DrawFn) -> Drawn:
    """A module of one or two functions."""
    functions: list[Operation] = []
    for name in draw(st.sampled_from([["f"], ["f", "g2"]])):
        maker = Maker(draw)
        functions.append(_function(name, maker, maker.body(2)))
        if draw(st.booleans()):
            functions[-1].attributes["pto.kernel_kind"] = KernelKindAttr(draw(st.sampled_from(KernelKind)))
    attributes: dict[str, Attribute] = {"pto.target_arch": StringAttr("a5")} if draw(st.booleans()) else {}
    return Drawn(ModuleOp(functions, attributes))


@st.composite
def modules_with(draw: st.DrawFn, cls: type[PtoOp]) -> Drawn:
    """A module around one operation of a class."""
    maker = Maker(draw)
    op = maker.operation(cls)
    assume(op is not None)
    assert op is not None
    return Drawn(ModuleOp([_function("f", maker, [op])]))


def _function(name: str, maker: Maker, ops: list[Operation]) -> FuncOp:
    maker.block.add_ops([*ops, ReturnOp()])
    return FuncOp(name, ([arg.type for arg in maker.block.args], []), Region(maker.block))
