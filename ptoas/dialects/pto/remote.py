"""One rank and another: transfers from memory to memory, and signals that say that they are done."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from ptoas.dialects.pto.comm import StagedOp
from ptoas.dialects.pto.constraints import AnyView, Scalar, SignalWord
from ptoas.dialects.pto.enums import AtomicType, AtomicTypeAttr, NotifyOpAttr, WaitCmpAttr
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import ViewType


class TransferOp(StagedOp, ABC):
    """A copy between the memory of this rank and that of another, through one or two tiles."""

    OUTS: ClassVar = ("dst",)
    ASSEMBLY_FORMAT: ClassVar = "($dst, $src(, buf($staging))? : ^dst, ^src(, ^staging)?) {attrs}"

    dst = operand_def(AnyView("T"))
    src = operand_def(AnyView("T"))

    @property
    def moved(self) -> ViewType:
        type = self.src.type
        assert isinstance(type, ViewType)
        return type


@irdl_op_definition
class CommTPutOp(TransferOp):
    """`dst[i, j] = src[i, j]`, or an atomic addition: local memory into the memory of another rank."""

    name = "pto.comm.tput"
    ALIASES: ClassVar = ("tput", "comm_tput")
    atomic_type = opt_prop_def(AtomicTypeAttr, prop_name="atomicType")

    @property
    def adds(self) -> bool:
        return self.atomic_type is not None and self.atomic_type.data is not AtomicType.AtomicNone

    def inplace_operands(self) -> tuple[str, ...]:
        return ("dst",) if self.adds else ()


@irdl_op_definition
class CommTGetOp(TransferOp):
    """`dst[i, j] = src[i, j]`: the memory of another rank into local memory."""

    name = "pto.comm.tget"
    ALIASES: ClassVar = ("tget", "comm_tget")


class SignalOp(PtoOp, ABC):
    """An operation on a signal: an i32 in global memory that one rank writes and another reads."""

    RETURNS_EVENT: ClassVar = False
    SIDE_EFFECTING: ClassVar = True


@irdl_op_definition
class CommTNotifyOp(SignalOp):
    """`signal += value`, or `signal = value`: tells another rank that what came before has happened."""

    name = "pto.comm.tnotify"
    ALIASES: ClassVar = ("tnotify", "comm_tnotify")
    KEYS: ClassVar = {"op": "notifyOp"}
    WRITES: ClassVar = ("signal",)
    ASSEMBLY_FORMAT: ClassVar = "($signal, $value : ^signal, ^value) {attrs}"
    signal = operand_def(AnyView())
    value = operand_def(SignalWord())
    notify_op = prop_def(NotifyOpAttr, prop_name="notifyOp")


class LookOp(SignalOp, ABC):
    """Compares each element of a signal with a value."""

    signal = operand_def(AnyView())
    cmp_value = operand_def(SignalWord())
    cmp = prop_def(WaitCmpAttr)


@irdl_op_definition
class CommTWaitOp(LookOp):
    """Wait until every element of `signal` compares with `cmp_value` as asked for."""

    name = "pto.comm.twait"
    ALIASES: ClassVar = ("twait", "comm_twait")
    ASSEMBLY_FORMAT: ClassVar = "($signal, $cmp_value : ^signal, ^cmp_value) {attrs}"


@irdl_op_definition
class CommTTestOp(LookOp):
    """`result` = whether every element of `signal` compares with `cmp_value` as asked for, now."""

    name = "pto.comm.ttest"
    ALIASES: ClassVar = ("ttest", "comm_ttest")
    RESULTS: ClassVar = (i1,)
    ASSEMBLY_FORMAT: ClassVar = "($signal, $cmp_value : ^signal, ^cmp_value) {attrs} -> ^result"
    result = result_def(Scalar())
