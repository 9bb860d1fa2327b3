"""The text of an instruction: one template (`PtoOp.ASSEMBLY_FORMAT`) prints and reads.

For reading, the words of a template say what stands behind them; the order of the parts is free. For
printing, a template is split into pieces, which are written one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import NamedTuple, TypeAlias

from ptoas.dialects.pto import OPCODES, OPS
from ptoas.dialects.pto.instruction import PtoOp


class FormatPiece(NamedTuple):
    """A part of a template. Its kind is the mark before its name (`$`, `^`, `#`, `&`, `{`) or:

    `x` for an attribute in hexadecimal, `?` for an optional part, which has pieces, and `text` for the rest.
    """

    kind: str
    text: str
    pieces: FormatPieces = ()


FormatPieces: TypeAlias = "tuple[FormatPiece, ...]"

_TOKEN = re.compile(
    r"(?P<mark>[$^&])(?P<name>\w+)|#(?P<attribute>\w+)(?P<hexadecimal>:x)?"
    r"|\{(?P<braces>\w+)\}|(?P<open>\()|(?P<close>\)\??)|(?P<text>[^$^#&{()]+|\{)"
)


def _pieces(tokens: Iterator[re.Match[str]]) -> tuple[FormatPieces, str]:
    """The pieces up to a closing parenthesis, and how it closes: `)` or `)?`."""
    pieces: list[FormatPiece] = []
    for token in tokens:
        if token["close"]:
            return tuple(pieces), token["close"]
        if token["open"]:
            inner, close = _pieces(tokens)
            text = (FormatPiece("text", "("), *inner, FormatPiece("text", ")"))
            pieces += (FormatPiece("?", "", inner),) if close == ")?" else text
        elif token["attribute"]:
            pieces.append(FormatPiece("x" if token["hexadecimal"] else "#", token["attribute"]))
        elif token["braces"]:
            pieces.append(FormatPiece("{", token["braces"]))
        else:
            pieces.append(FormatPiece(token["mark"] or "text", token["name"] or token["text"]))
    return tuple(pieces), ""


def operand_names(pieces: FormatPieces) -> list[str]:
    """The slots that pieces write, in the order of the text."""
    return [name for p in pieces for name in ([p.text] if p.kind == "$" else operand_names(p.pieces))]


# --- words -----------------------------------------------------------------------------------------

_NAMED = re.compile(r"(?<![@$^#&\w])([A-Za-z_]\w*)\s*(?:=\s*)?[\[(]?\s*[$#](\w+)")
_SYMBOL = re.compile(r"@(\w+)\s*\(\s*#(\w+)")
_INDEXED = re.compile(r"\$\w+\[[$#](\w+)")
_BARE = re.compile(r"(?<![@$^#&\w])[A-Za-z_]\w*(?![\w(])")
_GROUPS = re.compile(r"(?:ins|outs)\(")


class AssemblyFormat:
    """Parsed assembly format of an instruction, for reading and printing."""

    def __init__(self, cls: type[PtoOp]):
        self.cls = cls
        self.template = cls.ASSEMBLY_FORMAT or _groups(cls)
        self.every_form = _GROUPS.search(self.template) is None
        """True if it reads the same in every form; `ins(...) outs(...)` is the DPS form alone."""
        plain = re.sub(r"\{\w+\}|:x", "", self.template)
        self.words = {word: name for word, name in _NAMED.findall(plain) if word not in ("ins", "outs")}
        """The slot or attribute that a word fills: `word $x`, `word = $x`, `word [$x]`, `word($x)`."""
        self.symbols = dict(_SYMBOL.findall(plain))
        """`@word(#name)`."""
        self.indices = next(iter(_INDEXED.findall(plain)), None)
        """The slot or attribute that `%value[...]` fills."""
        self.flags = frozenset(re.findall(r"&(\w+)", plain))
        attributes = re.findall(r"#(\w+)", plain)
        self.attributes = self.flags.union(attributes)
        """The attributes that the dictionary leaves to other pieces."""
        spoken = {*self.words.values(), *self.symbols.values(), self.indices}
        self.positional = tuple(name for name in attributes if name not in spoken)
        """The attributes that are written by position: `set_flag[#pto.pipe<...>, ...]`."""
        self.bare = frozenset(_BARE.findall(plain)) - {*self.words}
        """Words that say nothing of their own: `single_cache_line`, the `outs` of `outs : f32`."""
        typed = next(iter(re.findall(r"\^(\w+)", plain)), None)
        self.types_source = self.every_form and any(slot.name == typed for slot in cls.signature().slots)
        """True if operands' types come before the results', so that a single type is theirs."""
        outs = re.search(r"outs\(([^:]*)", plain)
        self.out_names = tuple(re.findall(r"\$(\w+)", outs[1])) if outs else ()

    # --- printing

    @cached_property
    def pieces(self) -> FormatPieces:
        return _pieces(_TOKEN.finditer(self.template))[0]

    @cached_property
    def ins(self) -> FormatPieces:
        """Operands read in the DPS form, without types."""
        return _group(self.pieces, "ins")

    @cached_property
    def outs(self) -> tuple[FormatPieces, FormatPieces]:
        """Destinations, and operands written after them (in DPS form) or after all operands."""
        pieces, own = _group(self.pieces, "outs"), self.cls.OUTS
        beside = [p for p in pieces if own and any(name not in own for name in operand_names((p,)))]
        return tuple(piece for piece in pieces if piece not in beside), tuple(beside)


@cache
def assembly_format_of(cls: type[PtoOp]) -> AssemblyFormat:
    return AssemblyFormat(cls)


def _groups(cls: type[PtoOp]) -> str:
    """The DPS text of an instruction that declares no other."""
    signature = cls.signature()
    text = ""
    for word, slots in (
        ("ins", [slot for slot in signature.slots if slot.name not in cls.OUTS]),
        ("outs", [signature.slot(name) for name in cls.OUTS]),
    ):
        lists = ["", ""]
        for slot in slots:
            for at, mark in enumerate("$^"):
                part = f"{', ' if lists[at] else ''}{mark}{slot.name}"
                lists[at] += f"({part})?" if slot.optional or slot.variadic else part
        text += f"({word}({lists[0]} : {lists[1]}) )?" if slots else ""
    return text + "{attrs}"


def _group(pieces: FormatPieces, word: str) -> FormatPieces:
    """The contents of `word(...)`, without types."""
    for at, piece in enumerate(pieces):
        if found := _group(piece.pieces, word):
            return found
        if piece == FormatPiece("text", "(") and at and re.search(rf"(?<!\w){word}$", pieces[at - 1].text):
            depth, inside = 1, list[FormatPiece]()
            for inner in pieces[at + 1 :]:
                depth += {"(": 1, ")": -1}.get(inner.text, 0)
                if depth == 0:
                    return _without_types(tuple(inside))
                inside.append(inner)
    return ()


def _without_types(pieces: FormatPieces) -> FormatPieces:
    """Remove types and dictionaries: `$src, $row : ^src, ^row fp $fp : ^fp` gives `$src, $row fp $fp`."""
    found: list[FormatPiece] = []
    for piece in pieces:
        if piece.kind == "?":
            piece = FormatPiece("?", "", _without_types(piece.pieces))
        is_punctuation = piece.kind == "?" and all(inner.kind == "text" for inner in piece.pieces)
        if piece.kind != "^" and piece != FormatPiece("{", "attrs") and not is_punctuation:
            found.append(piece)
        elif found and found[-1].kind == "text":
            rest = re.sub(r"[\s,:]+$", "", found[-1].text)
            found[-1:] = [FormatPiece("text", rest)] if rest else []
    return tuple(found)


_FORMAT_WORD = re.compile(r"(?<![@$^#&{:\w])[A-Za-z_]\w*")


def part_words(ops: Iterable[type[PtoOp]] = OPS) -> set[str]:
    """The words of the templates of instructions: `sizes`, `valid`, `recv`; none of them is an opcode."""
    return {word for op in ops for word in _FORMAT_WORD.findall(op.ASSEMBLY_FORMAT or "")} - OPCODES.keys()
