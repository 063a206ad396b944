/** Stand in for the module `vscode`, which exists inside that editor alone: one folder, one file, one person. */

const { pathToFileURL, fileURLToPath } = require("node:url");

/** What a person did, would answer, and was shown. */
const person = { answers: [], said: [], log: [], commands: new Map(), providers: new Map() };

class Disposable {
  constructor(end = () => {}) {
    this.dispose = end;
  }
  static from(...all) {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

class EventEmitter {
  heard = new Set();
  event = (listener) => {
    this.heard.add(listener);
    return new Disposable(() => this.heard.delete(listener));
  };
  fire(told) {
    this.heard.forEach((listener) => listener(told));
  }
  dispose() {}
}

class Uri {
  constructor(address) {
    this.address = String(address);
    this.scheme = new URL(this.address).protocol.slice(0, -1);
    this.fsPath = this.scheme === "file" ? fileURLToPath(this.address) : this.address;
  }
  static parse(address) {
    return new Uri(address);
  }
  static file(path) {
    return new Uri(pathToFileURL(path));
  }
  toString() {
    return this.address;
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(start, end, ...rest) {
    const places = rest.length ? [new Position(start, end), new Position(...rest)] : [start, end];
    [this.start, this.end] = places;
  }
}

/** A class of which a server's answer is made; a test only looks at what it holds. */
const made = () =>
  class {
    constructor(...told) {
      this.told = told;
    }
  };

/** Names, each of which is a number, or a text, that nobody here compares. */
const names = () => new Proxy({}, { get: (_, name) => String(name) });

const kind = (value = "") => ({ value, append: (more) => kind(`${value}.${more}`) });
const nothing = () => new EventEmitter().event;
const noted = (name) => (_selector, provider) => {
  person.providers.set(name, provider);
  return new Disposable();
};

const moved = new EventEmitter();
const opened = new EventEmitter();
const status = { shown: false, show: () => (status.shown = true), hide: () => (status.shown = false), dispose() {} };
const settings = {};

const vscode = {
  version: "1.91.0",
  person,
  status,
  settings,
  Disposable,
  EventEmitter,
  Uri,
  Position,
  Range,
  StatusBarAlignment: { Left: 1, Right: 2 },
  CodeActionKind: Object.fromEntries(
    ["Empty", "QuickFix", "Refactor", "RefactorExtract", "RefactorInline", "RefactorRewrite", "Source", "SourceOrganizeImports"].map(
      (name) => [name, kind(name)],
    ),
  ),
  CancellationTokenSource: class {
    token = { isCancellationRequested: false, onCancellationRequested: nothing() };
    cancel() {}
    dispose() {}
  },
  CancellationError: class extends Error {},
  commands: {
    registerCommand(name, run) {
      person.commands.set(name, run);
      return new Disposable(() => person.commands.delete(name));
    },
  },
  env: { language: "en", appName: "a test", openExternal: async () => true },
  languages: {
    match: (selector, document) => (selector.some((one) => one.scheme === document.uri.scheme) ? 10 : 0),
    createDiagnosticCollection: () => ({ set() {}, delete() {}, clear() {}, dispose() {} }),
  },
  window: {
    activeTextEditor: undefined,
    visibleTextEditors: [],
    tabGroups: { all: [], onDidChangeTabs: nothing(), onDidChangeTabGroups: nothing() },
    createStatusBarItem: () => status,
    createOutputChannel: () => ({ appendLine: (text) => person.log.push(text), append: (text) => person.log.push(text), show() {}, dispose() {} }),
    onDidChangeTextEditorSelection: moved.event,
    onDidChangeActiveTextEditor: moved.event,
    showInputBox: async () => person.answers.shift(),
    withProgress: async (_options, task) => task({ report() {} }),
  },
  workspace: {
    workspaceFolders: [],
    textDocuments: [],
    notebookDocuments: [],
    fs: { isWritableFileSystem: () => true },
    getConfiguration: () => ({ get: (name, otherwise) => settings[name] ?? otherwise }),
    getWorkspaceFolder: () => vscode.workspace.workspaceFolders[0],
    createFileSystemWatcher: () => ({ onDidCreate: nothing(), onDidChange: nothing(), onDidDelete: nothing(), dispose() {} }),
    applyEdit: async () => true,
    onDidOpenTextDocument: opened.event,
  },
  /** Show a text, with the cursor in a line, counted from 1. */
  look(document, line) {
    const active = new Position(line - 1, 0);
    if (!vscode.workspace.textDocuments.includes(document)) {
      vscode.workspace.textDocuments.push(document);
      opened.fire(document);
    }
    vscode.window.activeTextEditor = { document, selection: { active } };
    moved.fire();
  },
  /** Show no text. */
  away() {
    vscode.window.activeTextEditor = undefined;
    moved.fire();
  },
};

for (const name of ["Information", "Warning", "Error"]) {
  vscode.window[`show${name}Message`] = async (text) => void person.said.push(text);
}
for (const name of [
  ...["ChangeConfiguration", "CloseTextDocument", "ChangeTextDocument", "SaveTextDocument", "ChangeWorkspaceFolders"],
  ...["OpenNotebookDocument", "CloseNotebookDocument", "ChangeNotebookDocument", "SaveNotebookDocument"],
  ...["CreateFiles", "RenameFiles", "DeleteFiles"],
]) {
  vscode.workspace[`onDid${name}`] = nothing();
  vscode.workspace[`onWill${name}`] = nothing();
}
vscode.workspace.onWillSaveTextDocument = nothing();
for (const name of [
  ...["SignatureHelp", "WorkspaceSymbol", "TypeHierarchy", "TypeDefinition", "SelectionRange", "Rename", "Reference"],
  ...["OnTypeFormattingEdit", "LinkedEditingRange", "InlineValues", "InlineCompletionItem", "InlayHints"],
  ...["Implementation", "Hover", "FoldingRange", "DocumentSymbol", "DocumentSemanticTokens"],
  ...["DocumentRangeSemanticTokens", "DocumentRangeFormattingEdit", "DocumentLink", "DocumentHighlight"],
  ...["DocumentFormattingEdit", "Definition", "Declaration", "CompletionItem", "Color", "CodeLens", "CodeActions"],
  ...["CallHierarchy"],
]) {
  vscode.languages[`register${name}Provider`] = noted(name);
}
for (const name of [
  ...["SymbolTag", "SymbolKind", "DiagnosticSeverity", "DiagnosticTag", "CompletionItemTag", "CompletionItemKind"],
  ...["CompletionTriggerKind", "DocumentHighlightKind", "FileType", "FoldingRangeKind", "NotebookCellKind"],
  ...["ProgressLocation", "SignatureHelpTriggerKind", "CodeActionTriggerKind", "TextDocumentSaveReason"],
]) {
  vscode[name] = names();
}
for (const name of [
  ...["SnippetString", "MarkdownString", "Location", "SymbolInformation", "RelativePattern", "WorkspaceEdit", "TextEdit"],
  ...["TypeHierarchyItem", "SignatureInformation", "SignatureHelp", "SemanticTokens", "SemanticTokensEdits"],
  ...["SemanticTokensEdit", "SelectionRange", "ParameterInformation", "LinkedEditingRanges", "InlineValueText"],
  ...["InlineValueVariableLookup", "InlineValueEvaluatableExpression", "InlineCompletionList", "InlineCompletionItem"],
  ...["InlayHint", "InlayHintLabelPart", "Hover", "FoldingRange", "DocumentSymbol", "DocumentLink", "DocumentHighlight"],
  ...["Diagnostic", "DiagnosticRelatedInformation", "CompletionList", "CompletionItem", "ColorPresentation", "Color"],
  ...["ColorInformation", "CodeLens", "CodeAction", "CallHierarchyItem", "CallHierarchyIncomingCall"],
  ...["CallHierarchyOutgoingCall", "TabInputText", "TabInputTextDiff", "TabInputCustom"],
]) {
  vscode[name] = made();
}

module.exports = vscode;
