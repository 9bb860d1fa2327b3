"""Building tiles of element indices in front of a gather or scatter, with the instructions that `cpu` has."""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ptoas.analysis.knowledge import Knowledge, shape_str
from ptoas.diagnostics import Diagnostic, PtoasError
from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.elementwise import TAddOp, TCIOp, TDivOp, TMaxOp, TMinOp, TMulOp, TSubOp
from ptoas.dialects.pto.enums import BLayout, Coalesce, CoalesceAttr, Layout, SLayout
from ptoas.dialects.pto.expand import TColExpandOp, TExpandSOp
from ptoas.dialects.pto.gather import IndexedMemoryOp, MScatterOp, TGatherOp
from ptoas.dialects.pto.movement import TMovOp
from ptoas.dialects.pto.tile_scalar import TMulSOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import (
    AllocTileOp,
    MakeTensorViewOp,
    PartitionViewOp,
    SetValidShapeOp,
    SubviewOp,
)
from ptoas.grammar.spans import span_of
from ptoas.targets.rules.common import fits

INDEX = IndexType()
LARGEST_CAPACITY = 1 << 30
"""Remainders are taken in 32 bits and need room for twice the capacity; element indices of rows fit then."""


class IndexBuilder:
    """Builder of the operations before the instruction: index tiles, remapped according to its mode.

    `data` is the tile whose elements move; `more` rows of the helper tiles lie below its rows.
    """

    def __init__(self, op: IndexedMemoryOp, data: SSAValue, knowledge: Knowledge, more: int = 0):
        self.op = op
        self.data = data
        self.knowledge = knowledge
        self.block = op.parent
        self.before: Operation | None = op
        tile, index = data.type, op.idx.type
        assert isinstance(tile, TileType) and isinstance(index, TileType)
        self.data_type = tile
        self.element = index.element_type
        self.signed = BY_TYPE[self.element].kind == "int"
        self.row = op.coalesce == CoalesceAttr(Coalesce.Row)
        self.more = more
        self.word = "source" if isinstance(op, MScatterOp) else "destination"
        self.extents = [self._extent(0), self._extent(1)]
        # Helper tiles are valid as a whole, whatever the data is.
        self.rows, self.cols = tile.rows + more, tile.cols
        self.type = TileType.of(self.element, self.rows, self.cols, blayout=BLayout.RowMajor)

    def check_layouts(self) -> None:
        view = self.knowledge.view(self.op.mem)
        plain = (BLayout.RowMajor, SLayout.NoneBox)
        if view.layout is not Layout.ND or (self.data_type.blayout, self.data_type.slayout) != plain:
            raise self.refuse(
                f"only a packed or padded ND table and a row-major {self.word} can be rewritten for cpu"
            )

    def indices(self) -> SSAValue:
        """The given indices, one for each element."""
        return self.row_indices() if self.row else self.element_indices()

    def of_rows(self, index: SSAValue) -> SSAValue:
        """Convert row indices to element indices: `index * stride + column`."""
        self.put(TMulSOp(index, self.stride(), index))
        self.put(TAddOp(index, self.columns(), index))
        return index

    # --- out of bounds ---------------------------------------------------------------------------

    def limit(self, capacity: SSAValue) -> SSAValue:
        limit = self.tile("limit")
        self.put(TExpandSOp(capacity, limit))
        return limit

    def without_signs(self, index: SSAValue, limit: SSAValue) -> None:
        """A negative index is as good as the capacity: both lie outside."""
        if not self.signed:
            return
        negative = self.negative(index)
        self.put(TMulOp(negative, limit, negative))
        self.put(TMaxOp(index, self.filled(0), index))
        self.put(TAddOp(index, negative, index))

    def clamp(self, index: SSAValue, limit: SSAValue) -> None:
        """Clamp indices to the last existing one."""
        last = self.tile("last")
        self.put(TSubOp(limit, self.filled(1), last))
        self.put(TMinOp(index, last, index))

    def row_indices(self) -> SSAValue:
        """`x[r, c] = idx[r]`: a tile gather through a tile of row numbers."""
        index = self.tile("x")
        # Tile gathers count the physical elements of their source row by row (D19).
        indices = self.knowledge.tile(self.op.idx)
        places = self.row_numbers(indices.cols if indices.valid_cols == 1 else 1)
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

    # --- values ----------------------------------------------------------------------------------

    def refuse(self, why: str) -> PtoasError:
        return PtoasError([Diagnostic("PTO-L008", why, span_of(self.op), targets=("cpu",), op=self.op)])

    def check_index(self) -> None:
        """The shapes that devices ask for; what a rewritten gather is given says nothing of them any more."""
        found = self.knowledge.tile(self.op.idx).valid
        rows, cols = self.knowledge.tile(self.data).valid
        required = [(1, rows), (rows, 1)] if self.row else [(rows, cols)]
        if (self.row and 1 not in found) or not any(fits(found, shape) for shape in required):
            words = " or ".join(map(shape_str, required))
            raise self.refuse(f"valid shape of the index: found {shape_str(found)}, expected {words}")

    def capacity(self) -> SSAValue:
        """Rows of the table, or its elements, as a scalar of the index type."""
        view = self.knowledge.view(self.op.mem)
        dims = range(len(view.shape))
        if self.row:
            dims = dims[-2:-1]
        known = prod(view.shape[dim] for dim in dims if view.shape[dim] != DYNAMIC)
        # An element's index has to reach the last row.
        reach = known * max(1, view.strides5[3]) if self.row else known
        if not 0 < reach < LARGEST_CAPACITY:
            raise self.refuse(
                f"a table of {reach} entries can't be rewritten for cpu, at most {LARGEST_CAPACITY - 1} can"
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
                raise self.refuse(
                    "the table's extents must be known, or values of the program, to rewrite this for cpu"
                )

    def stride(self) -> SSAValue:
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
        raise self.refuse(
            "the table's row stride must be known, or a value of the program, to rewrite this for cpu"
        )

    def _extent(self, dim: int) -> SSAValue:
        """A valid extent of the destination as an index value."""
        valid = self.data_type.valid[dim]
        if valid != DYNAMIC:
            return self.constant(valid, INDEX)
        owner = self.data.owner
        extent = None
        reshaped = any(isinstance(use.operation, SetValidShapeOp) for use in self.data.uses)
        if isinstance(owner, AllocTileOp) and not reshaped:
            extent = owner.valid_row if dim == 0 else owner.valid_col
        if extent is None:
            raise self.refuse(f"the {self.word}'s valid extents must be known, or set where it is allocated")
        return extent

    def constant(self, value: int, type: Attribute) -> SSAValue:
        return self.insert(arith.ConstantOp(IntegerAttr(value, cast("IntegerType | IndexType", type))))

    def number(self, value: int) -> SSAValue:
        """A scalar of the index tile's element type."""
        return self.constant(value, self.element)

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
        tile_type = self.data_type
        if tile_type.valid == tile_type.shape and not self.more:
            return tile
        assert isinstance(tile.type, TileType)
        type = TileType.of(
            tile.type.element_type, *tile_type.shape, valid=tile_type.valid, blayout=BLayout.RowMajor
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
        """Put an operation before the instruction; its result."""
        self.put(op)
        return op.results[0]
