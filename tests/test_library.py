"""ptoas as a library: arguments by position, arrays of others, what a notebook shows, names, findings."""

from __future__ import annotations

import builtins
import importlib
import pickle
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoas
from docs import manual

ROOT = Path(__file__).parents[1]
NEGATE = """
.target a5
.arg %x : !pto.memref<1x8xf32>
.arg %out : !pto.memref<1x8xf32>
%a = tload %x : (!pto.memref<1x8xf32>) -> !pto.tile<1x8xf32>
%b = tneg %a : !pto.tile<1x8xf32>
tstore %b, %out
"""
LOOKUP = """
.arg %table : !pto.memref<64x32xf32>
.arg %idx : !pto.tile<1x16xi32>
%dst = mgather.row %table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>
"""


@pytest.fixture
def kernel() -> ptoas.Kernel:
    return ptoas.compile(ptoas.parse(NEGATE, "negate.pto"))


def counting() -> Any:
    return np.arange(8, dtype=np.float32).reshape(1, 8)


# --- calls -----------------------------------------------------------------------------------------


def test_arguments_go_by_position_by_name_and_both(kernel: ptoas.Kernel) -> None:
    for call in (
        lambda x, out: kernel(x, out),
        lambda x, out: kernel(x, out=out),
        lambda x, out: kernel(out=out, x=x),
        lambda x, out: kernel({"x": x, "out": out}),
        lambda x, out: kernel({"x": x}, out=out),
    ):
        out = np.zeros((1, 8), np.float32)
        call(counting(), out)
        assert (out == -counting()).all()


def test_outputs_that_are_left_out_are_made(kernel: ptoas.Kernel) -> None:
    assert (kernel(counting()).outputs["out"] == -counting()).all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda k: k(1, 2, 3), "has 2 arguments; 3 given"),
        (lambda k: k(counting(), x=counting()), "x of @negate is given twice"),
        (lambda k: k(counting(), y=counting()), "has no argument 'y'"),
    ],
)
def test_wrong_call_is_reported(kernel: ptoas.Kernel, call: Any, said: str) -> None:
    with pytest.raises(ptoas.PtoasError) as caught:
        call(kernel)
    (finding,) = caught.value.diagnostics
    assert finding.code == "PTO-R601" and said in finding.message


# --- arrays of other libraries ---------------------------------------------------------------------


class ByDLPack:
    def __init__(self, data: Any):
        self.data = data

    def __dlpack__(self, **how: Any) -> Any:
        return self.data.__dlpack__(**how)

    def __dlpack_device__(self) -> Any:
        return self.data.__dlpack_device__()


class ByInterface:
    def __init__(self, data: Any):
        self.data = data

    @property
    def __array_interface__(self) -> Any:
        return self.data.__array_interface__


class ByArray:
    def __init__(self, data: Any):
        self.data = data

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.data


class Elsewhere:
    """An array like a tensor on a device, or one that computes gradients."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("can't convert a device tensor")


@pytest.mark.parametrize("theirs", [ByDLPack, ByInterface, ByArray])
def test_their_memory_is_written_in_place(kernel: ptoas.Kernel, theirs: Any) -> None:
    out = np.zeros((1, 8), np.float32)
    result = kernel(theirs(counting()), theirs(out))
    assert (out == -counting()).all()
    assert np.shares_memory(result.outputs["out"], out)
    # A second call with the same object sees what it holds by then.
    x = theirs(counting())
    for factor in (1, 3):
        x.data[:] = counting() * factor
        kernel(x, theirs(out))
        assert (out == -counting() * factor).all()


@pytest.mark.parametrize("theirs", [ByDLPack, ByInterface, ByArray])
def test_memory_that_can_t_be_written_is_left_alone(kernel: ptoas.Kernel, theirs: Any) -> None:
    """Read-only arrays, like JAX's, are copied; the result is in the copy."""
    out = np.zeros((1, 8), np.float32)
    out.flags.writeable = False
    assert (kernel(counting(), theirs(out)).outputs["out"] == -counting()).all()
    assert not out.any()


@pytest.mark.parametrize("theirs", [ByDLPack, ByArray])
def test_their_strides_are_kept(kernel: ptoas.Kernel, theirs: Any) -> None:
    out = np.zeros((8, 2), np.float32).T[:1]
    kernel(theirs(np.repeat(counting(), 2, axis=0).T.copy().T[:1]), theirs(out))
    assert (out == -counting()).all()


def test_every_order_of_cores_takes_copies_of_them(kernel: ptoas.Kernel) -> None:
    found = ptoas.run_all(kernel.module, {"x": ByDLPack(counting())}, targets=("cpu", "a5"))
    results = [outcome.result for outcome in found.outcomes]
    assert [(r.outputs["out"] == -counting()).all() for r in results if r is not None] == [True, True]


