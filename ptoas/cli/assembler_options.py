"""Options of the C++ assembler as data, with their effect here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

DEFAULT_VERSION = "0.60"
"""Version of the C++ assembler whose tile-level language is followed unless the environment names another."""

VERSION_VARIABLE = "PTOAS_ASSEMBLER_VERSION"
"""Environment variable with the version to follow: a build script's calls stay as they are."""

FIRST_OF_2026_09 = 63
"""Minor number of the first version whose calls are for the instruction library of September 2026."""


def followed_version() -> str:
    """Return the version of the C++ assembler to follow."""
    return os.environ.get(VERSION_VARIABLE) or DEFAULT_VERSION


def library_revision(version: str) -> str:
    """Return the revision of the instruction library that a version writes calls for."""
    minor = int(version.removeprefix("0."))
    return "2026.09" if minor >= FIRST_OF_2026_09 else "2026.08"


class Effect(Enum):
    """Treatment of an option of the C++ assembler."""

    IMPLEMENTED = "Implemented"
    IGNORED = "Accepted"
    """No effect, as in the C++ assembler."""
    REPLACED = "Replaced"
    """Served in another way, for the same result; reported once."""
    NO_EFFECT = "No effect"
    """Reported once; the result is the same without it."""
    REFUSED = "Refused"
    """Ignoring it would change the result."""


@dataclass(frozen=True)
class AssemblerOption:
    """An option of the C++ assembler.

    `default` is the value that is the same as leaving the option out. A switch takes an optional value, so
    `--x`, `--x=true` and `--x=false` are all accepted.
    """

    name: str
    effect: Effect
    reason: str
    default: str = ""
    switch: bool = False


_PLANNER = "there is one memory planner"
_FUSION = "instructions are not fused, so every result is the same"
_DEVICE = "the output is C++ text, never a device object"
_MICRO = "the micro level is not supported; its options apply to --pto-backend=vpto"

_SWITCHES: dict[str, tuple[Effect, str]] = {
    "enable-insert-sync": (Effect.IMPLEMENTED, "insert set_flag, wait_flag and barriers"),
    "enable-inject-barrier-all-sync": (Effect.IMPLEMENTED, "insert a barrier before every access"),
    "emit-pto-ir": (Effect.IMPLEMENTED, "print the PTO IR after synchronisation instead of C++"),
    "mlir-print-ir-after-all": (Effect.IMPLEMENTED, "print the module after every pass"),
    "mlir-print-ir-before-all": (Effect.IMPLEMENTED, "print the module before every pass"),
    "mlir-print-ir-module-scope": (Effect.IGNORED, "the whole module is always printed"),
    "enable-tile-op-expand": (Effect.IGNORED, "does nothing in the C++ assembler"),
    "enable-graph-sync-solver": (Effect.REPLACED, "flags are inserted as by --enable-insert-sync"),
    "enable-bufid_sync": (
        Effect.REPLACED,
        "flags are inserted as by --enable-insert-sync; they give the same order",
    ),
    "enable-bufid-sync-debug": (Effect.NO_EFFECT, "there is no such trace"),
    "plan-memory-order-by-size": (Effect.NO_EFFECT, _PLANNER),
    "emit-addptr-trace": (
        Effect.NO_EFFECT,
        "C++ has no trace comments; `ptoas lower --annotate` writes comments",
    ),
    "enable-op-fusion": (Effect.NO_EFFECT, _FUSION),
    "enable-unroll-after-loop-fusion": (Effect.NO_EFFECT, _FUSION),
    "enable-vfsim-costmodel-optimization": (Effect.NO_EFFECT, _FUSION),
    "dump-vfsim-unroll-test": (Effect.NO_EFFECT, _FUSION),
    "mlir-timing": (Effect.NO_EFFECT, "passes are not timed"),
    "mlir-pass-statistics": (Effect.NO_EFFECT, "passes count nothing"),
    "mlir-print-ir-after-change": (Effect.NO_EFFECT, "all that --mlir-print-ir-after-all selects is printed"),
    "mlir-print-ir-after-failure": (Effect.NO_EFFECT, "a pass that fails leaves nothing to print"),
    "mlir-print-local-scope": (Effect.IGNORED, "attributes are always printed in place"),
    "mlir-print-op-on-diagnostic": (Effect.NO_EFFECT, "diagnostics name the statement"),
    "mlir-print-stacktrace-on-diagnostic": (Effect.NO_EFFECT, "diagnostics name the statement"),
    "mlir-disable-threading": (Effect.NO_EFFECT, "passes run in one thread"),
    "mlir-print-debuginfo": (Effect.IGNORED, "locations of the input are always printed"),
    "mlir-print-op-generic": (Effect.NO_EFFECT, "`ptoas convert --to generic` prints the generic form"),
    "disable-infer-layout": (Effect.REFUSED, "layouts of views are always inferred; name them in the types"),
    "pto-print-seam-ir": (Effect.REFUSED, _DEVICE),
    "emit-vpto": (Effect.REFUSED, _MICRO),
    "emit-vpto-llvm-ir": (Effect.REFUSED, _MICRO),
    "vpto-print-ir": (Effect.REFUSED, _MICRO),
    "dump-vpto-ir": (Effect.REFUSED, _MICRO),
    "vpto-emit-merged-device-only": (Effect.REFUSED, _DEVICE),
    "enable-vpto-soft-postupdate": (Effect.NO_EFFECT, _MICRO),
    "vpto-scheduler-trace": (Effect.NO_EFFECT, _MICRO),
    "vpto-scheduler-remat": (Effect.NO_EFFECT, _MICRO),
    "enable-bisheng-vec-misched": (Effect.NO_EFFECT, _MICRO),
    "simt-fastmath": (Effect.NO_EFFECT, _MICRO),
    "vmi-prefer-lane-stride-narrowing": (Effect.NO_EFFECT, _MICRO),
    "vpto-disable-align-chain-verification": (Effect.NO_EFFECT, _MICRO),
    "emit-cv-costmodel-ir": (Effect.REFUSED, "there is no cost-model exchange; see `ptoas profile`"),
}

