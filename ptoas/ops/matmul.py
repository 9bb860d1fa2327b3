"""Products of matrices, as the matrix unit calculates them."""

from __future__ import annotations

from collections.abc import Callable

from ptoas.analysis.packing import is_packed
from ptoas.dialects.pto import matmul as dialect
from ptoas.dialects.pto.enums import AccPhase
from ptoas.dialects.pto.geometry import BOX_ROWS
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.memory import POISON
from ptoas.machine.tiles import Tile
from ptoas.ops.factors import factor, multiply, shares

GARBAGE = int.from_bytes(bytes([POISON]) * 8, "little")


@instruction(
    dialect.TMatmulOp,
    dialect.TMatmulAccOp,
    dialect.TMatmulBiasOp,
    dialect.TGemvOp,
    dialect.TGemvAccOp,
    dialect.TGemvBiasOp,
)
def product(
    op: dialect.ProductOp,
    m: Machine,
    dst: Tile,
    lhs: Tile,
    rhs: Tile,
    acc_in: Tile | None = None,
    bias: Tile | None = None,
) -> Step:
    """Floats are multiplied and added in f32, integers in i32, where they wrap.

    No document gives the order in which the matrix unit adds. Here one instruction forms the sum over all of
    its k as NumPy's product of two f32 matrices does, in an order that depends on shapes and layouts
    alone, and then adds the accumulator or the bias; a program that splits k adds the parts in its own order.
    """
    walk = m.target.model(op)
    begin = beginning(op, m)
    if isinstance(op, dialect.TMatmulOp) and dst.type.valid == (0, 0):
        return Step(lambda: None)
    check_extents(op, m, dst, lhs, rhs, bias)
    check_walk(op, m, walk.strided, lhs, rhs)
    rows, cols = lhs.valid[0], rhs.valid[1]
    out = dst.with_valid(rows, cols)
    start = first_term(rows, cols, acc_in, bias)
    number, raw = dst.dtype.number, dst.dtype.raw
    whole = in_blocks(out, walk.blocks)
    reads = (lhs.region, rhs.region, *([start.region] if start is not None else []))
    in_place = bias is None and (start is None or start.coincides(out))
    panels = panels_of(out) if in_place and whole is out and number == np.float32 else None
    if panels is not None:
        product = in_panels(lhs, rhs, panels, start is not None)

        def run_whole() -> None:
            begin(dst, rows)
            if out.memory.undefined is not None:
                out.memory.define(out)
            product()

        return Step(run_whole, reads, (whole.region,))
    left, right = factor(lhs), factor(rhs)

    def run() -> None:
        begin(dst, rows)
        total = rounded(multiply(left(), right()), number)
        if start is not None:
            total += start.load()
        write(whole, out, total.view(raw))

    return Step(run, reads, (whole.region,))


