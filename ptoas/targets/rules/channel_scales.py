"""Scales of pushed tiles: channel, kind and position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.ir import Operation

from ptoas.analysis.channels import ChannelEnd, Channels
from ptoas.analysis.epilogues import takes_scales
from ptoas.dialects.pto.channel import InitializePipeOp, PushOp
from ptoas.dialects.pto.core_enums import PushQuant
from ptoas.dialects.pto.element_types import element_text
from ptoas.dialects.pto.enums import KernelKind
from ptoas.dialects.pto.quant import PushScaleOp, SetQuantScalarOp, SetQuantVectorOp
from ptoas.targets.rule import Related, Violation, Violations, channel_rule, mismatch
from ptoas.targets.rules.channel import valid_channels
from ptoas.targets.target import Target


def _numbered(channels: Channels) -> Iterator[tuple[ChannelEnd, list[PushScaleOp]]]:
    """The cube ends of channels that have a number, with what sets scales in their functions."""
    for end in channels.ends():
        if isinstance(end.init, InitializePipeOp) and end.kind is KernelKind.Cube:
            ops = [op for op in end.function.walk() if isinstance(op, PushScaleOp)]
            yield end, [op for op in ops if op.number == end.init.number]


def _setter(quant: PushQuant) -> type[PushScaleOp]:
    return SetQuantVectorOp if quant.value.endswith("_vec") else SetQuantScalarOp


@channel_rule(
    "PTO-H240",
    source="PTOAS tpush_to_aiv: set_quant_scalar, set_quant_vector; pto/npu/a5/SetQuantScalar.hpp header",
    reason="The pipe takes its scale from a register, which may hold the value of an earlier kernel.",
    on="cpu a5 a5-custom",
)
def push_scale_is_set_before_it(channels: Channels, target: Target) -> Violations:
    """A push whose acc_push_epilogue scales needs set_quant_scalar or set_quant_vector of its channel before
    it, in the same block or an enclosing one."""
    unsound = {end.init for end in channels.ends()}
    unsound -= {end.init for channel in valid_channels(channels, target) for end in channel.ends}
    for end, setters in _numbered(channels):
        epilogue = end.init.acc_push_epilogue
        if epilogue is None or end.init in unsound or not takes_scales(epilogue.quant):
            continue
        setter = _setter(epilogue.quant)
        fitting = [op for op in setters if isinstance(op, setter)]
        for push in (use for use in end.uses if isinstance(use, PushOp)):
            if not any(_is_before(op, push) for op in fitting):
                yield Violation(
                    f"no scale is set on every path before `{push.mnemonic()}` with {epilogue.quant.value}",
                    op=push,
                    fix=f"add `{setter.mnemonic()}` of its channel before it",
                    related=tuple(Related("set here", op) for op in setters[:1]),
                )


def _is_before(first: Operation, second: Operation) -> bool:
    """Return True if the first operation precedes the second in its block, or in an enclosing block."""
    at: Operation | None = second
    while at is not None:
        if at.parent is first.parent and at.parent is not None:
            return at is not first and first.is_before_in_block(at)
        at = at.parent_op()
    return False


@channel_rule(
    "PTO-H241",
    source="PTOAS set_quant_scalar, set_quant_vector; pto/npu/a5/SetQuantScalar.hpp header: a float",
    reason="A single scale and scales per column are in different registers, and a quant reads one of them.",
    on="cpu a5 a5-custom",
)
def scale_matches_the_quant_of_its_channel(channels: Channels, target: Target) -> Violations:
    """set_quant_scalar needs a channel whose quant ends in _scalar and a scale of f32; set_quant_vector needs
    one whose quant ends in _vec."""
    known = {op: end.init for end, ops in _numbered(channels) for op in ops}
    for function in channels.functions.values():
        for op in (op for op in function.walk() if isinstance(op, PushScaleOp)):
            yield from _misplaced(op, known)


def _misplaced(op: PushScaleOp, known: Mapping[PushScaleOp, object]) -> Violations:
    init = known.get(op)
    if not isinstance(init, InitializePipeOp):
        required = "one that the function declares for the cube core"
        yield mismatch(f"channel of {op.mnemonic()}", op.number, required, op=op)
        return
    epilogue = init.acc_push_epilogue
    quant = PushQuant.NoQuant if epilogue is None else epilogue.quant
    suffix = "_vec" if isinstance(op, SetQuantVectorOp) else "_scalar"
    if not takes_scales(quant) or not quant.value.endswith(suffix):
        yield mismatch(
            f"quant of channel {op.number}",
            quant.value,
            f"one that ends in {suffix} for {op.mnemonic()}",
            op=op,
            related=(Related("declared here", init),),
        )
    if isinstance(op, SetQuantScalarOp) and (found := element_text(op.scale.type)) != "f32":
        yield mismatch("type of $scale", found, "f32", op=op, slot="scale")
