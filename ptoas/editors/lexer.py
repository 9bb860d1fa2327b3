"""The lexer that Pygments finds under the name `pto`. Pygments loads it, and nothing else does."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from ptoas.editors.vocabulary import vocabulary

WORDS = vocabulary()

_BEFORE, _AFTER = r"(?<![\w$.%@!#^-])", r"(?![\w$-]|\.\w)"
_SUFFIX = rf"(?:\.(?:{'|'.join(WORDS['suffixes'])}))*"


class PtoLexer(RegexLexer):
    """PTO in all its forms: assembly, SSA, DPS and the generic one."""

    name = "PTO"
    aliases: ClassVar = ["pto", "pto-as"]
    filenames: ClassVar = ["*.pto"]
    mimetypes: ClassVar = ["text/x-pto"]

    tokens: ClassVar[Any] = {
        "root": [
            (r"(?://|#)\s*(?:RUN-CHECK(?:\[[^\]\n]*\])?|ARGS|RUN):[^\n]*", Comment.Special),
            (r"//[^\n]*|#(?=[\s#]|\Z)[^\n]*|^[ \t]*#(?![A-Za-z_][\w.$-]*\s*=)[^\n]*", Comment.Single),
            (r"\s+", Whitespace),
            (r'"(?:[^"\\\n]|\\.)*"', String.Double),
            (words(WORDS["directives"], suffix=r"\b"), Keyword.Declaration),
            (words(WORDS["mlir"], prefix=_BEFORE, suffix=_AFTER), Keyword),
            (
                words(WORDS["instructions"], prefix=rf"{_BEFORE}(?:pto\.)?", suffix=_SUFFIX + _AFTER),
                Name.Builtin,
            ),
            (words(WORDS["types"], prefix=r"!?pto\.", suffix=r"(?![\w.])"), Keyword.Type),
            (words(WORDS["enums"], prefix=r"#pto\.", suffix=r"(?![\w.])"), Name.Constant),
            (r"![A-Za-z_][\w.$-]*", Name.Class),
            (r"#[A-Za-z_][\w.$-]*", Name.Constant),
            (r"%[\w$.-]*(?:#\d+)?", Name.Variable),
            (r'@(?:[\w$.-]+|"[^"\n]*")', Name.Function),
            (r"\^[\w$.-]+", Name.Label),
            (words(WORDS["scalars"], prefix=r"(?<![\w$.%@!#^-])", suffix=r"(?![\w$.-])"), Keyword.Type),
            (words(WORDS["scalars"], prefix=r"(?<=x)", suffix=r"(?![\w$.-])"), Keyword.Type),
            (r"(?:\d+|\?)x(?:(?:\d+|\?)x)*(?=[A-Za-z!])", Number.Integer),
            (words(WORDS["attributes"], prefix=r"(?<![\w$.])", suffix=r"(?=\s*=(?!=))"), Name.Attribute),
            (words(WORDS["words"], prefix=_BEFORE, suffix=r"(?![\w$.-])"), Keyword.Reserved),
            (words(WORDS["members"], suffix=r"(?![\w$.-])"), Name.Constant),
            (r"[-+]?0[xX][0-9A-Fa-f]+", Number.Hex),
            (r"[-+]?\d+(?:\.\d*(?:[eE][-+]?\d+)?|[eE][-+]?\d+)", Number.Float),
            (r"[-+]?\d+", Number.Integer),
            (r"->|==|=|\+|-|\*|/|\?|[<>]", Operator),
            (r"[()\[\]{},:;]", Punctuation),
            (r"[A-Za-z_][\w$-]*(?:\.[\w$-]+)*", Name),
        ]
    }
