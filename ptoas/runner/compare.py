"""One program on several targets: whether they agree, and if not, which rule explains it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ptoas.analysis.structure import walk
from ptoas.diagnostics import Diagnostic
from ptoas.dialects.pto.enums import Coalesce, GatherOOB, Layout, PadValue, ScatterOOB
from ptoas.dialects.pto.gather import IndexedMemoryOp, TScatterOp
from ptoas.dialects.pto.memory import TLoadOp
from ptoas.dialects.pto.quant import TCvtOp
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.machine.arrays import np
from ptoas.runner.foreign import adopted_or_same
from ptoas.runner.options import Result
from ptoas.targets import Target, get_target


@dataclass
class TargetOutcome:
    """One target: its result, or why there is none."""

    target: str
    result: Result | None = None
    errors: tuple[Diagnostic, ...] = ()

    def text(self) -> str:
        return (
            "ran" if self.result is not None else f"refused ({self.errors[0].code}: {self.errors[0].message})"
        )


@dataclass
class TargetDifference:
    """The first element in which two targets differ."""

    first: str
    second: str
    output: str
    place: tuple[int, ...]
    values: tuple[Any, Any]
    reasons: list[str]

    def text(self) -> str:
        at = f"{self.output}{list(self.place)}"
        why = "; ".join(self.reasons) or "no rule of the two targets explains it"
        return f"{at}: {self.values[0]} on {self.first}, {self.values[1]} on {self.second}. {why}"


@dataclass
class Comparison:
    """The result of `--target all`."""

    outcomes: list[TargetOutcome]
    differences: list[TargetDifference]

    @property
    def results(self) -> list[Result]:
        """The results of the targets that ran the program."""
        return [outcome.result for outcome in self.outcomes if outcome.result is not None]

    @property
    def equal(self) -> bool:
        return not self.differences

    def text(self) -> str:
        lines = [f"{outcome.target}: {outcome.text()}" for outcome in self.outcomes]
        ran = [outcome.target for outcome in self.outcomes if outcome.result is not None]
        if len(ran) > 1:
            lines.append(f"{', '.join(ran)}: " + ("equal results" if self.equal else "different results"))
        lines += [difference.text() for difference in self.differences]
        return "\n".join(lines)


def copy_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The same arguments again, for another target; arrays of other libraries as copies of NumPy's."""
    own = {name: adopted_or_same(a) for name, a in arguments.items()}
    return {name: np.array(a) if isinstance(a, np.ndarray) else a for name, a in own.items()}


def compare_results(module: ModuleOp, outcomes: list[TargetOutcome]) -> list[TargetDifference]:
    """Compare each result with the first one."""
    ran = [outcome for outcome in outcomes if outcome.result is not None]
    found: list[TargetDifference] = []
    for other in ran[1:]:
        assert ran[0].result is not None and other.result is not None
        difference = first_difference(ran[0].result, other.result)
        if difference is not None:
            difference.reasons = reasons(module, get_target(ran[0].target), get_target(other.target))
            found.append(difference)
    return found


def first_difference(a: Result, b: Result) -> TargetDifference | None:
    for name, array in a.bits.items():
        other = b.bits.get(name)
        if other is None or other.shape != array.shape:
            return TargetDifference(a.target, b.target, name, (), ("an output", "none like it"), [])
        raw, other_raw = (np.ascontiguousarray(x).view(f"u{x.itemsize}") for x in (array, other))
        if np.array_equal(raw, other_raw):
            continue
        place = tuple(int(n) for n in np.argwhere(raw != other_raw)[0])
        values = (a.outputs[name][place].item(), b.outputs[name][place].item())
        return TargetDifference(a.target, b.target, name, place, values, [])
    return None


def reasons(module: ModuleOp, first: Target, second: Target) -> list[str]:
    """Rules of the two targets that make one text mean two things."""
    found: dict[str, None] = {}
    for op in walk(module):
        match op:
            case IndexedMemoryOp():
                for reason in _indexed(op, first, second):
                    found[reason] = None
            case TLoadOp() if first.has_pipes != second.has_pipes:
                tile = op.destination.type
                if isinstance(tile, TileType) and (tile.pad is not PadValue.Null or tile.valid != tile.shape):
                    found[
                        "padding: a simulator's load fills the whole tile, a device's only each row's burst"
                    ] = None
            case TScatterOp() if op.idx is not None and first.has_pipes != second.has_pipes:
                found["tscatter: devices clear the destination first, the simulator does not"] = None
            case TCvtOp() if first.has_pipes != second.has_pipes:
                found["tcvt: devices round f32 to f32 to whole numbers, the simulator does not"] = None
            case _:
                pass
    return list(found)


def _indexed(op: IndexedMemoryOp, first: Target, second: Target) -> list[str]:
    name = op.name.removeprefix("pto.")
    modes = [target.value(op, "coalesce") for target in (first, second)]
    if modes[0] is not modes[1]:
        return [
            f"mode default (D8): {name} without a suffix is {modes[0].value} on {first.name}, "
            f"{modes[1].value} on {second.name}"
        ]
    found: list[str] = []
    view = op.mem.type
    assert isinstance(view, ViewType)
    if DYNAMIC not in view.shape:
        models = (first.model(op), second.model(op))
        capacities = [model.capacity(view.shape5, view.layout, modes[0]) for model in models]
        if capacities[0] != capacities[1]:
            found.append(f"capacity (D15): {capacities[0]} on {first.name}, {capacities[1]} on {second.name}")
    oobs = (first.value(op, "gatherOob"), first.value(op, "scatterOob"))
    wraps = GatherOOB.Wrap in oobs or ScatterOOB.Wrap in oobs
    if first.sign_extends_index != second.sign_extends_index and wraps:
        extending = first if first.sign_extends_index else second
        found.append(f"index width (D12): 32 unsigned bits, or 64 on {extending.name}")
    steps = [target.model(op).row_step for target in (first, second)]
    if modes[0] is Coalesce.Row and steps[0] is not steps[1]:
        found.append(f"row stride (D16): one takes {steps[0].value}, the other {steps[1].value}")
    if view.layout is Layout.NZ and first.model(op).has_nz != second.model(op).has_nz:
        found.append("NZ tables: only one of the two knows the layout")
    return found
