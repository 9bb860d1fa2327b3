"""Moving data between global memory, tiles and scalars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ptoas.dialects.pto.enums import (
    AccPhase,
    AtomicType,
    CompactMode,
    Layout,
    PadValue,
    PrintFormat,
    STPhase,
    TileLoc,
)
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.memory import TLoadOp, TPrintOp, TStoreOp
from ptoas.dialects.pto.scalar import ElementOp, LoadScalarOp, StoreScalarOp, TGetValOp, TSetValOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.machine.arrays import Array, np
from ptoas.machine.checks import check_region
from ptoas.machine.dtypes import DType
from ptoas.machine.handover import DeferredGather
from ptoas.machine.machine import Machine, Step, instruction, value
from ptoas.machine.memory import LocalPointer, Pointer, View, address_of
from ptoas.machine.tiles import Region, Tile, in_runs
from ptoas.ops.fixpipe import check_columns, check_scales, check_steps, conversion, steps, warn_of_undefined
from ptoas.ops.transfer import check_extents, in_dimensions_of, outside, paired, rows_and_columns
from ptoas.ops.views import Unplaced


def pad_bits(m: Machine, dtype: DType, pad: PadValue) -> Any:
    """The bit pattern of a pad value: infinities where the type has them, else its least and greatest
    number. Devices pad floats of a byte with zeros, whatever is asked for."""
    bytewise = m.target.has_pipes and dtype.size == 1 and not dtype.is_integer
    if pad in (PadValue.Null, PadValue.Zero) or bytewise or dtype.kind == "pairs":
        return dtype.raw.type(0)
    if dtype.is_integer:
        limits = np.iinfo(dtype.number)
        number = limits.max if pad is PadValue.Max else limits.min
        return np.array(number, dtype.number).view(dtype.raw)[()]
    extreme = np.inf if pad is PadValue.Max else -np.inf
    if dtype.text == "f8E4M3FN":
        # This type has no infinity: its largest number is used.
        extreme = 448.0 if pad is PadValue.Max else -448.0
    return dtype.encode(np.array(extreme)).view(dtype.raw)[()]


@instruction(TLoadOp)
def tload(op: TLoadOp, m: Machine, dst: Tile, mem: View) -> Step:
    if 0 in dst.type.valid:
        return Step(lambda: None)
    if mem.layout in SCALES:
        return loading_scales(op, m, dst, mem)
    pair = paired(op, m, dst, mem)
    if pair is None:
        moving = converting(dst)

        def move() -> None:
            moving(mem)
    else:
        source, window = in_runs(*pair)
        moving = loading(mem, source, window)

        def move() -> None:
            window[...] = source

    pads, writes = padding(m, dst)
    if not pads:
        return Step(move, writes=writes, moving=moving)
    bits = pad_bits(m, dst.dtype, dst.type.pad)

    def run() -> None:
        for part in pads:
            part[...] = bits
        move()

    return Step(run, writes=writes)


SCALES = (Layout.MX_A_ZZ, Layout.MX_B_NN)


def loading_scales(op: TLoadOp, m: Machine, dst: Tile, mem: View) -> Step:
    """Move boxes of scales as a whole, valid or not."""
    check_extents(op, m, dst, mem)

    def scales(view: View) -> Array:
        try:
            return rows_and_columns(view)
        except (ValueError, TypeError):
            raise outside(op, m, view) from None

    whole = dst.with_valid(*(min(pair) for pair in zip(dst.full.valid, scales(mem).shape, strict=True)))
    rows, cols = whole.valid

    def load(view: View) -> None:
        whole.store_raw(scales(view)[:rows, :cols])

    return Step(lambda: load(mem), writes=(whole.region,), moving=load)


def padding(m: Machine, dst: Tile) -> tuple[tuple[Array, ...], tuple[Any, ...]]:
    """Return the padding that a load writes besides the valid region, and the whole written region.

    A device pads each row to a whole burst, and only if the type names a pad value; the simulator fills the
    whole tile first, with zeros if it names none.
    """
    rows, cols = dst.valid
    if not m.target.has_pipes:
        if dst.valid == (dst.rows, dst.cols):
            return (), (dst.region,)
        return (dst.flat,), (dst.full.region,)
    if dst.type.pad is PadValue.Null or dst.boxed:
        return (), (dst.region,)
    size = dst.dtype.size
    if dst.col_stride == size:
        until = min(dst.cols, -(-cols * size // BURST) * BURST // size)
        wide = dst.with_valid(rows, until)
        return ((wide.raw[:, cols:],) if until > cols else ()), (wide.region,)
    until = min(dst.rows, -(-rows * size // BURST) * BURST // size)
    extended = dst.with_valid(until, cols)
    return ((extended.raw[rows:, :],) if until > rows else ()), (extended.region,)


@instruction(TStoreOp)
def tstore(op: TStoreOp, m: Machine, src: Tile, mem: View, fp: Tile | None = None) -> Step:
    atomic = AtomicType.AtomicNone if op.atomic_type is None else op.atomic_type.data
    combine: Callable[..., Array] | None = {
        AtomicType.AtomicAdd: np.add,
        AtomicType.AtomicMax: np.maximum,
        AtomicType.AtomicMin: np.minimum,
    }.get(atomic)
    kind = None if combine is None else atomic

    def bound(src: Tile, mem: View, fp: Tile | None) -> Step:
        dtype = mem.dtype
        warn_of_undefined(op, m, src)
        if src.type.loc.data is TileLoc.Acc:
            check_steps(op, m, src, steps(src, src.type.compact is CompactMode.Normal))
        check_scales(op, m, fp)
        check_columns(op, m, fp, 0, src.valid[1])
        if combine is not None and dtype.coded:
            raise m.refuse("PTO-R505", f"{dtype.short} does not support arithmetic for an atomic store", op)
        pair = paired(op, m, src, mem)
        converts = dtype is not src.dtype or fp is not None or op.relu_pre_mode is not None
        if pair is None or converts or op.pre_quant is not None:
            convert = conversion(src, dtype, fp, op.pre_quant is not None, op.relu_pre_mode)

            def store(view: View, *word: int) -> None:
                values = convert(src.load_raw(), *word)
                if combine is not None:
                    old = rows_and_columns(view).reshape(src.valid)
                    values = combine(old.view(dtype.number), values.view(dtype.number)).view(dtype.raw)
                view.array[...] = in_dimensions_of(view, values)

            reads = (src.region,) if fp is None else (src.region, fp.region)
            return Step(lambda *word: store(mem, *word), reads, moving=store, atomic=kind)
        if combine is None:
            target, window = in_runs(*pair)

            def run() -> None:
                target[...] = window
        else:
            target, window = pair[0].view(dtype.number), pair[1].view(dtype.number)
            add = combine

            def run() -> None:
                add(target, window, out=target)

        moving = storing(mem, target, window) if combine is None else None
        filled = None if combine is not None else filling(src, mem, target, window)
        return Step(run, reads=(src.region,), moving=moving, atomic=kind, filled=filled)

    if 0 in src.type.valid:
        return Step(lambda *_: None)
    return waiting(op, m, src, bound(src, mem, fp))


def waiting(op: TStoreOp, m: Machine, src: Tile, step: Step) -> Step:
    """A store with a phase waits for the product that says it is the last; a final one empties its tile."""
    phase = None if op.st_phase is None else op.st_phase.data
    if phase is None or phase is STPhase.Unspecified or not m.target.has_pipes:
        return step
    phases = src.memory.phases

    def wait(run: Callable[..., None]) -> Callable[..., None]:
        def waited(*values: Any) -> None:
            if phases.get(src.address) is not AccPhase.Final:
                message = (
                    f"stPhase {phase.value} waits for a product into {src.describe()} with accPhase final, "
                    "but there is none"
                )
                raise m.refuse("PTO-R131", message, op)
            run(*values)
            if phase is STPhase.Final:
                phases[src.address] = None

        return waited

    return replace(step, run=wait(step.run), moving=None if step.moving is None else wait(step.moving))


def converting(dst: Tile) -> Callable[[View], None]:
    """A load that makes another layout of the memory's."""

    def run(view: View) -> None:
        dst.store_raw(rows_and_columns(view).reshape(dst.valid))

    return run


