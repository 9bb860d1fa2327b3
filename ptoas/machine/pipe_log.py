"""Last accesses of the pipes of one core, and the detection of accesses that come too early.

Accesses are kept in groups: those of one instruction to one memory. Most instructions touch the same bytes
each time, so whether two groups meet is found out once; after that an instruction is compared with another by
one look into a set.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypeAlias

from xdsl.ir import Operation

from ptoas.analysis.clocks import NUMBER, PIPES
from ptoas.analysis.order import in_program_order
from ptoas.diagnostics import Note
from ptoas.grammar.spans import span_of
from ptoas.machine.arrays import share_bytes
from ptoas.machine.bound import BoundInstruction, PipeAccess
from ptoas.machine.machine import Machine, label
from ptoas.machine.memory import LocalMemory, View
from ptoas.machine.race_report import between_pipes, within_a_pipe
from ptoas.machine.touched import TouchedBytes, view_touched

MOST_RECORDS = 512
"""Past this many of one pipe, accesses that every pipe in use has seen are dropped, then the oldest."""

MOST_CLEAR = 1024
"""Number of groups that a group remembers as disjoint."""


class AccessGroup:
    """Accesses of one instruction on one pipe to one memory."""

    __slots__ = ("clear", "high", "key", "log", "low", "records", "space", "writes")

    def __init__(
        self, records: Sequence[PipeAccess], space: LocalMemory | None, log: Log, once: bool = False
    ):
        self.records = records
        self.space = space
        self.log = log
        """The log of its pipe for this memory."""
        self.low = min(record.touched.low for record in records)
        self.high = max(record.touched.high for record in records)
        self.writes = any(record.write for record in records)
        self.key: Hashable = tuple(map(_key, records)) if once else self
        """Groups with equal keys are ordered by the latest of them."""
        self.clear: set[AccessGroup] | None = None if once else set()
        """Earlier ones that it does not meet, or may; `None`: it is not met again."""


class SingleGroup(AccessGroup):
    """One access that is not repeated, such as that of a scalar."""

    __slots__ = ()

    def __init__(self, record: PipeAccess, log: Log):
        touched = record.touched
        self.records, self.log, self.writes = (record,), log, record.write
        self.space, self.low, self.high = touched.space, touched.low, touched.high
        self.key, self.clear = _key(record), None


class ViewGroup(AccessGroup):
    """The access of a load or a store to a view: made each time, and hardly ever looked at closely."""

    __slots__ = ("at", "bound", "pipe", "view")

    def __init__(self, view: View, pipe: int, write: bool, bound: BoundInstruction, at: int, log: Log):
        form = view.form
        self.low = low = form.first_byte + view.offset * form.dtype.size
        self.high = low + form.length
        self.space, self.clear, self.log, self.writes = None, None, log, write
        self.key = (form, low, write)
        self.view, self.pipe, self.bound, self.at = view, pipe, bound, at

    @property
    def records(self) -> Sequence[PipeAccess]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return (PipeAccess(view_touched(self.view), self.pipe, self.writes, self.bound, self.at),)


Log: TypeAlias = "dict[Hashable, tuple[int, AccessGroup]]"
"""The times of each group, the latest last."""


class PipeLog:
    """The accesses of the pipes of one core."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.inflight_dma = machine.inflight_dma
        self.overlapping = [pipe in machine.target.overlapping_pipes for pipe in PIPES]
        """Pipes that start an instruction before the previous one is done."""
        self.logs: list[dict[LocalMemory | None, Log]] = [{} for _ in PIPES]
        """Logs by pipe and memory; `None` is global memory."""
        self.begin()

    def begin(self) -> None:
        """Start another actor on this core, without earlier accesses."""
        self.clocks = self.machine.actor.clocks
        self.clear()

    def clear(self) -> None:
        """Forget all accesses: every pipe has seen them."""
        for logs in self.logs:
            for log in logs.values():
                log.clear()
        self.latest = [0] * len(PIPES)
        """Time of the last access of each pipe."""
        self.turn = 0
        """Counts whenever another pipe works than before."""
        self.working = -1
        self.in_use: list[int] = []
        """Pipes that have accessed anything."""
        self.looked = [-1] * len(PIPES)
        self.calm = [-1] * len(PIPES)
        """The turn in which each pipe knew of all that others had done, and needs not look again."""
        self.pending: list[dict[LocalMemory | None, list[AccessGroup]]] = [{} for _ in PIPES]
        """Unknown accesses of other pipes at the last check, by pipe."""

    # --- groups ---

    def log(self, pipe: int, space: LocalMemory | None) -> Log:
        found = self.logs[pipe].get(space)
        if found is None:
            found = self.logs[pipe][space] = {}
        return found

    def groups(self, bound: BoundInstruction, once: bool = False) -> dict[int, list[AccessGroup]]:
        """The accesses of an instruction by pipe; `once`: it is not executed on these operands again."""
        found: dict[int, dict[LocalMemory | None, list[PipeAccess]]] = {}
        # Nobody remembers what works with global memory: that would keep the arrays of arguments.
        once = once or any(touched.space is None for part in bound.operands for touched in part)
        for at, access in enumerate(bound.effects.accesses):
            for touched in bound.operands[access.operand]:
                if touched.low == touched.high:
                    continue
                pipe = NUMBER[access.pipe]
                record = PipeAccess(touched, pipe, access.write, bound, at)
                found.setdefault(pipe, {}).setdefault(touched.space, []).append(record)
        return {
            pipe: [
                AccessGroup(records, space, self.log(pipe, space), once)
                for space, records in by_space.items()
            ]
            for pipe, by_space in found.items()
        }

    def merged(self, bounds: Sequence[BoundInstruction], pipe: int) -> list[AccessGroup]:
        """The accesses of several instructions that one pipe does without a pause, as those of one."""
        found: dict[LocalMemory | None, list[PipeAccess]] = {}
        for bound in bounds:
            for group in self.groups(bound).get(pipe, []):
                found.setdefault(group.space, []).extend(group.records)
        return [AccessGroup(records, space, self.log(pipe, space)) for space, records in found.items()]

    # --- checking and noting ---

    def execute_on(self, op: Operation, pipe: int, groups: Sequence[AccessGroup]) -> None:
        """Check an instruction that works on one pipe, where anything can be wrong with it, and note it."""
        if self.calm[pipe] != self.turn or self.inflight_dma:
            self.check_accesses(op, pipe, groups)
        self.note(pipe, groups)

    def check_accesses(self, op: Operation, pipe: int, groups: Sequence[AccessGroup]) -> None:
        """Raise if an access of this pipe is not ordered after an earlier one."""
        if self.inflight_dma:
            for record in _in_order(groups):
                self._check_inflight_dma(op, record.touched, record.write)
        if self.looked[pipe] != self.turn:
            self._look_around(pipe)
        pending, overlapping = self.pending[pipe], self.overlapping[pipe]
        if pending:
            for group in groups:
                others = pending.get(group.space)
                if others is not None:
                    self._check(pipe, groups, group, others)
        elif not overlapping:
            self.calm[pipe] = self.turn
        settled = self.clocks.settled[pipe]
        if overlapping and self.latest[pipe] > settled:
            for group in groups:
                low, high, writes = group.low, group.high, group.writes
                for time, other in reversed(group.log.values()):
                    if time <= settled:
                        break
                    if low < other.high and other.low < high and (writes or other.writes):
                        self._check(pipe, groups, group, (other,))

    def _look_around(self, pipe: int) -> None:
        """Collect what other pipes have done that this one does not know of. That stays so until another pipe
        works, or it learns."""
        clock, latest = self.clocks.own[pipe], self.latest
        pending: dict[LocalMemory | None, list[AccessGroup]] = {}
        for other in self.in_use:
            seen = clock[other]
            if latest[other] <= seen:
                continue
            for space, log in self.logs[other].items():
                for time, group in reversed(log.values()):
                    if time <= seen:
                        break
                    if space in pending:
                        pending[space].append(group)
                    else:
                        pending[space] = [group]
        self.pending[pipe] = pending
        self.looked[pipe] = self.turn

    def note(self, pipe: int, groups: Iterable[AccessGroup]) -> None:
        """Record accesses; of those to the same bytes by one pipe only the latest must be waited for."""
        clock = self.clocks.own[pipe]
        self.latest[pipe] = clock[pipe] = time = clock[pipe] + 1
        if self.working != pipe:
            self._change(pipe)
        for group in groups:
            log, key = group.log, group.key
            log.pop(key, None)
            log[key] = (time, group)
            if len(log) > MOST_RECORDS:
                self._shorten(pipe, log)

    def _change(self, pipe: int) -> None:
        """Switch to another pipe: cached results about the others become invalid."""
        self.working = pipe
        is_calm = self.calm[pipe] == self.turn
        self.turn += 1
        self.looked[pipe] = self.turn
        if is_calm:
            self.calm[pipe] = self.turn
        if pipe not in self.in_use:
            self.in_use = sorted((*self.in_use, pipe))

    def learned(self, pipe: int) -> None:
        """Invalidate cached results of a pipe that acquired a clock."""
        self.looked[pipe] = self.calm[pipe] = -1

    def _check(
        self, pipe: int, groups: Sequence[AccessGroup], group: AccessGroup, others: Iterable[AccessGroup]
    ) -> None:
        """Stop where an instruction's group conflicts with another that nothing orders before it."""
        clear, low, high, writes = group.clear, group.low, group.high, group.writes
        for other in others:
            if low >= other.high or other.low >= high or not (writes or other.writes):
                continue
            if clear is not None and other in clear:
                continue
            if any(self._race(new, old) for new in group.records for old in other.records):
                race = self._first_race(pipe, groups)
                if race is not None:
                    raise race
            elif clear is not None and other.clear is not None:
                if len(clear) >= MOST_CLEAR:
                    clear.clear()
                clear.add(other)

    def _race(self, new: PipeAccess, old: PipeAccess) -> bool:
        """Return True if two unordered accesses must be ordered."""
        mine, other = new.touched, old.touched
        if not (new.write or old.write) or mine.low >= other.high or other.low >= mine.high:
            return False
        if not share_bytes(mine.array, other.array):
            return False
        return old.pipe != new.pipe or not in_program_order(self.machine.target, old.access, new.access)

    def _first_race(self, pipe: int, groups: Sequence[AccessGroup]) -> Exception | None:
        """The first unordered access, reported with the latest access that it must follow.

        An access of a pipe subsumes all earlier ones of that pipe to the same bytes.
        """
        clock, settled = self.clocks.own[pipe], self.clocks.settled[pipe]
        others = [(n, clock[n]) for n in self.in_use if n != pipe]
        if self.overlapping[pipe]:
            others.append((pipe, settled))
        for new in _in_order(groups):
            for other_pipe, seen in others:
                later: set[object] = set()
                for group in _after(seen, self.logs[other_pipe].get(new.touched.space, {})):
                    for old in reversed(group.records):
                        key = _key(old)
                        if key not in later and self._race(new, old):
                            report = within_a_pipe if other_pipe == pipe else between_pipes
                            return report(self.machine, new, old)
                        later.add(key)
        return None

    def _check_inflight_dma(self, op: Operation, touched: TouchedBytes, write: bool) -> None:
        """Check that no access touches the memory of a transfer in flight."""
        for flight in self.inflight_dma:
            mine = flight.meets(touched, write)
            if mine is None:
                continue
            verb = "writes" if write else "reads"
            raise self.machine.fail(
                "PTO-R861",
                f"{op.name.removeprefix('pto.')} {verb} {touched.name} while {label(flight.op)} is still "
                "transferring it",
                op,
                notes=(Note("the transfer is started here", span_of(flight.op)),),
                fix="wait for its event first: comm.wait_async_event of it, or of a later event of its "
                "session",
            )

    def _shorten(self, pipe: int, log: Log) -> None:
        """Drop what every pipe in use has seen; if that is not enough, the older half."""
        seen = min(self.clocks.own[other][pipe] for other in self.in_use)
        if self.overlapping[pipe]:
            seen = min(seen, self.clocks.settled[pipe])
        kept = [(key, each) for key, each in log.items() if each[0] > seen]
        if len(kept) > MOST_RECORDS // 2:
            kept = kept[len(kept) // 2 :]
        log.clear()
        log.update(kept)


def _after(seen: int, log: Log) -> Iterator[AccessGroup]:
    """The entries after a time, the latest first."""
    for time, group in reversed(log.values()):
        if time <= seen:
            # This one and all before it are ordered.
            return
        yield group


def _in_order(groups: Sequence[AccessGroup]) -> Iterator[PipeAccess]:
    """The accesses of an instruction as it does them."""
    return iter(sorted((record for group in groups for record in group.records), key=lambda each: each.at))


def _key(record: PipeAccess) -> tuple[object, ...]:
    touched = record.touched
    return touched.form, touched.low, touched.high, record.write
