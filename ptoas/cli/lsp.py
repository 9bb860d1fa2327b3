"""The command `lsp`: a language server for editors."""

from __future__ import annotations

import click

from ptoas.cli.terminal import Command
from ptoas.diagnostics import UsageError
from ptoas.lsp.server import serve


@click.command(cls=Command)
@click.option("--stdio", is_flag=True, help="Use standard input and output (the default).")
def lsp(stdio: bool) -> None:  # noqa: ARG001
    """Start the language server: findings, hovers, completion and more in an editor.

    The editor starts it; it uses standard input and output. It needs the extra `lsp`.

    \b
    ptoas lsp
    """
    from importlib.util import find_spec

    if any(find_spec(package) is None for package in ("pygls", "lsprotocol")):
        raise UsageError("the language server needs the extra `lsp`: pip install 'ptoas-xdsl[lsp]'")

    serve()
