"""Check operations against their declarations: ends of bodies, calls, and requirements that xDSL does not
check."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.scf import ConditionOp, ExecuteRegionOp, IfOp, IndexSwitchOp, WhileOp, YieldOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects.blocks import Dominance, successor_operands
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.visibility import is_entry
from ptoas.grammar import tree as t
from ptoas.grammar.problems import StatementProblem, counted
from ptoas.grammar.spans import operand_span

if TYPE_CHECKING:
    from ptoas.grammar.build import Builder
    from ptoas.grammar.layout import RawStatement

TERMINATORS = ("func.return", "scf.yield", "scf.condition", "func.call")
"""Operations that are checked when the enclosing operation is complete."""


def verify_terminators(builder: Builder) -> None:
    """Check terminators against the enclosing operation, and calls against the called function."""
    functions: dict[ModuleOp, dict[str, FuncOp]] = {}
    for raw, op in builder.deferred:
        try:
            _check_return(op)
            if isinstance(op, CallOp):
                _check_call(op, raw, functions)
            else:
                verify(op)
        except StatementProblem as problem:
            builder.report_problem(raw, problem)


def _check_return(op: Operation) -> None:
    function = op.parent_op()
    if not isinstance(op, ReturnOp) or not isinstance(function, FuncOp):
        return
    if "function_type" not in function.properties:
        return
    found, expected = list(op.operand_types), list(function.function_type.outputs)
    if expected and is_entry(function):
        message = (
            f"`@{function.sym_name.data}` is an entry and can't return values; it returns {_listed(expected)}"
        )
        raise StatementProblem("PTO-P060", message)
    if found != expected:
        name = function.sym_name.data
        message = f"`return` gives {_listed(found)}, but `@{name}` returns {_listed(expected)}"
        is_tile = not expected and any(isinstance(type, TileType) for type in found)
        fix = "`tstore` it to an argument in global memory, and return nothing" if is_tile else None
        raise StatementProblem("PTO-P042", message, fix=fix)


def _listed(types: list[Attribute]) -> str:
    return ", ".join(map(str, types)) or "nothing"


def _check_call(op: CallOp, raw: RawStatement, known: dict[ModuleOp, dict[str, FuncOp]]) -> None:
    """Check a call against its function; `known` caches the functions of each module."""
    module = op.parent_op()
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    if "callee" not in op.properties:
        raise StatementProblem("PTO-P060", "`func.call` needs the name of a function")
    if module is None:
        return verify(op)
    if module not in known:
        known[module] = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
    name = op.callee.string_value()
    function = known[module].get(name)
    if function is None:
        at = max(raw.text.find(f"@{name}"), 0)
        fix = did_you_mean(name, known[module], before="@")
        node = t.Node(at, at + len(name) + 1)
        raise StatementProblem("PTO-P030", f"there is no function `@{name}`", node, fix)
    type = function.function_type
    for what, declares, found, expected in (
        ("takes", "passes", op.operand_types, type.inputs.data),
        ("returns", "expects", op.result_types, type.outputs.data),
    ):
        if tuple(found) != tuple(expected):
            message = (
                f"`@{name}` {what} {_listed(list(expected))}, but this call {declares} {_listed(list(found))}"
            )
            raise StatementProblem("PTO-P060", message)


def check_dominance(builder: Builder, blocks: Sequence[Block]) -> None:
    """Check that the definition of each value dominates its uses in other blocks."""
    known = Dominance(blocks)
    own = set(blocks)
    for block in blocks:
        for op in block.walk():
            for at, operand in enumerate(op.operands):
                home = operand.owner if isinstance(operand.owner, Block) else operand.owner.parent
                if home is None or home is block or home not in own or known.dominates(home, block):
                    continue
                span = operand_span(op, at)
                name = f"`%{operand.name_hint}`" if operand.name_hint else "this value"
                message = f"{name} is not defined on every path to this use"
                fix = "pass it to the block: `cf.br ^block(%value : type)`"
                builder.report("PTO-P080", message, span.offset, span.length, fix)


def is_unsigned_constant(op: Operation) -> bool:
    """Return True for a constant of an unsigned type, which xDSL's `arith` does not have (D10)."""
    if not isinstance(op, ConstantOp) or len(op.results) != 1 or op.operands or op.regions:
        return False
    value, type = op.properties.get("value"), op.results[0].type
    if not isinstance(type, IntegerType) or not isinstance(value, IntegerAttr):
        return False
    integer = cast("IntegerType[int, Signedness]", type)
    attribute = cast("IntegerAttr[IntegerType]", value)
    return integer.signedness.data is Signedness.UNSIGNED and attribute.type == integer


