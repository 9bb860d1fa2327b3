"""Arguments by name: those that a caller gives in order, in a mapping or by keyword."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects import func

from ptoas.diagnostics import Note
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.machine.errors import failure
from ptoas.runner.parameters import Parameter


def check_names(parameters: list[Parameter], names: Mapping[str, object], entry: func.FuncOp) -> None:
    """Raise for a name that is no argument of the entry."""
    known = [parameter.name for parameter in parameters]
    for name in names:
        if name in known:
            continue
        raise failure(
            "PTO-R601",
            f"@{entry.sym_name.data} has no argument {name!r}",
            entry,
            notes=(Note("its arguments are " + (", ".join(known) or "none")),),
            fix=did_you_mean(name, known),
        )


def check_inputs(parameters: list[Parameter], values: Mapping[str, object], entry: func.FuncOp) -> None:
    """Require a value for every parameter that the program reads."""
    missing = [p.name for p in parameters if p.is_input and p.name not in values]
    if missing:
        several = len(missing) > 1
        raise failure(
            "PTO-R610",
            f"argument{'s' * several} {', '.join(f'`{name}`' for name in missing)} of @{entry.sym_name.data} "
            f"{'are' if several else 'is'} missing",
            entry,
            fix="pass a value for each, or compile with generate=True to use generated values",
        )


def by_name(
    parameters: list[Parameter], arguments: Sequence[Any], named: Mapping[str, Any], entry: func.FuncOp
) -> dict[str, Any]:
    """Arguments of a call by name: one mapping, or values in the order of the parameters, and keywords."""
    if len(arguments) == 1 and (arguments[0] is None or isinstance(arguments[0], Mapping)):
        values: dict[str, Any] = {**(arguments[0] or {})}
    else:
        if len(arguments) > len(parameters):
            raise failure(
                "PTO-R601",
                f"@{entry.sym_name.data} has {len(parameters)} arguments; {len(arguments)} given",
                entry,
                notes=(Note("its arguments are " + (", ".join(p.name for p in parameters) or "none")),),
            )
        values = {p.name: value for p, value in zip(parameters, arguments, strict=False)}
    for name in values.keys() & named.keys():
        raise failure("PTO-R601", f"{name} of @{entry.sym_name.data} is given twice", entry)
    values |= named
    check_names(parameters, values, entry)
    return values
