"""One function: its parameters, its body, and the names and types that its statements share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ptoas.analysis.channels import Channels, is_for_first_lane
from ptoas.analysis.knowledge import Knowledge, is_view, physical_shape
from ptoas.analysis.structure import kind_of
from ptoas.diagnostics import Diagnostic, PtoasError
from ptoas.diagnostics.origins import OriginLocation
from ptoas.dialects.pto.channel import PipeInitOp
from ptoas.dialects.pto.clauses import clauses_of
from ptoas.dialects.pto.comm import StagedOp
from ptoas.dialects.pto.constraints import COUNTS
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.memory import TLoadOp
from ptoas.dialects.pto.sync import AwaitsFlag, FlagOp, SetsFlag
from ptoas.dialects.pto.types import DYNAMIC, GroupType, PtrType, TileType, ViewType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.grammar.spans import span_of
from ptoas.ir.location import SourceLocation, origin_of
from ptoas.ir.names import name_of
from ptoas.lowering.cpp import arrays, channel, control, core_sync, sync, unknown
from ptoas.lowering.cpp.asynchronous import HANDLE_TYPES
from ptoas.lowering.cpp.collectives import kept_extents
from ptoas.lowering.cpp.cores import guarded
from ptoas.lowering.cpp.declarations import argument_view, declare_view
from ptoas.lowering.cpp.events import event_type
from ptoas.lowering.cpp.handlers import emits, handler_of
from ptoas.lowering.cpp.instructions import emit_call
from ptoas.lowering.cpp.lists import list_as_column
from ptoas.lowering.cpp.names import UniqueNames, capitalised, comment_text, identifier
from ptoas.lowering.cpp.readers import read_values
from ptoas.lowering.cpp.scalars import is_scalar
from ptoas.lowering.cpp.tables import open_row_width
from ptoas.lowering.cpp.types import (
    COUNTS_CPP,
    CppView,
    dimensions,
    element_cpp,
    pointer_cpp,
    scalar_cpp,
    tile_cpp,
)
from ptoas.lowering.provenance import reason_of
from ptoas.targets import Target

INDENT = "    "
WIDTH = 110
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"\s*//")
CHAPTERS = (arrays, channel, control, core_sync, sync, unknown)
"""Modules that are imported for their handlers alone."""


class FunctionEmitter:
    """Statements of one function, in order, with the variables declared so far."""

    def __init__(
        self,
        function: func.FuncOp,
        ops: Sequence[Operation],
        target: Target,
        function_names: dict[str, str],
        knowledge: Knowledge,
        names: UniqueNames,
        annotate: bool = False,
        channels: Channels | None = None,
        emit_loc: bool = False,
    ):
        self.function = function
        self.target = target
        self.knowledge = knowledge
        self.annotate = annotate
        self.emit_loc = emit_loc
        self.views: dict[SSAValue, CppView] = {}
        self.read = read_values(ops)
        self._function_names = function_names
        self._names = UniqueNames(names)
        self._values: dict[SSAValue, str] = {}
        self._tensors: dict[SSAValue, str] = {}
        self._declared: dict[SSAValue, tuple[CppView, str]] = {}
        """Views and tensors of memory that is shown as another for a while."""
        self._aliases: dict[str, str] = {}
        self._tile_types: dict[tuple[TileType, tuple[int, int]], str] = {}
        """C++ types by type identity and extents; the function keeps the types alive."""
        self._lines: list[str] = []
        self._depth = 1
        self._last_line = -1
        self._last_origin: OriginLocation | None = None
        self._unnamed: dict[str, int] = {}
        self._definitions: list[tuple[int, str]] = []
        """Lines that define scalars, with the names they define."""
        self._channels = channels
        self.pipes: dict[PipeInitOp, tuple[str, str]] = {}
        """The ends of channels that are declared: their variables and types."""
        self.epilogues: dict[PipeInitOp, str] = {}
        self.control_area: str | None = None
        """The parameter that says where the cores count, for a kernel that begins with telling them."""
        self.push_scales: dict[PipeInitOp, str] = {}
        """The calls that set the scales of pushed tiles."""

    @property
    def has_channels(self) -> bool:
        return self._channels is not None

    @property
    def channels(self) -> Channels:
        """The channels of the module."""
        assert self._channels is not None, "the module has channels"
        return self._channels

    # --- names and texts -------------------------------------------------------------------------

    def fresh(self, name_hint: str) -> str:
        return self._names.unique(name_hint)

    def name(self, value: SSAValue) -> str:
        """The variable of a value; made from the program's name for it."""
        name = self._values.get(value)
        if name is None:
            fallback = "tile" if value.type.__class__ is TileType else "v"
            hint = value.name_hint
            name = self._values[value] = (
                self._names.unique(identifier(hint, fallback)) if hint else self._numbered(fallback)
            )
        return name

    def _numbered(self, base: str) -> str:
        """`v0`, `v1`, ... for values that the program did not name."""
        number = self._unnamed.get(base, 0)
        self._unnamed[base] = number + 1
        return self._names.unique(f"{base}{number}")

    def rename(self, value: SSAValue, text: str) -> None:
        """Use `text`, a literal or another variable, for the value."""
        self._values[value] = text

    def text(self, value: SSAValue) -> str:
        """Return the text of a value: a name or a literal."""
        known = self._values.get(value)
        return self.name(value) if known is None else known

    def operand(self, value: SSAValue) -> str:
        """A value inside an expression."""
        text = self.text(value)
        return f"({text})" if text.startswith("-") else text

    def argument(self, value: SSAValue) -> str:
        """A value as an argument of a call: memory by its tensor, everything else by its name."""
        return self._tensors[value] if is_view(value.type.__class__) else self.text(value)

    def passed(self, value: SSAValue) -> list[str]:
        """A value as the parameters of one of our own functions: memory by its pointer and open extents."""
        type = value.type
        if not isinstance(type, ViewType):
            return [self.text(value)]
        view = self.view(value)
        extents = [e for e, known in zip(view.shape, type.shape, strict=True) if known == DYNAMIC]
        strides = zip(view.strides, type.strides or (), strict=bool(type.strides))
        steps = [stride for stride, known in strides if known == DYNAMIC]
        return [view.pointer, *(str(each) for each in (*extents, *steps))]

    def function_name(self, symbol: str) -> str:
        return self._function_names.get(symbol) or identifier(symbol, "kernel")

    def tensor_name(self, value: SSAValue) -> str:
        name = self._tensors.get(value)
        if name is None:
            base = identifier(value.name_hint, "view") if value.name_hint else "view"
            name_hint = f"{base}GM" if isinstance(value.owner, Block) else base
            name = self._tensors[value] = self._names.unique(name_hint)
        return name

    def show_as(self, value: SSAValue, view: CppView | None) -> None:
        """Let memory be another view of its bytes from here on; `None`: as it was declared."""
        if view is not None:
            self._declared[value] = self.views[value], self._tensors.pop(value)
            declare_view(self, value, view)
        else:
            self.views[value], self._tensors[value] = self._declared.pop(value)

    def view(self, value: SSAValue) -> CppView:
        if value not in self.views:
            raise self._selected("view", "; select the pointer instead")
        return self.views[value]

    def _selected(self, what: object, advice: str = "") -> PtoasError:
        message = f"a {what} that is selected by branches or loops can't be emitted as C++{advice}"
        return PtoasError([Diagnostic("PTO-L004", message, span_of(self.function), op=self.function)])

    # --- types -----------------------------------------------------------------------------------

    def alias(self, text: str, name_hint: str) -> str:
        """A short name for a type, one for each text."""
        name = self._aliases.get(text)
        if name is None:
            name = self._aliases[text] = self._names.unique(name_hint)
        return name

    def tile_type(self, value: SSAValue) -> str:
        type = value.type
        assert isinstance(type, TileType)
        shape = physical_shape(value)
        alias = self._tile_types.get((type, shape))
        if alias is None:
            base = capitalised(identifier(value.name_hint or "", "")) or "Local"
            name_hint = base if base.endswith("Tile") else f"{base}Tile"
            alias = self.alias(tile_cpp(type, shape), name_hint)
            self._tile_types[type, shape] = alias
        return alias

    def tensor_type(self, value: SSAValue) -> str:
        return self._tensor_alias(self.view(value), value)

    def member_type(self, group: SSAValue) -> str:
        """The tensor type of one rank of a group."""
        assert isinstance(group.type, GroupType) and isinstance(group.type.member, ViewType)
        return self._tensor_alias(argument_view(group.type.member, "rank", "rank"), group)

    def _tensor_alias(self, view: CppView, value: SSAValue) -> str:
        layout = f", Layout::{view.layout.name}" if view.layout.name != "ND" else ""
        shape, strides = dimensions("Shape", view.shape5), dimensions("Stride", view.strides5)
        base = capitalised(identifier(value.name_hint or "", "")) or "Memory"
        return self.alias(f"GlobalTensor<{view.element}, {shape}, {strides}{layout}>", f"{base}Tensor")

    def variable_type(self, value: SSAValue) -> str:
        type = value.type
        if is_scalar(type):
            return f"{scalar_cpp(type)} "
        if isinstance(type, TileType):
            return f"{self.tile_type(value)} "
        if isinstance(type, PtrType):
            return pointer_cpp(type)
        if type.__class__ in HANDLE_TYPES:
            return f"{HANDLE_TYPES[type.__class__]} "
        raise self._selected(type)

    # --- statements ------------------------------------------------------------------------------

    def is_declared(self, value: SSAValue) -> bool:
        return value in self._values

    def directive(self, text: str) -> None:
        """A line of the preprocessor."""
        self._lines.append(text)

    def line(self, text: str) -> None:
        self._lines.append(INDENT * self._depth + text)

    def items(self, head: str, values: list[str]) -> None:
        """A braced list, one value a line where it is long."""
        text = f"{head} = {{{', '.join(values)}}};"
        if len(INDENT) * self._depth + len(text) <= WIDTH:
            self.line(text)
            return
        self.line(f"{head} = {{")
        for value in values:
            self.line(f"{INDENT}{value},")
        self.line("};")

    def open(self, head: str) -> None:
        self.line(f"{head} {{".lstrip())
        self._depth += 1

    def close(self, then: str | None = None) -> None:
        """End a block, or continue it with `} else {`."""
        self._depth -= 1
        if then is None:
            self.line("}")
            return
        self.line(f"}} {then} {{")
        self._depth += 1

    # --- events of instructions ---

    def waits(self, op: Operation) -> list[str]:
        """The events that an instruction waits for, as the last arguments of its call."""
        return [self.text(wait.event) for wait in clauses_of(op).waits] if self.target.has_pipes else []

    def recorded(self, op: Operation) -> str:
        """`Event<...> e = ` before the call of an instruction whose event is waited for."""
        record = clauses_of(op).record
        type = event_type(record, self.target) if record is not None else None
        return f"{type} {self.name(record.result)} = " if record is not None and type is not None else ""

    def define(self, value: SSAValue, expression: str, needed: bool = False) -> None:
        """A scalar that never changes; left out again if no statement names it, unless it is `needed`."""
        name = self.name(value)
        self.line(f"const {scalar_cpp(value.type)} {name} = {expression};")
        if not needed:
            self._definitions.append((len(self._lines) - 1, name))

    def declare(self, value: SSAValue, initial: str | None = None) -> None:
        start = "" if initial is None else f" = {initial}"
        self.line(f"{self.variable_type(value)}{self.name(value)}{start};")

    def block(self, block: Block) -> None:
        for op in block.ops:
            if self.annotate:
                self._quote(op)
                self._explain(op)
            if self.emit_loc:
                self._locate(op)
            handler_of(op.__class__)(self, op)

    def _locate(self, op: Operation) -> None:
        """Write the place that a statement was generated from, once for consecutive operations (D50)."""
        origin = origin_of(op)
        if origin is not None and origin != self._last_origin and not isinstance(op, arith.ConstantOp):
            self._last_origin = origin
            self.line(f"// loc: {comment_text(str(origin))}")

    def _quote(self, op: Operation) -> None:
        """The source line that a statement comes from, once."""
        location = op.location
        if not isinstance(location, SourceLocation) or isinstance(op, arith.ConstantOp):
            return
        line = location.source.position(location.start)[0]
        text = comment_text(location.source.line_text(line))
        added = isinstance(op, AllocTileOp | FlagOp) and op.mnemonic() not in text
        if line != self._last_line and not added:
            self._last_line = line
            self.line(f"// {line}: {text}")

    def _explain(self, op: Operation) -> None:
        """The compiler's reason for the operation; once for an adjacent pair of flags."""
        reason = reason_of(op)
        raised = op.prev_op if isinstance(op, AwaitsFlag) else None
        again = isinstance(raised, SetsFlag) and reason == reason_of(raised)
        if reason is not None and not again:
            self.line(f"// {comment_text(reason)}")

    def unsupported(self, op: Operation, why: str) -> PtoasError:
        return _unsupported(op, self.target, why)

    # --- the whole -------------------------------------------------------------------------------

    def parameters(self) -> list[tuple[str, str]]:
        """Type text and name."""
        found: list[tuple[str, str]] = []
        if self.control_area is not None:
            found.append(("__gm__ uint64_t *", self.control_area))
        for argument in self.function.body.block.args:
            found += parameters_of(argument.type, self.name(argument))
        return found

    def emit(self, qualifiers: str) -> str:
        """The whole definition."""
        result = result_type(self.function, self.target)
        parameters = self.parameters()
        if self.control_area is not None:
            self.line(f"set_ffts_base_addr(reinterpret_cast<uint64_t>({self.control_area}));")
        for argument in self.function.body.block.args:
            if isinstance(argument.type, ViewType):
                name = self.name(argument)
                layout = self.knowledge.view(argument).layout
                declare_view(self, argument, argument_view(argument.type, name, name, layout))
        self.block(self.function.body.block)
        lines, named = self._without_unused()
        texts = [
            f"{type}{name}" if name.partition("[")[0] in named else _nameless(type, name)
            for type, name in parameters
        ]
        head = f"{qualifiers} {result} {self.function_name(self.function.sym_name.data)}"
        aliases = [f"{INDENT}using {name} = {text};" for text, name in self._aliases.items()]
        if aliases and lines:
            aliases.append("")
        body = lines
        if result == "void":
            first_lane = self._is_for_first_lane()
            kind = kind_of(self.function)
            body = guarded(lines, kind, self.target, first_lane=first_lane, threads=self.has_channels)
        return "\n".join([signature(head, texts), "{", *aliases, *body, "}"])

    def _is_for_first_lane(self) -> bool:
        """Return True if only vector core 0 runs this."""
        if not self.has_channels or not is_for_first_lane(self.function, self.channels):
            return False
        return not any(self.target.model(init).both_lanes for init in self.pipes)

    def _without_unused(self) -> tuple[list[str], set[str]]:
        """The statements without definitions that none of them names, and all names that are left.

        What a view or a tile fixes by its type is an operand in the program, but no C++ text.
        """
        text = "\n".join(self._lines)
        if "//" in text:
            text = "\n".join([line for line in self._lines if not _COMMENT.match(line)])
        count = Counter(_WORD.findall(text))
        dropped: set[int] = set()
        for at, name in reversed(self._definitions):
            if count[name] == 1:
                dropped.add(at)
                count.subtract(_WORD.findall(self._lines[at]))
        lines = [line for at, line in enumerate(self._lines) if at not in dropped]
        return lines, {word for word, uses in count.items() if uses > 0}


