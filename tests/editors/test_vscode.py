"""The extension is packed by `vsce` and starts the server; where node and its registry can be reached."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

VSCODE = Path(__file__).parents[2] / "editors" / "vscode"
SECONDS = 150

STUB = """
const Module = require("module");
const load = Module._load;
const said = {};
const vscode = {
  workspace: {
    getConfiguration: () => ({ get: (name) => (name === "path" ? "/opt/ptoas" : undefined) }),
    onDidChangeConfiguration: () => ({}),
  },
  commands: { registerCommand: (name) => { (said.commands ||= []).push(name); return {}; } },
  window: { showErrorMessage: (text) => { said.error = text; } },
};
class LanguageClient {
  constructor(id, name, server, client) { Object.assign(said, { id, server, client }); }
  start() { said.started = true; return Promise.resolve(); }
  stop() { said.stopped = true; return Promise.resolve(); }
}
const stubs = { vscode, "vscode-languageclient/node": { LanguageClient } };
Module._load = (name, ...rest) => stubs[name] || load(name, ...rest);
const extension = require(process.argv[2]);
Promise.resolve(extension.activate({ subscriptions: [] }))
  .then(() => extension.deactivate())
  .then(() => console.log(JSON.stringify(said)));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_client_starts_the_server(tmp_path: Path) -> None:
    (tmp_path / "stub.js").write_text(STUB)
    words = ["node", str(tmp_path / "stub.js"), str(VSCODE / "extension.js")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    said = json.loads(done.stdout)
    assert said["server"] == {"command": "/opt/ptoas", "args": ["lsp"]}
    assert said["client"]["documentSelector"] == [{"language": "pto"}]
    assert said["started"] and said["stopped"]
    declared = json.loads((VSCODE / "package.json").read_text())["contributes"]["commands"]
    assert said["commands"] == sorted((each["command"] for each in declared), key=said["commands"].index)


@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm")
def test_vsce_packs_it(tmp_path: Path) -> None:
    folder = tmp_path / "vscode"
    shutil.copytree(VSCODE, folder, ignore=shutil.ignore_patterns("node_modules", "*.vsix"))

    def npm(*words: str, where: str = "--offline") -> None:
        """Run it with what an earlier run has left; else ask the registry."""
        command = ["npm", where, "--no-audit", "--no-fund", *words]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            pytest.skip("the registry does not answer")
        if done.returncode and where == "--offline":
            return npm(*words, where="--prefer-offline")
        if any(
            word in done.stderr
            for word in ("ENOTFOUND", "ECONNREFUSED", "ETIMEDOUT", "EAI_AGAIN", "ENOTCACHED")
        ):
            pytest.skip("the registry can't be reached")
        assert done.returncode == 0, done.stderr

    npm("install", "--omit=dev")
    # The tool itself is large; npm keeps it from one run to the next where it is no part of the folder.
    script = json.loads((VSCODE / "package.json").read_text())["scripts"]["package"]
    npm("exec", "--yes", "--package=@vscode/vsce@3", "--", *script.split())
    (packed,) = folder.glob("*.vsix")
    with zipfile.ZipFile(packed) as archive:
        names = set(archive.namelist())
    assert "extension/syntaxes/pto.tmLanguage.json" in names and "extension/extension.js" in names
    assert any(name.startswith("extension/node_modules/vscode-languageclient/") for name in names)
    assert not any("lock.json" in name.rpartition("/")[2] and "node_modules" not in name for name in names)
