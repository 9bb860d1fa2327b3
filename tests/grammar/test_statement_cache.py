"""A statement is read the same whatever was read before it: the cache of statements changes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas
from ptoas.compiler.forms import print_module
from ptoas.grammar import build
from ptoas.grammar.spans import field_span, operand_span, operand_type_span, result_type_span, span_of
from ptoas.ir.caches import BoundedCache

ARGUMENTS = """
.arg %t0 : {t0}
.arg %t1 : {t1}
.arg %i0 : {i0}
.arg %v0 : {v0}
.arg %v1 : {v1}
.arg %n : index
.arg %x : f32
"""
STATEMENTS = (
    "tadd ins(%t0, %t1 : {t0}, {t1}) outs(%t0 : {t0})",
    "tadd ins(%t0, %t1 : {t1}, {t0}) outs(%t0 : {t0})",  # wrong, unless the two are one type
    "%r = tadd %t0, %t1 : ({t0}, {t1}) -> {t1}",
    "%r = tadd %t0, %t1 : {t0}",
    "%r = tneg %t0 : {t1}",  # one operand: the type is its own, or the result's
    "tmuls ins(%t0, %x : {t0}, f32) outs(%t1 : {t1})",
    "tmuls ins(%i0, %x : {i0}, f32) outs(%i0 : {i0})",  # the element types differ
    "%r = alloc_tile valid_row = %n : {t0}",  # wrong, unless the rows are open
    "%r = partition_view %v0, offsets = [%n, %n], sizes = [%n, %n] : {v0} -> {v1}",
    "tload ins(%v0 : {v0}) outs(%t0 : {t0})",
    "tload ins(%v0 : {v0}) outs(%new : {t0})",
    "%r = tload %v0[%n, %n] : {v0} -> {t0}",
    "tstore ins(%t0 : {t0}) outs(%v0 : {v0}) {{atomicType = #pto<atomic_type atomic_add>}}",
    "%r = mgather.row.clamp %v0, %i0 : {v0}, {i0} -> {t0}",
    "%r = mgather %v0, %i0 {{coalesce = #pto<coalesce elem>}} : ({v0}, {i0}) -> {t0}",
    "mscatter %t0, %v0, %i0 : ({v0}, {t0}, {i0})",  # types in another order
    "%r = trowmax %t0, %t1 : ({t0}, {t1}) -> {t0}",
    "tmov ins(%t0 : {t0}) outs(%t1 : {t1})",
    "tadd ins(%t0, %gone : {t0}, {t1}) outs(%t0 : {t0})",
    "tadd ins(%t0, %t1 : <vec, 8x8xf32>, {t1}) outs(%t0 : {t0})",
)
KINDS = {
    "t": (
        "!pto.tile_buf<vec, {}x{}x@>",
        "!pto.tile_buf<mat, {}x{}x@, slayout=row_major>",
        "!pto.tile_buf<vec, {}x{}x@, valid=?x{}>",
        "!pto.tile<{}x{}x@, valid={}x1>",
        "!pto.tile_buf<loc=vec, dtype=@, rows={}, cols={}, v_row=8, v_col=8>",
    ),
    "v": ("!pto.memref<{}x{}x@>", "!pto.tensor_view<?x{}x@>", "!pto.partition_tensor_view<{}x{}x{}x@, nz>"),
}


@st.composite
def programs(draw: st.DrawFn) -> list[str]:
    """One statement with types that are mostly of one kind, with other extents in each."""
    statement = draw(st.sampled_from(STATEMENTS))
    first, second = (
        {name: draw(st.sampled_from(KINDS[name[0].replace("i", "t")])) for name in ("t0", "i0", "v0")}
        for _ in range(2)
    )
    texts: list[str] = []
    for _ in range(draw(st.integers(2, 4))):
        kinds = draw(st.sampled_from((first, first, first, second)))
        kinds = {**kinds, "t1": kinds["t0"], "v1": kinds["v0"]}
        types: dict[str, str] = {}
        for name, kind in kinds.items():
            sizes = [draw(st.sampled_from((8, 16))) for _ in range(kind.count("{}"))]
            types[name] = kind.format(*sizes).replace("@", "i32" if name == "i0" else "f32")
        texts.append((ARGUMENTS + statement).format(**types))
    return texts


def read(text: str) -> list[object]:
    """All that reading makes of a text: operations and where their parts stand, or findings."""
    try:
        module = ptoas.parse(text)
    except ptoas.PtoasError as error:
        return [(d.code, d.message, d.span.offset, d.span.length, d.fix) for d in error.diagnostics]
    found: list[object] = [print_module(module, form="generic")]
    for op in module.walk():
        spans = [span_of(op)]
        for at in range(len(op.operands)):
            spans += operand_span(op, at), operand_type_span(op, at)
        spans += [result_type_span(op, at) for at in range(len(op.results))]
        spans += [field_span(op, name) for name in op.properties]
        found.append([(span.offset, span.length) for span in spans])
    return found


@settings(max_examples=400, deadline=None)
@given(programs())
def test_it_is_read_as_by_itself(texts: list[str]) -> None:
    ptoas.clear_caches()
    one_after_the_other = [read(text) for text in texts]
    by_themselves: list[object] = []
    for text in texts:
        ptoas.clear_caches()
        by_themselves.append(read(text))
    assert one_after_the_other == by_themselves


def test_type_inside_an_attribute_is_not_erased() -> None:
    one, other = "!pto.tile<8x8xf32>", "!pto.tile<16x8xf32>"
    ptoas.clear_caches()
    for type in (one, other):
        module = ptoas.parse(f".arg %a : {type}\n%b = tneg %a {{x.of = {type}}} : ({type}) -> {type}")
        (op,) = [op for op in module.walk() if op.name == "pto.tneg"]
        assert op.attributes["x.of"] == op.operands[0].type


def test_alias_of_a_file_does_not_affect_other_files() -> None:
    for mode, rows in (("elem", 64), ("row", 32)):
        view, type = f"!pto.memref<{rows}x8xf32>", "!pto.tile<1x8xi32>"
        module = ptoas.parse(
            f"#mode = #pto<coalesce {mode}>\n.arg %v : {view}\n.arg %i : {type}\n"
            f"%d = mgather %v, %i {{coalesce = #mode}} : ({view}, {type}) -> !pto.tile<8x8xf32>"
        )
        (op,) = [op for op in module.walk() if op.name == "pto.mgather"]
        assert mode in str(op.properties["coalesce"])


def test_a_name_of_a_type_is_no_other_type() -> None:
    small, large = "!pto.tile<8x8xf32>", "!pto.tile<16x8xf32>"
    text = f"!small = {small}\n.arg %a : {small}\n.arg %b : {large}\n"
    for name, type in (("a", small), ("b", large)):
        text += f"tadd ins(%{name}, %{name} : !small, {type}) outs(%{name} : {type})\n"
    with pytest.raises(ptoas.PtoasError, match="PTO-P042") as caught:
        ptoas.parse(text)
    assert [d.span.line for d in caught.value.diagnostics] == [5]


def test_an_alias_of_one_file_is_unknown_to_the_next() -> None:
    """The statement's text is that of a statement that was read, and its values have the same types."""
    program = ".arg %a : !pto.tile<8x8xf32>\n%b = tneg %a : !small"
    ptoas.parse(f"!small = !pto.tile<8x8xf32>\n{program}")
    with pytest.raises(ptoas.PtoasError, match="`!small` is not defined"):
        ptoas.parse(program)


