"use strict";
// The timelines of the page: canvases that draw slices where they are wide enough, and the share of busy time
// of each column of pixels where they are not. A click goes to the line, a pointer tells what lies under it.

const LEFT = 118, RIGHT = 10, TOP = 22, LANE = 24, HEAD = 20, WAIT = 4;
const number = (value) => Math.round(value).toLocaleString("en");
const percent = (value) => `${Math.round(100 * value)}%`;
const make = (tag, text, attributes = {}) => {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  return element;
};

// --- data ------------------------------------------------------------------------------------------------

/** The columns of whole numbers that page.py packed: 32 bits each, deflated, as base64. */
async function unpack(packed, names) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const all = new Int32Array(await new Response(stream).arrayBuffer());
  const length = all.length / names.length;
  return Object.fromEntries(names.map((name, n) => [name, all.subarray(n * length, (n + 1) * length)]));
}

/** First index of a sorted array whose value is at least `value`. */
function lowerBound(values, value) {
  let low = 0, high = values.length;
  while (low < high) { const middle = (low + high) >> 1; if (values[middle] < value) low = middle + 1; else high = middle; }
  return low;
}

class Lane {
  constructor(core, pipe) {
    this.core = core;
    this.pipe = pipe;
    this.ids = [];
  }
  /** Columns of this lane alone, and the cycles that it worked before each slice. */
  finish(start, end) {
    this.start = Float64Array.from(this.ids, (id) => start[id]);
    this.end = Float64Array.from(this.ids, (id) => end[id]);
    this.before = new Float64Array(this.ids.length + 1);
    for (let n = 0; n < this.ids.length; n++) this.before[n + 1] = this.before[n] + this.end[n] - this.start[n];
  }
  /** Cycles of work from the beginning to a time. */
  busyUntil(time) {
    const n = lowerBound(this.end, time);
    return this.before[n] + (n < this.ids.length ? Math.max(0, time - this.start[n]) : 0);
  }
}

// --- a timeline ------------------------------------------------------------------------------------------

class Timeline {
  constructor(box, data, slices, arrows) {
    Object.assign(this, { box, data });
    const scale = data.scale, count = slices.lane.length;
    this.lanes = data.lanes.map(([core, pipe]) => new Lane(core, pipe));
    this.work = slices.work;
    this.laneOf = slices.lane;
    this.critical = slices.critical;
    this.start = new Float64Array(count);
    this.end = new Float64Array(count);
    this.turn = new Int32Array(count);
    this.waits = data.stalls.map((name) => slices[name]);
    const ended = new Array(this.lanes.length).fill(0), turns = new Map();
    for (let id = 0; id < count; id++) {
      const lane = slices.lane[id], start = ended[lane] + slices.gap[id];
      ended[lane] = start + slices.cycles[id];
      this.start[id] = start / scale;
      this.end[id] = ended[lane] / scale;
      const key = slices.work[id] * this.lanes.length + lane;
      turns.set(key, this.turn[id] = (turns.get(key) || 0) + 1);
      this.lanes[lane].ids.push(id);
    }
    for (const lane of this.lanes) lane.finish(this.start, this.end);
    this.arrows = [];
    for (let n = 0, source = 0; n < arrows.source.length; n++) {
      source += arrows.source[n];
      this.arrows.push([source, source + arrows.reach[n], arrows.label[n]]);
    }
    this.total = Math.max(1, data.total);
    [this.from, this.to, this.selected, this.found, this.hot] = [0, this.total, null, null, 0];
    this.canvas = make("canvas", undefined, { role: "img", "aria-label": "timeline" });
    this.scroll = make("div", undefined, { class: "scroll" });
    this.scroll.append(this.canvas);
    this.tools();
    box.append(this.scroll);
    this.sums = make("div", undefined, { class: "sums" });
    box.append(this.sums);
    this.listen();
    this.draw();
  }

