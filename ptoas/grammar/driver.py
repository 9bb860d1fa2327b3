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
        self._states: dict[int, _State] = {}

    def parse(self, text: str, makers: Mapping[str, TokenMaker]) -> Any:
        """What the rules make of a text, or `None`. `makers` make nodes of tokens, by the tokens' names."""
        known, kept = self._states, self._tables.kept
        at, end = 0, len(text)
        numbers, values = [self._tables.start], list[Any]()
        state = known.get(numbers[0]) or self._state(numbers[0])
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
                if size:
                    children = values[-size:]
                    del values[-size:], numbers[-size:]
                else:
                    children = []
                values.append(make(children))
                before = numbers[-1]
                number = (known.get(before) or self._state(before)).actions[target][1]
                numbers.append(number)
                state = known.get(number) or self._state(number)
                if found is None and number == self._tables.end:
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
            state = known.get(target) or self._state(target)

    def _state(self, number: int) -> _State:
        actions, find = self._tables.state(number)
        state = self._states[number] = _State(actions, find)
        return state


def _token(name: str, found: Any) -> Token:
    """Lark's token, without lines and columns, which no rule asks for."""
    token = str.__new__(Token, found.group())
    token.type = name
    token.start_pos, token.end_pos = found.span()
    return token
