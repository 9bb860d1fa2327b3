"""Types and attributes of instructions between cores: handles, arrays of event ids, epilogues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.core_enums import PushLayout, PushLayoutAttr, PushQuant, PushQuantAttr
from ptoas.dialects.pto.enums import PtoEnumAttr, ReluPreMode, ReluPreModeAttr
from ptoas.dialects.pto.types import PtoType

MOST_EVENT_IDS = 64
"""The longest array of event ids; there are eight events."""


@irdl_attr_definition
class PipeType(ParametrizedAttribute, TypeAttribute):
    """The handle of a channel between the cores of a block."""

    name = "pto.pipe"


@irdl_attr_definition
class EventIdArrayType(PtoType):
    """Event ids that the running program chooses: `!pto.eventid_array<4>`."""

    name = "pto.eventid_array"
    size_attr: IntAttr

    @property
    def size(self) -> int:
        return self.size_attr.data

    def verify(self) -> None:
        if not 1 <= self.size <= MOST_EVENT_IDS:
            raise VerifyException(f"an array of event ids has 1 to {MOST_EVENT_IDS}; found {self.size}")

    def body(self) -> str:
        return str(self.size)


@irdl_attr_definition
class AccPushEpilogueAttr(ParametrizedAttribute):
    """Conversion of an accumulator by a push: `#pto.acc_push_epilogue<layout = nz2nd, quant = no_convert,
    relu = no_relu>`.
    """

    name = "pto.acc_push_epilogue"
    layout_attr: PushLayoutAttr
    quant_attr: PushQuantAttr
    relu_attr: ReluPreModeAttr

    @property
    def layout(self) -> PushLayout:
        return self.layout_attr.data

    @property
    def quant(self) -> PushQuant:
        return self.quant_attr.data

    @property
    def relu(self) -> ReluPreMode:
        return self.relu_attr.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        found: dict[str, PtoEnumAttr[Any]] = {
            "layout": PushLayoutAttr(PushLayout.NZ2ND),
            "quant": PushQuantAttr(PushQuant.NoQuant),
            "relu": ReluPreModeAttr(ReluPreMode.NoRelu),
        }
        names: set[str] = set()
        with parser.in_angle_brackets():
            while True:
                key = parser.parse_identifier()
                parser.parse_punctuation("=")
                word = parser.parse_identifier()
                if key not in found:
                    parser.raise_error(f"`{key}` is none of {', '.join(found)}")
                if key in names:
                    parser.raise_error(f"`{key}` is given twice")
                names.add(key)
                kind = type(found[key])
                member = kind.member(word)
                if member is None:
                    parser.raise_error(f"`{word}` is none of {', '.join(kind.spellings())}")
                found[key] = kind(member)
                if parser.parse_optional_punctuation(",") is None:
                    return list(found.values())

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(
                f"layout = {self.layout.value}, quant = {self.quant.value}, relu = {self.relu.value}"
            )


CORE_TYPES: tuple[type[ParametrizedAttribute], ...] = (PipeType, EventIdArrayType, AccPushEpilogueAttr)
