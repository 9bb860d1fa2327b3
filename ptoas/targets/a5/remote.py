"""Transfers and signals of A5."""

from __future__ import annotations

from ptoas.targets.shared.remote import transfers
from ptoas.targets.specs import LOADED, elements

ROWS = transfers(LOADED, elements("i8 i16 i32 f16 bf16 f32"))
