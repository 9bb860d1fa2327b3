"""RUN-CHECK: what a failing one shows, what is no check, and how floats are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoas
from ptoas.runner.assertions import check_all

F32 = np.float32


def problem(text: str, target: str = "a5", **names: object) -> ptoas.Diagnostic:
    with pytest.raises(ptoas.PtoasError) as caught:
        check_all(ptoas.Source(text, "p.pto"), names, target)
    (found,) = caught.value.diagnostics
    return found


def test_a_failing_check_shows_how_many_where_and_the_first_few() -> None:
    out = np.zeros((4, 8), F32)
    out[1, 2:] = 7
    found = problem("// RUN-CHECK: out == 0\n", out=out)
    assert (found.code, found.targets) == ("PTO-R702", ("a5",))
    (note,) = found.notes
    head, *rows = note.message.splitlines()
    assert head == "6 of 32 elements; position, out, 0:"
    assert rows == [f"[1, {column}]  7.0  0" for column in range(2, 8)]


def test_the_table_of_differences_is_short() -> None:
    note = problem("# RUN-CHECK: out == 1", out=np.zeros(1000, F32)).notes[0].message
    assert note.startswith("1000 of 1000 elements") and len(note.splitlines()) == 1 + 8


def test_a_failing_close_shows_values() -> None:
    note = problem("// RUN-CHECK: close(out, [1.0, 2.0], atol=0.1)", out=np.array([1.05, 2.5], F32)).notes[0]
    assert note.message == "1 of 2 elements; position, out, [1.0, 2.0]:\n[1]  2.5  2.0"


def test_shapes_that_do_not_fit_are_named() -> None:
    note = problem("// RUN-CHECK: out == x", out=np.zeros((2, 3), F32), x=np.zeros((3, 2), F32)).notes[0]
    assert note.message == "the shapes are [2, 3] and [3, 2]"


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_float_is_compared_as_what_it_is(dtype: Any) -> None:
    """0.1 is no f32; the nearest f32 is what a program that stores 0.1 leaves."""
    stored = np.full(8, 0.1, dtype)
    text = "// RUN-CHECK: out == 0.1\n# RUN-CHECK: out <= 0.1"
    assert check_all(ptoas.Source(text), {"out": stored}, "a5") == 2
    next_one = np.nextafter(stored, dtype(1))
    assert problem("// RUN-CHECK: out == 0.1", out=next_one).code == "PTO-R702"


def test_a_whole_number_is_not_rounded_to_a_float() -> None:
    """2**24 + 1 is the first whole number that is no f32."""
    found, whole = np.array([2.0**24], F32), np.array([2**24 + 1])
    assert problem("// RUN-CHECK: out == i", out=found, i=whole).code == "PTO-R702"


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("// RUN-CHEKC: out == 0", 4, "`RUN-CHEKC` is not RUN-CHECK"),
        ("# run-check: out == 0", 3, "`run-check` is not RUN-CHECK"),
        ("// RUN_CHECK[a5]: out == 0", 4, "`RUN_CHECK` is not RUN-CHECK"),
        ("// RUN-CHECK out == 0", 4, "`RUN-CHECK` needs a colon after it"),
        ("// RUN-CHECK[a6]: out == 0", 14, "there is no target 'a6'"),
        ("tload %a // runs: twice", 1, "there is no RUN-CHECK in this file"),
    ],
)
def test_check_without_an_expression_is_rejected(text: str, column: int, words: str) -> None:
    found = problem(text, out=np.zeros(1, F32))
    assert found.code == "PTO-R703" and words in found.message
    assert found.span.column == column


def test_a_check_may_name_a_target_by_another_name() -> None:
    assert problem("// RUN-CHECK[a3]: out == 1", target="a2a3", out=np.zeros(1, F32)).code == "PTO-R702"
    assert check_all(ptoas.Source("// RUN-CHECK[a3]: out == 1"), {"out": np.zeros(1, F32)}, "a5") == 0


def test_close_requires_equal_shapes() -> None:
    """A row does not stand for many there, so that says the message, not that no element differs."""
    source = ptoas.Source("# RUN-CHECK: close(out, x[0])", "a.pto")
    names = {"out": np.zeros((1, 8), np.float32), "x": np.zeros((1, 8), np.float32)}
    with pytest.raises(ptoas.PtoasError) as caught:
        check_all(source, names, "a5")
    assert [note.message for note in caught.value.diagnostics[0].notes] == ["the shapes are [1, 8] and [8]"]


X: Any = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], F32)
W: Any = np.arange(6, dtype=F32).reshape(3, 2)


@pytest.mark.parametrize(
    ("check", "out"),
    [
        ("close(out, exp(x))", np.exp(X)),
        ("close(out, np.sqrt(abs(x)))", np.sqrt(np.abs(X))),
        ("close(out, maximum(x, 0))", np.maximum(X, 0)),
        ("out == where((x[0] > 3)[None, :], x, 7)", np.where(X[:1] > 3, X, 7)),
        ("out == where(x > 0 and not x == 3, x, 7)", np.where((X > 0) & (X != 3), X, 7)),
        ("out == x @ w", X @ W),
        ("out == sum(x, axis=1)", X.sum(axis=1)),
        ("out == max(x, axis=0, keepdims=True)", X.max(axis=0, keepdims=True)),
        ("out == argmax(x, axis=1)", X.argmax(axis=1)),
        ("out == count(x > 0)", np.array(4)),
        ("out == y@1[0, 0:2]", X[0, 0:2]),
        ("out == transpose(x)", X.T),
        ("out == x.T", X.T),
        ("np.allclose(out, x - x.mean(1, keepdims=True))", X - X.mean(1, keepdims=True)),
        ("close(out, x / x.std(axis=1)[:, None])", X / X.std(axis=1)[:, None]),
        ("out == x[argsort(y@1[:, 2])]", X[::-1]),
        ("out == x.T[-1]", X[:, 2]),
        ("out == x.reshape(3, 2)", X.reshape(3, 2)),
        ("out == x.sum(axis=[0, 1])", X.sum(axis=(0, 1))),
        ("out == x.max(axis=(0, 1), keepdims=True)", X.max(axis=(0, 1), keepdims=True)),
        ("out == rows(x, [1, 0])", X[[1, 0]]),
        ("out == concatenate([x, zeros((1, 3))])", np.vstack([X, np.zeros((1, 3))])),
    ],
)
def test_a_check_computes_as_numpy_does(check: str, out: Any) -> None:
    names = {"x": X, "w": W, "y@1": X, "out": out}
    assert check_all(ptoas.Source(f"# RUN-CHECK: {check}"), names, "a5") == 1
    wrong = problem(f"# RUN-CHECK: {check}", **(names | {"out": out + 1}))
    assert wrong.code == "PTO-R702"


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_ulp_counts_steps_of_the_narrower_type(dtype: Any) -> None:
    exact: Any = np.array([1.0, 100.0, -0.3], dtype)
    two = np.nextafter(np.nextafter(exact, dtype(1000)), dtype(1000))
    assert check_all(ptoas.Source("# RUN-CHECK: close(out, x, ulp=2)"), {"out": two, "x": exact}, "a5") == 1
    assert problem("# RUN-CHECK: close(out, x, ulp=1)", out=two, x=exact).code == "PTO-R702"


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ("close(out, expp(x))", "there is no function 'expp'; did you mean `exp`?"),
        ("sum(out, dtype=3)", "sum does not take these names; it takes axis, keepdims"),
        ("out == x.flat", "'x.flat' is not supported"),
        ("np.load(x) == 1", "there is no function 'load'"),
        ("out @ x@1 == 1", "the operands of @ must be arrays"),
        ("out == softmax(x)", "A comment `# RUN-CHECK: reference.py:softmax` compares the outputs with"),
        ("out == 2 x", "this is not an expression: invalid syntax at `x`"),
        ("rows(x, [-1]) == 0", "position -1 is outside 0 to 1"),
        (
            "out == y - y.max(axis=1)",
            "the shapes do not fit together: `y` has [4, 2], `y.max(axis=1)` has [4]; "
            "write `y.max(axis=1, keepdims=True)`",
        ),
        (
            "maximum(y, [1, 2, 3]) == 0",
            "the shapes do not fit together: `y` has [4, 2], `[1, 2, 3]` has [3]",
        ),
        (
            "y == where(y[:, 0] > 0, y, 0)",
            "the shapes do not fit together: `y[:, 0] > 0` has [4], `y` has [4, 2], `0` has []; "
            "for a value in each row write `(y[:, 0] > 0)[:, None]`",
        ),
        ("out < y[:, :1] < y", "the shapes do not fit together: `out` has [2, 2], `y[:, :1]` has [4, 1]"),
    ],
)
def test_unsupported_expression_of_a_check_is_rejected(check: str, message: str) -> None:
    found = problem(f"# RUN-CHECK: {check}", out=np.ones((2, 2)), x=np.ones((2, 2)), y=np.ones((4, 2)))
    assert found.code == "PTO-R703"
    assert message in found.message


def test_a_maximum_along_an_axis_may_be_meant_as_that_of_two_operands() -> None:
    """`max(x, 0)` is NumPy's maximum along axis 0."""
    first, *_ = problem("# RUN-CHECK: out == max(x, 0)", out=X, x=X).notes
    assert first.message == "`max(x, 0)` is the maximum along axis 0; of two operands it is `maximum(x, 0)`"
    notes = problem("# RUN-CHECK: out == max(x, axis=0)", out=X, x=X).notes
    assert not any("maximum" in note.message for note in notes)
