/** The cursor, the part of the run that is zoomed to, playing, and what keys and pointer do. */
import { data, events, firstEvent, timeText } from "./model.js";
import { drawNetwork, linkText, nodeText, pickNetwork, ramp } from "./network.js";
import { showPanels } from "./panels.js";
import { drawTracks, GUTTER, pickTrack, tracksFor } from "./tracks.js";

const get = (id) => document.getElementById(id);
const state = { t: 0, view: { from: 0, to: data.end }, playing: false, chosen: { flow: null, link: null } };
let colours = ramp();
let tracks = tracksFor(state.view);
let isDrawing = false;

function paint() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    get("time").value = String(Math.round((state.t / data.end) * 10000));
    get("time").setAttribute("aria-valuetext", timeText(state.t));
    get("clock").textContent = timeText(state.t);
    drawNetwork(get("network"), state.t, state.chosen, colours);
    drawTracks(get("tracks"), state.view, state.t, state.chosen, colours, tracks);
    showPanels(state.t, state.chosen);
  });
}

function setTime(t) {
  state.t = Math.max(0, Math.min(data.end, t));
  const { view } = state;
  const span = view.to - view.from;
  // The cursor stays in view.
  if (state.t < view.from) setView(state.t - span * 0.1, state.t + span * 0.9);
  else if (state.t > view.to) setView(state.t - span * 0.1, state.t + span * 0.9);
  paint();
}

function setView(from, to) {
  const span = Math.min(data.end, Math.max(to - from, Math.min(data.end, data.binNs / 4)));
  const begin = Math.max(0, Math.min(data.end - span, from));
  state.view = { from: begin, to: begin + span };
  tracks = tracksFor(state.view);
  get("tracks").style.height = `${tracks.height}px`;
  get("zoom").textContent =
    span >= data.end ? "the whole run" : `${timeText(begin)} to ${timeText(begin + span)}`;
  paint();
}

/** Keeps the instant `at` where it is on the screen. */
function zoom(factor, at = state.t) {
  const { from, to } = state.view;
  setView(at - (at - from) * factor, at + (to - at) * factor);
}

function choose(flow, link) {
  const { chosen } = state;
  state.chosen = {
    flow: flow === chosen.flow ? null : flow,
    link: link === chosen.link ? null : link,
  };
  paint();
}

function jump(way) {
  const index = way > 0 ? firstEvent(state.t + 1) : firstEvent(state.t) - 1;
  if (events[index] !== undefined) setTime(events[index].at);
}

function play(on) {
  state.playing = on;
  get("play").textContent = on ? "Pause" : "Play";
  get("play").setAttribute("aria-pressed", String(on));
  if (!on) return;
  if (state.t >= data.end) setTime(0);
  let last = performance.now();
  const step = (now) => {
    if (!state.playing) return;
    setTime(state.t + ((now - last) / 1000) * Number(get("speed").value));
    last = now;
    if (state.t >= data.end) play(false);
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

const keys = {
  ArrowRight: (event) => setTime(state.t + data.binNs * (event.shiftKey ? 10 : 1)),
  ArrowLeft: (event) => setTime(state.t - data.binNs * (event.shiftKey ? 10 : 1)),
  Home: () => setTime(0),
  End: () => setTime(data.end),
  " ": () => play(!state.playing),
  "+": () => zoom(0.5),
  "-": () => zoom(2),
  0: () => setView(0, data.end),
  n: () => jump(1),
  p: () => jump(-1),
  Escape: () => choose(state.chosen.flow, state.chosen.link),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
  // A button that has the focus is pressed by the space bar.
  if (event.key === " " && event.target instanceof HTMLButtonElement) return;
  const act = keys[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act(event);
});

function tip(event, text) {
  const box = get("tip");
  box.style.display = text === "" ? "none" : "block";
  box.textContent = text;
  box.style.left = `${Math.min(event.clientX + 14, innerWidth - 300)}px`;
  box.style.top = `${event.clientY + 16}px`;
}

function listen() {
  get("time").addEventListener("input", (event) => setTime((event.target.value / 10000) * data.end));
  get("play").addEventListener("click", () => play(!state.playing));
  get("back").addEventListener("click", () => jump(-1));
  get("next").addEventListener("click", () => jump(1));
  get("in").addEventListener("click", () => zoom(0.5));
  get("out").addEventListener("click", () => zoom(2));
  get("all").addEventListener("click", () => setView(0, data.end));
  listenToNetwork(get("network"));
  listenToTracks(get("tracks"));
  for (const id of ["flows", "links", "events"])
    get(id).addEventListener("click", (event) => {
      const row = event.target.closest("[data-flow],[data-link],[data-at]");
      if (row === null) return;
      const { flow, link, at, of } = row.dataset;
      if (at !== undefined) {
        if (of !== undefined) state.chosen = { flow: Number(of), link: null };
        setTime(Number(at));
      } else choose(flow === undefined ? null : Number(flow), link === undefined ? null : Number(link));
    });
  addEventListener("resize", paint);
  addEventListener("hashchange", readAddress);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    colours = ramp();
    paint();
  });
}

