"""Row gathers and out-of-bounds modes for `cpu`, which has neither: element indices, remapped before (D17).

Before:

    pto.mgather ins(%table, %i : ...) outs(%d : ...)
                {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob clamp>}

After, leaving out types:

    scf.for %r = %c1 to %rows step %c1 { %w = pto.subview %k[%r, %c0] ...; pto.texpands ins(%r) outs(%w) }
    pto.tgather ins(%i, %k) outs(%x)        # x[r, c] = idx[r]
    ...                                     # x = min(x, rows of the table - 1)
    pto.tmuls ins(%x, %stride) outs(%x)
    pto.tci ins(%c0) outs(%s)
    pto.tcolexpand ins(%s) outs(%columns)
    pto.tadd ins(%x, %columns) outs(%x)     # x[r, c] = element of the table
    pto.mgather ins(%table, %x) outs(%d) {coalesce = #pto<coalesce elem>}

An index is 32 unsigned bits on the devices, so a negative one lies far beyond every table (D12).
For `zero` the table is read at a place that exists, and a tile gather then puts zeros where the index was
outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ptoas.analysis.knowledge import Knowledge, shape_str
from ptoas.diagnostics import Diagnostic, PtoasError
from ptoas.dialects.pto.element_types import BY_TYPE, element_text
from ptoas.dialects.pto.elementwise import (
    TAddOp,
    TCIOp,
    TDivOp,
    TMaxOp,
    TMinOp,
    TMulOp,
    TSubOp,
)
from ptoas.dialects.pto.enums import BLayout, Coalesce, CoalesceAttr, GatherOOB, Layout, SLayout
from ptoas.dialects.pto.expand import TColExpandOp, TExpandSOp
from ptoas.dialects.pto.gather import MGatherOp, TGatherOp
from ptoas.dialects.pto.movement import TMovOp
from ptoas.dialects.pto.tile_scalar import TAddSOp, TMulSOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import (
    AllocTileOp,
    MakeTensorViewOp,
    PartitionViewOp,
    SetValidShapeOp,
    SubviewOp,
)
from ptoas.location import span_of
from ptoas.targets import get_target
from ptoas.targets.row import Forms, Row
from ptoas.targets.rules.common import fits

INDEX = IndexType()
LARGEST_CAPACITY = 1 << 30
"""Remainders are taken in 32 bits and need room for twice the capacity; element indices of rows fit then."""


@dataclass(frozen=True)
class LegalizeCpuPass(ModulePass):
    """Gathers that `cpu` does not have, in terms of those that it has."""

    name = "legalize-cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        knowledge = Knowledge()
        for inner in list(op.walk()):
            if isinstance(inner, MGatherOp) and needs_rewriting(inner):
                _Rewriter(inner, knowledge).rewrite()


def _gathers_within_tiles(element: Attribute) -> bool:
    """Whether cpu gathers elements of this type within tiles, by index."""
    rows = get_target("cpu").entry(TGatherOp)
    assert isinstance(rows, Forms)
    row = rows.rows["index"]
    assert isinstance(row, Row)
    types = row.tiles["dst"].types
    return types is None or BY_TYPE[element] in types


def needs_rewriting(op: MGatherOp) -> bool:
    """Whether `cpu` lacks this gather: whole rows, or a say in what happens out of bounds."""
    return _is_row(op) or _out_of_bounds(op) is not GatherOOB.Undefined


def _is_row(op: MGatherOp) -> bool:
    return op.coalesce == CoalesceAttr(Coalesce.Row)


def _out_of_bounds(op: MGatherOp) -> GatherOOB:
    return GatherOOB.Undefined if op.gather_oob is None else op.gather_oob.data


class _Rewriter:
    """Builds the replacement in front of one gather."""

    def __init__(self, op: MGatherOp, knowledge: Knowledge):
        assert op.dst is not None, "destinations are allocated before"
        self.op = op
        self.knowledge = knowledge
        self.block = op.parent
        self.before: Operation | None = op
        self.dst = op.dst
        destination, index = op.dst.type, op.idx.type
        assert isinstance(destination, TileType) and isinstance(index, TileType)
        self.destination = destination
        self.element = index.element_type
        self.signed = BY_TYPE[self.element].kind == "int"
        self.oob = _out_of_bounds(op)
        self.row = _is_row(op)
        self.zero = self.oob is GatherOOB.Zero
        self.extents = [self._extent(0), self._extent(1)]
        # Helper tiles are valid as a whole, whatever the destination is; `zero` needs a row more.
        self.rows, self.cols = destination.rows + int(self.zero), destination.cols
        self.type = TileType.of(self.element, self.rows, self.cols, blayout=BLayout.RowMajor)

    # --- the rewrite -----------------------------------------------------------------------------

    def rewrite(self) -> None:
        view = self.knowledge.view(self.op.mem)
        plain = (BLayout.RowMajor, SLayout.NoneBox)
        if view.layout is not Layout.ND or (self.destination.blayout, self.destination.slayout) != plain:
            raise self._refuse(
                "only a packed or padded ND table and a row-major destination can be rewritten for cpu"
            )
        self._check_index()
        capacity = self._capacity()
        index = self.row_indices() if self.row else self.element_indices()
        safe, inside = self.remap(index, capacity)
        if self.row:
            stride = self._stride()
            self.put(TMulSOp(safe, stride, safe))
            self.put(TAddOp(safe, self.columns(), safe))
        if not self.zero:
            self.gather(self.valid_part(safe), self.dst)
        else:
            assert inside is not None
            self.gather_or_zero(safe, inside)
        assert self.block is not None
        self.block.erase_op(self.op)

    def row_indices(self) -> SSAValue:
        """`x[r, c] = idx[r]`: a tile gather through a tile of row numbers."""
        index = self.tile("x")
        # Tile gathers count the physical elements of their source row by row (D19).
        given = self.knowledge.tile(self.op.idx)
        places = self.row_numbers(given.cols if given.valid_cols == 1 else 1)
        self.put(TGatherOp(self.op.idx, places, index))
        return index

    def row_numbers(self, factor: int) -> SSAValue:
        """`k[r, c] = r * factor` in valid rows; 0 below."""
        numbers = self.tile("k")
        self.put(TExpandSOp(self.number(0), numbers))
        # The first row has its number already.
        one = self.constant(1, INDEX)
        loop_block = Block(arg_types=[INDEX])
        self.put(scf.ForOp(one, self.extents[0], one, [], loop_block))
        loop_block.add_op(scf.YieldOp())
        outer = self.before
        self.block, self.before = loop_block, loop_block.last_op
        row: SSAValue = loop_block.args[0]
        row.name_hint = "r"
        value = self.cast(row)
        if factor != 1:
            value = self.scalar(arith.MuliOp, [value, self.number(factor)])
        window = self.line(numbers, row)
        self.put(TExpandSOp(value, window))
        self.block, self.before = self.op.parent, outer
        return numbers

    def columns(self) -> SSAValue:
        """`c[r, c] = c`."""
        sequence = self.allocate(TileType.of(self.element, 1, self.cols, blayout=BLayout.RowMajor), "s")
        self.put(TCIOp(self.number(0), sequence))
        columns = self.tile("c")
        self.put(TColExpandOp(sequence, columns))
        return columns

    def element_indices(self) -> SSAValue:
        """A copy of the index tile in the shape of the others; 0 outside its valid region."""
        index = self.tile("x")
        self.put(TExpandSOp(self.number(0), index))
        self.put(TMovOp(self.op.idx, self.valid_part(index)))
        return index

    def remap(self, index: SSAValue, capacity: SSAValue) -> tuple[SSAValue, SSAValue | None]:
        """Indices that exist, and for `zero` a tile of ones where the index existed before."""
        if self.oob is GatherOOB.Undefined:
            return index, None
        limit = self.tile("limit")
        self.put(TExpandSOp(capacity, limit))
        if self.oob is GatherOOB.Wrap:
            return self.remainder(index, limit, capacity), None
        if self.signed:
            # A negative index is as good as the capacity: both lie outside.
            negative = self.negative(index)
            self.put(TMulOp(negative, limit, negative))
            self.put(TMaxOp(index, self.filled(0), index))
            self.put(TAddOp(index, negative, index))
        inside: SSAValue | None = None
        if self.zero:
            inside = self.tile("inside")
            self.put(TMinOp(index, limit, inside))
            self.put(TDivOp(inside, limit, inside))
            self.put(TSubOp(self.filled(1), inside, inside))
        last = self.tile("last")
        self.put(TSubOp(limit, self.filled(1), last))
        self.put(TMinOp(index, last, index))
        return index, inside

    def remainder(self, index: SSAValue, limit: SSAValue, capacity: SSAValue) -> SSAValue:
        """`index mod capacity` of the index as 32 unsigned bits."""
        negative = self.negative(index) if self.signed else None
        self.modulo(index, limit)
        if negative is not None:
            # 2^32 + i, the number that a negative i is: add the remainder of 2^32, then take it again.
            wrap = self._two_to_32(capacity)
            self.put(TMulSOp(negative, wrap, negative))
            self.put(TAddOp(index, negative, index))
            self.modulo(index, limit)
        return index

    def _two_to_32(self, capacity: SSAValue) -> SSAValue:
        """`2^32 mod capacity + capacity`: added to a remainder above -capacity it is never negative."""
        wide = self.scalar(arith.ExtSIOp, [capacity], i64)
        rest = self.scalar(arith.RemSIOp, [self.constant(1 << 32, i64), wide], i64)
        return self.scalar(arith.TruncIOp, [self.scalar(arith.AddiOp, [rest, wide], i64)], self.element)

    def modulo(self, index: SSAValue, limit: SSAValue) -> None:
        """`index -= index / limit * limit`, the quotient rounded towards zero."""
        quotient = self.tile("q")
        self.put(TDivOp(index, limit, quotient))
        self.put(TMulOp(quotient, limit, quotient))
        self.put(TSubOp(index, quotient, index))

    def negative(self, index: SSAValue) -> SSAValue:
        """1 where the index is negative, else 0."""
        flag = self.tile("negative")
        self.put(TMaxOp(index, self.filled(-1), flag))
        self.put(TMinOp(flag, self.filled(0), flag))
        self.put(TMulSOp(flag, self.number(-1), flag))
        return flag

    def gather(self, index: SSAValue, destination: SSAValue) -> None:
        self.put(MGatherOp(self.op.mem, index, destination, coalesce=Coalesce.Elem))

    def gather_or_zero(self, index: SSAValue, inside: SSAValue) -> None:
        """Gather among zeros, a row of them below; then every element picks itself, or one of the zeros."""
        element = self.destination.element_type
        if not _gathers_within_tiles(element):
            name = element_text(element)
            raise self._refuse(f"`zero` takes a tile gather of {name}, which cpu does not have")
        gathered = self.allocate(
            TileType.of(element, self.rows, self.cols, blayout=BLayout.RowMajor), "gathered"
        )
        self.put(TExpandSOp(self.zero_of(element), gathered))
        self.gather(self.valid_part(index), self.valid_part(gathered))
        # position = inside ? r * cols + c : first of the zeros
        below = self.number((self.rows - 1) * self.cols)
        position = self.row_numbers(self.cols)
        self.put(TAddOp(position, self.columns(), position))
        self.put(TSubOp(position, self.filled_with(below), position))
        self.put(TMulOp(position, inside, position))
        self.put(TAddSOp(position, below, position))
        self.put(TGatherOp(gathered, position, self.dst))

    # --- values ----------------------------------------------------------------------------------

    def _refuse(self, why: str) -> PtoasError:
        return PtoasError([Diagnostic("PTO-L008", why, span_of(self.op), targets=("cpu",))])

    def _check_index(self) -> None:
        """The shapes that devices ask for; what a rewritten gather is given says nothing of them any more."""
        found = self.knowledge.tile(self.op.idx).valid
        rows, cols = self.knowledge.tile(self.dst).valid
        required = [(1, rows), (rows, 1)] if self.row else [(rows, cols)]
        if (self.row and 1 not in found) or not any(fits(found, shape) for shape in required):
            words = " or ".join(map(shape_str, required))
            raise self._refuse(f"valid shape of the index: found {shape_str(found)}, required {words}")

    def _capacity(self) -> SSAValue:
        """Rows of the table, or its elements, as a scalar of the index type."""
        view = self.knowledge.view(self.op.mem)
        dims = range(len(view.shape))
        if self.row:
            dims = dims[-2:-1]
        known = prod(view.shape[dim] for dim in dims if view.shape[dim] != DYNAMIC)
        # An element's index has to reach the last row.
        reach = known * max(1, view.strides5[3]) if self.row else known
        if not 0 < reach < LARGEST_CAPACITY:
            raise self._refuse(
                f"a table of {reach} entries can not be rewritten for cpu, at most {LARGEST_CAPACITY - 1} can"
            )
        result = self.number(known)
        for dim in dims:
            if view.shape[dim] == DYNAMIC:
                result = self.scalar(arith.MuliOp, [result, self.cast(self._dimension(dim))])
        return result

    def _dimension(self, dim: int) -> SSAValue:
        owner = self.op.mem.owner
        match owner:
            case MakeTensorViewOp():
                return owner.shape[dim]
            case PartitionViewOp() if len(owner.sizes) == len(self.knowledge.view(self.op.mem).shape):
                return owner.sizes[dim]
            case _:
                raise self._refuse(
                    "the table's extents must be known, or values of the program, to rewrite this for cpu"
                )

    def _stride(self) -> SSAValue:
        """Elements from one row of the table to the next."""
        view = self.knowledge.view(self.op.mem)
        stride = view.strides5[3]
        if stride != DYNAMIC:
            return self.number(stride)
        at: Operation | Block = self.op.mem.owner
        while isinstance(at, PartitionViewOp):
            at = at.source.owner
        if isinstance(at, MakeTensorViewOp) and len(at.strides) >= 2:
            return self.cast(at.strides[-2])
        raise self._refuse(
            "the table's row stride must be known, or a value of the program, to rewrite this for cpu"
        )

    def _extent(self, dim: int) -> SSAValue:
        """A valid extent of the destination as an index value."""
        valid = self.destination.valid[dim]
        if valid != DYNAMIC:
            return self.constant(valid, INDEX)
        owner = self.dst.owner
        given = None
        reshaped = any(isinstance(use.operation, SetValidShapeOp) for use in self.dst.uses)
        if isinstance(owner, AllocTileOp) and not reshaped:
            given = owner.valid_row if dim == 0 else owner.valid_col
        if given is None:
            raise self._refuse("the destination's valid extents must be known, or set where it is allocated")
        return given

    def constant(self, value: int, type: Attribute) -> SSAValue:
        return self.insert(arith.ConstantOp(IntegerAttr(value, cast("IntegerType | IndexType", type))))

    def number(self, value: int) -> SSAValue:
        """A scalar of the index tile's element type."""
        return self.constant(value, self.element)

    def zero_of(self, type: Attribute) -> SSAValue:
        if BY_TYPE[type].is_integer:
            return self.constant(0, type)
        return self.insert(arith.ConstantOp(FloatAttr(0.0, type)))  # pyright: ignore

    def cast(self, value: SSAValue) -> SSAValue:
        return self.scalar(arith.IndexCastOp, [value], self.element)

    def scalar(
        self, op: type[Operation], operands: list[SSAValue], type: Attribute | None = None
    ) -> SSAValue:
        return self.insert(op.create(operands=operands, result_types=[type or self.element]))

    def filled(self, value: int) -> SSAValue:
        return self.filled_with(self.number(value))

    def filled_with(self, value: SSAValue) -> SSAValue:
        tile = self.tile("all")
        self.put(TExpandSOp(value, tile))
        return tile

    # --- tiles -----------------------------------------------------------------------------------

    def tile(self, name: str) -> SSAValue:
        return self.allocate(self.type, name)

    def allocate(self, type: TileType, name: str) -> SSAValue:
        result = self.insert(AllocTileOp(type))
        result.name_hint = name
        return result

    def line(self, tile: SSAValue, row: SSAValue) -> SSAValue:
        """One whole row of a helper tile."""
        assert isinstance(tile.type, TileType)
        type = TileType.of(tile.type.element_type, 1, self.cols, blayout=BLayout.RowMajor)
        return self.window(tile, row, type, [])

    def valid_part(self, tile: SSAValue) -> SSAValue:
        """The part of a helper tile that corresponds to the destination's valid region."""
        destination = self.destination
        if destination.valid == destination.shape and not self.zero:
            return tile
        assert isinstance(tile.type, TileType)
        type = TileType.of(
            tile.type.element_type, *destination.shape, valid=destination.valid, blayout=BLayout.RowMajor
        )
        return self.window(tile, self.constant(0, INDEX), type, self.extents)

    def window(self, tile: SSAValue, row: SSAValue, type: TileType, extents: list[SSAValue]) -> SSAValue:
        offsets = [row, self.constant(0, INDEX)]
        window = self.insert(SubviewOp(type, tile, offsets, extents, sizes=type.shape))
        window.name_hint = "w"
        return window

    # --- inserting -------------------------------------------------------------------------------

    def put(self, op: Operation) -> None:
        op.location = self.op.location
        assert self.block is not None and self.before is not None
        self.block.insert_op_before(op, self.before)

    def insert(self, op: Operation) -> SSAValue:
        """Put an operation before the gather; its result."""
        self.put(op)
        return op.results[0]
