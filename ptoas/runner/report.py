"""Presentation of a run: short outputs, differences, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ptoas.diagnostics import Note, Span
from ptoas.diagnostics.files import check_writable, replacing
from ptoas.diagnostics.render import to_json
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import command_line_span, failure
from ptoas.runner.array_files import as_option_error, map_npy, raw_elements
from ptoas.runner.expressions import difference_rows, same
from ptoas.runner.observe import Printing, TraceLine
from ptoas.runner.options import Result
from ptoas.runner.torch_file import read_torch


def split_option(option: str, text: str) -> tuple[str, str]:
    """`NAME=VALUE` as two; the option's name is for the message."""
    name, sign, rest = text.partition("=")
    name = name.strip().removeprefix("%")
    if not sign or not name or not rest:
        raise failure(
            "PTO-R609",
            f"{option} takes NAME=VALUE, found {text!r}",
            span=command_line_span(f"{option} {text}"),
        )
    return name, rest


def excerpt(array: Array) -> str:
    """A few elements, as NumPy shows them."""
    numbers = array.astype(np.float32) if array.dtype.kind not in "fiub" else array
    with np.printoptions(threshold=12, edgeitems=3, precision=4, suppress=True, linewidth=110):
        return str(numbers)


def format_result(result: Result) -> str:
    """Each output's shape, type and an excerpt; then the trace and the figures, if they were asked for."""
    lines: list[str] = []
    for name, array in result.outputs.items():
        shape = "x".join(map(str, array.shape)) or "scalar"
        lines.append(f"{name}: {shape}x{array.dtype}")
        lines += [f"  {line}" for line in excerpt(array).splitlines()]
    if not result.outputs:
        lines.append("no output: the program writes no argument and leaves no tile")
    if result.certificate is not None and result.certificate.actors > 1:
        lines.append(f"schedules: {result.certificate.text}")
    if result.trace:
        lines += ["trace:", *(f"  {line}" for line in result.trace)]
    if result.stats is not None:
        lines += ["stats:", *(f"  {line}" for line in result.stats.lines())]
    return "\n".join(lines)


def result_json(result: Result, max_elements: int = 4096) -> dict[str, Any]:
    """Return the result as plain data; long outputs are truncated."""
    outputs: dict[str, Any] = {}
    for name, array in result.outputs.items():
        wide = array.astype(np.float64) if array.dtype.kind not in "iub" else array
        flat = wide.reshape(-1)
        outputs[name] = {
            "shape": list(array.shape),
            "dtype": str(array.dtype),
            "values": [_plain(x) for x in flat[:max_elements].tolist()],
            "truncated": bool(flat.size > max_elements),
        }
    data: dict[str, Any] = {
        "target": result.target,
        "entry": result.entry,
        "outputs": outputs,
        "warnings": [to_json(w) for w in result.warnings],
        "printed": result.printed,
        "steps": result.steps,
    }
    if result.certificate is not None:
        data["certificate"] = result.certificate.as_dict()
    if result.trace:
        data["trace"] = [line.data if isinstance(line, TraceLine) else line for line in result.trace]
    if result.stats is not None:
        data["stats"] = result.stats.as_dict()
    return data


def _plain(number: float) -> float | str:
    """JSON has no infinities and no NaN."""
    return number if np.isfinite(number) else str(number)


def parse_print(text: str) -> Printing:
    """`NAME` or `%NAME[0:4, :8]`."""
    name, bracket, rest = text.strip().removeprefix("%").partition("[")
    span = command_line_span(f"--print {text}")
    if not name.strip() or (bracket and not rest.endswith("]")):
        raise failure("PTO-R609", "--print takes NAME or NAME[0:4, :8]", span=span)
    slices: list[slice | int] = []
    for part in rest[:-1].split(",") if bracket else []:
        try:
            slices.append(_index(part))
        except (TypeError, ValueError):
            raise failure("PTO-R609", f"{part.strip()!r} is not an index or a slice", span=span) from None
    return Printing(name.strip(), tuple(slices))


