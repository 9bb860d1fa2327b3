"""A program is a function of one integer."""

from __future__ import annotations

from random import Random

from . import arithmetic, calls, control, families, gathers, irregular
from .builder import Builder, Program, Style

TARGETS = ("cpu", "a2a3", "a5", "a5-custom")

FRAGMENTS = (
    (5, arithmetic.binary),
    (3, arithmetic.scalar),
    (3, arithmetic.unary),
    (2, arithmetic.move),
    (4, arithmetic.expand_scalar),
    (2, arithmetic.sequence),
    (3, arithmetic.convert),
    (2, arithmetic.expand_rows),
    (2, arithmetic.expand_columns),
    (3, arithmetic.reduce_rows),
    (8, gathers.mgather),
    (6, gathers.mscatter),
    (3, gathers.tgather_index),
    (3, gathers.tgather_mask),
    (2, gathers.tgatherb),
    (3, gathers.tscatter),
    (4, control.load),
    (4, control.store),
    (1.5, control.tile_argument),
    (0.5, control.accumulator),
    (2, control.window),
    (1.5, control.reshape),
    (0.7, control.blocks),
    (0.5, control.printed),
    (2, control.collective),
    (2, control.scalars),
    (0.4, control.while_loop),
    *families.FRAGMENTS,
    *irregular.FRAGMENTS,
)
CHOICES = [fragment for _, fragment in FRAGMENTS]
WEIGHTS = [weight for weight, _ in FRAGMENTS]


def style_of(random: Random) -> Style:
    form = random.choices(("asm", "ssa", "dps", "mixed"), (2, 2, 3, 3))[0]
    by_hand = form == "dps" and random.random() < 0.3
    return Style(
        form=form,
        bare=form == "asm" or random.random() < 0.1,
        by_hand=by_hand,
        flags=form == "dps" and random.random() < 0.25,
        word="tile" if form == "ssa" or random.random() < 0.2 else "tile_buf",
        spelling=random.choices((0, 1, 2, 3), (4, 1, 3, 1))[0],
        pointers=random.choice((0.0, 0.3, 1.0)),
    )


def statements(b: Builder, depth: int, least: int = 1, most: int = 2) -> None:
    """Some instructions, loops and branches."""
    for _ in range(b.random.randint(least, most)):
        kind = b.random.random()
        if depth and kind < 0.12:
            control.loop(b, depth, statements)
        elif depth and kind < 0.22:
            control.branch(b, depth, statements)
        elif depth and kind < 0.29 and calls.call(b, depth, statements):
            continue
        else:
            fragment(b)
    if len(b.scopes) > 1 and b.chance(0.5):
        control.store(b)


def fragment(b: Builder) -> None:
    """One fragment that fits here; what a try that fails has written stays, and is as good as any."""
    for chosen in b.random.choices(CHOICES, WEIGHTS, k=4):
        if chosen(b):
            return


def generate(seed: int) -> Program:
    """The program of this seed; the target goes round, everything else is random."""
    random = Random(seed)
    style = style_of(random)
    b = Builder(seed, TARGETS[seed % len(TARGETS)], style, random)
    b.aicore = b.target_name == "cpu" and random.random() < 0.1
    if random.random() < 0.06:
        b.be_ranks(random.choice((2, 3, 4)))
    if style.flags:
        b.line("pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID5>]")
        b.line("pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID5>]")
    statements(b, 2, 1, 4)
    if b.ranks > 1:
        control.collective(b)
    control.store_some(b)
    while not b.lines:
        control.load(b)
    return b.finish()
