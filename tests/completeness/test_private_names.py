"""Names that are private to xDSL are used in `ptoas/ir` alone, few of them, each with its reason."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import xdsl

import ptoas

ROOT = Path(ptoas.__file__).parent
FILES = [path for path in sorted(ROOT.rglob("*.py")) if ROOT / "ir" not in path.parents]
MOST_LINES = 60


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def names_defined(tree: ast.AST) -> Iterator[str]:
    """Attributes that the classes of a file have, and its methods."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case _:
                pass


@cache
def names_of_xdsl() -> frozenset[str]:
    """All private names that classes and modules of xDSL define."""
    files = Path(xdsl.__file__).parent.rglob("*.py")
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in files)
    return frozenset(name for tree in trees for name in names_defined(tree) if is_private(name))


def used_in(path: Path) -> Iterator[str]:
    """Private names of xDSL that a file uses; and dictionaries of operations, by which they go unseen."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    foreign = names_of_xdsl() - set(names_defined(tree))
    where = path.relative_to(ROOT).as_posix()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) if name in foreign:
                yield f"{where}:{node.lineno}: {ast.unparse(node)}"
            case ast.ImportFrom(module=str(module), names=names) if module.split(".")[0] == "xdsl":
                parts = [*module.split("."), *(alias.name for alias in names)]
                yield from (
                    f"{where}:{node.lineno}: {part} of {module}" for part in parts if is_private(part)
                )
            case ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id="op" | "block" | "region" | "value")]):
                yield f"{where}:{node.lineno}: {ast.unparse(node)}"
            case ast.Call(func=ast.Name(id="getattr" | "setattr" | "attrgetter"), args=args):
                names = {arg.value for arg in args if isinstance(arg, ast.Constant)}
                yield from (f"{where}:{node.lineno}: {name}" for name in names & foreign)
            case _:
                pass


def test_private_names_of_xdsl_are_not_used() -> None:
    assert [name for path in FILES for name in used_in(path)] == []


def ptoas_classes() -> Iterator[type]:
    """The classes of all modules that can be imported."""
    for module in pkgutil.walk_packages([str(ROOT)], "ptoas."):
        if module.name.rpartition(".")[2] == "__main__":
            continue
        found = import_module(module.name)
        yield from (
            cls for cls in vars(found).values() if inspect.isclass(cls) and cls.__module__ == module.name
        )


def private_names_of_bases(cls: type) -> set[str]:
    bases = [base for base in cls.__mro__ if base.__module__.partition(".")[0] == "xdsl"]
    return {
        name
        for base in bases
        for name in (*vars(base), *vars(base).get("__annotations__", ()))
        if is_private(name) and name not in ("_abc_impl", "_is_protocol", "_is_runtime_protocol")
    }


def test_a_subclass_neither_uses_nor_replaces_private_names_of_xdsl() -> None:
    found: set[str] = set()
    for cls in ptoas_classes():
        private = private_names_of_bases(cls)
        if not private or cls.__module__.startswith("ptoas.ir."):
            continue
        tree = ast.parse(dedent(inspect.getsource(cls)))
        taken = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("self", "cls")
        }
        defined = {
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        found |= {f"{cls.__module__}.{cls.__qualname__}: {name}" for name in private & (taken | defined)}
    assert sorted(found) == []


def code_lines(path: Path) -> list[str]:
    """Lines that are neither empty nor a comment nor part of a docstring."""
    text = path.read_text(encoding="utf-8")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    strings = {
        number
        for node in ast.walk(ast.parse(text))
        if isinstance(node, documented) and ast.get_docstring(node) is not None
        for number in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    lines = enumerate(text.splitlines(), 1)
    return [
        line for number, line in lines if line.strip() and line.strip()[0] != "#" and number not in strings
    ]


def test_modules_with_private_names_of_xdsl_stay_small() -> None:
    using = [
        path
        for path in (ROOT / "ir").glob("*.py")
        if "reportPrivateUsage" in path.read_text(encoding="utf-8")
    ]
    assert using, "the check looks where the names are"
    assert sum(len(code_lines(path)) for path in using) < MOST_LINES
