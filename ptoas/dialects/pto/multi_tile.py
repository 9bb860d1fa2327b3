"""Several tiles under one name, for loops that load the next while they work on the last."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, Index, MultiTile, TileOrMultiTile
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.local_types import MultiTileType
from ptoas.dialects.pto.result_types import Operands, Properties
from ptoas.dialects.pto.views import AllocOp


@irdl_op_definition
class AllocMultiTileOp(AllocOp):
    """Several tiles of one type; with an address, one after the other from there on."""

    name = "pto.alloc_multi_tile"
    result = result_def(MultiTile())

    @property
    def multi_type(self) -> MultiTileType:
        assert isinstance(self.result.type, MultiTileType)
        return self.result.type


@irdl_op_definition
class MultiTileGetOp(PtoOp):
    """One of several tiles, by its number from 0 on."""

    name = "pto.multi_tile_get"
    NO_EFFECT: ClassVar = ("source",)
    ASSEMBLY_FORMAT: ClassVar = "$source[$slot] {attrs} : ^source -> ^result"
    source = var_operand_def(TileOrMultiTile())
    """The multi tile; once it has been taken apart, its tiles."""
    slot = operand_def(Index())
    result = result_def(AnyTile())
    traits = traits_def(Pure())

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        types = [value.type for value in operands["source"]]
        return [type.tile if isinstance(type, MultiTileType) else type for type in types[:1]] or None

    def verify_(self) -> None:
        types = {value.type for value in self.source}
        if len(types) != 1 or (len(self.source) > 1 and isinstance(self.source[0].type, MultiTileType)):
            raise VerifyException("takes one multi tile, or tiles of one type")
        inferred = self.infer_result_types({"source": self.source}, {})
        if inferred != [self.result.type]:
            raise VerifyException(
                f"has the result type {self.result.type}, but the tiles are {self.source[0].type}"
            )
