"""Reductions along rows."""

from xdsl.irdl import irdl_op_definition

from ptoas.dialects.pto.instruction import ReductionOp


@irdl_op_definition
class TRowSumOp(ReductionOp):
    """`dst[i, 0] = sum over j of src[i, j]`."""

    name = "pto.trowsum"


@irdl_op_definition
class TRowMaxOp(ReductionOp):
    """`dst[i, 0] = max over j of src[i, j]`."""

    name = "pto.trowmax"
