"""Tiles in the compiled text: which are the same in every execution, and which change while it runs."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.ir import SSAValue

from ptoas.analysis.constants import Constants
from ptoas.analysis.structure import of_kinds, walk
from ptoas.dialects.pto.matmul import TGetScaleAddrOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import AllocTileOp, SetValidShapeOp, TAssignOp
from ptoas.machine.budget import check_tile
from ptoas.machine.machine import VALUES
from ptoas.machine.overwritten import tracker_of
from ptoas.machine.source import SourceWriter
from ptoas.machine.tile_allocation import alloc_tile, begin_lifetime, place, tile_name, valid_extents
from ptoas.machine.tiles import TileOrigin

if TYPE_CHECKING:
    from ptoas.machine.compile import ModuleCompiler


class Placement(SourceWriter, ABC):
    """Placement of tiles, known now or found at run time."""

    def __init__(self, module: ModuleCompiler, op: func.FuncOp):
        super().__init__(module, op)
        self.constants = Constants()
        self.own_bits = module.placed_by_compiler(op)
        ops = walk(op)
        self.changing = {
            *(o.tile for o in of_kinds(ops, SetValidShapeOp)),
            *(o.tile for o in of_kinds(ops, TAssignOp) if not self._binds_once(o)),
            *(o.dst for o in of_kinds(ops, TGetScaleAddrOp)),
        }
        """Tiles whose value changes while the function runs."""

    def _binds_once(self, op: TAssignOp) -> bool:
        """A `tassign` to a constant, before anything uses the tile: the tile has that address from the
        start."""
        if op.result is not None:
            return True
        owner = op.tile.owner
        if not isinstance(owner, AllocTileOp) or owner.addr is not None or owner.parent is not op.parent:
            return False
        others = [use.operation for use in op.tile.uses if use.operation is not op]
        if any(isinstance(other, TAssignOp) for other in others) or self._address(op) is None:
            return False
        assert op.parent is not None
        for earlier in op.parent.ops:
            if earlier is op:
                return True
            if any(other is earlier or earlier.is_ancestor(other) for other in others):
                return False
        return False

    def _address(self, op: TAssignOp) -> int | None:
        if op.address is not None:
            return op.address.value.data
        return self._constant(op.addr)

    def _constant(self, value: SSAValue | None) -> int | None:
        return None if value is None else self.constants.constant(value)

    def alloc_tile(self, op: AllocTileOp) -> None:
        tile = op.tile_type
        address = self._constant(op.addr)
        if op.addr is None:
            bound = [
                use.operation
                for use in op.result.uses
                if isinstance(use.operation, TAssignOp) and use.operation.result is None
            ]
            if len(bound) == 1 and op.result not in self.changing:
                address = self._address(bound[0])
        self._track(op, address)
        extents = [
            written if written != DYNAMIC else physical if operand is None else operand
            for written, operand, physical in zip(
                tile.valid, (op.valid_row, op.valid_col), tile.shape, strict=True
            )
        ]
        rows, cols = (each if isinstance(each, int) else self._constant(each) for each in extents)
        if (
            address is not None
            and rows is not None
            and cols is not None
            and op.result not in self.changing
            and self._is_legal(tile, rows, cols)
        ):
            self.fixed_tile(op, address, (rows, cols))
            return
        place = str(address) if op.addr is None else self.ref(op.addr)
        arguments = [place, *(str(each) if isinstance(each, int) else self.ref(each) for each in extents)]
        make = alloc_tile(op, self.machine, self.own_bits)
        self.line(f"{self.name(op.result)} = {self.add_global(make)}({', '.join(arguments)})")

    def _track(self, op: AllocTileOp, address: int | None) -> None:
        """Overlaps are tracked where there are any: those of tiles at constant addresses are known now."""
        type = op.tile_type
        if self.own_bits or type.loc.data not in self.machine.target.memories:
            return
        tracker = tracker_of(self.machine.memory(type.loc.data))
        if address is None:
            tracker.dynamic = True
        else:
            tracker.find(TileOrigin(address, type.size_bytes, op))

    def _is_legal(self, tile: TileType, rows: int, cols: int) -> bool:
        loc_exists = tile.loc.data in self.machine.target.memories
        return loc_exists and 0 <= rows <= tile.rows and 0 <= cols <= tile.cols

    def fixed_tile(self, op: AllocTileOp, address: int, valid: tuple[int, int]) -> None:
        """A tile that is the same in every execution: made now, checked when it is reached."""
        machine = self.machine
        tile = place(op, machine, op.tile_type, address, valid, tile_name(op), self.own_bits)
        self.known[op.result] = tile
        checked = False

        def reach() -> None:
            nonlocal checked
            if not checked:
                valid_extents(op, machine, op.tile_type, *valid)
                check_tile(op, machine, tile)
                checked = True
            begin_lifetime(tile)

        self.line(f"{self.add_global(reach)}()")

    def tassign(self, op: TAssignOp) -> None:
        if op.result is None and op.tile not in self.changing:
            return
        address = str(op.address.value.data) if op.address is not None else self.ref(op.operands[1])
        make = VALUES[TAssignOp](op, self.machine)
        target = op.tile if op.result is None else op.result
        self.line(f"{self.name(target)} = {self.add_global(make)}({self.ref(op.tile)}, {address})")
