"""Collectives: one rank, the root, moves data between its own memory and that of every rank."""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import IntegerAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, AnyView, Scalar, ViewOrGroup
from ptoas.dialects.pto.enums import CollEngineAttr, ReduceOpAttr
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import GroupType, ViewType


def _layout(own: str, types: str) -> str:
    """The text of a collective whose own memory is `own`."""
    return (
        f"({own}(, recv($staging))?(, group($group))?(, context($context))?"
        f" : {types}(, ^staging)?(, ^group)?(, ^context)?) {{attrs}}"
    )


class StagedOp(PtoOp, ABC):
    """Moves data between memories of ranks, chunk by chunk through one or two tiles of local memory; which
    the text may leave out."""

    SCRATCH: ClassVar[tuple[str, ...]] = ("staging",)
    SIDE_EFFECTING: ClassVar = True

    staging = var_operand_def(AnyTile("T"))
    pingpong = opt_prop_def(UnitAttr)

    @property
    def moved(self) -> ViewType:
        """The element type of the transferred data."""
        raise NotImplementedError

    def verify_(self) -> None:
        if len(self.staging) > 2:
            raise VerifyException(
                f"takes at most two staging tiles, ping and pong; found {len(self.staging)}"
            )


class CollectiveOp(StagedOp, ABC):
    """A collective over the ranks of `group`, through zero, one or two staging tiles of local memory.

    `context` is what the CCU is triggered with: the address of its CKE slot and the gate mask.
    """

    ORDER: ClassVar = ("group",)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    LOCAL: ClassVar = "src"
    """The slot of the root's own memory."""

    group = var_operand_def(ViewOrGroup("T"))
    staging = var_operand_def(AnyTile("T"))
    context = var_operand_def(Scalar())
    root = opt_prop_def(IntegerAttr)
    engine = opt_prop_def(CollEngineAttr)

    @property
    def moved(self) -> ViewType:
        return self.member_types[0]

    @property
    def member_types(self) -> tuple[ViewType, ...]:
        """The type of each rank's memory."""
        types: list[Attribute] = []
        for operand in self.group:
            type = operand.type
            types += [type.member] * type.size if isinstance(type, GroupType) else [type]
        # The declaration takes memory and groups of memory, nothing else.
        return cast("tuple[ViewType, ...]", tuple(types))

    @property
    def local(self) -> SSAValue:
        """The root's own memory: the destination of a gather, the source of a scatter."""
        return self.operands[0]

    @classmethod
    def claims(cls, types: Sequence[Attribute | None]) -> bool:
        """A group among the operands makes it the collective (D20)."""
        return any(isinstance(type, GroupType) for type in types)

    def verify_(self) -> None:
        if not self.group:
            raise VerifyException("needs a group: a !pto.group value, or group(%rank0, %rank1, ...)")
        super().verify_()


@irdl_op_definition
class CommTGatherOp(CollectiveOp):
    """`dst[r * H + i, j] = source of rank r [i, j]`: the root concatenates all ranks' rows."""

    name = "pto.comm.tgather"
    LOCAL: ClassVar = "dst"
    ALIASES: ClassVar = ("comm_tgather",)
    OVERLOADS: ClassVar = ("tgather",)
    ASSEMBLY_FORMAT: ClassVar = _layout("$dst", "^dst")
    OUTS: ClassVar = ("dst",)
    dst = operand_def(AnyView("T"))


class SpreadOp(CollectiveOp, ABC):
    """The root's data goes to the memory of all ranks."""

    WRITES: ClassVar = ("group",)
    ASSEMBLY_FORMAT: ClassVar = _layout("$src", "^src")
    src = operand_def(AnyView("T"))


@irdl_op_definition
class CommTScatterOp(SpreadOp):
    """`destination of rank r [i, j] = src[r * H + i, j]`: the root deals its rows out to all ranks."""

    name = "pto.comm.tscatter"
    ALIASES: ClassVar = ("comm_tscatter",)
    OVERLOADS: ClassVar = ("tscatter",)


@irdl_op_definition
class CommTBroadcastOp(SpreadOp):
    """`destination of rank r [i, j] = src[i, j]`: the root copies its data to all ranks."""

    name = "pto.comm.tbroadcast"
    ALIASES: ClassVar = ("comm_tbroadcast",)
    OVERLOADS: ClassVar = ("tbroadcast",)


@irdl_op_definition
class CommTReduceOp(CollectiveOp):
    """`dst[i, j] = op over ranks r of source of rank r [i, j]`: the root's own first, then the others.

    `acc` is the tile that the reduction accumulates in, the staging tiles receive the other ranks' data.
    """

    name = "pto.comm.treduce"
    LOCAL: ClassVar = "dst"
    ALIASES: ClassVar = ("comm_treduce",)
    OVERLOADS: ClassVar = ("treduce",)
    ASSEMBLY_FORMAT: ClassVar = _layout("$dst(, $acc)?", "^dst(, ^acc)?")
    OUTS: ClassVar = ("dst",)
    SCRATCH: ClassVar = ("acc", "staging")
    KEYS: ClassVar = {"op": "reduceOp"}
    dst = operand_def(AnyView("T"))
    acc = opt_operand_def(AnyTile("T"))
    op = opt_prop_def(ReduceOpAttr, prop_name="reduceOp")
