"""Errors outside the program: wrong options, bugs of ptoas, errors that cross processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import ptoas
from ptoas.cli.main import main
from ptoas.dialects.pto.elementwise import TNegOp
from ptoas.lowering.pipeline import UnknownPassError
from ptoas.machine.machine import INSTRUCTIONS, Step
from ptoas.ops import load_bodies
from ptoas.targets import TARGETS
from ptoas.targets.row import Row
from ptoas.targets.rules.operands import rules_for

NEGATE = """.target a5
.arg %x : !pto.memref<8x8xf32>
%a = tload %x : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
%b = tneg %a : !pto.tile<8x8xf32>
tstore %b, %x
"""
LINE_OF_TLOAD, LINE_OF_TNEG = 3, 4


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "negate.pto"
    path.write_text(NEGATE)
    return str(path)


# --- bugs --------------------------------------------------------------------------------------------


def broken_rule(patch: pytest.MonkeyPatch) -> None:
    """A rule that a5 has for every instruction divides by zero; the first that it meets is the load."""
    row = TARGETS["a5"].entry(TNegOp)
    assert isinstance(row, Row)
    rule = rules_for(row)[0]

    def check(*_: Any) -> Iterator[Any]:
        yield 1 // 0

    ptoas.clear_caches()  # what was found fine is not asked again
    # A rule is frozen, as data should be.
    patch.setitem(rule.__dict__, "check", check)


def broken_body(patch: pytest.MonkeyPatch) -> None:
    """Let the body of tneg fail at run time, long after it was compiled."""

    def body(*_: Any, **__: Any) -> Step:
        return Step(lambda: 1 // 0)

    load_bodies()
    patch.setitem(INSTRUCTIONS, TNegOp, body)


def broken_pass(patch: pytest.MonkeyPatch) -> None:
    """A pass that fails without a current operation."""

    def fail(*_: Any) -> None:
        raise KeyError("lost")

    patch.setattr("ptoas.lowering.insert_sync.InsertSyncPass.apply", fail)


@pytest.mark.parametrize(
    ("breaks", "arguments", "line", "error"),
    [
        (broken_rule, ("verify",), LINE_OF_TLOAD, "ZeroDivisionError"),
        (broken_rule, ("verify", "-j", "2"), LINE_OF_TLOAD, "ZeroDivisionError"),
        (broken_rule, ("lower",), LINE_OF_TLOAD, "ZeroDivisionError"),
        (broken_body, ("run",), LINE_OF_TNEG, "ZeroDivisionError"),
        (broken_pass, ("lower",), 1, "KeyError: 'lost'"),
    ],
)
def test_a_bug_is_one_finding_at_the_statement_it_broke_on(
    breaks: Callable[[pytest.MonkeyPatch], None],
    arguments: tuple[str, ...],
    line: int,
    error: str,
    file: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    breaks(monkeypatch)
    done = command(*arguments, file)
    assert done.exit_code == 1
    assert f"error[PTO-X001]: internal error: {error}" in done.output
    assert f"{file}:{line}:1" in done.output
    assert f"ptoas {ptoas.__version__}" in done.output and "xdsl 0." in done.output
    assert f"the command was: ptoas {arguments[0]}" in done.output
    assert "PTOAS_DEBUG=1" in done.output and "Traceback" not in done.output

    monkeypatch.setenv("PTOAS_DEBUG", "1")
    again = command(*arguments, file)
    assert "Traceback (most recent call last)" in again.output and "PTOAS_DEBUG" not in again.output


def test_a_bug_at_one_file_leaves_the_others_checked(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken_rule(monkeypatch)
    other = Path(file).with_name("other.pto")
    other.write_text(".target a5\n%a = tci %c : (i32) -> !pto.tile<1x8xi32>\n")
    done = command("verify", "--format", "concise", str(other), file)
    assert "error[PTO-X001]" in done.output and "error[PTO-P030]" in done.output
    assert done.output.endswith("2 files, 2 errors, 0 warnings\n")


def test_library_propagates_the_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    broken_rule(monkeypatch)
    with pytest.raises(ZeroDivisionError):
        ptoas.verify(ptoas.parse(NEGATE), "a5")


def test_a_value_error_inside_is_no_wrong_usage(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ValueError("operands could not be broadcast")

    monkeypatch.setattr("ptoas.compiler.lower.lower", fail)
    done = command("lower", file)
    assert done.exit_code == 1 and "PTO-X001" in done.output and "Usage" not in done.output


# --- wrong usage -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda module: ptoas.verify(module, "a6"), "there is no target 'a6'"),
        (lambda module: ptoas.verify(module, sync="never"), "sync is 'auto', 'manual' or 'all'"),
        (lambda module: ptoas.lower(module, isa="2020"), "no ISA revision '2020'"),
        (lambda module: ptoas.lower(module, emit="object"), "can't emit 'object'"),
        (lambda module: ptoas.run(module, checks="speed"), "no check 'speed'"),
        (lambda module: ptoas.compile(module, blocks=0), "must be at least 1"),
        (lambda module: ptoas.print_module(module, "xml"), "unknown form 'xml'"),
        (lambda _: ptoas.build_pipeline("a5", until="fuse"), "there is no pass 'fuse'"),
    ],
)
def test_a_wrong_option_has_an_error_of_its_own(call: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(ptoas.UsageError, match=words):
        call(ptoas.parse(NEGATE))


# --- between processes -------------------------------------------------------------------------------


def parse_badly() -> None:
    ptoas.parse("%b = tneg %a : !pto.tile<8x8xf32>", "negate.pto")


def ask_badly() -> None:
    ptoas.get_target("a6")


def test_errors_survive_pickling() -> None:
    with pytest.raises(ptoas.PtoasError) as caught:
        parse_badly()
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.diagnostics == caught.value.diagnostics
    assert str(again) == str(caught.value) == "negate.pto:1:11: error[PTO-P030]: `%a` is not defined"
    assert again.diagnostics[0].span.source.line_text(1).startswith("%b = tneg")
    assert str(pickle.loads(pickle.dumps(UnknownPassError("fuse")))) == str(UnknownPassError("fuse"))


def test_errors_come_out_of_a_process_pool() -> None:
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(ptoas.PtoasError, match="is not defined"):
            pool.submit(parse_badly).result()
        with pytest.raises(ptoas.UsageError, match="there is no target 'a6'"):
            pool.submit(ask_badly).result()


def test_a_finding_is_read_as_one_line() -> None:
    span = ptoas.Span(ptoas.Source("tnop", "a.pto"), 0, 4)
    finding = ptoas.Diagnostic("PTO-P020", "no such\ninstruction", span, targets=("a5",))
    assert str(finding) == "a.pto:1:1: error[PTO-P020] [a5]: no such instruction"
