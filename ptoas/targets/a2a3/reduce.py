"""Reductions of A2/A3: rows are folded in the scratch tile, integers by the scalar pipe."""

from __future__ import annotations

from typing import Any

from ptoas.dialects.pto import reduce as r
from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.targets.families import ROW_REDUCTION, as_large_as
from ptoas.targets.pipes import Pipe, Pipes, S, V
from ptoas.targets.row import Rows

BY_SCALARS = Pipes(V, {"dst": S, "tmp": (V, S)}, before=((V, S),), after=((S, V),))


def _pipe(op: Any) -> Pipe | Pipes:
    return BY_SCALARS if BY_TYPE[op.src.type.element_type].is_integer else V


FOLDED = ROW_REDUCTION.but(pipe=_pipe, ignores=(), scratch={"tmp": as_large_as("src", integers=32)})

ROWS: Rows = {**FOLDED.each(dict.fromkeys((r.TRowSumOp, r.TRowMaxOp), "i16 i32 f16 f32"))}
