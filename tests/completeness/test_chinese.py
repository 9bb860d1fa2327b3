"""README, tutorial and language guide in two languages: one structure, the same programs, fixed terms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documents.pages import FENCE, ROOT, blocks

PAIRS = {path: path.with_name(f"{path.stem}_zh.md") for path in (
    ROOT / "README.md", ROOT / "docs" / "tutorial.md", ROOT / "docs" / "language.md"
)}  # fmt: skip

TERMS = (
    "Tile",
    "指令",
    "索引",
    "操作数",
    "目标",
    "编译器",
    "行主序",
    "数据类型",
    "字节",
    "资源放置与调度",
    "自动模式",
    "手动模式",
    "地址",
    "有效",
    "约束",
    "示例",
    "PTO-AS 形式",
    "AS Level 1（SSA）",
    "AS Level 2（DPS）",
)
"""Words of document 004, the one in Chinese, that our pages have to say."""

OTHER_WORDS = ("瓦片", "图块", "行优先", "下标", "操作码", "寻址", "自动态", "手动态", "缺省")
"""Synonyms used elsewhere; a page uses one word for one thing."""


def prose(path: Path) -> str:
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def structure(path: Path) -> list[str]:
    """The structure of a page, line by line: headings by level, rows of tables by cells, items, pictures."""
    found: list[str] = []
    for line in prose(path).splitlines():
        if heading := re.match(r"#+ ", line):
            found.append(heading[0].strip())
        elif line.startswith("|"):
            found.append(f"row of {line.count('|') - 1}")
        elif line.startswith("- "):
            found.append("item")
        elif line.startswith("!["):
            found.append(line[line.index("](") :])
    return found


def links(path: Path) -> list[str]:
    """The targets of the links of a page, independent of the language."""
    found = re.findall(r"\]\(([^)\s]+)\)", prose(path))
    return sorted(link.replace("_zh.md", ".md") for link in found)


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.name)
def test_both_have_one_structure(path: Path) -> None:
    assert structure(PAIRS[path]) == structure(path)


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.name)
def test_both_show_the_same_programs(path: Path) -> None:
    shown = [
        [(block.kind, block.title, block.body) for block in blocks(each)] for each in (path, PAIRS[path])
    ]
    assert shown[0] == shown[1] and shown[0]


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.name)
def test_both_lead_to_the_same_places(path: Path) -> None:
    assert links(PAIRS[path]) == links(path)
    assert f"[中文]({PAIRS[path].name})" in prose(path) and f"[English]({path.name})" in prose(PAIRS[path])


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.name)
def test_translation_keeps_code_and_numbers(path: Path) -> None:
    """Options, types and numbers of tables stay as they are in a translation."""
    code = [set(re.findall(r"`([^`]+)`", prose(each))) for each in (path, PAIRS[path])]
    assert code[0] == code[1]
    counts = [re.findall(r"\| (\d+) \|$", prose(each), re.MULTILINE) for each in (path, PAIRS[path])]
    assert counts[0] == counts[1]


def test_the_words_are_those_of_the_document() -> None:
    text = "\n".join(prose(path) for path in PAIRS.values())
    assert [term for term in TERMS if term not in text] == []
    assert [word for word in OTHER_WORDS if word in text] == []


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.name)
def test_the_chinese_page_is_in_chinese(path: Path) -> None:
    """A paragraph that was not translated, and signs of the other script, are left-overs."""
    for line in prose(PAIRS[path]).splitlines():
        bare = re.sub(r"`[^`]*`|!?\[[^]]*\]\([^)]*\)|\W|\d", "", line)
        if len(bare) > 12:
            assert re.search(r"[\u4e00-\u9fff]", bare), line
        assert not re.search(r"[\u4e00-\u9fff][,;:?!](?!/)", re.sub(r"`[^`]*`", "", line)), line
