"""The function that is run, and the tiles that are its results."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import SymbolTable

from ptoas.analysis.kinds import functions_below, needs_cluster
from ptoas.analysis.structure import kind_of, walk, walk_of
from ptoas.diagnostics import Note
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.views import AllocTileOp, TAssignOp
from ptoas.dialects.visibility import is_entry
from ptoas.ir.clone import clone
from ptoas.lowering.join_cube_vector import join, uncalled_pairs
from ptoas.machine.actors import ALONE, CLUSTER, Role
from ptoas.machine.errors import failure
from ptoas.targets import Target


def roles_of(module: ModuleOp, entry: func.FuncOp, target: Target) -> tuple[Role, ...]:
    """The cores of a block that a program runs on."""
    if needs_cluster(module, entry, has_pipes=target.has_pipes):
        return CLUSTER
    kinds = {kind for f in functions_below(module, entry) if (kind := kind_of(f)) is not None}
    return (Role(kinds.pop()),) if len(kinds) == 1 and target.has_pipes else (ALONE,)


ALL = "all"
"""`--entry all`: every function that nothing calls, one after the other."""


def entries_of(module: ModuleOp) -> list[str]:
    """The functions of `--entry all`, in the order of the text; of a pair that channels join, the first.

    >>> import ptoas
    >>> from ptoas.runner.entry import entries_of
    >>> entries_of(ptoas.parse("func.func @a() { return }\\nfunc.func @b() { return }"))
    ['a', 'b']
    """
    bodies = _bodies(module)
    seconds = {max(pair, key=bodies.index) for pair in uncalled_pairs(module)}
    return [op.sym_name.data for op in _uncalled(module, bodies) if op not in seconds]


def _bodies(module: ModuleOp) -> list[func.FuncOp]:
    return [op for op in walk_of(module, func.FuncOp) if op.body.blocks and op.body.blocks[0].ops]


def _uncalled(module: ModuleOp, bodies: list[func.FuncOp]) -> list[func.FuncOp]:
    called = {op.callee.string_value() for op in walk_of(module, func.CallOp)}
    return [op for op in bodies if op.sym_name.data not in called] or bodies


def needed_by(module: ModuleOp, name: str) -> ModuleOp:
    """The module without the functions that an entry has nothing to do with; a copy, if there are any.

    Functions have to do with each other if one calls the other, if channels join them as a pair, or if one
    names the other for another reason; all callers decide where the tiles of a function lie.
    """
    bodies = _bodies(module)
    body = next((op for op in bodies if op.sym_name.data == name.removeprefix("@")), None)
    if body is None or len(bodies) == 1:
        return module
    pairs = [(function, other) for function in bodies for other in _named(function)]
    related: dict[func.FuncOp, set[func.FuncOp]] = {}
    for one, other in (*pairs, *uncalled_pairs(module)):
        related.setdefault(one, set()).add(other)
        related.setdefault(other, set()).add(one)
    needed, work = {body}, [body]
    while work:
        found = related.get(work.pop(), set()) - needed
        needed |= found
        work += found
    if needed.issuperset(bodies):
        return module
    kept = clone(module)
    for original, copy in zip(walk_of(module, func.FuncOp), walk_of(kept, func.FuncOp), strict=True):
        if original in bodies and original not in needed:
            Rewriter.erase_op(copy, safe_erase=False)
    return kept


def _named(function: func.FuncOp) -> Iterator[func.FuncOp]:
    """The functions that operations of one refer to: calls, and rings that another function reserves."""
    for op in walk(function):
        for attribute in (*op.properties.values(), *op.attributes.values()):
            if isinstance(attribute, SymbolRefAttr):
                found = SymbolTable.lookup_symbol(op, attribute)
                if isinstance(found, func.FuncOp):
                    yield found


def choose_entry(module: ModuleOp, name: str | None) -> func.FuncOp:
    """The function to run: the one asked for, else the only one that nothing calls, or a pair of a cube and a
    vector function that channels join, for which an entry is made."""
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
        return _of_pair(module, found) or found
    entries = _uncalled(module, bodies)
    marked = [op for op in entries if is_entry(op)]
    if len(entries) > 1 and len(marked) == 1:
        return marked[0]
    pairs = uncalled_pairs(module)
    if len(pairs) == 1 and set(entries) <= set(pairs[0]):
        return join(module, *pairs[0])
    if len(entries) != 1:
        place = entries[1] if entries else module
        question = f"{len(entries)} functions could be run"
        raise failure(
            "PTO-R607",
            question if entries else "there is no function to run",
            place,
            notes=(Note("candidates: " + ", ".join(op.sym_name.data for op in entries)),) if entries else (),
            fix=f"select one, for example `--entry {entries[0].sym_name.data}`" if entries else None,
        )
    return entries[0]


def _of_pair(module: ModuleOp, function: func.FuncOp) -> func.FuncOp | None:
    """The entry of the pair that a function is one of."""
    pair = next((pair for pair in uncalled_pairs(module) if function in pair), None)
    return None if pair is None else join(module, *pair)


def unread_tiles(entry: func.FuncOp) -> set[SSAValue]:
    """Tiles that instructions of the entry write and none reads: the results of a program without stores."""
    found: set[SSAValue] = set()
    for op in walk(entry):
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
