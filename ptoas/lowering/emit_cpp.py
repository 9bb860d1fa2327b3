"""The translation unit: includes, functions, entries, and the launch from the host.

#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

AICORE void lookup(__gm__ float *table, ...)
{
    ...
}
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ptoas.analysis.channels import Channels
from ptoas.analysis.kinds import has_channels, needs_cluster
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import (
    bodies_of,
    callees_first,
    calls_in,
    functions,
    is_of,
    kernels_of,
    walk,
    walk_of,
)
from ptoas.diagnostics import Diagnostic, PtoasError, UsageError
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.visibility import is_entry, visibility
from ptoas.grammar.spans import span_of
from ptoas.lowering.cpp.channel import pipe_type
from ptoas.lowering.cpp.collectives import HOST_NOTE, on_ccu
from ptoas.lowering.cpp.cores import (
    GET_CONTROL_AREA,
    control_area_lines,
    has_control_area,
    three_threads,
)
from ptoas.lowering.cpp.function import FunctionEmitter, parameters_of, result_type, signature
from ptoas.lowering.cpp.names import UniqueNames, identifier
from ptoas.lowering.join_cube_vector import join, uncalled_pairs
from ptoas.lowering.launch import launch_request
from ptoas.targets import Target
from ptoas.targets.row import Row
from ptoas.targets.target import rows_of

EMITS = ("kernel", "entry", "launcher")
"""The function; with an entry; with its host launcher."""


def emit_cpp(
    module: ModuleOp, target: Target, *, emit: str = "kernel", annotate: bool = False, emit_loc: bool = False
) -> str:
    """C++ for a module that `prepare` made ready for `target`."""
    if emit not in EMITS:
        raise UsageError(f"can't emit {emit!r}; choose one of {', '.join(EMITS)}")
    ops = walk(module)
    uses_channels = has_channels(ops)
    threads = not target.launches and uses_channels
    if emit == "launcher" and not target.launches:
        message = f"{target.title} has no launch: its entry is a plain function; use `entry` and call it"
        raise PtoasError(
            [Diagnostic("PTO-L005", message, span_of(module), targets=(target.name,), op=module)]
        )
    if emit != "kernel":
        for pair in uncalled_pairs(module):
            join(module, *pair)
        ops = walk(module)
    bodies = bodies_of(module)
    channels = Channels(module) if uses_channels else None
    declared = _declared(ops)
    named = {f.sym_name.data: f for f in (*declared, *bodies)}
    names, taken = _names(declared, bodies)
    calls = calls_in(bodies)
    inner = {name for names_called in calls.values() for name in names_called}
    kernels = kernels_of(calls) if emit == "launcher" else {}
    knowledge = Knowledge()
    parts = [
        _declaration(named[name], names[name], target)
        for name in dict.fromkeys(f.sym_name.data for f in declared)
        if name in inner
    ]
    launches: list[str] = []
    for function in callees_first(calls):
        emitter = FunctionEmitter(
            function, bodies[function], target, names, knowledge, taken, annotate, channels, emit_loc
        )
        called = function.sym_name.data in inner or visibility(function) == "internal"
        outer = not called and (emit != "kernel" or is_entry(function))
        if outer:
            _refuse_tile_parameters(function, target)
        if outer and emit != "kernel" and threads and needs_cluster(module, function, has_pipes=False):
            parts += _on_three_threads(emitter, names, channels, taken)
            continue
        if outer and channels is not None and has_control_area(module, function, target):
            emitter.control_area = emitter.fresh("ffts")
        parts.append(emitter.emit('extern "C" __global__ AICORE' if outer else _qualifiers(function, inner)))
        if outer and emit == "launcher":
            request = launch_request(kernels[function], target)
            launches.append(_launcher(emitter, function, names[function.sym_name.data], request))
    if launches:
        parts.append("\n\n".join(["#ifndef __CPU_SIM", *launches, "#endif"]))
    return "\n\n".join([_head(ops, target, threads=threads and emit != "kernel"), *parts]) + "\n"


def _on_three_threads(
    emitter: FunctionEmitter, names: dict[str, str], channels: Channels | None, taken: UniqueNames
) -> list[str]:
    """The function of each core, and the entry that starts a thread for each."""
    symbol = emitter.function.sym_name.data
    name = names[symbol]
    inner = names[symbol] = taken.unique(f"{name}_on_core")
    text = emitter.emit("static AICORE")
    pipes = [pipe_type(emitter, channel.first) for channel in channels.all] if channels is not None else []
    return [text, three_threads(name, inner, emitter.parameters(), list(dict.fromkeys(pipes)))]


def _declared(ops: Sequence[Operation]) -> list[func.FuncOp]:
    found = cast("list[func.FuncOp]", [op for op in ops if op.__class__ is func.FuncOp])
    return [function for function in found if not function.body.blocks]


def names_of(module: ModuleOp) -> tuple[dict[str, str], UniqueNames]:
    """The functions' names in C++, and all names that are taken; what is defined elsewhere has its own."""
    return _names(_declared(walk(module)), functions(module))