_ON_BY_DEFAULT = {
    "enable-shape-inference": _FUSION,
    "enable-vexpdif-fusion": _FUSION,
}

_VALUES: dict[str, tuple[Effect, str, str]] = {
    "pto-arch": (Effect.IMPLEMENTED, "", "a2, a3 or a5"),
    "pto-level": (Effect.IMPLEMENTED, "level2", "level3: every tile has an address, and none is planned"),
    "pto-backend": (Effect.IMPLEMENTED, "emitc", "emitc; " + _DEVICE),
    "mlir-print-ir-after": (Effect.IMPLEMENTED, "", "print the module after one pass"),
    "mlir-print-ir-before": (Effect.IMPLEMENTED, "", "print the module before one pass"),
    "mlir-print-ir-tree-dir": (Effect.IMPLEMENTED, "", "write the printed modules into a directory"),
    "pto-insert-sync-debug": (Effect.NO_EFFECT, "0", "there is no such trace; see `ptoas lower --annotate`"),
    "graph-sync-solver-event-id-max": (Effect.NO_EFFECT, "8", "there is one algorithm"),
    "plan-memory-impl": (Effect.NO_EFFECT, "", _PLANNER),
    "cann-output-version": (Effect.NO_EFFECT, "", _DEVICE),
    "vpto-scheduler": (Effect.NO_EFFECT, "off", _MICRO),
    "vpto-lowering-strategy": (Effect.NO_EFFECT, "", _MICRO),
    "vpto-fix-vfsimt-size": (Effect.NO_EFFECT, "", _MICRO),
    "bisheng-vf-auto-sync": (Effect.NO_EFFECT, "", _MICRO),
    "pto-seam-ir-file": (Effect.REFUSED, "", _DEVICE),
    "cv-costmodel-final-ir-file": (Effect.REFUSED, "", "there is no cost-model exchange"),
}

OPTIONS: dict[str, AssemblerOption] = {
    option.name: option
    for option in (
        *(
            AssemblerOption(name, effect, reason, "false", True)
            for name, (effect, reason) in _SWITCHES.items()
        ),
        *(AssemblerOption(name, Effect.NO_EFFECT, why, "true", True) for name, why in _ON_BY_DEFAULT.items()),
        *(AssemblerOption(name, effect, why, default) for name, (effect, default, why) in _VALUES.items()),
    )
}
"""Every option of the C++ assembler except `-o`, `--help` and `--version`, by name."""


EQUIVALENTS = {
    "pto-arch": "--target a2a3 or --target a5",
    "enable-insert-sync": "--sync auto",
    "enable-inject-barrier-all-sync": "--sync all",
    "emit-pto-ir": "--until insert-sync",
    "mlir-print-ir-after-all": "--print-after all",
    "mlir-print-ir-after": "--print-after PASS",
}
"""Options of `ptoas lower` that correspond to options of the C++ assembler."""


def normalise(arguments: Iterable[str]) -> Iterator[str]:
    """Rewrite options as LLVM spells them (`-x`, `--x`, `--x=v`, bare switches) to `--x=v` or `--x v`."""
    for argument in arguments:
        name, equals, value = argument.lstrip("-").partition("=")
        option = OPTIONS.get(name) if argument.startswith("-") else None
        if option is None:
            yield argument
        elif option.switch:
            yield f"--{name}={value if equals else 'true'}"
        else:
            yield f"--{name}{equals}{value}"
