/** The examples of docs/own-scheme.md on the simulator. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics, formatDiagnostic } from "../../../src/base/index.js";
import { loadExperimentWithOwn, type RunOptions } from "../../../src/fabric/experiment/index.js";

const root = resolve(import.meta.dirname, "../../..");
const examples = join(root, "examples/schemes");
const folders: string[] = [];

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-own-"));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function load(path: string) {
  const diagnostics = new Diagnostics();
  const loaded = await loadExperimentWithOwn(path, diagnostics);
  if (loaded === undefined) throw new DiagnosticError(diagnostics.list);
  return loaded;
}

/** The rows of the results, and the notes beside them. */
async function run(path: string, options: RunOptions = {}) {
  const { json, notes } = await (await load(path)).run(options);
  return { rows: JSON.parse(json).rows as Record<string, string | number | null>[], notes };
}

/** A copy of the examples with one file changed. */
function changed(file: string, from: string, to: string): string {
  const folder = scratch();
  cpSync(examples, folder, { recursive: true });
  const text = readFileSync(join(folder, file), "utf8");
  expect(text).toContain(from);
  writeFileSync(join(folder, file), text.replace(from, to));
  return folder;
}

async function messagesOf(path: string): Promise<string> {
  const error = await load(path).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DiagnosticError);
  return (error as DiagnosticError).diagnostics.map(formatDiagnostic).join("\n");
}

describe("LetFlow as a module", () => {
  it("leaves a failed leaf by chance after a pause, which plain ECMP never does", async () => {
    const { rows, notes } = await run(join(examples, "letflow.yaml"), { runs: 10 });
    const recovered = Object.fromEntries(rows.map((row) => [row["scheme"], row["recovered"]]));
    expect(recovered).toMatchObject({ letflow: 1, none: 0 });
    expect(notes.join()).toContain("a flowlet ends after 2000 us");
  });

  // One of four leaves is dead: a draw misses it with 3/4, and a flow needs such a draw in both directions. A counter in place of the draw goes through
  // the leaves in turn, which is better than chance (0.71).
  it("draws the leaves of flowlets independently of earlier ones", async () => {
    const folder = changed("letflow.yaml", "  - prr\n  - { scheme: none, runs: 2 }\n", "");
    const runs = 160;
    const { rows } = await run(join(folder, "letflow.yaml"), { runs });
    const expected = (3 / 4) ** 2;
    const deviation = Math.sqrt((expected * (1 - expected)) / runs);
    const { first_try_success: measured } = rows.find((row) => row["scheme"] === "letflow")!;
    expect(Math.abs(Number(measured) - expected)).toBeLessThan(3 * deviation);
  });

  it("refuses a parameter that its schema does not have, at its place", async () => {
    const folder = changed("letflow.yaml", "gap_us: 2000", "gap_ms: 2");
    expect(await messagesOf(join(folder, "letflow.yaml"))).toMatch(
      /letflow\.yaml:\d+:\d+: error\[P43002\].*gap_ms/,
    );
  });

  it("names the place of an error in its template", async () => {
    const folder = changed("letflow/letflow.p4.hbs", "draws.read(", "draw.read(");
    await expect(run(join(folder, "letflow.yaml"), { runs: 1 })).rejects.toThrow(
      /letflow\.p4\.hbs:\d+:\d+: error.*draw/,
    );
  });
});

describe("a P4 program of a module", () => {
  const module = `export default (kit) => ({
  name: "bare",
  plan(topology) {
    const switches = kit.topology.switchesOf(topology);
    return {
      programs: [kit.source("main", "./main.p4")],
      switches: switches.map(({ index }) => ({ node: index, program: "main", updates: [] })),
    };
  },
});
`;

  it.each([
    ["", /main\.p4:1:1: error\[P40430\]: the program has no main/],
    ["#include <v1model.p4>\n", /main\.p4:1:1: error\[P40430\]: the program has no main/],
    ["#include <v1model.p4>\nheader h_t { bit<8 x; }\n", /main\.p4:2:\d+: error\[P40\d+\]/],
  ])("that is wrong is named with the module: %j", async (text, message) => {
    const folder = scratch();
    writeFileSync(join(folder, "scheme.mjs"), module);
    writeFileSync(join(folder, "main.p4"), text);
    const experiment = readFileSync(join(examples, "plain.yaml"), "utf8");
    writeFileSync(
      join(folder, "bare.yaml"),
      experiment.replace(/schemes:\n(?: {2}.*\n)+/, "schemes: [./scheme.mjs]\n"),
    );
    const error: unknown = await run(join(folder, "bare.yaml")).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DiagnosticError);
    const formatted = formatDiagnostic((error as DiagnosticError).diagnostics[0]!);
    expect(formatted).toMatch(message);
    expect(formatted).toMatch(/scheme\.mjs:3:3: note: this is the program "main" of the scheme bare/);
  });
});

