/** The kind `localise_packets` on the simulator: names by packets through compiled programs, and that these go where the path model says. */
import { describe, expect, it } from "vitest";
import {
  type DiagnosticError,
  Diagnostics,
  formatDiagnostic,
  SourceFile,
} from "../../../../src/base/index.js";
import { loadAnyKind } from "../../../../src/fabric/experiment/index.js";
import { KINDS } from "../../../../src/fabric/experiment/kinds/registry.js";

const BASE = `kind: localise_packets
name: probes
topology: { kind: leaf_spine, tors: 3, leaves: 3, homing: single, hosts_per_rack: 2, host_link: { rate: 10Gbps, delay: 10us }, fabric_link: { rate: 10Gbps, delay: 1us } }
selector: flow_label
schemes: [{ scheme: pecmp, control: both }, ecmp]
failures: 5
traffic: { ip: 6 }
`;

function load(text: string) {
  const diagnostics = new Diagnostics();
  const loaded = loadAnyKind(new SourceFile("probes.yaml", text), diagnostics, KINDS);
  return { loaded, messages: diagnostics.list.map(formatDiagnostic).join("\n") };
}

async function resultsOf(text: string): Promise<{ rows: Readonly<Record<string, number | string>>[] }> {
  const { loaded, messages } = load(text);
  expect(messages).toBe("");
  return JSON.parse((await loaded!.run({})).json);
}

describe("probes as packets", () => {
  it("name every dead switch, link and direction, and go where the path model says", async () => {
    const { rows } = await resultsOf(BASE);
    expect(rows.map(({ scheme, failed }) => `${scheme} ${failed}`)).toEqual(
      ["pecmp", "ecmp"].flatMap((scheme) =>
        ["switch", "link", "direction"].map((failed) => `${scheme} ${failed}`),
      ),
    );
    for (const row of rows) expect(row).toMatchObject({ failures: 5, right: 5, contradicted: 0 });
    // Three batches at most, and each waits for its lost probes.
    for (const row of rows) {
      expect(row["probes_p95"]).toBeLessThanOrEqual(96);
      expect(row["time_p50_ms"]).toBeGreaterThan(300);
    }
  });

  it("leave by the NICs of their routes where hosts have two, and name what loses a part", async () => {
    const text = BASE.replace("tors: 3, leaves: 3, homing: single", "tors: 4, leaves: 2, homing: dual");
    const { rows } = await resultsOf(`${text}elements: [switch, link]\nloss: [1, 0.3]\nconfidence: 0.999\n`);
    expect(rows).toHaveLength(8);
    for (const row of rows) expect(row).toMatchObject({ failures: 5, right: 5, contradicted: 0 });
  });

  it("name the set of two directions that all probes cross together, and stop", async () => {
    const text = BASE.replace("tors: 3", "tors: 2").replace(
      "[{ scheme: pecmp, control: both }, ecmp]",
      "[ecmp]",
    );
    const { rows } = await resultsOf(`${text}elements: [direction]\nmost_probes: 96\n`);
    expect(rows[0]).toMatchObject({
      failures: 5,
      right: 0,
      set: 5,
      unnamed: 0,
      probes: 192,
      contradicted: 0,
    });
  });

  it("wait only for lost probes, one after the other", async () => {
    const text = BASE.replace("{ scheme: pecmp, control: both }, ecmp", "ecmp").replace(
      "failures: 5",
      "failures: 1",
    );
    const { rows } = await resultsOf(`${text}elements: [direction]\nprobes_at_once: 1\nmost_probes: 40\n`);
    const { probes, time_p50_ms: time } = rows[0] as { probes: number; time_p50_ms: number };
    expect(probes).toBeGreaterThan(4);
    expect(time).toBeLessThan((300 * probes) / 2);
  });

  it("leave a failure without a name when they are used up", async () => {
    const text = BASE.replace("{ scheme: pecmp, control: both }, ecmp", "ecmp");
    const { rows } = await resultsOf(`${text}elements: [link]\nprobes_at_once: 1\nmost_probes: 2\n`);
    expect(rows[0]).toMatchObject({ failed: "link", failures: 5, right: 0, set: 0, unnamed: 5, probes: 10 });
  });

  it("end with P45511 where healthy ways answer too late", async () => {
    const { loaded } = load(`${BASE}probe_timeout: 20us\nprobe_interval: 10us\n`);
    const error = (await loaded!.run({}).catch((reason: unknown) => reason)) as DiagnosticError;
    expect(error.diagnostics.map(formatDiagnostic).join("\n")).toMatch(
      /P45511.*32 of 32 probes get no answer in time/,
    );
  });
});

describe("a wrong file", () => {
  it.each([
    ["a scheme without a path model", "ecmp]", "hula]", /P45210.*"hula"/],
    ["one rack", "tors: 3, leaves: 3", "tors: 1, leaves: 3", /P45510.*one rack/],
    ["a timeout below the interval", "failures: 5", "failures: 5\nprobe_timeout: 1us", /P43026.*0\.001 ms/],
    ["noise that explains everything", "failures: 5", "failures: 5\nnoise: 0.5", /above 0 and below 0\.1/],
  ])("is refused: %s", (_, from, to, message) => {
    expect(load(BASE.replace(from, to)).messages).toMatch(message);
  });
});
