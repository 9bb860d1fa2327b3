"""Targets: memories, defaults, pipes, rows of instructions and rules (D1).

No other package tests for a particular target; it queries the `Target` object.

>>> import ptoas
>>> [name for name, target in ptoas.TARGETS.items() if target.has_pipes]
['a2a3', 'a5', 'a5-custom']
"""

from __future__ import annotations

from importlib import import_module

from ptoas.dialects.plugins import plugins
from ptoas.targets.a2a3 import A2A3
from ptoas.targets.a5 import A5
from ptoas.targets.a5_custom import A5_CUSTOM
from ptoas.targets.cpu import CPU
from ptoas.targets.rule import load_rules
from ptoas.targets.target import Target, UnknownTargetError

_OTHERS: list[Target] = [import_module(name).TARGET for plugin in plugins() for name in plugin.targets]

TARGETS: dict[str, Target] = {target.name: target for target in (CPU, A2A3, A5, A5_CUSTOM, *_OTHERS)}
"""Every target by its name, in the order of the documents; then those of other packages."""


def _normal(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "")


_BY_SPELLING = {
    _normal(spelling): target for target in TARGETS.values() for spelling in (target.name, *target.aliases)
}


def get_target(name: str) -> Target:
    """Return the target with that name, alias or chip; the error lists all of them.

    >>> import ptoas
    >>> ptoas.get_target("a3")
    Target('a2a3')
    >>> ptoas.get_target("Ascend910B4")
    Target('a2a3')
    >>> ptoas.get_target("a6")
    Traceback (most recent call last):
    ptoas.targets.target.UnknownTargetError: there is no target 'a6'; the targets are cpu, a2a3, a5, a5-custom
    """
    normal = _normal(name)
    target = _BY_SPELLING.get(normal)
    if target is None and normal.startswith("ascend"):
        # A chip has many variants: `Ascend910B4`, `Ascend950PR_9599`.
        target = next((found for known, found in _BY_SPELLING.items() if normal.startswith(known)), None)
    if target is None:
        raise UnknownTargetError(name, tuple(TARGETS))
    return target


load_rules()
import_module("ptoas.targets.defaults")  # which registers the attributes that targets have by default

__all__ = [
    "A2A3",
    "A5",
    "A5_CUSTOM",
    "CPU",
    "TARGETS",
    "Target",
    "UnknownTargetError",
    "get_target",
]
