/** Start the language server of linetrail, keep its hint of the present line in the status bar, ask for words. */

import * as vscode from "vscode";
import { InlayHintRequest, LanguageClient } from "vscode-languageclient/node";

const RECORD_DECISION = "linetrail.recordDecision";
const CORRECT = "linetrail.correct";
// An editor tells of each movement of the cursor; the server is asked when it rests.
const REST_MS = 150;

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right);
  let resting: NodeJS.Timeout | undefined;
  const follow = (): void => {
    clearTimeout(resting);
    resting = setTimeout(() => void show(status), REST_MS);
  };
  context.subscriptions.push(
    status,
    vscode.window.onDidChangeTextEditorSelection(follow),
    vscode.window.onDidChangeActiveTextEditor(follow),
    vscode.commands.registerCommand("linetrail.restart", restart),
  );
  await restart();
  follow();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(): Promise<void> {
  await client?.stop();
  const settings = vscode.workspace.getConfiguration("linetrail");
  const command = settings.get<string>("command", "linetrail");
  client = new LanguageClient(
    "linetrail",
    "linetrail",
    { command, args: ["lsp"] },
    {
      documentSelector: [{ scheme: "file" }],
      initializationOptions: { hints: settings.get("hints"), lens: settings.get("lens") },
      synchronize: { configurationSection: "linetrail" },
      middleware: { executeCommand: withWords },
    },
  );
  await client.start();
}

/** Ask for the words of a decision or a correction, which no other editor is able to do for a server. */
async function withWords(
  command: string,
  told: unknown[],
  next: (command: string, told: unknown[]) => vscode.ProviderResult<unknown>,
): Promise<unknown> {
  if (command === CORRECT) {
    const reason = await vscode.window.showInputBox({ prompt: "Why the answer is wrong" });
    return reason === undefined ? undefined : next(command, [{ ...(told[0] as object), reason }]);
  }
  if (command !== RECORD_DECISION) {
    return next(command, told);
  }
  const title = await vscode.window.showInputBox({ prompt: "What was decided, in one sentence" });
  if (!title) {
    return undefined;
  }
  const why = await vscode.window.showInputBox({ prompt: "The reason" });
  return next(command, [{ ...(told[0] as object), title, why }]);
}

/** Say in the status bar who wrote the line of the cursor, and why it is there where somebody points at it. */
async function show(status: vscode.StatusBarItem): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client?.isRunning()) {
    status.hide();
    return;
  }
  const { line } = editor.selection.active;
  const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(editor.document);
  const place = { start: { line, character: 0 }, end: { line, character: 0 } };
  // the server answers for the line of the cursor, which this tells it
  await client.sendRequest("textDocument/documentHighlight", { textDocument, position: place.start });
  const hints = await client.sendRequest(InlayHintRequest.type, { textDocument, range: place });
  const hint = hints?.find((one) => one.position.line === line);
  if (!hint) {
    status.hide();
    return;
  }
  status.text = typeof hint.label === "string" ? hint.label : hint.label.map((part) => part.value).join("");
  status.tooltip = "linetrail: point at the line for the whole story";
  status.show();
}
