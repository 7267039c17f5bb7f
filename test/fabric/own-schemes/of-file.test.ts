/** The schemes that an experiment file defines itself, from the file's document. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { ownSchemesOf } from "../../../src/fabric/own-schemes/index.js";
import { switchesOf } from "../../../src/fabric/topology/index.js";
import { openDocument } from "../../../src/toolchain/documents/index.js";
import { build } from "../topology/load.js";

(globalThis as Record<symbol, unknown>)[Symbol.for("p4loom.import")] = createRequire(import.meta.url)(
  "./native-import.cjs",
);

const folder = mkdtempSync(join(tmpdir(), "p4loom-of-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
cpSync(resolve(import.meta.dirname, "../../../examples/schemes/plain"), folder, { recursive: true });
for (const name of ["one", "two"])
  writeFileSync(
    join(folder, `${name}.mjs`),
    `export default () => ({ name: "${name}", plan: () => ({}) });\n`,
  );

const TOPOLOGY = { kind: "leaf_spine", tors: 2, leaves: 1, homing: "single", hosts_per_rack: 1 };
const topology = build(TOPOLOGY as never);

async function schemesOf(text: string) {
  const file = new SourceFile(join(folder, "own.yaml"), text);
  const diagnostics = new Diagnostics();
  const document = openDocument(file, diagnostics);
  if (document === undefined) throw new DiagnosticError(diagnostics.list);
  return ownSchemesOf(file, document);
}

const topologyText = `topology: ${JSON.stringify(TOPOLOGY)}\n`;

describe("the schemes of a file", () => {
  it("are the modules by their paths, each once, and P4 with its plans", async () => {
    const schemes = await schemesOf(
      `${topologyText}schemes: [./one.mjs, ecmp, { scheme: ./two.mjs, label: x }, ./one.mjs]\n`,
    );
    expect(Object.entries(schemes).map(([path, { name }]) => [path, name])).toEqual([
      ["./one.mjs", "one"],
      ["./two.mjs", "two"],
      ["p4", "p4"],
    ]);
  });

  it("are no modules where the name holds a slash further on, as names of packages do", async () => {
    expect(Object.keys(await schemesOf(`${topologyText}schemes: [lib/one.mjs, 'x./one.mjs']\n`))).toEqual([
      "p4",
    ]);
  });

  it("may lie elsewhere", async () => {
    const path = join(folder, "one.mjs");
    expect((await schemesOf(`${topologyText}schemes: [${path}]\n`))[path]!.name).toBe("one");
  });

  it("have a plan for each entry of scheme p4, with the selector of the file", async () => {
    const { p4 } = await schemesOf(
      `${topologyText}selector: flow_label
schemes:
  - { scheme: p4, label: a, runs: 3, program: ecmp.p4 }
  - { scheme: p4, label: b, program: ecmp.p4, selector: 5, field: dscp }
`,
    );
    const plan = (parameters: object) => p4!.plan(topology, p4!.parameters.parse(parameters));
    const program = "ecmp.p4";
    expect(plan({ program, field: "flow_label" })).toMatchObject({
      field: "flow_label",
      hosts: { selector: 0 },
    });
    expect(plan({ program, selector: 5 })).toMatchObject({ field: "dscp", hosts: { selector: 5 } });
    expect(plan({ program, selector: 5 }).switches).toHaveLength(switchesOf(topology).length);
    expect(() => plan({ program })).toThrow(/is made before the file is checked/);
  });

  it("have no plan where the check of the file will find an error", async () => {
    for (const text of [
      "schemes: [p4]\n",
      `${topologyText}schemes: [p4]\n`,
      "topology: { kind: none }\nschemes: [{ scheme: p4, program: ecmp.p4 }]\n",
      "schemes: 5\n",
      "- 1\n",
    ])
      expect(Object.keys(await schemesOf(text))).toEqual(["p4"]);
  });

  it.each([
    [`${topologyText}schemes:\n  - ./none.mjs\n`, /own\.yaml:3:5: error\[P43401\]/],
    [`${topologyText}schemes:\n  - { label: a, scheme: ./none.mjs }\n`, /own\.yaml:3:25: error\[P43401\]/],
    [`${topologyText}schemes:\n  - { scheme: p4, program: none.p4 }\n`, /own\.yaml:3:28: error\[P40001\]/],
    [
      `${topologyText}schemes:\n  - { scheme: p4, program: { spine: ecmp.p4 } }\n`,
      /own\.yaml:3:30: error\[P43405\]/,
    ],
    [
      "topology:\n  kind: map\n  map: none.json\nschemes: [{ scheme: p4, program: ecmp.p4 }]\n",
      /own\.yaml:3:8: error/,
    ],
  ])("are placed where they cannot be loaded: %j", async (text, message) => {
    const error: unknown = await schemesOf(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DiagnosticError);
    expect(formatDiagnostic((error as DiagnosticError).diagnostics[0]!)).toMatch(message);
  });

  it("also come from other contents that the file is used with", async () => {
    const file = new SourceFile(join(folder, "own.yaml"), `${topologyText}schemes: [./one.mjs]\n`);
    const diagnostics = new Diagnostics();
    const document = openDocument(file, diagnostics)!;
    const seen: string[][] = [];
    await ownSchemesOf(file, document, (schemes) => {
      seen.push(Object.keys(schemes));
      return [];
    });
    expect(seen).toEqual([["./one.mjs"]]);
  });
});
