"""Pushes that convert: supported conversions and places of slots."""

from __future__ import annotations

from typing import Any

from ptoas.analysis.channels import Channels
from ptoas.analysis.epilogues import RESULTS
from ptoas.dialects.pto.channel import PopOp
from ptoas.dialects.pto.core_enums import Flow, PushLayout, PushQuant
from ptoas.dialects.pto.element_types import BY_TEXT, element_text
from ptoas.dialects.pto.enums import BLayout, ReluPreMode, SLayout
from ptoas.dialects.pto.types import TileType
from ptoas.targets.rule import Violation, Violations, channel_rule, mismatch
from ptoas.targets.rules.channel import valid_channels
from ptoas.targets.rules.channel_entries import passed, place_of
from ptoas.targets.target import Target

_LAYOUTS = {
    PushLayout.NZ2ND: (BLayout.RowMajor, SLayout.NoneBox),
    PushLayout.NZ2DN: (BLayout.ColMajor, SLayout.NoneBox),
    PushLayout.NZ2NZ: (BLayout.ColMajor, SLayout.RowMajor),
}
"""Layout of the tile that a push writes."""

_OF_INTEGERS = frozenset(
    (
        PushQuant.REQ8,
        PushQuant.VREQ8,
        PushQuant.DEQF16,
        PushQuant.VDEQF16,
        PushQuant.QS322BF16_PRE,
        PushQuant.VQS322BF16_PRE,
    )
)
"""Conversions of accumulators of i32; the others are of f32."""


def _converted(quant: PushQuant, popped: bool) -> list[str]:
    """Element types of what is pushed, or of what is popped then."""
    if quant is PushQuant.NoQuant:
        return ["f32", "i32"]
    if popped:
        return [BY_TEXT[text].text for text in RESULTS[quant].split()]
    return ["i32" if quant in _OF_INTEGERS else "f32"]


@channel_rule(
    "PTO-H131",
    source="PTOAS acc_push_epilogue; pto/common/fixpipe.hpp header",
    reason="The pipe converts while it writes, and the consumer must read what it wrote.",
    on="cpu a5 a5-custom",
)
def push_conversion_matches_the_pop(channels: Channels, target: Target) -> Violations:
    """acc_push_epilogue needs a cube-to-vector channel of tiles that are not split, relu no_relu or
    normal_relu, and a quant of the target; pushed and popped tiles need the element types of the quant,
    and popped tiles its layout."""
    for channel in valid_channels(channels, target):
        init, epilogue = channel.first, channel.first.acc_push_epilogue
        if epilogue is None:
            continue
        declared: dict[str, Any] = {"op": init, "field": "acc_push_epilogue"}
        if init.flows != (Flow.C2V,) or not channel.nosplit:
            split = "" if channel.nosplit else " and split tiles"
            yield Violation(
                "acc_push_epilogue needs a channel with dir_mask = 1 and split = 0; this one has "
                f"dir_mask = {init.dir_mask.value.data}{split}",
                **declared,
            )
            continue
        if epilogue.relu not in (ReluPreMode.NoRelu, ReluPreMode.NormalRelu):
            yield mismatch("relu", epilogue.relu.value, "no_relu or normal_relu", **declared)
        if epilogue.quant in target.model(init).lacks_quants:
            yield Violation(f"{target.name} does not support quant = {epilogue.quant.value}", **declared)
        one: str | None = None
        for use in channel.uses:
            type = passed(use)
            if not isinstance(type, TileType):
                continue
            expected = _converted(epilogue.quant, isinstance(use, PopOp))
            if isinstance(use, PopOp) and (one := one or element_text(type.element_type)) in expected:
                expected = [one]  # the scale determines the signedness of 8-bit integers
            here = {"op": use, "slot": place_of(use)}
            if (found := element_text(type.element_type)) not in expected:
                required = f"{' or '.join(expected)} for {epilogue.quant.value}"
                yield mismatch("element type", found, required, **here)
            layout = type.blayout, type.slayout
            if isinstance(use, PopOp) and layout != _LAYOUTS[epilogue.layout]:
                b, s = (each.value for each in _LAYOUTS[epilogue.layout])
                found = f"blayout={layout[0].value}, slayout={layout[1].value}"
                yield mismatch(
                    "layout", found, f"blayout={b}, slayout={s} for {epilogue.layout.value}", **here
                )


@channel_rule(
    "PTO-H220",
    source="pto/npu/a2a3/TPush.hpp and pto/npu/a5/TPush.hpp headers: pushAcc2GMFiFo, popVecTileFromGMFiFo",
    reason="The library's push writes nothing or does not compile, and its pop loads rows.",
    on="a2a3",
)
def push_through_memory_has_a_supported_layout(channels: Channels, target: Target) -> Violations:
    """With slots in global memory, acc_push_epilogue needs a layout that the library can pass through it:
    nz2nd on a2a3, none on a5."""
    for channel in valid_channels(channels, target):
        init, epilogue = channel.first, channel.first.acc_push_epilogue
        if epilogue is None or init.memory is None:
            continue
        lacks = target.model(init).lacks_layouts
        if epilogue.layout in lacks:
            has = " or ".join(each.value for each in PushLayout if each not in lacks)
            yield Violation(
                f"{target.name} can't push layout = {epilogue.layout.value} through global memory",
                op=init,
                field="acc_push_epilogue",
                fix=f"use layout = {has}" if has else "remove gm_slot_buffer on both sides",
            )
