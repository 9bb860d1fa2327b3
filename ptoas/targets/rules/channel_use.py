"""Uses of a channel: the channel, the direction, the number of uses, the lifetime of a popped tile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xdsl.dialects import scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ptoas.analysis.channels import Channel, Channels, flow_of, popped_by
from ptoas.analysis.counts import together
from ptoas.analysis.forwarding import passed_on
from ptoas.analysis.kinds import own_kind
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import Order, walk
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.channel import (
    ChannelOp,
    FreeOp,
    InitializePipeOp,
    TPopFromAicOp,
    TPopFromAivOp,
    TPushToAicOp,
)
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.enums import KernelKind
from ptoas.dialects.pto.scalar import GetSubblockIdxOp, GetSubblockNumOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.rule import Related, Violation, Violations, channel_rule, mismatch
from ptoas.targets.rules.channel import valid_channels
from ptoas.targets.rules.channel_entries import moves
from ptoas.targets.target import Target


@channel_rule(
    "PTO-H120",
    source="PTOAS tpush_to_aiv, tpop_from_aic: id and direction",
    reason="Otherwise there is no other end.",
)
def channel_is_declared_before_its_use(channels: Channels, target: Target) -> Violations:
    """A channel instruction must name a channel that its function declares before it, with the instruction's
    direction."""
    for function in channels.functions.values():
        uses = [op for op in walk(function) if isinstance(op, ChannelOp)]
        order = Order(function) if uses else None
        for op in uses:
            assert order is not None
            init, number, flow = channels.init_of(op), getattr(op, "number", 0), flow_of(op)
            here: dict[str, Any] = {"op": op}
            if init is None:
                field = "id" if "id" in op.properties else None
                message = f"@{function.sym_name.data} does not declare channel {number}"
                side = "aic" if own_kind(op) is KernelKind.Cube else "aiv"
                fix = (
                    f"declare channel {number} with `{side}_initialize_pipe` before, as `ptoas explain "
                    f"{op.mnemonic()}` shows, or use one that exists"
                )
                yield Violation(message, field=field, fix=fix, **here)
            elif order.start[init] > order.start[op]:
                message = f"`{op.mnemonic()}` uses channel {number} before it is declared"
                yield Violation(message, related=(Related("declared here", init),), **here)
            elif flow is not None and init.flows and flow not in init.flows:
                yield mismatch(
                    f"direction of channel {number}",
                    f"dir_mask = {init.dir_mask.value.data}",
                    f"{flow.bit} or 3 for {op.mnemonic()}",
                    related=(Related("declared here", init),),
                    **here,
                )


@channel_rule(
    "PTO-H121",
    source="PTOAS split: all 0 or none, as nosplit says",
    reason="A channel is used by vector core 0 alone, or by both cores with one half each.",
)
def channel_has_one_split(channels: Channels, target: Target) -> Violations:
    """All instructions of a channel in one direction must have the same split, on both sides; the splits of
    both directions must be all 0 or all nonzero, as nosplit says. It is a warning for instructions that
    name their pipe, because each side has its own."""
    for channel in valid_channels(channels, target):
        uses, firsts = channel.uses, dict[Flow | None, ChannelOp]()
        for use in uses:
            first = firsts.setdefault(flow_of(use), use)
            other = uses[0] if (use.halves == 0) != (uses[0].halves == 0) else first
            if use.halves != other.halves:
                yield mismatch(
                    f"split of {channel.name}",
                    use.halves,
                    f"{other.halves} as elsewhere" if other is first else "all 0 or none",
                    op=use,
                    field="split",
                    related=(Related("used here", other),),
                    severity=None if isinstance(channel.first, InitializePipeOp) else Severity.WARNING,
                )
                break
        else:
            for init in (end.init for end in channel.ends if end.init.nosplit is not None and uses):
                assert init.nosplit is not None
                declared, whole = bool(init.nosplit.value.data), uses[0].halves == 0
                if declared != whole:
                    found, required = (str(each).lower() for each in (declared, whole))
                    yield mismatch(
                        f"nosplit of {channel.name}",
                        found,
                        f"{required} for split = {uses[0].halves}",
                        op=init,
                        field="nosplit",
                        related=(Related("used here", uses[0]),),
                    )


@channel_rule(
    "PTO-H127",
    source="PTOAS tpush, tpop, tfree: one for each",
    reason="A tile that is pushed but not popped is found by the next kernel; a pop without a push waits "
    "for ever.",
)
def pushes_pops_and_frees_balance(channels: Channels, target: Target) -> Violations:
    """A channel must have as many pushes as pops, and as many pops as tfrees, as far as constants tell. It is
    an error if a core waits for ever (pops without pushes, or more pushes than pops and slots), otherwise
    a warning."""
    knowledge = Knowledge()
    for channel in valid_channels(channels, target):
        if len(channel.ends) != 2:
            continue
        for flow in channel.first.flows:
            groups = moves(channel, flow)
            counts = [together(ops, knowledge) for ops in groups]
            for at in (0, 1):
                first, second = counts[at : at + 2]
                if None in (first, second) and groups[at] and groups[at + 1]:
                    continue  # known only at run time
                if first != second:
                    yield _unbalanced(channel, at, counts, groups)


_WORDS = ("push", "pop", "tfree")


def _free_of(pops: Sequence[ChannelOp]) -> str:
    return pops[-1].mnemonic().replace("tpop", "tfree") if pops else "tfree"


def _count(number: object, word: str) -> str:
    plural = {"push": "pushes", "pop": "pops", "tfree": "tfrees"}[word]
    return f"no {word}" if number == 0 else f"{number} {word if number == 1 else plural}"


_FIXES = {
    ("push", True): "pop every tile that is pushed",
    ("push", False): "push a tile for every pop",
    ("pop", True): "add `{free}` after the last use of each popped tile",
    ("pop", False): "free each popped tile once",
}
"""Fixes of unequal counts, by the first of the two and by the sign of the difference."""


def _unbalanced(channel: Channel, at: int, counts: list[int | None], groups: tuple[Any, ...]) -> Violation:
    first, second = ("some" if count is None else count for count in counts[at : at + 2])
    too_few = second == 0 or (isinstance(first, int) and isinstance(second, int) and first > second)
    waits = not too_few if at == 0 else False
    if too_few and isinstance(first, int) and isinstance(second, int):
        waits = first > second + channel.first.slots
    used = all(groups[:2])
    more, fewer = (at, at + 1) if too_few else (at + 1, at)
    return Violation(
        f"{channel.name} has {_count(first, _WORDS[at])} but {_count(second, _WORDS[at + 1])}",
        op=groups[more][-1],
        fix=_FIXES[_WORDS[at], too_few].format(free=_free_of(groups[1])),
        related=tuple(Related(f"the last {_WORDS[fewer]}", op) for op in groups[fewer][-1:]),
        severity=None if used and waits else Severity.WARNING,
    )


@channel_rule(
    "PTO-H128",
    source="PTOAS tfree: the tile is not used after it",
    reason="The slot may already hold the next tile.",
    on="cpu a5 a5-custom",
)
def slot_is_not_used_after_tfree(channels: Channels, target: Target) -> Violations:
    """A popped tile or view must not be used after its tfree, unless the pop copies the slot."""
    for end in (end for channel in valid_channels(channels, target) for end in channel.ends):
        init = end.init
        if target.model(init).frees_at_pop(init.memory is not None, init.is_of_views):
            continue
        frees = [use for use in end.uses if isinstance(use, FreeOp)]
        order = Order(end.function) if frees else None
        for free in frees:
            assert order is not None
            for op in _uses_after(free, order):
                yield Violation(
                    f"`{op.name.removeprefix('pto.')}` uses a popped tile after its slot was freed",
                    op=op,
                    fix=f"move `{free.mnemonic()}` after it",
                    related=(Related("freed here", free),),
                )


def _uses_after(free: FreeOp, order: Order) -> Iterator[Operation]:
    """Operations that use what was popped after it is given back, in the same block or below it."""
    popped = popped_by(free)
    names = [] if popped is None or free.parent is None else [popped]
    for name in names:  # which grows meanwhile
        for use in name.uses:
            op, others = use.operation, passed_on(use)
            names += [each for each in others if each not in names]
            if others or op is free or order.start.get(op, -1) < order.start[free]:
                continue
            at: Operation | None = op
            while at is not None and at.parent is not free.parent:
                at = at.parent_op()
            if at is not None:
                yield op


@channel_rule(
    "PTO-H129",
    source="PTOAS tpop_from_aic, tpush_to_aic: valid extents, aiv_subblockid",
    reason="A static type needs no extents, and a whole tile belongs to no subblock.",
)
def pop_extents_are_open_in_its_type(channels: Channels, target: Target) -> Violations:
    """Valid extents may only be given to a pop whose type leaves both open (?), and aiv_subblockid only to
    split tiles."""
    for use in (use for end in channels.ends() for use in end.uses):
        if isinstance(use, TPopFromAicOp | TPopFromAivOp) and use.valid_row is not None:
            type = use.result.type
            if not isinstance(type, TileType) or type.valid != (DYNAMIC, DYNAMIC):
                message = f"valid extents are given, but {type} fixes them"
                fix = "remove them, or write ? for both in the type"
                yield Violation(message, op=use, slot="valid_row", part="value", fix=fix)
        lane = use.aiv_subblockid if isinstance(use, TPopFromAicOp | TPushToAicOp) else None
        if lane is not None and use.halves == 0:
            message = "aiv_subblockid is for split tiles, but split is 0"
            yield Violation(message, op=use, slot="aiv_subblockid", part="value", fix="remove it")


@channel_rule(
    "PTO-H142",
    source="pto/common/fifo.hpp header, TILE_NO_SPLIT; pto/npu/a5/TPush.hpp header",
    reason="Vector core 1 of A5 takes no part in such a channel: its pop would wait for ever. Without "
    "the query, only vector core 0 runs the code.",
)
def whole_tiles_go_to_the_first_vector_core(channels: Channels, target: Target) -> Violations:
    """On a5 a function that queries its vector core must use a channel of whole tiles under a condition."""
    for channel in valid_channels(channels, target):
        end = channel.end(KernelKind.Vector)
        if end is None or not channel.nosplit:
            continue
        query = next((op for op in walk(end.function) if isinstance(op, _LANES)), None)
        free = [use for use in end.uses if not _is_conditional(use)]
        if query is not None and free:
            yield Violation(
                f"both vector cores use {channel.name}, whose tiles are not split; only core 0 may",
                op=free[0],
                fix="put it under an scf.if for core 0, or split the tiles",
                related=(Related("this makes both cores run the function", query),),
            )


_LANES = GetSubblockIdxOp | GetSubblockNumOp


def _is_conditional(op: Operation) -> bool:
    at = op.parent_op()
    while at is not None and not isinstance(at, FuncOp):
        if isinstance(at, scf.IfOp | scf.IndexSwitchOp | scf.WhileOp):
            return True
        at = at.parent_op()
    return False
