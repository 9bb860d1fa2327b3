"""`instructions.pyi`: the methods of a function under construction, made from the dialect.

Editors complete from a stub, and type checkers check with it. Its `__getattr__` is for the arguments of the
function, which are values: calling a name that is no instruction is an error, as a value can't be called.
"""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path
from typing import NamedTuple

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, f32

from ptoas.build.function import Function
from ptoas.build.instructions import instructions
from ptoas.build.values import INDEX
from ptoas.dialects.pto.construct import fields_by_python_name, required_fields
from ptoas.dialects.pto.instruction import EnumAttrType, Field, PtoOp, Slot

STUB = Path(__file__).with_name("instructions.pyi")

_HEAD = """\
# Made from the dialect by `python -m ptoas.editors`.
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal, TypeAlias, overload

from xdsl.ir import Attribute

from ptoas.build.values import Value
from ptoas.dialects.pto.instruction import PtoOp

_Number: TypeAlias = Value | int | float
_Values: TypeAlias = Value | Sequence[Value | int]
_Type: TypeAlias = str | Attribute
@WORDS@

def instructions() -> dict[str, type[PtoOp]]: ...

class InstructionMethods:
    args: dict[str, Value]
    def __getattr__(self, name: str) -> Value: ...
    def __dir__(self) -> list[str]: ...
    def _instruction(
        self, cls: type[PtoOp], arguments: Sequence[Any], named: dict[str, Any], name: str | None
    ) -> Any: ...
"""

_ATTRIBUTES = {
    UnitAttr: "bool",
    BoolAttr: "bool",
    IntegerAttr: "int | Attribute",
    StringAttr: "str",
    DenseArrayBase: "Sequence[int]",
}


class _Parameter(NamedTuple):
    name: str
    type: str
    required: bool


def stub() -> str:
    """The text of the stub."""
    classes = {
        name: cls
        for name, cls in sorted(instructions().items())
        if name not in vars(Function) and cls.__module__.startswith("ptoas.")
    }
    fields = (field for cls in classes.values() for field in cls.signature().fields.values())
    enums = {field.enum.enum.__name__: field.enum for field in fields if field.enum is not None}
    words = "".join(f"_{name}: TypeAlias = {_words(enum)}\n" for name, enum in sorted(enums.items()))
    methods = (line for name, cls in classes.items() for line in _method(name, cls))
    return _HEAD.replace("@WORDS@\n", words) + "".join(f"    {line}\n" for line in methods)


def _words(enum: EnumAttrType) -> str:
    """The type of an argument that names a member: its spelling, or the last word of that."""
    spellings = enum.spellings()
    last = [word.rpartition("_")[2] for word in spellings]
    short = [word for word in last if last.count(word) == 1 and word not in spellings]
    literals = ", ".join(f'"{word}"' for word in (*spellings, *short))
    return f"Literal[{literals}] | StrEnum | int | Attribute"


def _method(name: str, cls: type[PtoOp]) -> Iterator[str]:
    """The lines of a method; two signatures where the destination may be given, or is the result."""
    signature = cls.signature()
    slots = [_operand(slot) for slot in signature.slots if slot.name not in cls.SCRATCH]
    fields = fields_by_python_name(cls)
    names = {field.name: at for at, field in fields.items()}
    brackets = [_attribute(names[at], fields[names[at]]) for at in required_fields(cls)]
    optional = [_operand(slot) for slot in signature.slots if slot.name in cls.SCRATCH]
    optional += [_attribute(at, field) for at, field in fields.items() if field.optional]
    destinations = [slot.name for slot in signature.slots if slot.optional and slot.name in cls.OUTS]
    if not signature.results:
        yield _signature(name, [*_first(slots), *brackets], [*_last(slots), *optional], "None")
        yield f'    """{_summary(cls)}"""'
        return
    result = (
        "Value" if len(signature.results) == 1 else f"tuple[{', '.join(['Value'] * len(signature.results))}]"
    )
    type = _Parameter("result_type", "_Type | None", False)
    types = _Parameter("result_types", "Sequence[_Type]", False)
    results = [type] if len(signature.results) == 1 else []
    more = [*optional] if results else [*optional, types]
    sources = [each for each in slots if each.name not in destinations]
    new = _signature(name, [*_first(sources), *brackets, *results], [*_last(sources), *more], result)
    if not destinations:
        yield new
        yield f'    """{_summary(cls)}"""'
        return
    yield "@overload"
    yield new
    yield f'    """{_summary(cls)}"""'
    written = [
        each._replace(type=each.type.removesuffix(" | None"), required=True)
        if each.name == destinations[0]
        else each
        for each in slots
    ]
    more = [each for each in written if each.name in destinations[1:]]
    first = [each for each in written if each not in more]
    yield "@overload"
    yield _signature(name, [*_first(first), *brackets], [*more, *_last(first), *optional], "None")
    yield f'    """{_summary(cls)}"""'


def _first(parameters: list[_Parameter]) -> list[_Parameter]:
    """Required parameters, which go by position."""
    return [each for each in parameters if each.required]


def _last(parameters: list[_Parameter]) -> list[_Parameter]:
    return [each for each in parameters if not each.required]


def _signature(name: str, by_position: list[_Parameter], by_name: list[_Parameter], result: str) -> str:
    first = [_text(each) for each in by_position]
    rest = [*map(_text, by_name), "name: str | None = None"]
    return f"def {name}({', '.join(['self', *first, '*', *rest])}) -> {result}:"


def _text(parameter: _Parameter) -> str:
    default = "" if parameter.required else " = ..."
    return f"{parameter.name}: {parameter.type}{default}"


def _operand(slot: Slot) -> _Parameter:
    name = f"{slot.name}_" if iskeyword(slot.name) else slot.name
    if slot.variadic:
        return _Parameter(name, "_Values", False)
    type = "_Number" if slot.accepts(INDEX) or slot.accepts(f32) else "Value"
    return _Parameter(name, f"{type} | None" if slot.optional else type, not slot.optional)


def _attribute(name: str, field: Field) -> _Parameter:
    if field.enum is not None:
        type = f"_{field.enum.enum.__name__}"
    else:
        bases = field.constraint.get_bases() or ()
        type = next((text for kind, text in _ATTRIBUTES.items() if kind in bases), "Attribute")
    return _Parameter(name, f"{type} | None" if field.optional else type, not field.optional)


def _summary(cls: type[PtoOp]) -> str:
    return (cls.__doc__ or cls.name).strip().splitlines()[0].replace("\\", "\\\\")
