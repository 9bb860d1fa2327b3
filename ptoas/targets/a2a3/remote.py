"""Transfers and signals of A2/A3."""

from __future__ import annotations

from ptoas.targets.shared.remote import transfers
from ptoas.targets.specs import NINE, WIDE, elements

ROWS = transfers((*NINE, *WIDE), elements("i8 i16 i32 f16 bf16 f32"))
