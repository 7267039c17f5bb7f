/** Given flows and faults: what a file may say, and what the simulator and a testbed make of it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { claim, Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { advance, type Steps } from "../../../../src/fabric/experiment/advance.js";
import {
  loadExperimentFile,
  loadTimeline,
  resultsJson,
  runTimeline,
  type Timeline,
  type TimelineRow,
} from "../../../../src/fabric/experiment/index.js";
import {
  recoveredText,
  recoveryOf,
  timelineFlows,
} from "../../../../src/fabric/experiment/kinds/timeline/flows.js";
import { TIMELINE } from "../../../../src/fabric/experiment/kinds/timeline/index.js";
import { playInSimulator } from "../../../../src/fabric/experiment/kinds/timeline/on-simulator.js";
import { textTable } from "../../../../src/fabric/experiment/view/parts.js";
import { bmv2, whyNot } from "../../testbed/machine.js";
import { modelFabric } from "../model-fabric.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-timeline-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = `name: timeline
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, host_link: { rate: 1Gbps, delay: 250us } }
schemes: [pecmp, none]
transport: { segment_bytes: 200, rto_margin: 60ms }
`;

function read(text: string): { timeline: Timeline | undefined; messages: string[] } {
  const diagnostics = new Diagnostics();
  const timeline = loadTimeline(new SourceFile("t.yaml", HEAD + text), diagnostics);
  return { timeline, messages: diagnostics.list.map((one) => formatDiagnostic(one).split("\n")[0]!) };
}

function timelineOf(text: string): Timeline {
  const { timeline, messages } = read(text);
  expect(messages).toEqual([]);
  return timeline!;
}

const FLOW = "flows: [{ from: host0-0-0, to: host0-1-0, count: 4 }]\n";
const faults = (...list: string[]) => `faults:\n${list.map((fault) => `  - { ${fault} }\n`).join("")}`;

describe("a file with flows of its own", () => {
  it("is distinguished from one with drawn flows, in spite of other errors", () => {
    // A timeline lacks `flows` and `duration`, an experiment with drawn flows `failures` and `runs`.
    const missing = (text: string) => {
      const diagnostics = new Diagnostics();
      expect(loadExperimentFile(new SourceFile("f.yaml", text), diagnostics)).toBeUndefined();
      return diagnostics.list.flatMap(({ message }) => /missing key "(\w+)"/.exec(message)?.[1] ?? []);
    };
    for (const text of ["faults: []", "flows: 1", '{"flows": 1}'])
      expect(missing(text)).toContain("duration");
    expect(missing("runs: 1")).toContain("failures");
    expect(
      loadExperimentFile(new SourceFile("t.yaml", `${HEAD}${FLOW}duration: 1s\n`), new Diagnostics()),
    ).toMatchObject({
      kind: "timeline",
    });
  });

  it.each([
    [
      "an unknown host",
      "flows: [{ from: host9, to: host0-1-0 }]\nduration: 1s",
      "P43014",
      'no host is called "host9"',
    ],
    ["a switch as a host", "flows: [{ from: tor0-0, to: host0-1-0 }]\nduration: 1s", "P43014", '"tor0-0"'],
    ["a flow to itself", "flows: [{ from: host0-0-0, to: host0-0-0 }]\nduration: 1s", "P43021", "to itself"],
    [
      "a late flow",
      "flows: [{ from: host0-0-0, to: host0-1-0, start: 1s }]\nduration: 1s",
      "P43022",
      "after the end",
    ],
    [
      "an unknown switch",
      `${FLOW}${faults("at: 1ms, kind: kill, switch: spine7")}duration: 1s`,
      "P43014",
      '"spine7"',
    ],
    [
      "a host that is killed",
      `${FLOW}${faults("at: 1ms, kind: kill, switch: host0-0-0")}duration: 1s`,
      "P43014",
      "no switch",
    ],
    [
      "a late fault",
      `${FLOW}${faults("at: 1s, kind: kill, switch: leaf0-0")}duration: 1s`,
      "P43022",
      "after the end",
    ],
    [
      "two faults of one kind, in time order",
      `${FLOW}${faults("at: 9ms, kind: down, link: [leaf0-0, tor0-0]", "at: 1ms, kind: down, link: [tor0-0, leaf0-0]")}duration: 1s`,
      "P43015",
      "tor0-0 - leaf0-0 is down already",
    ],
    [
      "an end of nothing",
      `${FLOW}${faults("at: 1ms, kind: up, link: [tor0-0, leaf0-0]")}duration: 1s`,
      "P43015",
      "is not down then",
    ],
    [
      "a kind of links for a switch",
      `${FLOW}${faults("at: 1ms, kind: down, switch: leaf0-0")}duration: 1s`,
      "P43037",
      'no fault of the kind "down"',
    ],
    [
      "a fault of nothing",
      `${FLOW}${faults("at: 1ms, kind: silent")}duration: 1s`,
      "P43031",
      "a fault without an element",
    ],
    [
      "more flows than client ports",
      `flows:\n${"  - { from: host0-0-0, to: host0-1-0, count: 9500 }\n".repeat(3)}duration: 1s`,
      "P43023",
      "more than 28232 flows from host0-0-0 to port 5201 of host0-1-0",
    ],
    [
      "more flows than any experiment has",
      `flows:\n${Array.from({ length: 11 }, (_, i) => `  - { from: host0-0-0, to: host0-1-0, port: ${80 + i}, count: 10000 }\n`).join("")}duration: 1s`,
      "P43023",
      "more than 100000 flows",
    ],
    ["no end", FLOW, "P43003", 'missing key "duration"'],
  ])("is refused for %s", (_, text, code, words) => {
    const { timeline, messages } = read(text);
    expect(timeline).toBeUndefined();
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^t\.yaml:\d+:\d+: /);
    expect(messages[0]).toContain(`error[${code}]`);
    expect(messages[0]).toContain(words);
  });
});

describe("client ports", () => {
  it("differ between flows of the same hosts and port, however many there are", () => {
    const timeline = timelineOf(
      `flows:
  - { from: host0-0-0, to: host0-1-0, count: 10000 }
  - { from: host0-0-0, to: host0-1-0, count: 10000 }
  - { from: host0-0-0, to: host0-1-0, port: 80, count: 10000 }
duration: 1s`,
    );
    const flows = timelineFlows(timeline, 1);
    expect(new Set(flows.map(({ clientPort, port }) => `${clientPort} ${port}`)).size).toBe(30_000);
    expect(Math.min(...flows.map(({ clientPort }) => clientPort))).toBeGreaterThanOrEqual(32_768);
    expect(Math.max(...flows.map(({ clientPort }) => clientPort))).toBeLessThanOrEqual(60_999);
  });
});

const of = (rows: readonly TimelineRow[], scheme: string) => rows.filter((row) => row.scheme === scheme);

describe("a traffic file", () => {
  it("gives the flows, from the experiment file's folder", () => {
    writeFileSync(
      join(folder, "mice.csv"),
      "start,src,dst,bytes,port\n1ms,host0-0-0,host0-1-0,20000,80\n2ms,host0-1-0,host0-0-0,9,\n",
    );
    const diagnostics = new Diagnostics();
    const file = new SourceFile(join(folder, "t.yaml"), `${HEAD}flows: mice.csv\nduration: 1s\n`);
    const timeline = loadTimeline(file, diagnostics);
    expect(diagnostics.list).toEqual([]);
    expect(timeline!.settings.flows).toEqual([
      { from: "host0-0-0", to: "host0-1-0", count: 1, start: 1e6, bytes: 20000, port: 80 },
      { from: "host0-1-0", to: "host0-0-0", count: 1, start: 2e6, bytes: 9, port: 5201 },
    ]);
  });

  it.each([
    ["that is not there", "flows: none.csv", /error\[P43005\]: cannot read none.csv: no such file/],
    [
      "that is no text",
      "flows: 7",
      /error\[P43004\]: flows: expected a list of flows, or the path of a traffic file/,
    ],
  ])("%s is an error", (_what, flows, message) => {
    const { timeline, messages } = read(`${flows}\nduration: 1s\n`);
    expect(timeline).toBeUndefined();
    expect(messages.join("\n")).toMatch(message);
  });

  it("is refused with its errors at their lines", () => {
    writeFileSync(join(folder, "wrong.csv"), "start,src,dst,bytes\n0ms,host0-0-0,h9,1\n");
    const diagnostics = new Diagnostics();
    const file = new SourceFile(join(folder, "t.yaml"), `${HEAD}flows: wrong.csv\nduration: 1s\n`);
    expect(loadTimeline(file, diagnostics)).toBeUndefined();
    expect(formatDiagnostic(diagnostics.list[0]!)).toMatch(
      /wrong\.csv:2:15: error\[P42323\]: there is no host "h9"/,
    );
  });

  it.each([
    ["without an end", "{ from: host0-0-0, to: host0-1-0 }", /P43024.*never end/],
    [
      "of one port",
      "{ from: host0-0-0, to: host0-1-0, bytes: 9, count: 2 }",
      /P43024.*several flows of iperf3 to port 5201/,
    ],
  ])("iperf3 makes no flows %s", (_what, flow, message) => {
    const { messages } = read(`flows: [${flow}]\nduration: 1s\ntraffic: { generator: iperf3 }\n`);
    expect(messages.join("\n")).toMatch(message);
  });
});

describe("on the simulator", () => {
  it("an element works again when all of its faults are over, in whatever order they end", async () => {
    const link = "link: [tor0-0, leaf0-0]";
    const begin = [
      `at: 100ms, kind: silent, ${link}`,
      `at: 110ms, kind: down, ${link}`,
      "at: 120ms, kind: silent, switch: leaf0-0",
    ];
    const ends = [`kind: repair, ${link}`, `kind: up, ${link}`, "kind: repair, switch: leaf0-0"];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const list = order.map((end, i) => `at: ${[400, 800, 1500][i]}ms, ${ends[end]}`);
      // One leaf, so there is no other way.
      const diagnostics = new Diagnostics();
      const text = `${HEAD}${FLOW}${faults(...begin, ...list)}duration: 4s`.replace("leaves: 2", "leaves: 1");
      const narrow = loadTimeline(new SourceFile("t.yaml", text), diagnostics)!;
      const out = join(folder, `overlap-${order.join("")}`);
      await runTimeline(narrow, { seed: 3, out });
      const outages = readFileSync(join(out, "outages.csv"), "utf8").trim().split("\n").slice(1);
      expect(outages).toHaveLength(8);
      for (const line of outages) {
        expect(Number(line.split(",")[3])).toBeGreaterThan(1500);
        expect(line.split(",")[6]).toBe("repaired");
      }
    }
  });

  it("plain ECMP leaves a link that is down, where the switch at either end has another one", async () => {
    const text = `${HEAD.replace("tors: 2, leaves: 2, homing: single", "tors: 4, leaves: 2")}
flows: [{ from: host0-0-0, to: host0-1-0, count: 8 }]
${faults("at: 200ms, kind: down, link: [tor0-0, leaf0-0]")}duration: 2s`;
    const diagnostics = new Diagnostics();
    const timeline = loadTimeline(new SourceFile("t.yaml", text), diagnostics)!;
    const { rows } = await runTimeline(timeline, { seed: 3 });
    const none = of(rows, "none");
    expect(none).toHaveLength(8);
    expect(none.every(({ recovered }) => recovered)).toBe(true);
    const silent = loadTimeline(
      new SourceFile("t.yaml", text.replace("kind: down", "kind: silent")),
      diagnostics,
    )!;
    const lost = of((await runTimeline(silent, { seed: 3 })).rows, "none");
    expect(lost.some(({ recovered }) => !recovered)).toBe(true);
  });

  it.each([
    ["a silent link", "kind: silent, link: [tor0-0, leaf0-1]", "kind: repair, link: [leaf0-1, tor0-0]"],
    ["a silent switch", "kind: silent, switch: leaf0-0", "kind: repair, switch: leaf0-0"],
    ["a link without carrier", "kind: down, link: [tor0-1, leaf0-1]", "kind: up, link: [tor0-1, leaf0-1]"],
    ["a switch that crashes", "kind: kill, switch: leaf0-0", "kind: restart, switch: leaf0-0"],
  ])("%s: P-ECMP's flows take another way at once, others wait for its end", async (_, begin, end) => {
    const timeline = timelineOf(`${FLOW}${faults(`at: 200ms, ${begin}`, `at: 2s, ${end}`)}duration: 4s`);
    const { rows } = await runTimeline(timeline, { seed: 3 });
    const [pecmp, none] = [of(rows, "pecmp"), of(rows, "none")];
    for (const row of pecmp) {
      expect(row.recovered).toBe(true);
      expect(row.timeouts).toBe(row.repaths);
      expect(row.copies).toBe(2 * row.timeouts);
      expect(row.timeouts).toBeLessThan(2);
      expect(row.recovered_by).toBe(row.timeouts === 0 ? null : "left");
      if (row.timeouts !== 1) continue;
      // From an acknowledgement: the next segment leaves, its timer of a round trip and 60 ms runs out, and the retransmission
      // is acknowledged a round trip later. Round trips are 1 ms and a bit.
      expect(row.longest_outage_ms).toBeGreaterThan(62);
      expect(row.longest_outage_ms).toBeLessThan(62.5);
    }
    expect(pecmp.some((row) => row.timeouts === 1)).toBe(true);
    // Those that the fault hit come back with their next retransmission after its end, 2 s, and not before.
    const hit = none.filter((row) => row.timeouts > 0);
    expect(hit.length).toBeGreaterThan(0);
    for (const row of hit) {
      expect(row).toMatchObject({ recovered: true, repaths: 0, outages: 1, copies: 0 });
      // They came back, and never left.
      expect(row.recovered_by).toBe("repaired");
      expect(row.longest_outage_ms).toBeGreaterThan(1700);
    }
  });

  it("a fault that does not end: flows without another way never recover; overlapping faults end one by one", async () => {
    const timeline = timelineOf(
      `flows: [{ from: host0-0-0, to: host0-1-0, count: 3, bytes: 20000 }]
${faults("at: 10ms, kind: silent, switch: tor0-0", "at: 20ms, kind: silent, link: [tor0-0, leaf0-0]", "at: 1s, kind: repair, link: [tor0-0, leaf0-0]")}duration: 3s`,
    );
    const { rows } = await runTimeline(timeline);
    for (const row of rows)
      expect(row).toMatchObject({
        recovered: false,
        recovered_by: null,
        fct_ms: null,
        longest_outage_ms: null,
      });
  });

  it("tells what a flow has left from what was repaired, in the table, the files and each outage", async () => {
    const timeline = timelineOf(
      `${FLOW}${faults("at: 200ms, until: 1s, kind: silent, link: [tor0-0, leaf0-0]")}duration: 3s`,
    );
    const out = join(folder, "told");
    const results = await runTimeline(timeline, { seed: 3, out });
    const words = results.rows.map((row) => row.recovered_by ?? "yes");
    for (const word of ["left", "repaired"]) expect(words).toContain(word);
    const table = textTable(TIMELINE.view.columns, results.rows).trim().split("\n").slice(2);
    expect(table.map((line) => line.trim().split(/ +/).at(-1))).toEqual(words);
    const html = readFileSync(join(out, "report.html"), "utf8");
    const csv = readFileSync(join(out, "outages.csv"), "utf8");
    expect(csv.split("\n")[0]).toMatch(/,recovered_by$/);
    for (const word of ["left", "repaired"]) {
      expect(html.split(`<td>${word}</td>`)).toHaveLength(words.filter((one) => one === word).length + 1);
      expect(csv).toMatch(new RegExp(`,${word}$`, "m"));
    }
  });

  it("times count from its start, whenever that is", async () => {
    const timeline = timelineOf(
      "flows:\n  - { from: host0-0-0, to: host0-1-1 }\nduration: 300ms\nfaults: [{ at: 20ms, until: 100ms, host: host0-1-1, kind: silent }]",
    );
    const outages = async (start: number) => {
      const [scheme] = timeline.schemes;
      const fabric = modelFabric(timeline as never, scheme!);
      const { simulation } = fabric.network;
      simulation.run(start);
      const play = async (steps: Steps<unknown>) => advance(simulation, steps);
      const power = { kill: () => {}, restart: () => undefined, control: new Map() };
      const stage = { fabric, seed: 1, play, breathe: async () => {}, note: () => {}, power };
      const [record] = await playInSimulator(timeline, scheme!, stage as never);
      return record!.outages;
    };
    const early = await outages(0);
    expect(early[0]!.firstTimeout).toBeGreaterThan(20e6);
    expect(early[0]!.to).toBeGreaterThan(20e6);
    expect(await outages(7e9)).toEqual(early);
  });

  it("the table says of a flow how it recovered, where that is known", () => {
    const text = (recovered: boolean, recovered_by: "left" | "repaired" | null) =>
      recoveredText({ recovered, recovered_by } as never);
    expect(text(false, null)).toBe("no");
    expect(text(true, "repaired")).toBe("repaired");
    expect(text(true, "left")).toBe(claim("leftTheFault"));
    expect(text(true, null)).toBe(claim("recovered"));
    expect(claim("recovered")).not.toBe(claim("leftTheFault"));
  });

  it("an outage is left only while all its faults act", () => {
    const outage = (from: number, to?: number) => ({ from, firstTimeout: from, to, timeouts: 1 });
    const fault = (at: number, until?: number, flap?: { period: number; duty: number }) => ({
      at,
      until,
      flap,
    });
    expect(recoveryOf(outage(5, 9), [fault(5)])).toBe("left");
    expect(recoveryOf(outage(5, 9), [fault(5, 9)])).toBe("repaired");
    expect(recoveryOf(outage(5, 9), [fault(5, 10), fault(6, 8)])).toBe("repaired");
    expect(recoveryOf(outage(5, 9), [fault(0, 5), fault(9, 20)])).toBeUndefined();
    expect(recoveryOf(outage(5), [fault(0)])).toBeUndefined();
    // It acts from 0 to 4 and from 8 to 12.
    const flaps = fault(0, 100, { period: 8, duty: 0.5 });
    expect(recoveryOf(outage(1, 4), [flaps])).toBe("repaired");
    expect(recoveryOf(outage(1, 6), [flaps])).toBe("repaired");
    expect(recoveryOf(outage(1, 9), [flaps])).toBe("left");
  });

  it("ends flows with a number of bytes, and gives the same bytes again", async () => {
    const timeline = timelineOf(
      `flows:\n  - { from: host0-0-0, to: host0-1-1, bytes: 100000, start: 50ms }\nduration: 3s`,
    );
    const out = join(folder, "sim");
    const results = await runTimeline(timeline, { out });
    // 500 segments, one a round trip of 1 ms and a bit.
    const [row] = results.rows;
    expect(row).toMatchObject({ bytes: 100_000, timeouts: 0, recovered: true, longest_outage_ms: null });
    expect(row!.fct_ms).toBeGreaterThan(500);
    expect(row!.fct_ms).toBeLessThan(530);
    expect(readFileSync(join(out, "results.json"), "utf8")).toBe(resultsJson(results));
    const files = [
      ".p4loom-files.json",
      "figures.json",
      "outages.csv",
      "programs",
      "repeat",
      "report.html",
      "results.csv",
      "results.json",
      "timeline.svg",
    ];
    expect(readdirSync(out).sort()).toEqual(files);
    expect(resultsJson(await runTimeline(timeline))).toBe(resultsJson(results));
    expect(resultsJson(await runTimeline(timeline, { seed: 8 }))).not.toBe(resultsJson(results));
  });
});

// Labs run beside each other: most of their time is waiting.
describe.concurrent.each(["switch", "bmv2"] as const)("engine %s", (engine) => {
  const reason = whyNot("netns", engine, ["tun", "packet_sockets"]);

  it.skipIf(reason !== undefined)(
    `plays faults of every kind${reason === undefined ? "" : ` (${reason})`}`,
    async () => {
      const timeline = timelineOf(
        `${FLOW}${faults(
          "at: 300ms, kind: silent, link: [tor0-0, leaf0-0]",
          "at: 900ms, kind: repair, link: [tor0-0, leaf0-0]",
          "at: 1200ms, kind: down, link: [tor0-1, leaf0-1]",
          "at: 1800ms, kind: up, link: [tor0-1, leaf0-1]",
          "at: 2100ms, kind: kill, switch: leaf0-0",
          "at: 2800ms, kind: restart, switch: leaf0-0",
          "at: 4800ms, kind: silent, switch: leaf0-1",
          "at: 5400ms, kind: repair, switch: leaf0-1",
        )}duration: 7s`,
      );
      const out = join(folder, engine);
      const { rows, notes } = await runTimeline(timeline, {
        engine,
        out,
        testbed: { allowMissing: new Set(["rate", "delay"]), ...(bmv2 === undefined ? {} : { bmv2 }) },
      });
      expect(rows).toHaveLength(8);
      expect(notes.join(" ")).toContain("Times are real");
      for (const row of of(rows, "pecmp")) {
        expect(row.recovered, JSON.stringify(row)).toBe(true);
        expect(row.outages).toBeGreaterThan(0);
      }
      // The last fault is silent and hits one of the two leaves: by then leaf0-0 forwards again.
      expect(of(rows, "none").some((row) => row.timeouts > 0)).toBe(true);
      const log = readFileSync(join(out, "logs/run.log"), "utf8");
      expect(log).toContain("switch leaf0-0 is killed");
      expect(log).toContain("switch leaf0-0 is started again");
      expect(log).toMatch(/link tor0-1-eth\d+-leaf0-1-eth\d+ is down/);
    },
    180_000,
  );

  it.skipIf(reason !== undefined)(
    `plays faults that let packets pass${reason === undefined ? "" : ` (${reason})`}`,
    async () => {
      const timeline = timelineOf(
        `${FLOW}${faults(
          "at: 300ms, until: 1500ms, switch: tor0-0, loss: 1, match: { src: host0-0-0, protocol: tcp }",
          "at: 300ms, until: 1500ms, link: [tor0-0, leaf0-0], direction: out, corruption: 50%",
          "at: 2500ms, until: 3500ms, switch: tor0-1, kind: silent, flap: { period: 500ms, duty: 50% }",
        )}duration: 6s`,
      );
      const out = join(folder, `partial-${engine}`);
      const { rows } = await runTimeline(timeline, {
        engine,
        out,
        testbed: { allowMissing: new Set(["rate", "delay"]), ...(bmv2 === undefined ? {} : { bmv2 }) },
      });
      // Nothing of these flows passes their only ToR for more than a second, under any scheme.
      for (const row of rows) {
        expect(row.timeouts, JSON.stringify(row)).toBeGreaterThan(1);
        expect(row.recovered, JSON.stringify(row)).toBe(true);
      }
      const log = readFileSync(join(out, "logs/run.log"), "utf8");
      expect(log.match(/fault 2: silent flapping/g)).toHaveLength(2 * timeline.schemes.length);
      expect(log.match(/fault 2: repair/g)).toHaveLength(2 * timeline.schemes.length);
      // The first two faults may concern one packet.
      const program = readFileSync(join(out, "programs/pecmp/tor.p4"), "utf8");
      expect(program.match(/table faults\w*/g)).toEqual(["table faults", "table faults_2"]);
    },
    180_000,
  );

  const lacking = reason ?? whyNot("netns", engine, ["iperf3"]);
  it.skipIf(lacking !== undefined)(
    `lets iperf3 make the flows${lacking === undefined ? "" : ` (${lacking})`}`,
    async () => {
      const flow = "from: host0-0-0, to: host0-1-0, bytes: 20000";
      const timeline = timelineOf(
        `flows: [{ ${flow}, port: 81 }, { ${flow}, port: 82, start: 50ms }]\ntraffic: { generator: iperf3 }\nduration: 6s`,
      );
      const { rows } = await runTimeline(
        { ...timeline, schemes: timeline.schemes.slice(0, 1) },
        {
          engine,
          out: join(folder, `${engine}-iperf3`),
          testbed: { allowMissing: new Set(["rate", "delay"]), ...(bmv2 === undefined ? {} : { bmv2 }) },
        },
      );
      expect(rows.map(({ bytes, recovered }) => ({ bytes, recovered }))).toEqual([
        { bytes: 20000, recovered: true },
        { bytes: 20000, recovered: true },
      ]);
      for (const { fct_ms } of rows) expect(fct_ms).not.toBeNull();
    },
    120_000,
  );
});
