"""A module as Python source, written once and run many times.

Every function of the module becomes one Python function: scalars are its local variables, `scf` its own
loops and branches, and an instruction a call of something that was prepared before. The text is made of
names and integers that are counted here; no name or literal of the program is ever pasted into it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, cf, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import LoadScalarOp, StoreScalarOp
from ptoas.dialects.pto.sync import BarrierOp, SetFlagOp, WaitFlagOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import AllocTileOp, SetValidShapeOp, TAssignOp
from ptoas.interpreter import scalars
from ptoas.interpreter.budget import check_tile
from ptoas.interpreter.errors import failure
from ptoas.interpreter.instructions import Compiled, lazily
from ptoas.interpreter.machine import VALUES, Machine, load_chapters
from ptoas.interpreter.memory import Pointer
from ptoas.interpreter.observe import Observer
from ptoas.interpreter.race import RaceDetector, element_touched
from ptoas.interpreter.tiles import Tile
from ptoas.interpreter.views import alloc_tile, place, tile_name, valid_extents

DEFAULT_MAX_STEPS = 200_000_000


class Steps:
    """Counts executed operations; a loop is counted when it starts, so counting costs nothing inside it."""

    __slots__ = ("limit", "taken")

    def __init__(self, limit: int):
        self.limit = limit
        self.taken = 0

    def counter(self, op: Operation, weight: int) -> Callable[[int], None]:
        def count(times: int) -> None:
            self.taken += times * weight
            if self.taken > self.limit:
                raise failure(
                    "PTO-R501",
                    f"{op.name}: more than {self.limit} operations (--max-steps); this one alone asks for "
                    f"{times * weight} more",
                    op,
                )

        return count


class ModuleCompiler:
    """Compiles the functions of a module into one namespace."""

    def __init__(
        self,
        module: ModuleOp,
        machine: Machine,
        *,
        race: RaceDetector | None = None,
        observer: Observer | None = None,
        max_steps: int = DEFAULT_MAX_STEPS,
        placed_by_compiler: Callable[[func.FuncOp], bool] = lambda _: False,
    ):
        load_chapters()
        self.machine = machine
        self.race = race
        self.observer = observer
        self.steps = Steps(max_steps)
        self.placed_by_compiler = placed_by_compiler
        self.namespace: dict[str, Any] = {"__builtins__": {"range": range, "max": max}}
        self._kept: dict[int, str] = {}
        self._alive: list[object] = []
        self.functions: dict[str, func.FuncOp] = {
            op.sym_name.data: op for op in module.walk() if isinstance(op, func.FuncOp)
        }
        self.names = {name: f"f{n}" for n, name in enumerate(self.functions)}
        self.source: dict[str, str] = {}
        self.capture: dict[SSAValue, Callable[[Tile], None]] = {}
        """Tiles to be shown to someone each time they have been written."""

    def keep(self, thing: object) -> str:
        """A global name for a Python object; one name for one object."""
        name = self._kept.get(id(thing))
        if name is None:
            name = f"k{len(self._kept)}"
            self._kept[id(thing)] = name
            self._alive.append(thing)
            self.namespace[name] = thing
        return name

    def function(self, name: str) -> Callable[..., tuple[Any, ...]]:
        """The compiled function, and whatever it calls."""
        waiting = [name]
        while waiting:
            each = waiting.pop()
            if each not in self.source:
                waiting += self._compile(each)
        return self.namespace[self.names[name]]

    def _compile(self, name: str) -> list[str]:
        """Compile one function; the names of those that it calls."""
        compiler = FunctionCompiler(self, self.functions[name])
        self.source[name] = text = compiler.text()
        exec(compile(text, f"<ptoas {self.names[name]}>", "exec"), self.namespace)
        return compiler.callees


class FunctionCompiler:
    """One function: its text, and the objects that the text names."""

    def __init__(self, module: ModuleCompiler, op: func.FuncOp):
        self.module = module
        self.machine = module.machine
        self.op = op
        self.own_bits = module.placed_by_compiler(op)
        self.lines: list[str] = []
        self.depth = 1
        self.names: dict[SSAValue, str] = {}
        self.known: dict[SSAValue, object] = {}
        """Values that are the same in every execution: constants, and tiles at constant addresses."""
        self.callees: list[str] = []
        self.changing = {o.tile for o in op.walk() if isinstance(o, SetValidShapeOp)} | {
            o.tile for o in op.walk() if isinstance(o, TAssignOp) and not self._binds_once(o)
        }
        """Tiles whose value changes while the function runs."""

    # --- names ---

    def keep(self, thing: object) -> str:
        return self.module.keep(thing)

    def ref(self, value: SSAValue) -> str:
        if value in self.known:
            thing = self.known[value]
            if isinstance(thing, int):
                return str(int(thing)) if thing >= 0 else f"({int(thing)})"
            return self.keep(thing)
        return self.name(value)

    def name(self, value: SSAValue) -> str:
        found = self.names.get(value)
        if found is None:
            found = self.names[value] = f"v{len(self.names)}"
        return found

    def refs(self, values: Sequence[SSAValue]) -> str:
        return ", ".join(self.ref(value) for value in values)

    # --- text ---

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def text(self) -> str:
        op = self.op
        if not op.body.blocks or not op.body.blocks[0].ops:
            missing = self._raiser(
                failure("PTO-R505", f"{op.sym_name.data} has no body: it is defined elsewhere", op)
            )
            return f"def {self.module.names[op.sym_name.data]}(*_):\n    {missing}()\n"
        parameters = ", ".join(self.name(argument) for argument in op.body.blocks[0].args)
        if len(op.body.blocks) == 1:
            self.block(op.body.blocks[0])
        else:
            self.flow(op.body)
        body = "\n".join(self.lines) or "    return ()"
        return f"def {self.module.names[op.sym_name.data]}({parameters}):\n{body}\n"

    def _raiser(self, error: Exception) -> str:
        def fail(*_: object) -> None:
            raise error

        return self.keep(fail)

    def block(self, block: Block) -> None:
        """The operations of a block; what ends it is left to the caller, except `return`."""
        before = len(self.lines)
        for op in block.ops:
            self.operation(op)
        if len(self.lines) == before:
            self.line("pass")

    def flow(self, region: Region) -> None:
        """Several blocks: a loop that goes to the block that is next."""
        number = {block: n for n, block in enumerate(region.blocks)}
        count = self.keep(self.module.steps.counter(self.op, max(len(list(b.ops)) for b in region.blocks)))
        self.line("_next = 0")
        self.line("while True:")
        self.depth += 1
        self.line(f"{count}(1)")
        for block, n in number.items():
            self.line(f"if _next == {n}:")
            self.depth += 1
            for op in block.ops:
                if isinstance(op, cf.BranchOp | cf.ConditionalBranchOp):
                    self.branch(op, number)
                else:
                    self.operation(op)
            self.depth -= 1
        self.depth -= 1

    def branch(self, op: cf.BranchOp | cf.ConditionalBranchOp, number: dict[Block, int]) -> None:
        if isinstance(op, cf.BranchOp):
            self.jump(op.successor, op.arguments, number)
            return
        self.line(f"if {self.ref(op.cond)}:")
        self.depth += 1
        self.jump(op.then_block, op.then_arguments, number)
        self.depth -= 1
        self.jump(op.else_block, op.else_arguments, number)

    def jump(self, target: Block, arguments: Sequence[SSAValue], number: dict[Block, int]) -> None:
        self.assign(target.args, arguments)
        self.line(f"_next = {number[target]}")
        self.line("continue")

    def assign(self, targets: Sequence[SSAValue], values: Sequence[SSAValue]) -> None:
        """All at once: a value may be one of the targets."""
        if targets:
            left = ", ".join(self.name(target) for target in targets)
            self.line(f"{left} = {self.refs(values)}")

    # --- operations ---

    def operation(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp():
                self.constant(op)
            case AllocTileOp():
                self.alloc_tile(op)
            case TAssignOp():
                self.tassign(op)
            case SetFlagOp() | WaitFlagOp() | BarrierOp():
                self.synchronise(op)
            case PtoOp() if type(op) in VALUES:
                self.value(op)
            case PtoOp():
                self.instruction(op)
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
            error = failure("PTO-R505", f"{op.name} can't be run", op)
            self.line(f"{self._raiser(error)}()")
            return
        for result, text in zip(op.results, texts, strict=True):
            self.line(f"{self.name(result)} = {text}")
        if isinstance(op, arith.IndexCastOp | arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp):
            # A cast of a constant is a constant: addresses are often written so.
            source = self.known.get(op.operands[0])
            if isinstance(source, int):
                self.known[op.results[0]] = self._cast(op, source)

    def _cast(self, op: Operation, value: int) -> int:
        if isinstance(op, arith.ExtUIOp):
            width = scalars.integer_width(op.operands[0].type)
            assert width is not None
            value &= (1 << width) - 1
        return scalars.wrap(value, op.results[0].type)

    def value(self, op: PtoOp) -> None:
        """An operation that makes a value from values."""
        function: Callable[..., Any] = VALUES[type(op)](op, self.machine)
        if self.module.race is not None and isinstance(op, LoadScalarOp | StoreScalarOp):
            function = self.ordered_scalar(op, function)
        if self.machine.world is not None and isinstance(op, LoadScalarOp | StoreScalarOp):
            function = self.machine.world.watching_scalar(op, function)
        call = f"{self.keep(function)}({self.refs(op.operands)})"
        if isinstance(op, SetValidShapeOp):
            self.line(f"{self.name(op.tile)} = {call}")
        elif op.results:
            self.line(f"{self.name(op.results[0])} = {call}")
        else:
            self.line(call)

    def ordered_scalar(
        self, op: LoadScalarOp | StoreScalarOp, function: Callable[..., Any]
    ) -> Callable[..., Any]:
        """A scalar access is an access of the scalar pipe."""
        race = self.module.race
        assert race is not None
        effects = self.machine.target.effects(op)
        at = list(op.operands).index(op.ptr)

        def run(*values: Any) -> Any:
            result = function(*values)
            pointer: Pointer = values[at]
            touched = element_touched(pointer, values[-1])
            race.execute(op, effects, [(touched,) if n == at else () for n in range(len(values))])
            return result

        return run

    def instruction(self, op: PtoOp) -> None:
        fixed = {n: self.known[v] for n, v in enumerate(op.operands) if isinstance(self.known.get(v), Tile)}
        try:
            compiled = Compiled(op, self.machine, self.module.race, self.module.observer, fixed)
        except PtoasError as error:
            self.line(f"{self._raiser(error)}()")
            return
        arguments = ", ".join(self.ref(op.operands[n]) for n in compiled.scalars)
        dynamic = [self.ref(op.operands[n]) for n in compiled.dynamic]
        if not dynamic:
            self.line(f"{self.keep(lazily(compiled))}({arguments})")
        else:
            key, operands = compiled.key_text(dynamic), ", ".join(dynamic)
            find, bind = self.keep(compiled.steps.get), self.keep(compiled.bind)
            if compiled.moves:
                arguments = dynamic[0]
            self.line(f"({find}(_k := {key}) or {bind}(_k, {operands}))({arguments})")
        for operand in dict.fromkeys(op.operands):
            show = self.module.capture.get(operand)
            if show is not None:
                self.line(f"{self.keep(show)}({self.ref(operand)})")

    def synchronise(self, op: SetFlagOp | WaitFlagOp | BarrierOp) -> None:
        stats = self.module.observer.stats if self.module.observer is not None else None
        race = self.module.race
        if stats is not None:
            self.line(f"{self.keep(_counting(stats, op))}()")
        if race is None:
            return
        match op:
            case BarrierOp():
                if op.pipe.data is Pipe.PIPE_ALL:
                    self.line(f"{self.keep(race.barrier)}()")
            case SetFlagOp() | WaitFlagOp():
                act = race.set_flag if isinstance(op, SetFlagOp) else race.wait_flag
                pair = (op.src_pipe.data, op.dst_pipe.data, op.event_id.data)
                self.line(f"{self.keep(_acting(act, op, pair))}()")

    # --- tiles ---

    def _binds_once(self, op: TAssignOp) -> bool:
        """A `tassign` to a constant, before anything uses the tile: the tile has that address from the
        start."""
        if op.result is not None:
            return True
        owner = op.tile.owner
        if not isinstance(owner, AllocTileOp) or owner.addr is not None or owner.parent is not op.parent:
            return False
        others = [use.operation for use in op.tile.uses if use.operation is not op]
        if any(isinstance(other, TAssignOp) for other in others) or self._address(op) is None:
            return False
        assert op.parent is not None
        for earlier in op.parent.ops:
            if earlier is op:
                return True
            if any(other is earlier or earlier.is_ancestor(other) for other in others):
                return False
        return False

    def _address(self, op: TAssignOp) -> int | None:
        if op.address is not None:
            return op.address.value.data
        return self._constant(op.addr)

    def _constant(self, value: SSAValue | None) -> int | None:
        """A value that is a constant, also through casts."""
        if value is None:
            return None
        if value in self.known:
            known = self.known[value]
            return known if isinstance(known, int) else None
        owner = value.owner
        if isinstance(owner, arith.ConstantOp):
            found = scalars.constant_of(owner)
            return found if isinstance(found, int) else None
        if isinstance(owner, arith.IndexCastOp | arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp):
            inner = self._constant(owner.operands[0])
            return None if inner is None else self._cast(owner, inner)
        return None

    def alloc_tile(self, op: AllocTileOp) -> None:
        tile = op.tile_type
        address = self._constant(op.addr)
        if op.addr is None:
            bound = [
                use.operation
                for use in op.result.uses
                if isinstance(use.operation, TAssignOp) and use.operation.result is None
            ]
            if len(bound) == 1 and op.result not in self.changing:
                address = self._address(bound[0])
        extents = [
            written if written != DYNAMIC else self._constant(operand) if operand is not None else physical
            for written, operand, physical in zip(
                tile.valid, (op.valid_row, op.valid_col), tile.shape, strict=True
            )
        ]
        rows, cols = extents
        if (
            address is not None
            and rows is not None
            and cols is not None
            and op.result not in self.changing
            and self._is_legal(tile, rows, cols)
        ):
            self.fixed_tile(op, address, (rows, cols))
            return
        arguments = [
            "None" if op.addr is None and address is None else self.ref(op.addr) if op.addr else str(address)
        ]
        for n, (written, operand) in enumerate(zip(tile.valid, (op.valid_row, op.valid_col), strict=True)):
            given = self.ref(operand) if operand is not None else str(tile.shape[n])
            arguments.append(str(written) if written != DYNAMIC else given)
        make = alloc_tile(op, self.machine, self.own_bits)
        self.line(f"{self.name(op.result)} = {self.keep(make)}({', '.join(arguments)})")

    def _is_legal(self, tile: TileType, rows: int, cols: int) -> bool:
        loc_exists = tile.loc.data in self.machine.target.memories
        return loc_exists and 0 <= rows <= tile.rows and 0 <= cols <= tile.cols

    def fixed_tile(self, op: AllocTileOp, address: int, valid: tuple[int, int]) -> None:
        """A tile that is the same in every execution: made now, checked when it is reached."""
        machine, own_bits = self.machine, self.own_bits
        tile = place(op, machine, op.tile_type, address, valid, tile_name(op), own_bits)
        self.known[op.result] = tile
        checked = False

        def reach() -> None:
            nonlocal checked
            if not checked:
                valid_extents(op, machine, op.tile_type, *valid)
                check_tile(op, machine, tile)
                checked = True
            if own_bits:
                tile.bits.forget()

        self.line(f"{self.keep(reach)}()")

    def tassign(self, op: TAssignOp) -> None:
        if op.result is None and op.tile not in self.changing:
            return
        address = str(op.address.value.data) if op.address is not None else self.ref(op.operands[1])
        make = VALUES[TAssignOp](op, self.machine)
        target = op.tile if op.result is None else op.result
        self.line(f"{self.name(target)} = {self.keep(make)}({self.ref(op.tile)}, {address})")

    # --- control ---

    def yielded(self, results: Sequence[SSAValue], block: Block) -> None:
        last = block.last_op
        if results and isinstance(last, scf.YieldOp):
            self.assign(results, last.operands)

    def nested(self, block: Block) -> None:
        self.depth += 1
        self.block(block)
        self.depth -= 1

    def for_loop(self, op: scf.ForOp) -> None:
        body = op.body.block
        induction, *carried = body.args
        weight = max(1, sum(1 for _ in body.walk()))
        lower, upper, step = self.ref(op.lb), self.ref(op.ub), self.ref(op.step)
        known_step = self.known.get(op.step)
        if not (isinstance(known_step, int) and known_step > 0):
            wrong = self._raiser(failure("PTO-R505", "scf.for: the step of a loop is positive", op))
            self.line(f"if {step} <= 0: {wrong}()")
        count = self.keep(self.module.steps.counter(op, weight))
        self.line(f"{count}(max(0, ({upper} - {lower} + {step} - 1) // {step}))")
        self.assign(carried, op.iter_args)
        self.line(f"for {self.name(induction)} in range({lower}, {upper}, {step}):")
        self.nested(body)
        self.depth += 1
        self.yielded(carried, body)
        self.depth -= 1
        self.assign(op.results, carried)

    def while_loop(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        weight = max(1, sum(1 for _ in op.walk()))
        count = self.keep(self.module.steps.counter(op, weight))
        self.assign(before.args, op.arguments)
        self.line("while True:")
        self.depth += 1
        self.line(f"{count}(1)")
        self.block(before)
        self.assign(op.results, condition.args)
        self.line(f"if not {self.ref(condition.condition)}: break")
        self.assign(after.args, condition.args)
        self.block(after)
        self.yielded(before.args, after)
        self.depth -= 1

    def if_else(self, op: scf.IfOp) -> None:
        self.line(f"if {self.ref(op.cond)}:")
        self.branch_body(op, op.true_region)
        if op.false_region.blocks:
            self.line("else:")
            self.branch_body(op, op.false_region)

    def branch_body(self, op: Operation, region: Region) -> None:
        self.nested(region.block)
        self.depth += 1
        self.yielded(op.results, region.block)
        self.depth -= 1

    def switch(self, op: scf.IndexSwitchOp) -> None:
        word = "if"
        for case, region in zip(op.cases.get_values(), op.case_regions, strict=True):
            self.line(f"{word} {self.ref(op.arg)} == {int(case)}:")
            self.branch_body(op, region)
            word = "elif"
        self.line("else:" if word == "elif" else "if True:")
        self.branch_body(op, op.default_region)

    def call(self, op: func.CallOp) -> None:
        callee = op.callee.string_value()
        if callee not in self.module.functions:
            error = failure("PTO-R505", f"there is no function @{callee}", op)
            self.line(f"{self._raiser(error)}()")
            return
        self.callees.append(callee)
        count = self.keep(self.module.steps.counter(op, 1))
        self.line(f"{count}(1)")
        call = f"{self.module.names[callee]}({self.refs(op.arguments)})"
        if op.results:
            names = ", ".join(self.name(result) for result in op.results)
            self.line(f"{names}, = {call}")
        else:
            self.line(call)


def _counting(stats: Any, op: Operation) -> Callable[[], None]:
    def count() -> None:
        if isinstance(op, BarrierOp):
            stats.barriers += 1
        else:
            stats.flags += 1

    return count


def _acting(act: Callable[..., None], op: Operation, pair: tuple[Any, ...]) -> Callable[[], None]:
    return lambda: act(op, *pair)
