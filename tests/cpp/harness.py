"""Compile emitted C++ against the reference headers, run it, and compare every byte with the machine.

Many programs make one translation unit, because starting a compiler costs more than most of them do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

import ptoas
from ptoas.analysis.knowledge import packed_strides
from ptoas.analysis.storage import tile_argument_addresses
from ptoas.analysis.structure import functions
from ptoas.compiler.lower import lower
from ptoas.compiler.run import compile as compile_kernel
from ptoas.dialects.pto.types import DYNAMIC, GroupType, PtrType, TileType, ViewType
from ptoas.lowering import prepare
from ptoas.lowering.cpp.names import identifier
from ptoas.lowering.cpp.types import tile_cpp
from ptoas.runner.kernel import Result
from ptoas.runner.values import DEFAULT_MAX_MEMORY, Allowance

INCLUDE = Path(__file__).parent / "include"
FLAGS = ("-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-D__CPU_SIM", f"-I{INCLUDE}")
MACRO = {"cpu": "PTO_REF_CPU", "a2a3": "PTO_REF_A2A3", "a5": "PTO_REF_A5", "a5-custom": "PTO_REF_A5_CUSTOM"}


def compiler() -> str:
    """The C++ compiler; without one the test is skipped, but not where CI promises one."""
    found = os.environ.get("CXX") or shutil.which("g++")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("there is no g++; CI needs one")
        pytest.skip("there is no g++ to compile the emitted C++ with")
    return found


@dataclass
class Case:
    """One program on one target with its arguments."""

    name: str
    text: str
    target: str
    isa: str = "2026.08"
    legalize: bool = False
    aicore: bool = False
    scalars: dict[str, Any] = field(default_factory=dict[str, Any])
    seed: int = 0
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass
class Built:
    """A case after lowering: its C++, the call, the buffers before and the bytes expected after."""

    case: Case
    cpp: str
    call: str
    before: list[bytes]
    after: list[bytes]


def build(case: Case) -> Built:
    module = ptoas.parse(case.text, filename=f"{case.name}.pto")
    options: dict[str, Any] = {"legalize": case.legalize, "aicore": case.aicore}
    kernel = compile_kernel(module, case.target, **options)
    arguments = kernel.complete({**case.scalars, **case.arguments}, case.seed, Allowance(DEFAULT_MAX_MEMORY))
    types = [argument.type for argument in kernel.entry.body.block.args]
    before = buffers(arguments, types)
    cpp = lower(module, case.target, isa=case.isa, **options)
    ready = prepare(module, case.target, isa=case.isa, legalize=case.legalize)
    call = call_of(ready, kernel.entry.sym_name.data, arguments)
    result = kernel.execute(arguments)
    after = buffers(after_run(result, types), types)
    return Built(case, cpp, call, before, after)


def after_run(result: Result, types: Sequence[Attribute]) -> dict[str, Any]:
    """The arguments as a run leaves them; a tile is the caller's no more, and is among the outputs."""
    return {
        name: result.outputs.get(name, value) if isinstance(type, TileType) else value
        for (name, value), type in zip(result.arguments.items(), types, strict=True)
    }


def buffers(arguments: dict[str, Any], types: Sequence[Attribute]) -> list[bytes]:
    """The memory of every argument, laid out as its type says."""
    found: list[bytes] = []
    for value, type in zip(arguments.values(), types, strict=True):
        if isinstance(value, list | tuple):
            found += [np.ascontiguousarray(each).tobytes() for each in value]
        elif isinstance(type, ViewType):
            found.append(_laid_out(np.asarray(value), type))
        elif isinstance(type, TileType | PtrType | GroupType):
            found.append(np.ascontiguousarray(value).tobytes())
    return found


