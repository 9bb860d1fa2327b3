"""Scalars of global memory and of tiles, pointers, and asking which block this is."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from ptoas.dialects.pto.constraints import AnyTile, Index, Scalar, ScalarPtr
from ptoas.dialects.pto.instruction import PtoOp


class ElementOp(PtoOp, ABC):
    """One element of memory, read or written as a scalar; `offset` counts elements in the order of bytes."""

    TAKES_EVENTS: ClassVar = False
    RETURNS_EVENT: ClassVar = False
    HOLDER: ClassVar[str]
    """The slot of the pointer or tile that the element is an element of."""

    @property
    def holder(self) -> SSAValue:
        return self.operands_of(self.HOLDER)[0]


@irdl_op_definition
class LoadScalarOp(ElementOp):
    """`result = ptr[offset]`."""

    name = "pto.load_scalar"
    ALIASES: ClassVar = ("load",)
    HOLDER: ClassVar = "ptr"
    RESULT_ELEMENT: ClassVar = "ptr"
    ASSEMBLY_FORMAT: ClassVar = "$ptr[$offset] {attrs} : ^ptr -> ^result"
    ptr = operand_def(ScalarPtr("T"))
    offset = operand_def(Index())
    result = result_def(Scalar("T"))


@irdl_op_definition
class StoreScalarOp(ElementOp):
    """`ptr[offset] = value`."""

    name = "pto.store_scalar"
    ALIASES: ClassVar = ("store",)
    HOLDER: ClassVar = "ptr"
    WRITES: ClassVar = ("ptr",)
    ASSEMBLY_FORMAT: ClassVar = "$value, $ptr[$offset] {attrs} : ^ptr, ^value"
    value = operand_def(Scalar("T"))
    ptr = operand_def(ScalarPtr("T"))
    offset = operand_def(Index())


@irdl_op_definition
class TGetValOp(ElementOp):
    """`result = src.flat[offset]`, in the order of the tile's bytes."""

    name = "pto.tgetval"
    HOLDER: ClassVar = "src"
    RESULT_ELEMENT: ClassVar = "src"
    ASSEMBLY_FORMAT: ClassVar = "ins($src, $offset : ^src, ^offset) {attrs} outs : ^result"
    src = operand_def(AnyTile("T"))
    offset = operand_def(Index())
    result = result_def(Scalar("T"))


@irdl_op_definition
class TSetValOp(ElementOp):
    """`dst.flat[offset] = value`, in the order of the tile's bytes; all else of it stays."""

    name = "pto.tsetval"
    HOLDER: ClassVar = "dst"
    OUTS: ClassVar = ("dst",)
    offset = operand_def(Index())
    value = operand_def(Scalar("T"))
    dst = operand_def(AnyTile("T"))


@irdl_op_definition
class AddPtrOp(PtoOp):
    """`result = ptr + offset`, in elements."""

    name = "pto.addptr"
    EXTENDS_LIFETIME: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "$ptr, $offset {attrs} : ^ptr -> ^result"
    RESULT_LIKE: ClassVar = "ptr"
    ptr = operand_def(ScalarPtr("T"))
    offset = operand_def(Index())
    result = result_def(ScalarPtr("T"))
    traits = traits_def(Pure())


class QueryOp(PtoOp, ABC):
    """A number that the launch provides; an i64 unless its type differs."""

    ASSEMBLY_FORMAT: ClassVar = "{attrs} : ^result"
    RESULTS: ClassVar = (i64,)
    result = result_def(Scalar())
    traits = traits_def(Pure())


@irdl_op_definition
class GetBlockIdxOp(QueryOp):
    """The number of this block, from 0."""

    name = "pto.get_block_idx"


@irdl_op_definition
class GetBlockNumOp(QueryOp):
    """The number of blocks that run this kernel."""

    name = "pto.get_block_num"


@irdl_op_definition
class GetSubblockIdxOp(QueryOp):
    """The number of this vector core in its block, from 0; 0 on the cube core."""

    name = "pto.get_subblock_idx"


@irdl_op_definition
class GetSubblockNumOp(QueryOp):
    """The number of vector cores of this block; 1 on the cube core."""

    name = "pto.get_subblock_num"
