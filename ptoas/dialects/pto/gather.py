"""Gathers and scatters: by index, by mask, by comparison; from global memory and within tiles."""

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, AnyView, IndexTile, Scalar
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import (
    CmpModeAttr,
    Coalesce,
    CoalesceAttr,
    GatherOOBAttr,
    Layout,
    MaskPatternAttr,
    ScatterAtomicOp,
    ScatterAtomicOpAttr,
    ScatterConflictAttr,
    ScatterOOBAttr,
)
from ptoas.dialects.pto.instruction import Instruction, PtoOp, SeveralTilesOp
from ptoas.dialects.pto.result_types import BLOCK, DerivedType, Operands, Properties, boxed, one_block_each
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType


class IndexedMemoryOp(PtoOp, ABC):
    """A gather or scatter of global memory: rows or elements of a table, chosen by an index tile."""

    DATA: ClassVar[str]
    """The slot of the tile whose rows or elements move."""

    mem = operand_def(AnyView("T"))
    idx = operand_def(IndexTile())
    coalesce = opt_prop_def(CoalesceAttr)

    @property
    def gathered(self) -> SSAValue | None:
        """The tile operand that it fills, if it does."""
        filled = self.operands_of(self.DATA) if self.DATA in self.OUTS else ()
        return filled[0] if filled else None


@irdl_op_definition
class MGatherOp(IndexedMemoryOp, Instruction):
    """Gather from global memory. Row: `dst[r, :] = mem[idx[r], :]`; Elem: `dst[i, j] = mem[idx[i, j]]`."""

    name = "pto.mgather"
    DATA: ClassVar = "dst"
    SUFFIXES: ClassVar = ("coalesce", "gatherOob")
    # The documents' names of the template parameters.
    REFUSED: ClassVar = {"CMode": "did you mean `coalesce`?", "Mode": "did you mean `gatherOob`?"}
    gather_oob = opt_prop_def(GatherOOBAttr, prop_name="gatherOob")

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        """Row: as many rows as indices, as wide as the table. Elem: the shape of the indices."""
        mem, idx = operands["mem"][0].type, operands["idx"][0].type
        assert isinstance(mem, ViewType) and isinstance(idx, TileType)
        match properties.get("coalesce"):
            case CoalesceAttr(data=Coalesce.Elem):
                return [TileType.of(mem.element_type, *idx.shape, valid=idx.valid)]
            case CoalesceAttr(data=Coalesce.Row):
                return [cls._rows_of(mem, idx)]
            case _ if min(idx.shape) > 1:  # which no target takes for the indices of rows
                return [TileType.of(mem.element_type, *idx.shape, valid=idx.valid)]
            case _:
                raise VerifyException(
                    "the shape of the result depends on the mode, whose default depends on the target: "
                    "write mgather.row or mgather.elem, or name the target in the program (D8)"
                )

    @classmethod
    def plausible_result_types(cls, operands: Sequence[Attribute]) -> Sequence[Attribute]:
        """The rows that the indices name; 64 columns where the table's width is open."""
        mem, idx = operands[:2]
        assert isinstance(mem, ViewType) and isinstance(idx, TileType)
        rows = prod(idx.shape)
        if mem.layout is Layout.NZ and len(mem.shape) == 5:
            cols = mem.shape[1] * mem.shape[-1]
            return [boxed(mem.element_type, rows, cols)] if cols > 0 else []
        return [TileType.of(mem.element_type, rows, 64 if mem.shape[-1] == DYNAMIC else mem.shape[-1])]

    @staticmethod
    def _rows_of(mem: ViewType, idx: TileType) -> TileType:
        """The result type of a Row gather of a plain table."""
        if mem.layout is not Layout.ND:
            raise VerifyException(
                f"the layout of the result does not follow from a table in {mem.layout.value}"
            )
        if DYNAMIC in idx.valid:
            raise VerifyException("the number of valid indices, and so the rows of the result, is not known")
        if mem.shape[-1] == DYNAMIC:
            raise VerifyException("the width of the table, and so of the result, is not known")
        rows, cols = prod(idx.valid), mem.shape[-1]
        if not rows or not cols:
            raise VerifyException(f"a result of {rows} rows of {cols} elements is not a valid tile")
        return TileType.of(mem.element_type, rows, cols)


