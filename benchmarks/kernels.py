"""Programs for the calibration of the cost model: each as the published measurement describes it.

They are walked with `force`: they leave out addresses and barriers that cost no time here.
"""

from __future__ import annotations

from collections.abc import Callable

NZ = "blayout=col_major, slayout=row_major"


def flag(name: str, source: str, target: str, number: int = 0) -> str:
    return f"pto.{name}_flag[<PIPE_{source}>, <PIPE_{target}>, <EVENT_ID{number}>]"


def gemm(m: int, n: int, k: int, grid: tuple[int, int], block: int = 64, element: str = "f16") -> str:
    """One core's share of a product: tiles of 128x256, four blocks of k a load, double buffers everywhere."""
    rows, cols, deep = m // grid[0] // 128, n // grid[1] // 256, 4 * block
    a, b = (
        f"!pto.tile_buf<mat, 128x{deep}x{element}, {NZ}>",
        f"!pto.tile_buf<mat, {deep}x256x{element}, {NZ}>",
    )
    left = f"!pto.tile_buf<left, 128x{block}x{element}, {{left}}>"
    right = f"!pto.tile_buf<right, {block}x256x{element}, slayout=col_major>"
    acc = f"!pto.tile_buf<acc, 128x256xf32, {NZ}, fractal=1024>"
    va, vb = f"!pto.memref<128x{deep}x{element}>", f"!pto.memref<{deep}x256x{element}>"
    numbers = sorted({0, 1, rows * cols, k, 2 * deep, *range(0, deep, block)})
    tiles = (("a", a), ("b", b), ("l", left), ("r", right))
    lines = [
        f"func.func @gemm(%x: {va}, %y: {vb}, %o: !pto.memref<128x256xf32>) {{",
        *(f"%c{n} = arith.constant {n} : index" for n in numbers),
        *(f"%{name}{n} = pto.alloc_tile : {kind}" for name, kind in tiles for n in (0, 1)),
        f"%acc = pto.alloc_tile : {acc}",
        *(flag("set", *pair, n) for pair in (("MTE1", "MTE2"), ("M", "MTE1")) for n in (0, 1)),
        flag("set", "FIX", "M"),
        f"scf.for %t = %c0 to %c{rows * cols} step %c1 {{",
        flag("wait", "FIX", "M"),
        f"scf.for %k = %c0 to %c{k} step %c{2 * deep} {{",
    ]  # fmt: skip
    for slot in (0, 1):
        lines += [
            flag("wait", "MTE1", "MTE2", slot),
            f"pto.tload ins(%x : {va}) outs(%a{slot} : {a})",
            f"pto.tload ins(%y : {vb}) outs(%b{slot} : {b})",
            flag("set", "MTE2", "MTE1", slot),
        ]
    for slot in (0, 1):
        lines.append(flag("wait", "MTE2", "MTE1", slot))
        for n in range(4):
            half, at = n % 2, n * block
            lines += [
                flag("wait", "M", "MTE1", half),
                f"pto.textract ins(%a{slot}, %c0, %c{at} : {a}, index, index) outs(%l{half} : {left})",
                f"pto.textract ins(%b{slot}, %c{at}, %c0 : {b}, index, index) outs(%r{half} : {right})",
                flag("set", "MTE1", "M", half),
                flag("wait", "MTE1", "M", half),
                f"pto.tmatmul.acc ins(%acc, %l{half}, %r{half} : {acc}, {left}, {right}) outs(%acc : {acc})",
                flag("set", "M", "MTE1", half),
            ]
        lines.append(flag("set", "MTE1", "MTE2", slot))
    lines += [
        "}",
        flag("set", "M", "FIX"),
        flag("wait", "M", "FIX"),
        f"pto.tstore ins(%acc : {acc}) outs(%o : !pto.memref<128x256xf32>)",
        flag("set", "FIX", "M"),
        "}",
        *(flag("wait", *pair, n) for pair in (("MTE1", "MTE2"), ("M", "MTE1")) for n in (0, 1)),
        flag("wait", "FIX", "M"),
        "return",
        "}",
    ]
    return "\n".join(lines).replace("{left}", "slayout=row_major" if element == "f16" else NZ)


