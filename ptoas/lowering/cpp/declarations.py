"""Tiles and views: their types, their variables, their addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.knowledge import packed_strides, physical_shape
from ptoas.analysis.structure import is_of
from ptoas.dialects.pto.enums import BLayout, Layout, SLayout, TileLoc
from ptoas.dialects.pto.matmul import TGetScaleAddrOp
from ptoas.dialects.pto.types import DYNAMIC, MAX_RANK, TileType, ViewType
from ptoas.dialects.pto.views import (
    AliasOp,
    AllocTileOp,
    DimensionOp,
    GetTensorViewDimOp,
    GetValidShapeOp,
    MakeTensorViewOp,
    PartitionViewOp,
    SetValidShapeOp,
    SubviewOp,
    TAssignOp,
    TileValidRowsOp,
    TReshapeOp,
    ValidExtentOp,
)
from ptoas.lowering.cpp.handlers import emits
from ptoas.lowering.cpp.types import (
    CppView,
    Extent,
    along,
    dimensions,
    dynamic,
    element_cpp,
    numbers_of,
    times,
)

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter


@emits(AllocTileOp)
def _alloc(emit: FunctionEmitter, op: AllocTileOp) -> None:
    name = declare_tile(emit, op.result, (op.valid_row, op.valid_col))
    if op.addr is not None:
        _place(emit, name, op.addr)
    if _rounds_terms(op.tile_type):
        emit.line(f"{name}.SetKAligned(true);")


def _place(emit: FunctionEmitter, name: str, address: SSAValue | int) -> None:
    """Give a tile its address; the library checks bounds and alignment of a constant when it compiles."""
    constant = address if isinstance(address, int) else emit.knowledge.constant(address)
    if constant is not None:
        emit.line(f"TASSIGN<0x{constant:x}>({name});")
    elif not isinstance(address, int):
        emit.line(f"TASSIGN({name}, {emit.text(address)});")


def _rounds_terms(type: TileType) -> bool:
    """Return True if the library must round the columns of a packed left operand in Zz up to 16.

    It moves transposed f32, and everything else, this way, and so does the matrix unit, only on request.
    """
    if not type.packs or type.loc.data is not TileLoc.Left or element_cpp(type.element_type) != "float":
        return False
    return (type.blayout, type.slayout) == (BLayout.RowMajor, SLayout.RowMajor)


@emits(TAssignOp)
def _assign(emit: FunctionEmitter, op: TAssignOp) -> None:
    name = emit.text(op.tile)
    address = op.address.value.data if op.address is not None else op.addr
    assert address is not None
    _place(emit, name, address)
    if op.result is not None:
        emit.rename(op.result, name)


@emits(TGetScaleAddrOp)
def _assign_scales(emit: FunctionEmitter, op: TGetScaleAddrOp) -> None:
    emit.line(f"TASSIGN({emit.text(op.dst)}, GetScaleAddr({emit.text(op.src)}.data()));")


@emits(SubviewOp)
def _subview(emit: FunctionEmitter, op: SubviewOp) -> None:
    """A window keeps its parent's extents in C++, from which strides follow; its own are the valid ones."""
    type = op.result.type
    assert isinstance(type, TileType)
    if numbers_of(type.element_type) > 1:
        raise emit.unsupported(op, "the library's windows do not count pairs; bitcast the tile to ui8")
    name = declare_tile(emit, op.result, op.valid or (None, None))
    source = emit.text(op.source)
    if type.slayout is SLayout.NoneBox:
        row, col = (emit.text(offset) for offset in op.offsets)
        emit.line(f"TSUBVIEW({name}, {source}, {row}, {col});")
        return
    # TSUBVIEW counts as if there were no boxes. A window starts with one, so a step is a part of a box's.
    whole = op.source
    while isinstance(whole.owner, SubviewOp):
        whole = whole.owner.source
    assert isinstance(whole.type, TileType)
    axes = (whole.type.geometry.rows, whole.type.geometry.cols)
    steps = [
        f" + {emit.operand(offset)} * {axis.outer // axis.box}"
        for offset, axis in zip(op.offsets, axes, strict=True)
        if emit.knowledge.constant(offset) != 0
    ]
    emit.line(f"TASSIGN({name}, reinterpret_cast<uint64_t>({source}.data(){''.join(steps)}));")