def verify(op: Operation) -> None:
    if is_unsigned_constant(op):
        return
    try:
        _check_segments(op)
        if isinstance(op, WhileOp):
            _check_while(op)
        elif isinstance(op, IfOp | IndexSwitchOp | ExecuteRegionOp):
            _check_branches(op)
        if op.successors:
            _check_successors(op)
        op.verify_()  # first, since `verify` prints the whole program into what it raises
        if op.parent is not None or op.successors:
            op.verify(verify_nested_ops=False)
    except VerifyException as error:
        raise StatementProblem("PTO-P060", f"`{op.name}`: {words_of(op, error)}") from None
    except AssertionError:
        raise StatementProblem("PTO-P061", f"`{op.name}` does not belong here") from None
    except (IndexError, KeyError, ValueError):
        # xDSL reads operands and attributes before it has checked that they are there.
        message = f"`{op.name}` lacks an operand, result or attribute of its declaration"
        raise StatementProblem("PTO-P060", message) from None


def words_of(op: Operation, error: VerifyException) -> str:
    """The message of an xDSL error, on one line.

    It asks the traits of an operation in no fixed order; of several broken ones this takes always the same.
    """
    broken: list[str] = []
    for trait in op.traits:
        try:
            trait.verify(op)
        except VerifyException as other:
            broken.append(str(other))
    message = min(broken) if str(error) in broken else str(error)
    return _plain(message)


_SLOT = r"(?:operand|result) '(\w+)' at position \d+ does not verify: "
_XDSL_MESSAGES = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (_SLOT + r"attribute (.+) expected from variable '\w+', but got (.+)", r"`\1` is \3, expected \2"),
        (_SLOT + r"Expected attribute (.+) but got (.+)", r"`\1` is \3, expected \2"),
        (_SLOT + r"Unexpected attribute (.+)", r"`\1` can't be \2"),
        (_SLOT + r"(.+) should be of base attribute .+", r"`\1` can't be \2"),
        (r"attribute (.+) expected from variable '\w+', but got (.+)", r"found \2, expected \1"),
        (
            r"Expected (\d+) (operands?|results?|regions?|successors?), but got (\d+)",
            r"found \3 \2, expected \1",
        ),
        (r"(?:property|attribute) '(\w+)' expected in operation '.+'", r"attribute `\1` is missing"),
        (r"(.+) should be of base attribute pto\.(.+)", r"\1 is not a \2"),
        (r"(.+) should be of base attribute .+", r"\1 is not a valid attribute here"),
        (r"Destination bit-width must be larger .+", "the result must have more bits than the operand"),
        (r"Destination bit-width must be smaller .+", "the result must have fewer bits than the operand"),
        (r".+ equal bitwidths .+", "operand and result must have the same number of bits"),
        (r".+ are cast incompatible", "it does not convert between these types"),
        (
            r"scf.yield expected (\d+) args, but got (\d+)\. .+",
            r"it carries \1 values, but its scf.yield gives \2",
        ),
        (
            r"Expected yield arg #(\d+) to be (.+), but got (.+)\. .+",
            r"value \1 of its scf.yield is \3, expected \2",
        ),
        (r"'.+' expects parent op to be one of (.+)", r"it must be directly inside one of: \1"),
        (r"'.+' expects parent op '(.+)'", r"it must be directly inside `\1`"),
        (r"'.+' must be the last operation .+", "it must be the last statement of its block"),
    )
)
"""Messages of xDSL's verifiers and their replacements without terms of the IR."""


def _plain(message: str) -> str:
    """Reword a message of xDSL for the author of a program."""
    line = " ".join(message.split())
    for pattern, words in _XDSL_MESSAGES:
        if match := pattern.fullmatch(line):
            return re.sub(r"'([\w.]+)'", r"`\1`", match.expand(words))
    return line


