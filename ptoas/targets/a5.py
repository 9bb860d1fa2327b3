"""`a5`: Ascend A5, gathers as SIMT launches of up to 1024 threads (document 000)."""

from __future__ import annotations

from ptoas.dialects.pto.enums import Coalesce, TileLoc
from ptoas.targets.pipes import a5_pipes
from ptoas.targets.target import KB, Target, UbLayout
from ptoas.targets.type_lists import A5_TYPES

MEMORIES = {
    TileLoc.Vec: 256 * KB,
    TileLoc.Mat: 512 * KB,
    TileLoc.Left: 64 * KB,
    TileLoc.Right: 64 * KB,
    TileLoc.Acc: 256 * KB,
    TileLoc.Bias: 4 * KB,
    TileLoc.Scaling: 4 * KB,
    TileLoc.ScaleLeft: 4 * KB,
    TileLoc.ScaleRight: 4 * KB,
}

UB = UbLayout(total=256 * KB, reserved=8 * KB, data_cache=32 * KB, default_budget=128 * KB)

A5 = Target(
    name="a5",
    title="Ascend A5",
    summary="SIMT gathers: packed ND tables, float8 and hifloat8, 216 KB of UB (128 KB by default)",
    default_coalesce=Coalesce.Row,
    memories=MEMORIES,
    ub=UB,
    sign_extends_index=False,
    row_stride_is_dim3=False,
    row_capacity_dims=(3,),
    elem_capacity_dims=(0, 1, 2, 3, 4),
    element_types=A5_TYPES,
    pipe_model=a5_pipes,
    instructions={},
)
