"""Collectives (document 003, and the public pages of its neighbours)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod

from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.guards import is_guarded_by
from ptoas.analysis.knowledge import TileFacts, packed_strides, shape_str
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.comm import CollectiveOp, CommTGatherOp, CommTReduceOp, StagedOp
from ptoas.dialects.pto.enums import CollEngine, Layout
from ptoas.dialects.pto.types import DYNAMIC, ViewType
from ptoas.targets.facts import Facts
from ptoas.targets.measures import Shown
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violation, Violations, function_rule, mismatch, rule, target_rule
from ptoas.targets.target import Target


def _staging(op: StagedOp, know: Facts) -> list[TileFacts]:
    return [know.knowledge.tile(tile) for tile in op.staging]


def holds(tile: TileFacts, shape: tuple[int, ...]) -> bool:
    """Return True if a rank's data is one chunk; an open extent that is unknown may be all of the tile's."""
    rows, cols = (
        whole if known == DYNAMIC else known for known, whole in zip(tile.valid, tile.type.shape, strict=True)
    )
    return prod(shape[:4]) <= rows and shape[4] <= cols


def _rows_of_all_ranks(op: CollectiveOp, _know: Facts) -> Shown:
    ranks, height = len(op.member_types), op.moved.shape5[3]
    need = DYNAMIC if height == DYNAMIC else ranks * height
    return Shown(need, f"{ranks} ranks x {height} rows = {need}")


def _extent_of_a_rank(dim: int, op: CollectiveOp, _know: Facts) -> int:
    return op.moved.shape5[dim]


def _shape_of_a_rank(op: CollectiveOp, _know: Facts) -> Shown:
    return Shown(op.moved.shape5, shape_str(op.moved.shape))


def _layout_of_a_rank(op: CollectiveOp, know: Facts) -> str:
    first = op.group[0]
    layout = know.knowledge.view(first).layout if isinstance(first.type, ViewType) else op.moved.layout
    return layout.value


@constraint(
    "PTO-C102",
    Relation("staging[1].type == staging[0].type, as ping", what="type of pong", fix=""),
    source="003, C++ Intrinsic: one TileData for pingTile and pongTile",
    reason="Both tiles share one template parameter.",
)
def ping_and_pong_have_one_type() -> None:
    """The ping and pong tiles must have the same type."""


@constraint(
    "PTO-C103",
    Relation(
        "LOCAL.Shape[3] >=",
        _rows_of_all_ranks,
        what="DIM_3 of ${slot}",
        fix="use a view of {required} rows, one part per rank",
    ),
    *(
        Relation(
            f"LOCAL.Shape[{dim}] ==",
            partial(_extent_of_a_rank, dim),
            ", as a rank's",
            f"DIM_{dim} of ${{slot}}",
        )
        for dim in (0, 1, 2, 4)
    ),
    source="003, Memory constraints",
    reason="The ranks' rows are concatenated along DIM_3.",
)
def local_memory_holds_all_ranks() -> None:
    """DIM_3 of the root's memory must be at least the number of ranks times DIM_3 of one rank; the other
    dimensions must be equal."""


def _steps(member: ViewType) -> tuple[Layout, list[tuple[int, int, int]]]:
    """Layout, extents and strides, however they are written: a dimension of one element has no stride."""
    strides = packed_strides(member.shape, member.layout) if member.strides is None else member.strides
    last = enumerate(zip(reversed(member.shape), reversed(strides), strict=True))
    return member.layout, [(dim, extent, stride) for dim, (extent, stride) in last if extent != 1]


@rule(
    "PTO-C104",
    source="003, ParallelGroup constraints",
    reason="Shape and strides are read from one rank and used for all.",
)
def ranks_have_one_shape(op: CollectiveOp, know: Facts) -> Violations:
    """The tensors of all ranks must have the same shape, strides and layout."""
    members = op.member_types
    for at, member in enumerate(members[1:], 1):
        if _steps(member) != _steps(members[0]):
            yield mismatch(f"memory of rank {at}", member, f"{members[0]}, as rank 0", slot=("group", at))


@rule(
    "PTO-C105",
    source="003, Chunked mode constraints",
    reason="A static valid extent can't shrink for the last chunk.",
)
def chunks_divide_the_data(op: StagedOp, know: Facts) -> Violations:
    """If the data is larger than the staging tile, a static ValidRow must divide DIM_3 and a static ValidCol
    must divide DIM_4."""
    shape = op.moved.shape5
    if DYNAMIC in shape:
        return
    for at, tile in enumerate(_staging(op, know)):
        if holds(tile, shape):
            continue
        rows, cols = tile.type.valid
        # An extent that is open, -1, divides every size.
        for word, extent, whole in (("valid rows", rows, shape[3]), ("valid columns", cols, shape[4])):
            if extent == 0 or whole % extent:
                fix = f"leave the {word} open (?) for a last chunk that is smaller"
                required = f"a divisor of {whole}"
                yield mismatch(f"{word} of the staging tile", extent, required, slot=("staging", at), fix=fix)


@constraint(
    "PTO-C106",
    Relation("root in", lambda op, _: range(len(op.member_types))),
    source="003, ParallelGroup constraints",
    reason="The root is one of the ranks.",
)
def root_is_a_rank() -> None:
    """The root must be at least 0 and less than the number of ranks."""


@constraint(
    "PTO-C107",
    Relation("engine == aiv", note=" on this target"),
    source="003, Template Parameter",
    reason="The collective unit is part of Ascend950.",
)
def collective_unit_exists() -> None:
    """Engine ccu needs A5."""


@constraint(
    "PTO-C108",
    Relation("dst.element in types", what="element type of a reduction"),
    source="public TREDUCE page",
    reason="The reduction is a tadd, tmax or tmin of the target.",
    on="a2a3",
)
def reduction_takes_the_element_type() -> None:
    """The reduction must support the element type on the target."""


@constraint(
    "PTO-C109",
    Relation("LOCAL.dims ==", _shape_of_a_rank, ", as a rank's"),
    source="public TREDUCE and TBROADCAST pages",
    reason="The elements of a rank and of the root correspond one to one.",
)
def local_memory_has_the_shape_of_a_rank() -> None:
    """The root's memory of a reduction or broadcast must have the shape of a rank's memory."""


@constraint(
    "PTO-C122",
    Relation("LOCAL.layout ==", _layout_of_a_rank, ", as a rank's"),
    source="headers of TGATHER, TSCATTER and TBROADCAST: src/dst layout mismatch",
    reason="A chunk is loaded and stored without changing its layout.",
)
def local_memory_has_the_layout_of_a_rank() -> None:
    """The root's memory must have the layout of a rank's memory."""


@rule(
    "PTO-C110",
    source="003, C++ Intrinsic: CcuTriggerContext",
    reason="The kernel only opens the gate of the CCU and must know which one.",
    on="a5 a5-custom",
)
def ccu_has_a_context(op: CollectiveOp, know: Facts) -> Violations:
    """Engine ccu needs context(%slot, %mask), the address of its CKE slot and the gate mask; engine aiv takes
    no context."""
    on_ccu = _is_on_ccu(op)
    found, required = len(op.context), 2 if on_ccu else 0
    if found != required:
        fix = "context(%slot, %mask)" if on_ccu else "leave the context out, or choose the engine ccu"
        where = {"slot": ("context", 0), "part": "value"} if found else {"field": "engine"}
        yield mismatch("scalars of the context", found, f"{required}", fix=fix, **where)


def _is_on_ccu(op: CollectiveOp) -> bool:
    return op.engine is not None and op.engine.data is CollEngine.CCU


def _calls(facts: FunctionFacts, on_ccu: bool) -> Iterator[tuple[CollectiveOp, int, bool]]:
    """Collectives of several ranks, with their root and whether only the root calls them."""
    for op in facts.ops:
        if isinstance(op, CollectiveOp) and len(op.member_types) > 1 and _is_on_ccu(op) is on_ccu:
            root = 0 if op.root is None else op.root.value.data
            yield op, root, is_guarded_by(op, root, facts.knowledge.constant)


@function_rule(
    "PTO-C111",
    source="003, Introduction: only the root needs to execute TGATHER",
    reason="On any other rank the call is undefined behaviour.",
    severity=Severity.WARNING,
)
def only_the_root_calls(facts: FunctionFacts, _target: Target) -> Violations:
    """A collective must be called by the root only: it, or every call of its function, must be under an
    scf.if that compares an argument with the root. On the ccu every rank takes part."""
    for op, root, guarded in _calls(facts, on_ccu=False):
        if not guarded:
            yield Violation(
                f"`{op.mnemonic()}` is called on every rank; only rank {root}, the root, may call it",
                op=op,
                fix=f"put it under an scf.if that compares the rank with {root}",
            )


@function_rule(
    "PTO-C123",
    source="003, CCU path",
    reason="Every rank opens the gate of the CCU, which waits for all of them.",
)
def every_rank_triggers_the_ccu(facts: FunctionFacts, _target: Target) -> Violations:
    """Every rank must call a collective on the ccu: it must not be under a comparison of an argument with the
    root."""
    for op, root, guarded in _calls(facts, on_ccu=True):
        if guarded:
            yield Violation(
                f"`{op.mnemonic()}` on the ccu is called on rank {root} only; every rank must call it",
                op=op,
                fix="move it out of the scf.if that compares the rank with the root",
            )


@target_rule(
    "PTO-C124",
    source="003, Memory constraints: dstGlobalData must point to local memory; D41",
    reason="The root stores through its own address space and can't write the memory of another rank.",
)
def destination_is_local(facts: FunctionFacts, _target: Target) -> Violations:
    """The destination of a gather or reduction must be local memory of the root."""
    for op in facts.ops:
        if not isinstance(op, CommTGatherOp | CommTReduceOp) or len(op.group) != len(op.member_types):
            continue
        root = 0 if op.root is None else op.root.value.data
        owners = [facts.knowledge.window(member).root for member in op.group]
        found = facts.knowledge.window(op.dst).root
        others = [rank for rank, owner in enumerate(owners) if owner is found and rank != root]
        if others and found not in owners[root : root + 1]:
            yield Violation(
                f"$dst is memory of rank {others[0]}; it must be local memory of the root, rank {root}",
                op=op,
                slot="dst",
                part="value",
            )
