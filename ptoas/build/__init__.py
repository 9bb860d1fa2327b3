"""Programs made in Python: functions with named arguments, loops, branches, and instructions as calls.

>>> import numpy as np, ptoas
>>> from ptoas import build
>>> m = build.module(target="a5")
>>> with m.function("lookup", table="64x32xf32", ids="1x16xi32", out="16x32xf32") as f:
...     idx = f.tload(f.ids, name="idx")
...     rows = f.mgather(f.table, idx, coalesce="row", gather_oob="clamp", name="rows")
...     f.tstore(rows, f.out)
>>> table = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
>>> result = ptoas.run(m.module, {"table": table, "ids": np.full((1, 16), 3, np.int32)})
>>> bool((result.outputs["out"] == table[3]).all())
True

An instruction is called by its opcode, with `_` for a dot: operands by position or name, attributes by name
as text, number or member. Numbers become constants of the type that fits there. Types are written as in the
text, or short: `"64x32xf32"` is memory as the type of an argument, and a tile everywhere else. A mistake
raises `TypeError` where it is made; what `verify` and `run` find points to the line of Python that built the
operation.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from ptoas.build.function import Function, RegionScope
from ptoas.build.values import Value, as_type
from ptoas.diagnostics import Source
from ptoas.grammar.html import module_html
from ptoas.grammar.module import PtoModule as ProgramModule
from ptoas.targets import get_target
from ptoas.targets.named import TARGET_ATTRIBUTE

__all__ = ["Function", "Module", "RegionScope", "Value", "as_type", "module"]


def module(target: str | None = None) -> Module:
    """An empty module, for a target if one is named."""
    return Module(target)


class Module:
    """A module under construction; `module` is the xDSL module."""

    def __init__(self, target: str | None = None):
        attributes = {} if target is None else {TARGET_ATTRIBUTE: StringAttr(get_target(target).name)}
        self.module = ProgramModule([], cast("dict[str, Attribute]", attributes))
        self.functions: dict[str, Function] = {}
        self.sources: dict[str, Source] = {}
        """Python files whose lines built the operations."""

    def _repr_html_(self) -> str:
        return module_html(self.module)

    def function(self, name: str, /, **arguments: str | Attribute) -> Function:
        """A function with its arguments' names and types; what is built inside `with` is its body."""
        if name in self.functions:
            raise TypeError(f"the function `{name}` is already defined")
        types = {argument: as_type(type, "memref") for argument, type in arguments.items()}
        function = Function(self, name, types)
        self.functions[name] = function
        self.module.body.block.add_op(function.op)
        return function

    def drop(self, function: Function) -> None:
        """Forget a function whose making failed, so that it can be made again."""
        del self.functions[function.op.sym_name.data]
        function.op.detach()
