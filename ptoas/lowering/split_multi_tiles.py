"""Multi tiles become the tiles that they are made of; see `ptoas.analysis.multi_tiles`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ptoas.analysis.multi_tiles import take_apart


@dataclass(frozen=True)
class SplitMultiTilesPass(ModulePass):
    """Each tile of a multi tile by itself."""

    name = "split-multi-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        take_apart(op)