def test_redefined_alias_uses_the_last_definition() -> None:
    types = "!pto.memref<64x8xf32>", "!pto.tile<1x8xi32>"
    text = ""
    for name, mode in (("f", "row"), ("g", "elem")):
        text += f"""
            #mode = #pto<coalesce {mode}>
            func.func @{name}(%v: {types[0]}, %i: {types[1]}) {{
              %d = mgather %v, %i {{coalesce = #mode}} : ({types[0]}, {types[1]}) -> !pto.tile<8x8xf32>
            }}"""
    module = ptoas.parse(text)
    modes = [str(op.properties["coalesce"]) for op in module.walk() if op.name == "pto.mgather"]
    assert "row" in modes[0] and "elem" in modes[1]


def test_an_unregistered_instruction_is_known_only_where_it_is_allowed() -> None:
    ptoas.parse("pto.later", allow_unregistered=True)
    with pytest.raises(ptoas.PtoasError, match="PTO-P020"):
        ptoas.parse("pto.later")


def test_a_type_that_is_written_nowhere_decides_too() -> None:
    """`%b` has the type of `%a`, which the statement does not say."""
    for type in ("!pto.tile<8x8xf32>", "!pto.tile<16x8xf32>", "!pto.tile<8x8xf32>"):
        module = ptoas.parse(f".arg %a : {type}\n%b = tneg %a")
        (op,) = [op for op in module.walk() if op.name == "pto.tneg"]
        assert op.results[0].type == op.operands[0].type


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that Lark parses."""
    texts: list[str] = []
    parse_statement = build.parse_statement
    monkeypatch.setattr(build, "parse_statement", lambda text: texts.append(text) or parse_statement(text))
    return texts


def test_statements_that_differ_in_types_are_parsed_once(parsed: list[str]) -> None:
    ptoas.clear_caches()
    for type in ("!pto.tile<8x8xf32>", "!pto.tile<16x8xf32, valid=8x8>"):
        module = ptoas.parse(f".arg %a : {type}\n%b = tneg %a : {type}")
        (op,) = [op for op in module.walk() if op.name == "pto.tneg"]
        assert op.results[0].type == op.operands[0].type
    assert parsed == [".arg %0 : !_<0>", "%0 = tneg %1 : !_<0>"]


@pytest.mark.parametrize("kind", ["!pto.tile<8x8xf32>", "!pto.hif8"])
def test_word_after_a_type_is_rejected(kind: str) -> None:
    text = f".arg %a : !pto.tile<8x8xf32>\n%b = tneg %a : {kind} word"
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(text)
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.span.offset) == ("PTO-P010", text.index("word"))


def test_a_problem_inside_a_type_is_found_there_behind_other_types_and_names() -> None:
    good = "!pto.tile<8x8xf32>"
    for bad, part in (("!pto.tile<8x8xf33>", "8x8xf33"), ("!pto.tile<8x8xf32, pad=no>", "no>")):
        text = f".arg %a : {good}\n.arg %name : {good}\ntadd ins(%a, %name : {good}, {bad}) outs(%a : {good})"
        with pytest.raises(ptoas.PtoasError) as caught:
            ptoas.parse(text)
        (finding,) = caught.value.diagnostics
        assert finding.span.offset == text.index(part)


@pytest.mark.parametrize("part", ["!pto.tile<8x8xf32%>", "!pto.tile<8x8xf32> {x.y = #pto<pipe % V>}"])
def test_a_value_without_a_name_is_reported_inside_a_type_and_an_attribute(part: str) -> None:
    text = f".arg %a : !pto.tile<8x8xf32>\n%b = tneg %a : {part}"
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(text)
    (finding,) = caught.value.diagnostics
    assert (finding.message, finding.span.offset) == ("a value needs a name: `%name`", text.rindex("%"))


def test_statements_that_differ_in_names_are_parsed_once(parsed: list[str]) -> None:
    text = ".arg %a : f32\n.const %b = 1\n.const %c = 1\n.const %long_name = 1"
    ptoas.clear_caches()
    ptoas.parse(text)
    ptoas.parse(text)
    assert parsed == [".arg %0 : f32", ".const %0 = 1"]
    ptoas.clear_caches()
    ptoas.parse(text)
    assert parsed == [".arg %0 : f32", ".const %0 = 1"] * 2


def test_a_percent_sign_in_a_string_is_no_name() -> None:
    module = ptoas.parse('.arg %a : !pto.tile<8x8xf32>\n%b = tneg %a {x.note = "%a"} : !pto.tile<8x8xf32>')
    (op,) = [op for op in module.walk() if op.name == "pto.tneg"]
    assert str(op.attributes["x.note"]) == '"%a"'


def test_a_cache_drops_its_older_half_when_it_is_full() -> None:
    kept: BoundedCache[int, str] = BoundedCache(most=4)
    for key in range(5):
        kept.put(key, str(key))
    assert list(kept) == [2, 3, 4]


def test_unknown_types_stay_equal_over_clearing() -> None:
    text = ".arg %a : !pto.later<1>\npto.use %a : !pto.later<1>"
    first = ptoas.parse(text, allow_unregistered=True)
    ptoas.clear_caches()
    assert first.is_structurally_equivalent(ptoas.parse(text, allow_unregistered=True))
