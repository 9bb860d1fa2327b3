"""The function that is run, and the tiles that are its results."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ptoas.diagnostics import Note
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.views import AllocTileOp, TAssignOp
from ptoas.machine.errors import failure

ALL = "all"
"""`--entry all`: every function that nothing calls, one after the other."""


def entries_of(module: ModuleOp) -> list[str]:
    """The functions of `--entry all`, in the order of the text.

    >>> import ptoas
    >>> from ptoas.runner.entry import entries_of
    >>> entries_of(ptoas.parse("func.func @a() { return }\nfunc.func @b() { return }"))
    ['a', 'b']
    """
    return [op.sym_name.data for op in _uncalled(module, _bodies(module))]


def _bodies(module: ModuleOp) -> list[func.FuncOp]:
    functions = (op for op in module.walk() if isinstance(op, func.FuncOp))
    return [op for op in functions if op.body.blocks and op.body.blocks[0].ops]


def _uncalled(module: ModuleOp, bodies: list[func.FuncOp]) -> list[func.FuncOp]:
    called = {op.callee.string_value() for op in module.walk() if isinstance(op, func.CallOp)}
    return [op for op in bodies if op.sym_name.data not in called] or bodies


def choose_entry(module: ModuleOp, name: str | None) -> func.FuncOp:
    """The function to run: the one asked for, else the only one that nothing calls."""
    bodies = _bodies(module)
    names = ", ".join(op.sym_name.data for op in bodies) or "none"
    if name is not None:
        found = next((op for op in bodies if op.sym_name.data == name.removeprefix("@")), None)
        if found is None:
            raise failure(
                "PTO-R607",
                f"there is no function @{name} with a body",
                module,
                notes=(Note(f"there are: {names}"),),
            )
        return found
    entries = _uncalled(module, bodies)
    if len(entries) != 1:
        place = entries[1] if entries else module
        question = f"which function is to be run? There are {len(entries)}"
        raise failure(
            "PTO-R607",
            question if entries else "there is no function to run",
            place,
            notes=(Note("candidates: " + ", ".join(op.sym_name.data for op in entries)),) if entries else (),
            fix=f"--entry {entries[0].sym_name.data}" if entries else None,
        )
    return entries[0]


def unread_tiles(entry: func.FuncOp) -> set[SSAValue]:
    """Tiles that instructions of the entry write and none reads: the results of a program without stores."""
    found: set[SSAValue] = set()
    for op in entry.walk():
        if not isinstance(op, AllocTileOp):
            continue
        uses = [use for use in op.result.uses if not isinstance(use.operation, TAssignOp)]
        if uses and all(_only_writes(use.operation, op.result) for use in uses):
            found.add(op.result)
    return found


def _only_writes(op: Operation, value: SSAValue) -> bool:
    if not isinstance(op, PtoOp) or list(op.operands).count(value) != 1:
        return False
    return any(value in op.operands_of(slot) for slot in getattr(op, "OUTS", ()))
