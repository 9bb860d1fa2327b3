"""SECURITY.md, sentence by sentence: `promise(n)` marks what tests the sentence with that number."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import ptoas
from ptoas.cli.main import main
from ptoas.diagnostics import Diagnostic, Source, Span, files
from ptoas.diagnostics.render import render, render_concise, render_github
from ptoas.diagnostics.sarif import render_sarif
from ptoas.grammar import parse as front_end
from ptoas.runner.expressions import Reader, UnreadableError, parse_expression

ROOT = Path(__file__).parent.parent
LOOKUP = str(ROOT / "examples" / "embedding_lookup.pto")
TESTED: set[int] = set()


def promise(*numbers: int) -> Callable[[Any], Any]:
    TESTED.update(numbers)
    return lambda test: test


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


def refused(code: str, *arguments: str) -> str:
    """The command ends with 1 and says so with a code."""
    done = command(*arguments)
    assert done.exit_code == 1, done.output
    assert f"error[{code}]" in done.output or f'"code": "{code}"' in done.output, done.output
    return done.output


def program(folder: Path, text: str, name: str = "k.pto") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def test_every_sentence_has_a_test() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    numbers = [int(n) for n in re.findall(r"^(\d+)\. ", text, re.M)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert set(numbers) == TESTED


# --- what is read and written --------------------------------------------------------------------

WATCHER = """
import os, sys
events, allowed = [], tuple(os.path.realpath(p) + os.sep for p in (sys.prefix, sys.base_prefix, sys.argv[1]))
MUTATING = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.trunc", "shutil")
STARTING = ("subprocess", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "socket")
def note(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path, mode, flags = arguments
        path = os.path.realpath(os.fsdecode(path))
        writing = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writing or not path.startswith(allowed):
            events.append(("write " if writing else "read ") + path)
    elif event.startswith(STARTING):
        events.append("start " + event)
    elif event.startswith(MUTATING):
        events.append(event + " " + " ".join(str(a) for a in arguments[:2]))
    elif event == "compile" and arguments[0] is not None:
        text = arguments[0]
        texts.append(text if isinstance(text, str) else bytes(text).decode("utf-8", "replace"))
    elif event == "exec" and "SECRET" in repr(getattr(arguments[0], "co_consts", "")):
        events.append("exec of the program's text")
texts = []
sys.dont_write_bytecode = True
sys.addaudithook(note)
from ptoas.cli.main import main
try:
    main(sys.argv[2:])
except SystemExit as stop:
    code = stop.code
events = list(events)
for line in events: print("EVENT", line)
for text in texts:
    if "SECRET" in text: print("TEXT", repr(text))
for text in texts: print("SOURCE", repr(text)) if text.startswith("def f") and text[5].isdigit() else None
print("CODE", code)
"""

HOSTILE = """module attributes {pto.target_arch = "a5", note = "SECRET*/ __import__('os').system('x')\\\\"} {
  func.func @"SECRET"(%SECRET: !pto.ptr<f32>, %n: index) {
    %SECRET.c = arith.constant 4 : index
    %one = arith.constant 1 : index
    %SECRET-v = pto.make_tensor_view %SECRET, shape = [%one, %SECRET.c], strides = [%SECRET.c, %one]
      : !pto.tensor_view<1x4xf32>
    scf.for %SECRET$i = %one to %SECRET.c step %one { // SECRET ??/
      %x = arith.addi %SECRET$i, %n : index
      func.call @"SECRET2"(%x) : (index) -> ()
    }
    return
  }
  func.func @"SECRET2"(%SECRET: index) {
    return
  }
}
"""


def watched(*arguments: str, cwd: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", WATCHER, str(ROOT / "ptoas"), *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
    )
    assert "Traceback" not in done.stderr, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] in ("CODE 0", "CODE 1"), done.stdout + done.stderr
    return [line for line in lines if line.startswith(("EVENT", "TEXT", "SOURCE", "CODE"))]


@promise(1, 2, 8)
@pytest.mark.parametrize("name", ["verify", "lower", "convert"])
def test_only_the_file_is_read_and_only_out_is_written(name: str, tmp_path: Path) -> None:
    place = tmp_path.resolve()
    file, out = program(place, HOSTILE), str(place / "out")
    more = {"verify": [], "lower": ["-o", out], "convert": ["--to", "ssa", "-o", out]}[name]
    lines = watched(name, file, *more, cwd=place)
    assert lines[-1] == "CODE 0"
    reads = {line for line in lines if line.startswith("EVENT read")}
    assert reads == {f"EVENT read {file}"}
    rest = [line for line in lines[:-1] if line not in reads]
    if name == "verify":
        assert rest == []
        return
    temporary = re.escape(str(place / ".ptoas-")) + "[0-9a-f]{16}"
    assert len(rest) == 2, rest
    assert re.fullmatch(f"EVENT write {temporary}", rest[0])
    assert re.fullmatch(f"EVENT os.rename {temporary} {re.escape(out)}", rest[1])
    assert sorted(os.listdir(place)) == ["k.pto", "out"]


@promise(7, 8, 9)
def test_run_touches_only_the_given_files(
    tmp_path: Path,
) -> None:
    place = tmp_path.resolve()
    np.save(place / "a.npy", np.zeros(4, np.float32))
    file = program(place, HOSTILE)
    given = ["--arg", f"SECRET={place}/a.npy", "--arg", "n=3"]
    lines = watched("run", file, *given, "--out", f"SECRET={place}/out.npy", cwd=place)
    assert lines[-1] == "CODE 0"
    reads = {line for line in lines if line.startswith("EVENT read")}
    assert reads == {f"EVENT read {file}", f"EVENT read {place / 'a.npy'}"}
    writes = [line for line in lines if line.startswith(("EVENT write", "EVENT os"))]
    assert len(writes) == 2 and writes[1].endswith(f" {place}/out.npy")
    assert not [line for line in lines if line.startswith(("TEXT", "EVENT start", "EVENT exec"))]
    sources = [line for line in lines if line.startswith("SOURCE")]
    assert len(sources) == 2, "two functions were generated, and seen"


@promise(1)
def test_several_files_read_configuration_and_use_the_cache(tmp_path: Path) -> None:
    place = tmp_path.resolve()
    files = [program(place, HOSTILE, name) for name in ("a.pto", "b.pto")]
    (place / "ptoas.toml").write_text('target = "a5"\n')
    lines = watched("verify", *files, cwd=place)
    assert lines[-1] == "CODE 0"
    assert f"EVENT read {place / 'ptoas.toml'}" in lines
    cache = os.path.realpath(os.environ["PTOAS_CACHE_DIR"])
    assert [line for line in lines if line.startswith(f"EVENT write {cache}")]
    lines = watched("verify", "--no-cache", *files, cwd=place)
    assert not [line for line in lines if cache in line]
    assert not [line for line in lines if line.startswith(("EVENT write", "EVENT os"))]


ONE_ROW = """
.arg %x : !pto.memref<1x8xf32>
.arg %out : !pto.memref<1x8xf32>
%a = tload %x : (!pto.memref<1x8xf32>) -> !pto.tile<1x8xf32>
tstore %a, %out
"""


@promise(7)
@pytest.mark.parametrize("name", ["../secret.npy", "{outside}/secret.npy", "link.npy", "../secret.npz:x"])
def test_a_program_names_no_files_outside_its_directory(name: str, tmp_path: Path) -> None:
    inside, data = tmp_path / "inside", np.ones((1, 8), np.float32)
    inside.mkdir()
    np.save(tmp_path / "secret.npy", data)
    np.savez(tmp_path / "secret.npz", x=data)
    (inside / "link.npy").symlink_to(tmp_path / "secret.npy")
    file = program(inside, f"{ONE_ROW}# ARGS: x={name.format(outside=tmp_path)}\n# RUN-CHECK: out == 1\n")
    for start in (["run", "--check-file", "--target", "a5"], ["test", "--target", "a5"]):
        done = command(*start, file)
        assert done.exit_code == 1 and "is not below the program's directory" in done.output
    held = command("run", "--check-file", "--target", "a5", file, "--arg", f"x={tmp_path / 'secret.npy'}")
    assert "is not below" in held.output, "the line itself is wrong"


@promise(7)
def test_files_that_a_program_names_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "x.npy", np.full((1, 8), 3, np.float32))
    file = program(tmp_path, f"{ONE_ROW}# ARGS: x=data/x.npy\n# RUN-CHECK: out == 3\n")
    assert command("run", "--check-file", "--target", "a5", file).exit_code == 0
    assert command("test", "--target", "a5", file).exit_code == 0


@promise(16)
def test_a_program_lowers_the_limit_of_steps_and_does_not_raise_it(tmp_path: Path) -> None:
    raised = program(tmp_path, f"{ONE_ROW}# ARGS: --max-steps 300000000\n# RUN-CHECK: out == x\n")
    for start in (["run", "--check-file", "--target", "a5"], ["test", "--target", "a5"]):
        assert "can't raise the limit of 200000000 steps" in command(*start, raised).output
    lowered = program(tmp_path, f"{ONE_ROW}# ARGS: --max-steps 1\n# RUN-CHECK: out == x\n")
    refused("PTO-R501", "run", "--check-file", "--target", "a5", lowered)
    assert command("run", "--check-file", "--target", "a5", "--max-steps", "300000000", raised).exit_code == 0


FIXED = set(
    re.findall(r"\w+", "def for in range max if else elif while True False not or and break return pass")
)
FIXED |= {"_k", "_t", "_", "form", "offset", "None"}


@promise(9)
def test_generated_python_has_counted_names_and_integers_alone() -> None:
    from ptoas.compiler import run as machine

    for path in [LOOKUP, *map(str, sorted((ROOT / "examples").glob("*.pto")))]:
        kernel = machine.compile(ptoas.parse_file(path), force=True)
        for text in kernel.cores[0].compiler.source.values():
            words = set(re.findall(r"[A-Za-z_]\w*", text))
            assert {w for w in words - FIXED if not re.fullmatch(r"[fkv]\d+", w)} == set(), text
            assert "'" not in text and '"' not in text


@promise(3)
@pytest.mark.parametrize("name", ["verify", "lower", "convert", "run"])
def test_a_program_is_a_plain_file(name: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    more = ["--to", "ssa"] if name == "convert" else []
    for path, kind in ((pipe, "a pipe"), ("/dev/zero", "a device"), (tmp_path, "a directory")):
        if name != "convert" and kind == "a directory":
            continue  # which the others take: they look for programs below it
        assert f"it is {kind}" in refused("PTO-P001", name, str(path), *more)
    assert "`-` reads standard input" in refused("PTO-P001", name, str(pipe), *more)


@promise(3)
def test_a_pipe_below_a_directory_does_not_stop_verify(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pto")
    assert "it is a pipe" in refused("PTO-P001", "verify", str(tmp_path))


@promise(4)
def test_a_program_has_a_largest_size(tmp_path: Path) -> None:
    assert front_end.MAX_BYTES == 64 << 20
    path = tmp_path / "large.pto"
    with path.open("wb") as file:
        file.truncate(front_end.MAX_BYTES + 1)  # a hole: nothing is stored
    assert "larger than 64 MiB" in refused("PTO-P001", "verify", str(path))


WRITERS: dict[str, Callable[[str], list[str]]] = {
    "lower": lambda out: ["lower", LOOKUP, "-o", out],
    "convert": lambda out: ["convert", LOOKUP, "--to", "dps", "-o", out],
    "run": lambda out: ["run", LOOKUP, "--out", f"out={out}"],
}


@promise(5)
@pytest.mark.parametrize("name", WRITERS)
def test_out_is_a_plain_file(name: str, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.write_text("mine")
    (tmp_path / "link").symlink_to(real)
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    cases = [("link", "a link"), ("dangling", "a link"), ("pipe", "a pipe"), ("folder", "a directory")]
    before = sorted(os.listdir(tmp_path))
    for file, kind in cases:
        assert f"it is {kind}" in refused("PTO-L002", *WRITERS[name](str(tmp_path / file)))
    assert "it is a device" in refused("PTO-L002", *WRITERS[name]("/dev/zero"))
    assert "can't write" in refused("PTO-L002", *WRITERS[name](str(real / "out")))
    assert "can't write" in refused("PTO-L002", *WRITERS[name](str(tmp_path / ("x" * 300))))
    assert real.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == before


@promise(5)
def test_a_dash_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(*WRITERS["lower"]("-")).stdout.startswith("#include")
    assert "\nmodule" in command(*WRITERS["convert"]("-")).stdout
    refused("PTO-L002", *WRITERS["run"]("-"))
    assert "`-` is standard output" in refused("PTO-L002", *WRITERS["lower"]("/dev/zero"))
    assert os.listdir(tmp_path) == []


@promise(6)
def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()):
        with pytest.raises(BaseException) as caught, files.replacing(out) as stream:
            stream.write(b"half")
            raise error
        assert isinstance(caught.value, ptoas.PtoasError) == isinstance(error, OSError)
        assert os.listdir(tmp_path) == []
    out.write_text("old")
    out.chmod(0o640)
    with pytest.raises(KeyboardInterrupt), files.replacing(out) as stream:
        stream.write(b"half")
        raise KeyboardInterrupt
    assert out.read_text() == "old"
    files.write_text(out, "new")
    assert out.read_text() == "new" and stat.S_IMODE(out.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["out"]


@promise(6)
def test_a_link_that_appears_meanwhile_is_not_followed(tmp_path: Path) -> None:
    victim, out = tmp_path / "victim", tmp_path / "out"
    victim.write_text("mine")
    with files.replacing(out) as stream:
        stream.write(b"ours")
        out.symlink_to(victim)
    assert victim.read_text() == "mine"
    assert out.read_text() == "ours" and not out.is_symlink()


@promise(6)
def test_a_run_that_fails_leaves_no_file(tmp_path: Path) -> None:
    np.save(tmp_path / "ids.npy", np.full((1, 16), 99, np.int32))
    unchecked = Path(LOOKUP).read_text().replace(".clamp", "")
    file, out = program(tmp_path, unchecked), tmp_path / "out.npy"
    refused("PTO-R101", "run", file, "--arg", f"indices={tmp_path}/ids.npy", "--out", f"out={out}")
    assert not out.exists()


# --- what is executed ----------------------------------------------------------------------------


@promise(8, 18)
@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__",
        "(lambda: 1)()",
        "[x for x in [1]]",
        "f'{1}'",
        "'a' * 1000000000",
        "open('x')",
        "a.__class__",
        "((9 ** 64) ** 64) ** 64",
        "column + row",
        "column < row",
        "rows(wide, column)",
    ],
)
def test_a_check_understands_numbers_alone(text: str) -> None:
    names = {"a": np.zeros(3), "column": np.zeros((1 << 14, 1), int), "row": np.zeros((1, 1 << 14), int)}
    names["wide"] = np.broadcast_to(np.zeros(1), (1, 1 << 13))
    with pytest.raises(UnreadableError):
        Reader(names).value(parse_expression(text))


LINES = [
    "%d = tadd %a, %a : !pto.tile<8x16xf32> // SECRET \\",
    "%d = tadd %a, %a : !pto.tile<8x16xf32> // SECRET \\ \\ ",
    "%d = tadd %a, %a : !pto.tile<8x16xf32> // SECRET ??/",
    "%d = tadd %a, %a : !pto.tile<8x16xf32> // */ SECRET \x0b int x; \x0c \x85 \u2028 \x1b[2J \u202e",
]


@promise(10)
@pytest.mark.parametrize("line", LINES)
def test_a_source_line_stays_inside_its_comment(line: str) -> None:
    module = ptoas.parse(f".arg %a : !pto.tile<8x16xf32>\n{line}\n", "k.pto")
    text = ptoas.lower(module, target="a5", annotate=True)
    (quoted,) = [each for each in text.split("\n") if "SECRET" in each]
    assert quoted.lstrip().startswith("// ")
    assert quoted.isprintable()
    assert not quoted.rstrip().endswith(("\\", "??/"))
    assert "TADD(d, a, a);" in text


@promise(10)
def test_names_become_identifiers() -> None:
    hostile = "\n".join(
        [
            'func.func @"x(){} /*"(%int: !pto.memref<8x16xf32>, %a.b-c$d: index) {',
            "%while = tload %int : (!pto.memref<8x16xf32>) -> !pto.tile<8x16xf32>",
            "tstore %while, %int",
            'func.call @"system(1); //"(%a.b-c$d) : (index) -> ()',
            "return\n}",
            'func.func private @"system(1); //"(index)',
        ]
    )
    text = ptoas.lower(ptoas.parse(hostile, "*/ evil\n.pto"), target="a5")
    assert "AICORE void x(__gm__ float *int_, int64_t a_b_c_d)" in text
    assert "while_;" in text and "    system_1(a_b_c_d);" in text
    assert not re.search(r"evil|/[*/]|system\(1", text)
    bare = ptoas.parse(".arg %a : !pto.tile<8x16xf32>\n%b = tneg %a", "a/*/ x(){}\n;\\.pto")
    assert re.search(r"AICORE void [A-Za-z_]\w*\(", ptoas.lower(bare, target="a5"))


@promise(10)
@pytest.mark.parametrize("name", ["é", "\u0430", "a\u0661", "\u4e2d"])
def test_names_are_ascii(name: str) -> None:
    for text in (
        f".arg %{name} : !pto.tile<8x16xf32>\ntprint %{name}",
        f"%{name} = arith.constant 1 : index",
    ):
        with pytest.raises(ptoas.PtoasError) as caught:
            ptoas.parse(text)
        assert [d.code for d in caught.value.diagnostics] == ["PTO-P010"]


# --- arrays --------------------------------------------------------------------------------------

COPY = """.target a5
.arg %a : !pto.memref<8x16xf32>
.arg %o : !pto.memref<8x16xf32>
%t = tload %a : (!pto.memref<8x16xf32>) -> !pto.tile<8x16xf32>
tstore %t, %o
"""


class _Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("pickled",)


@promise(11)
def test_nothing_is_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = program(tmp_path, COPY)
    objects = np.array([_Bomb()], dtype=object)
    np.save("objects.npy", objects, allow_pickle=True)
    np.savez("objects.npz", a=objects)
    Path("plain.npy").write_bytes(pickle.dumps(_Bomb()))
    Path("plain.npz").write_bytes(pickle.dumps(_Bomb()))
    for value in ("objects.npy", "objects.npz:a", "plain.npy", "plain.npz:a"):
        refused("PTO-R604", "run", file, "--arg", f"a={value}")
    for value in ("objects.npy", "plain.npy"):
        refused("PTO-R604", "run", file, "--expect", f"o={value}")
    assert not Path("pickled").exists()


def header(shape: tuple[int, ...], descr: str = "<f4") -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue()


@promise(15)
@pytest.mark.parametrize("shape", [(10**12,), (2**62, 4), (2**63,), (10**30,), (-5,), (2**32, 2**32)])
def test_npy_header_with_excessive_shape_is_rejected(
    shape: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = program(tmp_path, COPY)
    Path("h.npy").write_bytes(header(shape) + b"\0" * 64)
    with zipfile.ZipFile("h.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", header(shape) + b"\0" * 64)
    for option, value in (("--arg", "a=h.npy"), ("--arg", "a=h.npz:a"), ("--expect", "o=h.npy")):
        refused("PTO-R604", "run", file, option, value)


@promise(15)
def test_an_archive_is_unpacked_within_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = program(tmp_path, COPY)
    np.savez_compressed("zeros.npz", a=np.zeros(1 << 22, np.float32))
    assert Path("zeros.npz").stat().st_size < 1 << 17
    assert "16777216 bytes" in refused(
        "PTO-R606", "run", file, "--arg", "a=zeros.npz:a", "--max-memory", "1000000"
    )
    with zipfile.ZipFile("odd.npz", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.npy", header((8, 16)) + b"\0" * 512)
    refused("PTO-R604", "run", file, "--arg", "a=odd.npz:a")


@promise(3, 7)
def test_arrays_are_plain_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = program(tmp_path, COPY)
    for suffix in ("npy", "npz", "bin"):
        os.mkfifo(f"p.{suffix}")
        assert "it is a pipe" in refused("PTO-R604", "run", file, "--arg", f"a=p.{suffix}")
    for suffix in ("npy", "bin"):
        assert "it is a pipe" in refused("PTO-R604", "run", file, "--expect", f"o=p.{suffix}")


# --- what it costs -------------------------------------------------------------------------------

HUGE = """.arg %t : !pto.memref<1000000x1000000xf32>
.arg %i : !pto.memref<1x16xi32>
.arg %o : !pto.memref<16x1000xf32>
%x = tload %i : (!pto.memref<1x16xi32>) -> !pto.tile<1x16xi32>
%d = mgather.row %t, %x : (!pto.memref<1000000x1000000xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x1000xf32>
tstore %d, %o
"""
GIANT_TILE = """.arg %t : !pto.memref<16x32xf32>
%d = tload %t : (!pto.memref<16x32xf32>) -> !pto.tile<1000000x1000000xf32>
tstore %d, %t
"""


def peak_of(*arguments: str) -> int:
    """The greatest size of all traced allocations during a command, in bytes."""
    import tracemalloc

    command(*arguments)  # imports and caches
    tracemalloc.start()
    try:
        command(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


GIANT_CONSTANT = """func.func @f() {
  %a = arith.constant dense<1> : tensor<1000000000xi32>
  "x.y"() {wide = array<i4294967295: 1>} : () -> ()
  return
}
"""


@promise(12)
@pytest.mark.parametrize("text", [HUGE, GIANT_TILE, GIANT_CONSTANT], ids=["view", "tile", "constant"])
def test_a_declaration_allocates_nothing(text: str, tmp_path: Path) -> None:
    file = program(tmp_path, text)
    for arguments in (
        ("verify", file, "--target", "all"),
        ("lower", file, "--target", "a2a3"),
        ("convert", file, "--to", "ssa"),
    ):
        assert peak_of(*arguments) < 32 << 20


@promise(13)
def test_arguments_are_added_up_before_they_are_made(tmp_path: Path) -> None:
    file = program(tmp_path, HUGE)
    assert "4000000000000 bytes" in refused("PTO-R606", "run", file, "--target", "a2a3")
    small = program(tmp_path, COPY)
    assert command("run", small, "--max-memory", "1024").exit_code == 0
    refused("PTO-R606", "run", small, "--max-memory", "1023")
    assert command("run", small, "--ranks", "3", "--max-memory", "3072").exit_code == 0
    refused("PTO-R606", "run", small, "--ranks", "3", "--max-memory", "3071")


@promise(14)
def test_memory_of_a_run_is_bounded(tmp_path: Path) -> None:
    giant = program(tmp_path, GIANT_TILE)
    for check in ("all", "none"):
        refused("PTO-R104", "run", giant, "--target", "cpu", "--force", "--check", check)
    argument = program(
        tmp_path,
        ".arg %a : !pto.tile<vec, 1000000x1000000xf32, valid=1x1>\n"
        "%b = tneg %a : !pto.tile<vec, 1000000x1000000xf32, valid=1x1>\n",
    )
    done = command("run", argument, "--target", "cpu")
    assert done.exit_code == 1 and re.search(r"PTO-R(104|606)", done.output)
    strided = COPY.replace("!pto.memref<8x16xf32>", "!pto.memref<8x16xf32, nd, strides=[2000000000, 1]>")
    assert "spread over" in refused("PTO-R606", "run", program(tmp_path, strided), "--target", "a2a3")
    many = "".join(f"%t{n} = tload %a : (!pto.memref<8x16xf32>) -> !pto.tile<8x16xf32>\n" for n in range(50))
    wordy = program(tmp_path, ".arg %a : !pto.memref<8x16xf32>\n" + many)
    refused("PTO-R606", "run", wordy, "--target", "a5", "--max-memory", "25000")
    assert command("run", wordy, "--target", "a5", "--max-memory", "26000").exit_code == 0


LOOP = """func.func @f() {{
%z = arith.constant 0 : index
%n = arith.constant {times} : index
%one = arith.constant 1 : index
%t = alloc_tile : !pto.tile<8x16xf32>
%k = arith.constant 1.0 : f32
texpands %t, %k : (!pto.tile<8x16xf32>, f32)
scf.for %i = %z to %n step %one {{
{body}
}}
return
}}
"""


@promise(14)
def test_printed_text_and_traces_count(tmp_path: Path) -> None:
    printing = program(tmp_path, LOOP.format(times=100000, body="tprint %t"))
    refused("PTO-R606", "run", printing, "--target", "a5", "--json", "--max-memory", "100000")
    tracing = program(
        tmp_path, LOOP.format(times=100000, body="texpands %t, %k : (!pto.tile<8x16xf32>, f32)")
    )
    refused("PTO-R606", "run", tracing, "--target", "a5", "--trace", "--max-memory", "100000")


@promise(16)
def test_a_run_ends(tmp_path: Path) -> None:
    body = "texpands %t, %k : (!pto.tile<8x16xf32>, f32)"
    file = program(tmp_path, LOOP.format(times=10**18, body=body))
    refused("PTO-R501", "run", file, "--target", "a5")
    forever = "%c = arith.constant true\nscf.while : () -> () {\nscf.condition(%c)\n} do {\nscf.yield\n}"
    endless = program(tmp_path, f"func.func @f() {{\n{forever}\nreturn\n}}\n")
    refused("PTO-R501", "run", endless, "--target", "a5", "--max-steps", "1000")
    calls = "".join(
        f"func.func @f{n}() {{\n{call}{call}return\n}}\n"
        for n in range(30)
        for call in [f"func.call @f{n + 1}() : () -> ()\n"]
    )
    tree = program(tmp_path, calls + "func.func @f30() {\nreturn\n}\n")
    refused("PTO-R501", "run", tree, "--target", "a5", "--max-steps", "1000")
    small = program(tmp_path, COPY)
    refused("PTO-R501", "run", small, "--blocks", "65535", "--max-steps", "1000")
    assert command("run", small, "--blocks", "65536").exit_code == 2
    assert command("run", small, "--ranks", "1025").exit_code == 2
    assert command("run", small, "--ranks", "9" * 5000).exit_code == 2
    group = ".arg %g : !pto.group<1025 x !pto.memref<8x16xf32>>\ntprint %g\n"
    refused("PTO-P021", "lower", program(tmp_path, group), "--target", "a5")


DEEP = {
    "parentheses": "%d = tadd " + "(" * 100_000,
    "regions": "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * 100_000,
    "types": ".arg %a : " + "!pto.group<4 x " * 100_000,
    "attributes": "module attributes {a = " + "[" * 100_000 + "]" * 100_000 + "} {}",
    "a line": "x" * (1 << 20) + "y",
    "a long number": "func.func @f() {\n%a = arith.constant " + "9" * 5000 + " : index\nreturn\n}\n",
    "a long negative number": "func.func @f() {\n%a = arith.constant -" + "9" * 5000 + " : i64\nreturn\n}\n",
    "a long exponent": "func.func @f() {\n%a = arith.constant 1.0e" + "9" * 5000 + " : i64\nreturn\n}\n",
    "a long extent": f".arg %a : !pto.memref<{'9' * 5000}xf32>\ntprint %a\n",
    "a long stride": f".arg %a : !pto.memref<8xf32, nd, strides=[{'9' * 5000}]>\ntprint %a\n",
    "a wide integer": "func.func @f(%a: i" + "9" * 5000 + ") {\nreturn\n}\n",
    "a long address": ".const %a = 0x"
    + "f" * 5000
    + " : i64\n%b = alloc_tile addr = %a : !pto.tile<8x16xf32>\n",
    "a large constant": "func.func @f() {\n%a = arith.constant dense<1> : tensor<1000000000000xi32>\n}\n",
    "many results": "func.func @f() {\n%a:1000000000 = scf.execute_region -> i32 {\n}\nreturn\n}\n",
}


@promise(17)
@pytest.mark.parametrize("name", DEEP)
def test_depth_and_numbers_have_limits(name: str) -> None:
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(DEEP[name])
    assert all(d.code.startswith("PTO-P") for d in caught.value.diagnostics)
    assert all(len(render(d)) < 2000 for d in caught.value.diagnostics)


@promise(17)
def test_exhausted_resources_are_reported_as_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, word in ((RecursionError(), "depth"), (MemoryError(), "memory")):

        def fail(*_: Any, error: BaseException = error, **__: Any) -> None:
            raise error

        monkeypatch.setattr("ptoas.cli.lower.lower_file", fail)
        assert f"more {word} than available" in refused("PTO-P014", "lower", LOOKUP)


# --- what is printed -----------------------------------------------------------------------------

UNSEEN = "\x1b]0;x\x07\x1b[2J\x9b31m\u202e\u2066\u200b\x08\x7f\u2028"


def is_safe(text: str) -> bool:
    return all(c.isprintable() or c == "\n" for c in text)


@promise(19)
def test_a_terminal_is_left_alone(tmp_path: Path) -> None:
    texts = [
        f"frob{UNSEEN} %a\n",
        f'"fro{UNSEEN}b"() : () -> ()\n',
        f'module attributes {{pto.target_arch = "{UNSEEN}"}} {{\nfunc.func @f() {{\nreturn\n}}\n}}\n',
        f".arg %a{UNSEEN} : !pto.tile<8x16xf32>\n",
        f".arg %a : !pto.{UNSEEN}<8x16xf32>\n",
        f".target {UNSEEN}\n",
    ]
    for text in texts:
        file = program(tmp_path, text, f"k{UNSEEN}.pto")
        for arguments in (
            ("verify", file, "--target", "all"),
            ("verify", file, "--format", "concise"),
            ("verify", file, "--format", "github"),
            ("lower", file),
            ("run", file),
            ("convert", file, "--to", "ssa"),
        ):
            done = command(*arguments)
            assert "Traceback" not in done.output
            assert is_safe(done.stderr), done.stderr
            assert is_safe(done.stdout) or arguments[0] == "convert", done.stdout
    traced = COPY.replace("tstore %t, %o", f'tstore %t, %o {{note = "{UNSEEN[:4]}"}} // {UNSEEN}')
    done = command("run", program(tmp_path, traced), "--trace")
    assert is_safe(done.output)


@promise(19)
def test_unseen_characters_are_spelt_out() -> None:
    found = Diagnostic("PTO-P010", "a\x1b[31mb\u202e", Span(Source("x\x1b[31m y", "f\x1b.pto"), 0, 3))
    for text in (render(found), render_concise(found), str(ptoas.PtoasError([found]))):
        assert is_safe(text)
        assert "a\\x1b[31mb\\u202e" in text and "f\\x1b.pto:1:1" in text
    assert render(found).count("\n") == 4


@promise(20)
def test_a_workflow_command_stays_one() -> None:
    message = "x\n::error file=a::boo\r\n%0A::set-env name=A::b\x1b"
    found = Diagnostic("PTO-P010", message, Span(Source("x", "a,b:c%\n::d\r.pto"), 0, 1), fix="\n::stop::")
    text = render_github(found)
    assert "\n" not in text and "\r" not in text and is_safe(text)
    properties, _, body = text.removeprefix("::").partition("::")
    assert properties.count(",") == 4, "file, line, col, endColumn, title"
    assert "%250A" in body and "%0A::error" in body


@promise(20)
def test_machine_readable_output_is_valid_whatever_the_file_is_called(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\n\"'%\\.pto")
    (tmp_path / name).write_text("frob\n")
    for style in ("json", "sarif"):
        done = command("verify", str(tmp_path / name), "--format", style)
        assert done.exit_code == 1
        json.loads(done.stdout)
    relative = Diagnostic("PTO-P010", "x", Span(Source("x", name), 0, 1))
    uri = json.loads(render_sarif([relative]))["runs"][0]["results"][0]["locations"][0]
    assert uri["physicalLocation"]["artifactLocation"]["uri"] == "%FF%0A%22%27%25%5C.pto"
    done = command("verify", str(tmp_path / name))
    assert done.exit_code == 1 and is_safe(done.stdout)
