/** RePaC in experiments: down for three timeouts, link scan, planned flows, and what is refused. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import {
  loadExperiment,
  loadTimeline,
  runExperiment,
  runTimeline,
} from "../../../src/fabric/experiment/index.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-relative-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = `name: relative
seed: 3
topology: { kind: leaf_spine, tors: 2, leaves: 8, homing: single, hosts_per_rack: 1 }
traffic: { ip: 4 }
selector: ttl
transport: { segment_bytes: 1000, window_segments: 1, rto_margin: 20ms, rto_cap: 1s }
`;
const FAILOVER = `${HEAD}failure_time: 2ms
give_up: 2s
runs: 12
`;

function messagesOf(load: (source: SourceFile, diagnostics: Diagnostics) => unknown, text: string): string {
  const diagnostics = new Diagnostics();
  load(new SourceFile("t.yaml", text), diagnostics);
  return diagnostics.list.map(formatDiagnostic).join("\n");
}

it("a flow is down for three timeouts, or for the detection time of its switch", async () => {
  const text = `${FAILOVER}schemes:
  - repac
  - { scheme: repac, label: scan, failover: none, detection: 130ms }
  - ecmp
failures: [{ tier: leaf, name: silent }, { link: tor-leaf, kind: down, name: down }]
`;
  const diagnostics = new Diagnostics();
  const experiment = loadExperiment(new SourceFile("t.yaml", text), diagnostics)!;
  const { rows } = await runExperiment(experiment, { out: join(folder, "failover") });
  const of = (scheme: string, failure: string) =>
    rows.find((row) => row.scheme === scheme && row.failure === failure)!;
  // Round trips are some microseconds: the first timeout comes after 20 ms, the second 40 ms later.
  for (const failure of ["silent", "down"]) {
    expect(of("repac", failure).recovered).toBe(1);
    expect(of("repac", failure).p50_ms).toBeGreaterThan(59);
    expect(of("repac", failure).p50_ms).toBeLessThan(61);
  }
  expect(of("scan", "silent").recovered).toBe(0);
  // Retransmissions at 20, 60, 140 ms: the first one after the buckets are remapped gets through.
  expect(of("scan", "down").p50_ms).toBeGreaterThan(139);
  expect(of("scan", "down").p50_ms).toBeLessThan(141);
  // Groups of ECMP leave out a port that is down, so flows whose ToR has the link continue without a timeout, and none waits for
  // `give_up`; the leaf has no other port for the others.
  expect(of("ecmp", "silent").recovered).toBe(0);
  expect(of("ecmp", "down").recovered).toBeGreaterThan(0.2);
  expect(of("ecmp", "down").recovered).toBeLessThan(0.8);
  expect(of("ecmp", "down").repaths_mean).toBe(0);
});

it("flows of a timeline get their planned ports", async () => {
  const text = `${HEAD}schemes: [{ scheme: repac, planning: true }, ecmp]
flows: [{ from: host0-0-0, to: host0-1-0, count: 8 }]
duration: 20ms
`;
  const diagnostics = new Diagnostics();
  const timeline = loadTimeline(new SourceFile("t.yaml", text), diagnostics)!;
  const { rows } = await runTimeline(timeline, { out: join(folder, "timeline") });
  const ports = (scheme: string) => rows.filter((row) => row.scheme === scheme).map((row) => row.client_port);
  expect(new Set(ports("repac")).size).toBe(8);
  for (const port of ports("repac")) expect(port).toBeGreaterThanOrEqual(61440);
  for (const port of ports("ecmp")) expect(port).toBeLessThan(61000);
});

it("names the place of what is wrong", () => {
  const wrong = (scheme: string) =>
    messagesOf(loadExperiment, `${FAILOVER}schemes:\n  - ${scheme}\nfailures: [leaf]\n`);
  expect(wrong("{ scheme: repac, planning: true }")).toContain(
    "t.yaml:11:5: error[P45308]: scheme repac assigns paths to flows before they open: the flows of this experiment are drawn one at a time",
  );
  expect(wrong("{ scheme: repac, buckets: 12 }")).toMatch(
    /t\.yaml:11:31: error\[P45301\]: 12 buckets are no power of two/,
  );
  expect(wrong("{ scheme: repac, hash: { tor: { up: { function: csum16 } } } }")).toMatch(
    /t\.yaml:11:\d+: error\[P45300\]: the hash of tor up, csum16/,
  );
  expect(wrong("{ scheme: repac, detection: soon }")).toContain("expected a time such as 130ms");
});