def test_array_on_a_device_is_reported(kernel: ptoas.Kernel) -> None:
    with pytest.raises(ptoas.PtoasError, match="Elsewhere does not give one: can't convert a device tensor"):
        kernel(Elsewhere())
    with pytest.raises(ptoas.PtoasError, match="x holds f32; the array holds float64"):
        kernel(ByDLPack(counting().astype(np.float64)))


def test_a_scalar_may_be_an_array_of_theirs() -> None:
    text = """
!t = !pto.tile_buf<vec, 1x8xf32>
func.func @f(%n: index, %out: !pto.memref<1x8xf32>) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pto.texpands ins(%one : f32) outs(%a : !pto.tile_buf<vec, 1x8xf32>)
  scf.for %i = %c0 to %n step %c1 {
    pto.tadd ins(%a, %a : !t, !t) outs(%a : !t)
  }
  pto.tstore ins(%a : !pto.tile_buf<vec, 1x8xf32>) outs(%out : !pto.memref<1x8xf32>)
  return
}
"""
    kernel = ptoas.compile(ptoas.parse(text), "a5")
    for three in (3, np.int64(3), np.array(3), ByDLPack(np.array([3]))):
        assert kernel(three).outputs["out"][0, 0] == 8


# --- notebooks -------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Every element is closed, and none can do more than be shown."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.words = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        assert tag in {"pre", "span", "b", "div", "table", "tr", "th", "td", "svg", "style", "rect", "text",
                       "line", "path", "title", "defs", "marker"}, tag  # fmt: skip
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def shown(thing: Any) -> str:
    return Tags(thing._repr_html_()).words


def test_a_notebook_shows_modules() -> None:
    module = ptoas.parse(NEGATE, "negate.pto")
    assert shown(module) == ptoas.print_module(module, "ssa")
    generic = ptoas.parse(ptoas.print_module(module, "generic"))
    assert shown(generic) == shown(module)
    assert shown(module.clone()) == shown(module)
    built = ptoas.build.module(target="a5")
    with built.function("f", x="8x8xf32") as f:
        f.tstore(f.tneg(f.tload(f.x)), f.x)
    assert "pto.tneg" in shown(built) and shown(built) == shown(built.module)
    long = ptoas.parse(NEGATE + "tstore %b, %out\n" * 500)
    assert "more lines" in shown(long)


def test_a_notebook_shows_reports() -> None:
    report = ptoas.verify_targets(ptoas.parse(LOOKUP, "lookup<script>.pto"), ["cpu", "a5"])
    words = shown(report)
    assert "cpurefused10" in words and "a5ok00" in words
    assert ptoas.render(report) in words


def test_a_notebook_shows_results_and_profiles(kernel: ptoas.Kernel) -> None:
    assert "out: 1x8 float32[[-0. -1. -2. -3. -4. -5. -6. -7.]]" in shown(kernel(counting()))
    kept = ptoas.run(ptoas.parse(LOOKUP), target="a5", stats=True, generate=True)
    assert "@string on a5" in shown(kept) and "dst: 16x32 float32" in shown(kept)
    assert "timeline" in ptoas.profile(ptoas.parse(NEGATE), target="a5")._repr_html_()


def test_program_output_is_escaped_in_html() -> None:
    text = '.arg %out : !pto.memref<1x8xi32>\n.const %c = 1 : i32\npto.print "<script> %d", %c : i32\n'
    result = ptoas.run(ptoas.parse(text), target="a5")
    assert result.printed and "<script>" not in result._repr_html_()


def test_an_error_is_shown_as_what_was_found() -> None:
    """IPython asks for this in place of a traceback."""
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse("%b = tneg %a : !pto.tile<8x8xf32>", "negate.pto")
    lines = caught.value._render_traceback_()
    assert lines[:2] == ["error[PTO-P030]: `%a` is not defined", "  --> negate.pto:1:11"]


# --- names -----------------------------------------------------------------------------------------

PYTHON = {
    page.name: "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    for page in sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").glob("*.md")])
} | {"api.md": "\n".join(re.findall(r"```python\n(.*?)```", manual.api(), re.DOTALL))}


def test_every_name_of_the_documentation_can_be_imported() -> None:
    for page, code in PYTHON.items():
        for name in re.findall(r"\bptoas\.([A-Za-z]\w*)", code):
            assert hasattr(ptoas, name) or importlib.import_module(f"ptoas.{name}"), (page, name)
        for module, names in re.findall(r"^(?:>>> )?from (ptoas[\w.]*) import ([\w, ]+)", code, re.MULTILINE):
            for name in names.split(","):
                assert hasattr(importlib.import_module(module), name.strip()), (page, module, name)


