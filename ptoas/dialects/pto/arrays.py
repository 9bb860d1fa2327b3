"""Arrays and structs of scalars, on the stack of a core."""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ptoas.dialects.pto.constraints import AnyLocalArray, Index, Scalar, Struct
from ptoas.dialects.pto.element_types import element_text
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.local_types import LocalArrayType, StructType
from ptoas.dialects.pto.result_types import Operands, Properties
from ptoas.dialects.pto.slots import int_values


@irdl_op_definition
class DeclareLocalArrayOp(PtoOp):
    """An array of scalars; nothing is in it until it is set."""

    name = "pto.declare_local_array"
    ASSEMBLY_FORMAT: ClassVar = "{attrs} -> ^result"
    result = result_def(AnyLocalArray())
    traits = traits_def(MemoryAllocEffect())


class LocalArrayOp(PtoOp, ABC):
    """One element of a local array, by an index for each dimension."""

    @property
    def array_type(self) -> LocalArrayType:
        type = self.operands_of("array")[0].type
        assert isinstance(type, LocalArrayType)
        return type

    def verify_(self) -> None:
        rank, count = len(self.array_type.shape), len(self.operands_of("indices"))
        if count != rank:
            raise VerifyException(f"an array of {rank} dimensions takes {rank} indices, found {count}")


@irdl_op_definition
class LocalArrayGetOp(LocalArrayOp):
    """`result = array[indices]`; later writes do not change it."""

    name = "pto.local_array_get"
    ASSEMBLY_FORMAT: ClassVar = "$array[$indices] {attrs} : ^array -> ^result"
    RESULT_ELEMENT: ClassVar = "array"
    array = operand_def(AnyLocalArray("T"))
    indices = var_operand_def(Index())
    result = result_def(Scalar("T"))
    traits = traits_def(MemoryReadEffect())


@irdl_op_definition
class LocalArraySetOp(LocalArrayOp):
    """`array[indices] = value`."""

    name = "pto.local_array_set"
    ASSEMBLY_FORMAT: ClassVar = "$array[$indices], $value {attrs} : ^array, ^value"
    array = operand_def(AnyLocalArray("T"))
    indices = var_operand_def(Index())
    value = operand_def(Scalar("T"))
    traits = traits_def(MemoryWriteEffect())


@irdl_op_definition
class DeclareStructOp(PtoOp):
    """Fields of several types; nothing is in them until they are set. It stays in the function."""

    name = "pto.declare_struct"
    ASSEMBLY_FORMAT: ClassVar = "{attrs} -> ^result"
    result = result_def(Struct())
    traits = traits_def(MemoryAllocEffect())


class StructFieldOp(PtoOp, ABC):
    """One scalar of a struct, at the end of a path of field numbers."""

    path = prop_def(DenseArrayBase)

    @property
    def steps(self) -> tuple[int, ...]:
        return int_values(self.path)

    def check_leaf(self, found: Attribute) -> None:
        struct = self.operands_of("struct")[0].type
        assert isinstance(struct, StructType)
        leaf = struct.at(self.steps)
        path = f"[{', '.join(map(str, self.steps))}]"
        if leaf is None or not self.steps:
            raise VerifyException(f"path: found {path}, which {struct} does not have")
        if isinstance(leaf, StructType):
            raise VerifyException(f"path: found {path}, which is a struct; expected a path to a scalar")
        if leaf != found:
            raise VerifyException(f"the field at {path} is {element_text(leaf)}, found {element_text(found)}")


@irdl_op_definition
class StructGetOp(StructFieldOp):
    """`result = struct.path`; later writes do not change it."""

    name = "pto.struct_get"
    ASSEMBLY_FORMAT: ClassVar = "$struct[#path] {attrs} : ^struct -> ^result"
    struct = operand_def(Struct())
    result = result_def(Scalar())
    traits = traits_def(MemoryReadEffect())

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        """The type of the field at the end of the path."""
        struct, path = operands["struct"][0].type, properties.get("path")
        assert isinstance(struct, StructType)
        leaf = struct.at(int_values(path)) if isa(path, DenseArrayBase) else None
        return None if leaf is None or isinstance(leaf, StructType) else [leaf]

    def verify_(self) -> None:
        self.check_leaf(self.result.type)


@irdl_op_definition
class StructSetOp(StructFieldOp):
    """`struct.path = value`."""

    name = "pto.struct_set"
    ASSEMBLY_FORMAT: ClassVar = "$struct[#path], $value {attrs} : ^struct, ^value"
    struct = operand_def(Struct())
    value = operand_def(Scalar())
    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        self.check_leaf(self.value.type)
