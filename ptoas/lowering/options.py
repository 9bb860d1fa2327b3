"""What passes that depend on a target have in common."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

from ptoas.diagnostics import UsageError
from ptoas.targets import Target, get_target

TARGET_ATTRIBUTE = "pto.target_arch"


def module_target(module: ModuleOp) -> str | None:
    """The target that the module names for itself (D2)."""
    attribute = module.attributes.get(TARGET_ATTRIBUTE)
    return attribute.data if isinstance(attribute, StringAttr) else None


def chosen_target(module: ModuleOp, target: str | None) -> Target:
    """The target of a pass: its option, else the module's own."""
    name = target or module_target(module)
    if name is None:
        raise UsageError(
            'name a target: the pass option target="a5", or the module attribute pto.target_arch'
        )
    return get_target(name)
