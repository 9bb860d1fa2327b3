"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const LEFT = 128, LANE = 24, TOP = 22;
const svg = (name, attributes, words) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (words !== undefined) made.textContent = words;
  return made;
};
const number = (value) => Math.round(value).toLocaleString("en");

// --- what a pointer is told ------------------------------------------------------------------------
const tip = document.getElementById("tip");
function tell(event, words) {
  tip.hidden = !words;
  if (!words) return;
  tip.textContent = words;
  const { innerWidth: w, innerHeight: h } = window;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, w - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 16, h - tip.offsetHeight - 8)) + "px";
}
document.addEventListener("pointermove", (event) => {
  const over = event.target.closest && event.target.closest("[data-tip]");
  tell(event, over && !dragging ? over.dataset.tip : "");
});

// --- going to a line -------------------------------------------------------------------------------
function goTo(line) {
  const row = document.getElementById("L" + line);
  if (!row) return;
  for (const hot of document.querySelectorAll(".l.hot")) hot.classList.remove("hot");
  row.classList.add("hot");
  row.scrollIntoView({ block: "center" });
  hotLine = line;
  draw();
}
document.addEventListener("click", (event) => {
  const place = event.target.closest("[data-line]");
  if (place && !moved) { event.preventDefault(); goTo(Number(place.dataset.line)); return; }
  const row = event.target.closest(".l");
  if (row) { hotLine = Number(row.id.slice(1)); draw(); }
});

// --- the timeline ----------------------------------------------------------------------------------
const box = document.getElementById("timeline"), span = document.getElementById("span");
const byLane = data.lanes.map(() => []);
data.lane.forEach((lane, n) => byLane[lane].push(n));
const critical = new Set(data.critical);
const rows = [];  // the y of each lane, with a heading where a core begins
let height = TOP, core = null;
data.lanes.forEach(([name]) => {
  if (name !== core && new Set(data.lanes.map((lane) => lane[0])).size > 1) { rows.heads = rows.heads || []; rows.heads.push([name, height]); height += 20; }
  core = name;
  rows.push(height);
  height += LANE;
});
height += 6;
let from = 0, to = Math.max(1, data.total), hotLine = 0, dragging = false, moved = false, width = 900;

