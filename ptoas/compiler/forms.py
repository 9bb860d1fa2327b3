"""A module as text in one of the forms of the language, whichever form its instructions have."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ptoas.analysis.structure import walk
from ptoas.diagnostics import UsageError
from ptoas.dialects.pto.instruction import Instruction
from ptoas.grammar.printer import FORMS, write_module
from ptoas.ir.clone import clone
from ptoas.lowering.allocate_destinations import allocate_destinations
from ptoas.lowering.tiles_to_values import tiles_to_values


def print_module(module: ModuleOp, form: str = "dps", *, comments: bool = False) -> str:
    """The module's text. `form` is `asm`, `ssa`, `dps` or `generic`.

    For `ssa` and `dps` the instructions are converted first, on a copy; `asm` and `generic` print what is
    there. With `comments`, those of the text that it was read from stand where they stood.
    Raises `PtoasError` where a conversion is not possible.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %a : !pto.tile<8x8xf32>
    ... %b = tneg %a : !pto.tile<8x8xf32>
    ... ''', filename="negate.pto")
    >>> print(ptoas.print_module(module, form="dps"))
    module {
      func.func @negate(%a: !pto.tile_buf<vec, 8x8xf32>) {
        %b = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
        pto.tneg ins(%a : !pto.tile_buf<vec, 8x8xf32>) outs(%b : !pto.tile_buf<vec, 8x8xf32>)
        return
      }
    }
    """
    if form not in FORMS:
        raise UsageError(f"unknown form {form!r}; forms are {', '.join(FORMS)}")
    makes = [op.is_dps for op in walk(module) if isinstance(op, Instruction)]
    if form == "ssa" and any(makes):
        module = clone(module)
        tiles_to_values(module)
    if form == "dps" and not all(makes):
        module = clone(module)
        allocate_destinations(module)
    return write_module(module, form, comments)
