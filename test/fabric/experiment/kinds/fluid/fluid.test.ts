/** The kind `fluid`: files that run, the same figures for the same seed, and wrong inputs at their places. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  type DiagnosticError,
  Diagnostics,
  formatDiagnostic,
  Random,
  SourceFile,
} from "../../../../../src/base/index.js";
import { loadExperimentFile } from "../../../../../src/fabric/experiment/index.js";
import { flowsOf } from "../../../../../src/fabric/experiment/kinds/fluid/flows.js";
import { build } from "../../../topology/load.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-fluid-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HYPERX = `topology:
  kind: hyperx
  shape: [3, 3]
  hosts_per_switch: 4
  host_link: { rate: 1Gbps }
  fabric_link: { rate: 1Gbps }
`;

const fileOf = (rest: string, topology = HYPERX) => `kind: fluid\nname: fluid\n${topology}${rest}`;

const CLIQUES = `schemes: [ecmp, { scheme: dahu, label: Dahu-1 }]
traffic:
  - { pattern: { cliques: { count: 2 } }, rate: 3Gbps, sizes: { exponential: 200KB } }
duration: 200ms
warm_up: 50ms
step: 1ms
bundles: 32
`;

const LASTING = `schemes: [ecmp]
traffic:
  - pattern: permutation
duration: 50ms
`;

async function run(text: string, seed = 1, out?: string) {
  const diagnostics = new Diagnostics();
  const loaded = loadExperimentFile(new SourceFile("fluid.yaml", text), diagnostics);
  expect(diagnostics.list.map(formatDiagnostic)).toEqual([]);
  return await loaded!.run({ seed, ...(out === undefined ? {} : { out }) });
}

interface Row {
  readonly scheme: string;
  readonly seed: number;
  readonly throughput_gbps: number;
  readonly mean_links: number;
  readonly idle_links_percent: number;
}

const rowsOf = ({ json }: { json: string }) => (JSON.parse(json) as { rows: Row[] }).rows;

describe("the kind fluid", () => {
  it("writes rows, a page and figures, and says how many more Gbps a scheme gets", async () => {
    const out = join(folder, "cliques");
    const results = await run(fileOf(CLIQUES), 1, out);
    const [ecmp, dahu] = rowsOf(results) as [Row, Row];
    expect([ecmp.scheme, dahu.scheme, ecmp.seed]).toEqual(["ecmp", "Dahu-1", 1]);
    expect(dahu.throughput_gbps).toBeGreaterThan(ecmp.throughput_gbps);
    expect(dahu.mean_links).toBeGreaterThan(ecmp.mean_links);
    expect(dahu.idle_links_percent).toBeLessThan(ecmp.idle_links_percent);
    expect(results.table).toContain("gain over ecmp %");
    expect(results.table).toContain((100 * (dahu.throughput_gbps / ecmp.throughput_gbps - 1)).toFixed(1));
    expect(readdirSync(out).sort()).toEqual([
      ".p4loom-files.json",
      "figures",
      "figures.json",
      "points.jsonl",
      "repeat",
      "report.html",
      "results.csv",
      "results.json",
    ]);
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain("utilisation of a link");
  });

  it("gives the same figures for the same seed, and others for another", async () => {
    const text = fileOf(CLIQUES);
    const [one, again, other] = [await run(text), await run(text), await run(text, 2)];
    expect(again.json).toBe(one.json);
    expect(rowsOf(other)[0]!.throughput_gbps).not.toBe(rowsOf(one)[0]!.throughput_gbps);
  });

  it("sweeps a key of the traffic", async () => {
    const rows = rowsOf(await run(fileOf(`${CLIQUES}sweep: { traffic.0.pattern.cliques.count: [1, 4] }\n`)));
    expect(
      rows.map((row) => [
        row.scheme,
        (row as unknown as Record<string, number>)["traffic.0.pattern.cliques.count"],
      ]),
    ).toEqual([
      ["ecmp", 1],
      ["Dahu-1", 1],
      ["ecmp", 4],
      ["Dahu-1", 4],
    ]);
  });

  it("finds nearly the same throughput by AIMD as max-min fairness has", async () => {
    const file = (rates: string) =>
      fileOf(
        LASTING.replace("50ms", `2s\nwarm_up: 1s\nrates: ${rates}`).replace("permutation", "inter_rack"),
      );
    const [exact, aimd] = [await run(file("max_min")), await run(file("{ aimd: {} }"))].map(
      (results) => rowsOf(results)[0]!.throughput_gbps,
    ) as [number, number];
    expect(Math.abs(aimd / exact - 1)).toBeLessThan(0.1);
  });
});

describe("the traffic of a run", () => {
  it("is offered as its rate says, with flows that start in the last half step", async () => {
    // 9 switches with 3 Gbps, in flows of 1 KB: the standard deviation of the mean is 0.07 %.
    const text = `schemes: [ecmp]
traffic:
  - { pattern: inter_rack, rate: 3Gbps, sizes: { fixed: 1KB } }
duration: 100ms
warm_up: 50ms
epoch: 50ms
bundles: 4
`;
    const [row] = rowsOf(await run(fileOf(text)));
    expect((row as unknown as Record<string, number>)["offered_gbps"]! / 27).toBeCloseTo(1, 2);
  });

  it("stalls where a switch is killed, and follows new routes where a link is down", async () => {
    const faults = (list: string) =>
      LASTING.replace("[ecmp]", "[ecmp, { scheme: dahu, deroutes: 0 }]") + list;
    const gbps = async (text: string) =>
      rowsOf(await run(fileOf(text))).map((row) => row as unknown as Record<string, number>);
    const whole = await gbps(faults(""));
    expect(whole[0]!["stalled_flows"]).toBeUndefined();
    const cut = await gbps(faults("faults: [{ at: 20ms, switch: switch1-1, kind: kill }]\n"));
    // 4 hosts send from the switch, and 4 receive there.
    for (const [i, row] of cut.entries()) {
      expect(row["stalled_flows"]).toBeGreaterThanOrEqual(4);
      expect(row["throughput_gbps"]!).toBeLessThan(whole[i]!["throughput_gbps"]!);
    }
    const down = await gbps(
      faults(
        "control_plane: { recompute_routes: true }\nfaults: [{ at: 10ms, link: [switch0-0, switch0-1], kind: down }]\n",
      ),
    );
    for (const row of down) expect(row["stalled_flows"]).toBe(0);
  });

  it("comes from as many switches, hosts and shares of hosts as it says", () => {
    const topology = build({ kind: "hyperx", shape: [3, 3], hosts_per_switch: 4 });
    const sendersOf = (senders: object) => {
      const part = { pattern: { kind: "permutation" } as const, senders, open: undefined };
      const flows = [...flowsOf([part], topology, new Random(3))];
      const racks = flows.map(({ source }) => topology.nodes[source]!.host!.rack);
      return { hosts: flows.length, racks: new Set(racks).size };
    };
    expect(sendersOf({})).toEqual({ hosts: 36, racks: 9 });
    expect(sendersOf({ switches: 2 })).toEqual({ hosts: 8, racks: 2 });
    expect(sendersOf({ switches: 3, hosts: 1 })).toEqual({ hosts: 3, racks: 3 });
    expect(sendersOf({ hosts: 2 })).toEqual({ hosts: 18, racks: 9 });
    expect(sendersOf({ switches: 2, share: 0.5 }).hosts).toBe(4);
  });

  it("may come from a file with an absolute path", async () => {
    const path = join(folder, "absolute.csv");
    writeFileSync(path, "start,src,dst,bytes\n0ns,host0-0-0,host1-0-0,125000\n");
    const text = fileOf(LASTING.replace("pattern: permutation", `trace: ${path}`));
    const [row] = rowsOf(await run(text));
    expect((row as unknown as Record<string, number>)["flows"]).toBe(1);
  });
});

describe("wrong inputs of the kind fluid", () => {
  const cases: readonly (readonly [what: string, text: string, message: string])[] = [
    [
      "warm-up",
      fileOf(`${LASTING}warm_up: 50ms\n`),
      "fluid.yaml:13:10: error[P45421]: warm_up, 50 ms, is not shorter",
    ],
    [
      "step",
      fileOf(`${LASTING}epoch: 10ms\nstep: 3ms\n`),
      "fluid.yaml:14:7: error[P45421]: an epoch of 10 ms is no whole number of steps of 3 ms",
    ],
    [
      "cliques",
      fileOf(LASTING.replace("permutation", "{ cliques: { count: 5 } }")),
      "error[P45422]: 5 cliques of 2 switches need 10 switches; the topology has 9 with hosts",
    ],
    [
      "stride",
      fileOf(LASTING.replace("permutation", "{ stride: 72 }")),
      "error[P45422]: with 36 hosts, a stride of 72 leads each host to itself",
    ],
    [
      "senders",
      fileOf(LASTING.replace("permutation", "permutation\n    senders: { switches: 10 }")),
      "error[P45422]: 10 switches are to send; 9 have hosts",
    ],
    [
      "hosts",
      fileOf(LASTING.replace("permutation", "permutation\n    senders: { hosts: 5 }")),
      "error[P45422]: 5 hosts of a switch are to send; one has 4",
    ],
    [
      "sizes",
      fileOf(LASTING.replace("permutation", "permutation\n    rate: 1Gbps")),
      "fluid.yaml:12:11: error[P45423]: flows have a rate, but the key sizes is missing",
    ],
    [
      "distribution",
      fileOf(LASTING.replace("permutation", "permutation\n    rate: 1Gbps\n    sizes: web_serch")),
      'error[P42331]: there is no distribution "web_serch"; did you mean "web_search"?',
    ],
    [
      "subflows",
      fileOf(`${LASTING}bundles: 4\nsubflows: 2\n`),
      "fluid.yaml:14:11: error[P45424]: subflows is 2, but flows share 4 bundles",
    ],
    [
      "scheme",
      fileOf(LASTING.replace("[ecmp]", "[ecmp, ecmp]")),
      'error[P43007]: scheme "ecmp" is listed twice',
    ],
    [
      "a fault of packets",
      fileOf(`${LASTING}faults: [{ at: 10ms, link: [switch0-0, switch0-1], loss: 10% }]\n`),
      "fluid.yaml:13:58: error[P45427]: a fault with the key loss: the flow simulator has no packets",
    ],
    [
      "a fault of a host",
      fileOf(`${LASTING}faults: [{ at: 10ms, host: host0-0-0, kind: silent }]\n`),
      "error[P45427]: a fault with the key host",
    ],
    [
      "a fault of a link that does not exist",
      fileOf(`${LASTING}faults: [{ at: 10ms, link: [switch0-0, switch1-1], kind: down }]\n`),
      "error[P43014]",
    ],
    [
      "a fault after the end",
      fileOf(`${LASTING}faults: [{ at: 1s, link: [switch0-0, switch0-1], kind: down }]\n`),
      "error[P43022]",
    ],
    [
      "round trip",
      fileOf(`${LASTING}rates: { aimd: { round_trip: 20ms } }\n`),
      "fluid.yaml:13:30: error[P45421]: a round trip of 20 ms is longer than a step of 10 ms",
    ],
    [
      "sizes without a unit",
      fileOf(LASTING.replace("permutation", "permutation\n    rate: 10Gbps\n    sizes: { exponential: 1 }")),
      "fluid.yaml:13:5: error[P45426]: about 110000000 flows would start in each step of 10 ms: 10 Gbps of each of 9 switches, in flows of 1 bytes",
    ],
    [
      "rate with a wrong unit",
      fileOf(
        LASTING.replace(
          "permutation",
          "{ cliques: { count: 1 } }\n    rate: 900Tbps\n    sizes: { fixed: 1KB }",
        ),
      ),
      "error[P45426]: about 2300000000 flows would start in each step of 10 ms: 900000 Gbps of each of 2 switches",
    ],
    [
      "off_threshold",
      fileOf(LASTING.replace("ecmp", "{ scheme: dahu, threshold: 0.5, off_threshold: 0.6 }")),
      "error[P45416]: off_threshold, 0.6, is above threshold, 0.5",
    ],
    [
      "deroutes without effect",
      fileOf(LASTING.replace("ecmp", "{ scheme: dahu, deroutes: 1, port_groups: next_hops }")),
      "error[P45417]: deroutes: 1 has no effect with port_groups: next_hops",
    ],
    [
      "scheme of another kind",
      fileOf(LASTING.replace("ecmp", "{ scheme: repac }")),
      'error[P43004]: schemes[0].scheme: expected one of dahu, ecmp, got "repac"',
    ],
    ["unknown scheme", fileOf(LASTING.replace("ecmp", "dahuu")), "error[P43004]"],
    ["engine", fileOf(`${LASTING}engine: switch\n`), "expected sim: the kind fluid has no packets"],
    ["two NICs", fileOf(LASTING, "topology: { kind: leaf_spine, tors: 4, leaves: 2 }\n"), "error[P45401]"],
    ["pattern", fileOf(LASTING.replace("permutation", "incast")), "expected all_to_all, inter_rack"],
    [
      "traffic file",
      fileOf(LASTING.replace("pattern: permutation", "trace: nowhere.csv")),
      "fluid.yaml:11:12: error[P43005]",
    ],
    [
      "traffic file beside a pattern",
      fileOf(LASTING.replace("pattern: permutation", "pattern: random\n    trace: nowhere.csv")),
      "fluid.yaml:11:14: error[P45423]: pattern has no effect on the flows of a trace",
    ],
    [
      "senders of a traffic file",
      fileOf(LASTING.replace("pattern: permutation", "trace: nowhere.csv\n    senders: { hosts: 1 }")),
      "fluid.yaml:12:5: error[P45423]: senders has no effect on the flows of a trace",
    ],
    [
      "neither pattern nor trace",
      fileOf(LASTING.replace("pattern: permutation", "senders: { hosts: 1 }")),
      "error[P45423]: a part of the traffic has neither a pattern nor a trace",
    ],
  ];

  it.each(cases)("%s", (_what, text, message) => {
    const diagnostics = new Diagnostics();
    expect(loadExperimentFile(new SourceFile("fluid.yaml", text), diagnostics)).toBeUndefined();
    expect(diagnostics.list.map(formatDiagnostic).join("\n")).toContain(message);
  });

  it("a traffic file out of order, by the number of the flow that is late", () => {
    const path = join(folder, "late.csv");
    const lines = ["2us", "5us", "3us"].map((start) => `${start},host0-0-0,host1-0-0,1000\n`);
    writeFileSync(path, `start,src,dst,bytes\n${lines.join("")}`);
    const diagnostics = new Diagnostics();
    const text = fileOf(LASTING.replace("pattern: permutation", `trace: ${path}`));
    loadExperimentFile(new SourceFile("fluid.yaml", text), diagnostics);
    expect(diagnostics.list.map(({ message }) => message)).toEqual([
      `${path}: flow 3 starts before the flow on the line above`,
    ]);
  });

  it("none: a round trip as long as a step", () => {
    const diagnostics = new Diagnostics();
    const text = fileOf(`${LASTING}rates: { aimd: { round_trip: 10ms } }\n`);
    expect(loadExperimentFile(new SourceFile("fluid.yaml", text), diagnostics)).toBeDefined();
    expect(diagnostics.list).toEqual([]);
  });

  it("a path that is missing, when it runs", async () => {
    const text = fileOf(
      LASTING,
      "topology: { kind: hyperx, shape: [2], missing_links: [[switch0, switch1]] }\n",
    );
    const loaded = loadExperimentFile(new SourceFile("fluid.yaml", text), new Diagnostics());
    const error = (await loaded!.run({}).catch((reason: unknown) => reason)) as DiagnosticError;
    const told = error.diagnostics.map(formatDiagnostic).join("\n");
    expect(told).toContain(
      'error[P45403]: there is no path from "switch0" to "switch1": no links that are up connect the two',
    );
  });
});
