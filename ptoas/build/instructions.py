"""Instructions as methods of a function under construction; `instructions.pyi` declares their types."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ptoas.build.values import Value
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.construct import usage
from ptoas.dialects.pto.instruction import PtoOp


@cache
def instructions() -> dict[str, type[PtoOp]]:
    """Every instruction by the name under which it is called."""
    return {cls.mnemonic().replace(".", "_"): cls for cls in OPS}


class InstructionMethods:
    """Arguments of the function and instructions as attributes."""

    args: dict[str, Value]

    def __getattr__(self, name: str) -> Any:
        args: dict[str, Value] = self.__dict__.get("args", {})
        if name in args:
            return args[name]
        cls = instructions().get(name)
        if cls is None:
            fix = did_you_mean(name, [*args, *instructions()]) or ""
            raise AttributeError(f"there is no argument and no instruction `{name}`; {fix}".rstrip("; "))

        def call(*arguments: Any, name: str | None = None, **named: Any) -> Any:
            return self._instruction(cls, arguments, named, name)

        call.__name__, call.__doc__ = name, f"{usage(cls)}\n\n{cls.__doc__}"
        return call

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.args, *instructions()})

    def _instruction(
        self, cls: type[PtoOp], arguments: Sequence[Any], named: dict[str, Any], name: str | None
    ) -> Any:
        raise NotImplementedError
