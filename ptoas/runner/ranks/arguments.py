"""Arguments of several ranks: which memory is shared, who owns it, and what each rank is given.

- An integer argument named `my_rank` or `rank`, or one that is cast to a value of such a name or compared
  with the root where a collective is called, is the number of the rank that runs; one named `nranks` or
  `num_ranks` is how many there are; unless values are given.
- A `!pto.group` argument has one member in the memory of each rank, and every rank sees all of them.
- An argument that stands at place r of `group(%a, %b, ...)` is memory of rank r, and every rank sees it.
- An argument that the program adds the distance between two windows to is a window: every rank has one of its
  own and reaches the others by that distance. The table that the distance is calculated from is made here.
- Everything else is a rank's own.

`NAME@R=VALUE` is for rank R alone, or for member R of a group. `NAME=VALUE` is for all ranks; an array with
one more dimension in front, as long as there are ranks, is dealt out along it. `GROUP=@NAME` makes the group
of the ranks' own memory arguments NAME.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, cast

from xdsl.ir import Operation

from ptoas.analysis.knowledge import packed_strides
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.enums import Layout
from ptoas.dialects.pto.remote import CommTTestOp, CommTWaitOp
from ptoas.dialects.pto.scalar import LoadScalarOp
from ptoas.dialects.pto.types import DYNAMIC, GroupType
from ptoas.machine.arrays import np
from ptoas.machine.errors import command_line_span, failure
from ptoas.machine.memory import GlobalBuffer, Pointer, RankGroup, Space, View
from ptoas.machine.signals import loop_around
from ptoas.runner.argument_slice import ArgumentSlice
from ptoas.runner.arguments import BoundArgument, as_elements, strides_of
from ptoas.runner.context import RankPlace, places_in_window, window_of
from ptoas.runner.kernel import Kernel
from ptoas.runner.named import check_inputs, check_names
from ptoas.runner.parameters import Parameter
from ptoas.runner.ranks.members import RankWindow
from ptoas.runner.report import split_option
from ptoas.runner.values import CONTEXT, RANK_WORDS, Allowance, generate, read_value


@dataclass(frozen=True)
class ArgumentText:
    """The text of a value after `NAME=`."""

    text: str


def normalise(arguments: Mapping[str, Any] | Sequence[str]) -> dict[str, Any]:
    """Arguments by name, texts marked as such."""
    if isinstance(arguments, Mapping):
        return dict(arguments)
    return {name: ArgumentText(value) for name, value in (split_option("--arg", text) for text in arguments)}


class RankArguments:
    """The arguments of all ranks; each takes its own part."""

    def __init__(
        self,
        kernel: Kernel,
        arguments: Mapping[str, Any] | Sequence[str],
        size: int,
        seed: int = 0,
        allowance: Allowance | None = None,
    ):
        self.kernel = kernel
        self.size = size
        self.seed = seed
        self.allowance = allowance or Allowance()
        self.arguments = normalise(arguments)
        self._check_names()
        self._check_groups()
        self._slices = ArgumentSlice(kernel.module, kernel.entry, kernel.parameters)
        self.aliases = self._aliases()
        self.owners = self._owners()
        self._stacked: dict[str, Any] = {}
        self._window_bytes = 0
        if isinstance(arguments, Mapping) and not kernel.options.generate:
            self._check_inputs()
        # The last rank's scalars say how large memory has to be: those that count ranks are largest there.
        self._scalars(size - 1)

    def _check_names(self) -> None:
        plain: dict[str, object] = {}
        for name in self.arguments:
            base, sign, rank = name.partition("@")
            plain[base] = None
            if sign and not (rank.isdecimal() and int(rank) < self.size):
                raise failure(
                    "PTO-R601",
                    f"{name!r} names rank {rank!r}; the ranks are 0 to {self.size - 1}",
                    span=command_line_span(f"--arg {name}"),
                )
        check_names(self.kernel.parameters, plain, self.kernel.entry)

    def _check_inputs(self) -> None:
        """Require every input on every rank that has it; which rank it is, a rank knows."""
        names: dict[str, object] = {p.name: None for p in self.kernel.parameters if p.is_rank or p.is_count}
        for name in (p.name for p in self.kernel.parameters):
            owners = [self.owners[name]] if name in self.owners else range(self.size)
            if name in self.arguments or all(f"{name}@{rank}" in self.arguments for rank in owners):
                names[name] = None
        check_inputs(self.kernel.parameters, names, self.kernel.entry)

    def _check_groups(self) -> None:
        for parameter in self.kernel.parameters:
            if parameter.kind == "group" and parameter.ranks != self.size:
                raise failure(
                    "PTO-R804",
                    f"{parameter.name} is a group of {parameter.ranks} ranks, {self.size} are running",
                    self.kernel.entry,
                    fix=f"pass `--ranks {parameter.ranks}`",
                )

    def _aliases(self) -> dict[str, str]:
        """Groups that are made of an argument of the ranks."""
        found: dict[str, str] = {}
        for parameter in self.kernel.parameters:
            value = self.arguments.get(parameter.name)
            text = value.text if isinstance(value, ArgumentText) else value
            if parameter.kind != "group" or not isinstance(text, str) or not text.startswith("@"):
                continue
            other = next((p for p in self.kernel.parameters if p.name == text[1:]), None)
            if other is None or other.kind not in ("memory", "pointer") or other.dtype != parameter.dtype:
                raise failure(
                    "PTO-R601",
                    f"{parameter.name}={text}: no memory argument {text[1:]!r} has the same element type",
                    self.kernel.entry,
                )
            found[parameter.name] = other.name
        return found

    def _owners(self) -> dict[str, int]:
        """Arguments for one rank of a group."""
        found: dict[str, int] = {}
        for op in self._slices.operations:
            if not isinstance(op, CollectiveOp):
                continue
            rank = 0
            for value in op.group:
                if isinstance(value.type, GroupType):
                    rank += value.type.size
                    continue
                for parameter in self._slices.memory(value):
                    if not parameter.is_window:
                        found.setdefault(parameter.name, min(rank, self.size - 1))
                rank += 1
        return found

    def waiting(self) -> Operation | None:
        """The first operation that waits for another rank: it looks at shared memory until that changes."""
        for op in self._slices.operations:
            match op:
                case CommTWaitOp():
                    looked_at = op.signal
                case CommTTestOp() if loop_around(op) is not None:
                    looked_at = op.signal
                case LoadScalarOp() if loop_around(op) is not None:
                    looked_at = op.ptr
                case _:
                    continue
            if any(map(self.is_shared, self._slices.memory(looked_at))):
                return op
        return None

    # --- shared memory ---

    def members(self) -> dict[str, list[RankWindow]]:
        """All memory that ranks share, by the names of arguments."""
        return {
            parameter.name: [self.member(parameter, owner) for owner in owners]
            for parameter, owners in self.families()
        }

    def families(self) -> list[tuple[Parameter, list[int]]]:
        """The parameters with shared memory, and who owns their members."""
        all_ranks = list(range(self.size))
        found: list[tuple[Parameter, list[int]]] = []
        for parameter in self.kernel.parameters:
            own = parameter.is_window or parameter.name in self.aliases.values()
            if own or (parameter.kind == "group" and parameter.name not in self.aliases):
                found.append((parameter, all_ranks))
            elif parameter.name in self.owners:
                found.append((parameter, [self.owners[parameter.name]]))
        return found

    def is_shared(self, parameter: Parameter) -> bool:
        return (
            parameter.kind == "group"
            or parameter.is_window
            or parameter.name in self.owners
            or parameter.name in self.aliases.values()
        )

    def member(self, parameter: Parameter, owner: int) -> RankWindow:
        """The memory of a rank, as it was given or generated."""
        single = len(dict(self.families())[parameter]) == 1
        array = as_elements(parameter, self._value(parameter, owner, whole=single), self.kernel.entry)
        if parameter.kind == "pointer":
            return RankWindow(parameter, owner, array.shape, packed_strides(array.shape, Layout.ND), array)
        shape = tuple(
            n if want == DYNAMIC else want
            for want, n in zip(parameter.shape, array.shape[-len(parameter.shape) :], strict=False)
        )
        if array.size != prod(parameter.shape if DYNAMIC not in parameter.shape else shape):
            raise failure(
                "PTO-R603",
                f"{parameter.name} of rank {owner} is a {'x'.join(map(str, parameter.shape))}; the array has "
                f"shape {'x'.join(map(str, array.shape))}",
                self.kernel.entry,
            )
        if DYNAMIC not in parameter.shape:
            shape = parameter.shape
        return RankWindow(parameter, owner, shape, strides_of(parameter, shape), array.reshape(shape))

    # --- values ---

    def _value(self, parameter: Parameter, rank: int, whole: bool = False) -> Any:
        """The value of a parameter for one rank; `whole`: there is only one of it."""
        name, entry = parameter.name, self.kernel.entry
        member = parameter if parameter.kind != "group" else replace(parameter, kind="memory")
        exact = self.arguments.get(f"{name}@{rank}", self._of_rank(name))
        if exact is not None:
            return self._read(member, exact, rank)
        if name in self.arguments:
            if name not in self._stacked:
                own = self.arguments[name]
                self._stacked[name] = self._read(parameter, own, 0) if isinstance(own, ArgumentText) else own
            value = self._stacked[name]
            if parameter.kind == "group" or (not whole and self._is_stacked(parameter, value)):
                if len(value) != self.size:
                    message = f"{name}: {len(value)} parts for {self.size} ranks"
                    raise failure("PTO-R603", message, entry)
                return value[rank]
            # Every rank has memory of its own.
            if parameter.written and isinstance(value, np.ndarray) and not whole and self.size > 1:
                return np.array(value)
            return value
        if parameter.is_rank or parameter.is_count:
            return rank if parameter.is_rank else self.size
        if parameter.kind == "group":
            # As without ranks: one array for all of them.
            if name not in self._stacked:
                rng = np.random.default_rng([self.seed, parameter.at])
                self._stacked[name] = generate(parameter, entry, rng, self.allowance)
            return self._stacked[name][rank]
        streams = [self.seed, parameter.at] if whole else [self.seed, parameter.at, rank]
        # What others see has its size from the beginning; what is a rank's own may grow.
        grows = not self.is_shared(parameter)
        rng = np.random.default_rng(streams)
        return generate(parameter, entry, rng, self.allowance, grows, self._place(rank))

    def _of_rank(self, name: str) -> ArgumentText | None:
        """A value that is another one on every rank, for all of them: `NAME=rank`."""
        value = self.arguments.get(name)
        varies = isinstance(value, ArgumentText) and value.text in (*RANK_WORDS, CONTEXT)
        return value if varies else None

    def _place(self, rank: int) -> RankPlace:
        return RankPlace(rank, self.size, self._window_bytes)

    def _read(self, parameter: Parameter, value: Any, rank: int) -> Any:
        if not isinstance(value, ArgumentText):
            return value
        rng = np.random.default_rng([self.seed, parameter.at, rank])
        return read_value(parameter, value.text, self.kernel.entry, rng, self.allowance, self._place(rank))

    def _is_stacked(self, parameter: Parameter, value: Any) -> bool:
        """Return True if a value has one part for each rank."""
        if isinstance(value, list | tuple) and parameter.kind == "scalar":
            return len(cast("Sequence[Any]", value)) == self.size
        if not isinstance(value, np.ndarray):
            return False
        array = cast("Any", value)
        if array.ndim == 0 or array.shape[0] != self.size:
            return False
        match parameter.kind:
            case "scalar":
                return array.ndim == 1
            case "pointer" if parameter.is_window:
                # A matrix as the program looks at it is for everyone.
                return array.ndim > 1 and array.shape != parameter.view_shape
            case "pointer":
                looked_at = bool(parameter.view_shape) and array.shape[1:] == parameter.view_shape
                return looked_at or (
                    array.ndim > 1 and parameter.elements is not None and array[0].size == parameter.elements
                )
            case _:
                fits = all(
                    want in (DYNAMIC, n) for want, n in zip(parameter.shape, array.shape[1:], strict=False)
                )
                return array.ndim == len(parameter.shape) + 1 and fits

    # --- one rank ---

    def of(self, rank: int, members: Mapping[str, Sequence[RankWindow]]) -> dict[str, Any]:
        """The arguments of one rank; shared ones are bound to the members' memory."""
        space = self._space(members)
        found = self._scalars(rank)
        for parameter in self.kernel.parameters:
            if parameter.name in found:
                continue
            if not self.is_shared(parameter):
                found[parameter.name] = self._value(parameter, rank)
                continue
            family = members[self.aliases.get(parameter.name, parameter.name)]
            if parameter.kind == "group":
                views = (self._view(parameter, member) for member in family)
                value: Any = RankGroup(tuple(view for view in views if isinstance(view, View)))
            elif parameter.is_window:
                value = self._in_buffer(parameter, family[rank], space[parameter.name, rank])
            else:
                value = self._view(parameter, family[rank if len(family) > 1 else 0])
            found[parameter.name] = BoundArgument(parameter, value, None)
        return found

    def _scalars(self, rank: int) -> dict[str, Any]:
        """The scalars of a rank; what they say of the sizes of memory is known from here on."""
        scalars = [p for p in self.kernel.parameters if p.kind == "scalar"]
        found = {parameter.name: self._value(parameter, rank) for parameter in scalars}
        self.kernel.refine({name: value for name, value in found.items() if isinstance(value, int)})
        return found

    def _space(self, members: Mapping[str, Sequence[RankWindow]]) -> dict[tuple[str, int], GlobalBuffer]:
        """The windows of all ranks, by argument and rank; each has its arguments at the same places."""
        windows = [p for p in self.kernel.parameters if p.is_window]
        sizes = [max(m.elements for m in members[p.name]) * p.dtype.size for p in windows if p.dtype]
        places, self._window_bytes = places_in_window(sizes)
        space = Space()
        found: dict[tuple[str, int], GlobalBuffer] = {}
        for parameter, place in zip(windows, places, strict=True):
            assert parameter.dtype is not None
            for member in members[parameter.name]:
                base = window_of(member.owner) + place
                found[parameter.name, member.owner] = space.add(
                    parameter.name, member.flat, parameter.dtype, member.owner, base
                )
        return found

    def _view(self, parameter: Parameter, member: RankWindow) -> View | Pointer:
        assert member.flat is not None and parameter.dtype is not None
        return self._in_buffer(parameter, member, GlobalBuffer(parameter.name, member.flat, parameter.dtype))

    def _in_buffer(self, parameter: Parameter, member: RankWindow, buffer: GlobalBuffer) -> View | Pointer:
        if parameter.kind == "pointer":
            return Pointer(buffer)
        shape, strides = member.shape, member.strides
        if parameter.name != member.name:
            shape = member.shape if DYNAMIC in parameter.shape else parameter.shape
            strides = strides_of(parameter, shape)
        return View.of(buffer, 0, shape, strides, parameter.layout)
