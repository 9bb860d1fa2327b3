"""Kernels with the shape of those of real models, against what plain NumPy makes of the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ptoas
from ptoas.compiler.run import run_ranks

HERE = Path(__file__).parent
KERNELS = sorted(path.stem for path in HERE.glob("*.pto"))
Array = npt.NDArray[Any]


def module(name: str) -> Any:
    return ptoas.parse_file(str(HERE / f"{name}.pto"))


def run(name: str, entry: str | None = None, **arguments: Any) -> dict[str, Array]:
    return ptoas.run(module(name), arguments, entry=entry).outputs


def numbers(*shape: int, seed: int = 0, scale: float = 1.0) -> Array:
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


@pytest.mark.parametrize("name", KERNELS)
def test_lowers_for_its_device(name: str) -> None:
    text = ptoas.lower(module(name))
    assert "AICORE" in text and "TLOAD" in text


def test_attention() -> None:
    heads, blocks, length, width = 16, 3, 150, 64
    q = numbers(heads, width, seed=1).astype(np.float16)
    k = numbers(blocks * 64, width, seed=2).astype(np.float16)
    v = numbers(blocks * 64, width, seed=3).astype(np.float16)
    # What lies behind the end of the context must not count.
    k[length:], v[length:] = 50, 50
    s = run("attention", "scores", q=q, k=k, blocks=blocks)["s"]
    soft = run("attention", "softmax", s=s, length=length, blocks=blocks)
    o = run("attention", "values", p=soft["p"], v=v, blocks=blocks)["o"]
    out = run("attention", "merge", o=o, m=soft["m"], l=soft["l"], blocks=blocks)["out"]
    scores = q.astype(np.float64) @ k[:length].astype(np.float64).T / np.sqrt(width)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(
        out.reshape(heads, width), weights @ v[:length].astype(np.float64), rtol=2e-3, atol=2e-3
    )


def test_moe_gate() -> None:
    tokens, experts, chosen = 5, 32, 8
    logits, bias = numbers(tokens, experts), numbers(experts, seed=1, scale=0.1)
    out = run("moe_gate", logits=logits, bias=bias, tokens=tokens)
    scores = 1 / (1 + np.exp(-logits.astype(np.float64)))
    best = np.argsort(-(scores + bias), axis=1)[:, :chosen]
    weights = np.take_along_axis(scores, best, axis=1)
    weights *= 2.5 / weights.sum(axis=1, keepdims=True)
    assert np.array_equal(out["experts"].reshape(tokens, chosen), best)
    np.testing.assert_allclose(out["weights"].reshape(tokens, chosen), weights, rtol=1e-5)


def test_rope() -> None:
    tokens, heads, longest = 3, 5, 40
    x = numbers(tokens, heads, 128)
    angles = np.arange(longest)[:, None] / 10000 ** (np.arange(64) / 64)
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    positions = np.array([7, 39, 0], np.int32)
    given = {"x": x, "cos": cos, "sin": sin, "positions": positions, "heads": heads, "longest": longest}
    out = ptoas.run(module("rope"), given, blocks=tokens).outputs["out"].reshape(x.shape)
    turned = (x[..., :64] + 1j * x[..., 64:]) * np.exp(1j * angles[positions])[:, None, :]
    np.testing.assert_allclose(out, np.concatenate([turned.real, turned.imag], axis=2), rtol=1e-5, atol=1e-5)


def test_paged_cache_write() -> None:
    tokens, pages = 6, 5
    new = numbers(tokens, 128)
    table, slots = np.array([3, 0, 4], np.int32), np.array([0, 17, -1, 40, 15, 47], np.int32)
    cache = np.full((pages * 16, 128), 0x4242, np.uint16)
    expected = cache.copy()
    bits = new.view(np.uint32)
    halves = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    for token, slot in enumerate(slots):
        if slot >= 0:
            expected[table[slot // 16] * 16 + slot % 16] = halves[token]
    run("paged_cache_write", new=new, cache=cache, table=table, slots=slots, tokens=tokens, pages=pages)
    assert np.array_equal(cache, expected)


def test_quantised_matmul() -> None:
    x, columns = numbers(16, 128), np.abs(numbers(32, seed=1)) + np.float32(0.01)
    weights = np.random.default_rng(2).integers(-127, 128, (128, 32)).astype(np.int8)
    quantised = run("quantised_matmul", "quantise", x=x)
    y = run("quantised_matmul", "product", q=quantised["q"], w=weights)["y"]
    out = run("quantised_matmul", "dequantise", y=y, rows=quantised["scale"], columns=columns)["out"]
    scales = np.abs(x).max(axis=1, keepdims=True) / 127
    q = np.rint(x / scales)
    assert np.abs(quantised["q"].reshape(16, 128).astype(int) - q).max() <= 1  # a tie, rounded by one bit
    product = quantised["q"].reshape(16, 128).astype(np.int64) @ weights.astype(np.int64)
    assert np.array_equal(y.reshape(16, 32), product)
    np.testing.assert_allclose(out.reshape(16, 32), product * scales * columns, rtol=1e-5)
    exact = x.astype(np.float64) @ (weights * columns)
    assert np.abs(out.reshape(16, 32) - exact).max() < 0.02 * np.abs(exact).max()


def test_top_k() -> None:
    rows, chosen = 3, 16
    scores = np.stack([np.random.default_rng(seed).permutation(256) for seed in range(rows)]) - 100
    out = run("top_k", scores=scores.astype(np.float32), rows=rows)
    best = np.argsort(-scores, axis=1)[:, :chosen]
    assert np.array_equal(out["places"].reshape(rows, chosen), best)
    assert np.array_equal(out["values"].reshape(rows, chosen), np.take_along_axis(scores, best, axis=1))


@pytest.mark.parametrize("ranks", [2, 3])
def test_all_gather(ranks: int) -> None:
    mine = [numbers(4, 64, seed=rank) for rank in range(ranks)]
    given = {f"mine@{rank}": part for rank, part in enumerate(mine)}
    result = run_ranks(module("all_gather"), given, ranks=ranks, generate=True)
    assert result is not None
    for rank in range(ranks):
        assert np.array_equal(result.outputs[f"all@{rank}"].reshape(4 * ranks, 64), np.concatenate(mine))
