"""Tiles that a loop hands from one iteration to the next get one buffer that outlives the iteration.

Before, in SSA form with destinations allocated:

    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (T) {
      %sum = pto.alloc_tile : T
      pto.tadd ins(%acc, %x : T, T) outs(%sum : T)
      scf.yield %sum : T
    }

After:

    scf.for %k = %c0 to %n step %c1 {
      pto.tadd ins(%start, %x : T, T) outs(%start : T)
    }

A tile that is allocated in the body has one address in every iteration, so the old value and the new one
would share their bytes. Where the new value can't be written in place, it is copied at the end of the
iteration, and where the first value is needed elsewhere, it is copied before the loop. Loops that only
exchange tiles allocated outside, as double buffering does, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ptoas.analysis.forwarding import underlying_values
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import LOOPS, ancestor_in, walk_of
from ptoas.diagnostics import Diagnostic, PtoasError
from ptoas.dialects.pto.element_types import element_text
from ptoas.dialects.pto.instruction import BinaryOp, ScalarOp, UnaryOp
from ptoas.dialects.pto.movement import TMovOp
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.grammar.spans import span_of
from ptoas.targets import Target, get_target
from ptoas.targets.facts import Facts
from ptoas.targets.row import Row


@dataclass(frozen=True)
class BufferizeLoopTilesPass(ModulePass):
    """One buffer for each tile that loops carry."""

    name = "bufferize-loop-tiles"
    target: str | None = None
    """If given, tiles that it can't copy are refused."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not any(map(_takes_tiles, walk_of(op, *LOOPS))):
            return
        moves = set(walk_of(op, TMovOp))
        # Inner loops first: what they hand out is a buffer of the loop around them by then.
        for loop in [inner for inner in op.walk(reverse=True) if isinstance(inner, LOOPS)]:
            if _takes_tiles(loop) and _carries_own(loop):
                if not isinstance(loop, scf.ForOp):
                    message = "this loop passes on tiles that it allocates; write it as scf.for"
                    raise PtoasError([Diagnostic("PTO-L010", message, span_of(loop), op=loop)])
                _rewrite(loop)
        if self.target is not None:
            made = [move for move in walk_of(op, TMovOp) if move not in moves]
            _check_copies(made, get_target(self.target))


def _takes_tiles(loop: Operation) -> bool:
    return any(isinstance(value.type, TileType) for value in loop.operands)


def _check_copies(made: list[TMovOp], target: Target) -> None:
    found: list[Diagnostic] = []
    for move in made:
        assert isinstance(move.src.type, TileType)
        text = element_text(move.src.type.element_type)
        why = next(_objections(move, target), None)
        if not target.takes(move, "dst", move.src.type.element_type):
            why = f"tmov does not support {text} here"
        if why is not None:
            message = f"a loop passes on a tile of {text} that must be copied; {why}"
            fix = "compute the new value in the tile of the old one, or keep it in memory"
            found.append(
                Diagnostic("PTO-L010", message, span_of(move), fix=fix, targets=(target.name,), op=move)
            )
    if found:
        raise PtoasError(found)


def _objections(move: TMovOp, target: Target) -> Iterator[str]:
    """Violations of the target's rules by this tmov."""
    row = target.row(move)
    assert isinstance(row, Row)
    know = Facts(move, target, Knowledge(), False, (target,), row)
    for rule in row.rules:
        yield from (violation.with_names(violation.message, move) for violation in rule.check(move, know))


def _carries_own(loop: Operation) -> bool:
    """Return True if a tile that the body allocates is passed to the next iteration."""
    last = loop.regions[-1].block.last_op
    assert last is not None
    tiles = (value for value in last.operands if isinstance(value.type, TileType))
    return any(loop.is_ancestor(root.owner) for tile in tiles for root in underlying_values(tile))


