"""Pointers as numbers, and as pointers to something else."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyAddress, AnyTile, LocalPtr, PtrOrAddress, ScalarPtr
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import PtrType


class PointerCastOp(PtoOp, ABC):
    """A pointer or an address under another type."""

    EXTENDS_LIFETIME: ClassVar = True
    traits = traits_def(Pure())

    def types(self) -> tuple[Attribute, Attribute]:
        return self.operands[0].type, self.results[0].type


@irdl_op_definition
class PtrToIntOp(PointerCastOp):
    """The address that a pointer points to, in bytes."""

    name = "pto.ptrtoint"
    NO_EFFECT: ClassVar = ("ptr",)
    RESULTS: ClassVar = (i64,)
    ASSEMBLY_FORMAT: ClassVar = "$ptr {attrs} : ^ptr -> ^result"
    ptr = operand_def(ScalarPtr())
    result = result_def(AnyAddress())


@irdl_op_definition
class IntToPtrOp(PointerCastOp):
    """The pointer to an address, for single scalars."""

    name = "pto.inttoptr"
    CONTEXT_SENSITIVE: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "$addr {attrs} : ^addr -> ^result"
    addr = operand_def(AnyAddress())
    result = result_def(ScalarPtr())


@irdl_op_definition
class CastPtrOp(PointerCastOp):
    """A pointer to elements of another type in the same memory; or between a pointer and its address."""

    name = "pto.castptr"
    ASSEMBLY_FORMAT: ClassVar = "$input {attrs} : ^input -> ^result"
    input = operand_def(PtrOrAddress())
    result = result_def(PtrOrAddress())

    def verify_(self) -> None:
        source, target = self.types()
        if not isinstance(source, PtrType) and not isinstance(target, PtrType):
            raise VerifyException("must cast from or to a pointer, found two numbers")
        if isinstance(source, PtrType) and isinstance(target, PtrType) and source.space is not target.space:
            raise VerifyException(f"can't change the memory of a pointer, found {source} to {target}")


@irdl_op_definition
class TileBufAddrOp(PtoOp):
    """The pointer to the first element of a tile in the unified buffer, for single scalars."""

    name = "pto.tile_buf_addr"
    NO_EFFECT: ClassVar = ("src",)
    EXTENDS_LIFETIME: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "$src {attrs} : ^src -> ^result"
    src = operand_def(AnyTile("T"))
    result = result_def(LocalPtr("T"))
    traits = traits_def(Pure())
