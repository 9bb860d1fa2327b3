"""A push that converts: every quant, layout and relu against plain formulas, on every target that has it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoas
from ptoas.compiler.run import run
from ptoas.machine import hifloat8
from ptoas.machine.dtypes import by_text

from .support import failing

SIDE = 32
SCALE = 0.5
OF_A5 = {
    "qs322bf16_pre_scalar": ("i32", "bf16"),
    "qs322bf16_pre_vec": ("i32", "bf16"),
    "qf322hif8_pre_scalar": ("f32", "hif8"),
    "qf322fp8_pre_scalar": ("f32", "f8E4M3FN"),
}
QUANTS = {
    "no_convert": ("f32", "f32"),
    "f32_f16": ("f32", "f16"),
    "f32_bf16": ("f32", "bf16"),
    "req8_scalar": ("i32", "ui8"),
    "req8_vec": ("i32", "i8"),
    "deqf16_scalar": ("i32", "f16"),
    "deqf16_vec": ("i32", "f16"),
    "qf322b8_pre_scalar": ("f32", "i8"),
    "qf322b8_pre_vec": ("f32", "i8"),
    "qf322f16_pre_scalar": ("f32", "f16"),
    "qf322bf16_pre_scalar": ("f32", "bf16"),
    **OF_A5,
}
"""Element types of what is pushed and of what is popped."""

LAYOUTS = {
    "nz2nd": ("", f"{SIDE}x{SIDE}x{{}}"),
    "nz2dn": (", blayout=col_major", f"{SIDE}x{SIDE}x{{}}, dn"),
    "nz2nz": (", blayout=col_major, slayout=row_major", f"1x{{1}}x{SIDE // 16}x16x{{2}}x{{0}}, nz"),
}
"""Layout of the popped tile, and of the memory that it is stored to."""


def program(layout: str, quant: str, relu: str, memory: str) -> str:
    source, result = QUANTS[quant]
    acc = f"!pto.tile_buf<acc, {SIDE}x{SIDE}x{source}, blayout=col_major, slayout=row_major, fractal=1024>"
    block = 32 // by_text(result).size
    tile = f"!pto.tile_buf<vec, {SIDE}x{SIDE}x{result}{LAYOUTS[layout][0]}>"
    out = f"!pto.memref<{LAYOUTS[layout][1].format(result, SIDE // block, block)}>"
    scales = f"!pto.tile_buf<scaling, 1x{SIDE}xui64>"
    arguments = f"%gm: !pto.ptr<f32>, %acc: {acc}, %s: f32, %fp: {scales}, %out: {out}"
    scaling = ""
    if quant.endswith("_scalar"):
        scaling = "pto.set_quant_scalar(%s : f32) {id = 0}"
    elif quant.endswith("_vec"):
        scaling = f"pto.set_quant_vector(%fp : {scales}) {{id = 0}}"
    epilogue = f"#pto.acc_push_epilogue<layout = {layout}, quant = {quant}, relu = {relu}>"
    said = f"{{dir_mask = 1, slot_size = 4096, slot_num = 2, nosplit = true, acc_push_epilogue = {epilogue}}}"
    slots = f"({memory}c2v_consumer_buf = %ring : i32)"
    kind = "attributes {{pto.kernel_kind = #pto.kernel_kind<{}>}}"
    room = '{name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true}'
    return f"""