def _laid_out(array: np.ndarray, type: ViewType) -> bytes:
    """The bytes from the view's first element to its last; gaps between rows are zeros."""
    array = array.view(f"u{array.itemsize}")  # NumPy can't stride over all element types
    strides = type.strides or packed_strides(array.shape, type.layout)
    count = 1 + sum((n - 1) * s for n, s in zip(array.shape, strides, strict=True))
    raw = np.zeros(count, array.dtype)
    steps = tuple(stride * array.itemsize for stride in strides)
    np.lib.stride_tricks.as_strided(raw, array.shape, steps)[...] = array
    return raw.tobytes()


def call_of(
    module: ModuleOp, entry: str, arguments: dict[str, Any], places: Iterable[int] | None = None
) -> str:
    """Statements that bind the buffers to the parameters and call the kernel. `places`: the numbers of the
    buffers, if they are not simply counted."""
    numbers = iter(places if places is not None else count())
    function = next(f for f in functions(module) if f.sym_name.data == entry)
    addresses = tile_argument_addresses(function)
    lines: list[str] = []
    passed: list[str] = []
    back: list[str] = []
    for value, (parameter, argument) in enumerate(
        zip(function.body.block.args, arguments.values(), strict=True)
    ):
        type = parameter.type
        match type:
            case ViewType() | PtrType():
                passed.append(f"buffer({next(numbers)})")
                if isinstance(type, ViewType):
                    array = np.asarray(argument)
                    passed += [str(n) for n, d in zip(array.shape, type.shape, strict=True) if d == DYNAMIC]
            case GroupType():
                if isinstance(argument, np.ndarray):  # all ranks in one array
                    whole = f"static_cast<char *>(buffer({next(numbers)}).data)"
                    members = [f"{whole} + {n * argument[0].nbytes}" for n in range(type.size)]
                else:
                    members = [f"buffer({next(numbers)})" for _ in range(type.size)]
                lines.append(f"void *raw{value}[] = {{{', '.join(members)}}};")
                passed.append(f"AnyArray{{raw{value}}}")
            case TileType():
                lines.append(f"{tile_cpp(type)} tile{value}{_extents(type, argument)};")
                lines.append(f"TASSIGN(tile{value}, {addresses[parameter]});")
                transfer = (
                    f"(tile{value}, buffer({next(numbers)}), {', '.join(map(str, np.shape(argument)))});"
                )
                lines.append(f"fill{transfer}")
                back.append(f"take{transfer}")
                passed.append(f"tile{value}")
            case _:
                passed.append(_scalar(argument))
    lines.append(f"{identifier(entry, 'kernel')}({', '.join(passed)});")
    return "\n        ".join([*lines, *back])


def _extents(type: TileType, argument: Any) -> str:
    given = [str(n) for n, v in zip(np.shape(argument), type.valid, strict=True) if v == DYNAMIC]
    return f"({', '.join(given)})" if given else ""


def _scalar(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return f"{int(value)}LL"
    return f"{float(value)!r}"


PRELUDE = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// Untyped memory that becomes a pointer of whatever type a parameter has.
struct Any {
    void *data;
    template <typename T>
    operator T *() const { return static_cast<T *>(data); }
};

static std::vector<std::vector<unsigned char>> buffers;
static Any buffer(std::size_t n) { return {buffers[n].data()}; }

static bool read_buffers(std::FILE *in)
{
    unsigned count = 0;
    if (std::fread(&count, sizeof count, 1, in) != 1) {
        return false;
    }
    buffers.assign(count, {});
    for (auto &each : buffers) {
        unsigned size = 0;
        if (std::fread(&size, sizeof size, 1, in) != 1) {
            return false;
        }
        each.resize(size);
        if (size != 0 && std::fread(each.data(), 1, size, in) != size) {
            return false;
        }
    }
    return true;
}

static void write_buffers(std::FILE *out)
{
    for (const auto &each : buffers) {
        std::fwrite(each.data(), 1, each.size(), out);
    }
}

// A tile argument's contents, row by row.
template <typename TileData>
[[maybe_unused]] static void fill(TileData &tile, typename TileData::DType *from, int rows, int cols)
{
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c)
            tile.at(r, c) = from[r * cols + c];
}
template <typename TileData>
[[maybe_unused]] static void take(TileData &tile, typename TileData::DType *to, int rows, int cols)
{
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c)
            to[r * cols + c] = tile.at(r, c);
}

