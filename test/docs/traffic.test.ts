/** Every example of docs/traffic.md is checked and drawn; every key and every distribution stands on the page. */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { Diagnostics, formatDiagnostic, Random, SourceFile } from "../../src/base/index.js";
import { planTraffic } from "../../src/fabric/experiment/kinds/load/plan-traffic.js";
import { loadSchema, trafficSchema } from "../../src/fabric/experiment/kinds/load/schema.js";
import { readSizeDistribution } from "../../src/fabric/traffic/index.js";
import { loadDocument } from "../../src/toolchain/documents/index.js";
import { leafSpine } from "../fabric/traffic/flows.js";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/traffic.md"), "utf8");
const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map((match) => match[1]!);
/** Indented blocks, by what their first line starts with. */
const blocks = [...page.matchAll(/(?:^ {4}.*\n)+/gm)].map(([text]) => text.replace(/^ {4}/gm, ""));
const FILES: Readonly<Record<string, string>> = {
  "sizes.txt": "# bytes fraction",
  "racks.csv": "# racks.csv",
  "flows.csv": "start,",
};

const folder = mkdtempSync(join(tmpdir(), "p4loom-traffic-"));
for (const [name, first] of Object.entries(FILES))
  writeFileSync(join(folder, name), blocks.find((block) => block.startsWith(first))!);
copyFileSync(join(root, "test/bad/load-traffic/six.pcap"), join(folder, "capture.pcap"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("docs/traffic.md", () => {
  it("has examples", () => expect(examples.length).toBeGreaterThan(10));

  it.each(examples.map((text) => [text]))("draws the flows of\n%s", (text) => {
    const diagnostics = new Diagnostics();
    const source = new SourceFile(join(folder, "experiment.yaml"), text);
    const schema = z.strictObject({ load: loadSchema.optional(), traffic: trafficSchema });
    const document = loadDocument(source, schema, diagnostics);
    const { load, traffic: settings } = document!.value;
    const { locate } = document!;
    const plan = planTraffic({
      settings,
      load,
      segmentBytes: 1000,
      topology: leafSpine(4, 4),
      source,
      locate,
      diagnostics,
    });
    expect(diagnostics.list.map(formatDiagnostic)).toEqual([]);
    const workload = plan!.workload(new Random(1));
    let last = 0;
    for (let i = 0; i < 100; i++) {
      const flow = workload.next();
      if (flow === undefined) break;
      expect(flow.startNs).toBeGreaterThanOrEqual(last);
      last = flow.startNs;
      for (const next of workload.completed?.(flow, flow.startNs + 1000) ?? [])
        expect(next.startNs).toBeGreaterThan(flow.startNs);
    }
    expect(last).toBeGreaterThan(0);
  });

  it("explains every key, every pattern and every distribution, with its mean", () => {
    for (const key of Object.keys(trafficSchema.shape)) expect(page, key).toContain(`| \`${key}\` |`);
    for (const name of readdirSync(join(root, "data/cdf"))) {
      const text = readFileSync(join(root, "data/cdf", name), "utf8");
      const row = page
        .split("\n")
        .find((line) => line.startsWith("| `") && line.includes(`\`${name.slice(0, -4)}\``))!;
      const index = [...row.split("|")[1]!.matchAll(/`(\w+)`/g)].findIndex(
        ([, one]) => `${one}.txt` === name,
      );
      const [, value, unit] = /([\d.]+) ([KM]B)/.exec(row.split("|")[3]!.split(",")[index]!)!;
      const mean = Number(value) * (unit === "MB" ? 1e6 : 1e3);
      expect(readSizeDistribution(new SourceFile(name, text)).mean / mean, name).toBeCloseTo(1, 1);
    }
  });
});
