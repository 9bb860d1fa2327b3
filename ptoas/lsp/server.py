"""The protocol's side: every request is a few lines over a module of this package."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, cast

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import from_fs_path, to_fs_path

from ptoas import __version__
from ptoas.diagnostics import PtoasError
from ptoas.grammar.parse import read_source
from ptoas.lsp import actions, completion, hints, hover, lens, navigate, semantic, signature
from ptoas.lsp.formatting import formatting
from ptoas.lsp.places import offset_of, range_of
from ptoas.lsp.project import Project
from ptoas.lsp.publish import published
from ptoas.lsp.session import EditorSettings, File, Session
from ptoas.project.find import find_files
from ptoas.targets import TARGETS

PAUSE = 0.005
"""Seconds without a further edit before a text is checked: edits that came in meanwhile are checked once."""

MOST_FILES = 5_000
"""Maximum number of workspace files searched for symbols."""


class Protocol(LanguageServerProtocol):
    """Count in UTF-16 units, which every client supports."""

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, lsp.InitializeResult]:
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))


class Server(LanguageServer):
    """A server with its session."""

    def __init__(self) -> None:
        cast(Any, super()).__init__("ptoas", __version__, protocol_cls=Protocol)
        self.session = Session(Project(self._say))
        self.waiting: dict[str, asyncio.Task[None]] = {}
        self.seen: dict[str, tuple[float, list[lsp.WorkspaceSymbol]]] = {}
        """Files of the workspace that are not open: when they were written, and their symbols."""

    def file(self, uri: str) -> File:
        """An open file as the editor has it now."""
        text = self.workspace.get_text_document(uri)
        file = self.session.files.get(uri)
        if file is None:
            path = to_fs_path(uri) or uri
            file = self.session.files[uri] = File(uri, path, text.source, text.version, self.session.project)
        elif file.document.version != text.version or file.document.version is None:
            file.change(text.source, text.version)
        return file

    def _say(self, message: str) -> None:
        self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, message))

    def check(self, uri: str) -> None:
        """Publish the findings of a file."""
        file = self.file(uri)
        targets = self.session.shown_targets(file)
        docs = self.session.settings.docs
        found = [published(finding, uri, targets, docs) for finding in file.findings(targets)]
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, found, file.document.version)
        )

    async def _check_soon(self, uri: str) -> None:
        await asyncio.sleep(PAUSE)
        self.waiting.pop(uri, None)
        self.check(uri)

    def check_soon(self, uri: str) -> None:
        before = self.waiting.pop(uri, None)
        if before is not None:
            before.cancel()
        self.waiting[uri] = asyncio.get_running_loop().create_task(self._check_soon(uri))

    def closed(self, uri: str) -> None:
        task = self.waiting.pop(uri, None)
        if task is not None:
            task.cancel()
        self.session.files.pop(uri, None)
        self.session.shown_for_all_targets.discard(uri)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def at(self, params: Any) -> tuple[File, int]:
        """Return the file and offset of a request."""
        file = self.file(params.text_document.uri)
        return file, offset_of(file.document.source, params.position)

    def all_symbols(self) -> Iterator[lsp.WorkspaceSymbol]:
        """The functions and aliases of all files: the open ones, and the others of the workspace."""
        for uri in list(self.session.files):
            yield from navigate.outline(uri, self.file(uri).document.source)
        folders = (to_fs_path(folder.uri) for folder in self.workspace.folders.values())
        paths, _ = find_files([folder for folder in folders if folder])
        for path in paths[:MOST_FILES]:
            uri = from_fs_path(path)
            if uri is not None and uri not in self.session.files:
                yield from self._outline(path, uri)

    def _outline(self, path: str, uri: str) -> list[lsp.WorkspaceSymbol]:
        try:
            written = os.stat(path).st_mtime
            if uri not in self.seen or self.seen[uri][0] != written:
                self.seen[uri] = written, navigate.outline(uri, read_source(path))
        except (OSError, PtoasError):  # a file that can't be read has no symbols
            return []
        return self.seen[uri][1]


def make_server() -> Server:
    """Create the server; start it with `start_io`."""
    server = Server()
    _texts(server)
    _questions(server)
    _names(server)
    _shown(server)
    return server


Register = Callable[..., Callable[[Callable[..., Any]], Any]]


def _texts(server: Server) -> None:
    """Opening, editing, closing; settings."""
    feature = cast(Register, server.feature)
    session = server.session

    @feature(lsp.INITIALIZE)
    def on_initialize(params: lsp.InitializeParams) -> None:
        session.settings = EditorSettings.of(params.initialization_options)

    @feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def on_settings(params: lsp.DidChangeConfigurationParams) -> None:
        session.settings = EditorSettings.of(params.settings)
        for uri in list(session.files):
            server.check_soon(uri)

    @feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def on_open(params: lsp.DidOpenTextDocumentParams) -> None:
        server.check_soon(params.text_document.uri)

    @feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def on_change(params: lsp.DidChangeTextDocumentParams) -> None:
        session.shown_for_all_targets.discard(params.text_document.uri)
        server.check_soon(params.text_document.uri)

    @feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def on_close(params: lsp.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)


def _questions(server: Server) -> None:
    """Completion and signature requests."""
    feature = cast(Register, server.feature)

    @feature(lsp.TEXT_DOCUMENT_HOVER)
    def on_hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return hover.hover(*server.at(params), server.session.settings)

    @feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(completion.TRIGGERS, resolve_provider=True))
    def on_complete(params: lsp.CompletionParams) -> lsp.CompletionList:
        return completion.complete(*server.at(params))

    @feature(lsp.COMPLETION_ITEM_RESOLVE)
    def on_resolve(item: lsp.CompletionItem) -> lsp.CompletionItem:
        return completion.resolve(item)

    @feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions([" ", ",", "("]))
    def on_signature(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        file, offset = server.at(params)
        return signature.signature_help(file.document, offset)


def _names(server: Server) -> None:
    """Names: where they come from, where they are used, what they become."""
    feature = cast(Register, server.feature)

    @feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def on_definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        return navigate.definition(*server.at(params))

    @feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def on_references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        return navigate.references(*server.at(params), params.context.include_declaration)

    @feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def on_highlights(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        return navigate.highlights(*server.at(params))

    @feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def on_symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return navigate.document_symbols(server.file(params.text_document.uri))

    @feature(lsp.WORKSPACE_SYMBOL)
    def on_everywhere(params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        return list(navigate.matching(server.all_symbols(), params.query))

    @feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def on_prepare(params: lsp.PrepareRenameParams) -> lsp.Range:
        file, offset = server.at(params)
        try:
            place = navigate.renamed_place(file, offset)
        except navigate.Refused as reason:
            raise _refusal(reason) from None
        return range_of(file.document.source, place.start, place.end)

    @feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def on_rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        file, offset = server.at(params)
        try:
            edits = navigate.rename(file, offset, params.new_name)
        except navigate.Refused as reason:
            raise _refusal(reason) from None
        return lsp.WorkspaceEdit({file.uri: edits})


def _refusal(reason: Exception) -> JsonRpcException:
    return JsonRpcException(str(reason), lsp.LSPErrorCodes.RequestFailed)


def _shown(server: Server) -> None:
    """Colours, style, hints, and where a program runs."""
    feature = cast(Register, server.feature)
    command = cast(Register, server.command)

    @feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, semantic.LEGEND)
    def on_tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        return semantic.semantic_tokens(server.file(params.text_document.uri).now)

    @feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, semantic.LEGEND)
    def on_some_tokens(params: lsp.SemanticTokensRangeParams) -> lsp.SemanticTokens:
        file = server.file(params.text_document.uri)
        return semantic.semantic_tokens(file.now, *_extent(file, params.range))

    @feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def on_format(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        return formatting(server.file(params.text_document.uri).document)

    @feature(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
    def on_format_some(params: lsp.DocumentRangeFormattingParams) -> list[lsp.TextEdit]:
        lines = params.range.start.line, params.range.end.line
        return formatting(server.file(params.text_document.uri).document, lines)

    @feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(list(actions.KINDS)))
    def on_actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        file = server.file(params.text_document.uri)
        targets, docs = server.session.shown_targets(file), server.session.settings.docs
        return actions.code_actions(file, *_extent(file, params.range), targets, params.context.only, docs)

    @feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def on_hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        file = server.file(params.text_document.uri)
        return hints.inlay_hints(file, *_extent(file, params.range), server.session.settings)

    @feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions(resolve_provider=True))
    def on_lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        return lens.code_lenses(server.file(params.text_document.uri))

    @feature(lsp.CODE_LENS_RESOLVE)
    def on_resolve_lens(shown: lsp.CodeLens) -> lsp.CodeLens:
        data = cast("dict[str, Any]", shown.data)
        return lens.resolve(server.file(data["uri"]), shown, data["at"])

    @command(lens.VERIFY)
    def on_verify(uri: str) -> dict[str, Any]:
        file = server.file(uri)
        server.session.shown_for_all_targets.add(uri)
        server.check(uri)
        title = lens.summary(file)
        server.window_show_message(
            lsp.ShowMessageParams(lsp.MessageType.Info, f"{Path(file.filename).name} {title}")
        )
        counts = {v.target: {"errors": v.errors, "warnings": v.warnings} for v in lens.verdicts(file)}
        return {"summary": title, "targets": counts}


def _extent(file: File, range: lsp.Range) -> tuple[int, int]:
    source = file.document.source
    return offset_of(source, range.start), offset_of(source, range.end)


def serve() -> None:
    """Serve on standard input and output until the editor exits."""
    server = make_server()
    _ = tuple(TARGETS)
    server.start_io()
