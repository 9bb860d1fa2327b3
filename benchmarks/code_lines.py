"""Lines of code by package: not blank, not a comment, docstring or import.

    python -m benchmarks.code_lines [FOLDER]

A string that stands alone documents what stands before it and counts as a docstring. Data files are counted
apart.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections import Counter
from io import StringIO
from pathlib import Path

_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(text: str) -> int:
    """Count the lines of a module that hold code.

    >>> code_lines('"Module."\\n\\nimport re\\n\\n# Why.\\nX = (\\n    1\\n)\\n"Attribute."\\n')
    3
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type not in _LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        is_string = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom) or (is_string and isinstance(node.value.value, str)):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def main(folder: Path) -> None:
    """Print the lines of every package below a folder, most first."""
    packages: Counter[str] = Counter()
    data: Counter[str] = Counter()
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if "__pycache__" in parts or not path.is_file():
            continue
        if path.suffix == ".py":
            package = parts[0] if len(parts) > 1 else "(root)"
            packages[package] += code_lines(path.read_text(encoding="utf-8"))
        elif path.suffix in (".toml", ".lark", ".css", ".js", ".html", ".j2", ".pto"):
            data[path.suffix] += sum(
                1 for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
            )
    for package, lines in packages.most_common():
        print(f"{lines:7,}  {package}")
    print(f"{packages.total():7,}  code lines")
    for suffix, lines in data.most_common():
        print(f"{lines:7,}  data ({suffix})")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "ptoas"))