def loading(mem: View, source: Array, window: Array) -> Callable[[View], None]:
    """A load from any view of this form."""
    raw, size = mem.buffer.raw, mem.dtype.size
    row = in_one_row(mem, source, window)
    if row is not None:
        count = len(row)

        def run_row(view: View) -> None:
            start = view.offset
            row[...] = raw[start : start + count]

        return run_row
    shape, strides, dtype, array = source.shape, source.strides, source.dtype, np.ndarray
    places = rows_of_boxes(source, window)
    if places is not None:
        count, target = int(places.max()) + 1, window.T

        def run_boxes(view: View) -> None:
            array(count, dtype, raw, view.offset * size).take(places, 0, target, "clip")

        return run_boxes

    def run(view: View) -> None:
        window[...] = array(shape, dtype, raw, view.offset * size, strides)

    return run


def rows_of_boxes(source: Array, window: Array) -> Array | None:
    """Positions in memory of each row of a box, in the tile's order, in units of such rows.

    `None` if memory or tile have another layout. NumPy gathers this many bytes faster than it assigns them.
    """
    if source.ndim != 2 or source.itemsize != BURST or not window.T.flags.c_contiguous:
        return None
    if any(stride < 0 or stride % BURST for stride in source.strides):
        return None
    dims = zip(source.shape, source.strides, strict=True)
    row, column = (np.arange(n) * (stride // BURST) for n, stride in dims)
    return column[:, None] + row


def storing(mem: View, target: Array, window: Array) -> Callable[[View], None]:
    """A store to any view of this form."""
    raw, size = mem.buffer.raw, mem.dtype.size
    row = in_one_row(mem, target, window)
    if row is not None:
        count = len(row)

        def run_row(view: View) -> None:
            start = view.offset
            raw[start : start + count] = row

        return run_row
    shape, strides, dtype, array = target.shape, target.strides, target.dtype, np.ndarray

    def run(view: View) -> None:
        array(shape, dtype, raw, view.offset * size, strides)[...] = window

    return run


def filling(
    src: Tile, mem: View, target: Array, window: Array
) -> Callable[[View, Array, DeferredGather, bool], bool] | None:
    """A store of what a gather takes, which goes to memory and from there to the tile."""
    row = in_one_row(mem, target, window)
    if row is None or src.boxed or not src.raw.flags.c_contiguous:
        return None
    raw, shape, count = mem.buffer.raw, src.valid, len(row)

    def run(view: View, indices: Array, later: DeferredGather, unseen: bool) -> bool:
        if later.out.shape != shape:
            return False
        start = view.offset
        part = raw[start : start + count]
        later.take(indices, 0, part.reshape(shape), "clip")
        if not unseen:
            row[...] = part
        return True

    return run


def in_one_row(mem: View, memory: Array, window: Array) -> Array | None:
    """The tile's elements in a row, where they and the memory's follow each other without gaps and in one
    order: a slice of memory is made in half the time of an array."""
    if not memory.size or not (memory.flags.c_contiguous and window.flags.c_contiguous):
        return None
    if address_of(memory) != mem.buffer.address + mem.offset * mem.dtype.size:
        return None
    return window.reshape(-1).view(mem.dtype.raw)


# --- scalars -------------------------------------------------------------------------------------


@value(LoadScalarOp)
def load_scalar(op: LoadScalarOp, m: Machine, ptr: Pointer | LocalPointer, offset: int) -> float:
    if isinstance(ptr, LocalPointer):
        return read_element(op, m, ptr.tile, ptr.offset + offset)
    at = ptr.offset + offset
    buffer = ptr.buffer
    if not (0 <= at < buffer.size or buffer.holds(at, at)):
        raise scalar_outside(op, m, ptr, offset)
    return buffer.dtype.numbers(buffer.raw[at : at + 1])[0].item()


@value(StoreScalarOp)
def store_scalar(
    op: StoreScalarOp, m: Machine, value: float, ptr: Pointer | LocalPointer, offset: int
) -> None:
    if isinstance(ptr, LocalPointer):
        write_element(op, m, ptr.tile, ptr.offset + offset, value)
        return
    at = ptr.offset + offset
    buffer = ptr.buffer
    if not (0 <= at < buffer.size or buffer.holds(at, at)):
        raise scalar_outside(op, m, ptr, offset)
    buffer.raw[at] = np.asarray(buffer.dtype.scalar(value)).view(buffer.dtype.raw)


def scalar_outside(op: LoadScalarOp | StoreScalarOp, m: Machine, ptr: Pointer, offset: int) -> Exception:
    base = f" ({ptr.offset} + {offset})" if ptr.offset else ""
    message = (
        f"element {ptr.offset + offset}{base} is outside %{ptr.buffer.name}, which has {ptr.buffer.size}"
    )
    return m.refuse("PTO-R106", message, op, operand=list(op.operands).index(op.offset))


@value(TSetValOp)
def tsetval(op: TSetValOp, m: Machine, offset: int, value: float, dst: Tile | Unplaced) -> None:
    write_element(op, m, dst, offset, value)


@value(TGetValOp)
def read_element(op: ElementOp, m: Machine, tile: Tile | Unplaced, offset: int) -> float:
    element = element_at(op, m, tile, offset)
    if m.checks.init:
        check_region(op, m, element)
    return element.tile.dtype.numbers(element.tile.flat[offset : offset + 1])[0].item()


def write_element(op: ElementOp, m: Machine, tile: Tile | Unplaced, offset: int, value: float) -> None:
    element = element_at(op, m, tile, offset)
    dtype = element.tile.dtype
    element.tile.flat[offset] = np.asarray(dtype.scalar(value)).view(dtype.raw)
    element.mark(op)


def element_at(op: ElementOp, m: Machine, tile: Tile | Unplaced, offset: int) -> Region:
    """One element of a tile, counted in the order of its bytes."""
    if isinstance(tile, Unplaced):
        raise m.fail("PTO-R507", f"%{tile.name} is used before it has an address", op)
    if not 0 <= offset < tile.flat.size:
        message = f"element {offset} is outside {tile.describe()}, which has {tile.flat.size}"
        raise m.refuse("PTO-R106", message, op, operand=slot_places(op)["offset"].start)
    return tile.elements(np.array([offset]))


# --- printing ------------------------------------------------------------------------------------


@instruction(TPrintOp)
def tprint(op: TPrintOp, m: Machine, src: Tile | View, tmp: View | None = None) -> Step:
    form: PrintFormat = m.target.value(op, "printFormat")

    def run() -> None:
        if isinstance(src, Tile):
            numbers = src.dtype.numbers(np.ascontiguousarray(src.load_raw()))
        else:
            try:
                numbers = src.dtype.numbers(np.ascontiguousarray(rows_and_columns(src)))
            except ValueError:
                raise outside(op, m, src) from None
        m.print_line(printed(numbers, src.dtype, form))

    return Step(run, reads=(src.region,) if isinstance(src, Tile) else ())


def printed(numbers: Array, dtype: DType, format: PrintFormat = PrintFormat.Width8_Precision4) -> str:
    """`TPRINT 2x3`, then the rows, as wide and with as many digits as the format says."""
    width, digits = format.digits
    form = f"{{:{width}d}}" if dtype.is_integer else f"{{:{width}.{digits}f}}"
    rows, cols = numbers.shape
    lines = [" ".join(form.format(x) for x in row) for row in numbers.tolist()]
    return "\n".join((f"TPRINT {rows}x{cols}", *lines))
