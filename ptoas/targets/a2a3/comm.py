"""Collectives of A2/A3."""

from __future__ import annotations

from ptoas.targets.shared.comm import collectives
from ptoas.targets.specs import NINE, WIDE, elements

ROWS = collectives((*NINE, *WIDE), elements("i16 i32 f16 f32"), ccu=False)