@irdl_op_definition
class MGatherMatOp(PtoOp):
    """Gather from global memory into L1, with indices in global memory: `mgather` with a view of indices.
    Elements pass through `scratch`, rows do not."""

    name = "pto.mgather.mat"
    TAKES_EVENTS: ClassVar = False
    OVERLOADS: ClassVar = ("mgather",)
    OUTS: ClassVar = ("dst",)
    SCRATCH: ClassVar = ("scratch",)
    SUFFIXES: ClassVar = ("coalesce", "gatherOob")
    mem = operand_def(AnyView("T"))
    idx = operand_def(AnyView())
    scratch = opt_operand_def(AnyView("T"))
    dst = operand_def(AnyTile("T"))
    coalesce = opt_prop_def(CoalesceAttr)
    gather_oob = opt_prop_def(GatherOOBAttr, prop_name="gatherOob")

    @classmethod
    def claims(cls, types: Sequence[Attribute | None]) -> bool:
        """Indices in global memory choose the gather into L1."""
        return sum(isinstance(type, ViewType) for type in types) > 1

    @property
    def by_row(self) -> bool:
        """True for rows; without a mode a scratch view says that elements are gathered."""
        return self.scratch is None if self.coalesce is None else self.coalesce.data is Coalesce.Row


@irdl_op_definition
class MScatterOp(IndexedMemoryOp):
    """Scatter to global memory. Row: `mem[idx[r], :] = src[r, :]`; Elem: `mem[idx[i, j]] = src[i, j]`."""

    name = "pto.mscatter"
    DATA: ClassVar = "src"
    OUTS: ClassVar = ("mem",)
    SUFFIXES: ClassVar = ("coalesce", "scatterOob", "scatterAtomicOp", "scatterConflict")
    REFUSED: ClassVar = {"CMode": "did you mean `coalesce`?", "Atomic": "did you mean `scatterAtomicOp`?"}
    src = operand_def(AnyTile("T"))
    idx = operand_def(IndexTile())
    mem = operand_def(AnyView("T"))
    scatter_oob = opt_prop_def(ScatterOOBAttr, prop_name="scatterOob")
    scatter_atomic_op = opt_prop_def(ScatterAtomicOpAttr, prop_name="scatterAtomicOp")
    scatter_conflict = opt_prop_def(ScatterConflictAttr, prop_name="scatterConflict")

    def inplace_operands(self) -> tuple[str, ...]:
        atomic = self.scatter_atomic_op
        return () if atomic is None or atomic.data is ScatterAtomicOp.None_ else ("mem",)