def _names(
    declared: Iterable[func.FuncOp], bodies: Iterable[func.FuncOp]
) -> tuple[dict[str, str], UniqueNames]:
    taken = UniqueNames()
    named = dict.fromkeys(f.sym_name.data for f in (*declared, *bodies))
    return {name: taken.unique(identifier(name, "kernel")) for name in named}, taken


def _qualifiers(function: func.FuncOp, inner: set[str]) -> str:
    """The linkage of a function: `pto.visibility`, or else external unless another function here calls
    it.
    """
    match visibility(function):
        case "external":
            return 'extern "C" AICORE'
        case "internal":
            return "static AICORE"
        case _:
            return "static AICORE" if function.sym_name.data in inner else "AICORE"


def _declaration(function: func.FuncOp, name: str, target: Target) -> str:
    """A function that is defined elsewhere, with the parameters that we would give it. Names that modules
    share are those of C, as the public assembler has it."""
    head = f'extern "C" AICORE {result_type(function, target)} {name}'
    parameters = [
        _nameless_parameter(*each)
        for at, type in enumerate(function.function_type.inputs)
        for each in parameters_of(type, f"p{at}")
    ]
    return f"{signature(head, parameters)};"


def _nameless_parameter(type: str, name: str) -> str:
    """`__gm__ float *`; an array stays one."""
    return f"{type}{''.join(name.partition('[')[1:])}".rstrip()


def _head(ops: Sequence[Operation], target: Target, *, threads: bool = False) -> str:
    """Includes in the order that compiles: the library needs the standard integers before it."""
    headers = ["pto/pto-inst.hpp"]
    kinds = set(map(type, ops))
    with_own = {kind for kind in kinds if _may_have_own_header(kind, target)}
    rows = [target.row(cast(PtoOp, op)) for op in ops if op.__class__ in with_own] if with_own else []
    own = (row.call.header for row in rows if isinstance(row, Row))
    headers += dict.fromkeys(header for header in own if header is not None)
    if any(is_of(kind, (CollectiveOp,)) for kind in kinds):
        headers.append("pto/comm/pto_comm_inst.hpp")
    standard = ["cstddef", "cstdint", *(["thread"] if threads else [])]
    groups = [[f"#include <{header}>" for header in group] for group in (standard, headers)]
    return "\n".join([*groups[0], "", *groups[1], "", "using namespace pto;"])


@cache
def _may_have_own_header(kind: type[Operation], target: Target) -> bool:
    return any(row.call.header is not None for row in rows_of(kind, target))


def _refuse_tile_parameters(function: func.FuncOp, target: Target) -> None:
    """A tile lives in a core's memory, so only code on that core can pass one (D24)."""
    tiles = [arg.name_hint or "?" for arg in function.body.block.args if isinstance(arg.type, TileType)]
    if tiles:
        message = f"@{function.sym_name.data} takes tiles (%{', %'.join(tiles)}), which no launch can pass"
        fix = "emit a kernel, or load the tiles from memory parameters"
        raise PtoasError(
            [Diagnostic("PTO-L006", message, span_of(function), fix=fix, targets=(target.name,), op=function)]
        )


def _launcher(emitter: FunctionEmitter, function: func.FuncOp, name: str, request: int | None) -> str:
    """The host function that starts the kernel (document 000, Extending Per-Call UB Beyond 128 KB)."""
    area = emitter.control_area
    own = emitter.parameters()[0 if area is None else 1 :]
    parameters = [(type.replace("__gm__ ", ""), text) for type, text in own]
    head = ", ".join(["uint32_t numBlocks", "void *stream", *(f"{type}{text}" for type, text in parameters)])
    area_arguments = [] if area is None else [f"reinterpret_cast<uint64_t *>({area})"]
    arguments = ", ".join([*area_arguments, *(text.split("[")[0] for _, text in parameters)])
    size = "nullptr" if request is None else str(request)
    return "\n".join(
        [
            *([] if area is None else [GET_CONTROL_AREA, ""]),
            *_host_notes(function),
            f"void launch_{name}({head})",
            "{",
            *([] if area is None else control_area_lines(area)),
            f"    {name}<<<numBlocks, {size}, stream>>>({arguments});",
            "}",
        ]
    )


def _host_notes(function: func.FuncOp) -> list[str]:
    """Comments on the host's duties besides the launch."""
    ccu = any(map(on_ccu, walk_of(function, CollectiveOp)))
    return [f"// {line}" for line in HOST_NOTE] if ccu else []
