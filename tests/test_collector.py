"""Python's search for garbage is put off for a call, and is afterwards as the caller had it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from threading import Barrier, Thread

import pytest

import ptoas
from ptoas.collector import undisturbed

NEGATE = ".arg %a : !pto.tile<8x8xf32>\n%b = tneg %a : !pto.tile<8x8xf32>"


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    was = gc.isenabled()
    yield
    (gc.enable if was else gc.disable)()


@undisturbed
def seen() -> bool:
    return gc.isenabled()


@undisturbed
def fails() -> None:
    raise ValueError


@pytest.mark.parametrize("on", [True, False])
def test_it_is_off_inside_and_as_it_was_after(on: bool) -> None:
    (gc.enable if on else gc.disable)()
    assert seen() is False and gc.isenabled() is on
    with pytest.raises(ValueError):
        fails()
    assert gc.isenabled() is on
    assert undisturbed(seen)() is False and gc.isenabled() is on


def test_what_reads_checks_and_lowers_is_not_disturbed() -> None:
    def work() -> None:
        module = ptoas.parse(NEGATE)
        ptoas.verify(module, "a5")
        ptoas.lower(module, "a5", verified=False)

    work()  # what is imported on the way is not meant
    found: list[bool] = []
    gc.callbacks.append(lambda phase, info: found.append(True))
    try:
        gc.enable()
        gc.freeze()  # so that little is left to look at
        gc.set_threshold(1)
        work()
    finally:
        gc.set_threshold(700, 10, 10)
        gc.callbacks.pop()
        gc.unfreeze()
    # Once behind each call, and hardly more: each makes thousands of objects.
    assert 0 < len(found) < 60


def test_the_last_of_several_threads_lets_it_go_on() -> None:
    gc.enable()
    inside, outside = Barrier(3), Barrier(3)

    @undisturbed
    def wait() -> None:
        inside.wait()
        outside.wait()

    threads = [Thread(target=wait) for _ in range(2)]
    for each in threads:
        each.start()
    inside.wait()
    meanwhile = seen(), gc.isenabled()
    outside.wait()
    for each in threads:
        each.join()
    assert meanwhile == (False, False) and gc.isenabled()


def test_what_lowering_makes_of_a_module_is_gone_at_once() -> None:
    """Nobody has seen the copy that passes changed; the module itself stays."""
    text = ".arg %a : !pto.tile<8x8xf32>\n" + "".join(
        f"%b{n} = tneg %a : !pto.tile<8x8xf32>\n" for n in range(200)
    )
    module = ptoas.parse(text)
    first = ptoas.lower(module, "a5")
    gc.collect()
    gc.disable()
    before = len(gc.get_objects())
    assert ptoas.lower(module, "a5") == first
    assert len(gc.get_objects()) < before + 1000
    assert ptoas.verify(module, "a5").ok
