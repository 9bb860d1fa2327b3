"""Lark's contextual lexer, with a quicker start.

Each state of the parser has a lexer of its own, for the tokens that may come there, and each of these
compiles a regular expression when it is first asked. So the first tokens of a state are found by one
expression for all tokens, as in `driver.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

from lark.common import LexerConf
from lark.lexer import BasicLexer, ContextualLexer

_WORTH_COMPILING = 40
"""After so many tokens a state gets its own expression, which is shorter and so quicker to match."""


class StateLexer(BasicLexer):
    """The lexer of one state; `shared` is the one for all tokens."""

    def __init__(self, conf: LexerConf, comparator: Any = None):
        cast(Any, super()).__init__(conf, comparator)
        self.accepted = frozenset(terminal.name for terminal in self.terminals)
        self.callback = {}
        self.shared: StateLexer | None = None
        self.asked = 0

    def match(self, text: Any, pos: int) -> Any:
        if self.shared is not None and self.asked < _WORTH_COMPILING:
            self.asked += 1
            found = cast(Any, self.shared.scanner).match(text, pos)
            if found is not None and found[1] in self.accepted:
                return found
        return cast(Any, self.scanner).match(text, pos)


class StatementLexer(ContextualLexer):
    """Gives every state's lexer the shared one."""

    BasicLexer = StateLexer

    def __init__(
        self, conf: LexerConf, states: dict[int, Collection[str]], always_accept: Collection[str] = ()
    ):
        super().__init__(conf, states, always_accept)
        for lexer in self.lexers.values():
            assert isinstance(lexer, StateLexer) and isinstance(self.root_lexer, StateLexer)
            lexer.shared = self.root_lexer