@irdl_op_definition
class TGatherOp(SeveralTilesOp):
    """Gather within tiles, in three forms.

    Index: `dst[i, j] = src[indices[i, j]]`. Mask: the elements of `src` that `maskPattern` keeps, packed.
    Compare: the positions in row `i` of `src` that compare with `threshold`, or with `indices[i]`, as
    `cmpMode` says, and their count in `cdst[i]`.
    """

    name = "pto.tgather"
    # What is asked of its scratch depends on who places it.
    CONTEXT_SENSITIVE: ClassVar = True
    OUTS: ClassVar = ("dst", "cdst")
    SCRATCH: ClassVar = ("tmp",)
    ASSEMBLY_FORMAT: ClassVar = (
        "ins($src(, $indices)?(, $threshold)?(, $tmp)?"
        " : ^src(, ^indices)?(, ^threshold)?(, ^tmp)?(, #axis)?)"
        "( outs($dst(, $cdst)? : ^dst(, ^cdst)?))? {attrs}"
    )
    src = operand_def(AnyTile())
    indices = opt_operand_def(IndexTile())
    threshold = opt_operand_def(Scalar())
    tmp = opt_operand_def(AnyTile())
    dst = opt_operand_def(AnyTile())
    cdst = opt_operand_def(AnyTile())
    result = opt_result_def(AnyTile())
    count = opt_result_def(AnyTile())
    mask_pattern = opt_prop_def(MaskPatternAttr, prop_name="maskPattern")
    axis = opt_prop_def(StringAttr)
    cmp_mode = opt_prop_def(CmpModeAttr, prop_name="cmpMode")
    offset = opt_prop_def(IntegerAttr)

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        """The index form gives a tile in the shape of the indices, the mask form what the pattern keeps."""
        src = operands["src"][0].type
        assert isinstance(src, TileType)
        mask = properties.get("maskPattern")
        if isinstance(mask, MaskPatternAttr) and not operands["indices"]:
            return cls._kept_by(mask, src, properties.get("axis") == StringAttr("col"))
        for indices in [value.type for value in operands["indices"]]:
            assert isinstance(indices, TileType)
            return [TileType.of(src.element_type, *indices.shape, valid=indices.valid)]
        return None

    @staticmethod
    def _kept_by(mask: MaskPatternAttr, src: TileType, along_columns: bool) -> Sequence[Attribute] | None:
        """The tile of the elements that a mask keeps, packed; `None` if its rows would be padded."""
        if DYNAMIC in src.valid:
            return None
        first, step = mask.data.places
        rows, cols = src.valid
        if along_columns:
            rows = len(range(first, rows, step))
        else:
            cols = len(range(first, cols, step))
        whole = cols * element_size(src.element_type) % BLOCK == 0
        return [TileType.of(src.element_type, rows, cols)] if whole and rows else None

    @property
    def form(self) -> str:
        """The form of the gather: `index`, `compare` or `mask`."""
        if self.threshold is not None or self.cdst is not None or self.count is not None:
            return "compare"
        return "mask" if self.indices is None else "index"

    def verify_(self) -> None:
        super().verify_()
        if self.indices is not None and self.mask_pattern is not None:
            raise VerifyException("takes an index tile or a maskPattern, not both")
        if self.form == "compare" and (self.threshold is None) == (self.indices is None):
            raise VerifyException(
                "the compare form needs one threshold: a number, or a tile with one per row"
            )
        if self.form == "mask" and self.mask_pattern is None:
            raise VerifyException("needs an index tile, a maskPattern, or a value to compare with")
        if self.axis is not None and (self.form != "mask" or self.axis.data not in ("row", "col")):
            raise VerifyException('axis must be "row" or "col", and only the mask form takes it')
        if self.form == "mask" and self.tmp is not None:
            raise VerifyException("the mask form takes no scratch tile")
        if self.form == "compare" and self.cdst is None and self.count is None:
            raise VerifyException("the compare form needs a second destination for the counts")


@irdl_op_definition
class TGatherBOp(Instruction):
    """Gather 32-byte blocks: block `b` of row `i` of `dst` is the block of `src` at byte `offsets[i, b]`."""

    name = "pto.tgatherb"
    RESULT_FROM: ClassVar = DerivedType(one_block_each, "src", "offsets")
    src = operand_def(AnyTile("T"))
    offsets = operand_def(IndexTile())


@irdl_op_definition
class TScatterOp(Instruction):
    """Scatter within tiles. Index: `dst[idx[i, j]] = src[i, j]`, `idx` counting elements of `dst`. Mask:
    `src` where `maskPattern` keeps columns (`"row"`) or rows (`"col"`), zeros elsewhere."""

    name = "pto.tscatter"
    ASSEMBLER_ORDER: ClassVar = ("src", "dst", "idx")
    ASSEMBLY_FORMAT: ClassVar = "ins($src(, $idx)? : ^src(, ^idx)?(, #axis)?)( outs($dst : ^dst))? {attrs}"
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    src = operand_def(AnyTile("T"))
    idx = opt_operand_def(IndexTile())
    mask_pattern = opt_prop_def(MaskPatternAttr, prop_name="maskPattern")
    axis = opt_prop_def(StringAttr)

    @property
    def form(self) -> str:
        """The form of the scatter: `index` or `mask`."""
        return "mask" if self.idx is None else "index"

    def verify_(self) -> None:
        super().verify_()
        if (self.idx is None) == (self.mask_pattern is None):
            raise VerifyException("takes an index tile or a maskPattern, not both")
        if (self.mask_pattern is None) != (self.axis is None):
            raise VerifyException('axis ("row" or "col") must be given in the mask form, and only there')
        if self.axis is not None and self.axis.data not in ("row", "col"):
            raise VerifyException(f'the axis is "{self.axis.data}", expected "row" or "col"')
