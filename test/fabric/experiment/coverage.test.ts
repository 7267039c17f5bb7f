/** What the packets of an experiment reach: counts are those of the frames on the links, and the results stay as they are. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { PcapngDecoder } from "../../../src/base/packets/index.js";
import { loadExperimentWithOwn, RunCoverage, type RunOptions } from "../../../src/fabric/experiment/index.js";
import { coverageOf } from "../../../src/toolchain/coverage/index.js";

const root = resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "p4loom-run-coverage-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FLOWS = `name: flows
seed: 3
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 2 }
schemes:
  - ecmp
  - { scheme: ecmp, label: again }
flows:
  - { from: host0-0-0, to: host0-1-0, count: 3, bytes: 20000 }
  - { from: host0-0-1, to: host0-0-0, bytes: 20000 }
duration: 1s
`;

async function run(text: string, options: RunOptions) {
  const diagnostics = new Diagnostics();
  const file = new SourceFile(join(root, "examples/drawn.yaml"), text);
  const experiment = await loadExperimentWithOwn(file, diagnostics);
  diagnostics.throwIfErrors();
  return await experiment!.run(options);
}

/** Frames that arrive at switches, from captures of all links of one scheme. */
function arrivals(name: string): number {
  const decoder = new PcapngDecoder(name);
  decoder.push(readFileSync(join(folder, "captures", name)));
  let found = 0;
  for (let packet = decoder.next(); packet !== undefined; packet = decoder.next())
    if (!/>host/.test(decoder.interfaces[packet.interface]!.name!)) found++;
  return found;
}

it("counts each frame that arrives at a switch once, of schemes with the same programs together", async () => {
  const coverage = new RunCoverage();
  const counted = await run(FLOWS, { coverage });
  const plain = await run(FLOWS, { out: folder, seeing: { pcap: ["all"], flows: [0] } });
  expect(counted.json).toBe(plain.json);
  const starts = coverage.programs.map(({ counts }) =>
    coverageOf(counts).items.find(({ kind, text }) => kind === "state" && text === "start"),
  );
  expect(coverage.programs.map(({ names }) => names)).toEqual([
    ["ecmp/tor.p4", "again/tor.p4"],
    ["ecmp/leaf.p4", "again/leaf.p4"],
  ]);
  const frames = arrivals("ecmp.pcapng") + arrivals("again.pcapng");
  expect(frames).toBeGreaterThan(100);
  expect(starts.reduce((sum, item) => sum + item!.hits, 0)).toBe(frames);
});

it("counts also what the file asks to trace", async () => {
  const [seen, plain] = [new RunCoverage(), new RunCoverage()];
  await run(`${FLOWS}see: { trace_flows: [0, 1] }\n`, { coverage: seen });
  await run(FLOWS, { coverage: plain });
  expect(seen.programs.map(({ counts }) => [...counts.hits])).toEqual(
    plain.programs.map(({ counts }) => [...counts.hits]),
  );
});

it("refuses kinds without packets", async () => {
  const text = readFileSync(join(root, "examples/dahu/fat-tree-small.yaml"), "utf8");
  const results = await run(text, { coverage: new RunCoverage() }).catch(({ diagnostics }) => ({
    failures: diagnostics,
  }));
  expect(JSON.stringify(results.failures)).toContain("experiments of the kind fluid send no packets");
});
