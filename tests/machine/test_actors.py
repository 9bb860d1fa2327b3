"""Actors that take turns, wait for each other, and tell each other what has happened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from xdsl.ir import Operation

import ptoas
from ptoas.analysis.clocks import NUMBER, Clocks, Ledger
from ptoas.dialects.pto.enums import Pipe
from ptoas.machine.actors import Actor, ActorSlot, Launch
from ptoas.machine.scheduler import CooperativeScheduler, Deadlock
from ptoas.runner.core import Program
from ptoas.runner.kernel import Kernel
from ptoas.runner.outcomes import ActorOutcome, check

LINES = ptoas.parse(
    "func.func @main() {\n  pto.barrier #pto.pipe<PIPE_V>\n  pto.barrier #pto.pipe<PIPE_S>\n  return\n}\n",
    "two.pto",
)
LINE_2, LINE_3 = [op for op in LINES.walk() if op.name == "pto.barrier"]
LAUNCH = Launch(blocks=2)

Life = Callable[[Actor], None]


def together(*lives: Life, seed: int = 0) -> list[ActorOutcome]:
    """Let actors live; what became of each."""
    turns, ledger = CooperativeScheduler(len(lives), seed), Ledger()
    outcomes = [ActorOutcome(n) for n in range(len(lives))]

    def live(n: int) -> bool:
        try:
            lives[n](ActorSlot(0, turns, n, ledger).actor(n, LAUNCH))
        except Deadlock as error:
            outcomes[n].errors, outcomes[n].waits = error.diagnostics, error.reason
        return outcomes[n].good

    turns.run([lambda n=n: live(n) for n in range(len(lives))])
    return outcomes


@pytest.mark.parametrize("seed", range(5))
def test_two_that_hand_over_in_turn(seed: int) -> None:
    said: list[str] = []

    def speaker(name: str, first: int, op: Operation) -> Life:
        def live(actor: Actor) -> None:
            for turn in range(first, 8, 2):
                actor.wait_until(lambda turn=turn: len(said) == turn, f"waits for turn {turn}", op)
                said.append(name)

        return live

    outcomes = together(speaker("ping", 0, LINE_2), speaker("pong", 1, LINE_3), seed=seed)
    assert said == ["ping", "pong"] * 4 and all(outcome.good for outcome in outcomes)


def program() -> Program:
    return Kernel(LINES, "a5").program


def test_two_that_wait_for_each_other() -> None:
    done: set[str] = set()

    def waiter(own: str, other: str, op: Operation) -> Life:
        def live(actor: Actor) -> None:
            actor.wait_until(lambda: other in done, f"waits for {other}", op)
            done.add(own)

        return live

    outcomes = together(waiter("bread", "butter", LINE_2), waiter("butter", "bread", LINE_3))
    with pytest.raises(ptoas.PtoasError) as caught:
        check(outcomes, program(), LAUNCH)
    (found,) = caught.value.diagnostics
    assert (
        found.code == "PTO-R803" and found.message == "blocks 0 and 1 wait for something that never happens"
    )
    assert [note.message for note in found.notes] == [
        "block 0 | line 2 | waits for butter (two.pto:2)",
        "block 1 | line 3 | waits for bread (two.pto:3)",
    ]


def test_one_that_waits_for_one_that_has_finished() -> None:
    outcomes = together(lambda actor: None, lambda actor: actor.wait_until(lambda: False, "waits", LINE_2))
    assert [outcome.waits for outcome in outcomes] == [None, "waits"]


def test_one_alone_waits_for_nothing() -> None:
    alone = Actor()
    alone.wait_until(lambda: True, "waits", LINE_2)
    with pytest.raises(Deadlock, match="waits for ever"):
        alone.wait_until(lambda: False, "waits for ever", LINE_2)


def test_seed_determines_the_order_of_actors() -> None:
    def order(seed: int) -> str:
        said: list[str] = []

        def live(actor: Actor) -> None:
            for _ in range(6):
                actor.yield_()
                said.append(str(actor.block))

        together(live, live, seed=seed)
        return "".join(said)

    assert order(3) == order(3) and len({order(seed) for seed in range(8)}) > 2


def test_a_crash_of_one_is_not_lost() -> None:
    def crash(actor: Actor) -> None:
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        together(crash, lambda actor: actor.yield_())


# --- clocks --------------------------------------------------------------------------------------

MTE2, MTE3 = NUMBER[Pipe.PIPE_MTE2], NUMBER[Pipe.PIPE_MTE3]


def knows(clocks: Clocks, pipe: int, other: Clocks, its: int) -> bool:
    """Return True if a pipe of one actor comes after all that a pipe of another has done by now."""
    return clocks.others[pipe].get(other.actor, (0,) * len(NUMBER))[its] >= other.own[its][its]


def test_a_key_carries_what_was_known() -> None:
    ledger = Ledger()
    first, second, third = (Clocks(n, ledger) for n in range(3))
    first.own[MTE3][MTE3] += 1
    before = first.own[MTE3][MTE3]
    first.release("a")
    second.acquire("other")
    assert not second.others[MTE2]
    second.acquire("a")
    assert second.others[MTE2][0][MTE3] == before
    # What the first does now is not part of it.
    assert not knows(second, MTE2, first, MTE3)
    # Handed on: the third has never heard of the first.
    second.release("b")
    third.acquire("b")
    assert third.others[MTE2][0][MTE3] == before


def test_a_pipe_releases_what_it_has_seen_alone() -> None:
    ledger = Ledger()
    first, second = (Clocks(n, ledger) for n in range(2))
    first.own[MTE2][MTE2] = first.own[MTE3][MTE3] = 7
    first.release("channel", Pipe.PIPE_MTE3)
    second.acquire("channel", Pipe.PIPE_MTE2)
    assert second.others[MTE2][0][MTE3] == 7 and second.others[MTE2][0][MTE2] == 0
    assert not second.others[MTE3]
    before = second.epoch
    second.join(MTE2, MTE3)
    assert second.epoch > before
    assert second.others[MTE3][0][MTE3] == 7


def test_acquiring_an_own_release_orders_no_pipe() -> None:
    clocks = Clocks(0, Ledger())
    clocks.own[MTE3][MTE3] = 7
    clocks.release("a")
    clocks.acquire("a")
    assert clocks.own[MTE2][MTE3] == 0 and not clocks.others[MTE2]


def test_names() -> None:
    assert Launch(blocks=4).names([2]) == "block 2" and Launch(ranks=4).names([3, 0, 1]) == "ranks 0, 1 and 3"
    assert Launch(2, 3).names([1, 3]) == "rank 0 block 1 and rank 1 block 0"


@pytest.mark.parametrize("seed", range(4))
def test_many_actors_that_start_each_other_do_not_add_up_their_stacks(seed: int) -> None:
    count, started = 500, 0

    def deeper(actor: Actor, depth: int) -> None:
        if depth:
            deeper(actor, depth - 1)
            return
        actor.wait_until(lambda: started == count, "waits for all to start", LINE_2)

    def live(actor: Actor) -> None:
        nonlocal started
        started += 1
        deeper(actor, 10)

    assert all(outcome.good for outcome in together(*[live] * count, seed=seed))


@pytest.mark.parametrize("seed", range(2))
def test_sixty_four_blocks_of_three_cores_run(seed: int) -> None:
    text = (Path(__file__).parents[2] / "examples/cube_to_vector.pto").read_text()
    changes = {
        "[%rows, %c64], strides = [%c64, %c1] : !vo": "[%all, %c64], strides = [%c64, %c1] : !vo",
        "    %vo = ": """    %n = pto.get_block_num
    %blocks = arith.index_cast %n : i64 to index
    %all = arith.muli %blocks, %rows : index
    %k = pto.get_block_idx
    %number = arith.index_cast %k : i64 to index
    %before = arith.muli %number, %rows : index
    %vo = """,
        "%block = arith.muli %i, %c16 : index": """%tile = arith.muli %i, %c16 : index
      %block = arith.addi %before, %tile : index""",
    }
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((16, 64)), rng.standard_normal((64, 64))
    arguments = {"a": a.astype(np.float16), "b": b.astype(np.float16), "tiles": 1}
    out = ptoas.run(ptoas.parse(text), arguments, "a5", blocks=64, schedule=seed).outputs["out"]
    wanted = np.maximum(arguments["a"].astype(np.float32) @ arguments["b"].astype(np.float32), 0) / 8
    assert np.allclose(out.reshape(64, 16, 64), wanted, rtol=1e-2, atol=1e-2)
