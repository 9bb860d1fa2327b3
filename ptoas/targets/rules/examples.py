"""Short programs for the examples of the rules."""

from __future__ import annotations


def mgather(mode: str, dst: str, table: str, idx: str) -> str:
    """One gather of a tile that the caller supplies; `mode` is the opcode's suffix."""
    opcode = f"mgather.{mode}" if mode else "mgather"
    return (
        f".arg %table : !pto.memref<{table}>\n"
        f".arg %idx : !pto.tile<{idx}>\n"
        f"%dst = {opcode} %table, %idx : (!pto.memref<{table}>, !pto.tile<{idx}>) -> !pto.tile<{dst}>"
    )


def mscatter(mode: str, src: str, table: str, idx: str) -> str:
    """One scatter in assembly form: memory, source, index."""
    return (
        f".arg %src : !pto.tile<{src}>\n"
        f".arg %idx : !pto.tile<{idx}>\n"
        f".arg %table : !pto.memref<{table}>\n"
        f"mscatter.{mode} %table, %src, %idx : (!pto.memref<{table}>, !pto.tile<{src}>, !pto.tile<{idx}>)"
    )


def instruction(opcode: str, dst: str, *sources: str, attrs: str = "") -> str:
    """One instruction on tiles and scalars that the caller supplies."""
    types = [source if _is_scalar(source) else f"!pto.tile<{source}>" for source in sources]
    args = [f".arg %s{i} : {type}" for i, type in enumerate(types)]
    operands = ", ".join(f"%s{i}" for i in range(len(types)))
    attrs = f" {{{attrs}}}" if attrs else ""
    return "\n".join([*args, f"%dst = {opcode} {operands}{attrs} : ({', '.join(types)}) -> !pto.tile<{dst}>"])


def _is_scalar(text: str) -> bool:
    return "x" not in text and "," not in text


def tload(tile: str, memory: str) -> str:
    return (
        f".arg %mem : !pto.memref<{memory}>\n%dst = tload %mem : (!pto.memref<{memory}>) -> !pto.tile<{tile}>"
    )


def tstore(tile: str, memory: str, attrs: str = "") -> str:
    attrs = f" {{{attrs}}}" if attrs else ""
    return (
        f".arg %src : !pto.tile<{tile}>\n"
        f".arg %mem : !pto.memref<{memory}>\n"
        f"tstore %mem, %src{attrs} : (!pto.memref<{memory}>, !pto.tile<{tile}>)"
    )


def kernel(*lines: str, args: str = "") -> str:
    """A function in MLIR text."""
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @kernel({args}) {{\n{body}\n  return\n}}"
