"""Conversions of targets: overflow, the path to short integers, floats with a fixed rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.enums import RoundMode


class Rounding(NamedTuple):
    """A float type that is always rounded in one way, whatever the instruction's mode."""

    type: str
    mode: RoundMode


@dataclass(frozen=True)
class Conversion:
    """A target's interpretation of the modes of TCVT."""

    casts: bool = False
    """True if it converts as C++ casts do: to a float always the nearest, f32 to f32 unchanged."""
    overflows: frozenset[tuple[str, str]] | None = None
    """The pairs with integers that overflow where saturation is not asked for; `None`: all."""
    clips_floats: bool = True
    """True if a float that is too large for the new type saturates on request."""
    through: int = 64
    """Bits of the integer that a float becomes on its way to low bits."""
    fixed: tuple[Rounding, ...] = ()

    def saturates(self, source: str, target: str, is_integer: bool, requested: bool) -> bool:
        """Return True if a conversion saturates, given the requested mode."""
        if not is_integer:
            return requested and self.clips_floats
        return requested or (self.overflows is not None and (source, target) not in self.overflows)

    def rounding(self, target: str) -> RoundMode | None:
        if self.casts:
            return RoundMode.RINT
        return next((rounding.mode for rounding in self.fixed if rounding.type == target), None)


def conversions(pairs: dict[str, str]) -> dict[str, str]:
    """Conversions of TCVT by canonical element names."""

    def canonical(text: str) -> str:
        return BY_TEXT[text].text.removeprefix("!pto.")

    return {canonical(source): " ".join(map(canonical, sinks.split())) for source, sinks in pairs.items()}
