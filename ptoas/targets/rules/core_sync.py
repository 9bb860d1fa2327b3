"""Sections of cores, rings in their memory, counters between cores, barriers over all of them."""

from __future__ import annotations

from math import prod

from xdsl.dialects.func import FuncOp

from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.kinds import core_of
from ptoas.analysis.structure import kind_of
from ptoas.dialects.pto.channel import ReserveBufferOp
from ptoas.dialects.pto.core_enums import SyncAllMode, SyncCoreType
from ptoas.dialects.pto.core_sync import CounterOp, SectionOp, SetFftsOp, SyncAllOp
from ptoas.dialects.pto.element_types import element_text
from ptoas.dialects.pto.enums import AddressSpace, KernelKind, Pipe, TileLoc
from ptoas.dialects.pto.types import DYNAMIC, PtrType, ViewType
from ptoas.targets.facts import Facts
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Related, Violation, Violations, function_rule, mismatch, rule, target_rule
from ptoas.targets.rules.examples import kernel
from ptoas.targets.specs import tile_type
from ptoas.targets.target import Target

_A5 = "a5 a5-custom"

# --- sections ---------------------------------------------------------------------------------------------


@function_rule(
    "PTO-H141",
    source="PTOAS section.cube, section.vector",
    reason="A part for the other kind of core would never run.",
)
def section_is_not_nested(facts: FunctionFacts, _target: Target) -> Violations:
    """A section must be in a function without a kernel kind or of the same kind, and not inside another
    section."""
    for op in facts.instances(SectionOp):
        outer = op.parent_op()
        while outer is not None and not isinstance(outer, SectionOp | FuncOp):
            outer = outer.parent_op()
        if isinstance(outer, SectionOp):
            found = f"`{outer.mnemonic()}`"
        elif (kind := kind_of(facts.func)) not in (None, op.KIND):
            assert kind is not None
            found = f"a function of kind {kind.value}"
        else:
            continue
        yield Violation(
            f"`{op.mnemonic()}` is inside {found}",
            op=op,
            fix=f"move it into a function without a kind, or of kind {op.KIND.value}",
        )


# --- rings ----------------------------------------------------------------------------------------------


@target_rule(
    "PTO-H116",
    source="PTOAS reserve_buffer: left out of memory planning",
    reason="Slots are filled while the function uses its tiles, so a tile on a ring is overwritten.",
)
def rings_do_not_overlap_tiles(facts: FunctionFacts, target: Target) -> Violations:
    """A tile with an address must not overlap a ring with an address, and rings and live tiles must fit into
    their memory together."""
    rings = [ring for ring in facts.instances(ReserveBufferOp) if ring.space.data in _SPACES]
    for ring in rings:
        for root, bound in facts.addresses.items():
            type = tile_type(root)
            if type.loc.data is not _SPACES[ring.space.data] or ring.address is None:
                continue
            first, end = ring.address, ring.address + ring.size.value.data
            for op, at in bound:
                if at is not None and at < end and first < at + type.size_bytes:
                    yield Violation(
                        f"`{value_name(root)}` (bytes {at} to {at + type.size_bytes - 1}) overlaps the ring "
                        f'"{ring.buffer_name.data}" (bytes {first} to {end - 1})',
                        op=op,
                        slot="addr",
                        part="value",
                        related=(Related("the ring", ring),),
                    )
    for space, loc in _SPACES.items():
        sizes = [ring.size.value.data for ring in rings if ring.space.data is space]
        limit = target.memory_size(loc, facts.has_simt(target)) if loc in target.memories else None
        if not sizes or limit is None:
            continue
        needed = facts.peak(loc)[0]
        if needed + sum(sizes) > limit:
            found = f"{needed} + {sum(sizes)} bytes of {loc.value}"
            last = [ring for ring in rings if ring.space.data is space][-1]
            yield mismatch("tiles and rings", found, f"at most {limit}", op=last)


_SPACES = {AddressSpace.Vec: TileLoc.Vec, AddressSpace.Mat: TileLoc.Mat}


# --- counters --------------------------------------------------------------------------------------------

_ADDRESS = {"args": "%ffts: !pto.ptr<i64>"}


@constraint(
    "PTO-H210",
    *(Relation(f"{name} in 0 to most", what="number of a counter") for name in ("event_id", "event_id_dyn")),
    "ffts_mode in 0 to 2",
    source="PTOAS sync.set, set_intra_block, set_cross_block",
    reason="The cores of a block have 16 counters; on A5 vector core 1 has another 16, numbered from 16.",
    failing=kernel("pto.set_ffts %ffts : !pto.ptr<i64>", "pto.sync.set <PIPE_MTE3>, 16", **_ADDRESS),
    passing=kernel("pto.set_ffts %ffts : !pto.ptr<i64>", "pto.sync.set <PIPE_MTE3>, 15", **_ADDRESS),
    on="a2a3",
)
def counter_number_is_in_range() -> None:
    """The number of a counter must be 0 to 15, or 0 to 31 for set_intra_block and wait_intra_block on a5;
    ffts_mode must be 0, 1 or 2."""


