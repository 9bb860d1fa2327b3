"""Lark's contextual lexer, with a quicker start.

Each state of the parser has a lexer of its own, for the tokens that may come there, and each of these
compiles a regular expression when it is first asked, which takes half a millisecond. A short file asks forty
of them, for a few tokens each. So the first tokens of a state are found by one expression for all tokens:
where its answer may come in that state it is the state's own answer, since both try tokens in one order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any, cast

from lark.common import LexerConf
from lark.lexer import BasicLexer, ContextualLexer

from ptoas.private import token_finder

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

    def find(self, text: str, at: int) -> Any:
        """The same for a text of which no lines are counted: the match of the token at a place."""
        if self.shared is not None and self.asked < _WORTH_COMPILING:
            self.asked += 1
            found = self.shared.own_match(text, at)
            if found is not None and found.lastgroup in self.accepted:
                return found
        return self.own_match(text, at)

    @cached_property
    def own_match(self) -> Callable[[str, int], Any]:
        """What finds the tokens of this lexer; it is compiled here."""
        return token_finder(self.scanner)


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
