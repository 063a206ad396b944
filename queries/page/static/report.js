// Open the packed pages of a report where a link leads to them, or all of them, as a printer wants it.
const packed = () => [...document.querySelectorAll("section[data-packed]")];

async function unpack(section) {
  const source = document.getElementById(section.dataset.packed);
  delete section.dataset.packed;
  const bytes = Uint8Array.from(atob(source.textContent), (sign) => sign.charCodeAt(0));
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  section.append(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
  section.hidden = false;
  source.remove();
  window.dispatchEvent(new Event("resize"));
}

async function go() {
  const place = decodeURIComponent(location.hash.slice(1));
  const section = document.getElementById(place.split("-")[0]);
  if (!section?.matches("[data-packed]")) return;
  await unpack(section);
  const target = document.getElementById(place) ?? section;
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView();
  location.replace(location.hash); // so that :target is what was asked for
}

if (packed().length > 0) {
  const all = document.createElement("button");
  all.type = "button";
  all.textContent = `Open all ${packed().length} packed pages`;
  all.addEventListener("click", async () => {
    all.remove();
    for (const section of packed()) await unpack(section);
  });
  document.querySelector("footer").append(all);
  window.addEventListener("hashchange", go);
  go();
}
