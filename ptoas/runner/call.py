"""One execution of a program on one rank: its arguments bound, its blocks on one core or on one each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ptoas.analysis.structure import walk
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import failure
from ptoas.machine.tiles import Tile
from ptoas.runner.arguments import Binder
from ptoas.runner.core import Core
from ptoas.runner.options import Result
from ptoas.runner.stats import Stats


class KernelCall:
    """One run from its arguments to its result."""

    def __init__(self, cores: Sequence[Core], binder: Binder, values: Mapping[str, Any]):
        self.cores = cores
        self.program = cores[0].program
        self.launch = cores[0].machine.launch
        self.bound, changed = binder.bind(values)
        for core in cores:
            if changed:
                core.machine.forget_arguments()
            core.start(self.bound)

    def run(self, at: int, blocks: Sequence[int] | None = None) -> None:
        """Run blocks on one core: those asked for, else the one that is its, or all where there is one."""
        every = range(self.program.options.blocks)
        size = len(self.launch.cores)
        own = every if len(self.cores) == size else every[at // size : at // size + 1]
        self.cores[at].run(self.bound, own if blocks is None else blocks)

    # --- the result ---

    def finish(self) -> Result:
        """Copy outputs to the caller and collect the records of the cores."""
        for one in self.bound:
            if one.finish is not None:
                one.finish()
        outputs: dict[str, Array] = {}
        bits: dict[str, Array] = {}
        arguments: dict[str, Any] = {}
        for one in self.bound:
            parameter = one.parameter
            arguments[parameter.name] = one.value if parameter.kind == "scalar" else one.output
            in_memory = parameter.kind in ("memory", "pointer", "group", "counts")
            if parameter.written and in_memory and one.output is not None:
                outputs[parameter.name] = bits[parameter.name] = one.output
        # Every block has tiles of its own; those of the last one are shown.
        last = self.cores[-1] if len(self.launch.cores) == 1 else self.cores[-len(self.launch.cores)]
        tiles = {o.parameter.name: (t, np.array(t.load_raw())) for o, t in last.tiles if o.parameter.written}
        for name, (tile, raw) in {**last.captured, **tiles}.items():
            if name not in outputs:
                outputs[name], bits[name] = _numbers(tile, raw), raw
        self._print_rest({**arguments, **outputs})
        machines = [core.machine for core in self.cores]
        observers = [core.observer for core in self.cores if core.observer is not None]
        return Result(
            self.program.target.name,
            self.program.entry.sym_name.data,
            outputs,
            arguments,
            list(dict.fromkeys(warning for machine in machines for warning in machine.warnings)),
            self._with_names([machine.printed for machine in machines]),
            [line for observer in observers for line in observer.lines()],
            self._stats([observer.stats for observer in observers if observer.stats is not None]),
            self.cores[0].compiler.steps.taken,
            bits,
        )

    def _with_names(self, texts: Sequence[Sequence[str]]) -> list[str]:
        if len(texts) == 1:
            return list(texts[0])
        names = [self._name(at) for at in range(len(texts))]
        return [f"{name}: {text}" for name, each in zip(names, texts, strict=True) for text in each]

    def _name(self, at: int) -> str:
        """Prefix of the lines that a core prints."""
        size = len(self.launch.cores)
        if size == 1:
            return f"block {at}"
        if len(self.cores) == size:
            return self.launch.cores[at].name
        return self.launch.names([self.launch.number(0, *divmod(at, size))])

    def _stats(self, parts: Sequence[Stats]) -> Stats | None:
        if not parts:
            return None
        whole = Stats.sum(parts)
        whole.steps = self.cores[0].compiler.steps.taken
        return whole

    def _print_rest(self, known: dict[str, Any]) -> None:
        """Print the requested values that are not tiles written by instructions: memory, at the end."""
        observer = self.cores[-1].observer
        if observer is None:
            return
        seen = {name for core in self.cores if core.observer for name in core.observer.seen}
        for printing in observer.prints:
            if printing.name in seen:
                continue
            found = known.get(printing.name)
            if found is None and printing.name in known and self.launch.ranks is not None:
                continue  # ranks share it: it is shown once
            if found is None:
                raise failure(
                    "PTO-R601",
                    f"--print {printing.name}: no argument or written value has this name",
                    self.program.entry,
                    fix=did_you_mean(printing.name, [*known, *self._tile_names()]),
                )
            observer.machine.print_line(printing.text(found, "at the end"))

    def _tile_names(self) -> list[str]:
        tiles = (op for op in walk(self.program.entry) if isinstance(op, AllocTileOp))
        return [op.result.name_hint or "" for op in tiles]


def _numbers(tile: Tile, raw: Array) -> Array:
    return raw if tile.dtype.coded else raw.view(tile.dtype.number)
