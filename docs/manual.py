"""Reference pages of the site: the command line from the commands, the API from docstrings, others from data.

`python -m docs.manual cli` prints the first, and so on; docs/hooks.py adds them to the site.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

import ptoas
from docs.citations import decisions_page, sources_page
from docs.differences import changes, differences
from ptoas.cli.main import main

_NOTICE = "Printed by `python -m docs.manual {}`; do not edit."

# --- the command -----------------------------------------------------------------------------------


def commands() -> dict[str, click.Command]:
    """The commands of `ptoas` by name, in the order in which the help lists them."""

    return {name: main.commands[name] for name in sorted(main.commands)}


def options_of(command: click.Command) -> list[click.Option]:
    """The options of a command, the one for help aside."""
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def cli() -> str:
    """The page of the command line."""

    lines = ["# The command `ptoas`", "", _NOTICE.format("cli"), "", *_paragraphs(main), ""]
    lines += ["Exit codes: 0 clean, 1 findings, 2 wrong usage. Every command has `--help`.", ""]
    lines += [*_option_table(main)]
    for name, command in commands().items():
        arguments = [_argument(p) for p in command.params if isinstance(p, click.Argument)]
        usage = " ".join(["ptoas", name, *(["[OPTIONS]"] if options_of(command) else []), *arguments])
        lines += [f"## `{name}`", "", f"    {usage}", "", *_paragraphs(command), "", *_option_table(command)]
    return "\n".join(lines).rstrip() + "\n"


def _argument(argument: click.Argument) -> str:
    return (argument.name or "").upper() + ("..." if argument.nargs == -1 else "")


def _paragraphs(command: click.Command) -> Iterator[str]:
    """Return the docstring of a command; preformatted lines are examples."""
    text = inspect.cleandoc(command.help or "")
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            yield ""
        lines = paragraph.splitlines()
        if lines[0] == "\b":
            yield from ("```console", *(f"$ {line}" for line in lines[1:]), "```")
        else:
            yield from lines


def _option_table(command: click.Command) -> Iterator[str]:
    options = options_of(command)
    if not options:
        return
    yield from ("| option | value | default | meaning |", "|---|---|---|---|")
    for option in options:
        names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
        meaning = (option.help or "").replace("|", "\\|")
        if option.multiple:
            meaning += " May be given several times."
        yield f"| {names} | {_value(option)} | {_default(option)} | {meaning} |"
    yield ""


_VALUE_NAMES = {
    "boolean": "true or false",
    "float": "a number",
    "integer": "an integer",
    "path": "a path",
    "text": "text",
}
"""Descriptions of click's parameter types."""


def _value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        choices: list[str] = [str(choice) for choice in option.type.choices]  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType]
        return ", ".join(f"`{choice}`" for choice in choices)
    if option.metavar:
        return f"`{option.metavar}`".replace("|", "\\|")
    if isinstance(option.type, click.IntRange):
        return f"an integer from {option.type.min}"
    return _VALUE_NAMES[option.type.name]


def _default(option: click.Option) -> str:
    default: Any = option.default
    # What an option without a default holds differs between releases of click; only plain values are shown.
    plain = isinstance(default, str | int | float) and not isinstance(default, bool)
    return f"`{default}`" if plain and not option.is_flag else ""


# --- the library -----------------------------------------------------------------------------------


def public() -> dict[str, Any]:
    """Describe the public names."""
    return {name: getattr(ptoas, name) for name in ptoas.__all__}


def members(owner: type) -> dict[str, Callable[..., Any]]:
    """The public methods and properties that a class defines, as functions."""
    found: dict[str, Callable[..., Any]] = {}
    for name, member in vars(owner).items():
        function: Any = member.fget if isinstance(member, property) else getattr(owner, name)
        if not name.startswith("_") and inspect.isroutine(function):
            found[name] = function
    return found


def api() -> str:
    """The page of the library."""
    lines = ["# The library `ptoas`", "", _NOTICE.format("api"), "", *_document(ptoas), ""]
    names = public()
    for title, is_member in (
        ("Functions", inspect.isfunction),
        ("Classes", inspect.isclass),
        ("Data", _is_data),
    ):
        lines += [f"## {title}", ""]
        for name, thing in names.items():
            if is_member(thing):
                lines += _entry(name, thing)
    lines += ["## Other names", "", _OTHERS, "", "| name | meaning | module |", "|---|---|---|"]
    for name, module in sorted(further().items()):
        summary = _first_line(getattr(ptoas, name)) or _summary_in_body(module, name)
        lines.append(f"| `{name}` | {summary} | `{module}` |")
    return "\n".join(lines).rstrip() + "\n"


