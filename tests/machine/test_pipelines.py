"""Random pipelines of cube and vector cores: in every order they give what the same steps one after the other
give, or one and the same finding."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoas.diagnostics import PtoasError

from .support import execute, failing

ROWS, COLS = 16, 32
MAT = f"!pto.tile_buf<mat, {ROWS}x{COLS}xf32, blayout=col_major, slayout=row_major>"
LEFT = f"!pto.tile_buf<left, {ROWS}x{COLS}xf32, slayout=row_major>"
RIGHT = f"!pto.tile_buf<right, {COLS}x{COLS}xf32, slayout=col_major>"
ACC = f"!pto.tile_buf<acc, {ROWS}x{COLS}xf32, blayout=col_major, slayout=row_major, fractal=1024>"
SHAPES = {0: (ROWS, COLS), 1: (ROWS // 2, COLS), 2: (ROWS, COLS // 2)}
SIZE = ROWS * COLS * 4
TURNS = range(1, 6)


@dataclass(frozen=True)
class Pipeline:
    """`iterations` tiles go from cube to vector, back, or there and back: `out = -(x @ r)`, `-x @ r` or
    `-(x @ r) @ r`."""

    target: str
    slots: int
    iterations: int
    split: int
    direction: str
    """`there`, `back` or `both`."""
    spoiled: str = ""
    """An instruction that the last turn leaves out."""

    @property
    def goes(self) -> bool:
        return self.direction != "back"

    @property
    def returns(self) -> bool:
        return self.direction != "there"

    def step(self, text: str) -> str:
        """An instruction of every turn, or of every one but the last."""
        if self.spoiled not in text or not self.spoiled:
            return text
        return f"scf.if %spare {{\n      {text}\n      }}"

    @property
    def text(self) -> str:
        rows, cols = SHAPES[self.split]
        vec = f"!pto.tile_buf<vec, {rows}x{cols}xf32>"
        nz = vec if self.target == "a2a3" else vec[:-1] + ", blayout=col_major, slayout=row_major>"
        views = f"!pto.memref<{ROWS * self.iterations}x{COLS}xf32>"
        whole, part = (f"!pto.partition_tensor_view<{r}x{c}xf32>" for r, c in ((ROWS, COLS), (rows, cols)))
        gm = "gm_slot_buffer = %gm : !pto.ptr<f32>, " if self.target == "a2a3" else ""
        mask = {"there": 1, "back": 2, "both": 3}[self.direction]
        rings = ["c2v_consumer_buf = %there : i32"] * self.goes + [
            "v2c_consumer_buf = %back : i32"
        ] * self.returns
        channel = f"{{dir_mask = {mask}, slot_size = {SIZE}, slot_num = {self.slots}}}"
        channel += f" ({gm}{', '.join(rings)})"
        room = f"size = {SIZE * self.slots}, location = #pto.address_space"
        split = f"{{split = {self.split}}}"
        arguments = f"%gm: !pto.ptr<f32>, %x: {views}, %r: {RIGHT}, %out: {views}"
        head = f"""%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = arith.constant {ROWS} : index
    %cols = arith.constant {COLS} : index
    %turns = arith.constant {self.iterations} : index
    %last = arith.constant {self.iterations - 1} : index"""
        loop = """scf.for %i = %c0 to %turns step %c1 {
      %at = arith.muli %i, %rows : index
      %spare = arith.cmpi ne, %i, %last : index"""
        first = f"""%l = pto.alloc_tile : {LEFT}
      %m = pto.alloc_tile : {MAT}
      %acc = pto.alloc_tile : {ACC}
      %from = pto.partition_view %x, offsets = [%at, %c0], sizes = [%rows, %cols] : {views} -> {whole}
      pto.tload ins(%from : {whole}) outs(%m : {MAT})
      pto.tmov ins(%m : {MAT}) outs(%l : {LEFT})
      pto.tmatmul ins(%l, %r : {LEFT}, {RIGHT}) outs(%acc : {ACC})
      {self.step(f"pto.tpush_to_aiv(%acc : {ACC}) {split}")}"""
        second = f"""%b = pto.tpop_from_aiv {split} -> {MAT}
      %k = pto.alloc_tile : {LEFT}
      pto.tmov ins(%b : {MAT}) outs(%k : {LEFT})
      {self.step(f"pto.tfree_from_aiv {split}")}
      %sum = pto.alloc_tile : {ACC}
      pto.tmatmul ins(%k, %r : {LEFT}, {RIGHT}) outs(%sum : {ACC})
      %to = pto.partition_view %out, offsets = [%at, %c0], sizes = [%rows, %cols] : {views} -> {whole}
      pto.tstore ins(%sum : {ACC}) outs(%to : {whole})"""
        place = f"""%lane = pto.get_subblock_idx
      %n = arith.index_cast %lane : i64 to index
      %h = arith.constant {rows} : index
      %w = arith.constant {cols} : index
      %dr = arith.muli %n, {"%h" if self.split == 1 else "%c0"} : index
      %row = arith.addi %at, %dr : index
      %col = arith.muli %n, {"%w" if self.split == 2 else "%c0"} : index"""
        window = "offsets = [%row, %col], sizes = [%h, %w]"
        if not self.split:
            place, window = "", "offsets = [%at, %c0], sizes = [%rows, %cols]"
        store = f"""%to = pto.partition_view %out, {window} : {views} -> {part}
      pto.tstore ins(%u : {vec}) outs(%to : {part})"""
        load = f"""%t = pto.alloc_tile : {vec}
      %from = pto.partition_view %x, {window} : {views} -> {part}
      pto.tload ins(%from : {part}) outs(%t : {vec})"""
        pop = f"%t = pto.tpop_from_aic {split} -> {vec}"
        push = f"""%z = pto.alloc_tile : {nz}
      pto.tmov ins(%u : {vec}) outs(%z : {nz})
      pto.tpush_to_aic(%z : {nz}) {split}"""
        if nz == vec:
            push = f"pto.tpush_to_aic(%u : {vec}) {split}"
        return f"""
func.func @cube({arguments}) attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
    {head}
    {'%there = pto.import_reserved_buffer {name = "there", peer_func = @vector} -> i32' if self.goes else ""}
    {f'%back = pto.reserve_buffer {{name = "back", {room}<mat>, auto = true}} -> i32' if self.returns else ""}
    pto.aic_initialize_pipe {channel}
    {loop}
      {first if self.goes else ""}
      {second if self.returns else ""}
    }}
    return
}}
func.func @vector({arguments}) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    {head}
    {f'%there = pto.reserve_buffer {{name = "there", {room}<vec>, auto = true}} -> i32' if self.goes else ""}
    {'%back = pto.import_reserved_buffer {name = "back", peer_func = @cube} -> i32' if self.returns else ""}
    pto.aiv_initialize_pipe {channel}
    {loop}
      {place}
      {pop if self.goes else load}
      %u = pto.alloc_tile : {vec}
      pto.tneg ins(%t : {vec}) outs(%u : {vec})
      {self.step(f"pto.tfree_from_aic {split}") if self.goes else ""}
      {push if self.returns else store}
    }}
    return
}}
"""

    def arguments(self) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(self.iterations)
        x = rng.integers(-4, 5, (ROWS * self.iterations, COLS)).astype(np.float32)
        return {"x": x, "r": rng.integers(-2, 3, (COLS, COLS)).astype(np.float32)}

    def expected(self) -> np.ndarray:
        given = self.arguments()
        once = -(given["x"] @ given["r"]) if self.goes else -given["x"]
        return once @ given["r"] if self.returns else once


pipelines = st.builds(
    Pipeline,
    target=st.sampled_from(["cpu", "a2a3", "a5"]),
    slots=st.integers(1, 4),
    iterations=st.integers(1, 5),
    split=st.sampled_from([0, 1, 2]),
    direction=st.sampled_from(["there", "back", "both"]),
)
orders = st.lists(st.integers(0, 1000), min_size=2, max_size=3)


@settings(max_examples=10)
@given(pipeline=pipelines, seeds=orders)
def test_pipeline_equals_its_steps(pipeline: Pipeline, seeds: list[int]) -> None:
    for schedule in (None, *seeds):
        out = execute(pipeline.text, pipeline.arguments(), pipeline.target, schedule=schedule).outputs["out"]
        assert np.array_equal(out, pipeline.expected())


CODES = {
    "tpush_to_aiv": {"PTO-R901", "PTO-R922"},
    "tfree_from_aic": {"PTO-R903"},
    "tfree_from_aiv": {"PTO-R903"},
}
"""Omissions of the last iteration, and the resulting code: the waiting actor may itself be awaited."""


@settings(max_examples=8)
@given(pipeline=pipelines, seeds=orders, spoiled=st.sampled_from(list(CODES)))
def test_a_wrong_pipeline_is_found_in_every_order(pipeline: Pipeline, seeds: list[int], spoiled: str) -> None:
    # Some way has to have what is left out.
    lacks = pipeline.direction == {"tfree_from_aiv": "there"}.get(spoiled, "back")
    wrong = replace(pipeline, spoiled=spoiled, direction="both" if lacks else pipeline.direction)
    found: set[tuple[str, int]] = set()
    for schedule in (None, *seeds):
        with pytest.raises(PtoasError) as caught:
            execute(wrong.text, wrong.arguments(), wrong.target, schedule=schedule)
        found |= {(finding.code, finding.span.line) for finding in caught.value.diagnostics}
    assert len(found) == 1 and {code for code, _ in found} <= CODES[spoiled]


def needs_luck(cube: int, vector: int, late: bool) -> str:
    """The vector cores are let go on if the cube core looks before they store something, or after that
    (`late`); each has some steps to do first."""

    def steps(count: int) -> str:
        load = "%{} = pto.load_scalar %own[%c0] : !pto.ptr<i32> -> i32"
        return "\n    ".join(load.format(f"s{n}") for n in range(count))

    return f"""
