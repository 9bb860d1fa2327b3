"""The text of an instruction as its class declares it (`PtoOp.LAYOUT`): one template prints and reads.

A template is taken apart into pieces, which the printer writes one after the other. The words among them are
what the reader looks for; it is otherwise free in the order of what it finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from ptoas.dialects.pto.instruction import PtoOp
from ptoas.grammar.tree import Record


class LiteralText(Record):
    """Words and punctuation as they are."""

    text: str


class Operands(Record):
    """`$name`: the operands of a slot."""

    name: str


class Types(Record):
    """`^name`: the types of a slot's operands, or of a result."""

    name: str


class Attribute(Record):
    """`#name`, in hexadecimal `#name:x`."""

    name: str
    hexadecimal: bool


class UnitAttribute(Record):
    """`&name`: the word itself, where the unit attribute of that name is set."""

    name: str


class Attributes(Record):
    """`{attrs}`: the dictionary of all attributes that no other piece writes."""


class Body(Record):
    """`{name}`: a region."""

    name: str


class Option(Record):
    """`(...)?`: written where all that it names is there."""

    pieces: Pieces


Piece: TypeAlias = "LiteralText | Operands | Types | Attribute | UnitAttribute | Attributes | Body | Option"
Pieces: TypeAlias = "tuple[Piece, ...]"

_TOKEN = re.compile(
    r"\$(?P<operands>\w+)|\^(?P<types>\w+)|#(?P<attribute>\w+)(?P<hexadecimal>:x)?|&(?P<flag>\w+)"
    r"|\{(?P<braces>\w+)\}|(?P<open>\()|(?P<close>\)\??)|(?P<text>[^$^#&{()]+|\{)"
)


def pieces_of(template: str) -> Pieces:
    """The pieces of a template."""
    pieces, _ = _until_closed(_TOKEN.finditer(template))
    return pieces


def _until_closed(tokens: Iterator[re.Match[str]]) -> tuple[Pieces, str]:
    """The pieces up to a closing parenthesis, and how it closes: `)` or `)?`."""
    pieces: list[Piece] = []
    for token in tokens:
        match token.lastgroup:
            case "close":
                return tuple(pieces), token["close"]
            case "open":
                inner, close = _until_closed(tokens)
                pieces += [Option(inner)] if close == ")?" else [LiteralText("("), *inner, LiteralText(")")]
            case "braces":
                name = token["braces"]
                pieces.append(Attributes() if name == "attrs" else Body(name))
            case "operands":
                pieces.append(Operands(token["operands"]))
            case "types":
                pieces.append(Types(token["types"]))
            case "flag":
                pieces.append(UnitAttribute(token["flag"]))
            case "text":
                pieces.append(LiteralText(token["text"]))
            case _:
                pieces.append(Attribute(token["attribute"], token["hexadecimal"] is not None))
    return tuple(pieces), ""


def names_in(pieces: Pieces, kind: type[Operands] | type[Attribute] | type[UnitAttribute]) -> Iterator[str]:
    """The names of the pieces of one kind, in the order of the text."""
    for piece in pieces:
        if isinstance(piece, Option):
            yield from names_in(piece.pieces, kind)
        elif isinstance(piece, kind):
            yield piece.name


# --- words -----------------------------------------------------------------------------------------

_NAMED = re.compile(r"(?<![@$^#&\w])([A-Za-z_]\w*)\s*(?:=\s*)?[\[(]?\s*[$#](\w+)")
_SYMBOL = re.compile(r"@(\w+)\s*\(\s*#(\w+)")
_INDEXED = re.compile(r"\$\w+\[[$#](\w+)")
_BARE = re.compile(r"(?<![@$^#&\w])[A-Za-z_]\w*(?![\w(])")
_TYPED = re.compile(r"\^(\w+)")
_GROUPS = re.compile(r"(?:ins|outs)\(")


