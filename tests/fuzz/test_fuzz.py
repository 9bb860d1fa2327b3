"""A fixed slice of the fuzzer, the texts that it has stored, and the fuzzer itself."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import byte_mutations, statement_mutations, token_mutations
from tests.fuzz.checks import Check, Features, all_checks, read
from tests.fuzz.engines import random_texts
from tests.fuzz.failures import Failure, attempt, write
from tests.fuzz.invariants import Broken
from tests.fuzz.mutator import mutate
from tests.fuzz.seeds import CORPUS, REGRESSIONS, programs, stored
from tests.fuzz.session import Session
from tests.fuzz.shrink import shrink
from tests.fuzz.tokens import join, split

SLICES = 4
INPUTS = 60
"""Each slice has its seed and its number of texts, so that every run does the same."""

SCALE = 30.0
"""A budget that only an endless loop exceeds: other tests may use the processor, too."""


def _say(session: Session) -> str:
    return "\n\n".join(f"{f.signature}\n{f.data!r}\n{f.report}" for f in session.failures.values())


@pytest.mark.parametrize("seed", range(SLICES))
def test_slice(seed: int) -> None:
    session = Session(scale=SCALE)
    for data, _ in islice(random_texts(Random(seed)), INPUTS):
        session.feed(data)
    assert not session.failures, _say(session)
    assert len(session.features) > 40  # 55 to 124 were seen: which texts come depends on those that are there


@pytest.mark.parametrize("name", stored(REGRESSIONS))
def test_regression(name: str) -> None:
    session = Session(scale=SCALE)
    session.feed((REGRESSIONS / name).read_bytes(), all_checks())
    assert not session.failures, _say(session)


def test_corpus() -> None:
    session = Session(scale=SCALE)
    for data in stored(CORPUS).values():
        session.feed(data)
    assert not session.failures, _say(session)


# --- the fuzzer itself ---------------------------------------------------------------------------


@pytest.mark.parametrize("module", [byte_mutations, token_mutations, statement_mutations])
def test_mutations_repeat(module: object) -> None:
    """Equal seeds give equal texts, and a text is rarely left as it is."""
    changed = 0
    for number, data in enumerate(programs()[:100]):
        first, second = (module.mutate(data, Random(number)) for _ in range(2))  # type: ignore[attr-defined]
        assert first == second
        changed += first != data
    assert changed > 60


def test_mutator_takes_any_bytes() -> None:
    random = Random(7)
    data = b""
    for _ in range(300):
        data = mutate(data[:3000] or random.randbytes(50), random)


def test_tokens_cover_the_text() -> None:
    for data in programs():
        assert join(split(data.decode())) == data.decode()


def test_a_planted_bug_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A rule that falls over a certain type: random texts hit it, and little more than the type is left."""
    from ptoas.dialects.pto.gather import MGatherOp
    from ptoas.dialects.pto.instruction import PtoOp
    from ptoas.verifier import verify

    spoiled = verify._Checker._key

    def key(self: verify._Checker, op: PtoOp) -> tuple[object, ...]:
        if isinstance(op, MGatherOp) and "16xi32" in str(op.operands[1].type):
            raise KeyError("planted")
        return spoiled(self, op)

    monkeypatch.setattr(verify._Checker, "_key", key)
    session = Session(tmp_path)
    for data, _ in islice(random_texts(Random(6)), 2_000):
        session.feed(data)
        if session.failures:
            break
    (failure,) = (f for f in session.failures.values() if f.signature.startswith("KeyError verify."))
    small = shrink(failure, 20)
    assert small.signature == failure.signature
    assert b"mgather" in small.data and b"16xi32" in small.data
    assert len(small.data) < 400
    place = write(small, tmp_path)
    assert "planted" in (place / "report.txt").read_text()


def test_shrinking_keeps_the_cause() -> None:
    def picky(data: bytes) -> Features:
        if b"%table" in data and data.count(b"i32") >= 2:
            raise Broken("picky", "found")
        return set()

    text = next(p for p in programs() if b"%table" in p and p.count(b"i32") >= 2)
    failure = attempt(Check("picky", picky), text)
    assert isinstance(failure, Failure)
    assert sorted(shrink(failure).data) == sorted(b"%tablei32i32")


def test_a_hang_ends() -> None:
    def endless(_: bytes) -> Features:
        while True:
            with suppress(Exception):  # what the tool itself might do
                sum(range(1000))

    failure = attempt(Check("endless", endless), b"", scale=0.05)
    assert isinstance(failure, Failure) and failure.signature == "Hang endless"


def test_a_wrong_diagnostic_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spans after the end and unknown codes are failures, not only exceptions."""
    from ptoas.grammar.build import Builder

    report = Builder.report

    def shifted(self: Builder, code: str, message: str, offset: int, length: int, *rest: object) -> None:
        report(self, code, message, offset + 10_000, length, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Builder, "report", shifted)
    failure = attempt(Check("read", read), b"tnothing %a\n")
    assert isinstance(failure, Failure) and "span of PTO-P" in failure.signature
