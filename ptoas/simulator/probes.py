"""Stores of intermediate tiles into additional arguments, which show the first instruction that differs."""

from __future__ import annotations

from xdsl.builder import Builder
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from ptoas.analysis.structure import walk
from ptoas.dialects.pto.enums import BLayout, SLayout, TileLoc
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.dialects.pto.types import DYNAMIC, MemRefType, TileType
from ptoas.ir.clone import clone
from ptoas.ir.names import set_name
from ptoas.targets import Target

PREFIX = "probe_"
"""Names of the additional arguments begin with it; the number of the instruction follows."""


def insert_probes(module: ModuleOp, entry: str, target: Target) -> tuple[ModuleOp, dict[str, PtoOp]]:
    """Return a copy of a program that stores each tile after each instruction that writes it.

    The operations returned are those of `module`, by the names of the arguments, in program order. In a loop,
    an argument holds the value of the last iteration. Only row-major vector tiles of static extent are
    stored.
    """
    copy = clone(module)
    function = next(op for op in walk(copy) if isinstance(op, FuncOp) and op.sym_name.data == entry)
    original = next(op for op in walk(module) if isinstance(op, FuncOp) and op.sym_name.data == entry)
    probes: dict[str, PtoOp] = {}
    for op, twin in zip(list(walk(original)), list(walk(function)), strict=True):
        if not isinstance(op, PtoOp) or not isinstance(twin, PtoOp):
            continue
        for operand in _written_tiles(twin, target):
            name = f"{PREFIX}{len(probes)}"
            argument = function.body.block.insert_arg(_memory_of(operand), len(function.args))
            set_name(argument, name)
            store = TStoreOp.build(operands=[[operand], [], [], [argument]])
            store.location = twin.location
            Builder(InsertPoint.after(twin)).insert(store)
            probes[name] = op
    function.function_type = FunctionType.from_lists(
        [argument.type for argument in function.args], list(function.function_type.outputs)
    )
    return copy, probes


def _written_tiles(op: PtoOp, target: Target) -> list[SSAValue]:
    numbers = dict.fromkeys(access.operand for access in target.effects(op).accesses if access.write)
    return [op.operands[n] for n in numbers if n >= 0 and _is_storable(op.operands[n].type)]


def _is_storable(kind: object) -> bool:
    return (
        isinstance(kind, TileType)
        and kind.loc.data is TileLoc.Vec
        and kind.blayout is BLayout.RowMajor
        and kind.slayout is SLayout.NoneBox
        and DYNAMIC not in kind.valid
        and 0 not in kind.valid
    )


def _memory_of(value: SSAValue) -> MemRefType:
    assert isinstance(value.type, TileType)
    return MemRefType.of(value.type.valid, value.type.element_type)