function ticks(low, high) {
  const rough = (high - low) / 8, unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= rough), found = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(at);
  return found;
}
function firstVisible(lane) {
  let low = 0, high = lane.length;
  while (low < high) { const mid = (low + high) >> 1; if (data.end[lane[mid]] < from) low = mid + 1; else high = mid; }
  return low;
}
function draw() {
  if (!data.lanes.length) return;
  width = Math.max(480, box.clientWidth - 14);
  const scale = (width - LEFT - 10) / (to - from), x = (time) => LEFT + (time - from) * scale;
  const whole = svg("svg", { class: "ptoas", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "timeline" });
  const clip = svg("clipPath", { id: "inside" });
  clip.append(svg("rect", { x: LEFT, y: 0, width: width - LEFT - 10, height }));
  whole.append(clip);
  for (const at of ticks(from, to)) {
    whole.append(svg("line", { x1: x(at), x2: x(at), y1: TOP - 4, y2: height, class: "grid" }));
    whole.append(svg("text", { x: x(at), y: 13, class: "dim small", "text-anchor": "middle" }, number(at)));
  }
  for (const [name, y] of rows.heads || []) whole.append(svg("text", { x: 4, y: y + 14, class: "title" }, name));
  const slices = svg("g", { "clip-path": "url(#inside)" }), labels = svg("g", { "clip-path": "url(#inside)", "pointer-events": "none" });
  data.lanes.forEach(([, pipe], lane) => {
    const y = rows[lane], all = byLane[lane];
    whole.append(svg("text", { x: 4, y: y + 15 }, pipe));
    whole.append(svg("rect", { x: LEFT, y, width: width - LEFT - 10, height: LANE - 2, class: "lane" }));
    const colour = `var(--${pipe})`;
    for (let n = firstVisible(all); n < all.length && data.start[all[n]] <= to; n++) {
      const id = all[n], start = x(data.start[id]);
      let end = x(data.end[id]), last = n;
      // What is narrower than a point is drawn together.
      let busy = end - start;
      if (busy < 1) while (last + 1 < all.length && x(data.end[all[last + 1]]) - start < 2) {
        busy += (data.end[all[++last]] - data.start[all[last]]) * scale;
        end = x(data.end[all[last]]);
      }
      const [line, name, words] = data.works[data.work[id]], many = last > n;
      const turn = data.turns[id] ? `\nturn ${data.turns[id]}` : "";
      const rect = svg("rect", {
        x: start, y: y + 1, width: Math.max(end - start, 0.7), height: LANE - 4, fill: colour, ...(last > n ? { opacity: 0.2 + 0.8 * Math.min(1, busy / (end - start)) } : { rx: 2 }),
        class: "slice" + (critical.has(id) && !many ? " critical" : "") + (line === hotLine ? " hot" : ""),
        "data-line": line, "data-id": id,
        "data-tip": many ? `${last - n + 1} instructions from line ${line}` : `line ${line}, cycles ${number(data.start[id])} to ${number(data.end[id])}${turn}\n${words}`,
      });
      slices.append(rect);
      const left = Math.max(start, LEFT), room = Math.floor((Math.min(end, width - 10) - left - 6) / 6.3);
      if (!many && room > 2) labels.append(svg("text", { x: left + 4, y: y + 15, class: "on" }, name.length <= room ? name : name.slice(0, room - 1) + "…"));
      n = last;
    }
  });
  whole.append(slices, labels);
  const seen = data.arrows.filter(([a, b]) => data.end[a] <= to && data.start[b] >= from && data.end[a] >= from && data.start[b] <= to);
  if (seen.length <= 400) {
    const arrows = svg("g", { "clip-path": "url(#inside)" });
    for (const [a, b, label] of seen) {
      const x1 = x(data.end[a]), x2 = x(data.start[b]), y1 = rows[data.lane[a]] + LANE / 2, y2 = rows[data.lane[b]] + LANE / 2;
      const path = svg("path", { d: `M${x1} ${y1}C${x1 + 10} ${y1} ${x2 - 10} ${y2} ${x2} ${y2}`, class: "arrow", "data-tip": data.labels[label] });
      arrows.append(path);
    }
    whole.append(arrows);
  }
  whole.append(svg("text", { x: 4, y: 13, class: "dim small" }, "cycles"));
  const old = box.querySelector("svg"), style = box.querySelector("style");
  if (style) whole.prepend(style.cloneNode(true));
  if (old) old.replaceWith(whole); else box.append(whole);
  const rest = data.left ? `; ${number(data.left)} later slices are not shown` : "";
  span.textContent = `${number(from)} to ${number(to)} cycles, ${((to - from) / data.mhz).toPrecision(3)} µs${rest}`;
}
function view(low, high) {
  const least = 2, most = Math.max(1, data.total);
  const size = Math.min(Math.max(high - low, least), most);
  from = Math.min(Math.max(0, low), most - size);
  to = from + size;
  draw();
}
const zoom = (factor, at) => view(at - (at - from) * factor, at + (to - at) * factor);
const timeAt = (event) => from + (event.clientX - box.querySelector("svg").getBoundingClientRect().left - LEFT) / (width - LEFT - 10) * (to - from);
for (const button of document.querySelectorAll("[data-zoom]"))
  button.addEventListener("click", () => { const factor = Number(button.dataset.zoom); if (factor) zoom(factor, (from + to) / 2); else view(0, data.total); });
box.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(event));
}, { passive: false });
let grabbed = null;
box.addEventListener("pointerdown", (event) => { grabbed = { x: event.clientX, from, to }; moved = false; });
window.addEventListener("pointermove", (event) => {
  if (!grabbed) return;
  const shift = event.clientX - grabbed.x;
  if (Math.abs(shift) > 4) { dragging = moved = true; const time = shift / (width - LEFT - 10) * (grabbed.to - grabbed.from); view(grabbed.from - time, grabbed.to - time); }
});
window.addEventListener("pointerup", () => { grabbed = null; dragging = false; setTimeout(() => { moved = false; }, 0); });
window.addEventListener("resize", draw);
document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches, root = document.documentElement;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
});
draw();
