"""Default values of attributes that a program omits, by target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, SSAValue

from ptoas.dialects.pto.defaults import register_default_attributes
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.targets import UnknownTargetError, get_target


@register_default_attributes
def default_attributes(
    target: str, cls: type[PtoOp], operands: Sequence[SSAValue], properties: Mapping[str, Attribute]
) -> dict[str, Attribute]:
    """The attributes that a suffix could spell and none does; none where there is no such target."""
    try:
        chosen = get_target(target)
    except UnknownTargetError:
        return {}
    sample = cls.create(operands=operands, properties=dict(properties))
    found: dict[str, Attribute] = {}
    for name, field in cls.signature().fields.items():
        if name in cls.SUFFIXES and name not in properties and field.enum is not None:
            value = chosen.value(sample, name)
            found |= {} if value is None else {name: field.enum(value)}
    sample.drop_all_references()
    return found
