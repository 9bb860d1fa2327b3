"""The mutants of a source text: one small change each, found by walking the syntax tree.

>>> source = "def least(a, b):\\n    return a if a < b else b\\n"
>>> [m.change for m in mutants(source)]
['return None', 'condition True', 'condition False', '< to <=']
>>> print(ast.unparse(mutants(source)[3].tree()))
def least(a, b):
    return a if a <= b else b
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], str]] = {
    ast.Lt: (ast.LtE, "< to <="),
    ast.LtE: (ast.Lt, "<= to <"),
    ast.Gt: (ast.GtE, "> to >="),
    ast.GtE: (ast.Gt, ">= to >"),
    ast.Eq: (ast.NotEq, "== to !="),
    ast.NotEq: (ast.Eq, "!= to =="),
    ast.Is: (ast.IsNot, "is to is not"),
    ast.IsNot: (ast.Is, "is not to is"),
    ast.In: (ast.NotIn, "in to not in"),
    ast.NotIn: (ast.In, "not in to in"),
}

ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], str]] = {
    ast.Add: (ast.Sub, "+ to -"),
    ast.Sub: (ast.Add, "- to +"),
    ast.Mult: (ast.FloorDiv, "* to //"),
    ast.FloorDiv: (ast.Mult, "// to *"),
    ast.Div: (ast.Mult, "/ to *"),
    ast.Mod: (ast.FloorDiv, "% to //"),
    ast.Pow: (ast.Mult, "** to *"),
    ast.LShift: (ast.RShift, "<< to >>"),
    ast.RShift: (ast.LShift, ">> to <<"),
    ast.BitOr: (ast.BitAnd, "bits | to &"),
    ast.BitAnd: (ast.BitOr, "bits & to |"),
    ast.BitXor: (ast.BitOr, "bits ^ to |"),
}

CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}

MESSAGES = ("mismatch", "Violation", "Related", "Diagnostic", "Note", "fail", "wrong")
"""What these are given is shown; only their keywords matter to anybody else."""

Edit = Callable[[ast.AST], None]
"""Changes a node in place."""


@dataclass(frozen=True)
class Mutant:
    """One change of a source text."""

    source: str
    node: int
    """Number of the changed node in the order of `_nodes`."""
    line: int
    lines: frozenset[int]
    """The lines of the changed part; a test that runs none of them can't notice."""
    change: str
    function: bool
    """Whether it stands in the body of a function, else it takes effect when the module is imported."""
    edit: Edit

    @property
    def text(self) -> str:
        """The line that it changes."""
        return self.source.splitlines()[self.line - 1].strip()

    def tree(self) -> ast.Module:
        """The syntax tree of the changed source."""
        tree = ast.parse(self.source)
        self.edit(_nodes(tree)[self.node][0])
        return ast.fix_missing_locations(tree)


def mutants(source: str) -> list[Mutant]:
    """Every mutant of a source text, in the order of its lines."""
    found: list[Mutant] = []
    for number, (node, function, statement) in enumerate(_nodes(ast.parse(source))):
        for change, edit in _changes(node):
            first = getattr(node, "lineno", statement.lineno)
            lines = {first, statement.lineno}
            found.append(Mutant(source, number, first, frozenset(lines), change, function, edit))
    return found


# --- walking -------------------------------------------------------------------------------------

Place = tuple[ast.AST, bool, ast.stmt]
"""A node, whether it stands in a function's body, and its statement."""


def _nodes(tree: ast.Module) -> list[Place]:
    return [place for statement in tree.body for place in _walk(statement, False, statement)]


def _walk(node: ast.AST, function: bool, statement: ast.stmt) -> Iterator[Place]:
    """All nodes that may change: no annotation, decorator, docstring or text."""
    if isinstance(node, ast.stmt):
        statement = node
    if _is_text(node) or isinstance(node, ast.Import | ast.ImportFrom | ast.Assert):
        return
    yield node, function, statement
    for name, value in ast.iter_fields(node):
        if name == "args" and isinstance(node, ast.Call) and _name(node.func) in MESSAGES:
            continue
        if name in ("annotation", "returns", "decorator_list", "bases", "keywords", "type_params") and not (
            isinstance(node, ast.Call) and name == "keywords"
        ):
            continue
        inside = function or (isinstance(node, ast.FunctionDef | ast.Lambda) and name == "body")
        for child in value if isinstance(value, list) else [value]:
            # A negative number is one number.
            if isinstance(child, ast.AST) and not (_is_negative(node) and name == "operand"):
                yield from _walk(child, inside, statement)


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _is_negative(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    )