@emits(AliasOp)
def _alias(emit: FunctionEmitter, op: AliasOp) -> None:
    """`TRESHAPE` compares physical sizes, and a window has those of its parent; bytes that are left over, and
    those of a window, are another tile at the same address."""
    source, result = op.types()
    name, tile = emit.name(op.result), emit.text(op.source)
    shown = result.shape if isinstance(op, TReshapeOp) else _valid_shape(tile, source)
    emit.line(f"{emit.tile_type(op.result)} {name}{_open(result, shown)};")
    sizes = [type.size_bytes * numbers_of(type.element_type) for type in (source, result)]
    is_window = physical_shape(op.source) != source.shape
    if sizes[0] == sizes[1] and not is_window:
        emit.line(f"TRESHAPE({name}, {tile});")
    else:
        emit.line(f"TASSIGN({name}, reinterpret_cast<uint64_t>({tile}.data()));")


@emits(GetValidShapeOp)
def _get_valid_shape(emit: FunctionEmitter, op: GetValidShapeOp) -> None:
    type = op.tile.type
    assert isinstance(type, TileType)
    for value, text in zip((op.row, op.col), _valid_shape(emit.text(op.tile), type), strict=True):
        emit.define(value, text)


@emits(ValidExtentOp)
def _valid_extent(emit: FunctionEmitter, op: ValidExtentOp) -> None:
    which = "Row" if isinstance(op, TileValidRowsOp) else "Col"
    emit.define(op.result, f"{emit.text(op.src)}.GetValid{which}()")


@emits(SetValidShapeOp)
def _set_valid_shape(emit: FunctionEmitter, op: SetValidShapeOp) -> None:
    type = op.tile.type
    assert isinstance(type, TileType)
    extent_texts = (emit.text(op.row), emit.text(op.col))
    extents = [str(times(text, count)) for text, count in zip(extent_texts, along(type), strict=True)]
    # The library sets what a type leaves open, and nothing else.
    match [extent for extent, valid in zip(extents, type.valid, strict=True) if valid == DYNAMIC]:
        case [row, col]:
            emit.line(f"{emit.text(op.tile)}.SetValidShape({row}, {col});")
        case [one]:
            which = "Row" if type.valid[0] == DYNAMIC else "Col"
            emit.line(f"{emit.text(op.tile)}.SetValid{which}({one});")
        case _:
            pass


def declare_tile(emit: FunctionEmitter, value: SSAValue, extents: Sequence[SSAValue | None]) -> str:
    """The variable of a tile; a valid extent that nothing gives is the physical one."""
    type, name = value.type, emit.name(value)
    assert isinstance(type, TileType)
    sizes = zip(type.shape, extents, strict=True)
    opened = _open(type, [size if extent is None else emit.text(extent) for size, extent in sizes])
    emit.line(f"{emit.tile_type(value)} {name}{opened};")
    return name


def _open(type: TileType, extents: Sequence[Extent]) -> str:
    """The arguments of a tile's constructor: the valid extents that its type leaves open."""
    extent_texts = [
        str(times(extent, count))
        for extent, valid, count in zip(extents, type.valid, along(type), strict=True)
        if valid == DYNAMIC
    ]
    return f"({', '.join(extent_texts)})" if extent_texts else ""


def _valid_shape(tile: str, type: TileType) -> tuple[str, ...]:
    """The valid extents of a tile that has been made, in elements."""
    calls = (f"{tile}.GetValidRow()", f"{tile}.GetValidCol()")
    return tuple(c if n == 1 else f"{c} / {n}" for c, n in zip(calls, along(type), strict=True))


# --- views ---------------------------------------------------------------------------------------


@emits(MakeTensorViewOp)
def _make_view(emit: FunctionEmitter, op: MakeTensorViewOp) -> None:
    facts = emit.knowledge.view(op.result)
    shape = _extents(emit, facts.shape, list(op.shape))
    strides = _extents(emit, facts.strides or (DYNAMIC,) * len(shape), list(op.strides))
    element = facts.type.element_type
    pointer, count = emit.text(op.ptr), numbers_of(element)
    declare_view(emit, op.result, CppView(element_cpp(element), pointer, shape, strides, facts.layout, count))


