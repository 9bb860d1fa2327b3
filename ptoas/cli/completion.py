"""Shell completion: targets, codes, passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def _of_list(words: Callable[[], Iterable[tuple[str, str]]], many: bool) -> Callable[..., Any]:
    """Proposals from names with their help; after a comma, for the next of several."""

    def complete(_ctx: object, _param: object, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem  # imported only for shell completion

        before, comma, last = incomplete.rpartition(",") if many else ("", "", incomplete)
        return [
            CompletionItem(before + comma + word, help=help)
            for word, help in words()
            if word.lower().startswith(last.lower())
        ]

    return complete


def _targets() -> Iterable[tuple[str, str]]:
    from ptoas.targets import TARGETS

    return [*((name, "") for name in TARGETS), ("all", "all of them")]


def _codes() -> Iterable[tuple[str, str]]:
    from ptoas.project.explain import other_codes
    from ptoas.targets.rule import RULES

    rules = [(rule.code, rule.title) for rule in RULES.values()]
    return sorted([*rules, *((code, title) for code, (title, _) in other_codes().items())])


def _instructions() -> Iterable[tuple[str, str]]:
    from ptoas.project.instruction_pages import titles

    return titles().items()


def _names() -> Iterable[tuple[str, str]]:
    from ptoas.project.type_pages import type_names

    return [*_instructions(), *((name, "") for name in type_names()), *_targets(), *_codes()]


def _passes() -> Iterable[tuple[str, str]]:
    from ptoas.lowering.pipeline import PASSES

    return [(name, "") for name in PASSES]


complete_targets = _of_list(_targets, many=True)
complete_target = _of_list(_targets, many=False)
complete_codes = _of_list(_codes, many=True)
complete_name = _of_list(_names, many=False)
complete_instruction = _of_list(_instructions, many=False)
complete_pass = _of_list(lambda: [*_passes(), ("all", "after each of them")], many=False)
