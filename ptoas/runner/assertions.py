"""Assertions in a program's own comments: `// RUN-CHECK: sum(out) == 10`.

A line may name targets it is for: `// RUN-CHECK[a5, a2a3]: ...`. `ptoas.runner.expressions` is the language.
`// RUN-CHECK: reference.py:softmax rtol=1e-3` compares the outputs with those of a Python function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ptoas.diagnostics import Diagnostic, Note, PtoasError, Source, Span
from ptoas.diagnostics.spelling import nearest
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import finding
from ptoas.runner.expressions import (
    ORDER,
    Reader,
    UnreadableError,
    default_rtol,
    difference_rows,
    holds,
    near,
    parse_expression,
    repeats,
    same,
    sides,
)
from ptoas.runner.reference import SPEC, Reference, ReferenceArrays, call_reference, load_reference
from ptoas.targets import UnknownTargetError, get_target

WORD = "RUN-CHECK"
_LINE = re.compile(r"(?://|#)\s*RUN-CHECK(?:\[(?P<targets>[^\]\n]*)\])?:\s*(?P<text>[^\n]*)")
_ALIKE = re.compile(r"(?://|#)[ \t]*(?P<word>[A-Za-z]+[-_ ]?[A-Za-z]+)(?P<colon>\s*[:\[])?")
"""Pattern of comments that resemble a RUN-CHECK."""

_REFERENCE = re.compile(rf"(?P<spec>{SPEC.pattern})(?P<limits>(?:\s+(?:rtol|atol|ulp)=\S+)*)")


@dataclass(frozen=True)
class Assertion:
    """One expression with its place and its targets (none: all)."""

    text: str
    span: Span
    targets: tuple[str, ...] = ()


def find_assertions(source: Source) -> list[Assertion]:
    """Every RUN-CHECK of a program; raises for what was meant for one and is none."""
    found: list[Assertion] = []
    misspelt = [_misspelt(source, match) for match in _ALIKE.finditer(source.text)]
    problems = [problem for problem in misspelt if problem is not None]
    for match, targets in comments(source, _LINE, "PTO-R703", problems):
        text = match["text"].rstrip()
        found.append(Assertion(text, Span(source, match.start("text"), max(1, len(text))), targets))
    if problems:
        raise PtoasError(problems)
    return found


def comments(
    source: Source, pattern: re.Pattern[str], code: str, problems: list[Diagnostic]
) -> Iterator[tuple[re.Match[str], tuple[str, ...]]]:
    """The comments of a pattern, each with the targets that it is for, `[a5, a2a3]`; none: for all.

    One that names an unknown target is a problem with this code instead.
    """
    for match in pattern.finditer(source.text):
        names = [name.strip() for name in (match["targets"] or "").split(",") if name.strip()]
        try:
            yield match, tuple(get_target(name).name for name in names)
        except UnknownTargetError as error:
            place = Span(source, match.start("targets"), len(match["targets"]))
            problems.append(Diagnostic(code, str(error), place))


def _misspelt(source: Source, match: re.Match[str]) -> Diagnostic | None:
    """Report a comment that begins almost as a RUN-CHECK does; it would be ignored silently."""
    word = match["word"]
    place = Span(source, match.start("word"), len(word))
    if word == WORD:
        return None if match["colon"] else finding("PTO-R703", f"`{WORD}` needs a colon after it", span=place)
    suggestion = nearest(re.sub("[_ ]", "-", word.upper()), [WORD], 0.8)
    if suggestion is None or not match["colon"]:
        return None
    return finding("PTO-R703", f"`{word}` is not {WORD}", span=place, fix=f"did you mean `{WORD}`?")


def check(
    assertion: Assertion,
    names: Mapping[str, Any],
    arrays: ReferenceArrays | None = None,
) -> Diagnostic | None:
    """Return the failure of an assertion for these arrays; None if it holds.

    `arrays` are those that reference functions get; without them none is executed.
    """
    try:
        reference = _REFERENCE.fullmatch(assertion.text)
        if reference is not None:
            arrays = arrays or ReferenceArrays({}, {})
            function = load_reference(reference["spec"], arrays.allow_python, assertion.span)
            limits = dict(each.split("=") for each in reference["limits"].split())
            tolerance = {name: float(text) for name, text in limits.items()}
            notes = check_reference(function, arrays, assertion.span, **tolerance)
            message = f"differs from {reference['spec']}"
            return finding("PTO-R702", message, span=assertion.span, notes=notes) if notes else None
        tree = parse_expression(assertion.text)
        reader = Reader(names)
        if holds(reader.value(tree)):
            return None
        message = f"does not hold: {assertion.text}{_found(tree, reader)}"
        notes = tuple(map(Note, [*_axes_given_by_position(tree), *_differences(tree, reader)]))
        return finding("PTO-R702", message, span=assertion.span, notes=notes)
    except PtoasError as error:
        return error.diagnostics[0]
    except UnreadableError as error:
        return finding("PTO-R703", str(error), span=assertion.span)
    except (TypeError, ValueError, IndexError, ArithmeticError, RecursionError, MemoryError) as error:
        message = " ".join(str(error).split())
        return finding("PTO-R703", f"can't be evaluated: {message}", span=assertion.span)


def _axes_given_by_position(tree: ast.expr) -> Iterator[str]:
    """`max(x, 0)` may be meant for `maximum(x, 0)`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="max" | "min" as name), args=[_, axis]):
                text = ast.unparse(node)
                meant, along = text.replace(name, f"{name}imum", 1), ast.unparse(axis)
                yield f"`{text}` is the {name}imum along axis {along}; of two operands it is `{meant}`"
            case _:
                pass


