"""`a5`: Ascend A5, gathers as SIMT launches on the vector pipe (document 000)."""

from __future__ import annotations

from ptoas.dialects.pto.enums import Pipe, TileLoc
from ptoas.targets.shared.pipe_order import CUBE_CORE, OVERLAPPING, VECTOR_CORE, both_load
from ptoas.targets.shared.program import SIMT_DEVICES
from ptoas.targets.specs import CUBE_ALIGNMENTS, LAYOUTS_WITH_SCALES
from ptoas.targets.target import KB, Target, UbLayout

PIPES_THAT_OVERLAP = OVERLAPPING - {Pipe.PIPE_V}
"""The hardware orders the vector pipe."""

IDLE_EVENTS = PIPES_THAT_OVERLAP - {Pipe.PIPE_MTE2, Pipe.PIPE_MTE3}
"""The header has a barrier in `Event::Wait` for these two alone."""


A5 = Target(
    name="a5",
    aliases=("ascend950", "ascend910_95", "dav-c310", "dav-3510"),
    title="Ascend A5",
    summary="SIMT gathers: packed ND tables, float8 and hifloat8, 216 KB of UB (128 KB by default)",
    memories={
        TileLoc.Vec: 256 * KB,
        TileLoc.Mat: 512 * KB,
        TileLoc.Left: 64 * KB,
        TileLoc.Right: 64 * KB,
        TileLoc.Acc: 256 * KB,
        TileLoc.Bias: 4 * KB,
        TileLoc.Scaling: 4 * KB,
        TileLoc.ScaleLeft: 4 * KB,
        TileLoc.ScaleRight: 4 * KB,
    },
    layouts=LAYOUTS_WITH_SCALES,
    alignments=CUBE_ALIGNMENTS,
    packages=("ptoas.targets.shared", "ptoas.targets.a5"),
    ub=UbLayout(total=256 * KB, reserved=8 * KB, data_cache=32 * KB, default_budget=128 * KB),
    program=SIMT_DEVICES,
    overlapping_pipes=PIPES_THAT_OVERLAP,
    idle_events=IDLE_EVENTS,
    keeps_order=both_load,
    cores=(VECTOR_CORE, CUBE_CORE),
)
"""The target A5, whose memories and packages a target of its kind can take over."""
