// Say that events came since this page was made, and show the parts that say they are live (data-live, an id) anew.
const GONE_MS = 500;
const body = document.body;
const notice = Object.assign(document.createElement("p"), { className: "news" });
notice.setAttribute("role", "status");
document.querySelector("header")?.append(notice);

let told = 0;
let source = null;

const workOf = (page) => page.querySelector("main > [data-working]");
const pause = () => new Promise((done) => { setTimeout(done, GONE_MS); });

// The page as it is now; one whose answer is still being worked out, for which the server waited, is handed to
// `meanwhile` and asked for again.
async function fresh(meanwhile) {
  for (;;) {
    const text = await fetch(location.href).then((answer) => answer.text(), () => null);
    const page = new DOMParser().parseFromString(text ?? "", "text/html");
    // Without an answer, the server is gone, or this page is being left.
    notice.textContent = text === null ? "The server does not answer." : "";
    if (text === null) await pause();
    else if (workOf(page)) meanwhile?.(page);
    else return page;
  }
}

// A part keeps still while somebody is at it.
async function renew(parts) {
  const page = await fresh();
  const still = parts.filter((part) => part.contains(document.activeElement));
  for (const part of parts) {
    const next = page.getElementById(part.id);
    if (!still.includes(part) && next) part.replaceWith(document.adoptNode(next));
  }
  if (still.length === 0) body.dataset.events = page.body.dataset.events;
  return still.length === 0;
}

function shows() {
  const link = Object.assign(document.createElement("a"), { href: location.href, textContent: "show" });
  link.dataset.key = ".";
  link.dataset.says = "show what came since";
  link.addEventListener("click", (event) => {
    event.preventDefault();
    location.reload();
  });
  return link;
}

async function hear(events) {
  told = events;
  const count = told - Number(body.dataset.events);
  if (count <= 0) return;
  const parts = [...document.querySelectorAll("[data-live][id]")];
  const done = parts.length > 0 && (await renew(parts));
  const said = `${count.toLocaleString("en")} new event${count === 1 ? "" : "s"}`;
  notice.replaceChildren(...(done ? [`${said}, shown`] : [`${said}: `, shows()]));
}

// A stream takes one of the few connections that a browser has for a server, so a hidden page lets go of its own.
function listen() {
  source?.close();
  source = document.hidden ? null : new EventSource(`/live?after=${told}`);
  source?.addEventListener("message", (event) => hear(JSON.parse(event.data).events));
}

function take(page) {
  document.title = page.title;
  for (const part of ["main", "footer > span"]) {
    document.querySelector(part).replaceWith(document.adoptNode(page.querySelector(part)));
  }
  if (page.body.dataset.events) body.dataset.events = page.body.dataset.events;
  window.dispatchEvent(new Event("resize"));
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

if (workOf(document)) {
  const page = await fresh((next) => workOf(document).replaceWith(document.adoptNode(workOf(next))));
  // Whoever is at what was said last goes on there until asking for the new.
  if (document.querySelector("main").contains(document.activeElement)) {
    workOf(document).replaceChildren("This page is worked out anew: ", shows());
  } else take(page);
}
if (body.dataset.events) {
  told = Number(body.dataset.events);
  document.addEventListener("visibilitychange", listen);
  listen();
}
