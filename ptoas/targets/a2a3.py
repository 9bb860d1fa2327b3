"""`a2a3`: Ascend A2 and A3, gathers walked by the scalar pipe with MTE2 bursts (document 000)."""

from __future__ import annotations

from ptoas.dialects.pto.enums import Coalesce, TileLoc
from ptoas.targets.pipes import a2a3_pipes
from ptoas.targets.target import KB, Target, UbLayout
from ptoas.targets.type_lists import A2A3_TYPES

A2A3 = Target(
    name="a2a3",
    aliases=("a2", "a3"),
    title="Ascend A2/A3",
    summary="vector core driven by the scalar pipe: ND and NZ tables, padded row strides, 192 KB of UB",
    default_coalesce=Coalesce.Row,
    memories={
        TileLoc.Vec: 192 * KB,
        TileLoc.Mat: 512 * KB,
        TileLoc.Left: 64 * KB,
        TileLoc.Right: 64 * KB,
        TileLoc.Acc: 128 * KB,
        TileLoc.Bias: 1 * KB,
        TileLoc.Scaling: 2 * KB,
    },
    ub=UbLayout(total=192 * KB),
    sign_extends_index=False,
    row_stride_is_dim3=True,
    row_capacity_dims=(0, 1, 2, 3),
    elem_capacity_dims=(0, 1, 2, 3, 4),
    element_types=A2A3_TYPES,
    pipe_model=a2a3_pipes,
    instructions={},
    has_nz=True,
)
