"""A small client: an editor's side of the protocol, over the standard streams of `ptoas lsp`."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

SECONDS = 60
"""After this a server that does not answer is taken for dead."""


class Failure(Exception):
    """The server refused a request, and said why."""


class Client:
    """A server and what it has said."""

    def __init__(self, *command: str, cwd: str | None = None):
        words = command or (sys.executable, "-m", "ptoas", "lsp")
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd)
        self.said: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.notices: list[dict[str, Any]] = []
        self.number = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            size = 0
            while (line := stream.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                size = int(value) if name.lower() == b"content-length" else size
            if size == 0:
                self.said.put(None)
                return
            self.said.put(json.loads(stream.read(size)))

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        message = self.said.get(timeout=SECONDS)
        assert message is not None, "the server has gone"
        if "method" in message:
            self.notices.append(message)
            if "id" in message:
                self._write({"id": message["id"], "result": None})
        return message

    def notify(self, method: str, **params: Any) -> None:
        self._write({"method": method, "params": params})

    def ask(self, method: str, **params: Any) -> Any:
        self.number += 1
        self._write({"id": self.number, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self.number and "method" not in message:
                if "error" in message:
                    raise Failure(message["error"]["message"])
                return message["result"]

    def notice(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first notice of a kind, which may be still to come."""
        while True:
            for at, message in enumerate(self.notices):
                if wanted(message):
                    return self.notices.pop(at)["params"]
            self._next()

    def close(self) -> int:
        self.ask("shutdown")
        self._write({"method": "exit"})
        return self.process.wait(SECONDS)


class Text:
    """A text that is open in the editor."""

    def __init__(self, client: Client, uri: str, text: str):
        self.client, self.uri, self.text, self.version = client, uri, text, 1
        item = {"uri": uri, "languageId": "pto", "version": 1, "text": text}
        client.notify("textDocument/didOpen", textDocument=item)

    def place(self, mark: str, past: int = 0, nth: int = 0) -> dict[str, int]:
        """The position of a piece of the text, in UTF-16 units."""
        at = -1
        for _ in range(nth + 1):
            at = self.text.index(mark, at + 1)
        before = self.text[: at + past]
        line = before.rpartition("\n")[2]
        return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}

    def edit(self, old: str, new: str) -> None:
        start, end = self.place(old), self.place(old, len(old))
        self.text, self.version = self.text.replace(old, new, 1), self.version + 1
        where = {"uri": self.uri, "version": self.version}
        change = {"range": {"start": start, "end": end}, "text": new}
        self.client.notify("textDocument/didChange", textDocument=where, contentChanges=[change])

    def ask(self, what: str, mark: str | None = None, past: int = 1, nth: int = 0, **params: Any) -> Any:
        if mark is not None:
            params["position"] = self.place(mark, past, nth)
        return self.client.ask(f"textDocument/{what}", textDocument={"uri": self.uri}, **params)

    def findings(self) -> list[dict[str, Any]]:
        """The server's diagnostics of this version."""

        def is_it(message: dict[str, Any]) -> bool:
            params = message.get("params", {})
            return (
                message.get("method") == "textDocument/publishDiagnostics"
                and params["uri"] == self.uri
                and params.get("version") == self.version
            )

        return self.client.notice(is_it)["diagnostics"]

    def at(self, place: dict[str, Any]) -> str:
        """The text of a range."""
        lines = self.text.split("\n")
        first, last = place["start"], place["end"]
        if first["line"] == last["line"]:
            return _units(lines[first["line"]], first["character"], last["character"])
        middle = lines[first["line"] + 1 : last["line"]]
        head = _units(lines[first["line"]], first["character"], None)
        return "\n".join([head, *middle, _units(lines[last["line"]], 0, last["character"])])

    def edited(self, edits: list[dict[str, Any]]) -> str:
        """The text after edits."""
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        found = self.text
        for edit in sorted(edits, key=lambda e: tuple(e["range"]["start"].values()), reverse=True):
            begin, end = (starts[p["line"]] + p["character"] for p in edit["range"].values())
            found = found[:begin] + edit["newText"] + found[end:]
        return found


def _units(line: str, first: int, last: int | None) -> str:
    data = line.encode("utf-16-le")
    return data[2 * first : None if last is None else 2 * last].decode("utf-16-le")
