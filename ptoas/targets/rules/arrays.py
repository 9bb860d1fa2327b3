"""Arrays and structs of scalars."""

from __future__ import annotations

from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.dialects.pto import arrays as a
from ptoas.dialects.pto.local_types import LocalArrayType, StructType
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Related, Violation, Violations, function_rule, mismatch, rule
from ptoas.targets.target import Target


@rule(
    "PTO-G301",
    source="PTOAS local_array_get, local_array_set",
    reason="Beyond the array lie other variables of the function.",
)
def index_is_inside_the_array(op: a.LocalArrayGetOp | a.LocalArraySetOp, know: Facts) -> Violations:
    """An index of a local array must be inside its dimension."""
    extents = op.array_type.shape
    for at, (index, extent) in enumerate(zip(know.constants("indices"), extents, strict=True)):
        if index is not None and not 0 <= index < extent:
            yield mismatch(
                f"index {at} of `%{op.array.name_hint or 'array'}`",
                index,
                f"0 to {extent - 1}",
                slot=("indices", at),
                part="value",
            )


@function_rule(
    "PTO-G302",
    source="PTOAS declare_struct: a struct stays in the scope that declares it",
    reason="It is a local variable of the function and does not exist outside of it.",
)
def local_variable_stays_in_its_function(facts: FunctionFacts, _target: Target) -> Violations:
    """A local array or struct may only be used by its own get and set: it can't be an argument, a result, or
    a value of a loop or branch."""
    entry = facts.func.body.blocks[0].args if facts.func.body.blocks else ()
    for at, argument in enumerate(entry):
        if isinstance(argument.type, LocalArrayType | StructType):
            message = f"`{value_name(argument)}` is a {argument.type}, a local variable that can't be passed"
            yield Violation(message, op=facts.func, slot=("argument", at))
    for type in facts.func.function_type.outputs:
        if isinstance(type, LocalArrayType | StructType):
            yield Violation(f"{type} is a local variable and can't be returned", op=facts.func)
    for declared in (a.DeclareLocalArrayOp, a.DeclareStructOp):
        for op in facts.by_class.get(declared, ()):
            (result,) = op.results
            for use in result.uses:
                if not isinstance(use.operation, a.LocalArrayOp | a.StructFieldOp):
                    user = use.operation.name
                    message = (
                        f"`{value_name(result)}` is used by `{user}`; only its own get and set may use it"
                    )
                    yield Violation(message, op=use.operation, related=(Related("declared here", op),))
