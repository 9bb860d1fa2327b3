"""Operands that may be missing, on A5."""

from __future__ import annotations

from ptoas.dialects.pto import partial as p
from ptoas.targets.row import Rows
from ptoas.targets.shared.partial import PARTIAL, PARTIAL_ARG, UNLESS, partial_arg
from ptoas.targets.specs import NINE, WIDE

PAIRS = partial_arg(PARTIAL_ARG.override(model=UNLESS))

ROWS: Rows = {
    **PARTIAL.each(dict.fromkeys((p.TPartAddOp, p.TPartMaxOp, p.TPartMinOp), (*NINE, *WIDE))),
    p.TPartMulOp: PARTIAL.of(NINE),
    p.TPartArgMaxOp: PAIRS,
    p.TPartArgMinOp: PAIRS,
}