describe("an update of a module's plan that the switch refuses", () => {
  it.each([
    [
      '{ type: "insert", entity: { kind: "tableEntry", table: "nope", match: [], priority: 0, action: { kind: "action", action: "x", params: {} } } }',
      /scheme\.mjs:3:3: error\[P43406\]: switch tor0-0 refuses update \d+, insert tableEntry "nope", of its plan: the program has no table nope/,
    ],
    [
      '{ type: "insert", entity: { kind: "tableEntry", table: "nope" } }',
      /scheme\.mjs:3:3: error\[P43406\]: switch tor0-0 refuses .* of its plan: /,
    ],
    [
      '{ type: "insert", entity: { kind: "nothing" } }',
      /scheme\.mjs:3:3: error\[P43406\]: switch tor0-0 refuses .* of its plan: /,
    ],
  ])("is named with the switch: %s", async (update, message) => {
    const folder = scratch();
    cpSync(join(examples, "letflow.yaml"), join(folder, "letflow.yaml"));
    mkdirSync(join(folder, "letflow"));
    writeFileSync(
      join(folder, "letflow/scheme.mjs"),
      `export default (kit) => ({
  name: "wrong", parameters: kit.z.strictObject({ gap_us: kit.z.number() }),
  plan(topology) {
    const { programs, switches } = kit.schemes.ecmp.plan(topology, kit.schemes.ecmp.parameters.parse({}));
    return { programs, switches: switches.map((own) => ({ ...own, updates: [...own.updates, ${update}] })) };
  },
});
`,
    );
    const error: unknown = await run(join(folder, "letflow.yaml"), { runs: 1 }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DiagnosticError);
    expect(formatDiagnostic((error as DiagnosticError).diagnostics[0]!)).toMatch(message);
  });
});

describe("plain P4 with entries", () => {
  it("forwards by the entries, and stops where a switch fails in silence", async () => {
    const { rows } = await run(join(examples, "plain.yaml"));
    expect(rows.map((row) => row["scheme"])).toEqual(new Array(6).fill("plain ECMP"));
    expect(rows.filter((row) => row["fct_ms"] !== null)).toHaveLength(2);
    expect(rows.some((row) => Number(row["timeouts"]) > 0)).toBe(true);
  });

  it.each([
    [
      "plain/tor0-0.txt",
      "PlainIngress.to_group 0.0.0.0/0",
      "PlainIngress.to_all 0.0.0.0/0",
      /tor0-0\.txt:\d+:\d+: error\[P43203\]/,
    ],
    [
      "plain/ecmp.p4",
      "sm.egress_spec = port;",
      "sm.egress_spec = ports;",
      /ecmp\.p4:\d+:\d+: error\[P40\d+\]/,
    ],
    [
      "plain.yaml",
      "plain/ecmp.p4 #",
      "plain/ecnp.p4 #",
      /plain\.yaml:22:14: error\[P40001\]: cannot read .*ecnp\.p4: no such file/,
    ],
    [
      "plain.yaml",
      "plain/ecmp.p4",
      "{ tor: plain/ecmp.p4, leaf: plain/leaf.json }",
      /plain\.yaml:22:42: error\[P40001\]: cannot read .*leaf\.json: no such file/,
    ],
    [
      "plain.yaml",
      "leaf0-1: plain/leaf0-1.txt",
      "leaf0-1: plain/leaf0-7.txt",
      /plain\.yaml:27:16: error\[P40001\]: cannot read .*leaf0-7\.txt: no such file/,
    ],
    [
      "plain.yaml",
      "leaf0-1: plain/leaf0-1.txt",
      "leaf0-1: [plain/leaf0-1.txt, plain/more.json]",
      /plain\.yaml:27:36: error\[P40001\]: cannot read .*more\.json: no such file/,
    ],
    [
      "plain.yaml",
      "leaf0-1: plain/leaf0-1.txt",
      "leaf9: plain/leaf0-1.txt",
      /plain\.yaml:\d+:\d+: error\[P43405\]: "leaf9" is neither/,
    ],
    [
      "plain.yaml",
      "plain/ecmp.p4",
      "{ tor: plain/ecmp.p4 }",
      /plain\.yaml:\d+:\d+: error\[P43405\]: no program for leaf0-0/,
    ],
    [
      "plain.yaml",
      "program: plain/ecmp.p4",
      "programs: plain/ecmp.p4",
      /plain\.yaml:\d+:\d+: error\[P4300[23]\]/,
    ],
  ])("reports what is wrong in %s: %s", async (file, from, to, message) => {
    expect(await messagesOf(join(changed(file, from, to), "plain.yaml"))).toMatch(message);
  });
});
