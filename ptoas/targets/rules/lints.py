"""Lints: legal programs that are probably wrong."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import cache

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, SSAValue

from ptoas.analysis.function import FunctionFacts, Touches, ValueAccess, value_name
from ptoas.analysis.storage import Place
from ptoas.analysis.structure import enclosing_loops
from ptoas.diagnostics import Severity
from ptoas.diagnostics.spelling import nearest
from ptoas.dialects.pto.instruction import BinaryOp, Instruction, PtoOp, ScalarOp, UnaryOp
from ptoas.dialects.pto.types import TileType, ViewType
from ptoas.dialects.pto.views import AllocTileOp, SetValidShapeOp, TAssignOp
from ptoas.targets.fixit import Fixit
from ptoas.targets.rule import Related, Violation, Violations, access_rule, rule
from ptoas.targets.target import Target


@rule(
    "PTO-N100",
    source="ptoas",
    reason="Lifetimes and pipes are followed through scf only. Forward branches become scf.if; loops of "
    "blocks are parsed and printed, but `lower` and `run` reject them.",
    severity=Severity.WARNING,
    scope="branches",
    depends_on="nothing",
)
def body_has_one_block(facts: FunctionFacts, _target: Target) -> Violations:
    """Bodies with several blocks are checked instruction by instruction only: not their flags, placement and
    lifetimes."""
    for op in facts.branched:
        blocks = max(len(region.blocks) for region in op.regions)
        yield Violation(
            f"flags, placement and lifetimes are not checked: the body has {blocks} blocks",
            op=op,
            fix="write branches and loops with scf.if, scf.index_switch, scf.for and scf.while",
        )


# --- work for nothing ------------------------------------------------------------------------------


def _writes_global_memory(touches: Touches) -> bool:
    """Return True if the function writes global memory; otherwise its tiles are the results."""
    return any(each.write and isinstance(each.value.type, ViewType) for _, all in touches for each in all)


def _is_followed(root: SSAValue) -> bool:
    """Return True if only PTO instructions use a tile, so that all of its uses are known."""
    return all(isinstance(use.operation, PtoOp) and not use.operation.results for use in root.uses)


@access_rule(
    "PTO-N101",
    source="ptoas",
    reason="The instruction has no effect, or another tile was meant.",
    severity=Severity.WARNING,
)
def result_is_used(facts: FunctionFacts, touches: Touches) -> Violations:
    """In a function that writes global memory, a result in a local tile should be used."""
    if facts.manual_placement or not _writes_global_memory(touches):
        return  # Tiles at one address are read through each other.
    written: dict[SSAValue, Operation] = {}
    read: set[SSAValue] = set()
    for op, each in touches:
        for value, write, _ in each:
            if isinstance(value.type, TileType):
                root = facts.root(value)
                if write:
                    written.setdefault(root, op)
                else:
                    read.add(root)
    slips = _names_of_unwritten(read - written.keys())
    for root, op in written.items():
        if root in read or not isinstance(root.owner, AllocTileOp | Instruction) or not _is_followed(root):
            continue
        if nearest(value_name(root), slips):
            continue  # PTO-U106 asks whether the one was meant for the other.
        if isinstance(op, PtoOp):
            if root in {facts.root(v) for slot in op.SCRATCH for v in op.operands_of(slot)}:
                continue  # Scratch is there to be written.
            if any(facts.root(v) in read for slot in op.OUTS for v in op.values_of(slot)):
                continue  # It is done for another of its results.
        message = f"result `{value_name(root)}` is never used"
        fixit = Fixit("remove", safe=False)
        yield Violation(
            message,
            op=op,
            fix=f"remove `{op.name.removeprefix('pto.')}`, or use `{value_name(root)}`",
            fixit=fixit,
        )


@access_rule(
    "PTO-N103",
    source="ptoas",
    reason="The tile wastes memory; often a name was mistyped.",
    severity=Severity.WARNING,
)
def tile_is_used(facts: FunctionFacts, touches: Touches) -> Violations:
    """In a function that writes global memory and whose tiles are placed by the compiler, every allocated
    tile should be used."""
    if facts.manual_placement or not _writes_global_memory(touches):
        return  # Generated programs name addresses that they do not use, which costs nothing.
    for op in facts.by_class.get(AllocTileOp, ()):
        tile = op.results[0]
        if all(isinstance(use.operation, TAssignOp) for use in tile.uses):
            message = f"tile `{value_name(tile)}` is never used"
            fixit = None if tile.uses.get_length() else Fixit("remove")
            yield Violation(message, op=op, fix="remove it", fixit=fixit)


@access_rule(
    "PTO-N107",
    source="ptoas",
    reason="The move does nothing, or another tile was meant; kernels with such moves have hung on A5.",
    severity=Severity.WARNING,
)
def move_destination_is_not_its_source(facts: FunctionFacts, touches: Touches) -> Violations:
    """The destination of `tmov` should not be its source."""
    for op, each in touches:
        if op.name != "pto.tmov":
            continue
        tiles = [(touch.write, *facts.places(touch.value)) for touch in each]
        sources = {place.identity for write, *places in tiles if not write for place in places}
        if any({place.identity for place in places} & sources for write, *places in tiles if write):
            message = f"`tmov` copies `{value_name(op.operands[0])}` onto itself"
            yield Violation(message, op=op, fix="remove it", fixit=Fixit("remove", safe=False))


@access_rule(
    "PTO-N108",
    source="PTOAS 899",
    reason="Each iteration begins with the same tile again, so that only the last one counts.",
    severity=Severity.WARNING,
)
def loop_accumulates_in_one_tile(facts: FunctionFacts, touches: Touches) -> Violations:
    """A loop that combines a tile with others should write the result to that tile, not to one that it never
    reads."""
    if facts.manual_placement or scf.ForOp not in facts.by_class:
        return  # Two tiles at one address are one.
    tiles = {op: _tiles(each, facts) for op, each in touches}
    used = {root for sources, _ in tiles.values() for root in sources}
    inside: dict[Operation, list[Operation]] = {}
    for op in tiles:
        for loop in enclosing_loops(op):
            inside.setdefault(loop, []).append(op)
    for op, (sources, results) in tiles.items():
        loop = op.parent_op()
        if not isinstance(op, BinaryOp) or not isinstance(loop, scf.ForOp):
            continue
        read = {root for each in inside[loop] for root in tiles[each][0]}
        written = {root for each in inside[loop] for root in tiles[each][1]}
        same = [root for root in sources - written if root.type == op.src0.type]
        # One that nothing reads at all is PTO-N101.
        lost = [root for root in results & used - read if _is_followed(root) and not _is_made_in(root, loop)]
        if same and lost and sources & written:
            first = value_name(same[0])
            yield Violation(
                f"each iteration computes `{value_name(lost[0])}` from `{first}`, which the loop does not "
                "change: only the last one counts",
                op=op,
                fix=f"write `{first}`, and read it after the loop",
            )


def _tiles(touches: Iterable[ValueAccess], facts: FunctionFacts) -> tuple[set[SSAValue], set[SSAValue]]:
    """The tiles that are read, and those that are written."""
    found: tuple[set[SSAValue], set[SSAValue]] = (set(), set())
    for value, write, _ in touches:
        if isinstance(value.type, TileType):
            found[write].add(facts.root(value))
    return found


def _is_made_in(root: SSAValue, loop: Operation) -> bool:
    return isinstance(root.owner, Operation) and loop.is_ancestor(root.owner)


_OVERWRITE = {"pto.tload", "pto.tstore", "pto.texpands", "pto.tmov"}
_OVERWRITES = (BinaryOp, ScalarOp, UnaryOp)
"""Instructions that overwrite their whole destination without reading it; some by name, so that a check
imports no chapter that the program lacks.
"""

MOST_UNREAD = 16
"""Writes that nothing has read yet and that are looked back for."""

_ELSEWHERE = (func.CallOp, UnregisteredOp, SetValidShapeOp)
_CHAPTERS_ELSEWHERE = {"comm", "remote", "asynchronous"}
"""Chapters whose instructions make memory visible to others, or change the meaning of a write."""


@access_rule(
    "PTO-N102",
    source="ptoas",
    reason="The first write has no effect, or a read between the two is missing.",
    severity=Severity.WARNING,
)
def value_is_read_before_it_is_overwritten(facts: FunctionFacts, touches: Touches) -> Violations:
    """In a function that writes global memory, a value should be read before it is overwritten."""
    if not _writes_global_memory(touches):
        return
    for stretch in _uninterrupted_runs(facts, touches):
        twice = _written_twice(stretch, facts)
        if not twice:
            continue
        last: dict[Hashable, tuple[Operation, SSAValue, Place]] = {}
        for op, here in stretch:
            for place in (place for each in here if not each.write for place in facts.places(each.value)):
                for key in [key for key, one in last.items() if one[2].overlaps(place, True)]:
                    del last[key]
            for value in dict.fromkeys(each.value for each in here if each.write):
                yield from _overwritten(op, value, last, twice, facts)
            while len(last) > MOST_UNREAD:
                del last[next(iter(last))]


Stretch = list[tuple[Operation, tuple[ValueAccess, ...]]]


def _uninterrupted_runs(facts: FunctionFacts, touches: Touches) -> Iterator[Stretch]:
    """Operations that access memory, in runs within one block that no other reader interrupts."""
    by_op = dict(touches)
    found: dict[Block | None, Stretch] = {}
    for op in facts.ops:
        if op.regions or _makes_memory_visible(op.__class__):
            yield found.pop(op.parent, [])
        elif op in by_op:
            found.setdefault(op.parent, []).append((op, by_op[op]))
    yield from found.values()


@cache
def _makes_memory_visible(kind: type[Operation]) -> bool:
    chapter = kind.__module__.rpartition(".")[2]
    return (
        issubclass(kind, _ELSEWHERE) or chapter in _CHAPTERS_ELSEWHERE or kind.name == "pto.fence.barrier_all"
    )


def _written_twice(stretch: Stretch, facts: FunctionFacts) -> set[Hashable]:
    """The places that are the destinations of two instructions; mostly none is."""
    seen, twice = set[Hashable](), set[Hashable]()
    for value in (each.value for _, touches in stretch for each in touches if each.write):
        for place in facts.places(value):
            identity = place.identity
            (twice if identity in seen else seen).add(identity)
    return twice


def _overwritten(
    op: Operation,
    value: SSAValue,
    last: dict[Hashable, tuple[Operation, SSAValue, Place]],
    twice: set[Hashable],
    facts: FunctionFacts,
) -> Violations:
    places = facts.places(value)
    if len(places) != 1 or places[0].identity not in twice or not places[0].overlaps(places[0]):
        return
    (place,) = places
    before = last.get(place.identity)
    if (
        before is not None
        and (op.name in _OVERWRITE or isinstance(op, _OVERWRITES))
        and before[1].type == value.type
    ):
        yield Violation(
            f"`{value_name(value)}` is overwritten in line {facts.line(op)} before it is read",
            op=before[0],
            related=(Related("overwritten here", op),),
            fix="remove one of the two writes, or read the first result before the second",
            fixit=Fixit("remove", safe=False),
        )
    last.pop(place.identity, None)
    last[place.identity] = (op, value, place)


def _names_of_unwritten(tiles: Iterable[SSAValue]) -> list[str]:
    return sorted(value_name(tile) for tile in tiles if isinstance(tile.owner, AllocTileOp))
