/** Writes the page and the rows of a record into the folder of the results. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeMarkup, given, htmlPage } from "../../../../base/index.js";
import { packageFile } from "../../../../toolchain/loading/index.js";
import { OutputFile } from "../output-file.js";
import { EVENT_KINDS, type RecordedFlow, type RunRecord } from "./record.js";

/** `timelines/NAME.html` and `timelines/NAME.jsonl`. Throws DiagnosticError P43011. */
export function writeTimeline(record: RunRecord, folder: string, name: string): void {
  const page = new OutputFile(join(folder, "timelines", `${name}.html`));
  try {
    page.write(Buffer.from(timelinePage(record)));
  } finally {
    page.close();
  }
  const rows = new OutputFile(join(folder, "timelines", `${name}.jsonl`));
  try {
    for (const line of timelineLines(record)) rows.write(Buffer.from(line));
  } finally {
    rows.close();
  }
}

// The timeline page of a run: one HTML file that loads no other file and needs no network. Its scripts and its style are in `pages/timeline`.

/** Modules without common names: joined in this order, without imports and exports, they are one script. */
const SCRIPTS = ["model.js", "network.js", "tracks.js", "panels.js", "main.js"];

export function timelinePage(record: RunRecord): string {
  const { title, scheme, engine, seed, end, notes } = record;
  const facts = `${scheme} · engine ${engine} · seed ${seed} · ${end / 1e6} ms · ${record.flows.length} flows`;
  const script = SCRIPTS.map((name) => linked(read(name))).join("\n");
  return htmlPage(`${title}: ${scheme}`, read("style.css"), [
    "<main>",
    `<h1>${escapeMarkup(title)}</h1>`,
    `<p class="quiet">${escapeMarkup(facts)}</p>`,
    ...notes.map((note) => `<p class="quiet">${escapeMarkup(note)}</p>`),
    CONTROLS,
    BODY,
    `<p class="quiet">${KEYS}</p>`,
    "</main>",
    '<div id="tip" role="tooltip"></div>',
    `<script type="application/json" id="data">${pageData(record)}</script>`,
    `<script>"use strict";(() => {\n${script}\n})();</script>`,
  ]);
}

function linked(module: string): string {
  return module.replace(/^import [^;]*;\n/gm, "").replace(/^export /gm, "");
}

function read(name: string): string {
  return readFileSync(packageFile(`pages/timeline/${name}`), "utf8");
}

const CONTROLS = `<div class="controls">
<button id="play" aria-pressed="false">Play</button>
<select id="speed" aria-label="speed"></select>
<span id="clock"></span>
<input type="range" id="time" min="0" max="10000" step="1" value="0" aria-label="time">
<button id="back" title="previous event (p)">&#9664; event</button>
<button id="next" title="next event (n)">event &#9654;</button>
<button id="out" aria-label="zoom out">&#8722;</button>
<button id="in" aria-label="zoom in">+</button>
<button id="all">whole run</button>
<span class="quiet" id="zoom"></span>
</div>
<p id="now" aria-live="off"></p>`;

const BODY = `<div class="row">
<div class="card"><canvas id="network" tabindex="0" aria-label="the network at the time of the cursor"></canvas></div>
<div class="card"><h2>What happens</h2><div class="scroll" style="max-height:400px"><ol id="events"></ol></div></div>
</div>
<div class="card"><canvas id="tracks" tabindex="0" aria-label="the run over time"></canvas></div>
<div class="panels" style="grid-template-columns:minmax(0,2fr) minmax(0,1fr)">
<div class="card"><h2>Flows in flight</h2><div class="scroll"><table><thead><tr><th>flow</th><th class="word">from &gt; to</th><th>size</th><th>for</th><th>timeouts</th><th>sent again</th><th>ways</th></tr></thead><tbody id="flows"></tbody></table></div><p class="quiet" id="flows-more"></p></div>
<div class="card"><h2>Links and the queues in front of them</h2><div class="scroll"><table><thead><tr><th>link</th><th>use</th><th>waits</th></tr></thead><tbody id="links"></tbody></table></div></div>
</div>`;

const KEYS = `Keys: <kbd>space</kbd> plays, <kbd>&larr;</kbd> <kbd>&rarr;</kbd> move by one bin (with <kbd>shift</kbd>: ten), <kbd>n</kbd> <kbd>p</kbd> next and previous event, <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom, <kbd>home</kbd> <kbd>end</kbd>, <kbd>esc</kbd> chooses nothing. On the tracks: click sets the time, drag moves, <kbd>ctrl</kbd> with the wheel zooms. Values of links and queues are those of the bin under the cursor: mean use, greatest queue. An address with <code>#t=12.5ms&amp;from=10ms&amp;to=20ms</code> shows that instant.`;

// A record as the data of its page: short keys, columns, bins as bytes in base64. `pages/timeline/model.js` reads them.