def _check_while(op: WhileOp) -> None:
    """Check that the values carried by a loop keep their types; xDSL assumes some of it."""
    if any(len(region.blocks) != 1 for region in op.regions):
        raise StatementProblem("PTO-P060", "`scf.while` must have two bodies of one block each")
    before, after = op.before_region.block, op.after_region.block
    condition, end = before.last_op, after.last_op
    if not isinstance(condition, ConditionOp):
        message = "the first body of `scf.while` must end in `scf.condition`"
        raise StatementProblem("PTO-P060", message, culprit=condition)
    if not isinstance(end, YieldOp):
        message = "the second body of `scf.while` must end in `scf.yield`"
        raise StatementProblem("PTO-P060", message, culprit=end)
    for what, culprit, found, expected in (
        ("the first body takes", None, before.arg_types, op.operand_types),
        ("`scf.condition` passes", condition, condition.operand_types[1:], op.result_types),
        ("the second body takes", None, after.arg_types, op.result_types),
        ("`scf.yield` passes", end, end.operand_types, op.operand_types),
    ):
        if list(found) != list(expected):
            message = f"`scf.while`: {what} {_listed(list(found))}, expected {_listed(list(expected))}"
            raise StatementProblem("PTO-P042", message, culprit=culprit)


def _check_branches(op: IfOp | IndexSwitchOp | ExecuteRegionOp) -> None:
    """Check that every body yields the result types; of several blocks, those that yield."""
    for region in op.regions:
        ends = [block.last_op for block in region.blocks]
        if region.blocks and region.blocks[0].args:
            raise StatementProblem("PTO-P060", f"a body of `{op.name}` takes no arguments")
        if len(ends) > 1:
            ends = [end for end in ends if isinstance(end, YieldOp)]
        for end in ends:
            found = [] if end is None else list(end.operand_types)
            if found != list(op.result_types):
                expected = _listed(list(op.result_types))
                message = f"`{op.name}`: a body yields {_listed(found)}, expected {expected}"
                raise StatementProblem("PTO-P042", message, culprit=end)
    if isinstance(op, IfOp) and op.results and not op.false_region.blocks:
        raise StatementProblem("PTO-P060", "`scf.if` has a result, so it needs an `else`")


def _check_successors(op: Operation) -> None:
    """Check the operands of a branch against the arguments of its blocks, in the same region."""
    for block, passed in zip(op.successors, successor_operands(op), strict=False):
        found, expected = [value.type for value in passed], list(block.arg_types)
        if found != expected:
            message = f"`{op.name}` passes {_listed(found)}, but the block takes {_listed(expected)}"
            raise StatementProblem("PTO-P042", message)
        if block.parent is not op.parent_region():
            raise StatementProblem("PTO-P061", f"`{op.name}` can't branch out of its body")
        if block.parent is not None and block is block.parent.first_block:
            raise StatementProblem("PTO-P061", f"`{op.name}` can't branch to the first block of a body")


def _check_segments(op: Operation) -> None:
    """Check that segment sizes add up, which xDSL assumes."""
    for name, values in (("operandSegmentSizes", op.operands), ("resultSegmentSizes", op.results)):
        sizes = op.properties.get(name)
        if not isinstance(sizes, DenseArrayBase):
            continue
        segments = sizes.get_values()
        if min(segments, default=0) < 0 or sum(segments) != len(values):
            word = name.removesuffix("SegmentSizes")
            raise VerifyException(f"{name} {list(segments)} for {counted(len(values), word)}")


def check_ends(op: Operation) -> None:
    """Check that every block of a body ends in a terminator."""
    if not op.regions or op.has_trait(NoTerminator):
        return
    for block in (block for region in op.regions for block in region.blocks):
        last = block.last_op
        # An unknown operation may end a body; in a function's own form a `return` would come behind it.
        unknown_ends = not isinstance(op, FuncOp) or (last is not None and bool(last.successors))
        if last is None or not last.has_trait(IsTerminator, value_if_unregistered=unknown_ends):
            found = "is empty" if last is None else f"ends in `{last.name}`"
            raise StatementProblem("PTO-P060", f"a block of `{op.name}` {found}; it needs a terminator")
