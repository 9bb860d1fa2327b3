"""`a2a3`: Ascend A2 and A3, gathers walked by the scalar pipe with MTE2 bursts (document 000)."""

from __future__ import annotations

from ptoas.dialects.pto.enums import BLayout, Pipe, TileLoc
from ptoas.targets.shared.pipe_order import CUBE_CORE, OVERLAPPING, VECTOR_CORE, load_or_follow
from ptoas.targets.shared.program import CONTROL_AREA, DEVICES
from ptoas.targets.specs import CUBE_ALIGNMENTS, CUBE_LAYOUTS
from ptoas.targets.target import KB, Target, UbLayout

A2A3 = Target(
    name="a2a3",
    aliases=("a2", "a3", "ascend910b", "ascend910_93", "dav-c220", "dav-2201"),
    title="Ascend A2/A3",
    summary="vector core driven by the scalar pipe: ND and NZ tables, padded row strides, 192 KB of UB",
    memories={
        TileLoc.Vec: 192 * KB,
        TileLoc.Mat: 512 * KB,
        TileLoc.Left: 64 * KB,
        TileLoc.Right: 64 * KB,
        TileLoc.Acc: 128 * KB,
        TileLoc.Bias: 1 * KB,
        TileLoc.Scaling: 2 * KB,
    },
    layouts=CUBE_LAYOUTS,
    alignments=CUBE_ALIGNMENTS,
    left=BLayout.RowMajor,
    packages=("ptoas.targets.shared", "ptoas.targets.a2a3"),
    ub=UbLayout(total=192 * KB),
    program=(*DEVICES, CONTROL_AREA),
    overlapping_pipes=OVERLAPPING,
    keeps_order=load_or_follow,
    cores=(VECTOR_CORE, CUBE_CORE | {Pipe.PIPE_MTE3}),
)
