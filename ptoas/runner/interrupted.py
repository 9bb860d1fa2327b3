"""The statement and the iterations at which a run was interrupted."""

from __future__ import annotations

from collections.abc import Mapping
from traceback import walk_tb
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Operation

from ptoas.analysis.structure import enclosing_loops
from ptoas.grammar.spans import span_of
from ptoas.machine.compile import ModuleCompiler
from ptoas.runner.observe import loop_name, statement


def interrupted_place(error: BaseException, compiler: ModuleCompiler) -> str:
    """Return `in line 12, tload %x (block 3, %i=7)`, from the frames that the exception went through."""
    sources = {compiler.code_name(name): text.splitlines() for name, text in compiler.source.items()}
    machine = compiler.machine
    words = [machine.launch.names([machine.actor_number])] if machine.launch.actors > 1 else []
    op: Operation | None = None
    for frame, line in walk_tb(error.__traceback__):
        text = sources.get(frame.f_code.co_filename, ())[line - 1 : line]
        number = text[0].rpartition("# ")[2] if text else ""
        if number:
            op, names = compiler.places[int(number)]
            words += [_iteration(loop, names, frame.f_locals) for loop in [*enclosing_loops(op)][::-1]]
    if op is None:
        return "before the first statement"
    around = f" ({', '.join(words)})" if words else ""
    return f"in line {span_of(op).line}, `{statement(op)}`{around}"


def _iteration(loop: Operation, names: Mapping[Any, str], variables: Mapping[str, Any]) -> str:
    """`%i=7`; of a `while`, whose iterations nothing counts, its line."""
    name = names.get(loop.body.block.args[0], "") if isinstance(loop, scf.ForOp) else ""
    found: Any = variables.get(name)
    if name.startswith("v["):  # `SourceWriter.variables_in_list`
        found = variables["v"][int(name[2:-1])]
    return loop_name(loop) if found is None else f"{loop_name(loop)}={found}"
