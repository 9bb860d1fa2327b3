"""`cpu`: the C++ simulator of the instruction library, as documents 000 and 001 define it."""

from __future__ import annotations

from ptoas.dialects.pto.enums import Coalesce, TileLoc
from ptoas.targets.pipes import cpu_pipes
from ptoas.targets.target import Target
from ptoas.targets.type_lists import CPU_TYPES, FLOAT8

CPU = Target(
    name="cpu",
    title="CPU simulator",
    summary="the reference in plain C++: element-wise gathers, no modes, no bounds, no pipes, host memory",
    default_coalesce=Coalesce.Elem,
    memories=dict.fromkeys(TileLoc, None),
    ub=None,
    sign_extends_index=True,
    row_stride_is_dim3=True,
    row_capacity_dims=(3,),
    elem_capacity_dims=(0, 1, 2, 3, 4),
    element_types=CPU_TYPES,
    aicore_types={"mgather": FLOAT8, "mscatter": FLOAT8},
    pipe_model=cpu_pipes,
    instructions={},
    checks_bounds=False,
    has_pipes=False,
)