func.func @cube({arguments}) {kind.format("cube")} {{
  %ring = pto.import_reserved_buffer {{name = "ring", peer_func = @vector}} -> i32
  pto.aic_initialize_pipe {said} {slots}
  {scaling}
  pto.tpush_to_aiv(%acc : {acc}) {{split = 0}}
  return
}}
func.func @vector({arguments}) {kind.format("vector")} {{
  %ring = pto.reserve_buffer {room} -> i32
  pto.aiv_initialize_pipe {said} {slots}
  %t = pto.tpop_from_aic {{split = 0}} -> {tile}
  pto.tstore ins(%t : {tile}) outs(%out : {out})
  pto.tfree_from_aic {{split = 0}}
  return
}}
"""


def pushed(quant: str) -> dict[str, Any]:
    source = QUANTS[quant][0]
    # Small whole numbers: halves of them are numbers of every type, and some of them are ties.
    acc = np.random.default_rng(len(quant)).integers(-7, 8, (SIDE, SIDE))
    column = np.full(SIDE, SCALE, np.float32)
    column[::2] = 2
    words = column.view(np.uint32).astype(np.uint64)[None]
    return {"acc": acc.astype(np.int32 if source == "i32" else np.float32), "s": SCALE, "fp": words}


def expected(quant: str, relu: str) -> np.ndarray[Any, Any]:
    result = QUANTS[quant][1]
    given = pushed(quant)
    values = given["acc"].astype(np.float64)
    if quant.endswith("_scalar"):
        values = values * SCALE
    elif quant.endswith("_vec"):
        values = values * given["fp"].astype(np.uint32).view(np.float32)
    if result in ("i8", "ui8"):
        values = np.clip(np.rint(values), *((-128, 127) if result == "i8" else (0, 255)))
    return np.maximum(values, 0) if relu == "normal_relu" else values


def logical(found: np.ndarray[Any, Any], layout: str) -> np.ndarray[Any, Any]:
    """Blocks of 16 rows and 32 bytes, column of blocks by column of blocks, become rows."""
    if layout != "nz2nz":
        return found
    _, columns, rows, height, width = found.shape
    return found[0].transpose(1, 2, 0, 3).reshape(rows * height, columns * width)


@pytest.mark.parametrize("quant", QUANTS)
def test_popped_tile_is_converted_by_the_epilogue(quant: str) -> None:
    memory = "gm_slot_buffer = %gm : !pto.ptr<f32>, "
    ways = [("a5", "", layout) for layout in LAYOUTS]
    if quant not in OF_A5:
        ways += [("a2a3", memory, "nz2nd"), ("cpu", memory, "nz2nd")]
        ways += [("cpu", "", layout) for layout in LAYOUTS]
    for target, slots, layout in ways:
        for relu in ("no_relu", "normal_relu"):
            text = program(layout, quant, relu, slots)
            out = run(ptoas.parse(text), pushed(quant), target).outputs["out"]
            wanted = expected(quant, relu)
            if QUANTS[quant][1] == "hif8":  # NumPy has no such numbers
                wanted = hifloat8.encode(wanted)
            assert np.array_equal(logical(out, layout).astype(wanted.dtype), wanted), (target, layout, relu)


def test_a_push_without_its_scale_stops_a_run() -> None:
    """The run stops also without verification."""
    text = program("nz2nd", "deqf16_scalar", "no_relu", "")
    unset = "\n".join(line for line in text.splitlines() if "set_quant" not in line)
    assert "no set_quant_scalar" in failing("PTO-R927", unset, pushed("deqf16_scalar")).message
    other = text.replace("pto.set_quant_scalar(%s : f32) {id = 0}", "pto.set_quant_scalar(%s : f32) {id = 4}")
    assert "no channel 4" in failing("PTO-R927", other, pushed("deqf16_scalar")).message


def test_scales_stay_until_they_are_pushed_with() -> None:
    """The device reads them when it pushes; another vector in their place would be taken."""
    scales, other = f"!pto.tile_buf<scaling, 1x{SIDE}xui64>", f"!pto.tile_buf<mat, 1x{SIDE}xui64>"
    text = program("nz2nd", "deqf16_vec", "no_relu", "").replace("%s: f32,", f"%s: f32, %m: {other},")
    move = f"pto.tmov ins(%m : {other}) outs(%fp : {scales})"
    given = {**pushed("deqf16_vec"), "m": np.full((1, SIDE), 7, np.uint64)}
    late = text.replace("  pto.tpush_to_aiv", f"  {move}\n  pto.tpush_to_aiv")
    assert "overwritten" in failing("PTO-R927", late, given).message
    run(ptoas.parse(text.replace("  pto.set_quant", f"  {move}\n  pto.set_quant")), given, "a5")
