"""Moving data between global memory, tiles and scalars; and asking which block this is."""

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from ptoas.dialects.pto.constraints import Index, Ptr, Scalar, Tile, TileOrView, View
from ptoas.dialects.pto.enums import AtomicTypeAttr
from ptoas.dialects.pto.instruction import Instruction, PtoOp


@irdl_op_definition
class TLoadOp(Instruction):
    """`dst[i, j] = mem[i, j]`: a block of global memory into a tile."""

    name = "pto.tload"
    mem = operand_def(View("T"))


@irdl_op_definition
class TStoreOp(PtoOp):
    """`mem[i, j] = src[i, j]`, or an atomic addition: a tile's valid region into global memory."""

    name = "pto.tstore"
    OUTS: ClassVar = ("mem",)
    src = operand_def(Tile("T"))
    mem = operand_def(View("T"))
    atomic_type = opt_prop_def(AtomicTypeAttr, prop_name="atomicType")


@irdl_op_definition
class LoadScalarOp(PtoOp):
    """`result = ptr[offset]`."""

    name = "pto.load_scalar"
    INDICES: ClassVar = "offset"
    LAYOUT: ClassVar = "$ptr[$offset] {attrs} : ^ptr -> ^result"
    ptr = operand_def(Ptr("T"))
    offset = operand_def(Index())
    result = result_def(Scalar("T"))


@irdl_op_definition
class StoreScalarOp(PtoOp):
    """`ptr[offset] = value`."""

    name = "pto.store_scalar"
    INDICES: ClassVar = "offset"
    LAYOUT: ClassVar = "$value, $ptr[$offset] {attrs} : ^ptr, ^value"
    value = operand_def(Scalar("T"))
    ptr = operand_def(Ptr("T"))
    offset = operand_def(Index())


@irdl_op_definition
class AddPtrOp(PtoOp):
    """`result = ptr + offset`, in elements."""

    name = "pto.addptr"
    LAYOUT: ClassVar = "$ptr, $offset {attrs} : ^ptr -> ^result"
    ptr = operand_def(Ptr("T"))
    offset = operand_def(Index())
    result = result_def(Ptr("T"))
    traits = traits_def(Pure())


@irdl_op_definition
class GetBlockIdxOp(PtoOp):
    """The number of this block, from 0."""

    name = "pto.get_block_idx"
    LAYOUT: ClassVar = "{attrs} : ^result"
    result = result_def(Scalar())
    traits = traits_def(Pure())


@irdl_op_definition
class GetBlockNumOp(PtoOp):
    """How many blocks run this kernel."""

    name = "pto.get_block_num"
    LAYOUT: ClassVar = "{attrs} : ^result"
    result = result_def(Scalar())
    traits = traits_def(Pure())


@irdl_op_definition
class TPrintOp(PtoOp):
    """Print a tile's valid region, or a view, for debugging."""

    name = "pto.tprint"
    src = operand_def(TileOrView())


MEMORY_OPS = (
    TLoadOp,
    TStoreOp,
    LoadScalarOp,
    StoreScalarOp,
    AddPtrOp,
    GetBlockIdxOp,
    GetBlockNumOp,
    TPrintOp,
)
