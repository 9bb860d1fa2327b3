"""Programs of several ranks, for the machine in one process and for MPI."""

# ruff: noqa: E501

from __future__ import annotations


def gather(
    ranks: int,
    shape: tuple[int, ...],
    tile: tuple[int, int] | None = None,
    *,
    root: int = 0,
    extra: int = 0,
    tiles: int = 1,
    element: str = "f32",
    op: str = "tgather",
    attrs: str = "",
) -> str:
    """A collective over a group argument, called by the root, through dynamic staging tiles or none."""
    member = "x".join(map(str, shape))
    whole = list(shape)
    if op in ("tgather", "tscatter"):
        rows = len(shape) - 2
        whole[rows] = whole[rows] * ranks + extra
    local = "x".join(map(str, whole))
    group, own = f"!pto.group<{ranks} x !pto.memref<{member}x{element}>>", f"!pto.memref<{local}x{element}>"
    lines, recv, types = [], "", [own]
    if tile is not None:
        per_block = {"f32": 8, "i32": 8, "f16": 16, "i8": 32}[element]
        cols = -(-tile[1] // per_block) * per_block
        kind = f"!pto.tile_buf<vec, {tile[0]}x{cols}x{element}, valid=?x?>"
        names = ["%ping", "%pong"][:tiles]
        lines += [f"%r = arith.constant {tile[0]} : index", f"%c = arith.constant {tile[1]} : index"]
        lines += [f"{name} = pto.alloc_tile valid_row = %r valid_col = %c : {kind}" for name in names]
        recv = f", recv({', '.join(names)})"
        types += [kind] * tiles
    types.append(group)
    fields = ", ".join([f"root = {root} : i32", *([attrs] if attrs else [])])
    lines.append(f"pto.comm.{op}(%own{recv}, group(%sources) : {', '.join(types)}) {{{fields}}}")
    return guarded(lines, f"%sources: {group}, %own: {own}, %my_rank: i32", root)


def guarded(lines: list[str], args: str, root: int = 0, before: str = "") -> str:
    """Statements that only one rank executes."""
    body = "\n".join(f"    {line}" for line in lines)
    return (
        f"func.func @main({args}) {{\n{before}"
        f"  %root = arith.constant {root} : i32\n"
        f"  %is_root = arith.cmpi eq, %my_rank, %root : i32\n"
        f"  scf.if %is_root {{\n{body}\n  }}\n  return\n}}\n"
    )


SOURCE_CHANGES = """
func.func @main(%g0: !pto.memref<8x32xf32>, %g1: !pto.memref<8x32xf32>, %own: !pto.memref<16x32xf32>, %my_rank: i32) {
  %c0 = arith.constant 0 : i32
  %is_root = arith.cmpi eq, %my_rank, %c0 : i32
  scf.if %is_root {
    pto.comm.tgather(%own, group(%g0, %g1) : !pto.memref<16x32xf32>, !pto.memref<8x32xf32>, !pto.memref<8x32xf32>) {root = 0 : i32}
  } else {
    %one = arith.constant 1.0 : f32
    %t = pto.alloc_tile : !pto.tile_buf<vec, 8x32xf32>
    pto.texpands ins(%one : f32) outs(%t : !pto.tile_buf<vec, 8x32xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 8x32xf32>) outs(%g1 : !pto.memref<8x32xf32>)
  }
  return
}
"""
"""Rank 1 writes what rank 0 gathers, and nothing orders the two."""

HANDSHAKE = """
func.func @main(%w0: !pto.ptr<i32>, %w1: !pto.ptr<i32>, %own: !pto.memref<16x32xi32>, %my_rank: i32) {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i1 = arith.constant 1 : index
  %i8 = arith.constant 8 : index
  %i32 = arith.constant 32 : index
  %flag = arith.constant 256 : index
  %g0 = pto.make_tensor_view %w0, shape = [%i8, %i32], strides = [%i32, %i1] : !pto.tensor_view<8x32xi32>
  %g1 = pto.make_tensor_view %w1, shape = [%i8, %i32], strides = [%i32, %i1] : !pto.tensor_view<8x32xi32>
  %is_root = arith.cmpi eq, %my_rank, %c0 : i32
  scf.if %is_root {{
    scf.while : () -> () {{
      %now = pto.load_scalar %w1[%flag] : !pto.ptr<i32> -> i32
      %waits = arith.cmpi ne, %now, %c1 : i32
      scf.condition(%waits)
    }} do {{
      scf.yield
    }}
    pto.comm.tgather(%own, group(%g0, %g1) : !pto.memref<16x32xi32>, !pto.tensor_view<8x32xi32>, !pto.tensor_view<8x32xi32>) {{root = 0 : i32}}
  }} else {{
    %t = pto.alloc_tile : !pto.tile_buf<vec, 8x32xi32>
    pto.texpands ins(%c1 : i32) outs(%t : !pto.tile_buf<vec, 8x32xi32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 8x32xi32>) outs(%g1 : !pto.tensor_view<8x32xi32>)
    {signal}
  }}
  return
}}
"""
"""Rank 1 fills its window, then stores a flag behind the data; rank 0 waits for the flag and gathers."""

SIGNAL = "pto.store_scalar %c1, %w1[%flag] : !pto.ptr<i32>, i32"

WAITS = """
func.func @main(%x: !pto.memref<8x32xf32>, %my_rank: i32) {
  %c1 = arith.constant 1 : i32
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x32xf32>
  pto.tload ins(%x : !pto.memref<8x32xf32>) outs(%t : !pto.tile_buf<vec, 8x32xf32>)
  %odd = arith.andi %my_rank, %c1 : i32
  %waits = arith.cmpi eq, %odd, %c1 : i32
  scf.if %waits {
    pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]
  }
  return
}
"""
"""Program in which ranks 1 and 3 wait for a flag that is never set."""
