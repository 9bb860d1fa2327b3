"""A module as Python source, written once and run many times.

Every function of the module becomes one Python function: scalars are its local variables, `scf` its own
loops and branches, and an instruction a call of something that was prepared before. The text is made of
names and integers that are counted here; no name or literal of the program is ever pasted into it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.clocks import NUMBER
from ptoas.analysis.integers import CASTS
from ptoas.analysis.structure import of_kinds, walk
from ptoas.analysis.sync_actions import (
    Acquire,
    Barrier,
    Release,
    SyncKey,
    TokenKey,
    UnknownFlag,
    sync_action,
)
from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.asynchronous import AsyncTransferOp
from ptoas.dialects.pto.channel import TAllocOp, TPopOp
from ptoas.dialects.pto.core_sync import SectionOp, SetsCounter, SyncAllOp
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.matmul import TGetScaleAddrOp
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.dialects.pto.remote import SignalOp
from ptoas.dialects.pto.scalar import ElementOp, LoadScalarOp, StoreScalarOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.dialects.pto.sync import (
    BufferTokenOp,
    CmoCacheInvalidOp,
    DrainOp,
    EventClauseOp,
    FenceBarrierAllOp,
    FlagOp,
    RecordOp,
)
from ptoas.dialects.pto.views import AllocTileOp, SetValidShapeOp, TAssignOp
from ptoas.ir.names import name_of
from ptoas.machine import scalars
from ptoas.machine.addresses import missing_memory_error, placed
from ptoas.machine.bound import BoundInstruction, PipeAccess
from ptoas.machine.control import ControlFlow
from ptoas.machine.errors import failure
from ptoas.machine.events import chosen_flag
from ptoas.machine.handover import Handover, is_unseen, store_after
from ptoas.machine.instructions import Compiled, MachineObserver, lazily
from ptoas.machine.machine import VALUES, Machine
from ptoas.machine.memory import LocalPointer, Pointer
from ptoas.machine.pipe_log import SingleGroup
from ptoas.machine.placement import Placement
from ptoas.machine.race import RaceDetector
from ptoas.machine.scalar_cache import cached_ops, cached_scalar, cached_transfer
from ptoas.machine.segments import Segment, extends_segment, pipe_of
from ptoas.machine.source import Steps
from ptoas.machine.tiles import Tile
from ptoas.machine.touched import element_touched, touched_by

MAX_NESTING = 16
"""Loops and branches inside each other that are written as one Python function; Python takes 20 loops."""


class ModuleCompiler:
    """Compiles the functions of a module into one namespace."""

    def __init__(
        self,
        module: ModuleOp,
        machine: Machine,
        *,
        race: RaceDetector | None = None,
        observer: MachineObserver | None = None,
        steps: Steps,
        on_iteration: Callable[[Operation, int, int], None] | None = None,
        placed_by_compiler: Callable[[func.FuncOp], bool] = lambda _: False,
    ):
        ops = walk(module)
        self.machine = machine
        self.race = race
        self.observer = observer
        self.cached = cached_ops(ops, machine)
        """Operations that concern the scalar data cache, or fences."""
        self.steps = steps
        self.on_iteration = on_iteration
        """Called in outermost loops with the loop, its iterations that are done, and all."""
        self.placed_by_compiler = placed_by_compiler
        self.namespace: dict[str, Any] = {"__builtins__": {"range": range, "max": max}}
        self.functions: dict[str, func.FuncOp] = {op.sym_name.data: op for op in of_kinds(ops, func.FuncOp)}
        self.names = {name: f"f{n}" for n, name in enumerate(self.functions)}
        self.source: dict[str, str] = {}
        self.places: list[tuple[Operation, Mapping[SSAValue, str]]] = []
        """The operation of each line of the compiled text, which ends in `# NUMBER`, and names of values."""
        self.capture: dict[SSAValue, Callable[[Tile], None]] = {}
        """Callbacks by tile, called after each write."""

    def add_global(self, thing: object) -> str:
        """Make a Python object a global of the compiled function; return its name."""
        name = f"k{len(self.namespace)}"
        self.namespace[name] = thing
        return name

    def add_replaceable_global(self, make: Callable[[Callable[[object], None]], object]) -> str:
        """Make an object a global that it can replace: `make` gets a function for that."""

        def replace(thing: object) -> None:
            self.namespace[name] = thing

        name = self.add_global(None)
        replace(make(replace))
        return name

    def function(self, name: str) -> Callable[..., tuple[Any, ...]]:
        """Compile a function and its callees."""
        waiting = [name]
        while waiting:
            each = waiting.pop()
            if each not in self.source:
                waiting += self._compile(each)
        return self.namespace[self.names[name]]

    def code_name(self, name: str) -> str:
        """The file name of a compiled function in tracebacks."""
        return f"<ptoas {self.names[name]}>"

    def _compile(self, name: str) -> list[str]:
        """Compile one function; the names of those that it calls."""
        compiler = FunctionCompiler(self, self.functions[name])
        self.source[name] = text = compiler.text()
        try:
            code = compile(text, self.code_name(name), "exec")
        except (SyntaxError, RecursionError, MemoryError) as error:
            # A switch is a chain of branches, and Python compiles some thousands of those.
            message = f"@{name} can't be compiled: a switch has too many cases ({error})"
            raise failure("PTO-R505", message, self.functions[name]) from None
        exec(code, self.namespace)
        return compiler.callees


def _nesting(function: func.FuncOp) -> int:
    """The number of regions inside each other."""
    depths = dict[Operation | None, int]()
    for op in walk(function):
        depths[op] = depths.get(op.parent_op(), -1) + 1
    return max(depths.values())


def _function(name: str, parameters: str, lines: Sequence[str]) -> str:
    body = "\n".join(lines) or "    return ()"
    return f"def {name}({parameters}):\n{body}\n"


class FunctionCompiler(ControlFlow, Placement):
    """One function: its text, and the objects that the text names."""

    # --- text ---

    def text(self) -> str:
        """The function, preceded by the parts that its deepest loops and branches are written as."""
        op = self.op
        self.variables_in_list = _nesting(op) > MAX_NESTING
        parameters = [self.name(argument) for argument in op.body.blocks[0].args]
        self.block(op.body.block)
        name = self.module.names[op.sym_name.data]
        if not self.variables_in_list:
            return _function(name, ", ".join(parameters), self.lines)
        parts = [_function(f"{name}_{number}", "v", part) for number, part in enumerate(self.parts)]
        variables = f"    v = [*arguments] + [None] * {len(self.names) - len(parameters)}"
        return "".join([*parts, _function(name, "*arguments", [variables, *self.lines])])

    def separately(self, op: Operation) -> None:
        """Write an operation as a function of its own, so that what it nests begins at depth 1 again."""
        lines, depth = self.lines, self.depth
        self.lines, self.depth = [], 1
        self.operation(op)
        self.parts.append(self.lines)
        self.lines, self.depth = lines, depth
        self.line(f"{self.module.names[self.op.sym_name.data]}_{len(self.parts) - 1}(v)")

    # --- operations ---

    def operation(self, op: Operation) -> None:
        if op.regions and self.depth > MAX_NESTING:
            self.separately(op)
            return
        segment, self.segment = self.segment, None
        if extends_segment(op):
            self.segment = segment
        if self.machine.cache is not None and isinstance(op, SetsCounter | SyncAllOp):
            flush = partial(self.machine.cache.flush, op, f"{op.mnemonic()} tells others")
            self.line(f"{self.add_global(flush)}()")
        match op:
            case arith.ConstantOp():
                self.constant(op)
            case AllocTileOp():
                self.alloc_tile(op)
            case TAssignOp():
                self.tassign(op)
            case FlagOp() | DrainOp() | BufferTokenOp() | EventClauseOp() | CmoCacheInvalidOp():
                self.synchronise(op)
            case SectionOp():
                if self.machine.role.kind in (None, op.KIND):
                    self.block(op.body.block)
            case TPopOp() | TAllocOp():
                self.rebind(op)
            case PtoOp() if type(op) in VALUES:
                self.value(op)
            case PtoOp():
                self.instruction(op, segment)
            case scf.ForOp():
                self.for_loop(op)
            case scf.WhileOp():
                self.while_loop(op)
            case scf.IfOp():
                self.if_else(op)
            case scf.IndexSwitchOp():
                self.switch(op)
            case scf.ExecuteRegionOp() if len(op.region.blocks) == 1:
                self.block(op.region.blocks[0])
                self.yielded(op.results, op.region.blocks[0])
            case scf.YieldOp() | scf.ConditionOp():
                pass
            case func.CallOp():
                self.call(op)
            case func.ReturnOp():
                values = self.refs(op.operands)
                self.line(f"return ({values},)" if values else "return ()")
            case _:
                self.arithmetic(op)

    def constant(self, op: arith.ConstantOp) -> None:
        self.known[op.result] = scalars.constant_of(op)

    def arithmetic(self, op: Operation) -> None:
        texts = scalars.expressions(op, self)
        if texts is None:
            error = failure("PTO-R505", f"{name_of(op)} can't be run", op)
            self.line(f"{self.raiser(error)}()")
            return
        for result, text in zip(op.results, texts, strict=True):
            self.line(f"{self.name(result)} = {text}")
        if isinstance(op, CASTS):
            # A cast of a constant is a constant: addresses are often written so.
            number = self.constants.constant(op.results[0])
            if number is not None:
                self.known[op.results[0]] = number

    def value(self, op: PtoOp) -> None:
        """An operation that makes a value from values."""
        function: Callable[..., Any] = VALUES[type(op)](op, self.machine)
        cache = self.machine.cache
        if cache is not None and isinstance(op, LoadScalarOp | StoreScalarOp):
            function = cached_scalar(op, cache, function)
        elif cache is not None and isinstance(op, AsyncTransferOp):
            function = cached_transfer(op, cache, self.machine.target.effects(op), function)
        if self.module.race is not None and isinstance(op, ElementOp):
            function = self.ordered_scalar(op, function)
        elif self.module.race is not None and isinstance(op, SignalOp | AsyncTransferOp):
            function = self.ordered_value(op, function)
        if self.machine.sharing is not None and isinstance(op, LoadScalarOp | StoreScalarOp):
            effects = self.machine.target.effects(op)
            function = self.machine.sharing.watching_scalar(op, effects, function)
            function = self.reaching(op, function)
        if self.module.observer is not None:
            function = self.module.observer.watching_value(op, function)
        call = f"{self.add_global(function)}({self.refs(op.operands)})"
        if isinstance(op, TGetScaleAddrOp):
            self.line(f"{self.name(op.dst)} = {call}")
        elif isinstance(op, SetValidShapeOp):
            self.line(f"{self.name(op.tile)} = {call}")
        elif op.results:
            self.line(f"{', '.join(map(self.name, op.results))} = {call}")
        else:
            self.line(call)

    def rebind(self, op: TPopOp | TAllocOp) -> None:
        """Bind a declared tile or view to a slot from now on."""
        function = self.add_global(VALUES[type(op)](op, self.machine))
        self.line(f"{self.name(op.entry)} = {function}({self.refs(op.operands)})")

    def ordered_scalar(self, op: ElementOp, function: Callable[..., Any]) -> Callable[..., Any]:
        """A scalar access is an access of the scalar pipe."""
        race = self.module.race
        assert race is not None
        effects = self.machine.target.effects(op)
        at, offset = (slot_places(op)[slot].start for slot in (op.HOLDER, "offset"))
        (access,) = effects.accesses
        pipe = NUMBER[access.pipe]
        assert not (effects.before or effects.after or effects.reserved_events)

        def run(*values: Any) -> Any:
            result = function(*values)
            touched = element_touched(values[at], values[offset])
            bound = BoundInstruction(op, effects, [(touched,) if n == at else () for n in range(len(values))])
            record = PipeAccess(touched, pipe, access.write, bound, 0)
            race.execute_on(op, pipe, [SingleGroup(record, race.log(pipe, touched.space))])
            return result

        return run

    def ordered_value(self, op: PtoOp, function: Callable[..., Any]) -> Callable[..., Any]:
        """Compile an ordered instruction with a result, which reads memory or starts a transfer."""
        race = self.module.race
        assert race is not None
        effects = self.machine.target.effects(op)

        def run(*values: Any) -> Any:
            race.execute(BoundInstruction(op, effects, [touched_by(value) for value in values]))
            return function(*values)

        return run

    def reaching(self, op: LoadScalarOp | StoreScalarOp, function: Callable[..., Any]) -> Callable[..., Any]:
        """A pointer that has left its argument is one into another rank's memory."""
        machine = self.machine
        at, offset = (slot_places(op)[slot].start for slot in ("ptr", "offset"))

        def run(*values: Any) -> Any:
            pointer: Pointer | LocalPointer = values[at]
            if isinstance(pointer, LocalPointer):
                return function(*values)
            element = pointer.offset + values[offset]
            if pointer.buffer.place is not None and not 0 <= element < pointer.buffer.size:
                found = placed(pointer.buffer, element, element)
                if found is None:
                    raise missing_memory_error(op, machine, pointer.buffer, element, element)
                there = Pointer(found[0], found[1] - values[offset])
                values = (*values[:at], there, *values[at + 1 :])
            return function(*values)

        return run

    def instruction(self, op: PtoOp, segment: Segment | None = None) -> None:
        fixed = {n: self.known[v] for n, v in enumerate(op.operands) if isinstance(self.known.get(v), Tile)}
        try:
            handover = self.handover(op)
            compiled = Compiled(op, self.machine, self.module.race, self.module.observer, fixed, handover)
            compiled.passes_cache = op in self.module.cached
        except PtoasError as error:
            self.line(f"{self.raiser(error)}()")
            return
        arguments = ", ".join(self.ref(op.operands[n]) for n in compiled.scalars)
        dynamic = [self.ref(op.operands[n]) for n in compiled.dynamic]
        if not dynamic:
            name = self.module.add_replaceable_global(lambda bound: lazily(compiled, bound))
            self.join_segment(compiled, name, segment)
            self.line(f"{name}({arguments})")
        else:
            key, operands = compiled.key_text(dynamic), ", ".join(dynamic)
            find, bind = self.add_global(compiled.steps.get), self.add_global(compiled.bind)
            if compiled.moves:
                arguments = dynamic[0]
            self.line(f"({find}(_k := {key}) or {bind}(_k, {operands}))({arguments})")
        for operand in dict.fromkeys(op.operands):
            show = self.module.capture.get(operand)
            if show is not None:
                self.line(f"{self.add_global(show)}({self.ref(operand)})")

    def join_segment(self, compiled: Compiled, name: str, segment: Segment | None) -> None:
        """Races of an instruction may be looked for together with those of others."""
        race = self.module.race
        pipe = None if race is None else pipe_of(compiled, race)
        if race is None or pipe is None:
            return
        compiled.race = None
        if segment is None or segment.pipe != pipe:
            segment = Segment(race, pipe, self.module.namespace)
            self.line(f"{self.add_global(segment.enter)}()")
        segment.add(name, compiled)
        self.segment = segment

    def handover(self, op: PtoOp) -> Handover | None:
        """The state shared by a gather and the store after it."""
        if isinstance(op, TStoreOp):
            return self.handovers.pop(op, None)
        dst = op.gathered if isinstance(op, IndexedMemoryOp) else None
        if dst is None or self.module.observer is not None or dst in self.module.capture:
            return None
        store = store_after(op, dst, self.machine)
        if store is None or not isinstance(self.known.get(dst), Tile):
            return None
        handover = self.handovers[store] = Handover(
            is_unseen(dst, self.module.functions.values()), self.machine
        )
        return handover

    def synchronise(self, op: FlagOp | DrainOp | BufferTokenOp | EventClauseOp | CmoCacheInvalidOp) -> None:
        observer, race = self.module.observer, self.module.race
        if observer is not None:
            numbers = () if isinstance(op, EventClauseOp) else op.operands
            chosen = ", ".join(map(self.ref, numbers))
            self.line(f"{self.add_global(partial(observer.synchronised, op))}({chosen})")
        if isinstance(op, FenceBarrierAllOp):
            self.line(f"{self.add_global(self.machine.fence)}()")
        cache = self.machine.cache
        if cache is not None and isinstance(op, FenceBarrierAllOp):
            self.line(f"{self.add_global(cache.fence)}()")
        elif cache is not None and isinstance(op, CmoCacheInvalidOp):
            self.line(f"{self.add_global(cache.clean)}({self.refs(op.operands)})")
        if isinstance(op, RecordOp):
            self.line(f"{self.name(op.result)} = None")  # its name is what counts
        if race is None:
            return
        if isinstance(op, FlagOp) and not self.machine.target.connects(*op.flag[:2]):
            source, sink, _ = op.flag
            message = f"{op.mnemonic()}: {source.value} to {sink.value}: no core has both pipes"
            self.line(f"{self.raiser(self.machine.fail('PTO-R130', message, op))}()")
            return
        match sync_action(op, self.constants.constant, self.machine.target.effects):
            case None:
                pass
            case Barrier(pipe):
                drain = race.fence if isinstance(op, FenceBarrierAllOp) else partial(race.drain, pipe)
                self.line(f"{self.add_global(drain)}()")
            case Release(pipe, key):
                act = race.give_token if isinstance(key, TokenKey) else race.release
                self.line(f"{self.add_global(partial(act, op, pipe))}({self.sync_key(op, key)})")
            case Acquire(pipe, key):
                act = race.take_token if isinstance(key, TokenKey) else race.acquire
                self.line(f"{self.add_global(partial(act, op, pipe))}({self.sync_key(op, key)})")

    def sync_key(self, op: Operation, key: SyncKey) -> str:
        """The text of a flag, an event or a token; the program may choose its number."""
        match key:
            case TokenKey(token):
                return str(token) if isinstance(token, int) else self.ref(token)
            case UnknownFlag(source, sink):
                chosen = chosen_flag(op, source, sink, self.machine)
                return f"{self.add_global(chosen)}({self.ref(op.operands[0])})"
            case _:
                return self.add_global(key)
