"""`a5-custom`: the earlier custom MGATHER of A5, with rules of its own (document 002)."""

from __future__ import annotations

from ptoas.targets.a5 import IDLE_EVENTS, LAYOUTS, MEMORIES, PIPES_THAT_OVERLAP, UB
from ptoas.targets.shared.pipe_order import CUBE_CORE, VECTOR_CORE, both_load
from ptoas.targets.shared.program import SIMT_DEVICES
from ptoas.targets.specs import CUBE_ALIGNMENTS
from ptoas.targets.target import Target

A5_CUSTOM = Target(
    name="a5-custom",
    title="Ascend A5, custom instruction",
    summary="the earlier SIMT gather: the index tile's columns choose the mode, no hifloat8",
    memories=MEMORIES,
    layouts=LAYOUTS,
    alignments=CUBE_ALIGNMENTS,
    packages=("ptoas.targets.shared", "ptoas.targets.a5", "ptoas.targets.a5_custom"),
    ub=UB,
    program=SIMT_DEVICES,
    overlapping_pipes=PIPES_THAT_OVERLAP,
    idle_events=IDLE_EVENTS,
    keeps_order=both_load,
    cores=(VECTOR_CORE, CUBE_CORE),
)
