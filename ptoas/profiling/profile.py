"""Profiles: a run, or a static walk, with a time for every instruction, and remarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from xdsl.dialects import func

from ptoas.compiler.forms import print_module
from ptoas.diagnostics import Diagnostic, Source
from ptoas.dialects.pto.enums import Pipe
from ptoas.ir.location import SourceLocation
from ptoas.profiling.export import as_dict, csv_text, perfetto
from ptoas.profiling.loops import Loop, loops_of
from ptoas.profiling.patterns import Argument
from ptoas.profiling.reasons import Sync
from ptoas.profiling.record import ActorKey, Trace, What
from ptoas.profiling.stalls import Lane, Stall, Stalls
from ptoas.profiling.summary import summary
from ptoas.profiling.timeline import Slice, Timeline
from ptoas.profiling.work import GM, Work
from ptoas.runner.options import Result
from ptoas.runner.stats import Stats
from ptoas.targets import Target
from ptoas.targets.costs import CONFIDENCE, ESTIMATES, Confidence, CostTable

RENDERERS: dict[str, Callable[[Profile], Any]] = {}
"""Renderers of a profile: `page`, `pictures` and `timeline`, registered by `ptoas.report`."""


@dataclass
class Line:
    """All that one line of the program took."""

    line: int
    name: str
    pipe: Pipe
    cycles: float = 0.0
    count: int = 0
    estimated: bool = False
    waited: float = 0.0
    """Cycles that its pipe stood still before it."""
    stalls: dict[Stall, float] = field(default_factory=lambda: dict.fromkeys(Stall, 0.0))
    """The same by reason."""
    critical: float = 0.0
    """Cycles of it on the way that decides the total."""


@dataclass(repr=False)
class Profile:
    """Time spent by a program on a target. In a notebook it shows the timeline.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %x : !pto.memref<64x64xf32>
    ... .arg %out : !pto.memref<64x64xf32>
    ... %a = tload %x : (!pto.memref<64x64xf32>) -> !pto.tile<64x64xf32>
    ... %b = texp %a : !pto.tile<64x64xf32>
    ... tstore %b, %out
    ... ''', "exp.pto")
    >>> found = ptoas.profile(module, target="a2a3")
    >>> round(found.total), found.microseconds, [round(each.cycles) for each in found.timeline.slices]
    (815, 0.441, [392, 159, 257])
    >>> [(line.line, line.name, line.pipe.value) for line in found.lines()][:1]
    [(4, 'tload', 'PIPE_MTE2')]
    >>> {pipe.value: round(lane.busy) for (_, pipe), lane in found.stalls.lanes.items()}
    {'PIPE_MTE2': 392, 'PIPE_V': 159, 'PIPE_MTE3': 257, 'PIPE_S': 25}
    >>> [round(lane.idle) for lane in found.lanes()[0, 0, 0].values()], found.loops, found.instructions
    ([416, 257, 0, 790], [], 3)
    >>> [work.name for work in found.works()]
    ['tload', 'texp', 'tstore']
    >>> found.moved, {name: round(share, 2) for name, share in found.confidence().items()}
    ((16384, 16384), {'A': 0.2, 'B': 0.8})
    >>> print(found.summary().splitlines()[0])
    @exp on a2a3: 815 cycles (635 to 1,055), 0.441 µs at 1850 MHz
    >>> found.as_dict()["total_cycles"] == found.total, found.csv().splitlines()[0].split(",")[:3]
    (True, ['line', 'op', 'pipe'])
    >>> [event["name"] for event in found.perfetto()["traceEvents"] if event["ph"] == "X"]
    ['tload', 'texp', 'tstore']
    >>> [function.sym_name.data for function in found.functions()], found.source.filename
    (['exp'], 'exp.pto')
    >>> found.html()[:15], sorted(found.pictures()), found.pictures()["timeline"][:4]
    ('<!doctype html>', ['access', 'flags', 'memory', 'timeline'], '<svg')
    >>> found.target.name, found.table.mhz, found.table.models["texp"].confidence
    ('a2a3', 1850, 'A')
    >>> [(first.work.line, times) for first, times, cycles in found.critical_lines()]
    [(4, 1), (5, 1), (6, 1)]
    >>> found.stats().instructions["texp"], [argument.name for argument in found.arguments()]
    (1, ['x', 'out'])
    """

    trace: Trace
    timeline: Timeline
    low: float
    high: float
    """The total where every instruction takes the least, or the most, of its range."""
    bound: float
    """The total that data alone asks for: no flag and no barrier, the same pipes, tiles and channels."""
    slowdown: float
    """Factor by which the chip's bandwidth slows transfers of several cores down."""
    stalls: Stalls
    syncs: list[Sync]
    remarks: list[Diagnostic]
    entry: str
    result: Result | None = None
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def __repr__(self) -> str:
        return f"<Profile of @{self.entry} on {self.target.name}: {self.total:,.0f} cycles>"

    def __getstate__(self) -> None:
        raise TypeError(
            "a Profile refers to the operations of its module, which can't be pickled; keep `as_dict()`, "
            "`csv()` or `html()` instead"
        )

    @property
    def target(self) -> Target:
        """The target of the profile."""
        return self.trace.target

    @property
    def table(self) -> CostTable:
        """The costs that it was profiled with."""
        return self.trace.table

    @property
    def total(self) -> float:
        """Cycles from the first start to the last end."""
        return self.timeline.total

    @property
    def microseconds(self) -> float:
        """The same as time, at the target's clock."""
        return round(self.total / self.table.mhz, 3)

    def lanes(self) -> dict[ActorKey, dict[Pipe, Lane]]:
        """The time of each pipe of each core: work, and waits by reason."""
        found: dict[ActorKey, dict[Pipe, Lane]] = {}
        for (actor, pipe), lane in self.stalls.lanes.items():
            found.setdefault(actor, {})[pipe] = lane
        return found

    @cached_property
    def loops(self) -> list[Loop]:
        """The loops, each as its mean iteration, the longest first."""
        return loops_of(self.timeline, self.stalls.slices)

    def works(self) -> list[Work]:
        """Every instruction that was executed, once for each kind of operands."""
        return list(dict.fromkeys(self.trace.executed()))

    def lines(self) -> list[Line]:
        """The time of each line, the longest first."""
        return sorted(self._lines.values(), key=lambda line: (-line.cycles, line.line))

    @cached_property
    def _lines(self) -> dict[tuple[int, str, Pipe], Line]:
        found: dict[tuple[int, str, Pipe], Line] = {}
        critical = set(self.timeline.critical())
        for each, parts in zip(self.timeline.slices, self.stalls.slices, strict=True):
            key = (each.work.line, each.work.name, each.pipe)
            line = found.setdefault(key, Line(*key))
            line.cycles += each.cycles
            for stall, cycles in parts:
                line.stalls[stall] += cycles
            line.waited += each.waited
            line.count += 1
            line.critical += each.cycles if each in critical else 0.0
            line.estimated = line.estimated or each.work.cost.confidence in ESTIMATES
        return found

    def critical_lines(self) -> list[tuple[Slice, int, float]]:
        """The way that decides the total: runs of one line with their number and cycles, in order."""
        found: list[tuple[Slice, int, float]] = []
        for each in self.timeline.critical():
            if found and found[-1][0].work.op is each.work.op and found[-1][0].pipe is each.pipe:
                first, count, cycles = found[-1]
                found[-1] = (first, count + 1, cycles + each.cycles)
            else:
                found.append((each, 1, each.cycles))
        return found

    @property
    def moved(self) -> tuple[int, int]:
        """Bytes of global memory that were read, and written."""
        read = written = 0
        for work in self.trace.executed():
            ways = {touch.write for touch in work.touches if touch.operand.memory == GM}
            read += work.moved * (False in ways)
            written += work.moved * (True in ways)
        return read, written

    @property
    def instructions(self) -> int:
        """Instructions that were executed on a pipe."""
        return sum(1 for _ in self.trace.executed())

    def confidence(self) -> dict[Confidence, float]:
        """Shares of the pipes' time by the confidence in the numbers that it rests on."""
        found: dict[Confidence, float] = dict.fromkeys(CONFIDENCE, 0.0)
        for each in self.timeline.slices:
            found[each.work.cost.confidence] += each.cycles
        whole = sum(found.values()) or 1.0
        return {name: cycles / whole for name, cycles in found.items() if cycles}

    def arguments(self) -> list[Argument]:
        """The accesses to the arguments in global memory."""
        return self.trace.patterns.arguments() if self.trace.patterns else []

    def stats(self) -> Stats:
        """The counts of `run --stats`."""
        whole = Stats()
        for event in self.trace.events:
            if event.what is What.WORK:
                if event.subject.counted is not None:
                    whole.add(event.subject.counted)
            elif event.what in (What.SET, What.WAIT):
                whole.flags += 1
            elif event.what in (What.BARRIER, What.FENCE):
                whole.barriers += 1
        whole.steps = self.result.steps if self.result is not None else 0
        return whole

    def functions(self) -> list[func.FuncOp]:
        """The functions of the program as it ran."""
        assert self.trace.module is not None
        return [op for op in self.trace.module.walk() if isinstance(op, func.FuncOp)]

    @property
    def source(self) -> Source:
        """The text that the program came from."""
        for op in self.trace.order:
            if isinstance(op.location, SourceLocation):
                return op.location.source

        assert self.trace.module is not None
        return Source(print_module(self.trace.module), "<built>")

    # --- telling it ---

    def summary(self, colour: bool = False, width: int = 100) -> str:
        """The text that the command prints."""

        return summary(self, colour, width)

    def perfetto(self) -> dict[str, Any]:
        """A Chrome trace, as Perfetto and `chrome://tracing` read it."""

        return perfetto(self)

    def csv(self) -> str:
        """One row a line of the program."""

        return csv_text(self)

    def html(self) -> str:
        """The page of `ptoas report`: everything, in one file."""
        return RENDERERS["page"](self)

    def pictures(self) -> dict[str, str]:
        """The pictures of the page as SVG: `timeline`, `memory`, `flags` and `access`."""
        return RENDERERS["pictures"](self)

    def _repr_html_(self) -> str:
        return f"<div>{escape(self.summary().splitlines()[0])}</div>{RENDERERS['timeline'](self)}"

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data."""

        return as_dict(self)
