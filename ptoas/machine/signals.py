"""Signals: integers in global memory by which one actor notifies another.

Whoever notifies releases what it has made visible, whoever sees a signal that it waits for acquires that.
On a device the notification itself waits for nothing: what pipes have written is visible after a fence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects import scf
from xdsl.ir import Operation

from ptoas.dialects.pto.remote import CommTWaitOp, SignalOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.memory import View
from ptoas.machine.scheduler import Deadlock
from ptoas.machine.signal_history import Notification, SatisfiedWait

if TYPE_CHECKING:
    from ptoas.machine.machine import Machine
    from ptoas.machine.sharing import Use

Condition = Callable[[Array], Array]
"""Predicate: the words of a signal that satisfy the wait."""


@dataclass(frozen=True)
class Signal:
    """The words that an instruction notifies or looks at."""

    op: SignalOp
    view: View
    words: Array

    def first_without(self, condition: Condition) -> str:
        """The first word that is not as it should be: `%done[2] is 0`."""
        flat = np.argmax(~condition(self.words))
        at = np.unravel_index(int(flat), self.words.shape)
        steps = zip(at, self.view.strides5, strict=True)
        element = self.view.offset + sum(int(n) * stride for n, stride in steps)
        return f"%{self.view.buffer.name}[{element}] is {self.words[at]}"


class Signals:
    """The signals of one machine."""

    def __init__(self, machine: Machine):
        self.machine = machine

    def notify(self, signal: Signal, number: int, adds: bool) -> None:
        """Release earlier accesses, then write the signal, so that waiting for it acquires them."""
        machine, sharing = self.machine, self.machine.sharing
        use = None
        if sharing is not None:
            sharing.forget_polls()
            sharing.turn(True)
            use = sharing.signal_use(signal.op, signal.view, True, "adds" if adds else ("stores", number))
        if sharing is None or use is None:
            store_word(signal.words, number, adds)
            if sharing is not None:
                sharing.wrote.add(signal.view.buffer.name)
            return
        sharing.note(use, use.start)
        (key,) = sharing.keys_of(use)
        if machine.target.has_pipes:
            sharing.mark_unfenced(signal.op)
            machine.actor.clocks.release_fenced(key)
        else:
            machine.actor.clocks.release(key)
        before = int(signal.words.item())
        sharing.put_word(use, number, adds)
        if sharing.history is not None:
            event = Notification(machine.actor_number, before, int(signal.words.item()), adds)
            sharing.history.words[sharing.words_of(use)[0]].append(event)
        sharing.pushed(use, delivered=True)

    def wait(self, signal: Signal, condition: Condition, expected: str) -> None:
        """Go on when all words are as they should be."""
        use, read_words = self._word_reader(signal)

        def holds() -> bool:
            return bool(condition(read_words()).all())

        def what() -> str:
            return f"waits until %{signal.view.buffer.name} {expected}; {signal.first_without(condition)}"

        if not holds():
            self._yield(signal, holds, what)
        self._remember(signal, use, condition)
        self._acquire(use)

    def test(self, signal: Signal, condition: Condition, expected: str) -> bool:
        """Return True if all words satisfy the condition; an actor that polls repeatedly waits."""
        use, read_words = self._word_reader(signal)
        if use is not None:
            self.machine.choices[signal.op] = "looks at a signal without waiting for it"
        if condition(read_words()).all():
            self._acquire(use)
            return True
        sharing, actor = self.machine.sharing, self.machine.actor
        if sharing is not None and use is not None:
            sharing.note(use, use.start)
            if actor.scheduler is not None and loop_around(signal.op) is not None:
                first = signal.first_without(condition)
                sharing.poll(
                    signal.op, use, f"waits until %{signal.view.buffer.name} {expected}; {first} and stays so"
                )
        return False

    def _remember(self, signal: Signal, use: Use | None, condition: Condition) -> None:
        """Keep what the wait has seen."""
        sharing = self.machine.sharing
        if sharing is None or use is None or sharing.history is None:
            return
        assert isinstance(signal.op, CommTWaitOp)
        for word, seen in zip(sharing.words_of(use), signal.words.reshape(-1).tolist(), strict=True):
            event = SatisfiedWait(signal.op, seen, lambda number: bool(condition(np.asarray(number))))
            sharing.history.words[word].append(event)

    def _word_reader(self, signal: Signal) -> tuple[Use | None, Callable[[], Array]]:
        """Return a function that reads the current words of a signal."""
        sharing = self.machine.sharing
        if sharing is not None:
            sharing.turn(True)
        use = None if sharing is None else sharing.signal_use(signal.op, signal.view, False)

        def read_words() -> Array:
            if sharing is not None and use is not None:
                sharing.fetch(use)
            return signal.words

        return use, read_words

    def _acquire(self, use: Use | None) -> None:
        """The words are as they were waited for: what had happened when they were written is known."""
        sharing = self.machine.sharing
        if sharing is None or use is None:
            return
        sharing.forget_polls()
        for key in sharing.keys_of(use):
            self.machine.actor.clocks.acquire(key)
        sharing.note(use, use.start)

    def _yield(self, signal: Signal, holds: Callable[[], bool], what: Callable[[], str]) -> None:
        actor = self.machine.actor
        if actor.scheduler is None and self.machine.launch.blocks > 1:
            raise self.machine.fail(
                "PTO-R803",
                f"block {actor.block} {what()}: the blocks run one after the other",
                signal.op,
                fix="add --schedule 0 to interleave them",
            )
        try:
            actor.wait_until(holds, what(), signal.op)
        except Deadlock:
            # The words may have changed since, and not enough.
            raise Deadlock(signal.op, what()) from None


def store_word(word: Array, number: int, adds: bool) -> None:
    """A word of a signal wraps around."""
    if adds:
        number += int(word.item())
    word[...] = (number + (1 << 31)) % (1 << 32) - (1 << 31)


def loop_around(op: Operation) -> scf.WhileOp | None:
    """The innermost loop whose end may depend on what is looked at."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.WhileOp):
        parent = parent.parent_op()
    return parent
