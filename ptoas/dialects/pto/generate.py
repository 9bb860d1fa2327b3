"""Tiles made of little: triangles, random numbers, histograms."""

from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, IntegerAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, Index, Scalar
from ptoas.dialects.pto.instruction import Instruction
from ptoas.dialects.pto.result_types import DerivedType, counts_of_bytes


def _is_one_of(name: str, attribute: IntegerAttr | None, *numbers: int) -> None:
    if attribute is not None and attribute.value.data not in numbers:
        listed = ", ".join(map(str, numbers))
        raise VerifyException(f"{name} must be {listed}, found {attribute.value.data}")


@irdl_op_definition
class TTriOp(Instruction):
    """`dst[i, j] = 1` where `j <= i + diag` (`upperOrLower = 0`) or `j >= i + diag` (`1`), elsewhere 0."""

    name = "pto.ttri"
    diag = operand_def(Index())
    upper_or_lower = opt_prop_def(IntegerAttr, prop_name="upperOrLower")

    def verify_(self) -> None:
        super().verify_()
        _is_one_of("upperOrLower", self.upper_or_lower, 0, 1)


@irdl_op_definition
class TRandomOp(Instruction):
    """Random bits: Philox 4x32 with the key `k0 k1`, counting from `c0 c1 c2 c3`, `c0` the lowest."""

    name = "pto.trandom"
    k0 = operand_def(Scalar("S"))
    k1 = operand_def(Scalar("S"))
    c0 = operand_def(Scalar("S"))
    c1 = operand_def(Scalar("S"))
    c2 = operand_def(Scalar("S"))
    c3 = operand_def(Scalar("S"))
    rounds = opt_prop_def(IntegerAttr)

    def verify_(self) -> None:
        super().verify_()
        _is_one_of("rounds", self.rounds, 7, 10)


@irdl_op_definition
class THistogramOp(Instruction):
    """`dst[i, b]`: how many elements of row `i` have a byte number `byte` of at most `b`, among those whose
    higher bytes are as `idx` says."""

    name = "pto.thistogram"
    RESULT_FROM: ClassVar = DerivedType(counts_of_bytes, "src")
    src = operand_def(AnyTile())
    idx = operand_def(AnyTile())
    byte = opt_prop_def(IntegerAttr)
    is_msb = opt_prop_def(BoolAttr, prop_name="isMSB")

    def verify_(self) -> None:
        super().verify_()
        _is_one_of("byte", self.byte, 0, 1, 2, 3)
        if self.byte is not None and self.is_msb is not None:
            raise VerifyException("takes `byte`, not also `isMSB`, which is deprecated")

    @property
    def number(self) -> int:
        """The byte that is counted, from the lowest."""
        if self.byte is not None:
            return self.byte.value.data
        return 1 if self.is_msb is None else self.is_msb.value.data & 1
