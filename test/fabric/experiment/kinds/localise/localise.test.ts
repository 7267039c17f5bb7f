/** The kind `localise`: names of failures, probes to cover all ways, wrong files. */
import { describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics, SourceFile } from "../../../../../src/base/index.js";
import { localiseOf, localiseSchema } from "../../../../../src/fabric/experiment/kinds/localise/check.js";
import { collectorOf, localiseRow } from "../../../../../src/fabric/experiment/kinds/localise/index.js";
import { runLocalise } from "../../../../../src/fabric/experiment/kinds/localise/outcome.js";
import { planSchemes } from "../../../../../src/fabric/experiment/plan-schemes.js";
import { SCHEMES } from "../../../../../src/fabric/schemes/index.js";
import { buildTopology } from "../../../../../src/fabric/topology/index.js";
import { loadDocument } from "../../../../../src/toolchain/documents/index.js";

function load(text: string) {
  const diagnostics = new Diagnostics();
  const file = new SourceFile("localise.yaml", text);
  const document = loadDocument(file, localiseSchema, diagnostics);
  if (document === undefined) throw new DiagnosticError(diagnostics.list);
  const { value, locate } = document;
  const topology = buildTopology(value.topology);
  const experiment = localiseOf({
    ...{ source: file, value, topology, locate, diagnostics },
    plan: (settings, runs) =>
      planSchemes({ ...settings, runs }, topology, { locate, diagnostics, schemes: SCHEMES }),
  });
  if (diagnostics.errorCount > 0) throw new DiagnosticError(diagnostics.list);
  return experiment;
}

const still = { seed: 1, stepDone: async () => {}, breathe: async () => {} };
const FILE = `name: t
topology: { kind: fat_tree, k: 4 }
selector: flow_label
schemes: [{ scheme: pecmp, control: both }, ecmp]
failures: 12
loss: [1, 0.2]
cover_pairs: 3
ip: 6
`;

describe("an experiment", () => {
  it("names all failures rightly, with fewer probes over exact next hops than with random ones", async () => {
    const experiment = load(FILE);
    const probes: Record<string, number> = {};
    for (const unit of experiment.units) {
      const outcome = await runLocalise(experiment, unit, still);
      const row = localiseRow(experiment, unit, outcome);
      if (unit.what === "ways") {
        expect(row["n"]).toBe(4);
        expect(row["coupon_collector"]).toBeCloseTo(collectorOf(4));
        expect((row["cover_ratio"]! as number) >= 1).toBe(true);
        if (unit.scheme.label === "pecmp") expect(row["cover_probes"]).toBe(4);
        continue;
      }
      if (unit.what === "links") {
        // Directed links between leaves and spines, of which a probe crosses two at most.
        expect(row["n"]).toBe(32);
        expect(row["cover_probes"]).toBeGreaterThanOrEqual(16);
        if (unit.scheme.label === "pecmp") expect(row["cover_probes"]).toBeLessThan(24);
        else expect(row["cover_ratio"]).toBeGreaterThan(2);
        continue;
      }
      expect([row["failures"], row["unnamed"]]).toEqual([12, 0]);
      // A confidence of 99 % may be wrong now and then where packets are lost at random.
      expect(row["wrong"]).toBeLessThanOrEqual(unit.loss === 1 ? 0 : 1);
      if (unit.what === "direction" && unit.loss === 1)
        probes[unit.scheme.label] = row["probes_p50"] as number;
    }
    expect(probes["pecmp"]).toBeLessThan(probes["ecmp"]!);
  });

  it("has the two covers and each kind of failure with each share as units, by their names", () => {
    const { units } = load(FILE.replace(", ecmp]", "]"));
    expect(units.map(({ name, steps }) => [name, steps])).toEqual([
      ["cover ways", 1],
      ["cover links", 1],
      ...["switch", "link", "direction"].flatMap((what) => [
        [`${what} 1`, 1],
        [`${what} 0.2`, 5],
      ]),
    ]);
  });

  it("gives the same outcome for the same seed", async () => {
    const experiment = load(FILE);
    const unit = experiment.units.find(({ what, scheme }) => what === "link" && scheme.label === "pecmp")!;
    expect(await runLocalise(experiment, unit, still)).toEqual(await runLocalise(experiment, unit, still));
  });

  it("leaves a failure without a name when the probes are used up", async () => {
    const experiment = load(`${FILE}most_probes: 1\n`);
    const unit = experiment.units.find(({ what }) => what === "link")!;
    const row = localiseRow(experiment, unit, await runLocalise(experiment, unit, still));
    expect([row["right"], row["unnamed"], row["probes_p50"]]).toEqual([0, 12, null]);
  });
});

const graph = (...links: string[]) =>
  `{ kind: graph, nodes: [{ name: x, role: host }, { name: y, role: host }, { name: s, role: switch }${
    links.length > 2 ? ", { name: t, role: switch }" : ""
  }], links: [${links.join(", ")}] }`;

describe("a wrong file", () => {
  it.each([
    [
      "one switch",
      FILE.replace("{ kind: fat_tree, k: 4 }", graph("{ a: x, b: s }", "{ a: y, b: s }")),
      /no link between switches/,
    ],
    [
      "one rack",
      FILE.replace("{ kind: fat_tree, k: 4 }", graph("{ a: x, b: s }", "{ a: y, b: s }", "{ a: s, b: t }")),
      /all hosts are in one rack/,
    ],
    [
      "two faults at once among one link",
      `${FILE.replace("{ kind: fat_tree, k: 4 }", graph("{ a: x, b: s }", "{ a: y, b: t }", "{ a: s, b: t }"))
        .replace(", ecmp]", "]")
        .replace("[{ scheme: pecmp, control: both }", "[ecmp")}faults: 2\n`,
      /2 elements of the kind link are to fail at once, and the topology has 1/,
    ],
    ["three faults at once", `${FILE}faults: 3\n`, /expected 1 or 2 elements that fail at once/],
    ["a share above 1", FILE.replace("0.2", "2"), /above 0 and at most 1/],
    ["an unknown element", `${FILE}elements: [port]\n`, /expected one of switch, link, direction/],
    ["a confidence of 1", `${FILE}confidence: 1\n`, /below 1/],
    ["a scheme without a path model", FILE.replace(", ecmp]", ", hula]"), /has no path model/],
  ])("is refused: %s", (_, text, message) => {
    expect(() => load(text)).toThrow(message);
  });
});
