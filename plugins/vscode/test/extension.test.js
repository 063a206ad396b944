/** The extension as it is packed, against the real server over stdio, on the demonstration. */

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { after, before, test } = require("node:test");

const standIn = path.join(__dirname, "vscode.js");
const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) => (name === "vscode" ? standIn : resolve(name, ...rest));

const vscode = require("vscode");
const extension = require("../dist/extension.js");

const shop = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "linetrail-")), "shop");
const linetrail = (...told) => execFileSync("linetrail", ["-C", shop, ...told], { encoding: "utf-8" });
const rows = (...told) => JSON.parse(linetrail(...told, "--json")).rows;
let invoice;

function opened(name) {
  const file = path.join(shop, name);
  const text = fs.readFileSync(file, "utf-8");
  const uri = vscode.Uri.file(file);
  return { uri, fileName: file, languageId: "python", version: 1, isClosed: false, isDirty: false, getText: () => text };
}

async function until(what, holds) {
  for (let tries = 0; !holds(); tries++) {
    assert.ok(tries < 1200, `waited for ${what}; the status bar says ${vscode.status.text}`);
    await new Promise((go) => setTimeout(go, 50));
  }
}

before(async () => {
  execFileSync("linetrail", ["demo", shop]);
  vscode.workspace.workspaceFolders.push({ uri: vscode.Uri.file(shop), name: "shop", index: 0 });
  invoice = opened("billing/invoice.py");
  await extension.activate({ subscriptions: [] });
});

after(async () => {
  await extension.deactivate();
  fs.rmSync(path.dirname(shop), { recursive: true });
});

test("the status bar says why the line of the cursor is as it is", async () => {
  vscode.look(invoice, 30);
  await until("line 30", () => vscode.status.shown && /^INT-003 · claude-code · .+ · observed$/.test(vscode.status.text));

  vscode.look(invoice, 31);
  await until("line 31", () => vscode.status.text.endsWith("· git"));

  vscode.away();
  await until("an empty status bar", () => !vscode.status.shown);
});

test("a decision is recorded in the words that the person is asked for", async () => {
  const place = { uri: String(invoice.uri), first: 29, last: 30 };
  vscode.person.answers.push("Say unit price", "it was not clear");

  await vscode.person.commands.get("linetrail.recordDecision")(place);

  const [made] = rows("decisions").filter((one) => one.title === "Say unit price");
  assert.equal(made.rationale, "it was not clear");
  assert.deepEqual(made.lines, ["billing/invoice.py:29-30"]);
});

test("a correction has a reason, and the person may think better of it", async () => {
  const place = { uri: String(invoice.uri), first: 35, last: 35, by: "human" };
  const contributor = () => rows("blame", "billing/invoice.py", "-L", "35,35")[0].contributor_type;

  vscode.person.answers.push(undefined);
  await vscode.person.commands.get("linetrail.correct")(place);
  assert.equal(contributor(), "ai");

  vscode.person.answers.push("typed by hand");
  await vscode.person.commands.get("linetrail.correct")(place);
  assert.equal(contributor(), "human");
  assert.match(linetrail("why", "billing/invoice.py:35"), /typed by hand/);
});

test("a server that is started anew answers", async () => {
  vscode.status.text = "";
  await vscode.person.commands.get("linetrail.restart")();

  vscode.look(invoice, 30);
  await until("line 30", () => vscode.status.text.includes("INT-003"));
});