_OTHERS = """Types of arguments and results, and names for packages that add rules, instructions or targets
([Extending ptoas](extending.md)). All of them can be imported from `ptoas`."""


def further() -> dict[str, str]:
    """Return the modules of the names that have no entry of their own."""
    _, others = ptoas._modules()  # pyright: ignore[reportPrivateUsage]
    return {name: module for name, module in others.items() if name != "build"}


def _first_line(thing: Any) -> str:
    """The first sentence of a class or function, in one cell of a table; data has none."""
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return ""
    text = " ".join(inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0].split())
    return text.replace("|", "\\|")


def _summary_in_body(module: str, name: str) -> str:
    return " ".join(_document_below(import_module(module), name)).replace("|", "\\|")


def _is_data(thing: Any) -> bool:
    return not (inspect.isfunction(thing) or inspect.isclass(thing))


def _entry(name: str, thing: Any) -> Iterator[str]:
    if _is_data(thing):
        yield from (f"### `{name}`", "", *_document_of_data(name), "")
        return
    yield from (f"### `{name}`", "", *_signature(name, thing), *_document(thing), "")
    if not inspect.isclass(thing):
        return
    listed = [f"- `{member}`: {_first_sentence(function)}" for member, function in members(thing).items()]
    if listed:
        yield from (*listed, "")


def _signature(name: str, thing: Any) -> Iterator[str]:
    """The signature, one parameter a line if it is long."""
    if inspect.isclass(thing) and issubclass(thing, Enum | Exception):
        return
    signature = inspect.signature(thing)
    parts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        # A tuple with names keeps the text of its types in a reference.
        kind = getattr(parameter.annotation, "__forward_arg__", parameter.annotation)
        parts.append(f"{stars}{parameter.name}: {kind}{_initial(parameter)}")
    end = "" if inspect.isclass(thing) else f" -> {signature.return_annotation}"
    text = f"{name}({', '.join(parts)}){end}"
    if len(text) > 100:
        text = "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){end}"])
    yield from ("```python", *text.splitlines(), "```", "")


def _initial(parameter: inspect.Parameter) -> str:
    """Return the source text of a default; omit long ones and factories."""
    default = parameter.default
    if default is parameter.empty:
        return ""
    if isinstance(default, Enum):
        return f" = {type(default).__name__}.{default.name}"
    text = repr(default)
    return f" = {text}" if len(text) <= 20 and not text.startswith("<") else " = ..."


def _document(thing: Any) -> Iterator[str]:
    """A docstring, its examples in a block of their own."""
    inside = False
    for line in inspect.cleandoc(thing.__doc__ or "").splitlines():
        if line.startswith(">>> ") and not inside:
            inside = True
            yield "```python"
        if not line and inside:
            inside = False
            yield "```"
        yield line
    if inside:
        yield "```"


def _document_of_data(name: str) -> Iterator[str]:
    """The text below an assignment, and the example that its module opens with."""
    module = import_module(modules()[name])
    yield from _document_below(module, name)
    example = list(_document(module))
    if "```python" in example:
        yield from ("", *example[example.index("```python") :])


def _document_below(module: Any, name: str) -> Iterator[str]:
    body = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8")).body
    for statement, after in pairwise(body):
        targets = (
            [statement.target] if isinstance(statement, ast.AnnAssign) else getattr(statement, "targets", [])
        )
        if any(isinstance(t, ast.Name) and t.id == name for t in targets):
            yield from ast.literal_eval(getattr(after, "value")).splitlines()  # noqa: B009


def modules() -> dict[str, str]:
    """Return the module of each public name."""
    return ptoas._modules()[0]  # pyright: ignore[reportPrivateUsage]


def _first_sentence(function: Callable[..., Any]) -> str:
    return " ".join(inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0].split())


PAGES: dict[str, Callable[[], str]] = {
    "cli": cli,
    "api": api,
    "decisions": decisions_page,
    "sources": sources_page,
    "differences": differences,
    "upstream": changes,
}
"""The pages by name."""

if __name__ == "__main__":
    sys.stdout.write(PAGES[sys.argv[1]]())
