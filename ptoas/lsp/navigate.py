"""Definitions, references, symbols, and new names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types as lsp

from ptoas.diagnostics import Source
from ptoas.grammar.layout import blank_comments, ignore_diagnostics
from ptoas.lsp.describe import short_type
from ptoas.lsp.document import Document, SourceStatement
from ptoas.lsp.names import MARKS, Kind, Name, NameOccurrence
from ptoas.lsp.places import range_of
from ptoas.lsp.session import File

SYMBOL_KINDS = {
    Kind.VALUE: lsp.SymbolKind.Variable,
    Kind.FUNCTION: lsp.SymbolKind.Function,
    Kind.TYPE: lsp.SymbolKind.Struct,
    Kind.ATTRIBUTE: lsp.SymbolKind.Constant,
    Kind.BLOCK: lsp.SymbolKind.Key,
}


def definition(file: File, offset: int) -> lsp.Location | None:
    found = file.names.at(offset)
    if found is None or found[0].definition is None:
        return None
    return _location(file, found[0].definition)


def references(file: File, offset: int, declaration: bool) -> list[lsp.Location]:
    found = file.names.at(offset)
    if found is None:
        return []
    name = found[0]
    places = [place for place in name.places if declaration or place != name.definition]
    return [_location(file, place) for place in sorted(places, key=lambda place: place.start)]


def highlights(file: File, offset: int) -> list[lsp.DocumentHighlight]:
    found = file.names.at(offset)
    if found is None:
        return []
    kinds = lsp.DocumentHighlightKind
    return [
        lsp.DocumentHighlight(
            range_of(file.document.source, place.start, place.end),
            kinds.Write if place == found[0].definition else kinds.Read,
        )
        for place in found[0].places
    ]


def _location(file: File, place: NameOccurrence) -> lsp.Location:
    return lsp.Location(file.uri, range_of(file.document.source, place.start, place.end))


# --- symbols -------------------------------------------------------------------------------------


def document_symbols(file: File) -> list[lsp.DocumentSymbol]:
    """Functions with their values, and aliases; of a bare program, its values."""
    document, names = file.document, file.names
    inside: dict[SourceStatement | None, list[lsp.DocumentSymbol]] = {}
    found: list[tuple[int, lsp.DocumentSymbol]] = []
    for name in names.all:
        if name.definition is None or name.statement is None or name.kind is Kind.BLOCK:
            continue
        symbol = _symbol(document, name)
        if name.kind is Kind.VALUE and name.statement.function is not None:
            inside.setdefault(name.statement.function, []).append(symbol)
        else:
            found.append((name.definition.start, symbol))
            if name.kind is Kind.FUNCTION:
                symbol.children = inside.setdefault(name.statement, [])
    return [symbol for _, symbol in sorted(found, key=lambda each: each[0])]


def _symbol(document: Document, name: Name) -> lsp.DocumentSymbol:
    assert name.definition is not None and name.statement is not None
    value = name.value(document)
    where = range_of(document.source, name.definition.start, name.definition.end)
    whole = range_of(document.source, name.statement.start, name.statement.end)
    is_function = name.kind is Kind.FUNCTION
    extent = whole if is_function or name.kind is not Kind.VALUE or not name.argument else where
    if not (_before(extent.start, where.start) and _before(where.end, extent.end)):
        extent = where
    detail = short_type(value.type) if value is not None else ""
    return lsp.DocumentSymbol(name.shown, SYMBOL_KINDS[name.kind], extent, where, detail)


def _before(first: lsp.Position, second: lsp.Position) -> bool:
    return (first.line, first.character) <= (second.line, second.character)


_DEFINES = re.compile(
    r"(?<![\w.])func\.func\s+(?:(?:private|public|nested)\s+)?(?P<function>@[\w$.-]+)"
    r"|^[ \t]*(?P<type>![A-Za-z_][\w$-]*)(?=\s*=)|^[ \t]*(?P<attribute>#[A-Za-z_][\w$-]*)(?=\s*=)",
    re.M,
)
_DEFINED = {"function": Kind.FUNCTION, "type": Kind.TYPE, "attribute": Kind.ATTRIBUTE}


def outline(uri: str, source: Source) -> list[lsp.WorkspaceSymbol]:
    """The functions and aliases of a text, without reading it: a workspace has many files."""
    found: list[lsp.WorkspaceSymbol] = []
    for match in _DEFINES.finditer(blank_comments(source.text, ignore_diagnostics)):
        word = match.lastgroup or ""
        where = range_of(source, *match.span(word))
        found.append(lsp.WorkspaceSymbol(lsp.Location(uri, where), match[word], SYMBOL_KINDS[_DEFINED[word]]))
    return found


def matching(symbols: Iterable[lsp.WorkspaceSymbol], query: str) -> Iterator[lsp.WorkspaceSymbol]:
    """Symbols whose name contains the letters of a query, in order."""
    letters = re.compile(".*".join(map(re.escape, query.lower().lstrip("@!#"))))
    return (symbol for symbol in symbols if letters.search(symbol.name.lower()))


# --- new names -----------------------------------------------------------------------------------


class Refused(Exception):
    """A name can't be changed, or not into that."""


