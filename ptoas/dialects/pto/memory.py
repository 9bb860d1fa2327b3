"""Moving data between global memory and tiles."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def

from ptoas.dialects.pto.constraints import Tile, TileOrView, View
from ptoas.dialects.pto.enums import AtomicType, AtomicTypeAttr, Layout
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.types import TileType, ViewType


@irdl_op_definition
class TLoadOp(Instruction):
    """`dst[i, j] = mem[i, j]`: a block of global memory into a tile."""

    name = "pto.tload"
    mem = operand_def(View("T"))

    @classmethod
    def infer_result_types(
        cls, operands: Mapping[str, Sequence[SSAValue]], properties: Mapping[str, Attribute]
    ) -> Sequence[Attribute] | None:
        mem = operands["mem"][0].type
        if not isinstance(mem, ViewType) or mem.layout is not Layout.ND or min(mem.shape) < 1:
            return None
        return [TileType.of(mem.element_type, prod(mem.shape[:-1]), mem.shape[-1])]


@irdl_op_definition
class TStoreOp(PtoOp):
    """`mem[i, j] = src[i, j]`, or an atomic addition: a tile's valid region into global memory."""

    name = "pto.tstore"
    OUTS: ClassVar = ("mem",)
    src = operand_def(Tile("T"))
    mem = operand_def(View("T"))
    atomic_type = opt_prop_def(AtomicTypeAttr, prop_name="atomicType")

    def updated(self) -> tuple[str, ...]:
        atomic = self.atomic_type is not None and self.atomic_type.data is not AtomicType.AtomicNone
        return ("mem",) if atomic else ()


@irdl_op_definition
class TPrintOp(PtoOp):
    """Print a tile's valid region, or a view, for debugging."""

    name = "pto.tprint"
    OPAQUE: ClassVar = True
    src = operand_def(TileOrView())
