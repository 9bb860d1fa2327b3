"""Conversion of an accumulator by a push: the numbers in the slot."""

from __future__ import annotations

from xdsl.ir import Attribute

from ptoas.analysis.channels import Channel, pushes_and_pops
from ptoas.dialects.pto.core_enums import Flow, PushQuant
from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.types import TileType

RESULTS: dict[PushQuant, str] = {
    PushQuant.NoQuant: "",
    PushQuant.F322F16: "f16",
    PushQuant.F322BF16: "bf16",
    PushQuant.REQ8: "i8 ui8",
    PushQuant.VREQ8: "i8",
    PushQuant.DEQF16: "f16",
    PushQuant.VDEQF16: "f16",
    PushQuant.QF322B8_PRE: "i8 ui8",
    PushQuant.VQF322B8_PRE: "i8",
    PushQuant.QF322F16_PRE: "f16",
    PushQuant.QF322BF16_PRE: "bf16",
    PushQuant.QS322BF16_PRE: "bf16",
    PushQuant.VQS322BF16_PRE: "bf16",
    PushQuant.QF322HIF8_PRE: "hif8",
    PushQuant.QF322FP8_PRE: "f8E4M3FN",
}
"""Element types of a pushed accumulator; none if it is not converted."""


def takes_scales(quant: PushQuant) -> bool:
    return quant.value.endswith(("_scalar", "_vec"))


def result_of(channel: Channel, element: Attribute) -> Attribute:
    """The element type in the slot of an accumulator of this one; where it may be one of several, what is
    popped."""
    epilogue = channel.first.acc_push_epilogue
    if epilogue is None or epilogue.quant is PushQuant.NoQuant:
        return element
    allowed = [BY_TEXT[text].type for text in RESULTS[epilogue.quant].split()]
    _, pops = pushes_and_pops(channel, Flow.C2V)
    popped = [pop.popped.type for pop in pops]
    elements = [type.element_type for type in popped if isinstance(type, TileType)]
    return next((each for each in elements if each in allowed), allowed[0])