def _index(text: str) -> slice | int:
    """An index or a slice; raises `TypeError` or `ValueError` for anything else."""
    if ":" not in text:
        return int(text)
    return slice(*(int(number) if number.strip() else None for number in text.split(":")))


def _output(result: Result, option: str, name: str, text: str) -> Array:
    array = result.outputs.get(name)
    if array is None:
        array = result.arguments.get(name)
    if not isinstance(array, np.ndarray):
        known = ", ".join(result.outputs) or "none"
        raise failure(
            "PTO-R601",
            f"there is no output {name!r}",
            span=command_line_span(f"{option} {text}"),
            notes=(Note(f"the outputs are {known}"),),
        )
    return array


def check_output(text: str) -> None:
    """Refuse `--out NAME=PATH` before the run, where nothing can be written to PATH."""
    _, path = split_option("--out", text)
    check_writable(path, command_line_span(f"--out {text}"))


def write_output(result: Result, text: str) -> None:
    """`--out NAME=PATH`: .npy, or raw bytes with any other suffix; the file is there whole, or not at all."""
    name, path = split_option("--out", text)
    array = _output(result, "--out", name, text)
    with replacing(path, command_line_span(f"--out {text}")) as stream:
        if path.endswith(".npy"):
            np.save(stream, array, allow_pickle=False)
        else:
            stream.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def check_expected(result: Result, text: str, rtol: float = 0.0, atol: float = 0.0) -> None:
    """`--expect NAME=PATH`: raises with the first differences as a small table."""
    name, path = split_option("--expect", text)
    array = _output(result, "--expect", name, text)
    span = command_line_span(f"--expect {text}")
    with as_option_error(Path(path), f"--expect {text}"):
        expected = _expected(path, array, name, span)
        if expected.dtype.kind not in "iufb" and expected.dtype != array.dtype:
            raise ValueError(f"it holds {expected.dtype}, not numbers")
    bit_patterns = expected.dtype.kind == "u" and expected.dtype.itemsize == array.dtype.itemsize
    if bit_patterns and array.dtype.kind not in "fiub":
        # Of a type that NumPy does not know.
        expected = expected.view(array.dtype)
    if expected.size != array.size:
        raise failure(
            "PTO-R701",
            f"{name} has shape {list(array.shape)}, {path} {list(expected.shape)}",
            span=span,
        )
    rows = differences(array, expected.reshape(array.shape), rtol, atol)
    if rows:
        raise failure("PTO-R701", f"{name} differs from {path}", span=span, notes=tuple(map(Note, rows)))


def _expected(path: str, like: Array, name: str, span: Span) -> Array:
    match Path(path).suffix:
        case ".npy":
            return map_npy(Path(path))
        case ".pt":
            return read_torch(Path(path))
        case _:

            def check(size: int) -> None:
                if size != like.nbytes:
                    raise failure("PTO-R701", f"{name} has {like.nbytes} bytes, {path} {size}", span=span)

            return raw_elements(Path(path), like.dtype, check)


def differences(found: Array, expected: Array, rtol: float, atol: float) -> list[str]:
    """The first places where two arrays differ, as lines of a table; none if they agree."""
    wide = np.float64 if found.dtype.kind not in "iub" else found.dtype
    a, b = found.astype(wide), expected.astype(wide if expected.dtype.kind not in "iub" else expected.dtype)
    with np.errstate(all="ignore"):
        if rtol or atol:
            agree = np.isclose(a.astype(np.float64), b.astype(np.float64), rtol, atol, equal_nan=True)
        else:
            agree = same(a, b)
    places = np.argwhere(~np.atleast_1d(agree))
    if not len(places):
        return []
    head = f"{len(places)} of {a.size} elements differ; position, found, expected:"
    return [head, *difference_rows(np.atleast_1d(a), np.atleast_1d(b), places)]