@emits(StagedOp)
def _emit_staged(emit: FunctionEmitter, op: StagedOp) -> None:
    with kept_extents(emit, op):
        emit_call(emit, op)


@emits(TLoadOp)
def _emit_load(emit: FunctionEmitter, op: TLoadOp) -> None:
    with list_as_column(emit, op):
        emit_call(emit, op)


@emits(IndexedMemoryOp)
def _emit_indexed(emit: FunctionEmitter, op: IndexedMemoryOp) -> None:
    with open_row_width(emit, op):
        emit_call(emit, op)


@emits(Operation)
def _refuse(emit: FunctionEmitter, op: Operation) -> None:
    raise emit.unsupported(op, "this operation has no C++ form")


def parameters_of(type: Attribute, name: str) -> list[tuple[str, str]]:
    """The C++ type and name of each parameter of a function."""
    match type:
        case ViewType():
            view = argument_view(type, name, name)
            # A stride that follows from the extents is one of them again, or a product.
            steps = view.strides if type.strides is not None else ()
            extra = [("int64_t ", extent) for extent in (*view.shape, *steps) if isinstance(extent, str)]
            return [(f"__gm__ {element_cpp(type.element_type)} *", name), *extra]
        case PtrType():
            return [(pointer_cpp(type), name)]
        case GroupType():
            assert isinstance(type.member, ViewType)
            pointer = f"__gm__ {element_cpp(type.member.element_type)} *"
            return [(pointer, f"{name}[{type.size}]")]
        case TileType():
            return [(f"{tile_cpp(type)} &", name)]
        case _ if type == COUNTS:
            return [(f"{COUNTS_CPP} &", name)]
        case _ if type.__class__ in HANDLE_TYPES:
            return [(f"{HANDLE_TYPES[type.__class__]} &", name)]
        case _:
            return [(f"{scalar_cpp(type)} ", name)]


