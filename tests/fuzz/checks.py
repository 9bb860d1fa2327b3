"""The library's functions on one text, each a check by itself, so that a failure can be looked at alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from xdsl.dialects.builtin import ModuleOp

import ptoas
from ptoas.diagnostics import PtoasError
from ptoas.diagnostics.render import to_json
from ptoas.verifier.verify import verify_targets
from tests.fuzz.invariants import Broken, check_diagnostics, check_module, refused

FORMS = ("asm", "ssa", "dps", "generic")
TARGETS = ("cpu", "a2a3", "a5", "a5-custom")
MAX_STEPS = 500
MAX_MEMORY = 4 << 20

Features = set[str]
"""Behaviours of the tool on a text; a text with a new one is worth keeping."""


@dataclass(frozen=True)
class Check:
    """A function of this module, or of `command_line`, with its options."""

    name: str
    function: Callable[..., Features]
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, data: bytes) -> Features:
        return self.function(data, **dict(self.options))

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.options)})"


def _check(function: Callable[..., Features], **options: Any) -> Check:
    return Check(function.__name__, function, tuple(options.items()))


def text_of(data: bytes) -> str:
    """Bytes that are no UTF-8 become lone surrogates: a caller in Python may pass such a text too."""
    text = data.decode("utf-8", "surrogateescape")
    while text.startswith("\ufeff"):
        text = text[1:]  # the reader takes one off, and places count from there
    return text


Read = tuple[ModuleOp | None, frozenset[str]]
_LAST: dict[tuple[str, bool], Read] = {}
"""The text that was read last: no check changes its module, and all checks of a text want it."""


def _read(text: str, allow_unregistered: bool = False) -> Read:
    key = (text, allow_unregistered)
    if key not in _LAST:
        found = refused(lambda: ptoas.parse(text, "input.pto", allow_unregistered=allow_unregistered), text)
        if len(_LAST) > 1:
            _LAST.clear()
        _LAST[key] = found
    return _LAST[key]


def read(data: bytes, allow_unregistered: bool = False) -> Features:
    """Reading gives a module that holds together, or says why not."""
    text = text_of(data)
    _LAST.clear()
    module, codes = _read(text, allow_unregistered)
    if module is None:
        return {f"read {code}" for code in codes}
    check_module(module)
    return {f"op {op.name}" for op in module.walk()}


def read_again(data: bytes) -> Features:
    """Check that earlier texts do not influence parsing."""
    from ptoas import clear_caches

    def outcome() -> object:
        try:
            return ptoas.print_module(ptoas.parse(text, "input.pto"), "generic")
        except PtoasError as error:
            return [to_json(d) for d in error.diagnostics]

    text = text_of(data)
    warm = outcome()
    clear_caches()
    cold = outcome()
    if warm != cold:
        raise Broken("memory of the reader", f"{warm!r:.300} and, read afresh, {cold!r:.300}")
    return set()


def convert(data: bytes, form: str, allow_unregistered: bool = False) -> Features:
    """A printed program is read back, and prints as it did."""
    text = text_of(data)
    module, _ = _read(text, allow_unregistered)
    if module is None:
        return set()
    before = ptoas.print_module(module, "generic")
    printed, codes = refused(lambda: ptoas.print_module(module, form), text)
    if ptoas.print_module(module, "generic") != before:
        raise Broken(f"print {form}", "printing changed the module")
    if printed is None:
        return {f"{form} {code}" for code in codes}
    try:
        again = ptoas.parse(printed, "input.pto", allow_unregistered=allow_unregistered)
        second = ptoas.print_module(again, form)
    except PtoasError as error:
        raise Broken(f"print {form} {error.diagnostics[0].code}", f"{error}\n{printed[:2000]}") from None
    if second != printed:
        raise Broken(f"print {form} twice", f"{printed[:2000]}\n--- and then\n{second[:2000]}")
    return {f"form {form}"}


def verify(data: bytes, **options: Any) -> Features:
    """All targets, all rules."""
    text = text_of(data)
    module, _ = _read(text)
    if module is None:
        return set()
    report = verify_targets(module, TARGETS, **options)
    codes = check_diagnostics(report.diagnostics, text)
    fine = {f"fine {target}" for target in TARGETS if report.for_target(target).ok}
    return {*fine, *(f"rule {code}" for code in codes)}


def lower(data: bytes, target: str, **options: Any) -> Features:
    """Check that a verified program is lowered, or a limit of lowering is named, without changing the
    module.
    """
    text = text_of(data)
    module, _ = _read(text)
    if module is None:
        return set()
    before = ptoas.print_module(module, "generic")
    legal = ptoas.verify(module, target).ok
    after: list[ModuleOp] = []

    def see(_: str, current: ModuleOp) -> None:
        after[:] = [current]

    produced, codes = refused(lambda: ptoas.lower(module, target, after=see, **options), text)
    if ptoas.print_module(module, "generic") != before:
        raise Broken(f"lower {target}", "lowering changed the module")
    if produced is None:
        return {f"lower {code}" for code in codes}
    if not legal and not options:
        raise Broken(f"lower {target}", "lowered what does not verify")
    if after:
        check_module(after[0])
    return {f"lowered {target}"}


def run(data: bytes, target: str, **options: Any) -> Features:
    """Check that a verified program runs within steps and memory, or stops with a reason."""
    text = text_of(data)
    module, _ = _read(text)
    if module is None:
        return set()
    options = {"max_steps": MAX_STEPS, "max_memory": MAX_MEMORY, "stats": True, **options}
    result, codes = refused(lambda: ptoas.run(module, {}, target, **options), text)
    if result is None:
        return {f"run {code}" for code in codes}
    return {f"ran {target}", *(f"run {code}" for code in check_diagnostics(result.warnings, text))}


def all_checks() -> Iterator[Check]:
    """Run all checks on a stored text."""
    from tests.fuzz.command_line import command_checks

    yield from (_check(read), _check(read, allow_unregistered=True), _check(read_again))
    yield from (_check(convert, form=form) for form in FORMS)
    yield from (_check(convert, form=form, allow_unregistered=True) for form in FORMS)
    yield from (_check(verify), _check(verify, aicore=True, sync="auto"), _check(verify, sync="manual"))
    for target in TARGETS:
        yield _check(lower, target=target)
        yield _check(lower, target=target, emit="entry", annotate=True, sync="auto", aicore=True)
        yield _check(run, target=target)
        yield _check(run, target=target, checks="none", unchecked=True, force=True)
    yield from (_check(lower, target="cpu", legalize=True), _check(run, target="cpu", legalize=True))
    yield from command_checks()


def some_checks(random: Random) -> list[Check]:
    """A part of them that differs from text to text: what is dear is done less often."""
    from tests.fuzz.command_line import random_command

    chosen = [_check(read), _check(verify)]
    form = random.choice(FORMS)
    chosen.append(_check(convert, form=form))
    if random.random() < 0.3:
        chosen.append(_check(read, allow_unregistered=True))
        chosen.append(_check(convert, form=form, allow_unregistered=True))
    if random.random() < 0.05:
        chosen.append(_check(read_again))
    if random.random() < 0.1:
        chosen.append(_check(verify, aicore=True, sync=random.choice(("auto", "manual"))))
    target = random.choice(TARGETS)
    chosen.append(_check(lower, target=target))
    if random.random() < 0.3:
        emit, isa = random.choice(("kernel", "entry", "launcher")), random.choice(("doc", "2026.08"))
        chosen.append(_check(lower, target=target, emit=emit, isa=isa, annotate=True))
    if random.random() < 0.2:
        chosen.append(_check(lower, target="cpu", legalize=True))
    if random.random() < 0.5:
        chosen.append(_check(run, target=target, **random.choice(_RUN_OPTIONS)))
    if random.random() < 0.1:
        chosen.append(_check(run, target="cpu", legalize=True))
    if random.random() < 0.2:
        chosen.append(random_command(random))
    return chosen


_RUN_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"checks": "none"},
    {"unchecked": True},
    {"blocks": 3},
    {"force": True},
    {"force": True, "checks": "none", "unchecked": True},
    {"sync": "auto"},
    {"trace": True, "on_output": str},
)
