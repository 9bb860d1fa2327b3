"""`a5-custom`: the earlier custom MGATHER of A5, with rules of its own (document 002)."""

from __future__ import annotations

from ptoas.targets.a5 import MEMORIES, UB
from ptoas.targets.pipes import a5_custom_pipes
from ptoas.targets.target import Target
from ptoas.targets.type_lists import A5_CUSTOM_TYPES

A5_CUSTOM = Target(
    name="a5-custom",
    title="Ascend A5, custom instruction",
    summary="the earlier SIMT gather: the index tile's columns choose the mode, no hifloat8",
    default_coalesce=None,
    memories=MEMORIES,
    ub=UB,
    sign_extends_index=False,
    row_stride_is_dim3=False,
    row_capacity_dims=(3,),
    elem_capacity_dims=(3, 4),
    element_types=A5_CUSTOM_TYPES,
    pipe_model=a5_custom_pipes,
    instructions={},
)
