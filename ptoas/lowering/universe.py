"""Entry point for `xdsl-opt`: the dialect, in generic form, and our passes."""

from xdsl.ir import Dialect
from xdsl.universe import Universe

from ptoas.dialects.pto import PTO
from ptoas.lowering import PASSES


def get_pto() -> Dialect:
    return PTO


PTOAS_UNIVERSE = Universe(all_dialects={"pto": get_pto}, all_passes=PASSES)