def test_every_type_of_the_page_can_be_imported() -> None:
    """The types of signatures can be used in signatures of callers."""
    signatures = [part for part in PYTHON["api.md"].split("\n\n") if ">>>" not in part]
    strangers = {"Any", "Array", "Callable", "Iterable", "Mapping", "Sequence", "PathLike", "ModuleOp",
                 "ModulePass", "Operation", "ColMajor", "ERROR", "ABC"}  # fmt: skip
    found = set(re.findall(r"\b[A-Z]\w+", re.sub(r'"[^"]*"', "", "\n".join(signatures)))) - strangers
    assert found - set(dir(builtins)) <= set(dir(ptoas))


def test_all_names_can_be_imported() -> None:
    for name in dir(ptoas):
        assert getattr(ptoas, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'pasre'"):
        ptoas.pasre  # pyright: ignore[reportAttributeAccessIssue] # noqa: B018


# --- findings --------------------------------------------------------------------------------------


def test_a_finding_carries_its_operation(kernel: ptoas.Kernel) -> None:
    module = ptoas.parse(LOOKUP)
    (finding,) = ptoas.verify(module, "cpu").errors
    assert finding.op is not None and finding.op in list(module.walk()) and finding.op.name == "pto.mgather"
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.run(module, {"idx": np.full((1, 16), 64, np.int32)}, target="a5", generate=True)
    (finding,) = caught.value.diagnostics
    assert finding.op is not None and finding.op.name == "pto.mgather"
    again = pickle.loads(pickle.dumps(finding))
    assert again == finding and again.op is None


# --- short texts of objects, pickling -------------------------------------------------------------


def test_the_repr_of_a_large_result_is_one_short_line(kernel: ptoas.Kernel) -> None:
    assert repr(kernel) == "<Kernel @negate(x, out) for a5>"
    result = kernel(counting())
    assert repr(result) == "<Result of @negate on a5: out 1x8 float32>"
    result.warnings += ptoas.verify(ptoas.parse(LOOKUP), "cpu").diagnostics[:1]
    assert repr(result).endswith("out 1x8 float32, 1 warning>")
    profile = ptoas.profile(ptoas.parse(LOOKUP), target="a5")
    assert repr(profile).startswith("<Profile of @string on a5: ") and len(repr(profile)) < 80


def test_kernels_and_profiles_say_why_they_can_not_be_pickled(kernel: ptoas.Kernel) -> None:
    with pytest.raises(TypeError, match=r"Kernel can't be pickled; .* compile it in the other process"):
        pickle.dumps(kernel)
    with pytest.raises(TypeError, match=r"can't be pickled; keep `as_dict"):
        pickle.dumps(ptoas.profile(ptoas.parse(LOOKUP), target="a5"))
    assert np.array_equal(pickle.loads(pickle.dumps(kernel(counting()))).outputs["out"], -counting())


# --- ranks ----------------------------------------------------------------------------------------


def test_ranks_are_run_by_a_public_function(kernel: ptoas.Kernel) -> None:
    module = ptoas.parse(ptoas.print_module(kernel.module))
    result = ptoas.run_ranks(module, {"x@0": counting(), "x@1": counting() + 1}, "a5", ranks=2)
    assert isinstance(result, ptoas.RanksResult) and len(result.ranks) == 2
    assert np.array_equal(result.outputs["out@1"], -counting() - 1)
    assert repr(result) == "<RanksResult of @negate on a5: out@0 1x8 float32, out@1 1x8 float32>"


def test_ranks_need_every_input_on_every_rank(kernel: ptoas.Kernel) -> None:
    module = ptoas.parse(ptoas.print_module(kernel.module))
    for given in (None, {}, {"x@1": counting()}):
        with pytest.raises(ptoas.PtoasError, match=r"PTO-R610.*argument `x` of @negate is missing"):
            ptoas.run_ranks(module, given, "a5", ranks=2)
    generated = ptoas.run_ranks(module, {"x@1": counting()}, "a5", ranks=2, generate=True)
    assert generated is not None and np.array_equal(generated.outputs["out@1"], -counting())


def test_ranks_know_their_numbers() -> None:
    module = ptoas.parse_file(str(Path(__file__).parents[1] / "examples" / "all_gather.pto"))
    src = np.arange(2 * 8 * 32, dtype=np.float32).reshape(2, 8, 32)
    result = ptoas.run_ranks(module, {"src": src}, ranks=2)
    assert result is not None
    for rank in range(2):
        assert np.array_equal(np.ravel(result.outputs["all"][rank]), np.ravel(src))
