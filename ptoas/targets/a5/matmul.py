"""Products of matrices of A5: float8 and hifloat8 besides."""

from __future__ import annotations

from ptoas.targets.row import Rows
from ptoas.targets.shared.matmul import TYPES, Walk, products

FLOAT8 = ("f8e4m3", "f8e5m2")
SHORT = (*(f"f32 {lhs} {rhs}" for lhs in FLOAT8 for rhs in FLOAT8), "f32 hif8 hif8")

ROWS: Rows = products((*TYPES, *SHORT), Walk(), strided="lhs.rows rhs.cols dst.rows")
