"""Programs whose ranks reach each other's windows, as public kernels do: by the distance in a table."""

# ruff: noqa: E501

from __future__ import annotations

SIZES = {"f32": 4, "i32": 4, "f16": 2, "i16": 2, "i8": 1}


def offset(element: str) -> str:
    """The function that turns a rank into the distance of its window, in elements."""
    return f"""
func.func private @to_{element}(%ctx: !pto.ptr<i64>, %peer: index) -> index {{
  %at_rank = arith.constant 2 : index
  %windows = arith.constant 4 : index
  %size = arith.constant {SIZES[element]} : i64
  %pair = pto.load_scalar %ctx[%at_rank] : !pto.ptr<i64> -> i64
  %low = arith.trunci %pair : i64 to i32
  %self = arith.index_cast %low : i32 to index
  %at_own = arith.addi %windows, %self : index
  %own = pto.load_scalar %ctx[%at_own] : !pto.ptr<i64> -> i64
  %at_peer = arith.addi %windows, %peer : index
  %base = pto.load_scalar %ctx[%at_peer] : !pto.ptr<i64> -> i64
  %bytes = arith.subi %base, %own : i64
  %elements = arith.divsi %bytes, %size : i64
  %distance = arith.index_cast %elements : i64 to index
  return %distance : index
}}
"""


FENCE = "pto.fence.barrier_all #pto.fence_scope<gm>"
WAIT = "pto.comm.twait(%own, %one : !pto.tensor_view<1xi32>, i32) {cmp = #pto<wait_cmp ge>}"
POLL = """scf.while : () -> () {
    %ready = pto.comm.ttest(%own, %one : !pto.tensor_view<1xi32>, i32) {cmp = #pto<wait_cmp ge>} -> i1
    %yet = arith.constant true
    %waits = arith.xori %ready, %yet : i1
    scf.condition(%waits)
  } do {
    scf.yield
  }"""
"""Waiting, at once or by asking again and again."""

PRELUDE = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %me = arith.index_cast %my_rank : i32 to index
  %n = arith.index_cast %nranks : i32 to index
"""


def ring(
    rows: int,
    cols: int,
    *,
    element: str = "f32",
    tile: tuple[int, int] | None = None,
    tiles: int = 1,
    fence: str = "",
    wait: str = WAIT,
    put: str = "tput",
    attrs: str = "",
    reach: str = "",
    target: str = "%peer",
) -> str:
    """Each rank puts its data into the next one's window and tells it; then it reads what it got.

    `put`: `tput`, or `tput_async`; `reach`: what is added to the pointer of the peer's window.
    """
    memory = f"{rows}x{cols}x{element}"
    lines: list[str] = []
    staging, types = "", ""
    if tile is not None:
        per_block = 32 // SIZES[element]
        width = -(-tile[1] // per_block) * per_block
        kind = f"!pto.tile_buf<vec, {tile[0]}x{width}x{element}, valid=?x?>"
        names = ["%ping", "%pong"][:tiles]
        lines += [f"%tr = arith.constant {tile[0]} : index", f"%tc = arith.constant {tile[1]} : index"]
        lines += [f"{name} = pto.alloc_tile valid_row = %tr valid_col = %tc : {kind}" for name in names]
        staging, types = f", buf({', '.join(names)})", f", {kind}" * tiles
    lines += [
        f"%rows = arith.constant {rows} : index",
        f"%cols = arith.constant {cols} : index",
        "%next = arith.addi %me, %c1 : index",
        "%peer = arith.remsi %next, %n : index",
        f"%d = func.call @to_{element}(%ctx, %peer) : (!pto.ptr<i64>, index) -> index",
        f"%p = pto.addptr %window, %d : !pto.ptr<{element}> -> !pto.ptr<{element}>",
    ]
    pointer = "%p"
    if reach:
        lines += [
            f"%more = arith.constant {reach} : index",
            f"%q = pto.addptr %p, %more : !pto.ptr<{element}> -> !pto.ptr<{element}>",
        ]
        pointer = "%q"
    view = f"!pto.tensor_view<{memory}>"
    lines += [
        f"%there = pto.make_tensor_view {pointer}, shape = [%rows, %cols], strides = [%cols, %c1] : {view}",
        f"%here = pto.make_tensor_view %window, shape = [%rows, %cols], strides = [%cols, %c1] : {view}",
    ]
    if put == "tput":
        lines.append(
            f"pto.comm.tput(%there, %src{staging} : {view}, !pto.memref<{memory}>{types}) {{{attrs}}}"
        )
    else:
        lines += _asynchronous(view, memory)
    if fence:
        lines.append(fence)
    lines += [
        f"%e = func.call @to_i32(%ctx, {target}) : (!pto.ptr<i64>, index) -> index",
        "%s = pto.addptr %signal, %e : !pto.ptr<i32> -> !pto.ptr<i32>",
        "%word = pto.make_tensor_view %s, shape = [%c1], strides = [%c1] : !pto.tensor_view<1xi32>",
        "pto.comm.tnotify(%word, %one : !pto.tensor_view<1xi32>, i32) {notifyOp = #pto<notify_op atomic_add>}",
        "%own = pto.make_tensor_view %signal, shape = [%c1], strides = [%c1] : !pto.tensor_view<1xi32>",
        wait,
        f"pto.comm.tget(%out, %here : !pto.memref<{memory}>, {view})",
    ]
    body = "\n".join(f"  {line}" for line in lines)
    arguments = (
        f"%src: !pto.memref<{memory}>, %out: !pto.memref<{memory}>, %window: !pto.ptr<{element}>, "
        "%signal: !pto.ptr<i32>, %ctx: !pto.ptr<i64>, %ws: !pto.ptr<i8>, %my_rank: i32, %nranks: i32"
    )
    functions = "".join(offset(each) for each in dict.fromkeys((element, "i32")))
    return f"func.func @main({arguments}) {{{PRELUDE}{body}\n  return\n}}\n{functions}"


def _asynchronous(view: str, memory: str) -> list[str]:
    session, event = "!pto.async_session", "!pto.async_event"
    return [
        "%scratch = pto.alloc_tile : !pto.tile_buf<vec, 1x64xi32>",
        f"%session = pto.comm.build_async_session(%scratch, %ws : !pto.tile_buf<vec, 1x64xi32>, !pto.ptr<i8>) -> {session}",
        f"%event = pto.comm.tput_async(%there, %src, %session : {view}, !pto.memref<{memory}>, {session}) -> {event}",
        f"%done = pto.comm.wait_async_event(%event, %session : {event}, {session}) -> i1",
    ]