_LEGAL = {
    Kind.VALUE: re.compile(r"[\w$.-]+", re.A),
    Kind.FUNCTION: re.compile(r"[A-Za-z_][\w$]*", re.A),
    Kind.TYPE: re.compile(r"[A-Za-z_]\w*", re.A),
    Kind.ATTRIBUTE: re.compile(r"[A-Za-z_]\w*", re.A),
    Kind.BLOCK: re.compile(r"[\w$.-]+", re.A),
}


def renamed_place(file: File, offset: int) -> NameOccurrence:
    """The name that is to be changed, without its mark."""
    return _named(file, offset)[1]


def rename(file: File, offset: int, new: str) -> list[lsp.TextEdit]:
    name, _ = _named(file, offset)
    new = new.removeprefix(MARKS[name.kind])
    if not _LEGAL[name.kind].fullmatch(new):
        raise Refused(f"`{new}` can't be the name of a {name.kind.value}: letters a to z, digits and `_`")
    if name.kind is Kind.TYPE and new.startswith("pto"):
        raise Refused("an alias can't begin with `pto`, which the dialect's own types do")
    taken = _taken(file, name, new)
    if taken is not None and taken is not name:
        line = file.document.source.position(taken.places[0].start)[0]
        raise Refused(f"there is `{MARKS[name.kind]}{new}` on line {line} already")
    places = [NameOccurrence(place.start + 1, place.end) for place in name.places]
    places += _in_checks(file, name)
    source = file.document.source
    return [lsp.TextEdit(range_of(source, each.start, each.end), new) for each in places]


def _named(file: File, offset: int) -> tuple[Name, NameOccurrence]:
    found = file.names.at(offset)
    if found is None:
        token = file.document.token_at(offset)
        what = f"`{token.text}` is part of the language" if token is not None else "nothing here has a name"
        raise Refused(f"{what}; values, functions, blocks and aliases can be renamed")
    name, place = found
    if name.definition is None:
        raise Refused(f"`{name.shown}` is not defined in this file")
    return name, NameOccurrence(place.start + 1, place.end)


def _taken(file: File, name: Name, new: str) -> Name | None:
    """Another thing of the same kind that has the new name already, where both would be known."""
    function = name.statement.function if name.statement else None
    for other in file.names.of_kind(name.kind):
        if other.text != new:
            continue
        of = other.statement.function if other.statement else None
        local = name.kind in (Kind.VALUE, Kind.BLOCK)
        if not local or of is function or other.statement is None:
            return other
    return None


_CHECK = re.compile(r"(?://|#)\s*(?:RUN-CHECK(?:\[[^\]\n]*\])?|ARGS)\s*:[^\n]*")


def _in_checks(file: File, name: Name) -> list[NameOccurrence]:
    """Find uses of an argument's name in RUN-CHECK comments; other functions may share the name."""
    if name.kind is not Kind.VALUE or not name.argument:
        return []
    homonyms = [each for each in file.names.of_kind(Kind.VALUE) if each.argument and each.text == name.text]
    if len(homonyms) > 1:
        return []
    word = re.compile(rf"(?<![\w.$]){re.escape(name.text)}(?![\w$])")
    found: list[NameOccurrence] = []
    for line in _CHECK.finditer(file.document.source.text):
        colon = line.start() + line.group().index(":") + 1
        found += [
            NameOccurrence(*match.span())
            for match in word.finditer(file.document.source.text, colon, line.end())
        ]
    return found
