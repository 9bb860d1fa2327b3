"""`# ptoas: ignore[PTO-A201]`: a finding that the author knows of is not reported.

The comment stands on the line of the finding, or on a line of its own right above it. It names codes, or
beginnings of codes, and one that keeps nothing back is a finding itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ptoas.diagnostics import Diagnostic, Edit, Severity, Source, Span
from ptoas.diagnostics.codes import ALIASES, names_of
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.grammar.layout import comments_of
from ptoas.targets.rule import RULES
from ptoas.verifier.codes import CHECKING

_IGNORE = re.compile(r"(?:#|//)\s*ptoas:\s*ignore\b\s*(?P<list>\[(?P<codes>[^\]]*)\])?")
_WORD = re.compile(r"[^\s,]+")

UNUSED = "PTO-N110"
UNKNOWN = "PTO-N111"
NAMELESS = "PTO-N112"


@dataclass
class Ignore:
    """One code of one comment."""

    code: str
    span: Span
    """The code in the comment."""
    comment: Span
    lines: tuple[int, ...]
    only: bool
    """True if the comment names no other code."""
    used: bool = field(default=False)


def without_ignored(
    found: Sequence[Diagnostic],
    source: Source,
    judge: Callable[[str], bool] | None = None,
    all_targets: bool = True,
) -> tuple[Diagnostic, ...]:
    """The findings that no comment keeps back, and what is wrong with the comments.

    `judge` says whether a code was looked for at all. What is found for some targets only may be missing
    because others were asked for: then an idle comment is no finding (`all_targets`).
    """
    if "ignore" not in source.text:
        return tuple(found)
    judge = judge or bool  # any code
    ignores, problems = _read(source)
    kept: list[Diagnostic] = []
    for finding in found:
        hits = [i for i in ignores if finding.span.line in i.lines and _names(i.code, finding.code)]
        for hit in hits:
            hit.used = True
        if not hits or finding.span.source is not source:
            kept.append(finding)
    known = _known()
    for ignore in ignores:
        canonical = ALIASES.get(ignore.code, ignore.code)
        if not any(code.startswith(canonical) for code in known):
            problems.append(_unknown(ignore, known))
        elif not ignore.used and all_targets and judge(canonical):
            problems.append(_unused(ignore))
    problems = [problem for problem in problems if judge(problem.code)]
    return tuple(sorted((*kept, *problems), key=Diagnostic.sort_key))


def _names(written: str, code: str) -> bool:
    return any(name.startswith(written) for name in names_of(code))


def _known() -> tuple[str, ...]:
    return (*RULES, *CHECKING, *ALIASES)


def _read(source: Source) -> tuple[list[Ignore], list[Diagnostic]]:
    ignores: list[Ignore] = []
    problems: list[Diagnostic] = []
    for start, end in comments_of(source.text):
        for match in _IGNORE.finditer(source.text, start, end):
            span = Span(source, match.start(), match.end() - match.start())
            codes = list(_codes(source, match))
            if not codes:
                message = "this comment has no effect: it names no code"
                fix = "name the codes: `# ptoas: ignore[PTO-A201]`"
                problems.append(Diagnostic(NAMELESS, message, span, Severity.WARNING, fix=fix))
            lines = _lines(source, match.start())
            ignores += [Ignore(code.upper(), place, span, lines, len(codes) == 1) for code, place in codes]
    return ignores, problems


def _codes(source: Source, match: re.Match[str]) -> Iterator[tuple[str, Span]]:
    if match["list"]:
        for word in _WORD.finditer(source.text, match.start("codes"), match.end("codes")):
            yield word.group(), Span(source, word.start(), len(word.group()))


def _lines(source: Source, offset: int) -> tuple[int, ...]:
    """The line of a comment; of one alone on its line, the next line with code."""
    line, _ = source.position(offset)
    if source.line_text(line).lstrip()[:1] not in ("#", "/"):
        return (line,)
    following = line + 1
    last = len(source.line_starts)
    while following < last and source.line_text(following).lstrip()[:1] in ("#", "/", ""):
        following += 1
    return (line, following)


def _unknown(ignore: Ignore, known: Iterable[str]) -> Diagnostic:
    message = f"there is no code `{ignore.code}`"
    return Diagnostic(UNKNOWN, message, ignore.span, Severity.WARNING, fix=did_you_mean(ignore.code, known))


def _unused(ignore: Ignore) -> Diagnostic:
    message = f"{ignore.code} does not occur on line {ignore.lines[-1]}: this comment has no effect"
    edits = (Edit(_whole(ignore.comment), ""),) if ignore.only else (Edit(_one_of(ignore), ""),)
    return Diagnostic(UNUSED, message, ignore.span, Severity.WARNING, fix="remove it", edits=edits)


def _whole(comment: Span) -> Span:
    """A comment with the space before it, and with its line if nothing else is on it."""
    text, start, end = comment.source.text, comment.offset, comment.offset + comment.length
    rest = re.compile(r"[^\n]*").match(text, end)
    while start and text[start - 1] in " \t":
        start -= 1
    if rest is not None and not rest.group().strip():
        end = rest.end()
        if start == 0 or text[start - 1] == "\n":
            end = min(end + 1, len(text))
    return Span(comment.source, start, end - start)


def _one_of(ignore: Ignore) -> Span:
    """One code of several, with the comma that goes with it."""
    text, start, end = ignore.span.source.text, ignore.span.offset, ignore.span.offset + ignore.span.length
    after = re.compile(r"\s*,\s*").match(text, end)
    if after is not None:
        return Span(ignore.span.source, start, after.end() - start)
    while text[start - 1] in " \t,":
        start -= 1
    return Span(ignore.span.source, start, end - start)