  tools() {
    const bar = make("div", undefined, { class: "tools" });
    for (const [text, factor] of [["+", 0.5], ["−", 2], ["all", 0]]) {
      const button = make("button", text, { type: "button", "data-zoom": factor });
      button.addEventListener("click", () => factor ? this.zoom(factor, (this.from + this.to) / 2) : this.view(0, this.total));
      bar.append(button);
    }
    this.search = make("input", undefined, { type: "search", placeholder: "instruction, line or tile", "aria-label": "search" });
    this.search.addEventListener("input", () => this.find(this.search.value));
    this.search.addEventListener("keydown", (event) => { if (event.key === "Enter") this.next(); });
    this.hits = make("span", "", { class: "dim hits" });
    this.span = make("span", "", { class: "dim span" });
    bar.append(this.search, this.hits, this.span);
    this.box.append(bar);
  }

  // --- what is in view ---

  x(time) { return LEFT + (time - this.from) * (this.width - LEFT - RIGHT) / (this.to - this.from); }
  time(x) { return this.from + (x - LEFT) * (this.to - this.from) / (this.width - LEFT - RIGHT); }
  view(low, high) {
    const size = Math.min(Math.max(high - low, 2), this.total);
    this.from = Math.min(Math.max(0, low), this.total - size);
    this.to = this.from + size;
    this.draw();
    for (const other of timelines) if (other !== this && other.linked) other.follow(this);
  }
  follow(other) {
    [this.from, this.to] = [other.from, other.to];
    this.draw();
  }
  zoom(factor, at) { this.view(at - (at - this.from) * factor, at + (this.to - at) * factor); }

  // --- drawing ---

  layout() {
    const several = new Set(this.lanes.map((lane) => lane.core)).size > 1;
    let y = TOP, core = null;
    this.heads = [];
    for (const lane of this.lanes) {
      if (several && lane.core !== core) { this.heads.push([lane.core, y]); y += HEAD; }
      core = lane.core;
      lane.y = y;
      y += LANE;
    }
    return y + 4;
  }

