"""A quick test of the main commands and the library, for environments without test dependencies.

`python -m tests.smoke` runs it with the interpreter's packages; `.ci/versions` does so with the lowest and
the newest ones.
"""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path

import click.testing
import ml_dtypes
import numpy as np

import ptoas
from ptoas.cli.main import main

EXAMPLES = Path(__file__).parents[1] / "examples"
PACKAGES = ("click", "greenlet", "jinja2", "lark", "ml_dtypes", "numpy", "pathspec", "rich", "xdsl")


class ByDLPack:
    """An array of another library."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def command(*arguments: str) -> str:
    """Return the output of a command, which must succeed."""
    done = click.testing.CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.exit_code == 0, f"{arguments}: {done.output}"
    return done.output


def run_commands(folder: Path) -> None:
    """Each of the main commands once."""
    lookup, loop, mixed = (str(EXAMPLES / f"{n}.pto") for n in ("embedding_lookup", "lookup_loop", "matmul"))
    command("verify", "--isolated", "-j", "1", "--target", "a5", lookup, loop)
    assert "checks held" in command("run", "--check-file", lookup)
    assert "checks held" in command("run", "--check-file", mixed)
    assert "MGATHER" in command("lower", lookup)
    assert "tload" in command("convert", lookup, "--to", "dps")
    command("fmt", "--check", lookup)
    assert "cycles" in command("profile", loop)
    command("report", loop, "-o", str(folder / "page.html"))
    assert (folder / "page.html").stat().st_size > 10_000


def run_library() -> None:
    """A kernel on an array of another library, and numbers of 8 bits."""
    text = """
.arg %x : !pto.memref<1x32x{0}>
.arg %out : !pto.memref<1x32x{0}>
%a = tload %x : (!pto.memref<1x32x{0}>) -> !pto.tile<1x32x{0}>
tstore %a, %out
"""
    x, out = np.arange(32, dtype=np.float32).reshape(1, 32), np.zeros((1, 32), np.float32)
    ptoas.compile(ptoas.parse(text.format("f32")), "a5")(x, ByDLPack(out))
    assert np.array_equal(x, out)
    scales = np.full((1, 32), 2, ml_dtypes.float8_e8m0fnu)
    result = ptoas.run(ptoas.parse(text.format("!pto.f8E8M0")), {"x": scales}, "a5", force=True)
    assert np.array_equal(result.outputs["out"].view(np.uint8), scales.view(np.uint8))


if __name__ == "__main__":
    print(", ".join(f"{name} {version(name)}" for name in PACKAGES))
    with tempfile.TemporaryDirectory() as name:
        run_commands(Path(name))
    run_library()
    print("passed")
