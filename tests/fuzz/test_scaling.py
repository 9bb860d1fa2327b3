"""Work grows with the text, not with its square: counted in calls, which no busy machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType

import pytest

import ptoas
from ptoas import clear_caches
from ptoas.diagnostics import PtoasError
from ptoas.verifier.verify import verify_targets

SMALL, LARGE = 20, 80
STEEPEST = 1.35
"""Maximum ratio of the cost of a statement in the large text to that in the small one."""

STEEPER = {"branches": 2.0}
"""The search for flags knows more places where a flag may be up, the more branches there were."""

T = "!pto.tile<16x32xf32>"
M = "!pto.memref<16x32xf32>"
S, U = "!pto.memref<1x8xf32>", "!pto.tile<1x8xf32>"
LOAD = f".arg %m : {M}\n.arg %c : i1\n%t0 = tload %m : ({M}) -> {T}\n"
NUMBERS = "%z = arith.constant 0 : index\n%o = arith.constant 1 : index\n"
PIPES = "[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]"


def _repeated(head: str, statement: str) -> Callable[[int], str]:
    """`N` is the number of a copy, `P` that of the one before."""
    return lambda n: (
        head + "".join(statement.replace("<N>", str(k)).replace("<P>", str(k - 1)) for k in range(1, n + 1))
    )


_CALL = "func.func @f<N>() {\nfunc.call @f<P>() : () -> ()\nreturn\n}\n"

PROGRAMS: dict[str, Callable[[int], str]] = {
    "tiles that wait for each other": _repeated(
        f".arg %m : {S}\n%t0 = tload %m : ({S}) -> {U}\n", f"%t<N> = tadd %t<P>, %t0 : ({U}, {U}) -> {U}\n"
    ),
    "tiles alive together": lambda n: (
        f".arg %m : {S}\n"
        + "".join(f"%t{k} = tload %m : ({S}) -> {U}\n" for k in range(n))
        + "".join(f"tstore %t{k}, %m : ({U}, {S})\n" for k in range(n))
    ),
    "stores": _repeated(LOAD, f"tstore %t0, %m : ({T}, {M})\n"),
    "branches": _repeated(LOAD, f"scf.if %c {{\ntstore %t0, %m : ({T}, {M})\n}}\n"),
    "loops": _repeated(
        LOAD + NUMBERS, f"scf.for %i<N> = %z to %o step %o {{\ntstore %t0, %m : ({T}, {M})\n}}\n"
    ),
    "numbers": _repeated(
        NUMBERS + "%v0 = arith.constant 1 : index\n", "%v<N> = arith.addi %v<P>, %o : index\n"
    ),
    "windows": _repeated(LOAD + NUMBERS, f"%t<N> = pto.subview %t<P>[%z, %z] sizes [16, 32] : {T} -> {T}\n"),
    "flags": _repeated("", f"set_flag{PIPES}\nwait_flag{PIPES}\n"),
    "arguments": _repeated("", f".arg %a<N> : {M}\n"),
    "functions": _repeated(
        "", f"func.func @f<N>(%m: {M}) {{\n%t = pto.tload %m : ({M}) -> {T}\nreturn\n}}\n"
    ),
    "calls": _repeated("func.func @f0() {\nreturn\n}\n", _CALL),
    "parameters": lambda n: f"func.func @f({', '.join(f'%a{k}: {M}' for k in range(n))}) {{\nreturn\n}}\n",
    "unknown instructions": _repeated("", "tnothing<N> %a<N>\n"),
    "broken rules": _repeated("", "%t<N> = alloc_tile : !pto.tile<1x9xi32>\n"),
}


def _calls(action: Callable[[], object]) -> int:
    count = 0

    def see(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        action()
    except PtoasError:
        pass
    finally:
        sys.setprofile(before)
    return count


def _work(text: str) -> dict[str, int]:
    clear_caches()
    found = {"parse": _calls(lambda: ptoas.parse(text))}
    try:
        module = ptoas.parse(text)
    except PtoasError:
        return found
    found["verify"] = _calls(lambda: verify_targets(module))
    found["dps"] = _calls(lambda: ptoas.print_module(module, "dps"))
    found["ssa"] = _calls(lambda: ptoas.print_module(module, "ssa"))
    found["lower"] = _calls(lambda: ptoas.lower(module, "a5"))
    found["compile"] = _calls(lambda: ptoas.compile(module, "a5"))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_work_grows_with_the_text(name: str) -> None:
    program = PROGRAMS[name]
    _work(program(2))  # what is loaded and kept once
    small, large = _work(program(SMALL)), _work(program(LARGE))
    steep = {
        stage: round(large[stage] / small[stage] / (LARGE / SMALL), 2)
        for stage in small
        if large[stage] > small[stage] * (LARGE / SMALL) * STEEPER.get(name, STEEPEST)
    }
    assert not steep, f"{name}: {steep} times as much for each statement"


MANY = {
    "tiles alive together": (250, 1000),
    "loops": (125, 500),
}
"""Sizes at which a search through all tiles or loops would outweigh the rest of `compile`."""


@pytest.mark.parametrize("name", MANY)
def test_compiling_many_tiles_and_loops_is_linear(name: str) -> None:
    few, many = MANY[name]
    small, large = (
        _calls(partial(ptoas.compile, ptoas.parse(PROGRAMS[name](count)), "a5")) for count in (few, many)
    )
    assert large / small < STEEPEST * many / few
