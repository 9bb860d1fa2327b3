"""Modules inside a module: each has its own symbols (D38), and what one declares another may define.

Everything else goes by the names of functions, so that what several modules call alike is told apart first:

    module @a { func.func @f() {...} }         module @a { func.func @f() {...} }
    module @b { func.func @f() {...} }    =>   module @b { func.func @b_f() {...} }
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.rewriter import Rewriter

from ptoas.analysis.branches import structured
from ptoas.analysis.structure import walk
from ptoas.diagnostics import Diagnostic, Note, PtoasError
from ptoas.grammar.spans import span_of
from ptoas.ir.clone import clone

LINK_CODE = "PTO-P081"
"""A declaration that another module defines with another type."""


def linked(module: ModuleOp) -> ModuleOp:
    """The module, or a copy of it in which no two modules inside it have a function of one name, and branches
    that go forward are `scf.if`.

    A function that is only declared is the one that another module defines under that name, unless that is
    private; then the declaration goes.
    """
    module = structured(module)
    names = [name for each in _modules(module) for name in _functions(each)]
    if len(set(names)) == len(names):
        return module
    copy = clone(module)
    inner = list(_modules(copy))
    _resolve(inner)
    _rename(inner)
    return copy


def _modules(module: ModuleOp) -> Iterator[ModuleOp]:
    yield module
    for op in module.body.ops:
        if isinstance(op, ModuleOp):
            yield from _modules(op)


def _functions(module: ModuleOp) -> dict[str, FuncOp]:
    """The functions of one module; of two that have one name, which is an error of its own, the first."""
    found: dict[str, FuncOp] = {}
    for op in module.body.ops:
        if isinstance(op, FuncOp):
            found.setdefault(op.sym_name.data, op)
    return found


def _is_offered(function: FuncOp) -> bool:
    """Return True if other modules can call it."""
    visibility = function.sym_visibility
    return bool(function.body.blocks) and (visibility is None or visibility.data != "private")


def _resolve(modules: list[ModuleOp]) -> None:
    """Resolve declarations to the definitions of other modules."""
    offered: dict[str, FuncOp] = {}
    for module in modules:
        for name, function in _functions(module).items():
            if _is_offered(function):
                offered.setdefault(name, function)
    for module in modules:
        for name, function in _functions(module).items():
            definition = offered.get(name)
            if function.body.blocks or definition is None:
                continue
            if function.function_type != definition.function_type:
                message = f"`@{name}` is declared as {function.function_type}, but defined as "
                message += str(definition.function_type)
                note = Note("the definition", span_of(definition))
                raise PtoasError(
                    [Diagnostic(LINK_CODE, message, span_of(function), notes=(note,), op=function)]
                )
            Rewriter.erase_op(function)


def _rename(modules: list[ModuleOp]) -> None:
    taken = {name for module in modules for name in _functions(module)}
    # What is defined elsewhere can't be renamed here.
    seen = {
        name for each in modules for name, function in _functions(each).items() if not function.body.blocks
    }
    for module in modules:
        new: dict[str, str] = {}
        for name, function in _functions(module).items():
            if not function.body.blocks:
                continue
            if name not in seen:
                seen.add(name)
                continue
            label = module.sym_name.data if module.sym_name is not None else None
            new[name] = _unused(f"{label}_{name}" if label else f"{name}_2", taken)
            function.properties["sym_name"] = StringAttr(new[name])
        for call in _own_calls(module) if new else ():
            callee = call.callee.string_value()
            if callee in new:
                call.properties["callee"] = SymbolRefAttr(new[callee])


def _own_calls(module: ModuleOp) -> Iterator[CallOp]:
    for function in module.body.ops:
        if isinstance(function, FuncOp):
            yield from (op for op in walk(function) if isinstance(op, CallOp))


def _unused(preferred: str, taken: set[str]) -> str:
    name, count = preferred, 1
    while name in taken:
        count += 1
        name = f"{preferred}_{count}"
    taken.add(name)
    return name
