// Loads a plugin as OpenCode or Amp does, has it hear what happens, and prints what it answered as one line of JSON.
//
// node plugin_host.mjs PLUGIN AGENT FOLDER < [[event, argument…], …]

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [plugin, agent, folder] = process.argv.slice(2);
const loaded = await import(pathToFileURL(plugin));
const heard = {};

if (agent === "opencode") {
  for (const start of Object.values(loaded)) Object.assign(heard, await start({ directory: folder, worktree: folder }));
} else {
  loaded.default({
    on: (event, handler) => (heard[event] = handler),
    system: { workspaceRoot: pathToFileURL(folder) },
    helpers: { filePathFromURI: (uri) => uri.pathname },
  });
}

const answers = [];
for (const [event, ...given] of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const returned = (await heard[event](...given)) ?? null;
    answers.push({ thrown: null, returned, given });
  } catch (error) {
    answers.push({ thrown: error.message, returned: null, given });
  }
}
console.log(JSON.stringify(answers));
