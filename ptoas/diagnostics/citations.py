"""Sources that rules cite, as data.

A rule's source is one or more citations with `;` between them: `000, UB Memory Budget; D22`. A citation is a
decision, or a document and the section of it.

>>> [document.title for document in documents_in("000, UB Memory Budget; D22")]
['MGATHER, the full page']
>>> [decision.title for decision in decisions_in("000, UB Memory Budget; D22")]
['Budgets and overlap']
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from functools import cache

from ptoas.diagnostics.codes import ALIASES, CODES, UnknownCodeError
from ptoas.diagnostics.data import load_data


@dataclass(frozen=True)
class Decision:
    """A decision for a case in which the sources are silent or disagree.

    The number is permanent; the sentence says what holds, the rest how and why.
    """

    number: int
    title: str
    sentence: str
    more: str = ""

    @property
    def name(self) -> str:
        return f"D{self.number}"


@dataclass(frozen=True)
class SourceDocument:
    """A source of rules."""

    name: str
    title: str
    about: str
    pattern: str
    """Prefix of a citation of this source."""
    sections: tuple[str, ...] = ()
    """Subject of the source; None if the name is sufficient."""
    page: str | None = None
    """Public address of the document, or of the index of several."""


@cache
def documents() -> tuple[SourceDocument, ...]:
    """Sources of rules, in the order of the reference page."""
    return tuple(
        SourceDocument(
            row["name"],
            row["title"],
            row["about"],
            row["pattern"],
            tuple(row.get("sections", ())),
            row.get("page"),
        )
        for row in load_data("sources")["document"]
    )


@cache
def chapters() -> tuple[tuple[str, tuple[Decision, ...]], ...]:
    """Titles of the chapters of decisions, and their decisions."""
    return tuple(
        (chapter["title"], tuple(Decision(**row) for row in chapter["decision"]))
        for chapter in load_data("decisions")["chapter"]
    )


@cache
def decisions() -> dict[str, Decision]:
    """Every decision by its name, `D1` first."""
    return {decision.name: decision for _, rows in chapters() for decision in rows}


_DECISION = re.compile(r"\bD\d+\b")
_WRAP = textwrap.TextWrapper(100, break_on_hyphens=False)
_IN_TEXT = re.compile(r"\bdocument (00\d)\b")


def decisions_in(text: str) -> list[Decision]:
    """The decisions that a text cites, in order, each once."""
    known = decisions()
    return list(dict.fromkeys(known[name] for name in _DECISION.findall(text) if name in known))


def documents_in(source: str) -> list[SourceDocument]:
    """The documents that a source cites, in order, each once; in prose it is `document 003`."""
    found: dict[SourceDocument, None] = {}
    for part in source.split(";"):
        for document in documents():
            if re.match(document.pattern, part.strip()):
                found[document] = None
    for name in _IN_TEXT.findall(source):
        found[next(document for document in documents() if document.name == name)] = None
    return list(found)


def cited_page(source: str) -> str | None:
    """The public page of the first document that a source cites and that has one."""
    return next((document.page for document in documents_in(source) if document.page is not None), None)


def citation(name: str) -> str | None:
    """Return the decision or document with exactly this name (`D21`, `000`), or None."""
    document = next((each for each in documents() if each.name == name), None)
    if document is not None:
        return f"{name}: {document.title}\n\n{_WRAP.fill(document.about)}"
    found = decisions().get(name)
    if found is None:
        return None
    return "\n\n".join(
        [f"{name}: {found.title}", *map(_WRAP.fill, filter(None, (found.sentence, found.more)))]
    )


def cited(text: str, source: str = "") -> str:
    """Describe the sources that a text and a rule cite, one line each; empty if there are none."""
    lines = [f"{document.name}: {document.title}." for document in documents_in(source or text)]
    lines += [f"{each.name}: {each.sentence}" for each in decisions_in(f"{source} {text}")]
    wrap = textwrap.TextWrapper(100, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    return "\n".join(map(wrap.fill, lines))


def explain(code: str) -> str:
    """Explain a code, a decision or a document, with what is cited there.

    Raises `UnknownCodeError` if nothing has the name.
    """
    name = code.strip().upper()
    if (whole := citation(name)) is not None:
        return whole
    info = CODES.get(ALIASES.get(name, name))
    if info is None:
        same_chapter = sorted(
            known for known, each in CODES.items() if each.rule and known.startswith(name[:6])
        )
        hint = (
            f"; its chapter has {', '.join(same_chapter)}"
            if same_chapter
            else "; `ptoas rules` lists them all"
        )
        raise UnknownCodeError(f"no rule has the code {code!r}{hint}")
    explain_rule = info.explanation
    text = explain_rule(name) if explain_rule else f"{name}: {info.title}\n\n{info.meaning}"
    named = cited(text, info.source)
    return f"{text}\n\nCited:\n{named}" if named else text
