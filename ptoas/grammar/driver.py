"""A quick way through the grammar's tables: tokens, states and nodes in one loop.

Lark's own loop makes a token object for every bracket, counts lines, builds a tree and walks it again. For a
text that nothing like it was read before, that is half of the time. This loop asks the same tables, the same
expressions and the same rules, makes no token that no rule looks at, and hands the children of a rule to the
node's maker at once. It explains nothing: where a text does not fit it gives up, and Lark says what is wrong.
For a text that fits, Lark is not even imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, NamedTuple

from ptoas.private import Children, Tables

BLANKS = " \t\r\n"
"""What the grammar ignores between tokens."""

END = "$END"

_WORTH_COMPILING = 150
"""After so many tokens a state gets its own expression, which is shorter and matches three times as fast. To
compile it takes as long as it saves in 700 tokens: no state of a small file is worth it, some of many are."""


class Token(str):
    """A piece of the text: what the grammar calls it, and where it stands."""

    __slots__ = ("end_pos", "start_pos", "type")

    def __new__(cls, type: str, text: str, start: int, end: int | None = None) -> Token:
        token = str.__new__(cls, text)
        token.type, token.start_pos, token.end_pos = type, start, end
        return token


class Tree(NamedTuple):
    """What a rule found, where nothing else is made of it."""

    data: str
    children: list[Any]


TokenMaker = Callable[[Token], Any]
Maker = Callable[[list[Any]], Any]
Action = tuple[int, Any, Maker | None]
"""How many children a rule that is complete takes, its name, and what it makes of them; or the next state,
and `None`: the token is taken."""


class Lexer:
    """Finds the next token in any state.

    Each state could have an expression of its own, for the tokens that may come there; to compile one takes
    a millisecond, and a short file meets forty, for a few tokens each. So the first tokens of a state
    are found by one expression for all: where its answer may come in that state it is the state's own answer,
    since both try tokens in one order.
    """

    def __init__(self, tables: Tables):
        self.tables = tables
        self._states: dict[frozenset[str], StateLexer] = {}

    @cached_property
    def match(self) -> Callable[[str, int], Any]:
        return self.compiled([name for name, _ in self.tables.tokens])

    def compiled(self, names: list[str] | frozenset[str]) -> Callable[[str, int], Any]:
        """What finds one of some tokens; the name of its match's last group is the token's."""
        tokens = [f"(?P<{name}>{text})" for name, text in self.tables.tokens if name in names]
        return re.compile("|".join(tokens)).match if tokens else _nothing

    def state(self, actions: Mapping[str, Any]) -> StateLexer:
        """The lexer of a state; those with the same tokens share it."""
        names = frozenset(name for name, _ in self.tables.tokens if name in actions)
        return self._states.setdefault(names, StateLexer(self, names))


class StateLexer:
    """Finds the next token in a state."""

    def __init__(self, shared: Lexer, names: frozenset[str]):
        self._shared, self._names, self._asked = shared, names, 0

    def find(self, text: str, at: int) -> Any:
        """The match of the token that begins at a place."""
        if self._asked < _WORTH_COMPILING:
            self._asked += 1
            found = self._shared.match(text, at)
            if found is not None and found.lastgroup in self._names:
                return found
        return self._own(text, at)

    @cached_property
    def _own(self) -> Callable[[str, int], Any]:
        return self._shared.compiled(self._names)


def _nothing(text: str, at: int) -> None:
    """In a state in which nothing but the end may come."""


class _State:
    """A state of the parser, as this loop wants it."""

    __slots__ = ("actions", "find")

    def __init__(self, actions: Mapping[str, Action], find: Callable[[str, int], Any]):
        self.actions = actions
        self.find = find


class Driver:
    """The loop for one start symbol; `builder` has a method for each rule, none: trees."""

    def __init__(self, lexer: Lexer, start: str, builder: object | None = None):
        tables = lexer.tables
        (self._start, self._end), *_ = (ends for name, *ends in tables.starts if name == start)
        self._kept = frozenset(tables.kept)
        self._states = _States(lexer, builder)

    def parse(self, text: str, makers: Mapping[str, TokenMaker]) -> Any:
        """What the rules make of a text, or `None`. `makers` make nodes of tokens, by the tokens' names."""
        states, kept, last = self._states, self._kept, self._end
        at, end = 0, len(text)
        numbers, values = [self._start], list[Any]()
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
                token = Token(name, found.group(), *found.span())
                maker = makers.get(name)
                values.append(token if maker is None else maker(token))
            else:
                values.append(None)
            at = found.end()
            numbers.append(target)
            state = states[target]


class _States(dict[int, _State]):
    """The states by their numbers, each made when it is first met."""

    def __init__(self, lexer: Lexer, builder: object | None):
        super().__init__()
        self._lexer, self._builder = lexer, builder
        self._rules: dict[int, Action] = {}

    def __missing__(self, number: int) -> _State:
        entries = self._lexer.tables.states[number]
        actions = {name: (0, to, None) if to >= 0 else self._rule(~to) for name, to in entries}
        state = self[number] = _State(actions, self._lexer.state(actions).find)
        return state

    def _rule(self, number: int) -> Action:
        if number not in self._rules:
            origin, size, name, single, children = self._lexer.tables.rules[number]
            # The children of a rule whose name begins so are put among those of the rule around it.
            make = list if origin.startswith("_") else getattr(self._builder, name, partial(Tree, name))
            self._rules[number] = size, origin, _maker(make, single, children)
        return self._rules[number]


def _maker(make: Maker, single: bool, children: Children | None) -> Maker:
    """What makes a node of all children of a rule."""

    def one_or_made(left: list[Any]) -> Any:
        return left[0] if len(left) == 1 else make(left)

    then = one_or_made if single else make
    if children is None:
        return then
    kept, last = children

    def of_some(values: list[Any]) -> Any:
        left: list[Any] = []
        for at, put_in, missing in kept:
            if missing:
                left += [None] * missing
            if not put_in:
                left.append(values[at])
            elif left:
                left += values[at]
            else:
                left = values[at]  # a list that grows at its end is not copied each time
        return then(left + [None] * last if last else left)

    return of_some
