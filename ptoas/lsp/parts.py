"""A program in parts that can be checked one by one: functions that call or name each other, each lot a
module of its own. A part whose text has not changed keeps what was found in it; only its place moves.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from ptoas.diagnostics import Diagnostic, Edit, Note, Source, Span
from ptoas.dialects.pto import OPCODES, instructions_of
from ptoas.ir.location import SourceLocation
from ptoas.lsp.document import Document, SourceStatement
from ptoas.lsp.plan import Planned, plan
from ptoas.targets.named import module_target
from ptoas.verifier.verify import verify_targets

JOINED = ("channel", "core_sync")
"""Chapters whose instructions meet those of other functions: such functions are one part."""

VERSIONS = 4
"""Number of text versions for which an unused part is kept, so that an undo finds it again."""


Mentions = tuple[frozenset[str], bool]
"""The symbols that a function names, and whether it meets others through channels."""


@dataclass(eq=False)
class DocumentPart:
    """Functions in a module of their own, at their positions when parsed, with their findings by target."""

    module: ModuleOp
    source: Source
    texts: tuple[str, ...]
    starts: tuple[int, ...]
    found: dict[tuple[str, ...], tuple[Diagnostic, ...]] = field(
        default_factory=dict[tuple[str, ...], "tuple[Diagnostic, ...]"]
    )
    plans: dict[str, Planned | None] = field(default_factory=dict[str, "Planned | None"])

    def findings(self, targets: tuple[str, ...]) -> tuple[Diagnostic, ...]:
        if targets not in self.found:
            self.found[targets] = verify_targets(self.module, targets).diagnostics
        return self.found[targets]

    def errors(self, target: str) -> int:
        """Count the errors of this part on a target, reusing a check for several targets if there is one."""
        found = next((each for targets, each in self.found.items() if target in targets), None)
        found = self.findings((target,)) if found is None else found
        return sum(d.is_error and (not d.targets or target in d.targets) for d in found)

    def plan(self, target: str) -> Planned | None:
        """Return tile addresses and inserted flags; None if the part is not valid on the target."""
        if target not in self.plans:
            self.plans[target] = None if self.errors(target) else plan(self.module, target)
        return self.plans[target]


@dataclass(frozen=True)
class Placed:
    """A part at the present position of its functions."""

    part: DocumentPart
    source: Source
    starts: tuple[int, ...]

    def moved(self, offset: int) -> int | None:
        """Map a position of this part to the current text; None if it is outside its functions."""
        part = self.part
        at = bisect_right(part.starts, offset) - 1
        if at < 0 or offset > part.starts[at] + len(part.texts[at]):
            return None
        return offset - part.starts[at] + self.starts[at]

    def findings(self, targets: tuple[str, ...]) -> Iterable[Diagnostic]:
        if self.part.source is self.source:
            yield from self.part.findings(targets)
            return
        for finding in self.part.findings(targets):
            span = self._span(finding.span)
            if span is not None:
                notes = tuple(
                    Note(self.text(note.message), note.span and self._span(note.span))
                    for note in finding.notes
                )
                edits = tuple(self._edits(finding))
                whole = len(edits) == len(finding.edits)
                message = self.text(finding.message)
                yield replace(finding, message=message, span=span, notes=notes, edits=edits if whole else ())

    def _edits(self, finding: Diagnostic) -> Iterable[Edit]:
        for edit in finding.edits:
            span = self._span(edit.span)
            if span is not None:
                yield replace(edit, span=span)

    def text(self, text: str) -> str:
        """Return a message with its line numbers adjusted to the present text."""
        return text if self.part.source is self.source else _LINE.sub(self._line, text)

    def _line(self, match: re.Match[str]) -> str:
        starts, line = self.part.source.line_starts, int(match[2])
        at = self.moved(starts[line - 1] + _indent(self.part.source, line)) if line <= len(starts) else None
        return match[0] if at is None else f"{match[1]}{self.source.position(at)[0]}"

    def _span(self, span: Span) -> Span | None:
        at = self.moved(span.offset)
        return None if at is None else Span(self.source, at, span.length)


class DocumentParts:
    """The parts of a text, version by version."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, ...], DocumentPart] = {}
        self._mentioned: dict[str, Mentions] = {}
        self._version = 0
        self._seen: dict[tuple[str, ...] | str, int] = {}
        """The version in which each kept part was last used."""
        self._groups: list[tuple[str, ...]] = []
        """The keys of the last version that was read whole."""

    def of(self, document: Document) -> list[Placed]:
        """The parts of a version; of a text with mistakes, those that are as they were."""
        prelude = _prelude(document)
        texts = {each.start: _text(document, each) for each in document.functions}
        if document.module is None:
            return self._unchanged(document, prelude, texts)
        self._version += 1
        groups = _groups(document, document.module, self._mentions)
        placed = [self._placed(document, document.module, prelude, group, texts) for group in groups]
        self._groups = [(prelude, *each.part.texts) for each in placed]
        self._forget()
        return placed

    def _forget(self) -> None:
        """A function under an editor's hands is another one with every key; most of them are of no use."""
        for key in [key for key, seen in self._seen.items() if seen <= self._version - VERSIONS]:
            del self._seen[key]
            if isinstance(key, str):
                del self._mentioned[key]
            else:
                del self._kept[key]

    def _mentions(self, text: str) -> Mentions:
        self._seen[text] = self._version
        if text not in self._mentioned:
            self._mentioned[text] = _mentions(text)
        return self._mentioned[text]

    def _placed(
        self,
        document: Document,
        module: ModuleOp,
        prelude: str,
        group: list[SourceStatement],
        texts: dict[int, str],
    ) -> Placed:
        if not group:
            whole = (document.source.text,)
            part = self._part((prelude, *whole), document.source, whole, (0,), lambda: module)
            return Placed(part, document.source, (0,))
        starts = tuple(each.start for each in group)
        chosen = tuple(texts[start] for start in starts)
        key = (prelude, *chosen)
        part = self._part(key, document.source, chosen, starts, lambda: _own_module(module, starts))
        return Placed(part, document.source, starts)

    def _part(
        self,
        key: tuple[str, ...],
        source: Source,
        texts: tuple[str, ...],
        starts: tuple[int, ...],
        make: Callable[[], ModuleOp],
    ) -> DocumentPart:
        self._seen[key] = self._version
        if key not in self._kept:
            self._kept[key] = DocumentPart(make(), source, texts, starts)
        return self._kept[key]

    def _unchanged(self, document: Document, prelude: str, texts: dict[int, str]) -> list[Placed]:
        places = {text: start for start, text in texts.items()}
        found: list[Placed] = []
        for key in self._groups:
            before, *own = key
            part = self._kept.get(key)
            if part is not None and before == prelude and all(text in places for text in own):
                found.append(Placed(part, document.source, tuple(places[text] for text in own)))
        return found


