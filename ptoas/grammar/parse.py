"""Entry points of the front end: text, a file, or standard input to a module."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from ptoas.diagnostics import Diagnostic, Note, PtoasError, Source, Span
from ptoas.diagnostics.files import open_plain, up_to
from ptoas.grammar import tree as t
from ptoas.grammar.build import Builder
from ptoas.grammar.checks import verify_terminators
from ptoas.grammar.layout import RawStatement, split_statements
from ptoas.grammar.locations import take_locations
from ptoas.grammar.module import PtoModule
from ptoas.grammar.names import TooManyProblems
from ptoas.grammar.problems import StatementProblem
from ptoas.grammar.syntax import begins_container
from ptoas.ir.location import SourceLocation, located

MAX_BYTES = 64 << 20
"""The largest file that is read."""

BYTECODE = "PTOBC\x00"
"""Start of a file in the bytecode of the C++ assembler."""


def parse(text: str, filename: str = "<string>", *, allow_unregistered: bool = False) -> ModuleOp:
    """Read a PTO program in any of its forms.

    Raises `PtoasError` with every diagnostic when something is wrong.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %table : !pto.memref<64x32xf32>
    ... .arg %idx : !pto.tile<1x16xi32>
    ... %dst = mgather.row.clamp %table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x16xi32>
    ...        -> !pto.tile<16x32xf32>
    ... ''', filename="lookup.pto")
    >>> [op.name for op in module.body.block.first_op.body.block.ops]
    ['pto.mgather', 'func.return']
    """
    return read(Builder(Source(text.removeprefix("\ufeff"), filename), allow_unregistered))


def read(builder: Builder) -> ModuleOp:
    """Read the builder's source."""
    text = builder.source.text
    if "\x00" in text:
        fix = "decode it: `ptobc decode FILE -o FILE.pto`" if text.startswith(BYTECODE) else None
        builder.report("PTO-P001", "this is not text: it contains a zero byte", text.index("\x00"), 1, fix)
        raise PtoasError(builder.diagnostics)
    try:
        builder.statements = statements = take_locations(
            builder.source, split_statements(text, builder.report)
        )
        if not statements and not builder.diagnostics:
            builder.report("PTO-P002", "the program is empty", 0, 1, "write at least one instruction")
        module = _program(builder, statements)
        verify_terminators(builder)
    except TooManyProblems:
        raise PtoasError(builder.diagnostics) from None
    if builder.diagnostics:
        raise PtoasError(builder.diagnostics)
    return module


def parse_file(path: str | os.PathLike[str], *, allow_unregistered: bool = False) -> ModuleOp:
    """Read a file; `-` is standard input. Raises `PtoasError`, also when the file can't be read.

    >>> import ptoas
    >>> ptoas.parse_file("missing.pto")
    Traceback (most recent call last):
    ptoas.diagnostics.core.PtoasError: missing.pto:1:1: error[PTO-P001]: can't read missing.pto: ...
    """
    source = read_source(path)
    return parse(source.text, source.filename, allow_unregistered=allow_unregistered)


def read_source(path: str | os.PathLike[str]) -> Source:
    """Read a file, or return a diagnostic with the reason."""
    name = os.fspath(path)
    return Source(_read_text(name), "<stdin>" if name == "-" else name)


def _read_text(name: str) -> str:
    try:
        data = _read_bytes(name)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise _unreadable(name, reason) from None
    if len(data) > MAX_BYTES:
        raise _unreadable(name, f"larger than {MAX_BYTES >> 20} MiB")
    try:
        return _with_line_feeds(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        shown = before + "�" + data[error.end : error.end + 40].decode("utf-8", "replace")
        source = Source(shown, name)
        message = f"this is not UTF-8 text: byte 0x{data[error.start]:02x} is invalid"
        raise PtoasError([Diagnostic("PTO-P001", message, Span(source, len(before), 1))]) from None


def _with_line_feeds(text: str) -> str:
    """Replace the line endings of a text that has only `\\r`."""
    return text if "\n" in text else text.replace("\r", "\n")


def _read_bytes(name: str) -> bytes:
    if name == "-":
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise OSError(0, "standard input is closed")
        return up_to(sys.stdin.buffer, MAX_BYTES + 1)
    with open_plain(name) as file:
        return up_to(file, MAX_BYTES + 1)


def _unreadable(name: str, reason: str) -> PtoasError:
    fix = "`-` reads standard input" if reason.startswith("it is ") else None
    span = Span(Source("", name), 0, 1)
    return PtoasError([Diagnostic("PTO-P001", f"can't read {name}: {reason}", span, fix=fix)])


# --- the top level ---------------------------------------------------------------------------------


def _program(builder: Builder, statements: Sequence[RawStatement]) -> ModuleOp:
    """Build a module, functions, or a bare program that makes up one function (D4)."""
    bare = [raw for raw in statements if not _is_container(raw)]
    if bare:
        for raw in statements:
            if _is_container(raw) and not raw.text.lstrip().startswith(("#", "!")):
                builder.report_problem(
                    raw,
                    StatementProblem("PTO-P061", "a file holds either a bare program or functions, not both"),
                )
        return _bare_program(builder, statements)
    ops: list[Operation] = []
    for raw in statements:
        builder.statement(raw, ops)
    _check_symbols(builder, ops)
    if len(ops) == 1 and isinstance(ops[0], ModuleOp):
        return _shown(ops[0])
    return PtoModule(ops)


def _shown(module: ModuleOp) -> PtoModule:
    """Convert a module that xDSL made from the generic form."""
    if isinstance(module, PtoModule):
        return module
    made = PtoModule(module.detach_region(0), module.attributes, sym_name=module.sym_name)
    made.location = module.location
    return made


def _is_container(raw: RawStatement) -> bool:
    text = raw.text.lstrip()
    return begins_container(text) or text.startswith(("#", "!", '"builtin.module"', '"func.func"'))


def _check_symbols(builder: Builder, ops: list[Operation]) -> None:
    """Check that the symbols of a module are unique, those of unregistered operations included."""
    seen: dict[str, Span] = {}
    for op in ops:
        if isinstance(op, ModuleOp):
            _check_symbols(builder, list(op.body.block.ops))
        symbol = op.get_attr_or_prop("sym_name")
        if not isinstance(symbol, StringAttr) or not isinstance(op.location, SourceLocation):
            continue
        name = symbol.data
        at = builder.source.text.find(f"@{name}", op.location.start)
        span = Span(builder.source, max(at, op.location.start), len(name) + 1)
        if name in seen:
            note = Note("the other one", seen[name])
            message = f"there are two {'functions' if isinstance(op, FuncOp) else 'symbols'} `@{name}`"
            builder.report("PTO-P032", message, span.offset, span.length, "give one another name", (note,))
        seen.setdefault(name, span)


def function_name(filename: str) -> str:
    """The name of the function of a bare program: the file's name, made an identifier."""
    stem = re.split(r"[\\/]", filename)[-1].rpartition(".")[0] or re.split(r"[\\/]", filename)[-1]
    name = re.sub(r"\W", "_", stem.strip("<>"), flags=re.ASCII) or "main"
    return f"_{name}" if name[0].isdigit() else name


def _bare_program(builder: Builder, statements: Sequence[RawStatement]) -> ModuleOp:
    block = Block()
    arguments: list[Span] = []
    rest: list[RawStatement] = []
    ops: list[Operation] = []
    for raw in statements:
        text = raw.text.lstrip()
        if text.startswith(".arg"):
            arguments += _declare_arg(builder, raw, block)
        elif text.startswith(("#", "!")):
            builder.statement(raw, ops)  # an alias may name the type of an argument
        elif not _is_container(raw):
            rest.append(raw)
    with builder.inside("a function"):
        for raw in rest:
            builder.statement(raw, ops)
    if not ops or ops[-1].name != "func.return":
        ops.append(ReturnOp())
    block.add_ops(ops)
    builder.settle_names()
    name = function_name(builder.source.filename)
    function = FuncOp(name, ([a.type for a in block.args], []), Region(block))
    if statements:
        first = statements[0]
        function.location = located(builder.source, first.start, first.end, arguments=tuple(arguments))
    module = PtoModule([function], builder.module_attributes)
    where = next((raw for raw in statements if raw.text.startswith(".target")), None)
    if where is not None:
        module.location = located(builder.source, where.start, where.end)
    return module


def _declare_arg(builder: Builder, raw: RawStatement, block: Block) -> list[Span]:
    """Add an argument to the block; return the place of its type."""
    statement = None if raw.broken else builder.parsed(raw)
    if statement is None:
        builder.poison_by_text(raw)
        return []
    node = statement.tree.body
    assert isinstance(node, t.Arg)
    try:
        type = statement.resolver.type(node.type)
    except StatementProblem as problem:
        problem.relocate(statement.place)
        builder.report_problem(raw, problem)
        builder.poison_by_text(raw)
        return []
    arg = block.insert_arg(type, len(block.args))
    builder.define(statement.name(node.value), arg, statement.offset(node.value))
    start, end = statement.place(node.type.start), statement.place(node.type.end)
    return [Span(builder.source, raw.source_offset(start), end - start)]
