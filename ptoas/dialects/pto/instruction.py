"""Base class of PTO operations, and the families of most of them.

An instruction declares its operands, attributes and results; how it is read and printed in each text form
follows from that and from the few class variables below. Nothing here knows a target.
"""

from abc import ABC
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeAlias, cast

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, LocationAttr, f16, f32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    OptOperandDef,
    OptPropertyDef,
    OptResultDef,
    RangeConstraint,
    VarOperandDef,
    VerificationContext,
    operand_def,
    opt_operand_def,
    opt_result_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, ElementMismatch, PtoConstraint, Scalar
from ptoas.dialects.pto.construct import by_result, construct, segments
from ptoas.dialects.pto.element_types import BY_TYPE, element_size, element_text
from ptoas.dialects.pto.enums import PtoEnumAttr
from ptoas.dialects.pto.result_types import BLOCK, DerivedType, Operands, Properties, with_element
from ptoas.dialects.pto.slots import DeclaredEffects, accesses
from ptoas.dialects.pto.types import TileType

Argument: TypeAlias = (
    SSAValue | Operation | Attribute | str | int | Sequence[SSAValue | Operation | int] | None
)
"""Arguments of an operation's constructor: operands, and attributes or values that make them."""

EnumAttrType: TypeAlias = type[PtoEnumAttr[Any]]


@dataclass(frozen=True)
class Slot:
    """A named place for operands: exactly one, at most one, or any number."""

    name: str
    constraint: PtoConstraint
    optional: bool
    variadic: bool

    @property
    def kind(self) -> str:
        """The name of its operands in messages."""
        return self.constraint.kind

    def accepts(self, type: Attribute) -> bool:
        return self.constraint.verifies(type)


@dataclass(frozen=True)
class Field:
    """A named attribute of an instruction; `enum` when it is one of the language's enumerations."""

    name: str
    optional: bool
    enum: EnumAttrType | None
    constraint: AttrConstraint


@dataclass(frozen=True)
class Signature:
    """An instruction's declaration in the form that reading, checking and printing need."""

    slots: tuple[Slot, ...]
    fields: dict[str, Field]
    results: tuple[tuple[str, AttrConstraint, bool], ...]
    """Name, constraint, and whether the result may be missing."""
    segmented: bool
    """True if the operation stores the number of operands of each slot (more than one may vary)."""
    results_segmented: bool
    """True if it stores which of its optional results are present."""

    def slot(self, name: str) -> Slot:
        return next(s for s in self.slots if s.name == name)


@dataclass(frozen=True)
class Problem:
    """A declaration that an operation breaks: which operand (or attribute, or result), and how."""

    message: str
    operand: int | None = None
    field: str | None = None
    result: int | None = None
    fix: str | None = None


def _single(constraint: Any) -> AttrConstraint:
    """The constraint on each value of a range; xDSL keeps operands and results as ranges."""
    while isinstance(constraint, RangeConstraint):
        wrapped = cast(Any, constraint)
        constraint = wrapped.constr if hasattr(wrapped, "constr") else wrapped.constraint
    return constraint


