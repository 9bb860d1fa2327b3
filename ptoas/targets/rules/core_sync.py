"""Sections of cores, rings in their memory, counters between cores, barriers over all of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects.func import FuncOp

from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.kinds import core_of
from ptoas.analysis.structure import kind_of
from ptoas.dialects.pto.channel import ReserveBufferOp
from ptoas.dialects.pto.core_enums import SyncAllMode, SyncCoreType
from ptoas.dialects.pto.core_sync import CounterOp, ModedCounterOp, SectionOp, SetFftsOp, SyncAllOp
from ptoas.dialects.pto.element_types import element_text
from ptoas.dialects.pto.enums import WORKING_PIPES, AddressSpace, KernelKind, Pipe, TileLoc
from ptoas.dialects.pto.types import DYNAMIC, PtrType, TileType, ViewType
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Related, Violation, mismatch, rule
from ptoas.targets.rules.channel_examples import EVERYWHERE, PAIR, VECTOR, both, once
from ptoas.targets.rules.examples import kernel
from ptoas.targets.target import Target

Violations = Iterator[Violation]
_A5 = "a5 a5-custom"

# --- sections ---------------------------------------------------------------------------------------------


@rule(
    "PTO-H141",
    source="PTOAS section.cube, section.vector",
    reason="The function, or the section around it, has said already which core runs what; a part for the "
    "other kind would never run.",
    failing=f"func.func @kernel() {VECTOR} {{\n  pto.section.cube {{\n  }}\n  return\n}}",
    passing="func.func @kernel() {\n  pto.section.vector {\n  }\n  return\n}",
    on=EVERYWHERE,
    scope="function",
    depends_on="nothing",
)
def a_section_stands_by_itself(facts: FunctionFacts, _target: Target) -> Violations:
    """A section stands in a function without a kernel kind or of its own kind, and in no other section."""
    for op in facts.instances(SectionOp):
        outer = op.parent_op()
        while outer is not None and not isinstance(outer, SectionOp | FuncOp):
            outer = outer.parent_op()
        if isinstance(outer, SectionOp):
            found = f"inside `{outer.mnemonic()}`"
        elif (kind := kind_of(facts.func)) not in (None, op.KIND):
            assert kind is not None
            found = f"in a function of kind {kind.value}"
        else:
            continue
        required = f"in a function without a kind or of kind {op.KIND.value}, and in no other section"
        yield mismatch(op.mnemonic(), found, required, op=op, part="statement")


# --- rings ----------------------------------------------------------------------------------------------

_PLACED = once(
    once(PAIR, "auto = true", "auto = false, base = 1024"),
    "  %t = pto.tpop",
    "  %at = arith.constant 8192 : i64\n  %u = pto.alloc_tile addr = %at : !vec\n  %t = pto.tpop",
)


@rule(
    "PTO-H116",
    source="PTOAS reserve_buffer: left out of memory planning",
    reason="Slots are filled while the function works with its tiles: what lies on a ring is overwritten.",
    failing=_PLACED,
    passing=both(_PLACED, "8192 : i64", "9216 : i64"),
    on="a2a3 a5 a5-custom",
    scope="function",
)
def rings_lie_beside_tiles(facts: FunctionFacts, target: Target) -> Violations:
    """No tile with an address lies on a ring with an address, and rings and the tiles that are alive at the
    same time fit into their memory."""
    rings = [ring for ring in facts.instances(ReserveBufferOp) if ring.space.data in _SPACES]
    for ring in rings:
        for root, bound in facts.addresses.items():
            type = root.type
            assert isinstance(type, TileType)
            if type.loc.data is not _SPACES[ring.space.data] or ring.address is None:
                continue
            first, end = ring.address, ring.address + ring.size.value.data
            for op, at in bound:
                if at is not None and at < end and first < at + type.size_bytes:
                    yield mismatch(
                        f"bytes of {value_name(root)}",
                        f"{at} to {at + type.size_bytes}",
                        f'none of {first} to {end}, the ring "{ring.buffer_name.data}"',
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
            yield mismatch("tiles and rings", found, f"at most {limit}", op=last, part="statement")


_SPACES = {AddressSpace.Vec: TileLoc.Vec, AddressSpace.Mat: TileLoc.Mat}


# --- counters --------------------------------------------------------------------------------------------

_ADDRESS = {"args": "%ffts: !pto.ptr<i64>"}


@rule(
    "PTO-H210",
    source="PTOAS sync.set, set_intra_block, set_cross_block",
    reason="The cores of a block have 16 counters; on A5 vector core 1 has 16 more, the numbers from 16 on.",
    failing=kernel("pto.set_ffts %ffts : !pto.ptr<i64>", "pto.sync.set <PIPE_MTE3>, 16", **_ADDRESS),
    passing=kernel("pto.set_ffts %ffts : !pto.ptr<i64>", "pto.sync.set <PIPE_MTE3>, 15", **_ADDRESS),
    on="a2a3",
)
def a_counter_is_one_of_its_group(op: CounterOp, know: Facts, most: int = 15) -> Violations:
    """A counter has a number from 0 to 15, on a5 set_intra_block and wait_intra_block one from 0 to 31;
    ffts_mode is 0, 1 or 2."""
    given = op.event_id_dyn if isinstance(op, ModedCounterOp) else None
    number = op.number if given is None else know.knowledge.constant(given)
    if number is not None and not 0 <= number <= most:
        place = {"field": "event_id"} if given is None else {"slot": "event_id_dyn", "part": "value"}
        yield mismatch("number of a counter", number, f"0 to {most}", **place)
    if not 0 <= op.mode <= 2:
        yield mismatch("ffts_mode", op.mode, "0, 1 or 2", field="ffts_mode")


A5_COUNTS = (Pipe.PIPE_FIX, Pipe.PIPE_MTE1, Pipe.PIPE_MTE2, Pipe.PIPE_MTE3, Pipe.PIPE_V)
"""Pipes of A5 that set counters and wait for them."""


@rule(
    "PTO-H211",
    source="PTOAS sync.set, sync.wait: pipes",
    reason="A counter is set after what one pipe was given; the others tell no core.",
    failing=kernel("pto.set_intra_block <PIPE_ALL>, 0"),
    passing=kernel("pto.set_intra_block <PIPE_MTE3>, 0"),
    on=_A5,
)
def a_counter_is_of_a_pipe_that_signals(
    op: CounterOp, know: Facts, pipes: tuple[Pipe, ...] = WORKING_PIPES
) -> Violations:
    """Counters are set and awaited by pipes that work, on a5 by FIX, MTE1, MTE2, MTE3 and V alone."""
    if op.working_pipe not in pipes:
        required = f"one of {', '.join(pipe.value for pipe in pipes)}"
        yield mismatch("pipe", op.working_pipe.value, required, field="pipe")


@rule(
    "PTO-H212",
    source="PTOAS set_ffts: A3 needs it in the function",
    reason="The cores of A2/A3 keep their counters in a control area of global memory.",
    failing=kernel("pto.sync.set <PIPE_MTE3>, 0", **_ADDRESS),
    passing=kernel("pto.set_ffts %ffts : !pto.ptr<i64>", "pto.sync.set <PIPE_MTE3>, 0", **_ADDRESS),
    on="a2a3",
    scope="function",
    depends_on="nothing",
)
def counters_have_a_control_area(facts: FunctionFacts, _target: Target) -> Violations:
    """On a2a3 a function that uses counters calls set_ffts before them, with a pointer to i64 or i8."""
    counters = sorted(facts.instances(CounterOp), key=facts.ops.index)
    areas = list(facts.instances(SetFftsOp))
    for area in areas:
        type = area.ffts.type
        if isinstance(type, PtrType) and (found := element_text(type.element_type)) not in ("i64", "i8"):
            yield mismatch("element type of the control area", found, "i64 or i8", op=area, slot="ffts")
    if counters and not any(facts.ops.index(area) < facts.ops.index(counters[0]) for area in areas):
        message = f"{counters[0].mnemonic()}: found no set_ffts before it, required one in the function"
        fix = "pto.set_ffts with the address that the host gives"
        yield Violation(message, op=counters[0], part="statement", fix=fix)


# --- barriers over all cores -------------------------------------------------------------------------------

_HARD = "pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<{}>"
_SOFT = "pto.syncall({}) mode = #pto.sync_all_mode<soft>, core_type = #pto.sync_core_type<aiv_only>"
_WORDS = 16


@rule(
    "PTO-H213",
    source="PTOAS syncall; pto/common/syncall_soft.hpp header",
    reason="A soft barrier counts in memory, by a cache line of its own; a hard one has counters.",
    failing=kernel(_SOFT.format("%w : !pto.memref<8xi32>"), args="%w: !pto.memref<8xi32>"),
    passing=kernel(_SOFT.format("%w : !pto.memref<16xi32>"), args="%w: !pto.memref<16xi32>"),
    on=EVERYWHERE,
)
def a_soft_barrier_has_a_workspace(op: SyncAllOp, know: Facts) -> Violations:
    """syncall soft has a workspace of at least 16 elements of i32 in global memory; hard has none, and no
    number of cores."""
    space = op.workspace
    if op.mode.data is SyncAllMode.Hard:
        if space is not None or op.used_cores is not None:
            yield mismatch("workspace", "one", "none with mode hard", slot="workspace", part="value")
        return
    assert space is not None, "the instruction itself asks for one"
    type = space.type
    assert isinstance(type, PtrType | ViewType)
    if (found := element_text(type.element_type)) != "i32":
        yield mismatch("element type of the workspace", found, "i32", slot="workspace")
    if isinstance(type, ViewType) and DYNAMIC not in type.shape and prod(type.shape) < _WORDS:
        yield mismatch("elements of the workspace", prod(type.shape), f"at least {_WORDS}", slot="workspace")


_KINDS = {SyncCoreType.AICOnly: KernelKind.Cube, SyncCoreType.AIVOnly: KernelKind.Vector}


@rule(
    "PTO-H214",
    source="PTOAS syncall core_type; pto/npu/a2a3/SyncAll.hpp header",
    reason="A core that is not of the kind goes on at once, and nothing is ordered by it.",
    failing=kernel(_HARD.format("aic_only")).replace("@kernel() {", f"@kernel() {VECTOR} {{"),
    passing=kernel(_HARD.format("aiv_only")).replace("@kernel() {", f"@kernel() {VECTOR} {{"),
    on=EVERYWHERE,
    scope="function",
    depends_on="nothing",
)
def a_barrier_is_for_the_cores_that_reach_it(facts: FunctionFacts, _target: Target) -> Violations:
    """syncall of one kind of core stands where that kind runs."""
    for op in facts.instances(SyncAllOp):
        wanted, here = _KINDS.get(op.core_type.data), core_of(op)
        if wanted is not None and here is not None and here is not wanted:
            names = {kind: word.value for word, kind in _KINDS.items()}
            required = f"{names[here]} or mix on the {here.value} core"
            yield mismatch("core_type", op.core_type.data.value, required, op=op, field="core_type")
