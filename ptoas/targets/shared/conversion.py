"""How targets convert: what may overflow, how they get to short integers, which floats round one way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.enums import RoundMode


class Rounding(NamedTuple):
    """A float type that is always rounded in one way, whatever is asked for."""

    type: str
    mode: RoundMode


@dataclass(frozen=True)
class Conversion:
    """What a target makes of TCVT's modes."""

    casts: bool = False
    """Whether it converts as C++ casts do: to a float always the nearest, f32 to f32 not at all."""
    overflows: frozenset[tuple[str, str]] | None = None
    """The pairs with integers that overflow where saturation is not asked for; `None`: all."""
    clips_floats: bool = True
    """Whether a float that is too large for the new type saturates where that is asked for."""
    through: int = 64
    """Bits of the integer that a float becomes on its way to low bits."""
    fixed: tuple[Rounding, ...] = ()

    def saturates(self, source: str, target: str, is_integer: bool, asked: bool) -> bool:
        """Whether a conversion saturates, which is asked for or not."""
        if not is_integer:
            return asked and self.clips_floats
        return asked or (self.overflows is not None and (source, target) not in self.overflows)

    def rounding(self, target: str) -> RoundMode | None:
        if self.casts:
            return RoundMode.RINT
        return next((rounding.mode for rounding in self.fixed if rounding.type == target), None)


def conversions(pairs: dict[str, str]) -> dict[str, str]:
    """Conversions of TCVT by canonical element names."""

    def canonical(text: str) -> str:
        return BY_TEXT[text].text.removeprefix("!pto.")

    return {canonical(source): " ".join(map(canonical, sinks.split())) for source, sinks in pairs.items()}
