"""Operations with bodies that have a form of their own, and names that the parser and the printer share."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ExecuteRegionOp, ForOp, IfOp, IndexSwitchOp, WhileOp

TARGET = "pto.target_arch"
"""The attribute of a module that names its target (D2); a bare program says `.target a5`."""

READ_WITH_BODIES = (ModuleOp, FuncOp, ForOp, IfOp, WhileOp, IndexSwitchOp, ExecuteRegionOp)
"""Operations with bodies that are read in their own form; the rest is read in the generic one."""
