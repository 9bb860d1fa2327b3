"""Programs that a version of the C++ assembler refuses although the targets take them (`--assembler`).

Names that versions added or removed are data, `ptoas/data/upstream.toml`; the rest are checks of single
operations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.channels import ring_source
from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.kinds import function_of
from ptoas.analysis.structure import kind_of
from ptoas.diagnostics import Diagnostic, Edit, Span, UsageError
from ptoas.diagnostics.data import load_data
from ptoas.dialects.pto.channel import (
    AivInitializePipeOp,
    InitializePipeOp,
    NumberedChannelOp,
    TPopFromAicOp,
    TPushToAivOp,
)
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.core_sync import SectionOp, SyncAllOp
from ptoas.dialects.pto.element_types import element_size, element_text
from ptoas.dialects.pto.elementwise import TCIOp, TPowOp, TPReluOp, TRsqrtOp
from ptoas.dialects.pto.enums import Precision, ScatterOOB
from ptoas.dialects.pto.expand import TRowExpandDivOp, TRowExpandOp
from ptoas.dialects.pto.gather import MScatterOp, TGatherBOp, TGatherOp
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.matmul import MxOp
from ptoas.dialects.pto.quant import PushScaleOp, SetQuantVectorOp, TQuantMxOp, TQuantOp
from ptoas.dialects.pto.remote import SignalOp, TransferOp
from ptoas.dialects.pto.sync import DrainOp, FlagOp
from ptoas.dialects.pto.tile_scalar import TPowSOp
from ptoas.dialects.pto.types import DYNAMIC, MemRefType, PartitionTensorViewType, TileType, ViewType
from ptoas.dialects.pto.views import AllocTileOp, SubviewOp
from ptoas.grammar.spans import span_of

NAME_CODE = "PTO-T110"
CONTRACT_CODE = "PTO-T111"
OLDEST, LATEST = 57, 65
"""Minor numbers of the versions whose differences are known, 0.57 to 0.65."""

FIRST_WITH_SCRATCH = 58
"""Minor number of the first version that asks for scratch tiles where none is planned."""

_VERSION = re.compile(r"\s*(>=|<=|==)?\s*0\.(\d+)\s*")
_WRITTEN = re.compile(r'(?:%[^=]*=\s*)?"?(pto\.)?([\w.]+)')
_HELPER = "pto.tileop.helper"


def parse_versions(text: str) -> range:
    """Return the minor numbers of the versions that a text such as `0.57` or `>=0.64` names.

    >>> from ptoas.verifier.assembler import parse_versions
    >>> parse_versions("0.57"), parse_versions(">=0.64")
    (range(57, 58), range(64, 66))
    """
    match = _VERSION.fullmatch(text)
    minor = int(match[2]) if match else 0
    if match is None or not OLDEST <= minor <= LATEST:
        known = f"from 0.{OLDEST} to 0.{LATEST}"
        raise UsageError(f"a version of the assembler is written `0.60` or `>=0.64`, {known}; found {text!r}")
    first = OLDEST if match[1] == "<=" else minor
    last = LATEST if match[1] == ">=" else minor
    return range(first, last + 1)


def _minor(version: str) -> int:
    return int(version.partition(".")[2])


class _Names(NamedTuple):
    """Names of instructions that not every version knows."""

    added: dict[str, int]
    """The version that added a name."""
    removed: dict[str, tuple[int, str]]
    """The version that renamed an instruction, and its new name."""
    header_only: frozenset[str]


@cache
def _names() -> _Names:
    changes = load_data("upstream")
    added = {name: _minor(row["version"]) for row in changes["change"] for name in row.get("adds", ())}
    removed = {
        old: (_minor(row["version"]), new)
        for row in changes["change"]
        for old, new in row.get("renames", {}).items()
    }
    return _Names(added, removed, frozenset(changes["header_only"]))


def _unknown_name(name: str, versions: range) -> tuple[str, str | None] | None:
    """Return why one of the versions does not know an instruction, and its other name."""
    names = _names()
    if name in names.header_only:
        return f"no version of the assembler knows `{name}`", None
    if name in names.added and versions[0] < names.added[name]:
        old = next((old for old, (_, new) in names.removed.items() if new == name), None)
        return f"the assembler knows `{name}` from version 0.{names.added[name]} on", old
    if name in names.removed and versions[-1] >= names.removed[name][0]:
        since, new = names.removed[name]
        return f"the assembler does not know `{name}` from version 0.{since} on", new
    return None


@dataclass(frozen=True)
class Contract:
    """A requirement of the C++ assembler that the targets do not have.

    `check` returns the violation of an operation, if any. With `level3` it holds where no tile is placed by
    the compiler.
    """

    check: Callable[[Operation], str | None]
    since: int = OLDEST
    targets: tuple[str, ...] = ("a2a3", "a5")
    level3: bool = False


def _precise_without_scratch(op: Operation) -> str | None:
    match op:
        case TRsqrtOp() | TRowExpandDivOp() if op.precision_type is not None and op.tmp is None:
            precise = op.precision_type.data is Precision.High
            return f"`{op.mnemonic()}` with high_precision has no tmp" if precise else None
        case _:
            return None


def _integer_power_with_scratch(op: Operation) -> str | None:
    match op:
        case TPowOp() | TPowSOp() if op.tmp is not None and _element(op.tmp).startswith(("i", "u")):
            return f"`{op.mnemonic()}` of integers takes no tmp"
        case _:
            return None


def _narrow_scratch_of_prelu(op: Operation) -> str | None:
    if not isinstance(op, TPReluOp) or op.tmp is None or op.dst is None:
        return None
    tmp, dst = _tile(op.tmp), _tile(op.dst)
    needed, found = -(-dst.valid[1] // 8), tmp.valid[1]
    if DYNAMIC in (dst.valid[1], found) or found >= needed:
        return None
    return f"valid columns of tmp of `tprelu`: found {found}, expected at least {needed}"


def _index_gather_without_scratch(op: Operation) -> str | None:
    if isinstance(op, TGatherOp) and op.form == "index" and op.tmp is None:
        return "`tgather` with indices has no tmp"
    return None


def _gather_without_mode(op: Operation) -> str | None:
    missing = op.name == "pto.mgather" and "coalesce" not in op.properties
    return "`mgather` has no `coalesce`" if missing else None


def _scatter_without_mode(op: Operation) -> str | None:
    if not isinstance(op, MScatterOp) or "coalesce" in op.properties:
        return None
    atomic = op.inplace_operands() and "scatterAtomicOp"
    out_of_bounds = op.scatter_oob is not None and op.scatter_oob.data is not ScatterOOB.Undefined
    has_attribute = atomic or (out_of_bounds and "scatterOob") or (op.scatter_conflict and "scatterConflict")
    return f"`mscatter` with `{has_attribute}` has no `coalesce`" if has_attribute else None


def _channel_outside_kernel(op: Operation) -> str | None:
    """A channel belongs to a core; the function or a section must say to which."""
    if not isinstance(op, InitializePipeOp | NumberedChannelOp):
        return None
    func = function_of(op)
    if func is None or kind_of(func) is not None or _HELPER in func.attributes or _in_section(op):
        return None
    side = op.SIDE.value
    return f"`{op.mnemonic()}` is outside a {side} kernel; add `pto.kernel_kind = #pto.kernel_kind<{side}>`"


def _interleaved_exponents_of_floats(op: Operation) -> str | None:
    if isinstance(op, TQuantMxOp) and op.is_interleaved and _element(op.src) == "f32":
        return "`tquant.mx` interleaves the exponents of f16 and bf16, not of f32"
    return None


def _shape_of_scales(op: Operation) -> str | None:
    """Scales of a product are M x K/32 and K/32 x N; targets take larger tiles."""
    if not isinstance(op, MxOp):
        return None
    rhs = _tile(op.rhs)
    (m, k), n = _tile(op.lhs).valid, rhs.valid[1]
    groups = k if k == DYNAMIC else -(-k // 32)
    expected = {"lhs_scale": ((m, groups), (m, groups)), "rhs_scale": ((groups, rhs.shape[1]), (groups, n))}
    for (slot, expected_type), scale in zip(expected.items(), (op.lhs_scale, op.rhs_scale), strict=True):
        type = _tile(scale)
        for found, extents in zip((type.shape, type.valid), expected_type, strict=True):
            if any(DYNAMIC not in (x, y) and x != y for x, y in zip(found, extents, strict=True)):
                listed = "x".join(map(str, extents))
                return f"shape of {slot} of `{op.mnemonic()}`: found {found[0]}x{found[1]}, expected {listed}"
    return None


def _open_extents(op: Operation) -> str | None:
    """Dynamic extents: a transfer takes them in `partition_tensor_view` alone, others not at all."""
    if not isinstance(op, CollectiveOp | SignalOp | TransferOp):
        return None
    for operand in op.operands:
        type = operand.type
        if not isinstance(type, ViewType) or DYNAMIC not in type.shape:
            continue
        if isinstance(op, TransferOp) and isinstance(type, PartitionTensorViewType):
            continue
        return f"`{op.mnemonic()}` takes no extent that only the run knows; found {type}"
    return None


def _empty_rows_of_expansion(op: Operation) -> str | None:
    if not isinstance(op, TRowExpandOp) or op.dst is None:
        return None
    if _tile(op.dst).valid[1] != 0 or 0 in _tile(op.src).valid:
        return None
    return "`trowexpand` into a tile without valid columns"


def _open_subview(op: Operation) -> str | None:
    if not isinstance(op, SubviewOp) or op.valid:
        return None
    is_open = DYNAMIC in _tile(op.result).valid
    return "`subview` leaves a valid extent open; add `valid [...]`" if is_open else None


def _memref_as_workspace(op: Operation) -> str | None:
    if isinstance(op, SyncAllOp) and op.workspace is not None and isinstance(op.workspace.type, MemRefType):
        return "the workspace of `syncall` is a pointer or a tensor view, not a memref"
    return None


def _sync_in_helper(op: Operation) -> str | None:
    if not isinstance(op, FlagOp | DrainOp | Instruction | AllocTileOp):
        return None
    func = function_of(op)
    if func is None or _HELPER not in func.attributes:
        return None
    what = "synchronises pipes" if isinstance(op, FlagOp | DrainOp) else "allocates tiles or works on them"
    return f"a function with `{_HELPER}` never {what}; found `{op.mnemonic()}`"


def _scales_of_other_types(op: Operation) -> str | None:
    if not isinstance(op, SetQuantVectorOp) or _element(op.scales) in ("f16", "bf16", "f32"):
        return None
    return f"element type of the scales: found {_element(op.scales)}, expected f16, bf16 or f32"


def _converting_channel_without_pop(op: Operation) -> str | None:
    if not isinstance(op, AivInitializePipeOp) or op.acc_push_epilogue is None:
        return None
    func = function_of(op)
    pops = () if func is None else (each for each in func.walk() if isinstance(each, TPopFromAicOp))
    if any(pop.number == op.number for pop in pops):
        return None
    return f"channel {op.number} converts what it carries, but nothing pops it"


def _converting_channel_of_unknown_memory(op: Operation) -> str | None:
    """The other end of a channel that converts is looked up by the buffer that holds its slots."""
    if not isinstance(op, InitializePipeOp) or op.acc_push_epilogue is None:
        return None
    if op.c2v_consumer_buf is None or ring_source(op.c2v_consumer_buf) is not None:
        return None
    return f"channel {op.number} converts, but its c2v_consumer_buf is neither reserved nor imported"


def _odd_half_of_open_extents(op: Operation) -> str | None:
    """The two halves of an odd number differ, so that a pop has to say which it is."""
    if isinstance(op, TPopFromAicOp) and op.halves > 2 and op.valid_row is None:
        return f"`tpop_from_aic` with split = {op.halves} has no valid_row and valid_col"
    return None


def _scale_of_another_block(op: Operation) -> str | None:
    """A push is scaled by the `set_quant_*` before it; it must be in the same block."""
    if not isinstance(op, TPushToAivOp) or op.parent is None:
        return None
    func = function_of(op)
    setters = () if func is None else tuple(each for each in func.walk() if isinstance(each, PushScaleOp))
    setters = [each for each in setters if each.number == op.number]
    if not setters or any(each.parent is op.parent for each in setters):
        return None
    return f"the scale of channel {op.number} is set in another block than its push"


def _offsets_of_gathered_blocks(op: Operation) -> str | None:
    """A2/A3 gather 32 bytes an offset, 8 offsets at a time."""
    if not isinstance(op, TGatherBOp) or op.dst is None:
        return None
    offsets, dst = _tile(op.offsets), _tile(op.dst)
    rows, cols = dst.valid
    if DYNAMIC in (*offsets.valid, rows, cols):
        return None
    blocks = -(-cols * element_size(dst.element_type) // BURST)
    expected = (rows, -(-blocks // 8) * 8)
    if offsets.valid == expected:
        return None
    found, wanted = ("x".join(map(str, extents)) for extents in (offsets.valid, expected))
    return f"valid shape of the offsets of `tgatherb`: found {found}, expected {wanted}"


def _quantisation_of_open_extents(op: Operation) -> str | None:
    if not isinstance(op, TQuantOp) or op.tmp is not None:
        return None
    is_open = DYNAMIC in _tile(op.src).valid
    return "`tquant` of a tile with open valid extents has no tmp" if is_open else None


def _sequence_without_scratch(op: Operation) -> str | None:
    return "`tci` has no tmp, and no tile is planned" if isinstance(op, TCIOp) and op.tmp is None else None


CONTRACTS: tuple[Contract, ...] = (
    Contract(_precise_without_scratch),
    Contract(_integer_power_with_scratch),
    Contract(_narrow_scratch_of_prelu, targets=("a2a3",)),
    Contract(_index_gather_without_scratch, targets=("a2a3",)),
    Contract(_gather_without_mode),
    Contract(_scatter_without_mode),
    Contract(_channel_outside_kernel),
    Contract(_interleaved_exponents_of_floats, targets=("a5",)),
    Contract(_shape_of_scales, targets=("a5",)),
    Contract(_open_extents),
    Contract(_empty_rows_of_expansion),
    Contract(_open_subview),
    Contract(_memref_as_workspace),
    Contract(_sync_in_helper),
    Contract(_scales_of_other_types, targets=("a5",)),
    Contract(_converting_channel_without_pop, targets=("a5",)),
    Contract(_converting_channel_of_unknown_memory, targets=("a5",)),
    Contract(_odd_half_of_open_extents),
    Contract(_scale_of_another_block, targets=("a5",)),
    Contract(_offsets_of_gathered_blocks, since=61, targets=("a2a3",)),
    Contract(_quantisation_of_open_extents, since=FIRST_WITH_SCRATCH, targets=("a2a3",)),
    Contract(_sequence_without_scratch, since=FIRST_WITH_SCRATCH, targets=("a2a3",), level3=True),
)


def check_assembler(
    functions: Iterable[FunctionFacts], target: str, versions: range, placement: str | None
) -> Iterator[Diagnostic]:
    """Report what one of the versions refuses: names that it does not know, and its contracts."""
    contracts = [
        each.check
        for each in CONTRACTS
        if target in each.targets
        and versions[-1] >= each.since
        and (placement == "manual" or not each.level3)
    ]
    for op in (op for function in functions for op in function.ops):
        name = _written_name(op)
        for each in () if name is None else (name, *(f"{name} {key}" for key in op.properties)):
            if unknown := _unknown_name(each, versions):
                message, other = unknown
                fix = None if other is None else f"write `{other}`"
                edits = () if other is None else _renamed(op, each, other, versions)
                yield Diagnostic(NAME_CODE, message, span_of(op), fix=fix, op=op, edits=edits)
        for check in contracts if isinstance(op, PtoOp) else ():
            if message := check(op):
                yield Diagnostic(CONTRACT_CODE, message, span_of(op), op=op)


def _written_name(op: Operation) -> str | None:
    """Return the name of an instruction as the program spells it; an alias is another name.

    `None` for operations of other dialects, unless a name of this one stands for them, as `pto.addi` does.
    """
    span = span_of(op)
    match = _WRITTEN.match(span.source.text, span.offset)
    if not isinstance(op, PtoOp):
        return match[2] if match and match[1] else None
    names = (op.mnemonic(), *op.ALIASES)
    return match[2] if match and match[2] in names else op.mnemonic()


def _renamed(op: Operation, old: str, new: str, versions: range) -> tuple[Edit, ...]:
    """Return the change of a name to one that all versions know, if there is such a name."""
    span = span_of(op)
    match = _WRITTEN.match(span.source.text, span.offset)
    if match is None or match[2] != old or _unknown_name(new, versions):
        return ()
    return (Edit(Span(span.source, match.start(2), len(old)), new),)


def _tile(value: SSAValue) -> TileType:
    assert isinstance(value.type, TileType)
    return value.type


def _element(value: SSAValue) -> str:
    return element_text(_tile(value).element_type)


def _in_section(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, SectionOp):
        parent = parent.parent_op()
    return parent is not None
