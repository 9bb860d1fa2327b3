"""The command on a real file: exit codes, tracebacks, and files that are whole or absent."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from click.testing import CliRunner

from ptoas.cli.main import main
from tests.fuzz.checks import FORMS, MAX_MEMORY, MAX_STEPS, TARGETS, Check, Features
from tests.fuzz.invariants import Broken

_STYLES = ("full", "concise", "json", "sarif", "github")
_OUT = "out.txt"
_LIMITS = ("--max-steps", str(MAX_STEPS), "--max-memory", str(MAX_MEMORY))
_SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def command(data: bytes, arguments: tuple[str, ...]) -> Features:
    """Run the command in a folder that holds the text and nothing else."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory(dir=_SCRATCH) as folder:
        os.chdir(folder)
        try:
            Path("input.pto").write_bytes(data)
            result = CliRunner().invoke(main, list(arguments))
            there = set(os.listdir("."))
            if Path("input.pto").read_bytes() != data:
                raise Broken(f"{arguments[0]} input", "the input was changed")
            produced = Path(_OUT).read_bytes() if _OUT in there else None
        finally:
            os.chdir(here)
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        raise error
    if result.exit_code not in (0, 1, 2):
        raise Broken(f"{arguments[0]} exit", f"{result.exit_code}: {result.output[-500:]}")
    if "Traceback (most recent" in result.output:
        raise Broken(f"{arguments[0]} traceback", result.output[-2000:])
    if result.exit_code and not result.output.strip():
        raise Broken(f"{arguments[0]} silence", f"exit code {result.exit_code} without a word")
    if unasked := there - {"input.pto", _OUT}:
        raise Broken(f"{arguments[0]} files", f"left behind: {unasked}")
    _check_output(arguments, result.exit_code, produced)
    if arguments[0] == "verify":
        _check_findings(arguments, result.stdout, data)
    return {f"{arguments[0]} exit {result.exit_code}"}


def _check_output(arguments: tuple[str, ...], exit_code: int, produced: bytes | None) -> None:
    if _OUT not in arguments:
        return
    if (produced is None) is not bool(exit_code):
        raise Broken(f"{arguments[0]} output", f"exit code {exit_code}, file {produced!r:.60}")
    if produced is not None and not produced.endswith(b"\n"):
        raise Broken(f"{arguments[0]} output", f"it ends in {produced[-60:]!r}")


def _check_findings(arguments: tuple[str, ...], output: str, data: bytes) -> None:
    """Places in JSON and SARIF are places in the file."""
    if "json" in arguments:
        places = [(d["line"], d["column"]) for d in json.loads(output)]
    elif "sarif" in arguments:
        results = json.loads(output)["runs"][0]["results"]
        regions = [place["physicalLocation"]["region"] for r in results for place in r["locations"]]
        places = [(region["startLine"], region["startColumn"]) for region in regions]
    else:
        return
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.split("\n" if "\n" in text else "\r")
    for line, column in places:
        if not 1 <= line <= len(lines) or not 1 <= column <= len(lines[line - 1]) + 1:
            raise Broken("verify place", f"{line}:{column}")


def _command(*arguments: str) -> Check:
    return Check("command", command, (("arguments", arguments),))


def command_checks() -> Iterator[Check]:
    """A fixed set, for stored texts."""
    for style in _STYLES:
        yield _command("verify", "input.pto", "--format", style)
    yield _command("verify", "input.pto", "--target", "all", "--werror", "--color", "always")
    yield _command("convert", "input.pto", "--to", "asm", "-o", _OUT)
    yield _command("convert", "input.pto", "--to", "generic", "--allow-unregistered", "-o", _OUT)
    yield _command("lower", "input.pto", "--target", "a5", "--print-after", "all", "-o", _OUT)
    yield _command("run", "input.pto", "--target", "all", *_LIMITS)
    yield _command("run", "input.pto", "--target", "a2a3", "--check-file", "--stats", "--trace", *_LIMITS)
    yield _command("run", "input.pto", "--target", "a5", "--ranks", "2", *_LIMITS)


def random_command(random: Random) -> Check:
    """Any command with any of its options."""
    target = random.choice((*TARGETS, "all"))
    colour = ("--color", random.choice(("auto", "always", "never")))
    kind = random.choice(("verify", "verify", "convert", "lower", "run"))
    if kind == "verify":
        options = ["--format", random.choice(_STYLES), *colour]
        options += random.choice(
            ([], ["--werror"], ["-q"], ["--ignore", "PTO-W"], ["--aicore"], ["--sync", "manual"])
        )
        options += random.choice(([], ["--target", target]))
    elif kind == "convert":
        options = ["--to", random.choice(FORMS), *colour, *random.choice(([], ["-o", _OUT], ["-o", _OUT]))]
        options += random.choice(([], ["--allow-unregistered"]))
    elif kind == "lower":
        options = [
            "--target",
            random.choice(TARGETS),
            *random.choice(([], ["-o", _OUT], ["-o", _OUT])),
            *colour,
        ]
        options += random.choice(([], ["--annotate"], ["--until", "plan-memory"], ["--print-after", "all"]))
        options += random.choice(
            ([], ["--legalize"], ["--sync", "auto"], ["--isa", "doc"], ["--emit", "launcher"])
        )
    else:
        options = ["--target", target, *_LIMITS, *random.choice(([], ["--json"], ["--trace"], ["--stats"]))]
        options += random.choice(
            ([], ["--check-file"], ["--force"], ["--ranks", "2"], ["--blocks", "2"], ["--unchecked"])
        )
    return _command(kind, "input.pto", *options)
