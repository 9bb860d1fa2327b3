"""Building an instruction from Python: operands by position or name, attributes by name, as it declares them.

    TLoadOp(view, dst)                     MGatherOp(table, idx, dst, coalesce="row", gather_oob="clamp")
    TLoadOp(view, result_type=tile)        AllocTileOp(tile, valid_row=rows)

One mechanism serves all instructions; it knows no instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.irdl import AttrSizedOperandSegments, AttrSizedResultSegments
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from ptoas.diagnostics.spelling import did_you_mean

if TYPE_CHECKING:
    from ptoas.dialects.pto.instruction import Field, PtoOp, Signature, Slot

Takes: TypeAlias = "Callable[[Slot, Any], bool]"
"""Predicate: a slot accepts an argument."""


class InstructionArguments:
    """The arguments of one instruction, each at its place."""

    def __init__(self) -> None:
        self.operands: dict[str, list[Any]] = {}
        self.properties: dict[str, Attribute] = {}
        self.results: list[Attribute] = []


def bind(
    cls: type[PtoOp], arguments: Sequence[Any], named: Mapping[str, Any], takes: Takes
) -> InstructionArguments:
    """Give every argument its place; raises `TypeError`.

    By position, types are those of the results, and all else fills the slots in their order, then the
    attributes that the text writes by position. What an optional slot does not take passes it by. Scratch
    is given by name only: it would be mistaken for the destination.
    """
    call = InstructionArguments()
    signature = cls.signature()
    fields = {**fields_by_python_name(cls), **signature.fields}
    slots = {slot.name: slot for slot in signature.slots}
    for name, value in named.items():
        if name in slots:
            _put(cls, call, slots.pop(name), value, takes)
        elif name in fields:
            _set(cls, call, fields[name], value)
        else:
            raise _error(cls, f"has no operand or attribute `{name}`", did_you_mean(name, _names(cls)))
    free = [slot for slot in slots.values() if slot.name not in cls.SCRATCH]
    brackets = [fields[name] for name in required_fields(cls) if name not in call.properties]
    for argument in arguments:
        if isinstance(argument, TypeAttribute):
            call.results.append(cast(Attribute, argument))
            continue
        while free and argument is not None and _passes_by(free[0], argument, takes):
            free.pop(0)
        if free:
            _put(cls, call, free.pop(0), argument, takes)
        elif brackets:
            _set(cls, call, brackets.pop(0), argument)
        else:
            raise _error(cls, f"has no operand for {_found(argument)}")
    _require_all(cls, signature, call)
    return call


def construct(
    cls: type[PtoOp], arguments: Sequence[Any], named: Mapping[str, Any], results: Sequence[Attribute | None]
) -> dict[str, Any]:
    """The arguments of `build`, from what a person gives."""
    call = bind(cls, arguments, named, _takes_value)
    call.operands = {name: [SSAValue.get(v) for v in values] for name, values in call.operands.items()}
    call.results += [type for type in results if type is not None]
    return finish(cls, call)


def finish(cls: type[PtoOp], call: InstructionArguments) -> dict[str, Any]:
    """The arguments of `build`, from values at their places; finds the types of the results."""
    return {
        "operands": [call.operands.get(slot.name, ()) for slot in cls.signature().slots],
        "result_types": by_result(cls, _result_types(cls, call)),
        "properties": call.properties,
    }


def by_result(cls: type[PtoOp], types: Sequence[Attribute]) -> list[Sequence[Attribute]]:
    """The types of the results as `build` takes them, one entry for each declared result; the last of these
    may be missing."""
    return [types[at : at + 1] for at in range(len(cls.signature().results))]


def segments(cls: type[PtoOp], sizes: Iterable[int], results: int) -> dict[str, Attribute]:
    """The properties that say how many operands each slot has, and which results there are."""
    signature = cls.signature()
    found: dict[str, Attribute] = {}
    if signature.segmented:
        found[AttrSizedOperandSegments.attribute_name] = segment_sizes(*sizes)
    if signature.results_segmented:
        present = [int(at < results) for at in range(len(signature.results))]
        found[AttrSizedResultSegments.attribute_name] = segment_sizes(*present)
    return found


@cache
def segment_sizes(*sizes: int) -> DenseArrayBase:
    """The number of values of each slot, in xDSL's form; cached, as building it is slow."""
    return DenseArrayBase.from_list(i32, sizes)


def usage(cls: type[PtoOp]) -> str:
    """Return the call of an instruction's constructor: `mgather(mem, idx, dst=None, *, coalesce=None,
    gather_oob=None)`.
    """
    return f"{cls.mnemonic().replace('.', '_')}({', '.join(_names(cls).values())})"


# --- places ----------------------------------------------------------------------------------------


def _takes_value(slot: Slot, argument: Any) -> bool:
    if not isinstance(argument, SSAValue | Operation):
        return False
    return slot.accepts(SSAValue.get(cast("SSAValue | Operation", argument)).type)


def _passes_by(slot: Slot, argument: Any, takes: Takes) -> bool:
    if isinstance(argument, list | tuple):
        return slot.optional
    return (slot.optional or slot.variadic) and not takes(slot, argument)


def _put(cls: type[PtoOp], call: InstructionArguments, slot: Slot, argument: Any, takes: Takes) -> None:
    several = isinstance(argument, list | tuple)
    if several and not slot.variadic:
        raise _error(cls, f"takes one value as `{slot.name}`, found {_found(argument)}")
    values: list[Any] = [*argument] if several else [] if argument is None else [argument]
    for value in values:
        if not takes(slot, value):
            raise _error(cls, f"takes {slot.kind} as `{slot.name}`, found {_found(value)}")
    call.operands[slot.name] = values


