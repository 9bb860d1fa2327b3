"""Epilogue of a push: conversion, scaling and ReLU of an accumulator on its way into the slot."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Attribute

from ptoas.analysis.epilogues import result_of, takes_scales
from ptoas.dialects.pto.channel import PipeInitOp, PushOp
from ptoas.dialects.pto.core_enums import PushQuant
from ptoas.dialects.pto.enums import KernelKind, ReluPreMode
from ptoas.dialects.pto.quant import PushScaleOp, SetQuantScalarOp, SetQuantVectorOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.dtypes import dtype_of
from ptoas.machine.epilogue_scales import Scales
from ptoas.machine.machine import Machine, Step, instruction, prepared_value
from ptoas.machine.tiles import Tile
from ptoas.ops.fixpipe import Convert, as_it_is, finished

SIGNED = np.uint64(1 << 46)
"""Bit of a scale's word: results of 8 bits are signed."""


# --- scales ----------------------------------------------------------------------------------------


def _channel(op: PushScaleOp, m: Machine) -> PipeInitOp:
    """The declaration of the channel that a scale is for, with a push that takes one."""
    init = m.channels.numbered(op, KernelKind.Cube, op.number)
    epilogue = None if init is None else init.acc_push_epilogue
    if init is None or epilogue is None or not takes_scales(epilogue.quant):
        message = f"the function declares no channel {op.number} whose pushes take a scale"
        fix = "declare it with an acc_push_epilogue with a quant that ends in _scalar or _vec"
        raise m.refuse("PTO-R927", message, op, fix=fix)
    return init


@prepared_value(SetQuantScalarOp)
def set_quant_scalar(op: SetQuantScalarOp, m: Machine) -> Callable[[float], None]:
    init = _channel(op, m)

    def run(scale: float) -> None:
        word = np.array([scale], np.float32).view(np.uint32).astype(np.uint64)
        m.push_scales[init] = Scales(word, False)

    return run


@instruction(SetQuantVectorOp)
def set_quant_vector(op: SetQuantVectorOp, m: Machine, scales: Tile) -> Step:
    init = _channel(op, m)

    def words() -> Array:
        if scales.dtype.size == 8:
            return scales.load_raw()[0].astype(np.uint64)
        return scales.load()[0].astype(np.float32).view(np.uint32).astype(np.uint64)

    def run() -> None:
        m.push_scales[init] = Scales(words(), True, words)

    return Step(run, (scales.region,))


# --- pushing ---------------------------------------------------------------------------------------


def epilogue_of(op: PushOp, init: PipeInitOp, m: Machine, tile: Tile) -> tuple[Attribute, Convert]:
    """The element type of what is in the slot, and how the accumulator's bits become that."""
    epilogue = init.acc_push_epilogue
    if epilogue is None:
        return tile.type.element_type, as_it_is
    quant, plain = epilogue.quant, epilogue.relu is ReluPreMode.NoRelu
    element = result_of(m.channels.of(init), tile.type.element_type)
    if quant is PushQuant.NoQuant and plain:
        return element, as_it_is
    source, dst = tile.dtype, dtype_of(element)

    def convert(bits: Array, *_: int) -> Array:
        values = bits.view(source.number)
        if not takes_scales(quant):
            return finished(values, None, False, plain, dst)
        scales = m.push_scales.get(init)
        if scales is None or scales.by_column != quant.value.endswith("_vec"):
            raise _no_scale(op, m, quant)
        if scales.current is not None and not np.array_equal(scales.current(), scales.words):
            raise _overwritten(op, m)
        words = scales.words[: values.shape[1]] if scales.by_column else scales.words
        if len(words) not in (1, values.shape[1]):
            raise _no_scale(op, m, quant)
        signed = words | SIGNED if dst.text == "i8" else words & ~SIGNED
        return finished(values, signed, scales.by_column, plain, dst)

    return element, convert


def _overwritten(op: PushOp, m: Machine) -> Exception:
    message = "the scales of set_quant_vector were overwritten before this push, which reads them"
    return m.refuse(
        "PTO-R927", message, op, fix="use a separate scaling tile for each channel, or push before the tmov"
    )


def _no_scale(op: PushOp, m: Machine, quant: PushQuant) -> Exception:
    setter = "set_quant_vector" if quant.value.endswith("_vec") else "set_quant_scalar"
    message = (
        f"the channel converts with {quant.value}, but no {setter} with a scale for every column comes "
        "before it"
    )
    return m.refuse("PTO-R927", message, op, fix=f"add `pto.{setter}(...) {{id = ...}}` before the push")