def _is_text(node: ast.AST) -> bool:
    """Messages and documentation."""
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.Expr(value=value):
            return _is_text(value)
        case ast.IfExp(body=a, orelse=b):
            return _is_text(a) or _is_text(b)
        case ast.BinOp(left=a, right=b):
            return _is_text(a) or _is_text(b)
        case _:
            return False


# --- changing ------------------------------------------------------------------------------------


def _changes(node: ast.AST) -> Iterator[tuple[str, Edit]]:
    match node:
        case ast.If() | ast.IfExp():
            # Who notices both of these notices a negated condition.
            yield "condition True", _force(True)
            yield "condition False", _force(False)
        case ast.While():
            yield "condition negated", _negate
        case ast.comprehension(ifs=[_, *_]):
            yield "filter dropped", _drop_filter
        case ast.match_case(guard=ast.expr()):
            yield "guard True", _guard(True)
            yield "guard False", _guard(False)
        case ast.Compare(ops=ops):
            for at, op in enumerate(ops):
                yield COMPARISONS[type(op)][1], _compare(at)
        case ast.BoolOp(op=op, values=values):
            yield ("and to or" if isinstance(op, ast.And) else "or to and"), _swap_boolean
            for at in range(len(values)):
                yield f"operand {at + 1} of {len(values)} dropped", _drop_operand(at)
        case ast.UnaryOp(op=ast.Not()):
            yield "not dropped", _drop_unary
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            yield f"-{value} to {1 - value}", _set_number(1 - value)
        case ast.UnaryOp(op=ast.USub()):
            yield "minus dropped", _drop_unary
        case ast.BinOp(op=op) | ast.AugAssign(op=op):
            if type(op) in ARITHMETIC:
                yield ARITHMETIC[type(op)][1], _calculate
            if isinstance(node, ast.AugAssign):
                yield "statement dropped", _drop_statement
        case ast.Constant(value=bool() as value):
            yield f"{value} to {not value}", _set_constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield f"{value} to {value + 1}", _set_constant(value + 1)
        case ast.Return(value=ast.expr() as value) if not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            yield "return None", _return_none
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
            yield "yield dropped", _drop_yield
        case ast.Expr(value=ast.Call()):
            yield "statement dropped", _drop_statement
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]):
            yield "statement dropped", _drop_statement
        case ast.Continue() | ast.Break():
            yield "statement dropped", _drop_statement
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            yield f"{name} to {CALLS[name]}", _swap_call
        case _:
            return


def _negate(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.IfExp | ast.While)
    node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)


def _force(value: bool) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.If | ast.IfExp | ast.While)
        # The condition is still evaluated: an assignment in it must happen.
        constant = ast.Constant(value)
        choice = ast.IfExp(node.test, constant, ast.Constant(value))
        node.test = ast.copy_location(choice, node.test)

    return edit


def _drop_filter(node: ast.AST) -> None:
    assert isinstance(node, ast.comprehension)
    node.ifs = []


def _guard(value: bool) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.match_case)
        node.guard = ast.Constant(value)

    return edit


def _compare(at: int) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.Compare)
        node.ops[at] = COMPARISONS[type(node.ops[at])][0]()

    return edit


def _swap_boolean(node: ast.AST) -> None:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _drop_operand(at: int) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.BoolOp)
        del node.values[at]
        if len(node.values) == 1:
            node.values *= 2

    return edit


def _become(node: ast.AST, other: ast.AST) -> None:
    """Turn a node into another one in its place."""
    place = {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
    node.__class__ = other.__class__  # type: ignore[assignment]
    node.__dict__.clear()
    node.__dict__.update(other.__dict__)
    node.__dict__.update(place)


def _drop_unary(node: ast.AST) -> None:
    assert isinstance(node, ast.UnaryOp)
    # A word of its own for what is neither a name nor a number: the value itself, in parentheses.
    _become(node, ast.BoolOp(ast.And(), [node.operand, node.operand]))


def _calculate(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp | ast.AugAssign)
    node.op = ARITHMETIC[type(node.op)][0]()


def _set_constant(value: float) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.Constant)
        node.value = value

    return edit


def _set_number(value: float) -> Edit:
    return lambda node: _become(node, ast.Constant(value))


def _return_none(node: ast.AST) -> None:
    assert isinstance(node, ast.Return)
    node.value = ast.Constant(None)


def _drop_statement(node: ast.AST) -> None:
    _become(node, ast.Pass())


def _drop_yield(node: ast.AST) -> None:
    # The function stays a generator.
    _become(node, ast.If(ast.Constant(False), [ast.Expr(ast.Yield(None))], []))


def _swap_call(node: ast.AST) -> None:
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    node.func.id = CALLS[node.func.id]
