"""The `pto` dialect: types, attributes and instructions, chapter by chapter."""

from xdsl.ir import Dialect

from ptoas.dialects.pto.comm import COMM_OPS
from ptoas.dialects.pto.elementwise import ELEMENTWISE_OPS
from ptoas.dialects.pto.enums import ENUM_ATTRIBUTES
from ptoas.dialects.pto.expand import EXPAND_OPS
from ptoas.dialects.pto.gather import GATHER_OPS
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import MEMORY_OPS
from ptoas.dialects.pto.movement import MOVEMENT_OPS
from ptoas.dialects.pto.reduce import REDUCE_OPS
from ptoas.dialects.pto.scalar import SCALAR_OPS
from ptoas.dialects.pto.sync import SYNC_OPS
from ptoas.dialects.pto.types import TYPES
from ptoas.dialects.pto.views import VIEW_OPS

OPS: tuple[type[PtoOp], ...] = (
    *VIEW_OPS,
    *MEMORY_OPS,
    *SCALAR_OPS,
    *GATHER_OPS,
    *ELEMENTWISE_OPS,
    *EXPAND_OPS,
    *REDUCE_OPS,
    *MOVEMENT_OPS,
    *SYNC_OPS,
    *COMM_OPS,
)

PTO = Dialect("pto", [*OPS], [*TYPES, *ENUM_ATTRIBUTES])
