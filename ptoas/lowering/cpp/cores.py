"""Cores of a function's body, and the simulator's threads for a kernel of several cores.

A device compiles every function for both kinds of cores, and leaves the body out on the wrong one. The
simulator compiles it once: there a thread is a core, and asks which one it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from ptoas.analysis.kinds import functions_below
from ptoas.analysis.structure import walk
from ptoas.dialects.pto.channel import PipeInitOp
from ptoas.dialects.pto.core_sync import SetFftsOp
from ptoas.dialects.pto.enums import KernelKind
from ptoas.targets import Target

INDENT = "    "
CUBE_LANES, VECTOR_LANES = 1, 2
"""Lane count of the simulator's threads: the number of cores of their kind in the block."""


def guarded(
    lines: Sequence[str], kind: KernelKind | None, target: Target, *, first_lane: bool, threads: bool
) -> list[str]:
    """The body of a function for one kind of core. `first_lane`: for vector core 0 alone; `threads`: the
    simulator runs it in a thread for each core."""
    body = [*lines]
    if first_lane:
        body = [f"{INDENT}if (get_subblockid() == 0) {{", *(_deeper(line) for line in body), f"{INDENT}}}"]
    if kind is None:
        return body
    if not target.launches:
        other = VECTOR_LANES if kind is KernelKind.Cube else CUBE_LANES
        leave = [f"{INDENT}if (get_subblockdim() == {other}) {{", f"{INDENT * 2}return;", f"{INDENT}}}"]
        return [*leave, *body] if threads else body
    if kind is KernelKind.Cube:
        return ["#if defined(__DAV_CUBE__)", *body, "#endif"]
    masks = [f"{INDENT}set_mask_norm();", f"{INDENT}set_vector_mask(-1, -1);"]
    return ["#if defined(__DAV_VEC__)", *masks, *body, "#endif"]


def _deeper(line: str) -> str:
    return line if line.startswith("#") or not line else INDENT + line


def has_control_area(module: ModuleOp, entry: FuncOp, target: Target) -> bool:
    """Return True if a kernel must set the address of its counters, and none of its instructions does."""
    ops = [op for function in functions_below(module, entry) for op in walk(function)]
    if any(isinstance(op, SetFftsOp) for op in ops):
        return False
    return any(isinstance(op, PipeInitOp) and target.model(op).control_area for op in ops)


GET_CONTROL_AREA = 'extern "C" int32_t rtGetC2cCtrlAddr(uint64_t *address, uint32_t *length);'
"""The host's runtime provides its address."""


def control_area_lines(name: str) -> list[str]:
    """The lines of a launcher that request the control area."""
    length = f"{name}Length"
    return [
        f"{INDENT}uint64_t {name} = 0;",
        f"{INDENT}uint32_t {length} = 0;",
        f"{INDENT}rtGetC2cCtrlAddr(&{name}, &{length});",
    ]


def three_threads(name: str, inner: str, parameters: Sequence[tuple[str, str]], pipes: Sequence[str]) -> str:
    """The entry of a kernel of several cores on the simulator: a thread for each of them.

    Channels begin empty, whatever an earlier kernel has left in them.
    """
    head = ", ".join(f"{type}{text}" for type, text in parameters)
    arguments = ", ".join(text.split("[")[0] for _, text in parameters)
    threads = [("cube", 0, CUBE_LANES), ("vector0", 0, VECTOR_LANES), ("vector1", 1, VECTOR_LANES)]
    lines = [f'extern "C" void {name}({head})', "{"]
    lines += [f"{INDENT}{pipe}::reset_for_cpu_sim();" for pipe in pipes]
    lines += [
        f"{INDENT}const uint32_t block = get_block_idx();",
        f"{INDENT}const auto core = [&](uint32_t lane, uint32_t lanes) {{",
        f"{INDENT * 2}cpu_sim::ScopedExecutionContext context(block, lane, lanes);",
        f"{INDENT * 2}{inner}({arguments});",
        f"{INDENT}}};",
        *(f"{INDENT}std::thread {each}(core, {lane}, {lanes});" for each, lane, lanes in threads),
        *(f"{INDENT}{each}.join();" for each, _, _ in threads),
        "}",
    ]
    return "\n".join(lines)