A5_COUNTS = (Pipe.PIPE_FIX, Pipe.PIPE_MTE1, Pipe.PIPE_MTE2, Pipe.PIPE_MTE3, Pipe.PIPE_V)
"""Pipes of A5 that set counters and wait for them."""


@constraint(
    "PTO-H211",
    "pipe in pipes",
    source="PTOAS sync.set, sync.wait: pipes",
    reason="A counter is set after the instructions of one pipe; the others can't signal another core.",
    failing=kernel("pto.set_intra_block <PIPE_ALL>, 0"),
    passing=kernel("pto.set_intra_block <PIPE_MTE3>, 0"),
    on=_A5,
)
def counter_pipe_can_signal() -> None:
    """Counters need a working pipe, on a5 one of FIX, MTE1, MTE2, MTE3 and V."""


@function_rule(
    "PTO-H212",
    source="PTOAS set_ffts: A3 needs it in the function",
    reason="The cores of A2/A3 keep their counters in a control area of global memory.",
    failing=kernel("pto.sync.set <PIPE_MTE3>, 0", **_ADDRESS),
    passing=kernel("pto.set_ffts %ffts : !pto.ptr<i64>", "pto.sync.set <PIPE_MTE3>, 0", **_ADDRESS),
)
def counters_have_a_control_area(facts: FunctionFacts, _target: Target) -> Violations:
    """On a2a3 a function that uses counters must first call set_ffts with a pointer to i64 or i8."""
    counters = sorted(facts.instances(CounterOp), key=facts.ops.index)
    areas = list(facts.instances(SetFftsOp))
    for area in areas:
        type = area.ffts.type
        if isinstance(type, PtrType) and (found := element_text(type.element_type)) not in ("i64", "i8"):
            yield mismatch("element type of the control area", found, "i64 or i8", op=area, slot="ffts")
    if counters and not any(facts.ops.index(area) < facts.ops.index(counters[0]) for area in areas):
        message = f"`{counters[0].mnemonic()}` needs `set_ffts` before it in the function"
        fix = "add `pto.set_ffts` with the address that the host passes"
        yield Violation(message, op=counters[0], fix=fix)


# --- barriers over all cores -------------------------------------------------------------------------------

_SOFT = "pto.syncall({}) mode = #pto.sync_all_mode<soft>, core_type = #pto.sync_core_type<aiv_only>"
_WORDS = 16


@rule(
    "PTO-H213",
    source="PTOAS syncall; pto/common/syncall_soft.hpp header",
    reason="A soft barrier counts in memory, in a cache line of its own; a hard one has counters.",
    failing=kernel(_SOFT.format("%w : !pto.memref<8xi32>"), args="%w: !pto.memref<8xi32>"),
    passing=kernel(_SOFT.format("%w : !pto.memref<16xi32>"), args="%w: !pto.memref<16xi32>"),
)
def soft_barrier_has_a_workspace(op: SyncAllOp, know: Facts) -> Violations:
    """syncall soft needs a workspace of at least 16 i32 elements in global memory; syncall hard takes neither
    a workspace nor a number of cores."""
    space = op.workspace
    if op.mode.data is SyncAllMode.Hard:
        if space is not None or op.used_cores is not None:
            yield Violation("mode hard takes no workspace", slot="workspace", part="value", fix="remove it")
        return
    assert space is not None, "the instruction itself asks for one"
    type = space.type
    assert isinstance(type, PtrType | ViewType)
    if (found := element_text(type.element_type)) != "i32":
        yield mismatch("element type of the workspace", found, "i32", slot="workspace")
    if isinstance(type, ViewType) and DYNAMIC not in type.shape and prod(type.shape) < _WORDS:
        yield mismatch("elements of the workspace", prod(type.shape), f"at least {_WORDS}", slot="workspace")


_KINDS = {SyncCoreType.AICOnly: KernelKind.Cube, SyncCoreType.AIVOnly: KernelKind.Vector}


@function_rule(
    "PTO-H214",
    source="PTOAS syncall core_type; pto/npu/a2a3/SyncAll.hpp header",
    reason="A core of another kind does not wait, so nothing is ordered.",
)
def barrier_names_the_cores_that_reach_it(facts: FunctionFacts, _target: Target) -> Violations:
    """syncall for one kind of core must be in code for that kind."""
    for op in facts.instances(SyncAllOp):
        expected, here = _KINDS.get(op.core_type.data), core_of(op)
        if expected is not None and here is not None and here is not expected:
            names = {kind: word.value for word, kind in _KINDS.items()}
            required = f"{names[here]} or mix on the {here.value} core"
            yield mismatch("core_type", op.core_type.data.value, required, op=op, field="core_type")
