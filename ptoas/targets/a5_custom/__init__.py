"""`a5-custom`: the earlier custom MGATHER of A5, with rules of its own (document 002)."""

from __future__ import annotations

from dataclasses import replace

from ptoas.targets.a5 import A5

A5_CUSTOM = replace(
    A5,
    name="a5-custom",
    aliases=(),
    title="Ascend A5, custom instruction",
    summary="the earlier SIMT gather: the index tile's columns choose the mode, no hifloat8",
    packages=(*A5.packages, "ptoas.targets.a5_custom"),
)