func.func @kernel(%flag: !pto.ptr<i32>, %own: !pto.ptr<i32>) {{
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  pto.section.cube {{
    {steps(cube)}
    %seen = pto.load_scalar %flag[%c0] : !pto.ptr<i32> -> i32
    %go = arith.cmpi {"eq" if late else "ne"}, %seen, %one : i32
    scf.if %go {{
      pto.set_intra_block <PIPE_FIX>, 3
      pto.set_intra_block <PIPE_FIX>, 19
    }}
  }}
  pto.section.vector {{
    {steps(vector)}
    pto.store_scalar %one, %flag[%c0] : !pto.ptr<i32>, i32
    pto.wait_intra_block <PIPE_MTE2>, 3
  }}
  return
}}
"""


@settings(max_examples=10)
@given(cube=st.integers(0, 4), vector=st.integers(0, 4), late=st.booleans())
def test_an_order_that_hangs_is_found_among_fifty(cube: int, vector: int, late: bool) -> None:
    text = needs_luck(cube, vector, late)

    def flag() -> dict[str, np.ndarray]:
        return {"flag": np.zeros(16, np.int32)}

    finding = failing("PTO-R920", text, flag(), schedules=50, checks="mem,init")
    (order,) = [note.message for note in finding.notes if "--schedule" in note.message]
    seed = int(order.split()[-1])
    # The same order hangs again, and one before it does not.
    failing("PTO-R920", text, flag(), schedule=seed, checks="mem,init")
    if seed:
        execute(text, flag(), schedule=seed - 1, checks="mem,init")
