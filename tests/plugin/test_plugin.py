"""Another package brings an instruction, a rule and a target: the one of docs/extending.md, installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text()

PROGRAM = """\
.arg %a : !pto.memref<4x{cols}xf32>
.arg %out : !pto.memref<4x{cols}xf32>
%x = tload %a : (!pto.memref<4x{cols}xf32>) -> !pto.tile<4x{cols}xf32>
%y = tsquare %x : (!pto.tile<4x{cols}xf32>) -> !pto.tile<4x{cols}xf32>
tstore %y, %out
// RUN-CHECK: out == a * a
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page's package, installed from a wheel."""
    folder = tmp_path_factory.mktemp("plugin")
    files = dict(re.findall(r"```python\n# (lab/\w+\.py)\n(.*?)```", PAGE, flags=re.DOTALL))
    assert len(files) == 6
    wheel = folder / "lab-1.0-py3-none-any.whl"
    entry = re.search(r'\[project\.entry-points\."(.*?)"\]\nlab = "(.*?)"', PAGE)
    assert entry is not None
    info = {
        "METADATA": "Metadata-Version: 2.1\nName: lab\nVersion: 1.0\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "entry_points.txt": f"[{entry[1]}]\nlab = {entry[2]}\n",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        for name, text in info.items():
            archive.writestr(f"lab-1.0.dist-info/{name}", text)
        archive.writestr("lab-1.0.dist-info/RECORD", "")
    target = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", str(target), str(wheel)], check=True, capture_output=True)
    return target


def ptoas(installed: Path, *arguments: str, text: str = "") -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "ptoas", *arguments],
        input=text,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{installed}", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=installed.parent,
    )
    return done.returncode, done.stdout


def test_every_command_includes_the_plugin(installed: Path) -> None:
    (installed.parent / "square.pto").write_text(PROGRAM.format(cols=64))
    (installed.parent / "wide.pto").write_text(PROGRAM.format(cols=128))
    status, shown = ptoas(installed, "instructions")
    assert status == 0 and "tsquare" in shown
    assert ptoas(installed, "verify", "--target", "a5-lab", "square.pto")[0] == 0
    status, shown = ptoas(installed, "verify", "--target", "a5-lab", "wide.pto")
    assert status == 1 and "PTO-Z101" in shown and "found 128, expected at most 64" in shown
    status, shown = ptoas(installed, "verify", "--target", "a2a3", "square.pto")
    assert status == 1 and "PTO-T105" in shown
    for target in ("cpu", "a5", "a5-lab"):
        status, shown = ptoas(installed, "run", "--target", target, "--check-file", "square.pto")
        assert status == 0, shown
    status, shown = ptoas(installed, "lower", "--target", "a5-lab", "square.pto")
    assert status == 0 and "TSQUARE(y, x);" in shown
    status, shown = ptoas(installed, "explain", "PTO-Z101")
    assert status == 0 and "The bench has 64 lanes." in shown
    assert "a5-lab" in ptoas(installed, "targets")[1]


def test_unclassified_operand_of_a_plugin_fails_at_import(installed: Path) -> None:
    unclear = installed.parent / "unclear"
    shutil.copytree(installed, unclear)
    chapter = unclear / "lab" / "squares.py"
    chapter.write_text(
        chapter.read_text()
        + """
from xdsl.irdl import irdl_op_definition, operand_def
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import TileType

@irdl_op_definition
class UnclearOp(PtoOp):
    name = "pto.unclear"
    src = operand_def(TileType)
"""
    )
    status, shown = ptoas(unclear, "instructions")
    assert status != 0 and "UnclearOp.src: whether" in shown


def test_a_plugin_that_does_not_load_is_wrong_usage(installed: Path) -> None:
    broken = installed.parent / "broken"
    info = broken / "lab-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lab\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ptoas.plugins]\nlab = missing_module:PLUGIN\n")
    status, shown = ptoas(broken, "targets")
    assert status == 2 and "the plugin 'lab'" in shown and "Traceback" not in shown
