// Made by `linetrail init`; `linetrail init --undo` removes it.
//
// Tells linetrail of every prompt and every tool call of OpenCode (Kilo Code reads the same), refuses the calls that it
// refuses, and puts what it says into the context. No fault of linetrail stops OpenCode; where it has to block, a call
// that may write is refused while nobody can judge it. Plain JavaScript, so that it runs wherever plugins do.

import { spawn } from "node:child_process";

const HOOK = @HOOK@;
const ARGUMENTS = @ARGUMENTS@;
// More than the hook allows itself.
const DEADLINE_MS = 30_000;
// Tools that write nothing; a fault of ours stops none of them.
const HARMLESS = new Set(
  "read grep glob list webfetch websearch codesearch lsp todoread todowrite task question skill plan_enter plan_exit".split(" "),
);
// Of what happens in OpenCode, the few things that linetrail keeps.
const EVENTS = new Set(["session.created", "session.deleted", "session.idle", "session.compacted"]);
const BROKEN =
  "Refused (HOOK_BROKEN): linetrail could not judge this call, and what cannot be judged is not done here. " +
  "Tell a person to run `linetrail doctor`.";

/** @typedef {{ verdict?: string, message?: string, context?: string }} Answer */

/** @returns {boolean} whether calls are refused that nobody can judge */
function blocks() {
  const told = process.env.LINETRAIL_ENFORCE?.trim().toLowerCase() ?? "";
  return (["observe", "warn", "block"].includes(told) ? told : ARGUMENTS[1]) === "block";
}

/**
 * @param {string} text
 * @returns {Answer | null} null: it cannot be read
 */
function answer(text) {
  if (text === "") return {};
  try {
    const told = JSON.parse(text);
    return told !== null && typeof told === "object" && !Array.isArray(told) ? told : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} hook
 * @param {{ directory: string, worktree: string, model?: string, parent?: string }} context
 * @param {unknown} input
 * @param {unknown} [output]
 * @returns {Promise<Answer | null>} what linetrail says; null: nothing that can be read
 */
function ask(hook, context, input, output) {
  return new Promise((resolve) => {
    try {
      let said = "";
      const child = spawn(HOOK, ["opencode", "--event", hook, ...ARGUMENTS], {
        cwd: context.directory,
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        resolve(null);
      }, DEADLINE_MS);
      child.on("error", () => {
        clearTimeout(timer);
        resolve(null);
      });
      child.on("close", (status) => {
        clearTimeout(timer);
        resolve(status === 0 ? answer(said) : null);
      });
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (part) => (said += part));
      // It may end before it has read everything.
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify({ hook, context, input, output }));
    } catch {
      resolve(null);
    }
  });
}

/** @param {{ directory: string, worktree: string }} plugin */
export const Linetrail = async ({ directory, worktree }) => {
  /** @type {Map<string, Promise<string | undefined>>} session -> what it was told at its start */
  const facts = new Map();
  /** @type {Map<string, string>} session -> its model */
  const models = new Map();
  /** @type {Map<string, string>} session of a subagent -> the session that a person started */
  const parents = new Map();
  /** @type {Map<string, string>} call -> what is told with its result */
  const notes = new Map();
  const root = (session) => parents.get(session) ?? session;
  const context = (session) => ({ directory, worktree, model: models.get(session), parent: parents.get(session) });

  return {
    event: async ({ event }) => {
      if (!EVENTS.has(event?.type)) return;
      const { id, parentID } = event.properties?.info ?? {};
      const session = id ?? event.properties?.sessionID;
      if (parentID) parents.set(session, root(parentID));
      const told = ask("event", context(session), { event }).then((said) => said?.context);
      if (event.type === "session.created") facts.set(session, told);
      if (event.type === "session.deleted") [facts, models, parents].forEach((known) => known.delete(session));
      await told;
    },
    "chat.message": async (input, output) => {
      const { providerID, modelID } = input?.model ?? output?.message?.model ?? {};
      if (providerID && modelID) models.set(input.sessionID, `${providerID}/${modelID}`);
      await facts.get(input.sessionID);
      await ask("chat.message", context(input.sessionID), input, { parts: output?.parts });
    },
    "tool.execute.before": async (input, output) => {
      const said = await ask("tool.execute.before", context(input.sessionID), input, output);
      if (said?.verdict) throw new Error(said.message);
      if (said === null && blocks() && !HARMLESS.has(input.tool)) throw new Error(BROKEN);
      if (said?.context) notes.set(input.callID, said.context);
    },
    "tool.execute.after": async (input, output) => {
      const said = await ask("tool.execute.after", context(input.sessionID), input, output);
      const told = [notes.get(input.callID), said?.context].filter(Boolean);
      notes.delete(input.callID);
      if (told.length && typeof output?.output === "string") output.output = [output.output, ...told].join("\n\n");
    },
    "experimental.chat.system.transform": async (input, output) => {
      const told = await facts.get(root(input?.sessionID));
      if (told && Array.isArray(output?.system)) output.system.push(told);
    },
  };
};
