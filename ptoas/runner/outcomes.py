"""Outcomes of several actors, and errors of all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from xdsl.ir import Operation

from ptoas.diagnostics import Diagnostic, Note, PtoasError
from ptoas.machine.accesses import AccessRecord
from ptoas.machine.actors import Launch
from ptoas.machine.conflicts import conflicts
from ptoas.machine.errors import finding, forgiving
from ptoas.machine.scheduler import Cancelled, CooperativeScheduler, Deadlock
from ptoas.runner.core import Core, Program

FLAG_THAT_NOBODY_RAISES = "PTO-R302"
STALLED = "PTO-R803"


@dataclass
class ActorOutcome:
    """The outcome of an actor, and its accesses to shared memory."""

    actor: int = 0
    errors: tuple[Diagnostic, ...] = ()
    waits: str | None = None
    """The awaited event, if it waits."""
    on: tuple[int, ...] = ()
    """The actors that it waits for."""
    op: Operation | None = None
    """The operation at which it waits."""
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    records: list[AccessRecord] = field(default_factory=list[AccessRecord])

    @property
    def good(self) -> bool:
        return not self.errors and self.waits is None


def live(outcome: ActorOutcome, core: Core, work: Callable[[], None]) -> ActorOutcome:
    """Run an actor to its end and record the outcome."""
    program = core.program
    try:
        with forgiving(program.options.forced, program.entry):
            work()
    except Cancelled:
        outcome.waits = "was stopped because another one failed"
    except Deadlock as error:
        outcome.errors, outcome.waits, outcome.on = error.diagnostics, error.reason, error.on
        outcome.op = error.op
    except PtoasError as error:
        outcome.errors = error.diagnostics
        if all(d.code == FLAG_THAT_NOBODY_RAISES for d in error.diagnostics):
            outcome.waits = error.diagnostics[0].message
    outcome.actor = core.machine.actor_number
    return outcome


def take_turns(
    scheduler: CooperativeScheduler,
    outcomes: Sequence[ActorOutcome],
    cores: Sequence[Core],
    work: Callable[[int], None],
) -> None:
    """Let cores do their work in turns; it is told the place of the core."""

    def life(at: int) -> bool:
        return live(outcomes[at], cores[at], partial(work, at)).good

    scheduler.run([partial(life, at) for at in range(len(cores))])


def collect(outcome: ActorOutcome, core: Core) -> ActorOutcome:
    """Collect an actor's findings and its accesses to shared memory."""
    machine = core.machine
    outcome.warnings = list(machine.warnings)
    if machine.checks.race and machine.sharing is not None and machine.sharing.log is not None:
        outcome.records = machine.sharing.log.records()
    return outcome


def check(
    outcomes: Sequence[ActorOutcome], program: Program, launch: Launch, cores: Sequence[Core] = ()
) -> None:
    """Raise one error with everything that went wrong, if anything did; `cores` are those of the outcomes,
    where they are known here."""
    ended = [outcome for outcome in outcomes if outcome.waits is None]
    records = (record for outcome in outcomes for record in outcome.records)
    errors = [*named_errors(ended, launch), *conflicts(records, launch, program.target.name)]
    if not errors and not all(outcome.good for outcome in outcomes):
        errors = [_deadlock_lines(outcomes, program, launch, cores)]
    if errors:
        raise PtoasError(errors)


def warnings_of(outcomes: Sequence[ActorOutcome], launch: Launch) -> list[Diagnostic]:
    """The warnings of all actors, each with those who have it."""
    return _named([outcome.warnings for outcome in outcomes], outcomes, launch)


def named_errors(outcomes: Sequence[ActorOutcome], launch: Launch) -> list[Diagnostic]:
    """The errors of all actors, each with those who have it."""
    return _named([outcome.errors for outcome in outcomes], outcomes, launch)


def _named(
    found: Sequence[Iterable[Diagnostic]], outcomes: Sequence[ActorOutcome], launch: Launch
) -> list[Diagnostic]:
    """Diagnostics once each: one that several actors have names them all."""
    blocks_of: dict[tuple[str, str, int], tuple[Diagnostic, set[int]]] = {}
    for diagnostics, outcome in zip(found, outcomes, strict=True):
        for diagnostic in diagnostics:
            key = (diagnostic.code, diagnostic.message, diagnostic.span.offset)
            blocks_of.setdefault(key, (diagnostic, set()))[1].add(outcome.actor)
    return [replace(d, message=f"{launch.names(actors)}: {d.message}") for d, actors in blocks_of.values()]


def wait_line(outcome: ActorOutcome, launch: Launch) -> str:
    """One actor, where it waits and for what: `rank 1 | line 9 | waits for ... (kernel.pto:9)`."""
    name = launch.names([outcome.actor])
    if outcome.waits is not None and outcome.errors:
        span = outcome.errors[0].span
        return f"{name} | line {span.line} | {outcome.waits} ({span.file}:{span.line})"
    return f"{name} | - | {outcome.waits or 'has finished'}"


def _deadlock_lines(
    outcomes: Sequence[ActorOutcome], program: Program, launch: Launch, cores: Sequence[Core]
) -> Diagnostic:
    """The waiting actors, one line for each: the awaited event and the place."""
    if cores:
        from ptoas.runner.deadlock_report import deadlock_error

        found = deadlock_error(outcomes, cores, launch, program.target.name)
        if found is not None:
            return found
    waiting = [outcome for outcome in outcomes if outcome.waits is not None and outcome.errors]
    rest = len(outcomes) - len(waiting)
    notes = [Note(wait_line(outcome, launch)) for outcome in outcomes]
    verb = "waits" if len(waiting) == 1 else "wait"
    others = f"; {rest} of {len(outcomes)} have finished" if rest else ""
    return finding(
        STALLED,
        f"{launch.names(outcome.actor for outcome in waiting)} {verb} for something that never "
        f"happens{others}",
        span=waiting[0].errors[0].span,
        notes=tuple(notes),
        target=program.target.name,
    )