def panels_of(out: Tile) -> Array | None:
    """A result in f32 as (box of columns, row, column in the box); `None` where its boxes lie otherwise, or
    one of columns is cut."""
    width = out.geometry.cols.box
    if not out.geometry.rows.is_even or out.col_stride != out.dtype.size or out.valid[1] % width:
        return None
    strides = (out.geometry.cols.outer * out.dtype.size, out.row_stride, out.col_stride)
    return out.window((out.valid[1] // width, out.valid[0], width), strides, np.float32)


def in_panels(lhs: Tile, rhs: Tile, panels: Array, adds: bool) -> Callable[[], None]:
    """A product that is formed where it belongs: all rows times the columns of one box after the other."""
    count, rows, width = panels.shape
    terms = lhs.valid[1]
    parts = shares(rows, terms * width)
    shape = (count, parts, rows // parts, width)
    target = panels.reshape(shape)
    left, right = factor(lhs), factor(rhs, width)
    product = np.empty(shape, np.float32) if adds else target

    def run() -> None:
        np.matmul(left().reshape(1, parts, -1, terms), right()[:, None], out=product)
        if adds:
            np.add(target, product, out=target)

    return run


def beginning(op: dialect.ProductOp, m: Machine) -> Callable[[Tile, int], None]:
    """Check the phase and step attributes of a product of this many rows, and that it does not wait for a
    store that never comes."""
    phase = None if op.acc_phase is None else op.acc_phase.data
    has_phase = phase in (AccPhase.Partial, AccPhase.Final) and m.target.has_pipes

    def begin(dst: Tile, rows: int) -> None:
        phases = dst.memory.phases
        if has_phase and phases.get(dst.address) is AccPhase.Final:
            message = (
                f"{dst.describe()} holds a final product that was not stored with stPhase final: the device "
                "waits for that store"
            )
            raise m.refuse("PTO-R131", message, op)
        phases[dst.address] = phase
        dst.memory.walked[dst.address] = -(-rows // BOX_ROWS) * BOX_ROWS

    return begin


def check_walk(op: dialect.ProductOp, m: Machine, strided: str, lhs: Tile, rhs: Tile) -> None:
    """Say so, where only the run knows that an operand lies at other steps than the matrix unit takes; of
    static extents `verify` says it (PTO-K105)."""
    for word in strided.split():
        slot, _, dim = word.partition(".")
        at = ("rows", "cols").index(dim)
        tile = {"lhs": lhs, "rhs": rhs}.get(slot)
        if tile is None or tile.type.valid[at] != DYNAMIC or tile.type.packs:
            continue
        box = tile.type.geometry.box
        walked, lies = -(-tile.valid[at] // box[at]) * box[at], tile.type.shape[at]
        if walked < lies and tile.valid[1 - at] > box[1 - at] and not is_packed(op.operands_of(slot)[0]):
            m.warn(
                "PTO-R951",
                f"{op.mnemonic()}: {tile.describe()} has {lies} {dim}, of which {tile.valid[at]} are valid: "
                f"from one line of blocks to the next the matrix unit steps over {walked}",
                op,
            )


def in_blocks(out: Tile, blocks: tuple[int, int]) -> Tile:
    """Return the region that the matrix unit writes: whole blocks, clipped to the tile."""
    rows, cols = (
        min(room, -(-extent // step) * step)
        for room, extent, step in zip((out.rows, out.cols), out.valid, blocks, strict=True)
    )
    return out.with_valid(rows, cols)


def write(whole: Tile, out: Tile, bits: Array) -> None:
    """Store a product; what else its blocks hold then is undefined (D57)."""
    memory = out.memory
    if whole is not out:
        whole.store_raw(whole.dtype.raw.type(GARBAGE & ((1 << 8 * whole.dtype.size) - 1)))
        memory.undefine_except(whole, out)
    elif memory.undefined is not None:
        memory.define(out)
    out.store_raw(bits)


def first_term(rows: int, cols: int, acc_in: Tile | None, bias: Tile | None) -> Tile | None:
    """Return the initial value of the sum: the accumulator, or one bias row for all rows."""
    if acc_in is not None:
        return acc_in.with_valid(rows, cols)
    return None if bias is None else bias.with_valid(1, cols)


def rounded(total: Array, number: Array) -> Array:
    """A sum in the accumulator's type; integers wrap."""
    return total if total.dtype == number else total.astype(np.int64).astype(number)


def check_extents(
    op: dialect.ProductOp, m: Machine, dst: Tile, lhs: Tile, rhs: Tile, bias: Tile | None
) -> None:
    """The valid extents fit each other, and are at least 1."""
    (rows, terms), (others, cols) = lhs.valid, rhs.valid
    found = f"a {rows}x{terms} times {others}x{cols} product does not fit {dst.rows}x{dst.cols}"
    vector = isinstance(op, dialect.TGemvOp | dialect.TGemvAccOp | dialect.TGemvBiasOp)
    if rows > dst.rows or cols > dst.cols or terms != others or (vector and rows != 1):
        raise m.refuse("PTO-R105", found, op)
    if 0 in (rows, terms, cols):
        raise m.refuse("PTO-R105", f"{found}: the matrix unit multiplies at least 1x1", op)
    if bias is not None and bias.valid[1] < cols:
        raise m.refuse("PTO-R105", f"the bias has {bias.valid[1]} columns, the product {cols}", op)