class AssemblyFormat:
    """Parsed assembly format of an instruction, for reading and printing."""

    def __init__(self, cls: type[PtoOp]):
        self.template = template = cls.ASSEMBLY_FORMAT or _groups(cls)
        self.pieces = pieces_of(template)
        self.every_form = _GROUPS.search(template) is None
        """True if it reads the same in every form; `ins(...) outs(...)` is the DPS form alone."""
        self.attributes = frozenset(
            (*names_in(self.pieces, Attribute), *names_in(self.pieces, UnitAttribute))
        )
        """The attributes that the dictionary leaves to other pieces."""
        plain = _plain(self.pieces)
        self.words = {word: name for word, name in _NAMED.findall(plain) if word not in ("ins", "outs")}
        """The slot or attribute that a word fills: `word $x`, `word = $x`, `word [$x]`, `word($x)`."""
        self.symbols = dict(_SYMBOL.findall(plain))
        """`@word(#name)`."""
        self.indices = next(iter(_INDEXED.findall(plain)), None)
        """The slot or attribute that `%value[...]` fills."""
        self.flags = frozenset(names_in(self.pieces, UnitAttribute))
        spoken = {*self.words.values(), *self.symbols.values(), self.indices}
        self.positional = tuple(n for n in names_in(self.pieces, Attribute) if n not in spoken)
        """The attributes that are written by position: `set_flag[#pto.pipe<...>, ...]`."""
        self.bare = frozenset(_BARE.findall(plain)) - {*self.words}
        """Words that say nothing of their own: `single_cache_line`, the `outs` of `outs : f32`."""
        typed = next(iter(_TYPED.findall(template)), None)
        self.types_source = self.every_form and any(slot.name == typed for slot in cls.signature().slots)
        """True if operands' types come before the results', so that a single type is theirs."""
        self.ins, self.outs = _group(self.pieces, "ins"), _group(self.pieces, "outs")
        """Operands read and written in the DPS form, without types."""
        self.out_names = tuple(names_in(self.outs, Operands))
        beside = [piece for piece in self.outs if _is_beside(cls, piece)]
        self.destinations = tuple(piece for piece in self.outs if piece not in beside)
        self.beside = tuple(beside)
        """Operands after the destinations in the DPS form, and after all operands in the others."""


def _is_beside(cls: type[PtoOp], piece: Piece) -> bool:
    """Return True if a piece of `outs(...)` names operands that are no destinations."""
    return any(name not in cls.OUTS for name in names_in((piece,), Operands)) and bool(cls.OUTS)


@cache
def assembly_format_of(cls: type[PtoOp]) -> AssemblyFormat:
    return AssemblyFormat(cls)


def _groups(cls: type[PtoOp]) -> str:
    """The DPS text of an instruction that declares no other."""
    signature = cls.signature()
    text = ""
    for word, names in (
        ("ins", [slot.name for slot in signature.slots if slot.name not in cls.OUTS]),
        ("outs", list(cls.OUTS)),
    ):
        if names:
            operands, types = (_listed(cls, names, sigil) for sigil in "$^")
            text += f"({word}({operands} : {types}) )?"
    return text + "{attrs}"


def _listed(cls: type[PtoOp], names: list[str], sigil: str) -> str:
    """`$src(, $tmp)?`."""
    text = ""
    for name in names:
        slot = cls.signature().slot(name)
        one = f"{', ' if text else ''}{sigil}{name}"
        text += f"({one})?" if slot.optional or slot.variadic else one
    return text


def _plain(pieces: Pieces) -> str:
    """The template without what is optional being marked, and without dictionaries and regions."""
    text = ""
    for piece in pieces:
        match piece:
            case LiteralText(text=literal):
                text += literal
            case Operands(name=name):
                text += f"${name}"
            case Types(name=name):
                text += f"^{name}"
            case Attribute(name=name):
                text += f"#{name}"
            case UnitAttribute(name=name):
                text += f"&{name}"
            case Option(pieces=inner):
                text += _plain(inner)
            case Attributes() | Body():
                pass
    return text


def _group(pieces: Pieces, word: str) -> Pieces:
    """The contents of `word(...)`, without types."""
    for at, piece in enumerate(pieces):
        if isinstance(piece, Option) and (found := _group(piece.pieces, word)):
            return found
        if isinstance(piece, LiteralText) and piece.text == "(" and at and _ends_in(pieces[at - 1], word):
            depth, inside = 1, list[Piece]()
            for inner in pieces[at + 1 :]:
                depth += _depth(inner)
                if depth == 0:
                    return without_types(tuple(inside))
                inside.append(inner)
    return ()


def _ends_in(piece: Piece, word: str) -> bool:
    return isinstance(piece, LiteralText) and re.search(rf"(?<!\w){word}$", piece.text) is not None


def _depth(piece: Piece) -> int:
    return {"(": 1, ")": -1}.get(piece.text, 0) if isinstance(piece, LiteralText) else 0


def without_types(pieces: Pieces) -> Pieces:
    """`$src, $row fp $fp` of `$src, $row : ^src, ^row fp $fp : ^fp`; dictionaries go, too."""
    found: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Option):
            piece = Option(without_types(piece.pieces))
        if not isinstance(piece, Types) and not _is_punctuation(piece):
            found.append(piece)
        elif found and isinstance(last := found[-1], LiteralText):
            rest = re.sub(r"[\s,:]+$", "", last.text)
            found[-1:] = [LiteralText(rest)] if rest else []
    return tuple(found)


def _is_punctuation(piece: Piece) -> bool:
    return isinstance(piece, Attributes) or (
        isinstance(piece, Option) and all(isinstance(inner, LiteralText) for inner in piece.pieces)
    )


def joined(first: Pieces, second: Pieces) -> Pieces:
    """The operands of both, with a comma between them where both are there."""
    return (*first, Option((LiteralText(", "), *second))) if second else first
