/** The page to scrub through a run: what it records, against what the run is known to do, and the page itself in Chromium. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { loadExperimentFile, type RunOptions } from "../../../../src/fabric/experiment/index.js";
import type { RunRecord } from "../../../../src/fabric/experiment/seeing/timeline/record.js";
import { timelinePage } from "../../../../src/fabric/experiment/seeing/timeline/write.js";
import { noChromium, Page } from "./chromium.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-timeline-page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A link is silent from 2 ms to 6 ms: the flow over it has timeouts, and leaves by the other leaf. */
const FAULT = `name: scrub
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 2, host_link: { rate: 1Gbps, delay: 5us }, fabric_link: { rate: 1Gbps, delay: 5us } }
schemes: [prr, none]
transport: { segment_bytes: 1000, window_segments: 4, rto_margin: 1ms }
flows:
  - { from: host0-0-0, to: host0-1-0, count: 4, start: 0ms }
  - { from: host0-0-1, to: host0-1-1, start: 1ms, bytes: 3000 }
faults:
  - { at: 2ms, until: 6ms, kind: silent, link: [tor0-0, leaf0-0] }
duration: 10ms
`;

type Row = Record<string, unknown> & { readonly row: string };

async function run(name: string, file: string, options: RunOptions = { seeing: { timeline: true } }) {
  const diagnostics = new Diagnostics();
  const experiment = await loadExperimentFile(new SourceFile("s.yaml", file), diagnostics);
  if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  const out = join(folder, name);
  await experiment.run({ ...options, out });
  return out;
}

