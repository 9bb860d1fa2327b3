"""A function under construction: instructions as calls, loops and branches as `with`."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import UnknownLoc, f32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.build.arguments import extents_of, ssa_of, takes, type_of_number
from ptoas.build.caller import caller_location
from ptoas.build.instructions import InstructionMethods
from ptoas.build.values import INDEX, Number, Value, as_number, as_type
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects.pto.construct import InstructionArguments, bind, finish, usage
from ptoas.dialects.pto.enums import Layout, LayoutAttr
from ptoas.dialects.pto.instruction import PtoOp, Slot
from ptoas.dialects.pto.types import PartitionTensorViewType, PtrType, TensorViewType, ViewType
from ptoas.dialects.pto.views import MakeTensorViewOp, PartitionViewOp
from ptoas.ir.names import set_name

if TYPE_CHECKING:
    from ptoas.build import Module


class RegionScope:
    """The body of a loop or a branch, used with `with`."""

    def __init__(self, function: Function, op: Operation, block: Block, inside: Any):
        self.op = op
        self._function, self._block, self._inside = function, block, inside

    @property
    def results(self) -> tuple[Value, ...]:
        """Results of a loop or branch, in the order of `yield_`."""
        return tuple(Value(self._function, result) for result in self.op.results)

    def __enter__(self) -> Any:
        self._outer = self._function.enter(self._block)
        return self._inside

    def __exit__(
        self, error: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self._function.enter(self._outer)
        if error is not None or isinstance(self._block.last_op, scf.YieldOp):
            return
        if self.op.results:
            raise TypeError(
                f"this {self.op.name} yields {len(self.op.results)} value(s): end it with `yield_`"
            )
        self._block.add_op(scf.YieldOp())


class Function(InstructionMethods):
    """A function under construction; its arguments (`f.table`) and instructions (`f.tload`) are attributes.

    An argument that is named like a method of this class is in `f.args` only.
    """

    def __init__(self, module: Module, name: str, types: dict[str, Attribute]):
        body = Block(arg_types=types.values())
        self.module, self._block = module, body
        self.op = func.FuncOp(name, ([*types.values()], []), Region(body))
        self.op.location = caller_location(module.sources)
        self.args = {argument: Value(self, ssa) for argument, ssa in zip(types, body.args, strict=True)}
        for argument, value in self.args.items():
            set_name(value.ssa, argument)
        self._constants: dict[Attribute, arith.ConstantOp] = {}

    def __enter__(self) -> Function:
        return self

    def __exit__(
        self, error: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if error is not None:
            self.module.drop(self)
        elif not isinstance(self._block.last_op, func.ReturnOp):
            self.return_()

    # --- instructions

    def make_tensor_view(
        self,
        ptr: Value,
        shape: Sequence[Value | int],
        strides: Sequence[Value | int] | None = None,
        *,
        layout: str | None = None,
        name: str | None = None,
    ) -> Value:
        """A view of the memory at a pointer; without strides its rows follow each other."""
        packed: list[Value | int] = [1]
        for extent in reversed(shape[1:]):
            packed.insert(0, extent if packed[0] == 1 else packed[0] * extent)
        element = ptr.type.element_type if isinstance(ptr.type, PtrType) else f32
        found = LayoutAttr.member(layout) if layout else None
        type = TensorViewType.of(extents_of(shape), element, cast(Layout, found or Layout.ND))
        arguments = (type, ptr, [*shape], packed if strides is None else [*strides])
        return self._instruction(MakeTensorViewOp, arguments, {"layout": layout}, name)

    def partition_view(
        self,
        source: Value,
        offsets: Sequence[Value | int],
        sizes: Sequence[Value | int],
        *,
        name: str | None = None,
    ) -> Value:
        """A part of a view: where it starts, and how large it is."""
        if not isinstance(source.type, ViewType):
            raise TypeError(f"a partition needs a view of memory, found {source}")
        type = PartitionTensorViewType.of(extents_of(sizes), source.type.element_type, source.type.layout)
        return self._instruction(PartitionViewOp, (type, source, [*offsets], [*sizes]), {}, name)

    def _instruction(
        self, cls: type[PtoOp], arguments: Sequence[Any], named: dict[str, Any], name: str | None
    ) -> Any:
        result_types: list[Any] = [*named.pop("result_types", ())]
        if (one := named.pop("result_type", None)) is not None:
            result_types.append(one)
        if cls.signature().results:
            # No such instruction takes text by position, so it is a type.
            arguments = [as_type(each) if isinstance(each, str) else each for each in arguments]
        call = bind(cls, arguments, named, takes)
        call.results += map(as_type, result_types)
        for slot in cls.signature().slots:
            values = call.operands.get(slot.name, [])
            call.operands[slot.name] = [self._operand(cls, slot, value, call) for value in values]
        regions = [Region() for _ in cls.get_irdl_definition().regions]
        op = cls.build(**finish(cls, call), regions=regions)
        for problem in op.problems():
            op.erase()
            raise TypeError(f"{cls.name}: {problem.message}; {usage(cls)}")
        return self.add(op, name)

    def _operand(self, cls: type[PtoOp], slot: Slot, value: Any, call: InstructionArguments) -> SSAValue:
        if isinstance(value, int | float):
            return self.constant(value, type_of_number(cls, slot, value, call)).ssa
        return ssa_of(value)

    # --- what is not an instruction

    def enter(self, block: Block) -> Block:
        """Build in another block from now on; gives the one before."""
        self._block, before = block, self._block
        return before

    def add(self, op: Operation, name: str | None = None) -> Any:
        """Put any operation at the end of the current body; gives its result, or a tuple of them."""
        if isinstance(op.location, UnknownLoc):
            op.location = caller_location(self.module.sources)
        self._block.add_op(op)
        if name is not None and op.results:
            set_name(op.results[0], name)
        results = tuple(Value(self, result) for result in op.results)
        return results[0] if len(results) == 1 else results or None

    def constant(self, value: Number, type: str | Attribute = INDEX) -> Value:
        """A number of the program; equal ones are one, at the head of the function."""
        attribute = as_number(value, as_type(type))
        op = self._constants.get(attribute)
        if op is None:
            at = InsertPoint.at_start(self.op.body.block)
            for last in self._constants.values():
                at = InsertPoint.after(last)
            op = self._constants[attribute] = arith.ConstantOp(attribute)
            op.location = caller_location(self.module.sources)
            Rewriter.insert_op(op, at)
        return Value(self, op.result)

    def loop(
        self,
        start: Value | int,
        stop: Value | int,
        step: Value | int = 1,
        carry: Sequence[Value | int] = (),
        name: str | None = None,
    ) -> RegionScope:
        """`with f.loop(0, 64, 8) as i`; with values to carry `as (i, acc)`, and `yield_` gives the next."""
        type = next((bound.type for bound in (start, stop, step) if isinstance(bound, Value)), INDEX)
        lower, upper, by = (self._value(bound, type) for bound in (start, stop, step))
        first = [self._value(value, value.type if isinstance(value, Value) else INDEX) for value in carry]
        body = Block(arg_types=[type, *(value.type for value in first)])
        set_name(body.args[0], name)
        op = scf.ForOp(lower, upper, by, first, body)
        self.add(op)
        i, *carried = [Value(self, argument) for argument in body.args]
        return RegionScope(self, op, body, (i, *carried) if carried else i)

    def if_(self, condition: Value, *result_types: str | Attribute) -> RegionScope:
        """`with f.if_(i < 4)`, then `with f.else_()` if there is something to do otherwise."""
        op = scf.IfOp(condition.ssa, [as_type(each) for each in result_types], [Block()])
        self.add(op)
        return RegionScope(self, op, op.true_region.block, None)

    def else_(self) -> RegionScope:
        """The other branch of the `if_` before it."""
        op = self._block.last_op
        if not isinstance(op, scf.IfOp) or op.false_region.blocks:
            raise TypeError("`else_` must directly follow its `if_`")
        op.false_region.add_block(Block())
        return RegionScope(self, op, op.false_region.block, None)

    def yield_(self, *values: Value | Number) -> None:
        """Yield values from a loop or a branch."""
        op = self._block.parent_op()
        result_types = [] if op is None else [result.type for result in op.results]
        if len(values) != len(result_types):
            raise TypeError(f"{len(result_types)} value(s) must be yielded here, found {len(values)}")
        self.add(scf.YieldOp(*(self._value(v, type) for v, type in zip(values, result_types, strict=True))))

    def return_(self, *values: Value) -> None:
        """End the function with its results; without any, `with` does it."""
        self.add(func.ReturnOp(*map(ssa_of, values)))
        self.op.update_function_type()

    def call(self, name: str, *arguments: Value | Number) -> Any:
        """Call another function of the module; return its results."""
        callee = self.module.functions.get(name)
        if callee is None:
            fix = did_you_mean(name, self.module.functions) or "build it first"
            raise TypeError(f"there is no function `{name}` yet; {fix}")
        signature = callee.op.function_type
        if len(arguments) != len(signature.inputs):
            raise TypeError(f"`{name}` takes {len(signature.inputs)} argument(s), found {len(arguments)}")
        operands = [self._value(a, type) for a, type in zip(arguments, signature.inputs, strict=True)]
        return self.add(func.CallOp(name, operands, signature.outputs.data))

    def _value(self, argument: Value | Number, type: Attribute) -> SSAValue:
        value = argument if isinstance(argument, Value) else self.constant(argument, type)
        if value.type != type:
            raise TypeError(f"expected {type}, found {value}; convert it with `.to(...)`")
        return value.ssa