class PtoOp(IRDLOperation, ABC):
    """An operation of the `pto` dialect."""

    OUTS: ClassVar[tuple[str, ...]] = ()
    """Operand slots that the instruction writes: `outs(...)` in DPS form, first in assembly form."""

    WRITES: ClassVar[tuple[str, ...]] = ()
    """Further slots that it writes, which the text forms do not call destinations."""

    SCRATCH: ClassVar[tuple[str, ...]] = ()
    """Operand slots that are clobbered: not read, and undefined afterwards."""

    NO_EFFECT: ClassVar[tuple[str, ...]] = ()
    """Operand slots whose memory it does not touch: it gives them an address, an extent, another name. Every
    tile, view, group or pointer in a slot of none of these is read."""

    SIDE_EFFECTING: ClassVar[bool] = False
    """True if it has effects other than its writes, so that it may not be dropped or moved: orders,
    binds, prints.
    """

    TAKES_EVENTS: ClassVar[bool] = True
    """True if the library's call of an instruction takes `WaitEvents &...`: the clause `wait(...)`."""

    RETURNS_EVENT: ClassVar[bool] = True
    """True if it also returns a `RecordEvent`: the clause `record`."""

    CONTEXT_SENSITIVE: ClassVar[bool] = False
    """True if its effect or its rules depend on its neighbours, not only on its attributes and the facts
    about its operands.
    """

    RETURNS_TILES: ClassVar[bool] = False
    """True if its results are tiles that represent the slots of `OUTS` (SSA form)."""
    REQUIRES_CONSTANTS: ClassVar[bool] = False
    """True if the declaration requires constants among the operands: then each statement is checked
    separately.
    """

    WRITES_RESULT: ClassVar[bool] = False
    """True if its result is a tile with its own memory, which it fills: the entry of a channel."""

    TIED: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of slots, a destination and an operand, that are one buffer: what is written is what was read."""

    LAST: ClassVar[str | None] = None
    """The optional slot that the last of several operands of one kind fills, unless the word `no_` with its
    name stands behind them."""

    RESULT_LIKE: ClassVar[str | None] = None
    """The operand slot whose type the result has where nothing says otherwise."""

    RESULT_ELEMENT: ClassVar[str | None] = None
    """The operand slot whose element type the result has."""

    RESULT_FROM: ClassVar[DerivedType | None] = None
    """The function of operand types that gives the result's type."""

    CONVERTS: ClassVar[str | None] = None
    """The operand slot whose shape the result has, of the element type that the statement names."""

    RESULTS: ClassVar[tuple[Attribute, ...]] = ()
    """The types that the results always have."""

    SUFFIXES: ClassVar[tuple[str, ...]] = ()
    """Attributes that can be written as suffixes of the opcode, in their order: `mgather.row.clamp`."""

    ALIASES: ClassVar[tuple[str, ...]] = ()
    """Other opcodes that are read as this operation."""

    OVERLOADS: ClassVar[tuple[str, ...]] = ()
    """Opcodes that are read as this operation where it `claims` the operands."""

    KEYS: ClassVar[Mapping[str, str]] = {}
    """Other names of attributes: `{"op": "reduceOp"}`."""

    EXTENDS_LIFETIME: ClassVar[bool] = False
    """True if its results continue to use its tiles, which live as long as the results."""

    REFUSED: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Keywords of other tools that this instruction does not support, with their replacement."""

    ORDER: ClassVar[tuple[str, ...]] = ()
    """Slots that the documents write before the others, where that is not the order of declaration."""

    ASSEMBLER_ORDER: ClassVar[tuple[str, ...]] = ()
    """Slots as the generic form of the C++ assembler lists them, where that is read too."""

    ASSEMBLY_FORMAT: ClassVar[str | None] = None
    """Template of the text after the opcode, for printing and parsing.

    | piece | meaning |
    |---|---|
    | `$name` | the operands of a slot, with commas between them |
    | `^name` | their types; of a result, too: `^result` |
    | `#name`, `#name:x` | an attribute; a whole number is an i64, `:x` writes it as hexadecimal |
    | `&name` | the word `name`, where the unit attribute `name` is set |
    | `{attrs}` | the dictionary of all attributes that have no place of their own |
    | `{name}` | the region `name` |
    | `(...)?` | a part that is there if all that it names is; if it holds but such parts, if one of them is |
    | all else | itself; after an opening bracket a comma is dropped |

    A word before a piece is how the piece is found: `word $x`, `word = $x`, `word [$x]`, `word($x)`,
    `@word(#x)`. `$x[$y]` takes its indices; attributes without a word stand in their order; a word that names
    nothing is passed over. Reading is free in the order of all else: operands go to the slots that take their
    kind, `{...}` may stand anywhere. Examples:

        "$ptr[$offset] {attrs} : ^ptr -> ^result"              load_scalar %p[%i] : !pto.ptr<f32> -> f32
        "[#src_pipe, #dst_pipe, $event] {attrs}"               set_flag_dyn[<PIPE_V>, <PIPE_S>, %e]
        "($dst, recv($staging) : ^dst, ^staging) {attrs}"      comm.tgather(%d, recv(%t) : V, T) {root = 1}
        "{attrs}( aiv_subblockid($lane))? -> ^result"          tpop_from_aic {split = 0} -> T
        "{attrs}( ((gm = $gm : ^gm)?(, buf = $buf : ^buf)?))?" aic_initialize_pipe {id = 0} (buf = %x : i32)
        "{body} {attrs}"                                       section.cube { ... }

    A template with `ins(...)` or `outs(...)` is the DPS form's. The other two follow from it: what stands in
    the two, without types, then the dictionary and the list of types. So

        "ins($src, $row, $col : ^src, ^row, ^col( fp $fp : ^fp)?) outs($dst : ^dst) {attrs}"

    prints and reads `tinsert ins(%s, %r, %c : T, index, index fp %f : T) outs(%d : T)` and
    `%d = tinsert %s, %r, %c fp %f : (T, index, index, T) -> T`. Without a template an operation has the DPS
    form, with `OUTS` in `outs(...)` and all other slots in `ins(...)`, in the order of the class.
    """

    @classmethod
    def __subclasshook__(cls, subclass: type, /) -> bool:
        """No virtual subclasses. Otherwise a negative `isinstance` test of an abstract class would ask, and
        remember the answer of, every class below it."""
        return cls in subclass.__mro__

    @classmethod
    def without(
        cls, fields: Mapping[str, Attribute], types: Sequence[Attribute | None] = ()
    ) -> tuple[str, ...]:
        """The optional slots that a statement with these attributes, and with values of these types, has no
        operands for."""
        return ()

    @classmethod
    def claims(cls, types: Sequence[Attribute | None]) -> bool:
        """Return True if one of `OVERLOADS` denotes this operation, given the types of the statement's
        values.
        """
        return False

    traits = traits_def(DeclaredEffects())

    def inplace_operands(self) -> tuple[str, ...]:
        """The slots that it writes and that this operation reads as well: accumulators, atomic additions."""
        return ()

    def __init__(
        self,
        *arguments: Argument,
        result_type: Attribute | None = None,
        result_types: Sequence[Any] | None = None,
        attributes: Mapping[str, Attribute | None] | None = None,
        location: LocationAttr | None = None,
        regions: Sequence[Region] | None = None,
        operands: Sequence[SSAValue | Operation | Sequence[SSAValue | Operation] | None] | None = None,
        properties: Mapping[str, Attribute | None] | None = None,
        **named: Argument,
    ):
        """Operands by position or name, attributes by name: see `ptoas.dialects.pto.construct`; a region that
        is not given is empty.

        With `operands` or `properties` it is xDSL's own constructor, and takes what that takes.
        """
        if operands is None and properties is None:
            types = [result_type] if result_types is None else result_types
            parts = construct(type(self), arguments, named, types)
            bodies = [Region(Block()) for _ in self.get_irdl_definition().regions]
            super().__init__(**parts, attributes=attributes, regions=regions or bodies)
        else:
            more: dict[str, Any] = {**named, "operands": operands, "result_types": result_types}
            super().__init__(
                *arguments, properties=properties, attributes=attributes, regions=regions, **more
            )
        if location is not None:
            self.location = location

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        """The types of all results, from the operands of each slot; `None` where they do not tell.

        `VerifyException` says why they can't be.
        """
        if cls.RESULT_LIKE is not None:
            return [value.type for value in operands[cls.RESULT_LIKE]]
        if cls.RESULT_ELEMENT is not None:
            element = getattr(operands[cls.RESULT_ELEMENT][0].type, "element_type", None)
            return None if element is None else [element]
        if cls.RESULT_FROM is not None:
            derived = cls.RESULT_FROM.infer(operands)
            return None if derived is None else [derived]
        return cls.RESULTS or None

    @classmethod
    def convert_result_types(
        cls, types: Sequence[Attribute], operands: Mapping[str, Sequence[Attribute | None]]
    ) -> Sequence[Attribute]:
        """The result types as given; of a conversion that names an element type, the tile of that type."""
        source = operands.get(cls.CONVERTS or "") or [None]
        if len(types) != 1 or types[0] not in BY_TYPE or not isinstance(source[0], TileType):
            return types
        return [with_element(source[0], types[0])]

    @classmethod
    def plausible_result_types(cls, operands: Sequence[Attribute]) -> Sequence[Attribute]:
        """Types that the results could have, where the operands do not determine them; may be empty."""
        if not cls.signature().results:
            return []
        elements = (getattr(type, "element_type", type) for type in operands)
        element = next((type for type in elements if type in BY_TYPE), f32)
        columns = max(16, BLOCK // element_size(element))
        guess = [*(t for t in operands if isinstance(t, TileType)), TileType.of(element, 16, columns)]
        if cls.CONVERTS:
            guess = [with_element(guess[0], f16 if element == f32 or element_size(element) == 1 else f32)]
        _, constraint, _ = cls.signature().results[0]
        return [type for type in guess if constraint.verifies(type)][:1]

    @classmethod
    @cache
    def signature(cls) -> Signature:
        definition = cls.get_irdl_definition()
        slots: list[Slot] = []
        for name, operand in definition.operands:
            optional = isinstance(operand, OptOperandDef)
            variadic = isinstance(operand, VarOperandDef) and not optional
            constraint = cast(PtoConstraint, _single(operand.constr))
            slots.append(Slot(name, constraint, optional, variadic))
        fields: dict[str, Field] = {}
        for name, prop in definition.properties.items():
            if name in (AttrSizedOperandSegments.attribute_name, AttrSizedResultSegments.attribute_name):
                continue
            bases = prop.constr.get_bases() or set()
            enum = next((cast(EnumAttrType, b) for b in bases if issubclass(b, PtoEnumAttr)), None)
            fields[name] = Field(name, isinstance(prop, OptPropertyDef), enum, prop.constr)
        results = tuple(
            (name, _single(r.constr), isinstance(r, OptResultDef)) for name, r in definition.results
        )
        segmented = any(isinstance(o, AttrSizedOperandSegments) for o in definition.options)
        results_segmented = any(isinstance(o, AttrSizedResultSegments) for o in definition.options)
        return Signature(tuple(slots), fields, results, segmented, results_segmented)

    @classmethod
    def mnemonic(cls) -> str:
        """The opcode without its dialect: `mgather`, `comm.tgather`."""
        return cls.name.removeprefix("pto.")

    def operands_of(self, slot: str) -> tuple[SSAValue, ...]:
        """The operands of a slot; the results of a name, too."""
        value = cast("SSAValue | tuple[SSAValue, ...] | None", getattr(self, slot))
        if value is None:
            return ()
        return tuple(value) if isinstance(value, tuple) else (value,)

    def values_of(self, slot: str) -> tuple[SSAValue, ...]:
        """The operands in a slot; a destination is a result in SSA form."""
        values = self.operands_of(slot)
        if values or not self.RETURNS_TILES or slot not in self.OUTS:
            return values
        return tuple(self.results[-1 - a.operand] for a in accesses(self) if a.slot == slot)

    def segments(self) -> Iterator[tuple[Slot, tuple[SSAValue, ...]]]:
        """Every slot with the operands that fill it, in operand order."""
        for slot in self.signature().slots:
            yield slot, self.operands_of(slot.name)

    def fill(self, slot: str, values: Sequence[SSAValue]) -> None:
        """Put other values into a slot, in place."""
        filled = {each.name: group for each, group in self.segments()} | {slot: tuple(values)}
        self.operands = [value for group in filled.values() for value in group]
        self.properties |= segments(type(self), map(len, filled.values()), len(self.results))

    def rebuilt(self, slots: Mapping[str, Sequence[SSAValue]], result_types: Sequence[Attribute]) -> Self:
        """The same instruction with other values in some slots, and other results."""
        operands = [slots.get(slot.name, values) for slot, values in self.segments()]
        rebuilt = self.build(
            operands=operands,
            result_types=by_result(type(self), result_types),
            properties=self.properties,
            attributes=self.attributes,
        )
        rebuilt.location = self.location
        return rebuilt

    def problems(self) -> Sequence[Problem]:
        """Every declaration that the operation breaks; `verify` stops at the first."""
        try:
            self.verify_()
        except VerifyException as error:
            return tuple(self._broken_parts()) or (Problem(str(error)),)
        return ()

    def _broken_parts(self) -> Iterator[Problem]:
        """The operands, results and attributes that their own constraints refuse."""
        signature = self.signature()
        context = VerificationContext()
        at = 0
        for slot, operands in self.segments():
            for operand in operands:
                try:
                    slot.constraint.verify(operand.type, context)
                except VerifyException as error:
                    message = f"operand `{slot.name}`: {error}"
                    fix = None if slot.name in self.OUTS else _conversion(operand, error)
                    yield Problem(message, operand=at, fix=fix)
                at += 1
        for at, ((name, constraint, _), result) in enumerate(
            zip(signature.results, self.results, strict=False)
        ):
            try:
                constraint.verify(result.type, context)
            except VerifyException as error:
                fix = None
                if isinstance(error, ElementMismatch) and isinstance(result.type, TileType):
                    fix = f"name a tile of {element_text(error.required)}, and convert that with `tcvt`"
                elif isinstance(error, ElementMismatch):
                    fix = f"name the type {element_text(error.required)}"
                yield Problem(f"{name}: {error}", result=at, fix=fix)
        for field in signature.fields.values():
            value = self.properties.get(field.name)
            if value is None and not field.optional:
                message = f"attribute `{field.name}` is missing"
                fix = f"give it, as `ptoas explain {self.mnemonic()}` shows"
                yield Problem(message, field=field.name, fix=fix)
            if value is not None and not field.constraint.verifies(value):
                yield Problem(f"attribute `{field.name}` can't be {value}", field=field.name)


def _conversion(operand: SSAValue, error: VerifyException) -> str | None:
    """The fix of an operand that has another element type than those before it."""
    if not isinstance(error, ElementMismatch):
        return None
    name, type = operand.name_hint or "x", element_text(error.required)
    if isinstance(operand.type, TileType):
        return f"convert it first: `%t = tcvt %{name} : {type}`"
    if isinstance(operand.type, IndexType | IntegerType | AnyFloat):
        return f"declare `%{name}` as `{type}`, or write the number in its place"
    return None


def check_slots(cls: type[PtoOp]) -> None:
    """Check that the effects of an instruction follow from its declaration; raises `TypeError`.

    Every operand needs a constraint that says whether it stands for memory, and every name in `OUTS`,
    `WRITES`, `SCRATCH` and `NO_EFFECT` must be an operand. Called for every instruction when the dialect is
    imported.
    """
    slots = dict(cls.get_irdl_definition().operands)
    for name in (*cls.OUTS, *cls.WRITES, *cls.SCRATCH, *cls.NO_EFFECT):
        if name not in slots:
            raise TypeError(f"{cls.__name__} has no slot {name!r}, which it says it touches")
    for name, operand in slots.items():
        constraint = _single(operand.constr)
        if not isinstance(constraint, PtoConstraint):
            raise TypeError(
                f"{cls.__name__}.{name}: whether {constraint} stands for memory is not known; "
                "declare the slot with a constraint of ptoas.dialects.pto.constraints"
            )


class Instruction(PtoOp, ABC):
    """An instruction that makes a tile: it has a result (SSA) or writes a destination operand (DPS)."""

    OUTS: ClassVar[tuple[str, ...]] = ("dst",)
    RETURNS_TILES: ClassVar[bool] = True

    dst = opt_operand_def(AnyTile("T"))
    result = opt_result_def(AnyTile("T"))

    @property
    def destination(self) -> SSAValue:
        """The tile that is written, whichever way it is spelled."""
        value = self.result if self.dst is None else self.dst
        assert value is not None
        return value

    @property
    def is_dps(self) -> bool:
        return self.dst is not None

    def verify_(self) -> None:
        if (self.dst is None) == (self.result is None):
            raise VerifyException("needs exactly one destination: a result (SSA) or an operand (DPS)")


class UnaryOp(Instruction, ABC):
    """`dst[i, j] = f(src[i, j])`."""

    RESULT_LIKE: ClassVar = "src"
    src = operand_def(AnyTile("T"))


class BinaryOp(Instruction, ABC):
    """`dst[i, j] = f(src0[i, j], src1[i, j])`."""

    RESULT_LIKE: ClassVar = "src0"
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))


class ScalarOp(Instruction, ABC):
    """`dst[i, j] = f(src[i, j], scalar)`."""

    RESULT_LIKE: ClassVar = "src"
    src = operand_def(AnyTile("T"))
    scalar = operand_def(Scalar("T"))


class ScratchOp(Instruction, ABC):
    """An instruction that needs a scratch tile on some targets."""

    SCRATCH: ClassVar[tuple[str, ...]] = ("tmp",)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    tmp = opt_operand_def(AnyTile())


class SeveralTilesOp(Instruction, ABC):
    """An instruction with several destinations, of which some may be missing."""

    irdl_options = (AttrSizedOperandSegments(as_property=True), AttrSizedResultSegments(as_property=True))


class ReductionOp(ScratchOp, ABC):
    """A reduction along one axis."""

    src = operand_def(AnyTile("T"))
