"""Row gathers, out-of-bounds modes of gathers and row scatters for `cpu`: element indices, remapped before
(D17).

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
outside. A row scatter becomes a scatter of elements in the same way; one that skips rows out of bounds skips
elements out of bounds then.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, ModuleOp, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass

from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import walk
from ptoas.dialects.pto.element_types import BY_TYPE, element_text
from ptoas.dialects.pto.elementwise import TAddOp, TDivOp, TMinOp, TMulOp, TSubOp
from ptoas.dialects.pto.enums import BLayout, Coalesce, CoalesceAttr, GatherOOB, ScatterOOB
from ptoas.dialects.pto.expand import TExpandSOp
from ptoas.dialects.pto.gather import MGatherOp, MScatterOp, TGatherOp
from ptoas.dialects.pto.tile_scalar import TAddSOp
from ptoas.dialects.pto.types import TileType
from ptoas.lowering.element_indices import IndexBuilder
from ptoas.targets import get_target
from ptoas.targets.row import Forms, Row
from ptoas.targets.shared.gather_tables import COUNTS_GAPS


@dataclass(frozen=True)
class LegalizeCpuPass(ModulePass):
    """Gathers and scatters that `cpu` does not have, in terms of those that it has."""

    name = "legalize-cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        knowledge = Knowledge()
        for inner in walk(op):
            if isinstance(inner, MGatherOp) and needs_rewriting(inner):
                _Gather(inner, knowledge).rewrite(inner)
            elif isinstance(inner, MScatterOp) and _is_row(inner):
                _Scatter(inner, inner.src, knowledge).rewrite(inner)


def _gathers_within_tiles(element: Attribute) -> bool:
    """Return True if cpu gathers elements of this type within tiles, by index."""
    rows = get_target("cpu").entry(TGatherOp)
    assert isinstance(rows, Forms)
    row = rows.rows["index"]
    assert isinstance(row, Row)
    types = row.tiles["dst"].types
    return types is None or BY_TYPE[element] in types


def needs_rewriting(op: MGatherOp) -> bool:
    """Return True if `cpu` lacks this gather: whole rows, or a mode for out-of-bounds indices."""
    return _is_row(op) or _out_of_bounds(op) is not GatherOOB.Undefined


def _is_row(op: MGatherOp | MScatterOp) -> bool:
    return op.coalesce == CoalesceAttr(Coalesce.Row)


def _out_of_bounds(op: MGatherOp) -> GatherOOB:
    return GatherOOB.Undefined if op.gather_oob is None else op.gather_oob.data


class _Gather(IndexBuilder):
    """Builds the replacement in front of one gather."""

    def __init__(self, op: MGatherOp, knowledge: Knowledge):
        assert op.dst is not None, "destinations are allocated before"
        self.oob = _out_of_bounds(op)
        self.zero = self.oob is GatherOOB.Zero
        # `zero` needs a row more.
        super().__init__(op, op.dst, knowledge, more=int(self.zero))

    def rewrite(self, op: MGatherOp) -> None:
        self.check_layouts()
        self.check_index()
        capacity = self.capacity()
        safe, inside = self.remap(self.indices(), capacity)
        if self.row:
            safe = self.of_rows(safe)
        if inside is None:
            self.gather(self.valid_part(safe), self.data)
        else:
            self.gather_or_zero(safe, inside)
        assert self.block is not None
        self.block.erase_op(op)

    def remap(self, index: SSAValue, capacity: SSAValue) -> tuple[SSAValue, SSAValue | None]:
        """Indices that exist, and for `zero` a tile of ones where the index existed before."""
        if self.oob is GatherOOB.Undefined:
            return index, None
        limit = self.limit(capacity)
        if self.oob is GatherOOB.Wrap:
            return self.remainder(index, limit, capacity), None
        self.without_signs(index, limit)
        inside: SSAValue | None = None
        if self.zero:
            inside = self.tile("inside")
            self.put(TMinOp(index, limit, inside))
            self.put(TDivOp(inside, limit, inside))
            self.put(TSubOp(self.filled(1), inside, inside))
        self.clamp(index, limit)
        return index, inside

    def gather(self, index: SSAValue, destination: SSAValue) -> None:
        gather = MGatherOp(self.op.mem, index, destination, coalesce=Coalesce.Elem)
        if self.row:
            gather.attributes[COUNTS_GAPS] = UnitAttr()
        self.put(gather)

    def gather_or_zero(self, index: SSAValue, inside: SSAValue) -> None:
        """Gather among zeros, a row of them below; then every element picks itself, or one of the zeros."""
        element = self.data_type.element_type
        if not _gathers_within_tiles(element):
            name = element_text(element)
            raise self.refuse(f"`zero` takes a tile gather of {name}, which cpu does not support")
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
        self.put(TGatherOp(gathered, position, self.data))

    def zero_of(self, type: Attribute) -> SSAValue:
        if BY_TYPE[type].is_integer:
            return self.constant(0, type)
        return self.insert(arith.ConstantOp(FloatAttr(0.0, type)))  # pyright: ignore


class _Scatter(IndexBuilder):
    """Builds the replacement in front of one scatter of rows."""

    def rewrite(self, op: MScatterOp) -> None:
        self.check_layouts()
        self.check_index()
        oob = ScatterOOB.Undefined if op.scatter_oob is None else op.scatter_oob.data
        skips = oob is ScatterOOB.Skip
        if skips and self.knowledge.view(op.mem).is_packed is not True:
            raise self.refuse("`skip` can be rewritten for cpu where the table is known to be packed")
        capacity = self.capacity()
        index = self.indices()
        if oob is ScatterOOB.Wrap:
            index = self.remainder(index, self.limit(capacity), capacity)
        elif oob is not ScatterOOB.Undefined:
            limit = self.limit(capacity)
            self.without_signs(index, limit)
            if skips:
                self.put(TMinOp(index, limit, index))  # the row after the last is out of bounds
            else:
                self.clamp(index, limit)
        scatter = MScatterOp(
            op.src,
            self.valid_part(self.of_rows(index)),
            op.mem,
            coalesce=Coalesce.Elem,
            scatter_oob=ScatterOOB.Skip if skips else None,
            scatter_atomic_op=op.scatter_atomic_op,
            scatter_conflict=op.scatter_conflict,
        )
        scatter.attributes[COUNTS_GAPS] = UnitAttr()
        self.put(scatter)
        assert self.block is not None
        self.block.erase_op(op)
