"""What each instruction does, in NumPy: mirrors the chapters of the dialect."""

BESIDE: dict[str, tuple[str, ...]] = {
    "gather": ("tile_gather", "scatter"),
    "matmul": ("mx",),
    "memory": ("asynchronous",),
    "quant": ("convert", "push_epilogue"),
    "scalar": ("views", "memory"),
}
"""Chapters whose instructions stand in other modules as well."""
