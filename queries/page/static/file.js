// The lines of a file: a line number opens its story in place, j and k go from change to change, / finds a text.
const linkOf = (row) => row.querySelector("td.no a");

// The story page of an address; one that is still being worked out is asked for again.
async function storyOf(address) {
  for (;;) {
    const answer = await fetch(address);
    if (answer.status !== 202) return new DOMParser().parseFromString(await answer.text(), "text/html");
    await new Promise((done) => { setTimeout(done, 300); });
  }
}

async function toggle(link) {
  const row = link.closest("tr");
  const shown = row.nextElementSibling;
  if (shown?.matches(".told")) {
    shown.remove();
    row.classList.remove("chosen");
    return;
  }
  const address = new URL(link.href);
  const page = await storyOf(`/story${address.search}`);
  if (row.nextElementSibling?.matches(".told")) return;
  const cell = document.createElement("td");
  cell.colSpan = 7;
  cell.append(...page.querySelectorAll("main article, main > p"));
  const told = document.createElement("tr");
  told.className = "told";
  told.append(cell);
  row.after(told);
  told.scrollIntoView({ block: "nearest" });
  row.classList.add("chosen");
  history.replaceState(null, "", address);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.(".blame[data-find] td.no a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  toggle(link).catch(() => window.location.assign(link.href));
});

function go(row) {
  if (!row) return;
  row.scrollIntoView({ block: "center" });
  linkOf(row).focus({ preventScroll: true });
}

// Where to go on from: the line in hand, else the first one that is seen.
function here(rows) {
  const held = document.activeElement?.closest?.(".blame tr[id]") ?? document.querySelector(".blame tr.hit");
  if (held) return rows.indexOf(held);
  return Math.max(rows.findIndex((row) => row.getBoundingClientRect().bottom > 0), 0) - 1;
}

document.addEventListener("page-key", (event) => {
  if (!event.target.matches?.(".blame")) return;
  const rows = [...event.target.querySelectorAll("tr[id]")];
  const at = here(rows);
  const begins = (row) => row.matches(".begins");
  go(event.detail === "j" ? rows.slice(at + 1).find(begins) : rows.slice(0, Math.max(at, 0)).findLast(begins));
}, true);

function find(blame, text, says) {
  const rows = [...blame.querySelectorAll("tr[id]")];
  const has = (row) => row.lastElementChild.textContent.toLowerCase().includes(text.toLowerCase());
  const old = blame.querySelector("tr.hit");
  old?.classList.remove("hit");
  const hits = text ? rows.filter(has) : [];
  const from = old ? rows.indexOf(old) : here(rows);
  const hit = hits.find((row) => rows.indexOf(row) > from) ?? hits[0];
  hit?.classList.add("hit");
  hit?.scrollIntoView({ block: "center" });
  says.textContent = text ? `${hits.indexOf(hit) + 1} of ${hits.length}` : "";
}

customElements.define("find-in-lines", class extends HTMLElement {
  connectedCallback() {
    // A page that was still being worked out when its address was followed has the line only now.
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "center" });
    const form = document.createElement("form");
    const field = Object.assign(document.createElement("input"), { type: "search", placeholder: "find in these lines" });
    field.ariaLabel = "Find in these lines";
    field.dataset.key = "/";
    const says = document.createElement("output");
    form.append(field, says);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      find(this.nextElementSibling, field.value, says);
    });
    this.replaceChildren(form);
  }
});
