// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now
// The line above is what Amp asks of a plugin. Made by `linetrail init`; `linetrail init --undo` removes it.
//
// Tells linetrail of every prompt and every tool call of Amp, refuses the calls that it refuses, and puts what it says
// into the context. No fault of linetrail stops Amp; where it has to block, a call that may write is refused while
// nobody can judge it. Plain JavaScript, so that it runs wherever plugins do.

import { spawn } from "node:child_process";

const HOOK = @HOOK@;
const ARGUMENTS = @ARGUMENTS@;
// More than the hook allows itself.
const DEADLINE_MS = 30_000;
// Tools that write nothing; a fault of ours stops none of them.
const HARMLESS = new Set(
  (
    "Read read_file Grep Glob glob list_directory finder look_at get_diagnostics oracle librarian web_search " +
    "read_web_page read_mcp_resource read_thread find_thread todo_read mermaid todo_write Task skill handoff"
  ).split(" "),
);
const BROKEN =
  "Refused (HOOK_BROKEN): linetrail could not judge this call, and what cannot be judged is not done here. " +
  "Tell a person to run `linetrail doctor`.";

/** @typedef {{ action?: string, message?: string, context?: string }} Answer */

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
 * @param {string} name of the event
 * @param {string} cwd
 * @param {object} event
 * @returns {Promise<Answer | null>} what linetrail says; null: nothing that can be read
 */
function ask(name, cwd, event) {
  return new Promise((resolve) => {
    try {
      let said = "";
      const child = spawn(HOOK, ["amp", "--event", name, ...ARGUMENTS], {
        cwd,
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
      child.stdin.end(JSON.stringify({ ...event, event: name, cwd }));
    } catch {
      resolve(null);
    }
  });
}

export default function linetrail(amp) {
  /** @type {Map<string, Promise<string | undefined>>} thread -> what it is told with its next prompt */
  const facts = new Map();
  /** @type {Map<string, string>} call -> what is told with its result */
  const notes = new Map();
  // Amp reports results of refused calls, too, that never ran.
  const refused = new Set();

  /** @returns {string} the folder that Amp works in */
  const folder = () => {
    try {
      return amp.helpers.filePathFromURI(amp.system.workspaceRoot) || process.cwd();
    } catch {
      return process.cwd();
    }
  };
  const refuse = (call, message) => {
    refused.add(call);
    return { action: "reject-and-continue", message };
  };

  amp.on("session.start", async (event) => {
    const told = ask("session.start", folder(), { thread: event?.thread }).then((said) => said?.context);
    facts.set(event?.thread?.id, told);
    await told;
  });
  amp.on("agent.start", async (event) => {
    const thread = event?.thread?.id;
    const known = await facts.get(thread);
    facts.delete(thread);
    const said = await ask("agent.start", folder(), { thread: event?.thread, message: event?.message });
    const content = [known, said?.context].filter(Boolean).join("\n\n");
    return content ? { message: { content, display: false } } : {};
  });
  amp.on("tool.call", async (event) => {
    const { thread, toolUseID, tool, input } = event;
    const said = await ask("tool.call", folder(), { thread, toolUseID, tool, input });
    if (said?.action) return refuse(toolUseID, said.message);
    if (said === null && blocks() && !HARMLESS.has(tool)) return refuse(toolUseID, BROKEN);
    if (said?.context) notes.set(toolUseID, said.context);
    return { action: "allow" };
  });
  amp.on("tool.result", async (event) => {
    const { thread, toolUseID, tool, input, status, output, error } = event;
    if (refused.delete(toolUseID)) return undefined;
    const said = await ask("tool.result", folder(), { thread, toolUseID, tool, input, status, output, error });
    const told = [notes.get(toolUseID), said?.context].filter(Boolean);
    notes.delete(toolUseID);
    if (!told.length || status !== "done" || typeof output !== "string") return undefined;
    return { status, output: [output, ...told].join("\n\n") };
  });
  amp.on("agent.end", async (event) => {
    await ask("agent.end", folder(), { thread: event?.thread, status: event?.status });
  });
}