function rowsOf(out: string, name: string): readonly Row[] {
  const text = readFileSync(join(out, "timelines", `${name}.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
}

describe("the rows of a timeline with a fault", () => {
  let out = "";
  let rows: readonly Row[] = [];
  const of = (row: string) => rows.filter((one) => one.row === row);
  const events = (kind: string) => of("event").filter((one) => one["kind"] === kind);
  beforeAll(async () => {
    out = await run("fault", FAULT);
    rows = rowsOf(out, "prr");
  });

  it("are written for each scheme, beside a page", () => {
    expect(readdirSync(join(out, "timelines")).sort()).toEqual([
      "none.html",
      "none.jsonl",
      "prr.html",
      "prr.jsonl",
    ]);
    expect(rows[0]).toMatchObject({ row: "run", engine: "sim", end_ns: 10e6 });
  });

  it("show when the fault began and ended", () => {
    const text = "tor0-0 - leaf0-0: silent";
    expect(of("fault")).toEqual([
      { row: "fault", text, from_ns: 2e6, to_ns: 6e6, link: ["tor0-0", "leaf0-0"] },
    ]);
    expect(events("fault").map((one) => one["at_ns"])).toEqual([2e6]);
    expect(events("repair").map((one) => one["at_ns"])).toEqual([6e6]);
  });

  it("have the flows of the results with their timeouts and ends", () => {
    const { rows: results } = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as {
      rows: readonly { scheme: string; flow: number; timeouts: number; fct_ms: number | null }[];
    };
    const own = results.filter(({ scheme }) => scheme === "prr");
    expect(of("flow").map(({ flow, timeouts }) => [flow, timeouts])).toEqual(
      own.map(({ flow, timeouts }) => [flow, timeouts]),
    );
    expect(own.some(({ timeouts }) => timeouts > 0)).toBe(true);
    const last = of("flow")[4]!;
    expect(((last["end_ns"] as number) - 1e6) / 1e6).toBeCloseTo(own[4]!.fct_ms!, 3);
    expect(events("timeout")).toHaveLength(own.reduce((sum, { timeouts }) => sum + timeouts, 0));
  });

  it("have the paths of the data: PRR leaves the silent link after a timeout, and only then", () => {
    type Path = { readonly at_ns: number; readonly nodes: readonly string[] };
    const flows = of("flow") as unknown as { flow: number; timeouts: number; paths: Path[] }[];
    for (const { timeouts, paths } of flows) {
      for (const { nodes } of paths) {
        expect(nodes).toHaveLength(5);
        expect(nodes[0]).toMatch(/^host0-0/);
        expect(nodes[4]).toMatch(/^host0-1/);
      }
      if (timeouts === 0) expect(paths).toHaveLength(1);
    }
    const moved = flows.filter(({ paths }) => paths.length > 1);
    expect(moved.length).toBeGreaterThan(0);
    for (const { paths } of moved) expect(paths[1]!.at_ns).toBeGreaterThan(2e6);
    const silent = rowsOf(out, "none").filter(({ row }) => row === "flow") as unknown as { paths: Path[] }[];
    for (const { paths } of silent) expect(paths).toHaveLength(1);
  });

  it("count each frame that the fault took, and those that were sent again", () => {
    const drops = events("drop");
    expect(drops.length).toBeGreaterThan(0);
    for (const one of drops) {
      expect(one["text"]).toMatch(/lost by a fault on (tor0-0 > leaf0-0|leaf0-0 > tor0-0)/);
      expect(one["at_ns"]).toBeGreaterThanOrEqual(2e6);
    }
    const again = events("retransmission").reduce((sum, one) => sum + (one["count"] as number), 0);
    const ofFlows = of("flow").reduce((sum, one) => sum + (one["retransmissions"] as number), 0);
    expect(again).toBe(ofFlows);
    expect(again).toBeGreaterThanOrEqual(events("timeout").length);
  });

  it("have the bytes of each link: the flow of 3,000 bytes and its headers, and nothing beside it", () => {
    const { bin_ns: binNs } = rows[0] as unknown as { bin_ns: number };
    const link = of("link").find(({ from, to }) => from === "host0-0-1" && to === "tor0-0")!;
    const shares = link["utilisation"] as number[];
    const bytes = shares.reduce((sum, share) => sum + (share * 1e9 * binNs) / 8e9, 0);
    // Three frames of 1,000 bytes with Ethernet, IPv4, TCP and the echo option.
    expect(bytes).toBeGreaterThan(3 * 1054);
    expect(bytes).toBeLessThan(3 * 1100);
    const first = shares.findIndex((share) => share > 0);
    expect(first * binNs).toBeLessThanOrEqual(1e6);
    expect((first + 1) * binNs).toBeGreaterThan(1e6);
  });

  it("change no results", async () => {
    const plain = await run("plain", FAULT, {});
    const text = (path: string) => readFileSync(join(path, "results.json"), "utf8");
    expect(text(out)).toBe(text(plain));
  });
});

describe("the rows of a load", () => {
  it("have full queues, drops by reason, and what controllers write", async () => {
    const out = await run(
      "load",
      `name: load
kind: load
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 3, host_link: { rate: 1Gbps, delay: 5us }, fabric_link: { rate: 1Gbps, delay: 5us } }
schemes: [ecmp]
control_plane: { recompute_routes: true, detection: 200us }
traffic: { sizes: { fixed: 100KB }, pattern: { incast: { senders: 4 } }, interval: 1ms, flows: 8 }
faults: [{ at: 500us, until: 3ms, kind: down, link: [tor0-0, leaf0-0] }]
queues: { packets: 20 }
see: { timeline: true }
`,
      {},
    );
    const rows = rowsOf(out, "ecmp-load-seed-1");
    const { rows: results } = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as {
      rows: readonly { size: string; drops_switch_queue: number; retransmissions: number }[];
    };
    const drops = rows.filter(({ kind, text }) => kind === "drop" && /queue full/.test(String(text)));
    const { drops_switch_queue: full, retransmissions } = results.find(({ size }) => size === "all")!;
    expect(full).toBeGreaterThan(0);
    expect(drops.reduce((sum, one) => sum + (one["count"] as number), 0)).toBe(full);
    // Those of a flow whose last segment was lost before the host's link are seen there too.
    const again = rows.filter(({ row }) => row === "flow");
    expect(again.reduce((sum, one) => sum + (one["retransmissions"] as number), 0)).toBe(retransmissions);
    const queues = rows.filter(({ row }) => row === "queue");
    const longest = Math.max(...queues.flatMap((one) => one["max_bytes"] as number[]));
    expect(longest).toBeGreaterThan(19 * 1000);
    const writes = rows.filter(({ kind }) => kind === "write");
    expect(writes.length).toBeGreaterThan(0);
    for (const one of writes) expect(one["at_ns"]).toBeGreaterThan(500e3 + 200e3);
  });
});

/** A run with this number of flows, whose figures all have their maximum. */
function large(count: number, links: number): RunRecord {
  const bins = 1024;
  const full = () => Float64Array.from({ length: bins }, (_, i) => (i % 97) / 97);
  return {
    ...{ title: "large", scheme: "s", engine: "sim", seed: 1, end: bins * 1e6, binNs: 1e6, bins },
    nodes: Array.from({ length: 200 }, (_, i) => ({ name: `host0-0-${i}`, tier: i % 3, x: 0.5, y: 0.5 })),
    links: Array.from({ length: links }, (_, i) => ({ a: i % 200, b: (i + 1) % 200, rateBps: 1e9 })),
    use: Array.from({ length: 2 * links }, full),
    queues: Array.from({ length: links }, (_, i) => ({
      node: i % 200,
      port: 1,
      direction: 2 * i,
      bytes: full(),
    })),
    flows: Array.from({ length: count }, (_, i) => ({
      ...{ number: i, from: i % 200, to: (i + 1) % 200, start: i * 1e5, end: i * 1e5 + 123_456_789 },
      ...{ bytes: 123_456_789, timeouts: 3, retransmissions: 1234, moves: 12 },
      paths: Array.from({ length: 6 }, (_, n): [number, number[]] => [
        i * 1e5 + n,
        [n, i % links, (i + n) % links],
      ]),
    })),
    faults: [],
    events: Array.from({ length: 30_000 }, (_, i) => ({
      ...({ at: i * 3e4 + 7, kind: "retransmission", text: "data sent again", flow: i % count } as const),
    })),
    counts: { retransmission: full() },
    notes: ["A <note> & more."],
  };
}

it("the page of 10,000 flows and 390 links has less than 10 MB, and no address of another file", () => {
  const page = timelinePage(large(10_000, 390));
  expect(page.length).toBeLessThan(10e6);
  expect(page).toContain("A &lt;note&gt; &amp; more.");
  expect(page).not.toMatch(/https?:|src=|href=|@import|url\(/);
});

describe.skipIf(noChromium !== undefined)(
  `the page in Chromium${noChromium ? `: ${noChromium}` : ""}`,
  () => {
    let page: Page;
    const text = (id: string) => page.value(`document.getElementById("${id}").textContent`);
    const clock = async () => Number.parseFloat(String(await text("clock")));
    beforeAll(async () => {
      const out = await run("page", FAULT);
      page = await Page.open(join(out, "timelines", "prr.html"), "#t=4ms");
      await page.painted();
    });
    afterAll(() => page?.close());

    it("shows the instant of its address", async () => {
      expect(await clock()).toBe(4);
      expect(await text("now")).toContain("4 flows in flight");
      expect(await text("now")).toContain("out of order: tor0-0 - leaf0-0: silent");
      expect(await page.value(`document.querySelectorAll("#flows tr").length`)).toBe(4);
    });

    it("moves by keys: bins, tens of bins, ends, events", async () => {
      const before = await clock();
      await page.key("ArrowRight");
      const bin = (await clock()) - before;
      expect(bin).toBeGreaterThan(0);
      await page.key("ArrowLeft", true);
      expect(await clock()).toBeCloseTo(before - 9 * bin, 3);
      await page.key("Home");
      expect(await clock()).toBe(0);
      await page.key("End");
      expect(await clock()).toBe(10);
      await page.key("p");
      const last = await clock();
      expect(last).toBeLessThan(10);
      await page.key("n");
      expect(await clock()).toBe(last);
    });

    it("plays with the space bar, and stops with it", async () => {
      await page.key("Home");
      await page.key(" ");
      expect(await text("play")).toBe("Pause");
      await page.until(`Number.parseFloat(document.getElementById("clock").textContent) > 0.01`);
      await page.key(" ");
      expect(await text("play")).toBe("Play");
      const there = await clock();
      await page.painted();
      expect(await clock()).toBe(there);
    });

    it("zooms, and moves the part that is seen with the cursor", async () => {
      await page.key("Home");
      await page.key("+");
      expect(await text("zoom")).toBe("0.0000 ms to 5.0000 ms");
      await page.key("End");
      expect(await text("zoom")).toMatch(/ to 10\.0000 ms$/);
      await page.key("0");
      expect(await text("zoom")).toBe("the whole run");
    });

    it("draws busy links in other colours than idle ones, in light and in dark", async () => {
      const colours = () =>
        page.value(`(() => {
        const canvas = document.getElementById("network");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add(data.slice(i, i + 3).join());
        return [...seen].sort();
      })()`) as Promise<string[]>;
      const light = await colours();
      expect(light.length).toBeGreaterThan(2);
      await page.dark();
      const dark = await colours();
      expect(dark.length).toBeGreaterThan(2);
      expect(dark).not.toEqual(light);
      const back = await page.value("getComputedStyle(document.body).backgroundColor");
      expect(back).toBe("rgb(20, 23, 26)");
    });

    it("shows the values under the pointer, and sets the time by a click", async () => {
      const box = (await page.value(`(() => {
      const { left, top, width } = document.getElementById("tracks").getBoundingClientRect();
      return [left, top, width];
    })()`)) as [number, number, number];
      const x = box[0] + 150 + (box[2] - 158) / 2;
      await page.mouse("mouseMoved", x, box[1] + 60);
      expect(await text("tip")).toMatch(/^5\.0\d+ ms\nbusiest link/);
      await page.mouse("mousePressed", x, box[1] + 60);
      await page.mouse("mouseReleased", x, box[1] + 60);
      expect(await clock()).toBeCloseTo(5, 1);
      await page.value(`document.querySelector("#flows tr").click()`);
      await page.painted();
      expect(await page.value(`document.querySelectorAll("#flows tr.chosen").length`)).toBe(1);
    });

    it("opens the page of a large run", async () => {
      const path = join(folder, "large.html");
      writeFileSync(path, timelinePage(large(10_000, 390)));
      expect(statSync(path).size).toBeLessThan(10e6);
      const big = await Page.open(path, "#t=500ms");
      try {
        await big.painted();
        expect(await big.value(`document.getElementById("now").textContent`)).toMatch(/flows in flight/);
        expect(await big.value(`document.getElementById("flows-more").textContent`)).toMatch(/further flows/);
      } finally {
        await big.close();
      }
    });
  },
);
