"""Conversion of statements to operations: names, scopes, blocks, and their diagnostics."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import StringAttr, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir import Region as IRRegion
from xdsl.utils.exceptions import VerifyException

from ptoas.diagnostics import Source, Span
from ptoas.dialects.pto.clauses import record_after, wait_for
from ptoas.dialects.pto.defaults import default_attributes
from ptoas.dialects.pto.instruction import Problem, PtoOp
from ptoas.dialects.syntax_errors import SyntaxProblem
from ptoas.grammar import checks, mlir, structure
from ptoas.grammar import tree as t
from ptoas.grammar.attributes import Aliases, Resolver
from ptoas.grammar.bodies import TARGET
from ptoas.grammar.clauses import check_clauses, check_event_name
from ptoas.grammar.foreign import defined_names, foreign_notation
from ptoas.grammar.instructions import InstructionReader, opcode_class, refused_clause, unknown_opcode
from ptoas.grammar.layout import RawRegion, RawStatement
from ptoas.grammar.names import POISON, ValueScope
from ptoas.grammar.op_template import Alloc, Constant, OpTemplate, make_prelude
from ptoas.grammar.parts import suffix_values
from ptoas.grammar.problems import Poisoned, StatementProblem, UndefinedName, counted
from ptoas.grammar.spans import field_span, operand_span, result_type_span, span_of
from ptoas.grammar.syntax import (
    nameless_value,
    parse_statement,
    place_in_text,
    split_statement,
    terminal,
)
from ptoas.grammar.unregistered import UnregisteredReader, of_any_revision
from ptoas.ir.caches import BoundedCache, on_clear
from ptoas.ir.location import PartOffsets, located

_DEFINES = re.compile(
    r"\.(?:arg|const)\s+(%?[\w$.-]+)|((?:%?[\w$.-]++(?::\d++)?\s*+,?\s*+)++)=|(%[\w$.-]++)\s++(?=[A-Za-z_])"
)


StatementCache: TypeAlias = BoundedCache[tuple[Any, ...], Any]
"""Trees, by the shape of a statement and by the permission of unregistered instructions; and templates, by
the tree, the types of its values (None for a result or an undefined name) and the types that it spells."""

_STATEMENTS: StatementCache = BoundedCache()
"""Statements shared by the files of this process, each up to its first alias, which is local to its file."""
on_clear(_STATEMENTS.clear)


class ParsedStatement:
    """A statement with its tree, the names of its values by their numbers, and the resolver of its types."""

    def __init__(self, raw: RawStatement, tree: t.Statement, names: list[str], resolver: Resolver):
        self.raw = raw
        self.tree = tree
        self.names = names
        self.resolver = resolver

    def name(self, node: t.ValueNode) -> str:
        return self.names[node.slot]

    @cached_property
    def place(self) -> Callable[[int], int]:
        """Convert an offset in the statement's shape, of a node, to one in its text."""
        return place_in_text(self.raw.text)

    def offset(self, node: t.Node) -> int:
        """The place of a node in the source."""
        return self.raw.source_offset(self.place(node.start))

    def attributes(self, node: t.Dict | None) -> dict[str, Attribute]:
        return self.resolver.dictionary(node) if node is not None else {}


