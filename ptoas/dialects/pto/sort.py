"""Sorting and merging of pairs: a value and its index, eight bytes together.

Of f32 a pair is two elements, the value and the bits of the index; of 16-bit values it is four: the value, a
zero, and the two halves of the index. Pairs are in falling order of their values, and of equal values in
rising order of their indices (`tsort32`) or of their lists (`tmrgsort`).
"""

from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, UnitAttr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyCounts, AnyTile, Index, IntegerTile
from ptoas.dialects.pto.instruction import ScratchOp
from ptoas.dialects.pto.result_types import DerivedType, pairs


@irdl_op_definition
class TSort32Op(ScratchOp):
    """Sort every 32 elements of each row of `src` in descending order, as pairs with their indices `idx`.

    A last block of fewer elements is padded in `tmp`; after its pairs the destination is undefined.
    """

    name = "pto.tsort32"
    TAKES_EVENTS: ClassVar = False
    RESULT_FROM: ClassVar = DerivedType(pairs, "src")
    src = operand_def(AnyTile("T"))
    idx = operand_def(IntegerTile())
    tmp = opt_operand_def(AnyTile("T"))


@irdl_op_definition
class TMrgSortOp(ScratchOp):
    """Sorted lists of pairs merged into one. With `block_len` every four neighbouring blocks of `srcs`, of so
    many elements each; without it the two to four lists of `srcs`, by way of `tmp`. `exhausted` stops when
    the first list has run out; `excuted` is how many pairs of each list were taken."""

    name = "pto.tmrgsort"
    ASSEMBLY_FORMAT: ClassVar = (
        "ins($srcs(, $block_len)?(, $tmp)?( &no_tmp)? {attrs} : ^srcs(, ^block_len)?(, ^tmp)?)"
        "( outs($dst(, $excuted)? : ^dst(, ^excuted)?))?"
    )
    WRITES: ClassVar = ("excuted",)
    LAST: ClassVar = "tmp"
    RESULT_LIKE: ClassVar = "srcs"
    srcs = var_operand_def(AnyTile("T"))
    block_len = opt_operand_def(Index())
    tmp = opt_operand_def(AnyTile("T"))
    excuted = opt_operand_def(AnyCounts())
    exhausted = opt_prop_def(BoolAttr)
    no_tmp = opt_prop_def(UnitAttr)

    def verify_(self) -> None:
        super().verify_()
        if self.is_blocks:
            if len(self.srcs) != 1 or self.tmp or self.no_tmp or self.excuted:
                raise VerifyException("with a block length it takes one tile, no scratch tile and no counts")
            return
        if not 2 <= len(self.srcs) <= 4:
            hint = "; the last tile is the scratch tile unless `no_tmp` follows it" if self.tmp else ""
            found = f"found {len(self.srcs)}{hint}"
            raise VerifyException(f"needs two to four lists, or one list and a block length; {found}")
        if self.excuted is None:
            raise VerifyException(
                "needs counts, a vector<4xi16> after its destination, to merge several lists"
            )
        if self.dst is None:
            raise VerifyException(
                "needs a destination instead of a result to merge several lists: the counts follow it"
            )
        if (self.tmp is None) == (self.no_tmp is None):
            raise VerifyException("needs a scratch tile or `no_tmp`")

    @property
    def is_blocks(self) -> bool:
        """True if it merges the blocks of one tile."""
        return self.block_len is not None

    @property
    def stops(self) -> bool:
        """True if it stops when the first list has run out."""
        return self.exhausted is not None and bool(self.exhausted.value.data)