@emits(PartitionViewOp)
def _partition(emit: FunctionEmitter, op: PartitionViewOp) -> None:
    source = emit.view(op.source)
    facts = emit.knowledge.view(op.result)
    # The trailing dimensions of part and whole correspond; where the part has more, there is one (D11).
    rank = min(len(facts.shape), len(op.sizes))
    more = (1,) * (len(facts.shape) - rank)
    shape = (*more, *_extents(emit, facts.shape[-rank:], list(op.sizes)[-rank:]))
    strides = (*more, *source.strides[-rank:])
    pointer = source.pointer
    constant = 0
    for offset, stride in zip(op.offsets, source.strides, strict=True):
        known = emit.knowledge.constant(offset)
        if known is not None and isinstance(stride, int):
            constant += known * stride
        elif known != 0:
            step = emit.operand(offset)
            pointer += f" + {step}" if stride == 1 else f" + {step} * {stride}"
    if constant:
        pointer += f" + {constant}"
    view = CppView(source.element, pointer, shape, strides, facts.layout, source.count)
    declare_view(emit, op.result, view)


@emits(DimensionOp)
def _dimension(emit: FunctionEmitter, op: DimensionOp) -> None:
    """An extent or stride: of the view as it was made; of the tensor, if the program chooses which."""
    view, dim = emit.view(op.view), emit.knowledge.constant(op.dim)
    is_extent = isinstance(op, GetTensorViewDimOp)
    if dim is not None:
        emit.define(op.result, str((view.shape if is_extent else view.strides)[dim]))
        return
    missing = MAX_RANK - len(view.shape)
    at = emit.text(op.dim) if missing == 0 else f"{emit.operand(op.dim)} + {missing}"
    emit.define(op.result, f"{emit.argument(op.view)}.{'GetShape' if is_extent else 'GetStride'}({at})")


def _extents(emit: FunctionEmitter, known: tuple[int, ...], values: list[SSAValue]) -> tuple[Extent, ...]:
    return tuple(
        emit.text(value) if extent == DYNAMIC else extent for extent, value in zip(known, values, strict=True)
    )


def argument_view(type: ViewType, name: str, pointer: str, layout: Layout | None = None) -> CppView:
    """A memory parameter; extents and strides that the type leaves open are parameters too."""
    shape: list[Extent] = [
        f"{name}_dim{n}" if extent == DYNAMIC else extent for n, extent in enumerate(type.shape)
    ]
    strides: list[Extent] = []
    for n, stride in enumerate(type.strides or packed_strides(type.shape, type.layout)):
        written = type.strides is not None
        if stride != DYNAMIC:
            strides.append(stride)
        elif written:
            strides.append(f"{name}_stride{n}")
        else:
            strides.append(" * ".join(str(shape[dim]) for dim in _inside(n, len(shape), type.layout)))
    element = type.element_type
    extents, steps, count = tuple(shape), tuple(strides), numbers_of(element)
    return CppView(element_cpp(element), pointer, extents, steps, layout or type.layout, count)


def packed_view(type: ViewType, pointer: str) -> CppView:
    """Memory of a known shape at a pointer."""
    strides = type.strides or packed_strides(type.shape, type.layout)
    return CppView(element_cpp(type.element_type), pointer, type.shape, tuple(strides), type.layout)


def _inside(dim: int, rank: int, layout: Layout) -> list[int]:
    """The dimensions that one step along `dim` passes over; DN swaps the last two."""
    order = list(range(rank))
    if layout is Layout.DN and rank > 1:
        order[-1], order[-2] = order[-2], order[-1]
    return sorted(order[order.index(dim) + 1 :])


def declare_view(emit: FunctionEmitter, value: SSAValue, view: CppView) -> None:
    """Keep the view for those that look into it; a variable only where an instruction takes it."""
    emit.views[value] = view
    if not any(_needs_tensor(emit, use.operation) for use in value.uses):
        return
    name = emit.tensor_name(value)
    arguments = [view.pointer]
    shape, strides = dynamic(view.shape5), dynamic(view.strides5)
    if shape or strides:
        arguments.append(f"{dimensions('Shape', view.shape5)}({', '.join(shape)})")
    if strides:
        arguments.append(f"{dimensions('Stride', view.strides5)}({', '.join(strides)})")
    emit.line(f"{emit.tensor_type(value)} {name}({', '.join(arguments)});")


def _needs_tensor(emit: FunctionEmitter, user: Operation) -> bool:
    """Return True if an operation takes the view as a C++ variable."""
    kind = user.__class__
    if is_of(kind, (DimensionOp,)):
        return emit.knowledge.constant(cast(DimensionOp, user).dim) is None
    return not is_of(kind, (PartitionViewOp, func.CallOp))
