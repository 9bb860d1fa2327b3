"""Branches between blocks as `scf.if`, where they go forward and join again.

    cf.cond_br %c, ^a, ^b                    %m = scf.if %c -> (i32) {
  ^a:                                          scf.yield %x : i32
    cf.br ^c(%x : i32)                 =>    } else {
  ^b:                                          scf.yield %y : i32
    cf.br ^c(%y : i32)                       }
  ^c(%m: i32):                               return %m : i32
    return %m : i32

Loops of blocks stay as they are: what follows is told that the body has several blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from ptoas.analysis.structure import functions
from ptoas.ir.clone import clone


def structured(module: ModuleOp) -> ModuleOp:
    """The module itself if each body has one block, else a copy in which forward branches are `scf.if`."""
    if not any(map(_is_branched, functions(module))):
        return module
    copy = clone(module)
    for function in filter(_is_branched, functions(copy)):
        ends = _ends(function)
        if ends is not None:
            _Joiner(function, ends).join()
    return copy


MOST = 200
"""Maximum number of blocks of a body that is transformed: each may be nested in the previous one."""


def _is_branched(function: FuncOp) -> bool:
    return function.body.first_block is not function.body.last_block


def _successors(block: Block) -> Sequence[Block] | None:
    """The successors of a block; `None` if it ends in anything but a branch."""
    from xdsl.dialects import cf  # few programs branch

    last = block.last_op
    return last.successors if isinstance(last, cf.BranchOp | cf.ConditionalBranchOp | ReturnOp) else None


def _ends(function: FuncOp) -> dict[Block, set[Block]] | None:
    """The blocks that postdominate each block; `None` for cycles, unreachable blocks, or other branches."""
    if len(function.body.blocks) > MOST:
        return None
    order: list[Block] = []
    states: dict[Block, bool] = {}
    stack: list[tuple[Block, int]] = [(function.body.blocks[0], 0)]
    while stack:
        block, at = stack.pop()
        after = _successors(block)
        if after is None:
            return None
        states.setdefault(block, False)
        if at == len(after):
            states[block] = True
            order.append(block)
            continue
        stack.append((block, at + 1))
        following = after[at]
        if states.get(following) is False:
            return None  # a circle
        if following not in states:
            stack.append((following, 0))
    if len(order) != len(function.body.blocks):
        return None
    found: dict[Block, set[Block]] = {}
    for block in order:  # successors before their predecessors
        after = _successors(block) or ()
        common = set[Block].intersection(*(found[each] for each in after)) if after else set[Block]()
        found[block] = common | {block}
    position = {block: at for at, block in enumerate(order)}
    if not all(_is_fed_once(block, found, position) for block in order):
        return None
    return found


def _is_fed_once(block: Block, ends: dict[Block, set[Block]], position: dict[Block, int]) -> bool:
    """Return True if no block belongs to both arms of a condition whose paths do not join."""
    after = _successors(block) or ()
    if len(after) < 2 or _postdominator(block, ends, position) is not None:
        return True
    first, second = (_reached(each) for each in after)
    return first.isdisjoint(second)


def _postdominator(block: Block, ends: dict[Block, set[Block]], position: dict[Block, int]) -> Block | None:
    """The first block after this one that every way comes through."""
    after = ends[block] - {block}
    return max(after, key=lambda each: position[each]) if after else None


def _reached(block: Block) -> set[Block]:
    found, work = {block}, [block]
    while work:
        for each in _successors(work.pop()) or ():
            if each not in found:
                found.add(each)
                work.append(each)
    return found


class _Joiner:
    """Makes one block of a function's body."""

    def __init__(self, function: FuncOp, ends: dict[Block, set[Block]]):
        self.function = function
        self.ends = ends
        self.position = {block: len(_reached(block)) for block in ends}

    def join(self) -> None:
        blocks = list(self.function.body.blocks)
        results = self._follow(blocks[0], blocks[0], None)
        blocks[0].add_op(ReturnOp(*results))
        for block in blocks[1:]:
            self.function.body.detach_block(block)
            block.erase()

    def _follow(self, block: Block, out: Block, stop: Block | None) -> Sequence[SSAValue]:
        """Move what is done from a block on, until another or the end, to `out`; the values it ends with."""
        while True:
            last = block.last_op
            assert last is not None
            last.detach()
            if block is not out:
                for op in list(block.ops):
                    op.detach()
                    out.add_op(op)
            if isinstance(last, ReturnOp):
                passed: Sequence[SSAValue] = tuple(last.operands)
                last.erase()
                return passed
            following, passed = self._branch(last, block, out)
            last.erase()
            if following is None or following is stop:
                return passed
            for argument, value in zip(following.args, passed, strict=True):
                argument.replace_all_uses_with(value)
            block = following

    def _branch(self, last: Operation, block: Block, out: Block) -> tuple[Block | None, Sequence[SSAValue]]:
        """The successor of a branch, and the values passed to it."""
        from xdsl.dialects import cf

        if isinstance(last, cf.BranchOp):
            return last.successor, tuple(last.arguments)
        assert isinstance(last, cf.ConditionalBranchOp)
        postdominator = _postdominator(block, self.ends, self.position)
        arms: list[Region] = []
        for following, values in (
            (last.then_block, last.then_arguments),
            (last.else_block, last.else_arguments),
        ):
            inner = Block()
            passed: Sequence[SSAValue] = tuple(values)
            if following is not postdominator:
                for argument, value in zip(following.args, passed, strict=True):
                    argument.replace_all_uses_with(value)
                passed = self._follow(following, inner, postdominator)
            inner.add_op(scf.YieldOp(*passed))
            arms.append(Region(inner))
        if postdominator is None:
            types = list(self.function.function_type.outputs)
        else:
            types = [argument.type for argument in postdominator.args]
        choice = scf.IfOp(last.cond, types, arms[0], arms[1])
        choice.location = last.location
        out.add_op(choice)
        return postdominator, tuple(choice.results)
