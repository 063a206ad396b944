// Keys for what is on the page. An element says its key itself, so the list under `?` is always that of the page:
//   data-key="g f"            follows, presses or enters the element; its name is its label or text
//   data-keys="j next, k back" sends the element an event `page-key` whose detail is the key
const TYPING = "input, textarea, select, [contenteditable]";
const OFF = "linetrail-no-keys";
const WAIT = 1500;

const memory = (() => {
  try { return window.localStorage; } catch { return null; }
})();

const nameOf = (element) => element.dataset.says || element.ariaLabel || element.textContent.trim() || element.title;
const isSeen = (element) => element.checkVisibility();

function* bindings() {
  for (const element of document.querySelectorAll("[data-key]")) {
    if (isSeen(element)) yield { keys: element.dataset.key, says: nameOf(element), act: () => use(element) };
  }
  for (const element of document.querySelectorAll("[data-keys]")) {
    if (!isSeen(element)) continue;
    for (const pair of element.dataset.keys.split(",")) {
      const [keys, ...words] = pair.trim().split(" ");
      const act = () => element.dispatchEvent(new CustomEvent("page-key", { detail: keys }));
      yield { keys, says: words.join(" "), act };
    }
  }
}

function use(element) {
  if (element.matches(TYPING)) element.focus();
  else element.click();
}

function make(name, text, parts = []) {
  const made = document.createElement(name);
  made.textContent = text;
  made.append(...parts);
  return made;
}

function list() {
  const dialog = document.createElement("dialog");
  dialog.className = "keys";
  dialog.setAttribute("aria-label", "Keys of this page");
  const rows = [{ keys: "?", says: "this list" }, ...bindings()];
  const items = rows.flatMap(({ keys, says }) => [
    make("dt", "", keys.split(" ").map((key) => make("kbd", key))),
    make("dd", says),
  ]);
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: !memory?.getItem(OFF) });
  box.addEventListener("change", () => (box.checked ? memory?.removeItem(OFF) : memory?.setItem(OFF, "1")));
  const close = make("button", "Close");
  close.addEventListener("click", () => dialog.close());
  dialog.append(make("h2", "Keys"), make("dl", "", items), make("label", " keys other than ? work"), close);
  dialog.querySelector("label").prepend(box);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

let before = "";
let forgets;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
  if (event.key === "?") {
    event.preventDefault();
    list();
    return;
  }
  if (memory?.getItem(OFF)) return;
  const pressed = before ? `${before} ${event.key}` : event.key;
  const all = [...bindings()];
  const found = all.find(({ keys }) => keys === pressed);
  before = !found && all.some(({ keys }) => keys.startsWith(`${pressed} `)) ? pressed : "";
  clearTimeout(forgets);
  if (before) forgets = setTimeout(() => { before = ""; }, WAIT);
  if (!found) return;
  event.preventDefault();
  found.act();
});

// What scrolls sideways can be reached; scripts that bring new parts say so by the event `resize`.
function reach() {
  for (const part of document.querySelectorAll(".scroll")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
}
window.addEventListener("resize", reach);
reach();

const opens = make("button", "Keys");
opens.type = "button";
opens.dataset.opensKeys = "";
opens.addEventListener("click", list);
document.querySelector("footer")?.append(opens);