// Untyped pointers that become an array of whatever a parameter points to.
struct AnyArray {
    void **data;
    template <typename T>
    operator T **() const { return reinterpret_cast<T **>(data); }
};
"""


def translation_unit(cases: Sequence[Built]) -> str:
    parts = ["#include <cstddef>", "#include <cstdint>", "#include <pto/pto-inst.hpp>"]
    includes = {line for each in cases for line in each.cpp.splitlines() if line.startswith("#include <pto/")}
    parts += sorted(includes - {"#include <pto/pto-inst.hpp>"})
    parts.append(PRELUDE)
    for number, each in enumerate(cases):
        body = "\n".join(line for line in each.cpp.splitlines() if not line.startswith("#include"))
        parts.append(f"namespace case_{number} {{  // {each.case.name}\n{body}\n}}")
    parts.append("int main(int, char **argv)\n{")
    parts.append('    std::FILE *in = std::fopen(argv[1], "rb"), *out = std::fopen(argv[2], "wb");')
    for number, each in enumerate(cases):
        parts.append(
            f"    if (read_buffers(in)) {{\n        using namespace case_{number};\n        {each.call}"
        )
        parts.append("        write_buffers(out);\n    }")
    parts.append("    std::fclose(in);\n    std::fclose(out);\n    return 0;\n}")
    return "\n".join(parts) + "\n"


class CompileError(AssertionError):
    """The compiler refuses a translation unit, or what it makes does not run to its end."""


def run_cases(cases: Sequence[Case], directory: Path, sanitize: bool = False) -> list[str]:
    """Lower, compile and run; a line for each case whose bytes differ from the machine's."""
    return run_built([build(case) for case in cases], directory, sanitize)


def run_built(built: Sequence[Built], directory: Path, sanitize: bool = False) -> list[str]:
    """Compile and run what is lowered already; all for one target."""
    cases = [each.case for each in built]
    first = cases[0]
    assert all((c.target, c.isa, c.aicore) == (first.target, first.isa, first.aicore) for c in cases)
    source, program = directory / "cases.cpp", directory / "cases"
    source.write_text(translation_unit(built))
    flags = [*FLAGS, f"-DPTO_REF_TARGET={MACRO[first.target]}"]
    flags.append(f"-DPTO_REF_ISA_2026_08={int(first.isa != 'doc')}")
    if first.aicore:
        flags.append("-D__CCE_AICORE__")
    if sanitize:
        flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    done = subprocess.run(
        [compiler(), *flags, str(source), "-o", str(program)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise CompileError(f"{source} does not compile:\n{done.stderr[:4000]}")
    inputs, outputs = directory / "in.bin", directory / "out.bin"
    with inputs.open("wb") as stream:
        for each in built:
            stream.write(np.uint32(len(each.before)).tobytes())
            for buffer in each.before:
                stream.write(np.uint32(len(buffer)).tobytes() + buffer)
    ran = subprocess.run([str(program), str(inputs), str(outputs)], check=False, timeout=120)
    if ran.returncode != 0:
        raise CompileError(f"{program} ends with {ran.returncode}")
    return _differences(built, outputs.read_bytes())


def _differences(built: Sequence[Built], data: bytes) -> list[str]:
    found: list[str] = []
    at = 0
    for each in built:
        for number, expected in enumerate(each.after):
            got = data[at : at + len(expected)]
            at += len(expected)
            if got != expected:
                byte = next(n for n, (a, b) in enumerate(zip(got, expected, strict=True)) if a != b)
                found.append(
                    f"{each.case.name} on {each.case.target}: buffer {number} differs at byte {byte}"
                )
    if at != len(data):
        raise CompileError(f"the program wrote {len(data)} bytes, not {at}")
    return found


def entry_of(module: ModuleOp) -> func.FuncOp:
    return functions(module)[0]