function listenToNetwork(canvas) {
  canvas.addEventListener("mousemove", (event) => {
    const found = pickNetwork(canvas, event.offsetX, event.offsetY);
    const text =
      found === null
        ? ""
        : found.node === undefined
          ? linkText(found.direction, state.t)
          : nodeText(found.node, state.t);
    tip(event, text);
  });
  canvas.addEventListener("mouseleave", (event) => tip(event, ""));
  canvas.addEventListener("click", (event) => {
    const found = pickNetwork(canvas, event.offsetX, event.offsetY);
    if (found?.direction !== undefined) choose(null, found.direction);
  });
}

function listenToTracks(canvas) {
  let dragged = null;
  const at = (event) => pickTrack(canvas, state.view, tracks, event.offsetX, event.offsetY);
  canvas.addEventListener("mousemove", (event) => {
    if (dragged !== null && event.buttons === 1) {
      const span = dragged.view.to - dragged.view.from;
      const shift = ((dragged.x - event.offsetX) / (canvas.clientWidth - GUTTER - 8)) * span;
      if (Math.abs(dragged.x - event.offsetX) > 3) dragged.moved = true;
      if (dragged.moved) setView(dragged.view.from + shift, dragged.view.to + shift);
    }
    tip(event, at(event)?.text ?? "");
  });
  canvas.addEventListener("mouseleave", (event) => tip(event, ""));
  canvas.addEventListener("mousedown", (event) => {
    dragged = { x: event.offsetX, view: { ...state.view }, moved: false };
  });
  canvas.addEventListener("click", (event) => {
    const found = dragged?.moved ? null : at(event);
    dragged = null;
    if (found === null) return;
    if (found.flow !== null) state.chosen = { flow: found.flow, link: null };
    else if (found.link !== null) state.chosen = { flow: null, link: found.link };
    setTime(found.time);
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8, at(event)?.time);
    },
    { passive: false },
  );
}

/** `#t=12.5ms&from=10ms&to=20ms`: an address that shows an instant. */
function readAddress() {
  const units = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
  const read = (text) => {
    const [, number, unit] = /^(\d+(?:\.\d+)?)(ns|us|ms|s)$/.exec(text ?? "") ?? [];
    return number === undefined ? null : Number(number) * units[unit];
  };
  const words = new URLSearchParams(location.hash.slice(1));
  const [t, from, to] = ["t", "from", "to"].map((name) => read(words.get(name)));
  if (from !== null && to !== null && from < to) setView(from, to);
  if (t !== null) setTime(t);
}

function speeds() {
  const choices = [60, 20, 10, 5].map((seconds) => [data.end / seconds, `the run in ${seconds} s`]);
  const rates = [
    [1e9, "1 s in 1 s"],
    [1e8, "100 ms in 1 s"],
    [1e7, "10 ms in 1 s"],
    [1e6, "1 ms in 1 s"],
    [1e5, "100 us in 1 s"],
    [1e4, "10 us in 1 s"],
  ].filter(([rate]) => rate < data.end / 2);
  const options = [...choices, ...rates].map(([rate, text]) => `<option value="${rate}">${text}</option>`);
  get("speed").innerHTML = options.join("");
  get("speed").selectedIndex = 1;
}

speeds();
listen();
setView(0, data.end);
readAddress();
paint();
