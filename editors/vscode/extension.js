// The client of `ptoas lsp`: starts the server, hands it the settings, and restarts it when its path changes.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function start() {
  const command = vscode.workspace.getConfiguration("ptoas").get("path") || "ptoas";
  client = new LanguageClient(
    "ptoas",
    "PTO",
    { command, args: ["lsp"] },
    {
      documentSelector: [{ language: "pto" }],
      initializationOptions: vscode.workspace.getConfiguration("ptoas"),
      synchronize: { configurationSection: "ptoas" },
    },
  );
  return client.start().catch((error) => {
    vscode.window.showErrorMessage(
      `ptoas lsp does not start: ${error.message || error}. ` +
        "Install it with: pip install 'ptoas-xdsl[lsp]', or set ptoas.path.",
    );
  });
}

async function restart() {
  if (client) {
    const before = client;
    client = undefined;
    await before.stop().catch(() => undefined);
  }
  return start();
}

function verifyHere() {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor || editor.document.languageId !== "pto") {
    return undefined;
  }
  return client.sendRequest("workspace/executeCommand", {
    command: "ptoas.verify",
    arguments: [editor.document.uri.toString()],
  });
}

function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("ptoas.restart", restart),
    vscode.commands.registerCommand("ptoas.verifyHere", verifyHere),
    vscode.workspace.onDidChangeConfiguration((event) =>
      event.affectsConfiguration("ptoas.path") ? restart() : undefined,
    ),
  );
  return start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
