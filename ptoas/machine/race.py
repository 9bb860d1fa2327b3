"""Races between the pipes of a core, and within a pipe.

Flags, barriers and the handshakes inside instructions (`target.effects`) carry what one pipe has seen to
another. Two accesses of different pipes to a common byte, one of them a write, must be ordered. So must two
of one pipe, where it begins an instruction before the one before it is done (D26): by a barrier of the pipe
or a flag that comes back, unless the target keeps these two in order itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir import Operation

from ptoas.analysis.clocks import NUMBER, Known
from ptoas.analysis.effects import Effects
from ptoas.analysis.sync_actions import EventKey, FlagKey
from ptoas.diagnostics import Note
from ptoas.dialects.pto.enums import Pipe
from ptoas.grammar.spans import span_of
from ptoas.machine.bound import BoundInstruction
from ptoas.machine.machine import Machine, label
from ptoas.machine.memory import View
from ptoas.machine.pipe_log import AccessGroup, PipeLog, ViewGroup
from ptoas.machine.touched import touched_by


class BufferToken:
    """The token of a buffer: its holder, and the knowledge with which it was last released."""

    __slots__ = ("holder", "known", "op")

    def __init__(self) -> None:
        self.holder: Pipe | None = None
        self.op: Operation | None = None
        self.known: tuple[list[int], Known] | None = None


class RaceDetector(PipeLog):
    """Last accesses of the pipes of one core, and the flags between them."""

    def __init__(self, machine: Machine):
        super().__init__(machine)
        self.reset()

    def reset(self) -> None:
        """Start another actor on this core, without earlier accesses."""
        self.begin()
        self.released: dict[FlagKey | EventKey, tuple[list[int], Known, Operation]] = {}
        """Flags and events that are set: the knowledge of their pipe, and the operation."""
        self.tokens: dict[int, BufferToken] = {}

    # --- order ---

    def join(self, source: Pipe, target: Pipe) -> None:
        """Order everything that `source` has done and seen before the next operation of `target`."""
        if source is Pipe.PIPE_ALL or target is Pipe.PIPE_ALL:
            self.barrier()
            return
        self.clocks.join(NUMBER[source], NUMBER[target])
        self.learned(NUMBER[target])

    def drain(self, pipe: Pipe) -> None:
        """A barrier of one pipe, or of all; of one on which nothing runs it says nothing."""
        if pipe is Pipe.PIPE_ALL or pipe in NUMBER:
            self.join(pipe, pipe)

    def barrier(self) -> None:
        self.clocks.barrier()
        self.clear()

    def fence(self) -> None:
        """Wait for all pipes, and make earlier writes visible to other actors."""
        self.barrier()
        self.clocks.fence()

    # --- flags and events ---

    def release(self, op: Operation, pipe: Pipe, key: FlagKey | EventKey) -> None:
        """Set a flag or record an event: it carries what its pipe knows."""
        if key in self.released and isinstance(key, FlagKey):
            message = f"set_flag: {_flag(key)} is already set"
            raise self.machine.fail("PTO-R303", message, op, notes=(self._set_by(key),))
        number = NUMBER.get(pipe)
        if number is None:
            raise self._no_such_pipe(op, pipe)
        self.released[key] = (*self.clocks.snapshot(number), op)

    def acquire(self, op: Operation, pipe: Pipe, key: FlagKey | EventKey) -> None:
        """Wait for a flag or an event."""
        released = self.released.pop(key, None)
        if released is None:
            raise self._hangs(op, pipe, key)
        number = NUMBER.get(pipe)
        if number is None:
            raise self._no_such_pipe(op, pipe)
        self.clocks.learn(number, released[0], released[1])
        self.learned(number)

    def flags(self) -> list[FlagKey]:
        """The flags that are set."""
        return [key for key in self.released if isinstance(key, FlagKey)]

    def _no_such_pipe(self, op: Operation, pipe: Pipe) -> Exception:
        return self.machine.fail("PTO-R302", f"no instruction runs on {pipe.value}", op)

    def _set_by(self, flag: FlagKey) -> Note:
        op = self.released[flag][2]
        return Note(f"set by {label(op)}", span_of(op))

    def _hangs(self, op: Operation, pipe: Pipe, key: FlagKey | EventKey) -> Exception:
        if isinstance(key, EventKey):
            name = f"%{key.event.name_hint}" if key.event.name_hint else "an event"
            message = f"tsync: {pipe.value} waits for {name}, which nothing has recorded: the device hangs"
            return self.machine.fail("PTO-R302", message, op)
        message = f"wait_flag: {pipe.value} waits for {_flag(key)}, which is not set: the device hangs"
        up = ", ".join(map(_flag, self.flags()))
        return self.machine.fail(
            "PTO-R302", message, op, notes=(Note(f"flags that are set: {up}"),) if up else ()
        )

    # --- tokens of buffers ---

    def take_token(self, op: Operation, pipe: Pipe, number: int) -> None:
        """Take a token, which must have been released before in program order."""
        token = self.tokens.setdefault(number, BufferToken())
        if token.holder is not None:
            raise self.machine.fail(
                "PTO-R916",
                f"get_buf: {pipe.value} waits for token {number}, which {token.holder.value} holds and "
                "releases only afterwards: the device hangs",
                op,
                notes=(Note(f"taken by {label(token.op)}", span_of(token.op)),) if token.op else (),
                fix=f"release it first: rls_buf of {number} by {token.holder.value}",
            )
        if token.known is not None:
            self.clocks.learn(NUMBER[pipe], *token.known)
            self.learned(NUMBER[pipe])
        token.holder, token.op = pipe, op

    def give_token(self, op: Operation, pipe: Pipe, number: int) -> None:
        token = self.tokens.setdefault(number, BufferToken())
        if token.holder is not pipe:
            state = "no pipe holds" if token.holder is None else f"{token.holder.value} holds"
            raise self.machine.fail(
                "PTO-R916",
                f"rls_buf: {pipe.value} releases token {number}, which {state}",
                op,
                notes=(Note(f"taken by {label(token.op)}", span_of(token.op)),) if token.op else (),
                fix=f"acquire it first: get_buf of {number} by {pipe.value}",
            )
        token.holder, token.known = None, self.clocks.snapshot(NUMBER[pipe])

    def finish(self) -> None:
        """Warn of flags and tokens that are left at the end of a block."""
        for number, token in self.tokens.items():
            if token.holder is not None and token.op is not None:
                message = f"token {number} is still held by {token.holder.value} at the end of the kernel"
                self.machine.warn("PTO-R916", message, token.op)
        for flag in self.flags():
            message = f"{_flag(flag)} is still set at the end of the kernel"
            self.machine.warn("PTO-R305", message, self.released[flag][2])

    # --- accesses ---

    def execute(self, bound: BoundInstruction) -> None:
        """Check and note one instruction that is not executed on these operands again."""
        self.execute_groups(bound, self.groups(bound, once=True))

    def execute_groups(self, bound: BoundInstruction, by_pipe: Mapping[int, Sequence[AccessGroup]]) -> None:
        """Check and note one instruction, with what it waits for by itself."""
        op, effects = bound.op, bound.effects
        for reserved in effects.reserved_events:
            flag = FlagKey(*reserved)
            if flag in self.released:
                raise self.machine.fail(
                    "PTO-R304",
                    f"{op.name.removeprefix('pto.')} uses {_flag(flag)} internally, but it is already set",
                    op,
                    notes=(self._set_by(flag),),
                )
        for source, target in effects.before:
            self.join(source, target)
        for pipe, groups in by_pipe.items():
            self.check_accesses(op, pipe, groups)
        for pipe, groups in by_pipe.items():
            self.note(pipe, groups)
        for source, target in effects.after:
            self.join(source, target)


def _flag(flag: FlagKey) -> str:
    return f"[{', '.join(part.value for part in flag)}]"


def ordered(
    op: Operation, race: RaceDetector, effects: Effects, values: Sequence[object], run: Callable[..., None]
) -> Callable[..., None]:
    """The step with its accesses checked before it is done."""
    return ordered_touching(race, BoundInstruction(op, effects, [touched_by(value) for value in values]), run)


def ordered_touching(
    race: RaceDetector, bound: BoundInstruction, run: Callable[..., None]
) -> Callable[..., None]:
    """The same, where the bytes of the operands, and so all accesses, are known."""
    op, effects, by_pipe = bound.op, bound.effects, race.groups(bound)
    pipes = {NUMBER[access.pipe] for access in effects.accesses}
    if len(pipes) != 1 or effects.before or effects.after or effects.reserved_events:
        execute = race.execute_groups

        def checked(*scalars: Any) -> None:
            execute(bound, by_pipe)
            run(*scalars)

        return checked
    (pipe,) = pipes
    groups, execute_on = by_pipe.get(pipe, []), race.execute_on

    def checked_quickly(*scalars: Any) -> None:
        execute_on(op, pipe, groups)
        run(*scalars)

    return checked_quickly


def ordered_moving(
    op: Operation,
    race: RaceDetector,
    effects: Effects,
    values: Sequence[object],
    at: int,
    run: Callable[..., None],
) -> Callable[..., None]:
    """The same for a step that gets its view, operand `at`, each time."""
    touched = [touched_by(value) if n != at else () for n, value in enumerate(values)]
    bound = BoundInstruction(op, effects, touched)
    (pipe,) = {NUMBER[access.pipe] for access in effects.accesses}
    assert not (effects.before or effects.after or effects.reserved_events), "a load or a store"
    known = race.groups(bound).get(pipe, [])
    # An atomic store reads what it writes, anything else is one access.
    numbers = [(n, access.write) for n, access in enumerate(effects.accesses) if access.operand == at]
    (number, write), *more = numbers
    execute_on, log = race.execute_on, race.log(pipe, None)

    def checked(view: View) -> None:
        groups = known
        if view.form.length:
            groups = [*known, ViewGroup(view, pipe, write, bound, number, log)]
            for n, writes in more:
                groups.append(ViewGroup(view, pipe, writes, bound, n, log))
        execute_on(op, pipe, groups)
        run(view)

    return checked
