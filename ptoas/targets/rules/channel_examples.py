"""Short programs of a cube and a vector function, for the examples of the rules of channels."""

from __future__ import annotations

_TYPES = """\
!acc = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
!mat = !pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>
!vec = !pto.tile_buf<vec, 16x16xf32>
!out = !pto.memref<16x16xf32>
"""
CUBE = "attributes {pto.kernel_kind = #pto.kernel_kind<cube>}"
VECTOR = "attributes {pto.kernel_kind = #pto.kernel_kind<vector>}"

PAIR = f"""\
{_TYPES}func.func @cube(%gm: !pto.ptr<f32>, %acc: !acc) {CUBE} {{
  %ring = pto.import_reserved_buffer {{name = "ring", peer_func = @vector}} -> i32
  pto.aic_initialize_pipe {{dir_mask = 1, slot_size = 1024}}
    (gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %ring : i32)
  pto.tpush_to_aiv(%acc : !acc) {{split = 0}}
  return
}}
func.func @vector(%gm: !pto.ptr<f32>, %out: !out) {VECTOR} {{
  %ring = pto.reserve_buffer
    {{name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true}} -> i32
  pto.aiv_initialize_pipe {{dir_mask = 1, slot_size = 1024}}
    (gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {{split = 0}} -> !vec
  pto.tstore ins(%t : !vec) outs(%out : !out)
  pto.tfree_from_aic {{split = 0}}
  return
}}"""
"""A tile goes from the cube core to a vector core, through slots in global memory."""


def both(text: str, old: str, new: str) -> str:
    """A program with a text replaced everywhere."""
    assert old in text, old
    return text.replace(old, new)


def once(text: str, old: str, new: str) -> str:
    """A program with the first occurrence of a text replaced."""
    assert old in text, old
    return text.replace(old, new, 1)


LOCAL = both(PAIR, "gm_slot_buffer = %gm : !pto.ptr<f32>, ", "")
"""The same through slots in the unified buffer."""

SPLIT = both(
    once(once(PAIR, "vec, 16x16", "vec, 8x16"), "memref<16x16", "memref<8x16"), "split = 0", "split = 1"
)
"""Each vector core gets half of the rows."""

VIEWS = f"""\
!slot = !pto.tensor_view<16x16xf32>
func.func @cube(%gm: !pto.ptr<f32>) {CUBE} {{
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %slots = pto.make_tensor_view %gm, shape = [%c16, %c16], strides = [%c16, %c1] : !slot
  pto.aic_initialize_pipe {{dir_mask = 1, slot_size = 1024}} (gm_slot_tensor = %slots : !slot)
  %s = pto.talloc_to_aiv {{split = 0}} -> !slot
  pto.tpush_to_aiv(%s : !slot) {{split = 0}}
  return
}}
func.func @vector(%gm: !pto.ptr<f32>) {VECTOR} {{
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %slots = pto.make_tensor_view %gm, shape = [%c16, %c16], strides = [%c16, %c1] : !slot
  pto.aiv_initialize_pipe {{dir_mask = 1, slot_size = 1024}} (gm_slot_tensor = %slots : !slot)
  %s = pto.tpop_from_aic {{split = 0}} -> !slot
  pto.tfree_from_aic(%s : !slot) {{split = 0}}
  return
}}"""
"""The slots themselves are filled and read, as views of global memory."""

EPILOGUE = once(
    both(
        PAIR,
        "slot_size = 1024",
        "slot_size = 1024, nosplit = true, acc_push_epilogue = "
        "#pto.acc_push_epilogue<layout = nz2nd, quant = f32_f16, relu = no_relu>",
    ),
    "vec, 16x16xf32",
    "vec, 16x16xf16",
).replace("memref<16x16xf32>", "memref<16x16xf16>")
"""A push that converts its tile."""

LOCAL_EPILOGUE = both(EPILOGUE, "gm_slot_buffer = %gm : !pto.ptr<f32>, ", "")
"""The same in the unified buffer."""

_RING = 'pto.reserve_buffer {{name = "{}", size = {}, location = #pto.address_space<{}>, auto = true}} -> i32'


def both_directions(memory: str = "") -> str:
    """A program whose tiles go both ways through one channel."""
    operands = f"{memory}c2v_consumer_buf = %there : i32, v2c_consumer_buf = %back : i32"
    return f"""\
{_TYPES}func.func @cube(%gm: !pto.ptr<f32>, %acc: !acc) {CUBE} {{
  %there = pto.import_reserved_buffer {{name = "there", peer_func = @vector}} -> i32
  %back = {_RING.format("back", 4096, "mat")}
  pto.aic_initialize_pipe {{dir_mask = 3, slot_size = 1024}} ({operands})
  pto.tpush_to_aiv(%acc : !acc) {{split = 0}}
  return
}}
func.func @vector(%gm: !pto.ptr<f32>) {VECTOR} {{
  %there = {_RING.format("there", 4096, "vec")}
  %back = pto.import_reserved_buffer {{name = "back", peer_func = @cube}} -> i32
  pto.aiv_initialize_pipe {{dir_mask = 3, slot_size = 1024}} ({operands})
  %t = pto.tpop_from_aic {{split = 0}} -> !vec
  pto.tfree_from_aic {{split = 0}}
  return
}}"""


def with_more_channels(count: int) -> str:
    """A program with further channels that nothing uses."""
    text = PAIR
    for n in range(1, count + 1):
        declared = (
            f"_initialize_pipe {{id = {n}, dir_mask = 1, slot_size = 32}} "
            f"(gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %r{n} : i32)\n"
        )
        cube = f'  %r{n} = pto.import_reserved_buffer {{name = "r{n}", peer_func = @vector}} -> i32\n'
        vector = f"  %r{n} = {_RING.format(f'r{n}', 256, 'vec')}\n"
        text = once(text, "  pto.tpush", f"{cube}  pto.aic{declared}  pto.tpush")
        text = once(text, "  %t = pto.tpop", f"{vector}  pto.aiv{declared}  %t = pto.tpop")
    return text