/** JSON that is safe inside an element of a page. */
function pageData(record: RunRecord): string {
  const texts = new Map<string, number>();
  const textOf = (text: string) => numberOf(texts, text);
  const data = {
    end: Math.round(record.end),
    binNs: record.binNs,
    bins: record.bins,
    nodes: record.nodes.map(({ name, tier, x, y }) => [name, tier, x, y]),
    links: record.links.map(({ a, b, rateBps }) => [a, b, rateBps]),
    use: record.use.map((shares) => (shares === undefined ? 0 : levels(shares, 1))),
    queues: (record.queues ?? []).map(({ node, port, direction, bytes }) => {
      const most = Math.max(...bytes);
      return [node, port, direction, most, levels(bytes, most)];
    }),
    ...flowColumns(record.flows),
    faults: record.faults.map(({ text, from, to, node, link }) => ({
      text,
      from: Math.round(from),
      to: to === undefined ? null : Math.round(to),
      node: node ?? null,
      link: link ?? null,
    })),
    kinds: EVENT_KINDS,
    events: record.events.map(({ at, kind, text, node = -1, link = -1, flow = -1, count = 1 }) => [
      Math.round(at),
      EVENT_KINDS.indexOf(kind),
      textOf(text),
      node,
      link,
      flow,
      count,
    ]),
    counts: Object.fromEntries(
      Object.entries(record.counts).map(([kind, counts]) => [kind, Array.from(counts)]),
    ),
    // After the events, which fill it.
    texts: [...texts.keys()],
  };
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}

/** Columns; -1 for a missing value. Each path is stored once. */
function flowColumns(flows: readonly RecordedFlow[]) {
  const ways = new Map<string, number>();
  const wayOf = (directions: readonly number[]) => numberOf(ways, directions.join());
  const paths = flows.map((flow) =>
    (flow.paths ?? []).flatMap(([at, directions]) => [Math.round(at), wayOf(directions)]),
  );
  const column = (of: (flow: RecordedFlow) => number | undefined) =>
    flows.map((flow) => Math.round(of(flow) ?? -1));
  const known = (key: "retransmissions" | "moves") =>
    flows.some((flow) => flow[key] !== undefined) ? { [key]: column((flow) => flow[key]) } : {};
  return {
    flows: {
      number: column(({ number }) => number),
      from: column(({ from }) => from),
      to: column(({ to }) => to),
      start: column(({ start }) => start),
      end: column(({ end }) => end),
      bytes: column(({ bytes }) => bytes),
      timeouts: column(({ timeouts }) => timeouts),
      ...known("retransmissions"),
      ...known("moves"),
      paths,
    },
    ways: [...ways.keys()].map((text) => text.split(",").map(Number)),
  };
}

function numberOf(known: Map<string, number>, text: string): number {
  const number = known.get(text) ?? known.size;
  known.set(text, number);
  return number;
}

/** One byte for each bin; 255 stands for `most`. A value above 0 never becomes 0. */
function levels(values: Float64Array, most: number): string {
  const bytes = Buffer.alloc(values.length);
  for (const [i, value] of values.entries())
    bytes[i] = value <= 0 ? 0 : Math.max(1, Math.min(255, Math.round((255 * value) / most)));
  return bytes.toString("base64");
}

// A record as JSON lines, `timelines/NAME.jsonl`: the rows that the page shows, for programs.

/** One JSON object per line; its key `row` gives the kind of row. Times are nanoseconds from the start of the run. */
function* timelineLines(record: RunRecord): Generator<string> {
  const { nodes, links, binNs } = record;
  const name = (node: number) => nodes[node]!.name;
  const ends = (direction: number) => {
    const { a, b } = links[direction >> 1]!;
    return direction % 2 === 0 ? { from: name(a), to: name(b) } : { from: name(b), to: name(a) };
  };
  const place = ({ node, link }: { readonly node?: number; readonly link?: number }) => ({
    ...given({ node: node === undefined ? undefined : name(node) }),
    ...given({ link: link === undefined ? undefined : Object.values(ends(2 * link)) }),
  });
  const { title, scheme, engine, seed, end, bins, notes } = record;
  yield line({ row: "run", title, scheme, engine, seed, end_ns: end, bin_ns: binNs, bins, notes });
  for (const [direction, shares] of record.use.entries())
    if (shares !== undefined)
      yield line({ row: "link", ...ends(direction), utilisation: Array.from(shares, (one) => round(one)) });
  for (const { node, port, direction, bytes } of record.queues ?? []) {
    const { to } = ends(direction);
    yield line({ row: "queue", node: name(node), port, peer: to, max_bytes: Array.from(bytes) });
  }
  for (const flow of record.flows) {
    const { number, from, to, start, end: ended, bytes, timeouts, retransmissions, moves, paths } = flow;
    yield line({
      row: "flow",
      flow: number,
      from: name(from),
      to: name(to),
      start_ns: start,
      end_ns: ended,
      bytes,
      timeouts,
      retransmissions,
      path_changes: moves,
      paths: paths?.map(([at, directions]) => ({
        at_ns: at,
        nodes: [ends(directions[0]!).from, ...directions.map((one) => ends(one).to)],
      })),
    });
  }
  for (const { text, from, to, ...where } of record.faults)
    yield line({ row: "fault", text, from_ns: from, to_ns: to, ...place(where) });
  for (const { at, kind, text, flow, count = 1, ...where } of record.events) {
    const number = flow === undefined ? {} : { flow: record.flows[flow]!.number };
    yield line({ row: "event", at_ns: at, kind, text, ...place(where), ...number, count });
  }
}

function line(row: object): string {
  return `${JSON.stringify(row)}\n`;
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
