"""Transfers and signals of A5."""

from __future__ import annotations

from ptoas.targets.shared.remote import transfers
from ptoas.targets.specs import ANY, elements

ROWS = transfers(ANY, elements("i8 i16 i32 f16 bf16 f32"))
