"""Options of passes that depend on a target."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ptoas.diagnostics import UsageError
from ptoas.targets import Target, get_target
from ptoas.targets.named import module_target


def chosen_target(module: ModuleOp, target: str | None) -> Target:
    """The target of a pass: its option, else the module's own."""
    name = target or module_target(module)
    if name is None:
        raise UsageError(
            'name a target: the pass option target="a5", or the module attribute pto.target_arch'
        )
    return get_target(name)
