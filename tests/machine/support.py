"""Small programs for the machine's tests, and arrays of any element type with any bit pattern."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import ptoas
from ptoas.compiler.run import run
from ptoas.diagnostics import Diagnostic, PtoasError
from ptoas.machine.dtypes import by_text
from ptoas.runner.kernel import Result

TYPES = ("i8", "ui8", "i16", "ui16", "i32", "ui32", "f16", "bf16", "f32", "f8E4M3FN", "f8E5M2", "hif8")
"""The twelve element types of MGATHER."""

SIZE = {text: by_text(text).size for text in (*TYPES, "i64", "ui64")}


def bits_array(rng: np.random.Generator, shape: tuple[int, ...], text: str) -> np.ndarray:
    """Random bit patterns in the type of the argument: NaNs, infinities and denormals included."""
    dtype = by_text(text)
    whole = rng.integers(0, 1 << (8 * dtype.size), size=shape, dtype=np.uint64)
    return whole.astype(dtype.raw).view(dtype.number)


def raw(array: np.ndarray) -> np.ndarray:
    """The bit patterns of an array."""
    return np.ascontiguousarray(array).view(
        {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[array.dtype.itemsize]
    )


def function(arguments: str, body: str) -> str:
    return f"func.func @main({arguments}) {{\n{body}\n  return\n}}\n"


def execute(text: str, arguments: dict[str, Any] | None = None, target: str = "a5", **options: Any) -> Result:
    """Run a program that need not be legal: the verifier has its own tests."""
    options.setdefault("force", True)
    options.setdefault("generate", True)
    return run(ptoas.parse(text, "test.pto"), arguments or {}, target, **options)


def failing(
    code: str, text: str, arguments: dict[str, Any] | None = None, target: str = "a5", **options: Any
) -> Diagnostic:
    """The one diagnostic that a run must stop with."""
    with pytest.raises(PtoasError) as caught:
        execute(text, arguments, target, **options)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code, diagnostic.message
    return diagnostic


seeds = st.integers(0, 2**32 - 1)


def constants(*numbers: int) -> str:
    return "\n".join(f"  %c{n} = arith.constant {n} : index" for n in dict.fromkeys(numbers))
