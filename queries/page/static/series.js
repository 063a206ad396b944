// Draw a long series so that each value can be read and a stretch of it be looked at closer (drag; a double click shows
// all of it). Without script, and in forced colours, the curve stays that the server drew.
const FOLDER = "/static/vendor/";
const HEIGHT_PX = 220;
let loading;

function load() {
  loading ??= new Promise((onload, onerror) => {
    const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${FOLDER}uPlot.min.css` });
    const script = Object.assign(document.createElement("script"), { src: `${FOLDER}uPlot.iife.min.js`, onload, onerror });
    document.head.append(style, script);
  });
  return loading;
}

customElements.define("long-series", class extends HTMLElement {
  async connectedCallback() {
    if (matchMedia("(forced-colors: active)").matches) return;
    await load();
    const { uPlot } = window;
    const colour = (name) => getComputedStyle(this).getPropertyValue(name);
    const axis = { stroke: colour("--faint"), grid: { stroke: colour("--rule"), width: 1 } };
    const size = () => ({ width: this.clientWidth, height: HEIGHT_PX });
    this.replaceChildren();
    const plot = new uPlot({
      ...size(),
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
      axes: [axis, axis],
      series: [{ label: "day", value: "{YYYY}-{MM}-{DD}" }, { label: this.dataset.of, stroke: colour("--ai"), width: 1.5 }],
    }, JSON.parse(this.dataset.series), this);
    new ResizeObserver(() => plot.setSize(size())).observe(this);
  }
});
