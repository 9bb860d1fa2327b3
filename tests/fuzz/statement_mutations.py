"""Changes of whole statements: a statement is a line, with the lines up to where its braces close."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.fuzz.seeds import starting_texts

MAX_NESTING = 40
"""The deepest nest of loops and branches that is made here."""

MAX_SIZE = 60_000
"""Bytes; what would be longer is not made."""

_VALUE = re.compile(r"%[A-Za-z_][\w$]*")
_DEFINED = re.compile(r"^\s*(?:\.\w+\s+)?(%[\w$]+(?:\s*,\s*%[\w$]+)*)\s*[=:]")
_DECLARED = re.compile(r"(%[A-Za-z_][\w$]*)\s*:\s*(!\w[\w.]*<[^<>\n]*>|index|[su]?[if]\d+)")
_HEADERS = (".arg", ".target", ".const", "module", "func.func", "builtin.module", "!", "#")

Lines = list[str]


def _depth(line: str) -> int:
    line = re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", line)
    return line.count("{") - line.count("}")


def statement_at(lines: Lines, at: int) -> slice:
    """The lines of the statement that begins on a line."""
    depth = 0
    for end in range(at, len(lines)):
        depth += _depth(lines[end])
        if depth <= 0:
            return slice(at, end + 1)
    return slice(at, len(lines))


def _choose(lines: Lines, random: Random) -> slice:
    """Some statement, one that does something rather than one that declares."""
    places = [n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith(("}", "^"))]
    inner = [n for n in places if not lines[n].lstrip().startswith(_HEADERS)]
    if inner and random.random() < 0.85:
        places = inner
    return statement_at(lines, random.choice(places)) if places else slice(0, len(lines))


def renamed(lines: Lines, tag: str) -> Lines:
    """The same statements, with what they define under names of their own."""
    own: dict[str, str] = {}
    for line in lines:
        if match := _DEFINED.match(line):
            own |= {name: f"{name}{tag}" for name in _VALUE.findall(match[1])}
    return [_VALUE.sub(lambda m: own.get(m.group(), m.group()), line) for line in lines]


def drop(lines: Lines, random: Random) -> None:
    del lines[_choose(lines, random)]


def duplicate(lines: Lines, random: Random) -> None:
    which = _choose(lines, random)
    copy = lines[which]
    if random.random() < 0.8:
        copy = renamed(copy, f"_{random.randrange(1000)}")
    lines[which.stop : which.stop] = copy


def repeat(lines: Lines, random: Random) -> None:
    which = _choose(lines, random)
    count = random.choice((3, 10, 40, 200, 1000))
    count = min(count, MAX_SIZE // (1 + sum(map(len, lines[which]))))
    rename = random.random() < 0.9
    copies = [renamed(lines[which], f"_{n}") if rename else lines[which] for n in range(count)]
    lines[which.stop : which.stop] = [line for copy in copies for line in copy]


def swap(lines: Lines, random: Random) -> None:
    first, second = sorted((_choose(lines, random), _choose(lines, random)), key=lambda s: s.start)
    if first.stop <= second.start:
        lines[first.start : second.stop] = [
            *lines[second],
            *lines[first.stop : second.start],
            *lines[first],
        ]


def move(lines: Lines, random: Random) -> None:
    which = _choose(lines, random)
    taken = lines[which]
    del lines[which]
    at = random.randrange(len(lines) + 1)
    lines[at:at] = taken


def splice(lines: Lines, random: Random) -> None:
    """A statement of another program, with all that it needs, under names of its own."""
    other = random.choice(starting_texts()).decode("utf-8", "replace").split("\n")
    which = _choose(other, random)
    taken = other[which]
    if random.random() < 0.8:
        taken = renamed([*_needed(other, which), *taken], f"_{random.randrange(1000)}")
    at = _choose(lines, random)
    place = random.choice((at.start, at.stop, at.stop, len(lines)))
    arguments = [line for line in taken if line.lstrip().startswith(".arg")]
    lines[place:place] = [line for line in taken if line not in arguments]
    lines[0:0] = arguments


def _needed(lines: Lines, which: slice) -> Lines:
    """The lines before a statement that define what it uses, and what those use."""
    wanted = set(_VALUE.findall(" ".join(lines[which])))
    found: Lines = []
    for line in reversed(lines[: which.start]):
        match = _DEFINED.match(line)
        if match and wanted & set(_VALUE.findall(match[1])):
            wanted |= set(_VALUE.findall(line))
            found.insert(0, line)
    return found


def join_program(lines: Lines, random: Random) -> None:
    """Another whole program behind this one."""
    other = random.choice(starting_texts()).decode("utf-8", "replace").split("\n")
    taken = renamed(other, f"_{random.randrange(1000)}")
    lines[0:0] = [line for line in taken if line.lstrip().startswith((".arg", "!", "#"))]
    lines += [line for line in taken if not line.lstrip().startswith((".arg", "!", "#", ".target"))]


def rewire(lines: Lines, random: Random) -> None:
    """A value for another one of the same type: the statement stays well typed."""
    kinds: dict[str, list[str]] = {}
    types: dict[str, str] = {}
    for line in lines:
        for name, kind in _DECLARED.findall(line):
            kinds.setdefault(kind, []).append(name)
            types[name] = kind
        if (match := _DEFINED.match(line)) and (found := re.search(r"->\s*(!\w[\w.]*<[^<>\n]*>)", line)):
            kinds.setdefault(found[1], []).append(match[1])
            types[match[1]] = found[1]
    which = _choose(lines, random)
    used = [name for name in _VALUE.findall(" ".join(lines[which])) if name in types]
    if not used:
        return
    old = random.choice(used)
    new = random.choice(kinds[types[old]])
    at = random.randrange(which.start, which.stop)
    lines[at] = re.sub(rf"{re.escape(old)}(?![\w$])", new, lines[at])


def nest(lines: Lines, random: Random) -> None:
    """Put statements into loops and branches."""
    first = _choose(lines, random)
    which = slice(first.start, first.stop)
    for _ in range(random.randrange(4)):
        if which.stop < len(lines) and not lines[which.stop].lstrip().startswith(
            ("}", "func.return", "return")
        ):
            which = slice(which.start, statement_at(lines, which.stop).stop)
    depth = random.choice((1, 1, 1, 2, 3, 8, MAX_NESTING))
    if _nesting(lines) + depth > MAX_NESTING:
        return
    inside = lines[which]
    tag = random.randrange(1000)
    for level in range(depth):
        inside = random.choice(_NESTS)(inside, f"{tag}_{level}", random)
    numbers = [f"%c{n}_{tag} = arith.constant {n} : index" for n in (0, 1, 2)]
    numbers.append(f"%t_{tag} = arith.constant {random.randrange(2)} : i1")
    lines[which] = [*numbers, *(line.replace("@TAG", str(tag)) for line in inside)]


def _nesting(lines: Lines) -> int:
    depth = deepest = 0
    for line in lines:
        depth += _depth(line)
        deepest = max(deepest, depth)
    return deepest


def _in_for(inside: Lines, tag: str, random: Random) -> Lines:
    upper = random.choice(("%c0_@TAG", "%c1_@TAG", "%c2_@TAG", "%c2_@TAG"))
    return [f"scf.for %i{tag} = %c0_@TAG to {upper} step %c1_@TAG {{", *inside, "}"]


def _in_if(inside: Lines, _: str, random: Random) -> Lines:
    other = ["} else {", *renamed(inside, "_e")] if random.random() < 0.3 else []
    return ["scf.if %t_@TAG {", *inside, *other, "}"]


def _in_carried_for(inside: Lines, tag: str, _: Random) -> Lines:
    head = f"%r{tag} = scf.for %i{tag} = %c0_@TAG to %c2_@TAG step %c1_@TAG "
    head += f"iter_args(%a{tag} = %c1_@TAG) -> (index) {{"
    return [
        head,
        *inside,
        f"%n{tag} = arith.addi %a{tag}, %i{tag} : index",
        f"scf.yield %n{tag} : index",
        "}",
    ]


_NESTS: tuple[Callable[[Lines, str, Random], Lines], ...] = (_in_for, _in_for, _in_if, _in_carried_for)

_CHANGES: tuple[Callable[[Lines, Random], None], ...] = (
    *(drop, duplicate, duplicate, repeat, swap, move, splice, splice, splice, join_program),
    *(rewire, rewire, rewire, nest, nest, nest),
)


def reprint(data: bytes, random: Random) -> bytes:
    """The program in another form, where it can be read."""
    from ptoas import PtoasError, parse, print_module

    try:
        return print_module(parse(data.decode()), random.choice(("asm", "ssa", "dps", "generic"))).encode()
    except (PtoasError, UnicodeDecodeError):
        return data


def mutate(data: bytes, random: Random) -> bytes:
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    random.choice(_CHANGES)(lines, random)
    changed = "\n".join(lines).encode("utf-8", "surrogateescape")
    return changed if len(changed) <= MAX_SIZE else data
