"""A quick way through the grammar's tables: tokens, states and nodes in one loop.

Lark's own loop makes a token object for every bracket, counts lines, builds a tree and walks it again. For a
text that nothing like it was read before, that is half of the time. This loop asks the same tables, the same
expressions and the same rules, makes no token that no rule looks at, and hands the children of a rule to the
node's maker at once. It explains nothing: where a text does not fit it gives up, and Lark says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lark import Lark, Token

from ptoas import private

BLANKS = " \t\r\n"
"""What the grammar ignores between tokens."""

END = "$END"

TokenMaker = Callable[[Token], Any]


class _State:
    """A state of the parser, as this loop wants it."""

    __slots__ = ("actions", "find")

    def __init__(self, actions: Mapping[str, private.Action], find: Callable[[str, int], Any]):
        self.actions = actions
        self.find = find


class Driver:
    """The loop for one start symbol; `transformer` has a method for each rule, none: Lark's own trees."""

    def __init__(self, parser: Lark, start: str, transformer: object | None = None):
        self._tables = private.tables_of(parser, start, transformer)
        self._states = _States(self._tables)

    def parse(self, text: str, makers: Mapping[str, TokenMaker]) -> Any:
        """What the rules make of a text, or `None`. `makers` make nodes of tokens, by the tokens' names."""
        states, kept, last = self._states, self._tables.kept, self._tables.end
        at, end = 0, len(text)
        numbers, values = [self._tables.start], list[Any]()
        state = states[numbers[0]]
        while True:
            while at < end and text[at] in BLANKS:
                at += 1
            if at < end:
                found = state.find(text, at)
                if found is None:
                    return None
                name: str = found.lastgroup
            else:
                found, name = None, END
            while True:
                action = state.actions.get(name)
                if action is None:
                    return None
                size, target, make = action
                if make is None:
                    break
                if size == 1:
                    # Most rules: one of several, which is another by itself.
                    values[-1] = make([values[-1]])
                    del numbers[-1]
                elif size:
                    children = values[-size:]
                    del values[-size:], numbers[-size:]
                    values.append(make(children))
                else:
                    values.append(make([]))
                number = states[numbers[-1]].actions[target][1]
                numbers.append(number)
                state = states[number]
                if found is None and number == last:
                    return values[-1]
            assert found is not None, "the end is not shifted"
            if name in kept:
                token = _token(name, found)
                maker = makers.get(name)
                values.append(token if maker is None else maker(token))
            else:
                values.append(None)
            at = found.end()
            numbers.append(target)
            state = states[target]


class _States(dict[int, _State]):
    """The states by their numbers, each made when it is first met."""

    def __init__(self, tables: private.Tables):
        super().__init__()
        self._tables = tables

    def __missing__(self, number: int) -> _State:
        state = self[number] = _State(*self._tables.state(number))
        return state


def _token(name: str, found: Any) -> Token:
    """Lark's token, without lines and columns, which no rule asks for."""
    token = str.__new__(Token, found.group())
    token.type = name
    token.start_pos, token.end_pos = found.span()
    return token