_SYMBOL = re.compile(r"@([\w$.-]+)")
_LINE = re.compile(r"(\bline )(\d+)")


def _indent(source: Source, line: int) -> int:
    text = source.line_text(line)
    return len(text) - len(text.lstrip())


def _text(document: Document, statement: SourceStatement) -> str:
    return document.source.text[statement.start : statement.end]


def _prelude(document: Document) -> str:
    """The text outside functions that affects them: heads of modules, aliases, attributes."""
    inside = (each for each in document.top if not each.is_function)
    return "\n".join(each.raw.text for each in inside) if document.functions else ""


def _groups(
    document: Document, module: ModuleOp, mentions: Callable[[str], Mentions]
) -> list[list[SourceStatement]]:
    """Groups of dependent functions; an empty list represents a program that is checked as a whole."""
    functions = document.functions
    here = {op.location.start: op for op in module.body.ops if isinstance(op.location, SourceLocation)}
    plain = all(isinstance(op, FuncOp) for op in module.body.ops)
    if len(functions) < 2 or not plain or [each.start for each in functions] != list(here):
        return [[]]
    names = {op.sym_name.data: op.location for op in module.body.ops if isinstance(op, FuncOp)}
    if len(names) != len(functions):
        return [[]]
    leader = {each.start: each.start for each in functions}

    def first(start: int) -> int:
        while leader[start] != start:
            start = leader[start]
        return start

    joined: int | None = None
    for function in functions:
        symbols, joins = mentions(_text(document, function))
        if joins:
            joined = function.start if joined is None else joined
            leader[first(function.start)] = first(joined)
        for location in (names[name] for name in symbols if name in names):
            assert isinstance(location, SourceLocation)
            leader[first(location.start)] = first(function.start)
    groups: dict[int, list[SourceStatement]] = {}
    for function in functions:
        groups.setdefault(first(function.start), []).append(function)
    return list(groups.values())


def _mentions(text: str) -> Mentions:
    """The symbols that a function's text names, its own among them, and whether it has an instruction that
    meets those of other functions. What a comment says is taken for more, which costs time and no finding."""
    return frozenset(_SYMBOL.findall(text)), _joining().search(text) is not None


@cache
def _joining() -> re.Pattern[str]:
    joined = {op for chapter in JOINED for op in instructions_of(chapter)}
    words = sorted(name for name, op in OPCODES.items() if op in joined)
    return re.compile(rf"(?<![\w$%@])(?:{'|'.join(map(re.escape, words))})(?![\w$])")


def _own_module(module: ModuleOp, starts: tuple[int, ...]) -> ModuleOp:
    """The functions at these places, taken out of the module that was read."""
    chosen = [
        op
        for op in module.body.ops
        if isinstance(op.location, SourceLocation) and op.location.start in starts
    ]
    for op in chosen:
        op.detach()
    own = ModuleOp(chosen, dict(module.attributes), sym_name=module.sym_name)
    own.location = module.location
    return own


def targets_named(document: Document) -> tuple[str, ...]:
    """The target that a program names for itself, if it does."""
    name = module_target(document.module) if document.module is not None else None
    return () if name is None else (name,)