def result_type(function: func.FuncOp, target: Target) -> str:
    for type in (*function.function_type.inputs, *function.function_type.outputs):
        if isinstance(type, UnregisteredAttr):
            raise _unsupported(function, target, f"{type} of another dialect has no C++ form")
    match list(function.function_type.outputs):
        case []:
            return "void"
        case [TileType() as tile]:
            return tile_cpp(tile)
        case [ViewType()] if function.body.blocks:
            return "auto"  # extents and strides are part of the type, and the body knows them
        case [type] if is_scalar(type):
            return scalar_cpp(type)
        case [type]:
            raise _unsupported(function, target, f"a C++ function that returns {type} is not written")
        case _:
            raise _unsupported(function, target, "a C++ function returns one value at most")


def _unsupported(op: Operation, target: Target, why: str) -> PtoasError:
    message = f"`{name_of(op)}`: {why}"
    return PtoasError([Diagnostic("PTO-L004", message, span_of(op), targets=(target.name,), op=op)])


def _nameless(type: str, name: str) -> str:
    """A parameter that nothing reads; an array stays one."""
    name, bracket, size = name.partition("[")
    return f"{type.rstrip()}{bracket}{size} /* {name} */"


def signature(head: str, parameters: list[str], width: int = WIDTH) -> str:
    """The head of a function; parameters that don't fit are continued under the first."""
    lines = [f"{head}("]
    for n, parameter in enumerate(parameters):
        last = n == len(parameters) - 1
        piece = parameter + (")" if last else ", ")
        if len((lines[-1] + piece).rstrip()) > width and lines[-1].strip():
            lines.append(" " * (len(head) + 1))
        lines[-1] += piece
    if not parameters:
        lines[-1] += ")"
    return "\n".join(line.rstrip() for line in lines)
