"""The quick loop over the grammar's tables says what Lark says, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, Signedness, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, Operation, Region
from xdsl.utils.exceptions import VerifyException

from ptoas.grammar import syntax
from ptoas.grammar.checks import is_plain
from ptoas.grammar.driver import Driver, Lexer, Token, Tree
from ptoas.grammar.layout import Region as RawRegion
from ptoas.grammar.layout import cut, say_nothing
from ptoas.grammar.tables import load_tables
from ptoas.grammar.tree_builder import TreeBuilder

FILES = sorted((Path(__file__).parent.parent / "isa").glob("*.pto"))


def statements(region: RawRegion) -> Iterator[str]:
    for raw in region:
        yield syntax.split_names(raw.text)[1]
        for inner in raw.regions:
            yield from statements(inner)


def by_lark(text: str) -> str | None:
    try:
        return repr(TreeBuilder(syntax.value_offsets(text)).transform(syntax.by_lark(text, "statement")))
    except syntax.SyntaxProblem:
        return None


def places(node: object) -> list[object]:
    """Every token of a tree: what it is, and where."""
    if isinstance(node, Token):
        return [(node.type, node.start_pos, node.end_pos)]
    return [place for child in node.children for place in places(child)] if isinstance(node, Tree) else []


def quickly(text: str) -> str | None:
    found = syntax.quick_statement(text)
    return None if found is None else repr(found)


def test_both_ways_read_a_statement_alike() -> None:
    """A shape of statement from each of our own files, as it is and with a character too few or too many."""
    texts = {each for path in FILES[::4] for each in list(statements(cut(path.read_text(), say_nothing)))[:6]}
    assert len(texts) > 200
    broken = {text[:at] + text[at + 1 :] for text in texts for at in (len(text) // 3, len(text) - 1)}
    doubled = {text.replace("(", "((", 1) for text in texts}
    for text in sorted(texts | broken | doubled):
        assert quickly(text) == by_lark(text), text


@pytest.mark.parametrize(
    "body",
    [
        "16x32xf32",
        "loc=vec, dtype=f16, rows=?, cols=16",
        "4x?, strides=[?, 1]",
        "",
        "f32",
        "2 x !pto.ptr<f32>",
    ],
)
def test_both_ways_read_the_inside_of_a_type_alike(body: str) -> None:
    tree = syntax.by_lark(body, "type_body")
    quick = Driver(Lexer(load_tables()), "type_body").parse(body, {})
    assert quick == tree
    assert places(quick) == places(tree)


@pytest.mark.parametrize(
    "text", ["", "%", "%a = ", "pto.tadd ins(%a", "tadd %a, ]", "\u00e9", "pto.tadd \u00a0%a"]
)
def test_what_does_not_fit_is_left_to_lark(text: str) -> None:
    assert quickly(text) is None
    with pytest.raises(syntax.SyntaxProblem):
        syntax.parse_statement(text)


# --- operations that are not checked in detail ---------------------------------------------------


def constant(value: IntegerAttr, type: IndexType | IntegerType) -> Operation:
    return ConstantOp.create(properties={"value": value}, result_types=[type])


def loop(*types: IndexType | IntegerType, end: Operation | None) -> Operation:
    index = IndexType()
    bounds = [constant(IntegerAttr(1, type), type).results[0] for type in types]
    body = Block(arg_types=[index])
    if end is not None:
        body.add_op(end)
    return ForOp.create(operands=bounds, regions=[Region(body)])


def function(*ops: Operation, outputs: tuple[IndexType, ...] = ()) -> Operation:
    FuncOp("f", ((), outputs), Region(Block(list(ops))))
    return next(op for op in ops if isinstance(op, ReturnOp))


INDEX, UNSIGNED = IndexType(), IntegerType(8, Signedness.UNSIGNED)
PLAIN = {
    "an index": constant(IntegerAttr(4, INDEX), INDEX),
    "an integer": constant(IntegerAttr(4, i32), i32),
    "a loop": loop(INDEX, INDEX, INDEX, end=YieldOp()),
    "a return": function(ReturnOp()),
}
NOT_PLAIN = {
    "another type": constant(IntegerAttr(4, i32), INDEX),
    "a sign": constant(IntegerAttr(4, UNSIGNED), UNSIGNED),
    "no value": ConstantOp.create(result_types=[INDEX]),
    "bounds of two types": loop(INDEX, i32, INDEX, end=YieldOp()),
    "too few bounds": loop(INDEX, INDEX, end=YieldOp()),
    "no return from nowhere": ReturnOp(),
    "not the last": function(ReturnOp(), constant(IntegerAttr(4, i32), i32)),
    "a result is wanted": function(ReturnOp(), outputs=(INDEX,)),
}


@pytest.mark.parametrize("op", PLAIN.values(), ids=PLAIN)
def test_nothing_is_wrong_with_what_is_plain(op: Operation) -> None:
    """As xDSL says, which is not asked then."""
    assert is_plain(op)
    op.verify()


@pytest.mark.parametrize("op", NOT_PLAIN.values(), ids=NOT_PLAIN)
def test_what_xdsl_refuses_is_not_plain(op: Operation) -> None:
    assert not is_plain(op)
    with pytest.raises((VerifyException, AssertionError, IndexError, KeyError)):
        op.verify()