  draw() {
    const ratio = window.devicePixelRatio || 1, canvas = this.canvas;
    this.width = Math.max(480, this.box.clientWidth - 16);
    this.height = this.layout();
    canvas.style.width = `${this.width}px`;
    canvas.style.height = `${this.height}px`;
    [canvas.width, canvas.height] = [this.width * ratio, this.height * ratio];
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const pen = this.pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "12px system-ui,'DejaVu Sans',sans-serif";
    pen.textBaseline = "middle";
    this.grid();
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, this.width - LEFT - RIGHT, this.height);
    pen.clip();
    this.drawn = 0;
    for (const lane of this.lanes) this.lane(lane);
    this.drawArrows();
    if (this.selected) this.drawSelection();
    pen.restore();
    this.span.textContent = `${number(this.from)} to ${number(this.to)} cycles, ${((this.to - this.from) / this.data.mhz).toLocaleString("en", { maximumFractionDigits: 3 })} µs`;
    this.table();
  }

  grid() {
    const pen = this.pen, ink = this.colour("ink"), dim = this.colour("dim");
    pen.fillStyle = dim;
    pen.fillText("cycles", 4, 9);
    pen.strokeStyle = this.colour("line");
    pen.textAlign = "center";
    for (const at of ticks(this.from, this.to)) {
      const x = Math.round(this.x(at)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, TOP - 4);
      pen.lineTo(x, this.height);
      pen.stroke();
      pen.fillText(number(at), x, 9);
    }
    pen.textAlign = "left";
    pen.fillStyle = ink;
    for (const [name, y] of this.heads) pen.fillText(name, 4, y + HEAD / 2);
    const end = Math.max(this.from + 1, Math.min(this.to, this.data.total));
    for (const lane of this.lanes) {
      const busy = (lane.busyUntil(end) - lane.busyUntil(this.from)) / (end - this.from);
      pen.fillStyle = ink;
      pen.fillText(lane.pipe, 4, lane.y + LANE / 2);
      pen.fillStyle = dim;
      pen.textAlign = "right";
      pen.fillText(percent(busy), LEFT - 6, lane.y + LANE / 2);
      pen.textAlign = "left";
      pen.fillStyle = this.colour("raised");
      pen.fillRect(LEFT, lane.y, this.width - LEFT - RIGHT, LANE - 2);
    }
  }

  lane(lane) {
    const first = lowerBound(lane.end, this.from), last = lowerBound(lane.start, this.to);
    if (last - first > (this.width - LEFT - RIGHT) / 3) this.columns(lane, first, last);
    else for (let n = first; n < last; n++) this.slice(lane, lane.ids[n]);
  }

  /** More slices than fit: how busy the pipe is in each column of pixels. */
  columns(lane, first, last) {
    const pen = this.pen, y = lane.y + 1, colour = this.colour(lane.pipe);
    let before = lane.busyUntil(this.from);
    for (let x = LEFT; x < this.width - RIGHT; x++) {
      const until = lane.busyUntil(this.time(x + 1)), share = (until - before) / (this.time(x + 1) - this.time(x));
      before = until;
      if (share <= 0) continue;
      pen.globalAlpha = 0.15 + 0.85 * Math.min(1, share);
      pen.fillStyle = colour;
      pen.fillRect(x, y, 1, LANE - 4);
      this.drawn++;
    }
    pen.globalAlpha = 1;
    if (!this.found) return;
    pen.fillStyle = this.colour("warm");
    for (let n = first; n < last; n++) if (this.found.has(this.work[lane.ids[n]])) pen.fillRect(this.x(lane.start[n]), y + LANE - 7, 1, 3);
  }

  slice(lane, id) {
    const pen = this.pen, y = lane.y + 1, x = this.x(this.start[id]), width = Math.max(0.7, this.x(this.end[id]) - x);
    const [line, name] = this.data.works[this.work[id]];
    this.drawn++;
    this.waitsOf(id).forEach(([kind, low, high]) => {
      pen.fillStyle = this.colour(`wait-${kind}`);
      pen.fillRect(this.x(low), lane.y + LANE / 2 - WAIT / 2, Math.max(0, this.x(high) - this.x(low)), WAIT);
    });
    pen.globalAlpha = this.found && !this.found.has(this.work[id]) ? 0.25 : 1;
    pen.fillStyle = this.colour(lane.pipe);
    pen.fillRect(x, y, width, LANE - 4);
    pen.globalAlpha = 1;
    if (line === this.hot || (this.critical[id] && width > 3)) {
      pen.strokeStyle = this.colour(line === this.hot ? "warm" : "ink");
      pen.lineWidth = line === this.hot ? 2 : 1.2;
      pen.strokeRect(x + 0.5, y + 0.5, Math.max(0.5, width - 1), LANE - 5);
      pen.lineWidth = 1;
    }
    const left = Math.max(x, LEFT), room = Math.floor((Math.min(x + width, this.width - RIGHT) - left - 6) / 6.6);
    if (room < 3) return;
    pen.fillStyle = "#fff";
    pen.fillText(name.length <= room ? name : `${name.slice(0, room - 1)}…`, left + 4, lane.y + LANE / 2 - 1);
  }

  drawArrows() {
    const seen = this.arrows.filter(([a, b]) => this.end[a] <= this.to && this.start[b] >= this.from && this.end[a] >= this.from && this.start[b] <= this.to);
    this.shown = seen.length <= 300 ? seen : [];
    this.pen.strokeStyle = this.colour("dim");
    for (const [a, b] of this.shown) {
      const x1 = this.x(this.end[a]), x2 = this.x(this.start[b]), y1 = this.lanes[this.laneOf[a]].y + LANE / 2, y2 = this.lanes[this.laneOf[b]].y + LANE / 2;
      this.pen.beginPath();
      this.pen.moveTo(x1, y1);
      this.pen.bezierCurveTo(x1 + 10, y1, x2 - 10, y2, x2, y2);
      this.pen.stroke();
    }
  }

  drawSelection() {
    const [low, high] = this.selected;
    this.pen.fillStyle = this.colour("warm");
    this.pen.globalAlpha = 0.18;
    this.pen.fillRect(this.x(low), TOP - 4, this.x(high) - this.x(low), this.height);
    this.pen.globalAlpha = 1;
  }

  // --- sums ---

  /** What the pipe waited for before a slice: name, from, to. */
  waitsOf(id) {
    const found = [], waited = this.waits.reduce((sum, column) => sum + column[id], 0) / this.data.scale;
    let at = this.start[id] - waited;
    this.waits.forEach((column, kind) => {
      if (!column[id]) return;
      const cycles = column[id] / this.data.scale;
      found.push([this.data.stalls[kind], at, at + cycles]);
      at += cycles;
    });
    return found;
  }

  /** Cycles of a lane in a range: its work, each reason to stand still, and the rest. */
  sum(lane, low, high) {
    const found = { busy: lane.busyUntil(high) - lane.busyUntil(low) };
    for (const kind of this.data.stalls) found[kind] = 0;
    for (let n = lowerBound(lane.end, low); n < lane.ids.length; n++) {
      const waits = this.waitsOf(lane.ids[n]);
      if ((waits.length ? waits[0][1] : lane.start[n]) >= high) break;
      for (const [kind, from, to] of waits) found[kind] += Math.max(0, Math.min(to, high) - Math.max(from, low));
    }
    found.idle = Math.max(0, high - low - Object.values(found).reduce((sum, cycles) => sum + cycles, 0));
    return found;
  }

  table() {
    const [low, high] = this.selected || [0, 0];
    const key = this.selected ? `${low} ${high}` : "";
    if (key === this.summed) return;
    this.summed = key;
    this.sums.replaceChildren();
    if (!this.selected) return;
    const head = make("tr"), table = make("table");
    const columns = ["busy", ...this.data.stalls, "idle"];
    head.append(make("th", `${number(low)} to ${number(high)}: ${number(high - low)} cycles`), ...columns.map((name) => make("th", name, { class: "n" })));
    table.append(head);
    for (const lane of this.lanes) {
      const sums = this.sum(lane, low, high), row = make("tr");
      const title = lane.pipe === "S" ? "S, without issue" : lane.pipe;
      row.append(make("td", this.heads.length ? `${lane.core} ${title}` : title), ...columns.map((name) => make("td", number(sums[name]), { class: "n" })));
      table.append(row);
    }
    this.sums.append(table);
  }
  select(low, high) {
    this.selected = high > low ? [Math.max(0, low), Math.min(this.total, high)] : null;
    this.draw();
  }

  // --- search ---

  find(words) {
    const wanted = words.trim().toLowerCase();
    const isLine = /^\d+$/.test(wanted);
    this.found = wanted ? new Set(this.data.works.flatMap(([line, , tip], n) =>
      (isLine ? String(line) === wanted : tip.toLowerCase().includes(wanted)) ? [n] : [])) : null;
    this.matches = this.found ? [...this.start.keys()].filter((id) => this.found.has(this.work[id])) : [];
    const cycles = this.matches.reduce((sum, id) => sum + this.end[id] - this.start[id], 0);
    this.hits.textContent = wanted ? `${number(this.matches.length)} slices, ${number(cycles)} cycles` : "";
    this.draw();
  }
  /** Go to the next match after the middle of the view. */
  next() {
    if (!this.matches || !this.matches.length) return;
    const middle = (this.from + this.to) / 2;
    const id = this.matches.find((each) => this.start[each] > middle + 1e-6) ?? this.matches[0];
    const size = Math.min(this.to - this.from, 40 * (this.end[id] - this.start[id]) + 100), at = this.start[id];
    this.view(at - size / 2, at + size / 2);
  }

  // --- the pointer ---

  /** The slice, or the arrow's label, under a place of the canvas. */
  under(x, y) {
    const lane = this.lanes.find((each) => y >= each.y && y < each.y + LANE);
    if (!lane || x < LEFT) return null;
    const time = this.time(x), near = 2 * (this.to - this.from) / this.width, n = lowerBound(lane.end, time - near);
    return n < lane.ids.length && lane.start[n] <= time + near ? lane.ids[n] : null;
  }
  tip(id) {
    const [line, , words] = this.data.works[this.work[id]], waits = this.waitsOf(id);
    const waited = waits.map(([kind, low, high]) => `\nwaited ${number(high - low)} cycles: ${kind}`).join("");
    const flags = this.shown.filter(([, target]) => target === id).map(([, , label]) => `\nafter ${this.data.labels[label]}`).join("");
    return `line ${line}, cycles ${number(this.start[id])} to ${number(this.end[id])}, execution ${this.turn[id]}${waited}${flags}\n${words}`;
  }

  listen() {
    let grabbed = null;
    const place = (event) => { const box = this.canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.time(place(event)[0]));
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => {
      grabbed = { x: event.clientX, at: this.time(place(event)[0]), from: this.from, to: this.to, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      if (!grabbed) { const id = this.under(x, y); tell(event, id === null ? "" : this.tip(id)); return; }
      const shift = event.clientX - grabbed.x;
      grabbed.moved = grabbed.moved || Math.abs(shift) > 4;
      if (!grabbed.moved) return;
      tell(event, "");
      const time = shift / (this.width - LEFT - RIGHT) * (grabbed.to - grabbed.from);
      if (event.shiftKey) { const at = this.time(x); this.select(Math.min(at, grabbed.at), Math.max(at, grabbed.at)); }
      else this.view(grabbed.from - time, grabbed.to - time);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const moved = grabbed && grabbed.moved, id = this.under(...place(event));
      grabbed = null;
      if (moved) return;
      if (id !== null) goTo(this.data.works[this.work[id]][0], this.data.prefix);
      else this.select(0, 0);
    });
    this.canvas.addEventListener("pointerleave", (event) => tell(event, ""));
  }
}

