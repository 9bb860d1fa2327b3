"""Products of mx operands: groups of 32 numbers along k share a power of two."""

from __future__ import annotations

from ptoas.analysis.storage import SCALE_SHIFT
from ptoas.dialects.pto import matmul as dialect
from ptoas.dialects.pto.enums import TileLoc
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine, Step, instruction, value
from ptoas.machine.tiles import Tile, Unplaced
from ptoas.ops.matmul import beginning, check_extents, check_walk, first_term, in_blocks, write

GROUP = 32
"""Numbers that share a scale."""


def scaled(operand: Tile, scale: Tile, groups: int) -> Array:
    """The numbers of an operand with k along the columns, times their scales, as doubles: neither can
    overflow."""
    by_columns = operand.memory.loc is TileLoc.Left
    bits, powers = operand.load_raw(), scale.load().astype(np.float64)
    if not by_columns:
        bits, powers = bits.T, powers.T
    dtype = operand.dtype
    numbers = dtype.halves(bits) if dtype.kind == "pairs" else dtype.numbers(bits)
    return numbers.astype(np.float64) * np.repeat(powers[:, :groups], GROUP, axis=1)[:, : numbers.shape[1]]


@instruction(
    dialect.TMatmulMxOp,
    dialect.TMatmulMxAccOp,
    dialect.TMatmulMxBiasOp,
    dialect.TGemvMxOp,
    dialect.TGemvMxAccOp,
    dialect.TGemvMxBiasOp,
)
def mx_product(
    op: dialect.MxOp,
    m: Machine,
    dst: Tile,
    lhs: Tile,
    lhs_scale: Tile,
    rhs: Tile,
    rhs_scale: Tile,
    acc_in: Tile | None = None,
    bias: Tile | None = None,
) -> Step:
    """One instruction forms its sum in doubles and rounds it to f32 once; then it adds the accumulator or the
    bias. A program that splits k adds the parts in its own order."""
    walk = m.target.model(op)
    begin = beginning(op, m)
    check_extents(op, m, dst, lhs, rhs, bias)
    check_walk(op, m, walk.strided, lhs, rhs)
    rows, cols = lhs.valid[0], rhs.valid[1]
    terms = lhs.valid[1] * (2 if lhs.dtype.kind == "pairs" else 1)
    groups = -(-terms // GROUP)
    scales = (
        _scales(op, m, lhs, lhs_scale, (rows, groups), walk.derives_scales),
        _scales(op, m, rhs, rhs_scale, (groups, cols), walk.derives_scales),
    )
    out, start = dst.with_valid(rows, cols), first_term(rows, cols, acc_in, bias)
    whole = in_blocks(out, walk.blocks)

    def run() -> None:
        begin(dst, rows)
        a, b = (scaled(each, scale, groups) for each, scale in zip((lhs, rhs), scales, strict=True))
        total = (a @ b.T).astype(np.float32)
        if start is not None:
            total += start.load()
        write(whole, out, total.view(np.uint32))

    sources = (lhs, rhs, *scales, *([start] if start is not None else []))
    return Step(run, tuple(tile.region for tile in sources), (whole.region,))


def _scales(
    op: dialect.MxOp, m: Machine, operand: Tile, scale: Tile, shape: tuple[int, int], looks_up: bool
) -> Tile:
    """The scales that an operand needs, if they are there."""
    if any(found < expected for found, expected in zip(scale.valid, shape, strict=True)):
        found = f"{scale.valid[0]}x{scale.valid[1]} of {scale.describe()}"
        required = f"{shape[0]}x{shape[1]} for {operand.describe()}"
        raise m.refuse("PTO-R105", f"scales {found}, expected {required}", op)
    if looks_up and scale.address != operand.address >> SCALE_SHIFT:
        found, expected = scale.describe(), f"{operand.address >> SCALE_SHIFT:#x}"
        message = (
            f"{found} is not at {expected}, where the matrix unit reads the scales of {operand.describe()}"
        )
        raise m.refuse("PTO-R157", message, op)
    return scale.with_valid(*shape)


@value(dialect.TGetScaleAddrOp)
def tget_scale_addr(op: dialect.TGetScaleAddrOp, m: Machine, src: Tile, dst: Tile | Unplaced) -> Tile:
    """Bind the scale address at run time, where it was not known to the compiler."""
    memory = m.memory(dst.type.loc.data)
    return Tile(dst.type, memory, src.address >> SCALE_SHIFT, dst.valid, dst.name)
