"""Moving data between global memory and tiles."""

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, AnyView, ElementMismatch, Index, TileOrView
from ptoas.dialects.pto.enums import (
    AtomicType,
    AtomicTypeAttr,
    BLayout,
    Layout,
    LayoutAttr,
    LoadCachePolicyAttr,
    PrintFormatAttr,
    ReluPreModeAttr,
    STPhaseAttr,
    TileLoc,
)
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.result_types import Operands, Properties, boxed
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType


@irdl_op_definition
class TLoadOp(Instruction):
    """`dst[i, j] = mem[i, j]`: a block of global memory into a tile."""

    name = "pto.tload"
    # The assembler reads these clauses and drops them: the library's call has no such arguments.
    REFUSED: ClassVar = dict.fromkeys(
        (
            "pad_mode",
            "pad_value",
            "left_padding_num",
            "right_padding_num",
            "init_out_buffer",
            "init_condition",
        ),
        "the call of the library has no such argument: say pad=zero, max or min in the type of the tile, or "
        "use tfillpad",
    ) | {"offset": "only the driver knows the distance; load without it: the values are the same"}
    mem = operand_def(AnyView("T"))
    layout = opt_prop_def(LayoutAttr)
    cache_policy = opt_prop_def(LoadCachePolicyAttr)

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        mem = operands["mem"][0].type
        if isinstance(mem, ViewType) and DYNAMIC in mem.shape:
            raise VerifyException(
                "the memory has an extent (`?`) that only a run knows; to load fewer elements than a tile "
                "holds, give a tile of `alloc_tile` its `valid_row` or `valid_col`"
            )
        if not isinstance(mem, ViewType) or mem.layout is not Layout.ND or min(mem.shape) < 1:
            return None
        return [TileType.of(mem.element_type, prod(mem.shape[:-1]), mem.shape[-1])]

    @classmethod
    def plausible_result_types(cls, operands: Sequence[Attribute]) -> Sequence[Attribute]:
        """The extents of the view, 16 where one is open, in its layout; boxes go to L1."""
        mem = operands[0]
        assert isinstance(mem, ViewType)
        shape = [extent if extent > 0 else 16 for extent in mem.shape]
        if mem.layout is Layout.NZ and len(shape) == 5:
            _, col_boxes, row_boxes, rows, cols = shape
            return [boxed(mem.element_type, row_boxes * rows, col_boxes * cols, TileLoc.Mat)]
        order = BLayout.ColMajor if mem.layout is Layout.DN else None
        return [TileType.of(mem.element_type, prod(shape[:-1]), shape[-1], blayout=order)]


@irdl_op_definition
class TStoreOp(PtoOp):
    """`mem[i, j] = src[i, j]`, or an atomic addition: a tile's valid region into global memory. Out of the
    accumulator it may convert, by a scale for all, or one for each column."""

    name = "pto.tstore"
    OUTS: ClassVar = ("mem",)
    ASSEMBLY_FORMAT: ClassVar = (
        "ins($src : ^src( fp $fp : ^fp)?(, $pre_quant : ^pre_quant)?) outs($mem : ^mem) {attrs}"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    src = operand_def(AnyTile())
    fp = opt_operand_def(AnyTile())
    pre_quant = opt_operand_def(Index())
    mem = operand_def(AnyView())
    atomic_type = opt_prop_def(AtomicTypeAttr, prop_name="atomicType")
    relu_pre_mode = opt_prop_def(ReluPreModeAttr, prop_name="reluPreMode")
    st_phase = opt_prop_def(STPhaseAttr, prop_name="stPhase")
    layout = opt_prop_def(LayoutAttr)

    def verify_(self) -> None:
        src, mem = self.src.type, self.mem.type
        assert isinstance(src, TileType) and isinstance(mem, ViewType)
        if src.loc.data is TileLoc.Acc:
            if self.fp is not None and self.pre_quant is not None:
                raise VerifyException("takes one scale for all columns, or one for each, not both")
            return
        if src.element_type != mem.element_type:
            raise ElementMismatch(mem.element_type, src.element_type, "operand `mem`: ")
        if self.fp is not None or self.pre_quant is not None:
            raise VerifyException("takes a scale only if the source is an accumulator")

    def inplace_operands(self) -> tuple[str, ...]:
        atomic = self.atomic_type is not None and self.atomic_type.data is not AtomicType.AtomicNone
        return ("mem",) if atomic else ()


@irdl_op_definition
class TPrefetchOp(Instruction):
    """`dst[i, j] = src[i, j]`, begun ahead of its use: a block of global memory into a tile."""

    name = "pto.tprefetch"
    TAKES_EVENTS: ClassVar = False
    src = operand_def(AnyView())

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        return TLoadOp.infer_result_types({"mem": operands["src"]}, properties)


@irdl_op_definition
class TPrintOp(PtoOp):
    """Print a tile's valid region, or a view, for debugging. A tile outside the unified buffer goes through
    `tmp`, which is global memory."""

    name = "pto.tprint"
    TAKES_EVENTS: ClassVar = False
    RETURNS_EVENT: ClassVar = False
    SIDE_EFFECTING: ClassVar = True
    SCRATCH: ClassVar[tuple[str, ...]] = ("tmp",)
    src = operand_def(TileOrView())
    tmp = opt_operand_def(AnyView())
    print_format = opt_prop_def(PrintFormatAttr, prop_name="printFormat")

    def verify_(self) -> None:
        if self.tmp is None:
            return
        src, tmp = self.src.type, self.tmp.type
        if not isinstance(src, TileType) or not isinstance(tmp, ViewType):
            raise VerifyException("takes scratch memory only with a tile")
        if src.element_type != tmp.element_type:
            raise ElementMismatch(tmp.element_type, src.element_type, "operand `tmp`: ")