def _rewrite(loop: scf.ForOp) -> None:
    body = loop.body.block
    terminator = body.last_op
    assert terminator is not None
    tiles = [n for n, value in enumerate(loop.iter_args) if isinstance(value.type, TileType)]
    buffers = {n: _buffer(loop, loop.iter_args[n]) for n in tiles}
    written_in_place = [
        n for n in tiles if _can_be_written_in_place(body.args[n + 1], terminator.operands[n], body)
    ]
    # An iteration may yield another argument, so all arguments are replaced first.
    for n in tiles:
        body.args[n + 1].replace_all_uses_with(buffers[n])
    for n in written_in_place:
        new = terminator.operands[n]
        if new in buffers.values():
            continue  # handed on twice: it is a buffer already
        owner = new.owner
        assert isinstance(owner, AllocTileOp)
        new.replace_all_uses_with(buffers[n])
        Rewriter.erase_op(owner)
    copies = [(buffers[n], terminator.operands[n]) for n in tiles]
    _copy_all([(buffer, new) for buffer, new in copies if new is not buffer], terminator)
    for n in tiles:
        loop.results[n].replace_all_uses_with(buffers[n])
    _drop(loop, terminator, tiles)


def _buffer(loop: scf.ForOp, first: SSAValue) -> SSAValue:
    """The initial value's own tile if it has no other use, otherwise a copy of it."""
    owner = first.owner
    if isinstance(owner, AllocTileOp) and owner.parent is loop.parent and loop.parent is not None:
        users = {ancestor_in(loop.parent, use.operation) for use in first.uses}
        used_once = sum(value is first for value in loop.operands) == 1
        if used_once and all(user is loop or user.is_before_in_block(loop) for user in users):
            inner = [use.operation for use in first.uses if use.operation is not loop]
            if not any(loop.is_ancestor(operation) for operation in inner):
                return first
    tile = _allocate_like(first, loop)
    _insert_before(TMovOp(first, tile, location=loop.location), loop)
    return tile


def _can_be_written_in_place(old: SSAValue, new: SSAValue, body: Block) -> bool:
    """Return True if the first writer of the new value is elementwise and the last reader of the old one."""
    owner = new.owner
    if not isinstance(owner, AllocTileOp) or owner.parent is not body or owner.tile_type != old.type:
        return False
    if owner.valid_row is not None or owner.valid_col is not None:
        return False
    users = [use.operation for use in new.uses]
    if any(user.parent is not body for user in users):
        return False
    first = next((op for op in body.ops if op in users), None)
    if not isinstance(first, BinaryOp | ScalarOp | UnaryOp) or first.dst is not new:
        return False
    readers = {ancestor_in(body, use.operation) for use in old.uses}
    return all(reader is first or reader.is_before_in_block(first) for reader in readers)


def _copy_all(moves: list[tuple[SSAValue, SSAValue]], before: Operation) -> None:
    """All at once: a buffer that another copy still reads is kept aside first."""
    targets = {target for target, _ in moves}
    kept: dict[SSAValue, SSAValue] = {}
    for n, (_, source) in enumerate(moves):
        if source in targets and source not in kept and any(source is target for target, _ in moves[:n]):
            aside = _allocate_like(source, before)
            _insert_before(TMovOp(source, aside, location=before.location), before)
            kept[source] = aside
    for target, source in moves:
        copy = TMovOp(kept.get(source, source), target, location=before.location)
        _insert_before(copy, before)


def _allocate_like(tile: SSAValue, before: Operation) -> SSAValue:
    owner = tile.owner
    rows, cols = (owner.valid_row, owner.valid_col) if isinstance(owner, AllocTileOp) else (None, None)
    new = AllocTileOp(tile.type, valid_row=rows, valid_col=cols, location=before.location)
    _insert_before(new, before)
    new.result.name_hint = tile.name_hint
    return new.result


def _insert_before(op: Operation, before: Operation) -> None:
    assert before.parent is not None
    before.parent.insert_op_before(op, before)


def _drop(loop: scf.ForOp, terminator: Operation, places: list[int]) -> None:
    """The loop without the values it no longer carries."""
    kept = [n for n in range(len(loop.iter_args)) if n not in places]
    terminator.operands = [terminator.operands[n] for n in kept]
    body = loop.body.block
    for n in reversed(places):
        body.erase_arg(body.args[n + 1])
    new = scf.ForOp.create(
        operands=[loop.lb, loop.ub, loop.step, *(loop.iter_args[n] for n in kept)],
        result_types=[loop.results[n].type for n in kept],
        regions=[loop.detach_region(loop.body)],
        location=loop.location,
    )
    _insert_before(new, loop)
    for result, n in zip(new.results, kept, strict=True):
        loop.results[n].replace_all_uses_with(result)
    Rewriter.erase_op(loop)
