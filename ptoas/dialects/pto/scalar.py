"""Scalars of global memory, pointers, and asking which block this is."""

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from ptoas.dialects.pto.constraints import Index, Ptr, Scalar
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import PtrType


@irdl_op_definition
class LoadScalarOp(PtoOp):
    """`result = ptr[offset]`."""

    name = "pto.load_scalar"
    LAYOUT: ClassVar = "$ptr[$offset] {attrs} : ^ptr -> ^result"
    ptr = operand_def(Ptr("T"))
    offset = operand_def(Index())
    result = result_def(Scalar("T"))

    @classmethod
    def infer_result_types(
        cls, operands: Mapping[str, Sequence[SSAValue]], properties: Mapping[str, Attribute]
    ) -> Sequence[Attribute] | None:
        ptr = operands["ptr"][0].type
        return [ptr.element_type] if isinstance(ptr, PtrType) else None


@irdl_op_definition
class StoreScalarOp(PtoOp):
    """`ptr[offset] = value`."""

    name = "pto.store_scalar"
    WRITES: ClassVar = ("ptr",)
    LAYOUT: ClassVar = "$value, $ptr[$offset] {attrs} : ^ptr, ^value"
    value = operand_def(Scalar("T"))
    ptr = operand_def(Ptr("T"))
    offset = operand_def(Index())


@irdl_op_definition
class AddPtrOp(PtoOp):
    """`result = ptr + offset`, in elements."""

    name = "pto.addptr"
    LAYOUT: ClassVar = "$ptr, $offset {attrs} : ^ptr -> ^result"
    RESULT_LIKE: ClassVar = "ptr"
    ptr = operand_def(Ptr("T"))
    offset = operand_def(Index())
    result = result_def(Ptr("T"))
    traits = traits_def(Pure())


class QueryOp(PtoOp, ABC):
    """A number that the launch decides; an i64 unless its type says otherwise."""

    LAYOUT: ClassVar = "{attrs} : ^result"
    result = result_def(Scalar())
    traits = traits_def(Pure())

    @classmethod
    def infer_result_types(
        cls, operands: Mapping[str, Sequence[SSAValue]], properties: Mapping[str, Attribute]
    ) -> Sequence[Attribute] | None:
        return [i64]


@irdl_op_definition
class GetBlockIdxOp(QueryOp):
    """The number of this block, from 0."""

    name = "pto.get_block_idx"


@irdl_op_definition
class GetBlockNumOp(QueryOp):
    """How many blocks run this kernel."""

    name = "pto.get_block_num"
