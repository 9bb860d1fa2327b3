"""Options and results of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from xdsl.dialects.builtin import ModuleOp

from ptoas.diagnostics import Diagnostic
from ptoas.machine.arrays import Array
from ptoas.machine.exploration import Exploration
from ptoas.machine.instructions import MachineObserver
from ptoas.machine.machine import Checks, Machine
from ptoas.machine.scheduler import CooperativeScheduler
from ptoas.machine.source import DEFAULT_MAX_STEPS
from ptoas.runner.observe import Printing
from ptoas.runner.stats import Stats

if TYPE_CHECKING:
    from ptoas.runner.certificate import Certificate


class RunObserver(Protocol):
    """Records a run, for a profile."""

    def number(self, module: ModuleOp) -> None:
        """Note the order of a module's operations."""

    def on(self, machine: Machine) -> MachineObserver:
        """Return what observes one machine."""
        ...


OnProgress = Callable[[str, int, int], None]
"""Called with what is counted (`%i`, `blocks`), how many are done, and how many there are."""


@dataclass
class Options:
    """Options of a run."""

    checks: Checks = field(default_factory=Checks)
    entry: str | None = None
    blocks: int = 1
    schedule: int | None = None
    """Seed of the interleaving of blocks; `None`: one after the other."""
    schedules: int = 1
    """Number of schedules, from that seed on; all must have the same result."""
    exploration: Exploration | None = None
    """Chooses the order of actors instead of a seed."""
    jobs: int | str = 1
    """Number of processes for blocks that do not wait for each other; `auto`: one a core."""
    sparse_credits: bool = False
    """Channels tell of free slots in portions, as the devices do."""
    max_steps: int = DEFAULT_MAX_STEPS
    trace: bool = False
    stats: bool = False
    prints: tuple[Printing, ...] = ()
    legalize: bool = False
    sync: str | None = None
    isa: str | None = None
    """The revision of the instruction library that decides (D28)."""
    skip_passes: tuple[str, ...] = ()
    """Names of optional passes to leave out."""
    on_output: Callable[[str], None] | None = None
    """Called with each line that the program prints."""
    on_progress: OnProgress | None = None
    forced: bool = False
    """The program may break rules of the target."""
    warnings: tuple[Diagnostic, ...] = ()
    """Warnings of `verify`; every result repeats them."""
    generate: bool = False
    """Generate missing inputs when the kernel is called, instead of raising an error."""
    recorder: RunObserver | None = None
    """Recorder of events for a profile."""

    def scheduler(self, size: int, seed: int, *, randomised: bool) -> CooperativeScheduler:
        """The scheduler of a run with so many actors."""
        if self.exploration is not None:
            return self.exploration.scheduler(size)
        return CooperativeScheduler(size, seed, randomised=randomised)


@dataclass(repr=False)
class Result:
    """The result of a run.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %out : !pto.memref<1x8xi32>
    ... .const %c5 = 5 : i32
    ... %a = tci %c5 : (i32) -> !pto.tile<1x8xi32>
    ... tprint %a
    ... tstore %a, %out
    ... ''')
    >>> result = ptoas.run(module, target="cpu", stats=True)
    >>> result.outputs["out"].tolist(), result.target, result.stats.instructions["tstore"]
    ([[5, 6, 7, 8, 9, 10, 11, 12]], 'cpu', 1)
    >>> print(result.printed[0].splitlines()[0])
    TPRINT 1x8
    >>> result
    <Result of @string on cpu: out 1x8 int32>
    """

    target: str
    entry: str
    outputs: dict[str, Array]
    """Memory and tile arguments that the program writes, and tiles that it makes and nothing reads."""
    arguments: dict[str, Any]
    """All arguments, given and generated; memory is as it is after the run."""
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    printed: list[str] = field(default_factory=list[str])
    trace: list[str] = field(default_factory=list[str])
    """One line an executed instruction; each has the same as data in `line.data`."""
    stats: Stats | None = None
    steps: int = 0
    bits: dict[str, Array] = field(default_factory=dict[str, Array])
    """The outputs as bit patterns, for comparing runs."""
    certificate: Certificate | None = None
    """A statement about all schedules; `None`: MPI ran it."""
    initial: dict[str, Any] = field(default_factory=dict[str, Any])
    """Copies of the arguments as the run began, if they were asked for."""

    def __repr__(self) -> str:
        shown = [
            f"{name} {'x'.join(map(str, array.shape)) or 'scalar'} {array.dtype}"
            for name, array in self.outputs.items()
        ]
        if self.warnings:
            shown.append(f"{len(self.warnings)} warning{'s' * (len(self.warnings) > 1)}")
        return f"<{type(self).__name__} of @{self.entry} on {self.target}: {', '.join(shown) or 'no output'}>"

    def _repr_html_(self) -> str:
        from ptoas.runner.html import result_html

        return result_html(self)
