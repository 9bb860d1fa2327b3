"""Compile and run programs with the C++ compiler; summarise its errors."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ptoas.diagnostics import Note, Span
from ptoas.machine.errors import command_line_span, failure
from ptoas.simulator.driver import HEADER

BELOW = ("include", "pto-isa/include")
"""Include directory, relative to a copy of the library."""
COMPILERS = ("clang++", "g++")
FLAGS = ("-D__CPU_SIM", "-w")
"""Warnings about the library's own code are not the kernel author's."""
STANDARD = "-std=c++20"
BUILD_SECONDS = 600
MOST_LINES = 8
ROOM = {f"PTO_CPU_SIM_{memory}_BYTES": str(8 << 20) for memory in ("UB", "L1", "L0A", "L0B", "L0C")}
"""The simulator's memories: cpu has no limits, and a program that fits a device fits these."""


def find_compiler(requested: str | None) -> list[str]:
    """Return the compiler command: the given one, else `$CXX`, else the first installed."""
    text = requested or os.environ.get("CXX") or next(filter(shutil.which, COMPILERS), "")
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if words and shutil.which(words[0]) is not None:
        return words
    option = command_line_span(f"--cxx {text}" if requested else "--cxx")
    known = ", ".join(COMPILERS)
    message = f"there is no C++ compiler: none of {known} is installed"
    if text:
        message = f"there is no compiler {text!r}"
    fix = "name one with `--cxx COMMAND`, for example `--cxx clang++-19`"
    raise failure("PTO-R711", message, span=option, fix=fix, target="cpu")


def find_library(include: str) -> Path:
    """The directory that the library's headers are included from."""
    directory = Path(include)
    if (directory / HEADER).is_file():
        return directory.resolve()
    below = next((name for name in BELOW if (directory / name / HEADER).is_file()), None)
    found = "no directory" if not directory.is_dir() else f"no {HEADER}"
    raise failure(
        "PTO-R712",
        f"{include} is not an instruction library: there is {found}",
        span=command_line_span(f"--include {include}"),
        fix=None if below is None else f"pass `--include {directory / below}`",
        target="cpu",
    )


def build(compiler: Sequence[str], include: Path, source: Path, program: Path, blame: Span) -> None:
    """Compile; the first lines of the compiler's output become notes."""
    standard = [] if any(word.startswith("-std=") for word in compiler) else [STANDARD]
    words = [*compiler, *standard, *FLAGS, "-I", str(include), str(source), "-o", str(program)]
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=BUILD_SECONDS, check=False
        )
    except OSError as error:
        message = f"{compiler[0]} can't be started: {error.strerror or error}"
        option = command_line_span(f"--cxx {compiler[0]}")
        raise failure("PTO-R711", message, span=option, target="cpu") from None
    except subprocess.TimeoutExpired:
        message = f"{compiler[0]} takes longer than {BUILD_SECONDS} s"
        raise failure("PTO-R713", message, span=blame, target="cpu") from None
    if done.returncode != 0:
        message = f"{os.path.basename(compiler[0])} rejects the C++ of this program"
        errors = _lines(done.stderr.replace(f"{source.parent}{os.sep}", ""), "error")
        raise failure("PTO-R713", message, span=blame, notes=errors, target="cpu")


def execute(program: Path, words: Sequence[str], blocks: int, seconds: float, blame: Span) -> None:
    """Run the program in its directory."""
    environment = {**os.environ, **ROOM, "PTO_CPU_SIM_NUM_CORES": str(blocks)}
    try:
        done = subprocess.run(
            [str(program), *words],
            cwd=program.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"the compiled program did not end within {seconds:g} s"
        fix = "pass a longer `--timeout SECONDS`"
        raise failure("PTO-R715", message, span=blame, fix=fix, target="cpu") from None
    if done.returncode != 0:
        message = f"the compiled program {_ending(done.returncode)}"
        raise failure("PTO-R714", message, span=blame, notes=_lines(done.stderr), target="cpu")


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with {code}"
    try:
        return f"was stopped by {signal.Signals(-code).name}"
    except ValueError:
        return f"was stopped by signal {-code}"


def _lines(text: str, word: str = "") -> tuple[Note, ...]:
    """The first lines of what was said, those with a word in them if there are such."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    chosen = [line for line in lines if word in line] or lines
    more = len(chosen) - MOST_LINES
    return tuple(map(Note, [*chosen[:MOST_LINES], *[f"and {more} more lines"] * (more > 0)]))
