"""One entry for a cube function and a vector function that channels join.

Before:

    func.func @scale_aic(%x: !pto.ptr<f32>, %n: i32) attributes {cube} { ... }
    func.func @scale_aiv(%x: !pto.ptr<f32>, %n: i32, %__pypto_spmd_subblock_idx: i32) attributes {vector} ...

After, besides those:

    func.func @scale(%x: !pto.ptr<f32>, %n: i32) {
      func.call @scale_aic(%x, %n)
      %lane = pto.get_subblock_idx
      ...
      func.call @scale_aiv(%x, %n, %lane)
      return
    }

The two agree by position as far as both go; what the launch itself knows, the number of the block and of the
vector core, is asked for.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import cast

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.channels import peers_of
from ptoas.analysis.structure import calls_of, walk
from ptoas.diagnostics import Diagnostic, Note, PtoasError
from ptoas.dialects.pto.scalar import GetBlockIdxOp, GetBlockNumOp, GetSubblockIdxOp, QueryOp
from ptoas.grammar.spans import span_of
from ptoas.ir.names import set_name

LAUNCH_NAMES: dict[str, type[QueryOp]] = {
    "__pypto_spmd_block_idx": GetBlockIdxOp,
    "__pypto_spmd_block_num": GetBlockNumOp,
    "__pypto_spmd_subblock_idx": GetSubblockIdxOp,
}
"""Arguments that the launch knows, by their names."""


def launch_arguments(function: func.FuncOp) -> dict[int, type[QueryOp]]:
    """Arguments of a function that the launch knows, by their positions."""
    names = [arg.name_hint or "" for arg in function.body.block.args]
    return {at: LAUNCH_NAMES[name] for at, name in enumerate(names) if name in LAUNCH_NAMES}


def uncalled_pairs(module: ModuleOp) -> list[tuple[func.FuncOp, func.FuncOp]]:
    """Cube and vector functions that channels join and that no function calls."""
    called = {name for names in calls_of(module).values() for name in names}
    return [
        pair for pair in peers_of(module) if all(function.sym_name.data not in called for function in pair)
    ]


def join(module: ModuleOp, cube: func.FuncOp, vector: func.FuncOp) -> func.FuncOp:
    """The entry of a pair, inserted after the two."""
    parameters = _common(cube, vector)
    block = Block(arg_types=[arg.type for arg in parameters])
    results: dict[str | None, SSAValue] = {}
    for arg, own in zip(parameters, block.args, strict=True):
        set_name(own, arg.name_hint)
        results[arg.name_hint] = own
    ops: list[Operation] = []
    for function in (cube, vector):
        positions = iter(block.args)
        arguments: list[SSAValue] = []
        for arg in function.body.block.args:
            query = LAUNCH_NAMES.get(arg.name_hint or "")
            arguments.append(next(positions) if query is None else _query(query, arg.type, ops))
        call = func.CallOp(function.sym_name.data, arguments, [])
        call.location = function.location
        ops.append(call)
    block.add_ops([*ops, func.ReturnOp()])
    name = _name(module, cube, vector)
    entry = func.FuncOp(name, ([arg.type for arg in block.args], []), Region(block))
    entry.location = cube.location
    Rewriter.insert_op(entry, InsertPoint.after(vector))
    return entry


def _plain(function: func.FuncOp) -> list[SSAValue]:
    return [arg for arg in function.body.block.args if (arg.name_hint or "") not in LAUNCH_NAMES]


def _common(cube: func.FuncOp, vector: func.FuncOp) -> list[SSAValue]:
    """The parameters of the pair: those of the longer list, with which the other agrees."""
    lists = _plain(cube), _plain(vector)
    for at, (one, other) in enumerate(zip(*lists, strict=False)):
        if one.type != other.type:
            names = f"@{cube.sym_name.data} and @{vector.sym_name.data}"
            message = f"{names} have different arguments {at}: {one.type} and {other.type}"
            raise PtoasError(
                [
                    Diagnostic(
                        "PTO-H304",
                        message,
                        span_of(vector),
                        notes=(Note("the other function", span_of(cube)),),
                        fix="write a function with `pto.entry` that calls both with their arguments",
                    )
                ]
            )
    return max(lists, key=len)


def _query(query: type[QueryOp], type: Attribute, ops: list[Operation]) -> SSAValue:
    number = query(result_type=i64)
    ops.append(number)
    if type == i64:
        return number.result
    if isinstance(type, IndexType):
        converted: Operation = arith.IndexCastOp(number.result, type)
    else:
        assert isinstance(type, IntegerType), "the launch knows numbers"
        converted = arith.TruncIOp(number.result, cast("IntegerType", type))
    ops.append(converted)
    return converted.results[0]


def _name(module: ModuleOp, cube: func.FuncOp, vector: func.FuncOp) -> str:
    """The common prefix of both names, if it is free."""
    names = (cube.sym_name.data, vector.sym_name.data)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(*names, strict=False))
    stem = re.sub(r"_(ai?)?$", "", "".join(pair[0] for pair in same))
    taken = {op.sym_name.data for op in walk(module) if isinstance(op, func.FuncOp)}
    candidates = (stem, f"{names[0]}_and_{names[1]}")
    return next(name for name in candidates if re.fullmatch(r"[A-Za-z_]\w*", name) and name not in taken)