def _require_all(cls: type[PtoOp], signature: Signature, call: InstructionArguments) -> None:
    for slot in signature.slots:
        if not (slot.optional or slot.variadic or call.operands.get(slot.name)):
            raise _error(cls, f"needs `{slot.name}`: {slot.kind}")
    for name, field in fields_by_python_name(cls).items():
        if not field.optional and field.name not in call.properties:
            raise _error(cls, f"needs the attribute `{name}`")


def _result_types(cls: type[PtoOp], call: InstructionArguments) -> Sequence[Attribute]:
    """Return the result types, given or inferred from the operands."""
    signature = cls.signature()
    required = sum(not optional for _, _, optional in signature.results)
    destinations = [slot.name for slot in signature.slots if slot.optional and slot.name in cls.OUTS]
    written = any(call.operands.get(name) for name in destinations)
    inferred: Sequence[Attribute] | None = call.results
    why = "it does not follow from the operands"
    if not inferred and not written and (required or destinations):
        operands = {slot.name: call.operands.get(slot.name, ()) for slot in signature.slots}
        try:
            inferred = cls.infer_result_types(operands, call.properties)
        except VerifyException as error:
            inferred, why = None, str(error)
    if inferred is None:
        missing = "`dst`, or the result's type" if destinations else "the result's type"
        raise _error(cls, f"needs {missing} as `result_type=`: {why}")
    types = {name: [value.type for value in values] for name, values in call.operands.items()}
    inferred = cls.convert_result_types(inferred, types)
    if not required <= len(inferred) <= len(signature.results):
        raise _error(cls, f"has {len(signature.results)} result(s), found {len(inferred)} result type(s)")
    return inferred


# --- attributes ------------------------------------------------------------------------------------


def _set(cls: type[PtoOp], call: InstructionArguments, field: Field, value: Any) -> None:
    is_flag = UnitAttr in (field.constraint.get_bases() or ())
    if value is None or (is_flag and value is False):
        return
    attribute = _member(cls, field, value) if field.enum else UnitAttr() if is_flag else _attribute(value)
    if attribute is None or not field.constraint.verifies(attribute):
        raise _error(cls, f"can't have {value!r} as `{field.name}`")
    call.properties[field.name] = attribute


def _member(cls: type[PtoOp], field: Field, value: Any) -> Attribute | None:
    """A member of an enumeration: itself, its spelling, or its place in the enumeration."""
    assert field.enum is not None
    match value:
        case Attribute():
            return value
        case StrEnum() if isinstance(value, field.enum.enum):
            return field.enum(value)
        case int() if not isinstance(value, bool) and 0 <= value < len(field.enum.enum):
            return field.enum([*field.enum.enum][value])
        case str() if (found := field.enum.member(value)) is not None:
            return field.enum(found)
        case _:
            words = field.enum.spellings()
            fix = did_you_mean(str(value), words)
            raise _error(cls, f"can't have {value!r} as `{field.name}`; it is one of {', '.join(words)}", fix)


def _attribute(value: Any) -> Attribute | None:
    """Convert a Python value to an attribute, with the types that the text gives it."""
    match value:
        case Attribute():
            return value
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntegerAttr(value, i64)
        case str():
            return StringAttr(value)
        case list() | tuple():
            return DenseArrayBase.from_list(i64, cast("Sequence[int]", value))
        case _:
            return None


# --- words -----------------------------------------------------------------------------------------


@cache
def fields_by_python_name(cls: type[PtoOp]) -> dict[str, Field]:
    """The attributes by their names in Python, which differ in style: `gather_oob` is `gatherOob`."""
    accessors = cls.get_irdl_definition().accessor_names
    names = {declared: name for name, (declared, _) in accessors.items()}
    fields = cls.signature().fields
    return {names.get(name, name): fields[name] for name in dict.fromkeys((*cls.SUFFIXES, *fields))}


def required_fields(cls: type[PtoOp]) -> list[str]:
    """The attributes that must be given, which go by position too: `SetFlagOp("MTE2", "V", 0)`."""
    return [name for name, field in cls.signature().fields.items() if not field.optional]


@cache
def _names(cls: type[PtoOp]) -> dict[str, str]:
    """Return the signature as a call: positional arguments, `*`, keyword arguments."""
    slots = {s.name: s.name + ("=[]" if s.variadic else "=None" * s.optional) for s in cls.signature().slots}
    fields = {name: name + "=None" * field.optional for name, field in fields_by_python_name(cls).items()}
    needed = [n for n, slot in enumerate(cls.signature().slots) if not (slot.optional or slot.variadic)]
    last = needed[-1] if needed else 0
    # What may be missing before an operand that may not is best given by name.
    by_position = {
        slot.name: slots[slot.name]
        for n, slot in enumerate(cls.signature().slots)
        if slot.name not in cls.SCRATCH and not (slot.optional and n < last)
    }
    by_position |= {name: fields[name] for name in required_fields(cls) if name in fields}
    rest = {name: text for name, text in (slots | fields).items() if name not in by_position}
    if cls.signature().results:
        rest["result_type"] = "result_type=None"
    return {**by_position, **({"*": "*"} if rest else {}), **rest}


def _found(argument: Any) -> str:
    if isinstance(argument, SSAValue):
        return f"a value of type {cast(SSAValue, argument).type}"
    return f"{argument!r}"


def _error(cls: type[PtoOp], problem: str, fix: str | None = None) -> TypeError:
    return TypeError(f"{cls.name} {problem}; {fix or usage(cls)}")
