"""Reading the body of a type from xDSL's parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.parser import AttrParser


def symbol_body(parser: AttrParser) -> str:
    """The text up to the `>` that closes a dialect's type."""
    # Public methods read tokens, and `8x8xf32` is none; xDSL's own scan of the text minds strings and `->`.
    return parser._parse_dialect_symbol_body()  # pyright: ignore[reportPrivateUsage]