def stream(loads: int, buffers: int, tiles: int, shape: str = "128x64xf32", op: str = "tadd") -> str:
    """Tiles of `loads` arguments through UB: load, add or nothing, store; a flag for each buffer."""
    tile, view = f"!pto.tile_buf<vec, {shape}>", f"!pto.memref<{shape}>"
    names = "xy"[:loads]
    lines = [
        f"func.func @stream({', '.join(f'%{name}: {view}' for name in (*names, 'o'))}) {{",
        *(f"%c{n} = arith.constant {n} : index" for n in sorted({0, 1, tiles // buffers})),
        *(f"%{name}{n} = pto.alloc_tile : {tile}" for n in range(buffers) for name in f"{names}"),
        *(flag("set", "MTE3", "MTE2", n) for n in range(buffers)),
        f"scf.for %t = %c0 to %c{tiles // buffers} step %c1 {{",
    ]
    for n in range(buffers):
        lines += [
            flag("wait", "MTE3", "MTE2", n),
            *(f"pto.tload ins(%{name} : {view}) outs(%{name}{n} : {tile})" for name in names),
        ]
        if loads > 1:
            lines += [
                flag("set", "MTE2", "V", n),
                flag("wait", "MTE2", "V", n),
                f"pto.{op} ins(%x{n}, %y{n} : {tile}, {tile}) outs(%x{n} : {tile})",
                flag("set", "V", "MTE3", n),
                flag("wait", "V", "MTE3", n),
            ]
        else:
            lines += [flag("set", "MTE2", "MTE3", n), flag("wait", "MTE2", "MTE3", n)]
        lines += [f"pto.tstore ins(%x{n} : {tile}) outs(%o : {view})", flag("set", "MTE3", "MTE2", n)]
    lines += ["}", *(flag("wait", "MTE3", "MTE2", n) for n in range(buffers)), "return", "}"]
    return "\n".join(lines)


def prefetch(turns: int) -> str:
    """Two slots, and one event for both: each addition waits for the load of the next slot, too."""
    tile, view = "!pto.tile_buf<vec, 64x64xf32>", "!pto.memref<64x64xf32>"
    steps: list[str] = []
    for slot, other in ((0, 1), (1, 0)):
        steps += [
            flag("wait", "V", "MTE2"),
            *(f"pto.tload ins(%{n} : {view}) outs(%{n}{other} : {tile})" for n in "xy"),
            flag("set", "MTE2", "V"),
            flag("wait", "MTE2", "V"),
            flag("wait", "MTE3", "V"),
            f"pto.tadd ins(%x{slot}, %y{slot} : {tile}, {tile}) outs(%z : {tile})",
            flag("set", "V", "MTE2"),
            flag("set", "V", "MTE3"),
            flag("wait", "V", "MTE3"),
            f"pto.tstore ins(%z : {tile}) outs(%o : {view})",
            flag("set", "MTE3", "V"),
        ]
    tiles = "\n".join(f"%{name} = pto.alloc_tile : {tile}" for name in ("x0", "x1", "y0", "y1", "z"))
    body = "\n".join(steps)
    return f"""
func.func @k(%x: {view}, %y: {view}, %o: {view}) {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%n = arith.constant {turns} : index
{tiles}
pto.tload ins(%x : {view}) outs(%x0 : {tile})
pto.tload ins(%y : {view}) outs(%y0 : {tile})
{flag("set", "V", "MTE2")}
{flag("set", "MTE3", "V")}
scf.for %t = %c0 to %n step %c1 {{
{body}
}}
{flag("wait", "V", "MTE2")}
{flag("wait", "MTE3", "V")}
return
}}
"""


def gather(rows: int, cols: int) -> str:
    """One launch that gathers rows of a table."""
    index = f"!pto.tile<1x{-(-rows // 8) * 8}xi32, valid=1x{rows}>"
    return f"""
.arg %t : !pto.memref<65536x{cols}xf32>
.arg %i : {index}
%d = mgather.row %t, %i : (!pto.memref<65536x{cols}xf32>, {index}) -> !pto.tile<{rows}x{cols}xf32>
"""


def topk() -> str:
    """The sorting of one row of 1024: blocks of 32, then three merges by four."""
    values, pairs = "!pto.tile<1x1024xf32>", "!pto.tile<1x2048xf32>"
    lines = [f".arg %s : {values}", ".arg %i : !pto.tile<1x1024xu32>"]
    lines += [f".const %n{n} = {n} : i32" for n in (64, 256, 512)]
    lines.append(f"%a = tsort32 %s, %i : ({values}, !pto.tile<1x1024xu32>) -> {pairs}")
    for n, (source, made) in zip((64, 256, 512), ("ab", "bc", "cd"), strict=True):
        lines.append(f"%{made} = tmrgsort %{source}, %n{n} : ({pairs}, i32) -> {pairs}")
    return "\n".join(lines)


def mxfp4() -> str:
    """A product of 256x256x256 in pairs of fp4."""
    a, b = (
        f"!pto.tile_buf<left, 256x128x!pto.f4E2M1x2, {NZ}>",
        ("!pto.tile_buf<right, 128x256x!pto.f4E2M1x2, slayout=col_major>"),
    )
    s = "!pto.tile_buf<scaling, 256x8x!pto.f8E8M0, slayout=row_major, fractal=32>"
    t = "!pto.tile_buf<scaling, 8x256x!pto.f8E8M0, blayout=col_major, slayout=col_major, fractal=32>"
    c = f"!pto.tile_buf<acc, 256x256xf32, {NZ}, fractal=1024>"
    return f"""
func.func @product(%a: {a}, %s: {s}, %b: {b}, %t: {t}, %c: {c}) {{
  pto.tmatmul.mx ins(%a, %s, %b, %t : {a}, {s}, {b}, {t}) outs(%c : {c})
  return
}}
"""


def tget(rows: int) -> str:
    """A read of another rank's memory, rows of 1 KiB, through a tile of 16 KiB."""
    view, tile = f"!pto.memref<{rows}x256xf32>", f"!pto.tile_buf<vec, {min(rows, 16)}x256xf32>"
    return f"""
func.func @read(%dst: {view}, %src: {view}, %t: {tile}) {{
  pto.comm.tget(%dst, %src, buf(%t) : {view}, {view}, {tile})
  return
}}
"""


PROGRAMS: dict[str, Callable[..., str]] = {
    "gemm": gemm, "stream": stream, "gather": gather, "topk": topk, "mxfp4": mxfp4, "tget": tget,
}  # fmt: skip