class Builder(ValueScope):
    """Builder of one file. Problems are collected; an invalid statement is left out."""

    def __init__(self, source: Source, allow_unregistered: bool = False, *, judge_kept: bool = True):
        super().__init__(source)
        self.aliases = Aliases()
        self.allow_unregistered = allow_unregistered
        self.judge_kept = judge_kept
        """True if preserved unknown forms must still be unknown when they are read again."""
        self.statements: Sequence[RawStatement] = ()
        """The file's top level, for those who look at the text again."""
        self.blocks: dict[str, Block] = {}
        self.labelled: dict[int, Block] = {}
        """The block of each label by the label's place."""
        self.cache: StatementCache = _STATEMENTS if judge_kept else BoundedCache()
        self.module_attributes: dict[str, Attribute] = {}
        """Module attributes of a bare program."""
        self.deferred: list[tuple[RawStatement, Operation]] = []
        self.container: str | None = None
        """The outermost operation with a body, other than a module, that is being read."""
        self.outer_target: Attribute | None = None
        """The target of the module that is being read."""

    @property
    def target(self) -> Attribute | None:
        """The target named in the program (D2)."""
        return self.module_attributes.get(TARGET) or self.outer_target

    def alias_defined(self) -> None:
        """Leave the shared cache, as later statements may use names that only this file defines."""
        self.cache = BoundedCache()

    # --- parts of statements

    def value(self, statement: ParsedStatement, node: t.ValueNode) -> SSAValue:
        found = self.values.get(statement.name(node))
        if found is None:
            raise UndefinedName(node)
        if found is POISON:
            raise Poisoned
        return cast(SSAValue, found)

    def block(self, label: t.WordNode) -> Block:
        block = self.blocks.get(label.text)
        if block is None:
            raise StatementProblem("PTO-P030", f"there is no block `{label.text}`", label)
        return block

    # --- statements

    def region(
        self,
        statements: RawRegion,
        block: Block | None = None,
        args: tuple[tuple[str, SSAValue, int], ...] = (),
    ) -> list[Block]:
        """Build the blocks of a region; names defined inside are not visible after it."""
        statements.read = True
        outer, outer_blocks = set(self.values), self.blocks
        self.blocks = dict(outer_blocks)
        current = block or Block()
        blocks = [current]
        for name, value, offset in args:
            self.define(name, value, offset)
        labels = [raw for raw in statements if _is_label(raw)]
        self._declare_labels(labels, blocks, statements)
        ops: list[Operation] = []
        for raw in statements:
            if _is_label(raw):
                current.add_ops(ops)
                ops = []
                current = self._enter_label(raw)
            else:
                self.statement(raw, ops)
        current.add_ops(ops)
        if len(blocks) > 1:
            checks.check_dominance(self, blocks)
        for name in [name for name in self.values if name not in outer]:
            del self.values[name]
        self.blocks = outer_blocks
        return blocks

    @contextmanager
    def inside(self, what: str):
        """Context in which the body of an operation other than a module is read."""
        outer = self.container
        self.container = outer or what
        yield
        self.container = outer

    def _declare_labels(
        self, labels: list[RawStatement], blocks: list[Block], statements: Sequence[RawStatement]
    ) -> None:
        declared: set[str] = set()
        for raw in labels:
            name = cast(re.Match[str], terminal("LABEL").match(raw.text)).group()
            if name in declared:
                self.report("PTO-P031", f"the block `{name}` is already defined", raw.start, len(name))
            declared.add(name)
            first_is_entry = raw is statements[0] and not blocks[0].ops and not blocks[0].args
            block = blocks[0] if first_is_entry else Block()
            if not first_is_entry:
                blocks.append(block)
            self.blocks[name] = self.labelled[raw.start] = block

    def _enter_label(self, raw: RawStatement) -> Block:
        block = self.labelled[raw.start]
        statement = self.parsed(raw)
        if statement is None:
            return block
        label = cast(t.Label, statement.tree.body)
        try:
            types = statement.resolver.types(tuple(b.type for b in label.args))
        except StatementProblem as problem:
            problem.relocate(statement.place)
            self.report_problem(raw, problem)
            return block
        for at, (binding, type) in enumerate(zip(label.args, types, strict=True)):
            value = block.args[at] if at < len(block.args) else block.insert_arg(type, at)
            self.define(statement.name(binding.value), value, statement.offset(binding))
        return block

    def statement(self, raw: RawStatement, ops: list[Operation]) -> None:
        """Read one statement and add its operations to `ops`."""
        problems = len(self.diagnostics)
        if raw.broken:
            self.poison_by_text(raw)  # what is wrong with it has been said
        else:
            self._read(raw, ops)
        if raw.regions and (raw.broken or len(self.diagnostics) > problems):
            self._look_inside(raw)

    def _look_inside(self, raw: RawStatement) -> None:
        """Find further errors of an invalid statement; the names before its `=` count as defined."""
        outer, waiting = self.values, len(self.deferred)
        self.values = {} if "func" in raw.text else dict(outer)
        for name in split_statement(raw.text)[0]:
            self.values.setdefault(name, POISON)
        for region in raw.regions:
            if not region.read:
                self.region(region)
        del self.deferred[waiting:]
        self.values = outer

    def _read(self, raw: RawStatement, ops: list[Operation]) -> None:
        statement = self.parsed(raw)
        if statement is None:
            return
        is_instruction = isinstance(statement.tree.body, t.InstructionNode)
        try:
            if is_instruction:
                self._instruction(statement, ops)
            else:
                structure.build(self, statement, ops)
        except Poisoned:
            self._poison(statement)
            self._look_inside(raw)
        except UndefinedName as problem:
            # A new destination comes first and is valid, so operands count from the first undefined one.
            nodes = [v for v in t.values_in(statement.tree.body) if v.start >= problem.value.start]
            for node in nodes if is_instruction else nodes[:1]:
                if statement.name(node) not in self.values:
                    self.report_undefined(raw, statement.name(node), statement.offset(node))
                    self.values[statement.name(node)] = POISON
            self._poison(statement)
        except StatementProblem as problem:
            self._poison(statement)
            problem.relocate(statement.place)
            self.report_problem(raw, problem)

    def parsed(self, raw: RawStatement) -> ParsedStatement | None:
        """Parse a statement; return None after reporting an error."""
        names, types, shape = split_statement(raw.text)
        if "" in names or raw.text.count("%") > len(names):
            offset = nameless_value(raw.text)
            if offset is not None:
                self.report("PTO-P010", "a value needs a name: `%name`", raw.source_offset(offset), 1)
                self.poison_by_text(raw)
                return None
        key = (shape, self.allow_unregistered)
        tree = self.cache.get(key)
        if tree is None:
            try:
                tree = parse_statement(shape)
            except SyntaxProblem as problem:
                self._report_syntax(raw, problem)
                return None
            self.cache.put(key, tree)
        return ParsedStatement(raw, tree, names, Resolver(self.aliases, types, self.allow_unregistered))

    def _report_syntax(self, raw: RawStatement, problem: SyntaxProblem) -> None:
        """Report a syntax error in the original text, with its columns."""
        self.poison_by_text(raw)
        if (refused := refused_clause(raw.text)) is not None:
            self.report_problem(raw, refused)
            return
        if (foreign := foreign_notation(raw.text)) is not None:
            self.report_problem(raw, foreign)
            return
        try:
            parse_statement(raw.text)
        except SyntaxProblem as written:
            problem = written
        offset = raw.source_offset(problem.offset)
        self.report("PTO-P010", problem.message, offset, problem.length, problem.fix)

    def poison_by_text(self, raw: RawStatement) -> None:
        """Poison the names that an unreadable statement would have defined, those without their `%` too."""
        if (alias := re.match(r"(![\w$.-]+)\s*=", raw.text)) is not None:
            self.aliases.broken.add(alias[1])
        match = _DEFINES.match(raw.text)
        named = re.findall(r"%?([\w$.-]+)", match[1] or match[2] or match[3]) if match else []
        for name in (*named, *defined_names(raw.text)):
            self.values.setdefault(name, POISON)

    def _poison(self, statement: ParsedStatement) -> None:
        """Suppress further errors about the results and undefined names of an invalid statement."""
        tree, names = statement.tree, statement.names
        for result in tree.results:
            for key in result_names(names[result.slot], result.count):
                self.values.setdefault(key, POISON)
        for name in names[len(tree.results) :]:
            self.values.setdefault(name, POISON)

    def _instruction(self, statement: ParsedStatement, ops: list[Operation]) -> None:
        raw, tree, names = statement.raw, statement.tree, statement.names
        body = cast(t.InstructionNode, tree.body)
        first = len(tree.results) + (tree.event is not None)
        values: dict[str, Any] = self.values
        operands: list[Any] = [None] * first + [values.get(name) for name in names[first:]]
        types = tuple([None if value is None else value.type for value in operands])
        key = (tree, *types, *statement.resolver.texts)
        template = cast(OpTemplate | None, self.cache.get(key))
        is_new = template is None
        if template is None:
            template = self._template(statement, types)
        op = self._operation(statement, template, operands, ops)
        if not template.checked and not self._check(raw, op, template):
            if not isinstance(op, PtoOp) or not self._may_keep(template):
                self._poison(statement)
                return
            # A form of a known instruction that the dialect does not have yet.
            template = UnregisteredReader(tree, types, statement.resolver).template()
            chosen, location = list(op.operands), op.location
            op.drop_all_references()
            op = template.make(chosen, template.result_types or (), location)
        elif is_new:
            self.cache.put(key, template)
        for event in body.events if body.waits else ():
            wait = wait_for(operands[event.slot])
            places = PartOffsets(wait.name, {"event": [event]}, {})
            wait.location = located(self.source, raw.start, raw.end, places)
            ops.append(wait)
        ops.append(op)
        if tree.results:
            self.define_results(statement, op)
        if tree.event is not None:
            ops.append(record := record_after(op))
            self.define(names[tree.event.slot], record.results[0], raw.start)

    def _operation(
        self, statement: ParsedStatement, template: OpTemplate, operands: list[Any], ops: list[Operation]
    ) -> Operation:
        """Make the operation of a template, after its prelude in `ops`."""
        raw = statement.raw
        if len(raw.regions) > template.bodies:
            opcode = cast(t.InstructionNode, statement.tree.body).opcode
            raise StatementProblem("PTO-P061", f"`{opcode.text}` has no body")
        location = located(self.source, raw.start, raw.end, template.places)
        made: list[SSAValue] = []
        for step in template.prelude:
            made.append(make_prelude(step, operands, made, location, ops))
            if isinstance(step, Alloc):
                self.define(statement.names[step.slot], made[-1], raw.start)
        chosen: list[SSAValue] = [operands[ref] if ref >= 0 else made[-1 - ref] for ref in template.operands]
        regions = self._regions(raw, template) if template.bodies else ()
        result_types = template.result_types
        if result_types is None:
            result_types = self._inferred(statement, template, chosen)
        return template.make(chosen, result_types, location, regions)

    def _regions(self, raw: RawStatement, template: OpTemplate) -> Sequence[IRRegion]:
        with self.inside(f"`{template.cls.name}`"):
            found = [IRRegion(self.region(region)) for region in raw.regions]
        if issubclass(template.cls, UnregisteredOp):
            return found
        missing = template.bodies - len(found)
        return [*found, *(IRRegion(Block()) for _ in range(missing))]  # an empty body looks like a dictionary

    def define_results(self, statement: ParsedStatement, op: Operation) -> None:
        raw, tree, names, results = statement.raw, statement.tree, statement.names, op.results
        if len(results) == 1 == len(tree.results) and tree.results[0].count > 1:
            name = f"%{names[0]}:{tree.results[0].count}"
            message = f"`{name}` stands for several results, but there is only 1"
            self.define(names[0], results[0], raw.start)
            self.report("PTO-P041", message, raw.start, len(names[0]) + 1)
            return
        keys = [key for r in tree.results for key in result_names(names[r.slot], r.count)]
        if len(keys) != len(results):
            message = f"{counted(len(keys), 'name')} for {counted(len(results), 'result')}"
            self.report("PTO-P041", message, raw.start, len(names[0]) + 1)
            self._poison(statement)
            return
        for key, result in zip(keys, results, strict=True):
            self.define(key, result, raw.start)

    # --- templates

    def _template(self, statement: ParsedStatement, types: Sequence[Attribute | None]) -> OpTemplate:
        """Analyse an instruction whose values have these types."""
        tree, resolver = statement.tree, statement.resolver
        body = cast(t.InstructionNode, tree.body)
        opcode = body.opcode.text
        found = opcode_class(opcode, types)
        is_known = found is not None or opcode in mlir.OPCODES or self.allow_unregistered
        if is_known and POISON in types:
            if found is not None and not self.allow_unregistered:
                list(suffix_values(found[0], body.opcode, found[1]))  # wrong ones are wrong for any operands
            raise Poisoned
        if body.clauses is not None:
            check_event_name(tree)
        if not is_known:
            raise unknown_opcode(body.opcode, list(mlir.OPCODES))
        if opcode in mlir.OPCODES:
            template = mlir.template_of(tree, types, resolver)
        elif found is None:
            template = UnregisteredReader(tree, types, resolver).template()
        elif self.allow_unregistered:
            template = of_any_revision(tree, types, resolver, *found, judge_kept=self.judge_kept)
        else:
            template = InstructionReader(tree, types, resolver, *found).template()
        if body.clauses is not None:
            check_clauses(tree, types, template.cls)
        return template

    def _inferred(
        self, statement: ParsedStatement, template: OpTemplate, operands: list[SSAValue]
    ) -> Sequence[Attribute]:
        """Infer the result types of a statement without written ones."""
        raw, tree = statement.raw, statement.tree
        body = cast(t.InstructionNode, tree.body)
        cls = template.cls
        assert issubclass(cls, PtoOp)
        if not cls.signature().results:
            message = f"`{cls.mnemonic()}` has no result"
            raise StatementProblem("PTO-P041", message, body.opcode, "remove the name and `=`")
        message = "the type of the result is not known"
        try:
            properties = self._with_defaults(template, operands)
            found = cls.infer_result_types(template.by_slot(operands), properties)
        except VerifyException as error:
            message, found = f"{message}: {error}", None
        if found is not None and len(found) == len(tree.results):
            return found
        problem = StatementProblem("PTO-P043", message, body.opcode)
        problem.fix = "add it after the operands: `: (types) -> type`"
        types = [value.type for value in operands]
        plausible = cls.plausible_result_types(types) if len(tree.results) == 1 else ()
        only_numbers = all(isinstance(step, Constant) for step in template.prelude)
        if plausible and only_numbers and not raw.regions:
            rest = len(raw.text) if body.clauses is None else statement.place(body.clauses.start)
            end = rest if body.typing is None else statement.place(body.typing.start)
            line = raw.text[:end].rstrip().removesuffix(":").rstrip()
            clauses = f" {raw.text[rest:]}".rstrip()
            typed = f"{line} : ({', '.join(map(str, types))}) -> {plausible[0]}{clauses}"
            problem.fix = f"name its type: `{' '.join(typed.split())}`"
            problem.edit = (t.Node(len(line), len(raw.text.rstrip())), typed[len(line) :])
        raise problem

    def _with_defaults(self, template: OpTemplate, operands: list[SSAValue]) -> Mapping[str, Attribute]:
        """The attributes of a statement, with the target's defaults for those that a suffix could set."""
        assert issubclass(template.cls, PtoOp)
        open_ones = [name for name in template.cls.SUFFIXES if name not in template.properties]
        if not open_ones or not isinstance(self.target, StringAttr):
            return template.properties
        return {
            **template.properties,
            **default_attributes(self.target.data, template.cls, operands, template.properties),
        }

    def _may_keep(self, template: OpTemplate) -> bool:
        """Return True if a statement that breaks its declaration is kept as an unknown form.

        A statement with a literal operand or an undefined destination is not: it is several operations.
        """
        return self.allow_unregistered and not template.prelude

    def _check(self, raw: RawStatement, op: Operation, template: OpTemplate) -> bool:
        """Return True if the operation satisfies its declaration; called once for each template."""
        if isinstance(op, PtoOp):
            problems = list(op.problems())
            for problem in () if self._may_keep(template) else problems:
                span = _span_of_problem(op, problem)
                message = f"`{op.mnemonic()}`: {problem.message}"
                self.report("PTO-P060", message, span.offset, span.length, problem.fix)
            template.checked = not problems and not op.REQUIRES_CONSTANTS
            return not problems
        if op.name in checks.TERMINATORS:
            self.deferred.append((raw, op))
            return True
        if checks.is_unsigned_constant(op):
            template.checked = True
            return True
        try:
            op.verify_()
            if op.successors:
                op.verify(verify_nested_ops=False)  # a detached operation has no parent to check
        except VerifyException as error:
            message = f"`{op.name}`: {checks.words_of(op, error)}"
            raise StatementProblem("PTO-P060", message) from None
        template.checked = True
        return True


def _span_of_problem(op: PtoOp, problem: Problem) -> Span:
    if problem.result is not None:
        return result_type_span(op, problem.result)
    if problem.field is not None:
        return field_span(op, problem.field)
    return span_of(op) if problem.operand is None else operand_span(op, problem.operand)


def _is_label(raw: RawStatement) -> bool:
    return raw.text[0] == "^" and terminal("LABEL").match(raw.text) is not None


def result_names(name: str, count: int) -> list[str]:
    """The names under which `%x:2` can be used: `x#0`, `x#1`."""
    return [name] if count == 1 else [f"{name}#{k}" for k in range(count)]
