// The lines of a file: those that are not on the page come when they are near the window, a line number opens its story
// in place, j and k go from change to change.
const LINE_PX = 17.4;
const NEAR = "2000px 0px";

// The page of an address; one that is still being worked out is asked for again.
async function pageOf(address) {
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
  const page = await pageOf(`/story${address.search}`);
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
  const link = event.target.closest?.("file-lines[data-address] td.no a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  toggle(link).catch(() => window.location.assign(link.href));
});

customElements.define("file-lines", class extends HTMLElement {
  connectedCallback() {
    const [first, size, of] = ["first", "size", "of"].map((name) => Number(this.dataset[name]));
    const near = new IntersectionObserver((seen) => {
      for (const { target } of seen.filter((one) => one.isIntersecting)) this.fill(target);
    }, { rootMargin: NEAR });
    const held = this.firstElementChild;
    for (let from = 1; from <= of; from += size) {
      if (from === first) continue;
      const part = document.createElement("div");
      part.dataset.from = from;
      part.style.height = `${Math.min(size, of - from + 1) * LINE_PX}px`;
      if (from < first) held.before(part);
      else this.append(part);
      near.observe(part);
    }
    this.addEventListener("page-key", (event) => this.walk(event.detail === "j" ? 1 : -1));
    window.addEventListener("hashchange", () => this.reach());
    this.reach();
  }

  // Put the lines of a part, as high as they are, in its place.
  fill(part) {
    part.filled ??= pageOf(`${this.dataset.address}&from=${part.dataset.from}`).then((page) => {
      part.replaceWith(...page.querySelectorAll("file-lines > .window"));
    }, () => { part.filled = undefined; });
    return part.filled;
  }

  // Show the line that the address names, which a page that was still being worked out has only now, or not at all.
  async reach() {
    const number = Number(/^#L(\d+)$/.exec(location.hash)?.[1]);
    if (!number) return;
    const row = () => document.getElementById(`L${number}`);
    const part = [...this.querySelectorAll("[data-from]")].findLast((one) => Number(one.dataset.from) <= number);
    if (!row() && part) await this.fill(part);
    row()?.scrollIntoView({ block: "center" });
  }

  // Go to the next change, or the one before: from the line in hand, else from what is seen.
  async walk(step) {
    const held = document.activeElement?.closest?.("file-lines tr[id]");
    const side = Node[step > 0 ? "DOCUMENT_POSITION_FOLLOWING" : "DOCUMENT_POSITION_PRECEDING"];
    const lies = (one) => (held ? held.compareDocumentPosition(one) & side : step * one.getBoundingClientRect().bottom > 0);
    const next = () => [...this.querySelectorAll("tr.begins, [data-from]")][step > 0 ? "find" : "findLast"](lies);
    let row = next();
    for (; row?.matches("[data-from]"); row = next()) {
      await this.fill(row);
      if (row.isConnected) return;
    }
    row?.scrollIntoView({ block: "center" });
    row?.querySelector("td.no a").focus({ preventScroll: true });
  }
});
