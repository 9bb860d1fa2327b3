"""Modules made by `ptoas`; the HTML for notebooks is imported on demand."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp


class PtoModule(ModuleOp):
    """Module read or built by `ptoas`: xDSL's, shown as a program in notebooks.

    >>> import ptoas
    >>> module = ptoas.parse(".arg %a : !pto.tile<8x8xf32>\\n%b = tneg %a : !pto.tile<8x8xf32>", "negate.pto")
    >>> "tneg" in module._repr_html_(), isinstance(module, ptoas.Module)
    (True, True)
    """

    def _repr_html_(self) -> str:
        from ptoas.grammar.html import module_html  # for notebooks only

        return module_html(self)
