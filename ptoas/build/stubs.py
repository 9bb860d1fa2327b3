"""Stubs made from the dialect: the methods of a function under construction, and constructors of operations.

Editors complete from a stub, and type checkers check with it. `__getattr__` of the methods is for the
arguments of the function, which are values: calling a name that is no instruction is an error, as a value
can't be called. A class of `operations.pyi` stands for the class of its chapter and adds the constructor, so
that chapters need no stubs, which would repeat all else in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from keyword import iskeyword
from pathlib import Path
from typing import NamedTuple

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, f32

from ptoas.build import instructions as methods
from ptoas.build.function import Function
from ptoas.build.instructions import instructions
from ptoas.build.values import INDEX
from ptoas.dialects.pto import CHAPTERS, OTHERS, instructions_of, operations
from ptoas.dialects.pto.construct import fields_by_python_name, required_fields
from ptoas.dialects.pto.instruction import EnumAttrType, Field, PtoOp, Slot

_METHODS = """\
# Made from the dialect by `python -m ptoas.editors`.
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal, TypeAlias, overload

from xdsl.ir import Attribute

from ptoas.build.values import Value
from ptoas.dialects.pto.instruction import PtoOp

_Value: TypeAlias = Value
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

_CONSTRUCTORS = """\
# Made from the dialect by `python -m ptoas.editors`.
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Literal, TypeAlias, overload

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue

@CHAPTERS@

_Value: TypeAlias = SSAValue | Operation
_Number: TypeAlias = _Value
_Values: TypeAlias = _Value | Sequence[_Value]
_Type: TypeAlias = Attribute
_Attributes: TypeAlias = Mapping[str, Attribute | None] | None
@WORDS@
"""
_OF_ALL_OPERATIONS = (
    "attributes: _Attributes = ...",
    "location: LocationAttr | None = ...",
    "regions: Sequence[Region] | None = ...",
)

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


class _Call(NamedTuple):
    """A way to call an instruction: parameters by position and by name, and what a method returns."""

    by_position: list[_Parameter]
    by_name: list[_Parameter]
    result: str


def stubs() -> dict[Path, str]:
    """Every stub, by its path."""
    return {
        Path(module.__file__ or "").with_suffix(".pyi"): text
        for module, text in ((methods, _methods()), (operations, _operations()))
    }


def _methods() -> str:
    classes = {
        name: cls
        for name, cls in sorted(instructions().items())
        if name not in vars(Function) and cls.__module__.startswith("ptoas.")
    }
    head = _METHODS.replace("@WORDS@\n", _word_types(classes.values()))
    of_all = ("name: str | None = None",)
    return head + "".join(_definitions(name, cls, of_all) for name, cls in classes.items())


def _operations() -> str:
    chapters = [chapter for chapter in CHAPTERS if chapter not in OTHERS]
    imports = "\n".join(f"from ptoas.dialects.pto import {chapter} as _{chapter}" for chapter in chapters)
    classes = {cls: chapter for chapter in chapters for cls in instructions_of(chapter)}
    head = _CONSTRUCTORS.replace("@CHAPTERS@", imports).replace("@WORDS@\n", _word_types(classes))
    for cls, chapter in classes.items():
        constructor = _definitions("__init__", cls, _OF_ALL_OPERATIONS)
        head += f"\nclass {cls.__name__}(_{chapter}.{cls.__name__}):\n{constructor}"
    return head


def _word_types(classes: Iterable[type[PtoOp]]) -> str:
    """Aliases of the types of enumerations that the instructions have as attributes."""
    fields = (field for cls in classes for field in cls.signature().fields.values())
    enums = {field.enum.enum.__name__: field.enum for field in fields if field.enum is not None}
    return "".join(f"_{name}: TypeAlias = {_words(enum)}\n" for name, enum in sorted(enums.items()))


def _words(enum: EnumAttrType) -> str:
    """The type of an argument that names a member: its spelling, or the last word of that."""
    spellings = enum.spellings()
    last = [word.rpartition("_")[2] for word in spellings]
    short = [word for word in last if last.count(word) == 1 and word not in spellings]
    literals = ", ".join(f'"{word}"' for word in (*spellings, *short))
    return f"Literal[{literals}] | StrEnum | int | Attribute"


def _definitions(name: str, cls: type[PtoOp], common: Sequence[str]) -> str:
    """The lines of a method or constructor, with its documentation; `common` are the parameters of all."""
    calls = _calls(cls)
    overload = "    @overload\n" * (len(calls) > 1)
    doc = f'        """{_summary(cls)}"""\n'
    return "".join(f"{overload}    {_signature(name, call, common)}\n{doc}" for call in calls)


def _calls(cls: type[PtoOp]) -> list[_Call]:
    """The ways to call an instruction; two where the destination may be given, or is the result."""
    signature = cls.signature()
    slots = [_operand(slot) for slot in signature.slots if slot.name not in cls.SCRATCH]
    fields = fields_by_python_name(cls)
    names = {field.name: at for at, field in fields.items()}
    brackets = [_attribute(names[at], fields[names[at]]) for at in required_fields(cls)]
    optional = [_operand(slot) for slot in signature.slots if slot.name in cls.SCRATCH]
    optional += [_attribute(at, field) for at, field in fields.items() if field.optional]
    if not signature.results:
        return [_Call([*_first(slots), *brackets], [*_last(slots), *optional], "None")]
    destinations = [slot.name for slot in signature.slots if slot.optional and slot.name in cls.OUTS]
    sources = [each for each in slots if each.name not in destinations]
    type = [_Parameter("result_type", "_Type | None", False)]
    types = [_Parameter("result_types", "Sequence[_Type]", False)]
    count = len(signature.results)
    result = "_Value"
    if count == 1:
        types = []
    elif any(optional for _, _, optional in signature.results):
        result = "Any"  # one value, or several: that depends on the operands
    else:
        type, result = [], f"tuple[{', '.join(['_Value'] * count)}]"
    new = _Call([*_first(sources), *brackets, *type], [*_last(sources), *optional, *types], result)
    if not destinations:
        return [new]
    written = [
        each._replace(type=each.type.removesuffix(" | None"), required=True)
        if each.name == destinations[0]
        else each
        for each in slots
    ]
    more = [each for each in written if each.name in destinations[1:]]
    first = [each for each in written if each not in more]
    return [new, _Call([*_first(first), *brackets], [*more, *_last(first), *optional], "None")]


def _first(parameters: list[_Parameter]) -> list[_Parameter]:
    """Required parameters, which go by position."""
    return [each for each in parameters if each.required]


def _last(parameters: list[_Parameter]) -> list[_Parameter]:
    return [each for each in parameters if not each.required]


def _signature(name: str, call: _Call, common: Sequence[str]) -> str:
    parameters = ["self", *map(_text, call.by_position), "*", *map(_text, call.by_name), *common]
    result = "None" if name == "__init__" else call.result
    return f"def {name}({', '.join(parameters)}) -> {result}:"


def _text(parameter: _Parameter) -> str:
    default = "" if parameter.required else " = ..."
    return f"{parameter.name}: {parameter.type}{default}"


def _operand(slot: Slot) -> _Parameter:
    name = f"{slot.name}_" if iskeyword(slot.name) else slot.name
    if slot.variadic:
        return _Parameter(name, "_Values", False)
    type = "_Number" if slot.accepts(INDEX) or slot.accepts(f32) else "_Value"
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