function ticks(low, high) {
  const rough = (high - low) / 8, unit = 10 ** Math.floor(Math.log10(rough)), found = [];
  const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= rough);
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(at);
  return found;
}

// --- the page around them --------------------------------------------------------------------------------

const timelines = [];
const tipBox = document.getElementById("tip");
function tell(event, words) {
  tipBox.hidden = !words;
  if (!words) return;
  tipBox.textContent = words;
  tipBox.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - tipBox.offsetWidth - 8))}px`;
  tipBox.style.top = `${Math.max(4, Math.min(event.clientY + 16, window.innerHeight - tipBox.offsetHeight - 8))}px`;
}
document.addEventListener("pointermove", (event) => {
  if (event.target.tagName === "CANVAS") return;
  const over = event.target.closest && event.target.closest("[data-tip]");
  tell(event, over ? over.dataset.tip : "");
});

function goTo(line, prefix = "") {
  const row = document.getElementById(`L${prefix}${line}`);
  for (const hot of document.querySelectorAll(".l.hot")) hot.classList.remove("hot");
  if (row) { row.classList.add("hot"); row.scrollIntoView({ block: "center" }); }
  for (const timeline of timelines) if (timeline.data.prefix === prefix) { timeline.hot = line; timeline.draw(); }
}
document.addEventListener("click", (event) => {
  const place = event.target.closest("[data-line]");
  if (place) { event.preventDefault(); goTo(Number(place.dataset.line), place.dataset.prefix || ""); return; }
  const row = event.target.closest(".l");
  if (row) for (const timeline of timelines) { timeline.hot = Number(row.dataset.number); timeline.draw(); }
});
document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches, root = document.documentElement;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  for (const timeline of timelines) timeline.draw();
});
window.addEventListener("resize", () => { for (const timeline of timelines) timeline.draw(); });

async function main() {
  for (const element of document.querySelectorAll("script[type='application/json']")) {
    const data = JSON.parse(element.textContent);
    const slices = await unpack(data.slices, ["lane", "work", "gap", "cycles", "critical", ...data.stalls]);
    const arrows = await unpack(data.arrows, ["source", "reach", "label"]);
    const timeline = new Timeline(document.getElementById(data.box), data, slices, arrows);
    timelines.push(timeline);
  }
  if (timelines.length > 1) {
    // Side by side means one scale.
    const total = Math.max(...timelines.map((each) => each.total));
    for (const each of timelines) { each.total = total; each.linked = true; each.view(0, total); }
  }
  document.documentElement.dataset.ready = "yes";
}
main();
