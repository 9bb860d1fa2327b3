"""`cpu`: the C++ simulator of the instruction library, as documents 000 and 001 define it."""

from __future__ import annotations

from ptoas.dialects.pto.enums import TileLoc
from ptoas.targets.shared.program import SIMULATOR
from ptoas.targets.specs import LAYOUTS_WITH_SCALES
from ptoas.targets.target import Target

CPU = Target(
    name="cpu",
    title="CPU simulator",
    summary="the reference in plain C++: element-wise gathers, no modes, no bounds, no pipes, host memory",
    memories=dict.fromkeys(TileLoc, None),
    layouts=LAYOUTS_WITH_SCALES,
    # The simulator has arrays for mat, left, right, acc and the scales of mx operands; the rest is one.
    spaces=dict.fromkeys((TileLoc.Bias, TileLoc.Scaling), TileLoc.Vec),
    packages=("ptoas.targets.shared", "ptoas.targets.cpu"),
    sign_extends_index=True,
    program=SIMULATOR,
    has_pipes=False,
    launches=False,
    legalization="legalize-cpu",
)
