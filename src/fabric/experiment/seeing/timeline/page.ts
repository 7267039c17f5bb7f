/** The timeline page of a run: one HTML file that loads no other file and needs no network. Its scripts and its style are in `pages/timeline`. */
import { readFileSync } from "node:fs";
import { escapeMarkup, htmlPage } from "../../../../base/index.js";
import { packageFile } from "../../../../toolchain/loading/index.js";
import { pageData } from "./page-data.js";
import type { RunRecord } from "./record.js";

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
