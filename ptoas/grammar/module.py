"""The modules that `ptoas` makes; how a notebook shows one stands elsewhere, where no command pays for it."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp


class PtoModule(ModuleOp):
    """The modules that `ptoas` reads and builds: xDSL's, which a notebook shows as a program.

    >>> import ptoas
    >>> module = ptoas.parse(".arg %a : !pto.tile<8x8xf32>\\n%b = tneg %a : !pto.tile<8x8xf32>", "negate.pto")
    >>> "tneg" in module._repr_html_(), isinstance(module, ptoas.Module)
    (True, True)
    """

    def _repr_html_(self) -> str:
        from ptoas.grammar.html import module_html  # for notebooks only

        return module_html(self)