MOST_SHOWN = 16
"""Elements of an array that a message shows."""


def _found(tree: ast.expr, reader: Reader) -> str:
    """The value of the left side of a comparison."""
    if not isinstance(tree, ast.Compare) or isinstance(tree.left, ast.Constant):
        return ""
    value = np.asarray(reader.value(tree.left))
    # Of a large array the places that differ say more than its corners.
    large = value.size > MOST_SHOWN
    text = shape_and_type(value) if large else " ".join(np.array2string(value).split())
    return f" ({ast.unparse(tree.left)} is {text})"


def shape_and_type(value: Array) -> str:
    return "x".join((*map(str, value.shape), str(value.dtype)))


def _differences(tree: ast.expr, reader: Reader) -> list[str]:
    """The number of differences between the sides of a comparison or `close`, and the first few places."""
    match tree:
        case ast.Compare(ops=[ast.NotEq()]):
            return []
        case ast.Compare(left=first, ops=[operation], comparators=[second]):
            agrees = ORDER.get(type(operation), same)
        case ast.Call(
            func=ast.Name(id="close" | "allclose") | ast.Attribute(attr="allclose"), args=[first, second, *_]
        ):
            tolerances = [reader.value(each) for each in tree.args[2:]]
            limits = dict(zip(("rtol", "atol", "ulp"), tolerances, strict=False))
            limits |= {str(each.arg): reader.value(each.value) for each in tree.keywords}
            agrees = partial(near, **limits)
        case _:
            return []
    given_sides = reader.value(first), reader.value(second)
    left, right = sides(*given_sides)
    if left.size == right.size == 1:
        return [f"{ast.unparse(second)} is {right.item()}"]
    # Comparisons broadcast rows, `close` does not.
    if not repeats(left, right) or (isinstance(tree, ast.Call) and left.shape != right.shape):
        return [f"the shapes are {list(left.shape)} and {list(right.shape)}"]
    left, right = np.broadcast_arrays(left, right)
    compared = given_sides if isinstance(tree, ast.Call) else (left, right)
    places = np.argwhere(~np.asarray(agrees(*compared)))
    return [_table(left, right, places, f"{ast.unparse(first)}, {ast.unparse(second)}")]


def _table(left: Array, right: Array, places: Array, names: str) -> str:
    head = f"{len(places)} of {left.size} elements; position, {names}:"
    return "\n".join([head, *difference_rows(left, right, places)])


def check_reference(
    function: Reference,
    arrays: ReferenceArrays,
    span: Span,
    *,
    rtol: float | None = None,
    atol: float = 1e-8,
    ulp: float | None = None,
) -> tuple[Note, ...]:
    """Compare outputs with those of a reference; return a note for each output that differs.

    Without `rtol`, integers are the same, and floats agree within 1e-5 or four rounding errors of their type.
    """
    notes: list[Note] = []
    for name, expected in call_reference(function, arrays.inputs, arrays.outputs, span).items():
        array = np.asarray(arrays.outputs[name])
        if array.shape != expected.shape:
            notes.append(Note(f"{name} has shape {list(array.shape)}, the reference {list(expected.shape)}"))
            continue
        limit = default_rtol(array.dtype) if rtol is None else rtol
        places = np.argwhere(~np.asarray(near(array, expected, limit, atol if limit else 0.0, ulp)))
        if len(places):
            notes.append(Note(_table(array, expected, places, f"{name}, the reference")))
    return tuple(notes)


def check_all(
    source: Source,
    names: Mapping[str, Any],
    target: str,
    arrays: ReferenceArrays | None = None,
) -> int:
    """Check every assertion that is for this target; raises with all that fail, returns how many held."""
    found = find_assertions(source)
    if not found:
        message = f"there is no {WORD} in this file, so nothing was checked"
        place = Span(source, 0, max(1, len(source.line_text(1))))
        raise PtoasError(
            [finding("PTO-R703", message, span=place, fix=f"add a line such as `// {WORD}: out == 1`")]
        )
    applicable = [a for a in found if not a.targets or target in a.targets]
    problems = [problem for a in applicable if (problem := check(a, names, arrays)) is not None]
    if problems:
        raise PtoasError([replace(problem, targets=(target,)) for problem in problems])
    return len(applicable)
