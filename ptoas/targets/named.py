"""The target that a module names for itself (D2): by architecture, or by device."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

TARGET_ATTRIBUTE = "pto.target_arch"
DEVICE_ATTRIBUTE = "pto.device-spec"

_DEVICES = {"ascend950": "a5", "ascend910_95": "a5", "ascend910": "a2a3"}
"""Prefixes of device names, the longer first."""


def module_target(module: ModuleOp) -> str | None:
    """The target that a module names, by architecture or else by device."""
    named = module.attributes.get(TARGET_ATTRIBUTE)
    if named is not None:
        return named.data if isinstance(named, StringAttr) else None
    device = module.attributes.get(DEVICE_ATTRIBUTE)
    if not isinstance(device, StringAttr):
        return None
    text = device.data.lower()
    return next((target for start, target in _DEVICES.items() if text.startswith(start)), None)
