/** A folder of results repeats its run: the same bytes, or which files and rows differ; folders that are tampered with or incomplete are refused. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics, formatDiagnostic } from "../../../../src/base/index.js";
import { rerunText } from "../../../../src/cli/rerun.js";
import { loadExperimentWithOwn, rerun } from "../../../../src/fabric/experiment/index.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-repeat-"));
const source = join(folder, "source");
const original = join(folder, "results");

const EXPERIMENT = `name: repeated
kind: load
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 1, fabric_link: { rate: 1Gbps } }
schemes: [ecmp, ../schemes/own/scheme.mjs]
load: 0.3
traffic: { sizes: { cdf: { file: sizes.txt, shares: percent } }, pattern: inter_rack, flows: 6 }
transport: { congestion_control: reno }
sweep: { seeds: 2 }
`;

const SCHEME = `export default (kit) => ({
  name: "own",
  parameters: kit.z.strictObject({}),
  plan(topology) {
    const base = kit.schemes.ecmp.plan(topology, kit.schemes.ecmp.parameters.parse({}));
    return {
      programs: base.programs.map(({ name, values }) => kit.template(name, "./own.p4.hbs", values)),
      switches: base.switches,
    };
  },
});
`;

async function run(out: string): Promise<void> {
  const diagnostics = new Diagnostics();
  const experiment = await loadExperimentWithOwn(join(source, "files/experiment.yaml"), diagnostics);
  diagnostics.throwIfErrors();
  await experiment!.run({ out });
}

beforeAll(async () => {
  const write = (name: string, text: string) => {
    mkdirSync(join(source, name, ".."), { recursive: true });
    writeFileSync(join(source, name), text);
  };
  write("files/experiment.yaml", EXPERIMENT);
  write("files/sizes.txt", "1000 0\n20000 100\n");
  write("files/unrelated.txt", "not named");
  write("schemes/own/scheme.mjs", SCHEME);
  write(
    "schemes/own/own.p4.hbs",
    readFileSync(resolve(import.meta.dirname, "../../../../templates/ecmp/switch.p4.hbs"), "utf8"),
  );
  await run(original);
  // What repeats the run is in the folder.
  rmSync(source, { recursive: true });
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

let copies = 0;
/** A copy of the results, changed. */
function changed(change: (copy: string) => void): string {
  const copy = join(folder, `copy-${++copies}`);
  cpSync(original, copy, { recursive: true });
  change(copy);
  return copy;
}

const record = (copy: string) => join(copy, "repeat/run.json");
const edit = (path: string, from: string | RegExp, to: string) => {
  const text = readFileSync(path, "utf8");
  expect(text).toMatch(from);
  writeFileSync(path, text.replace(from, to));
};
/** Lets the list of files have the file as it is now. */
async function listed(copy: string, name: string): Promise<void> {
  const { createHash } = await import("node:crypto");
  const digest = createHash("sha256")
    .update(readFileSync(join(copy, name)))
    .digest("hex");
  edit(
    join(copy, ".p4loom-files.json"),
    new RegExp(`"${name.replaceAll(".", "\\.")}": "\\w+"`),
    `"${name}": "${digest}"`,
  );
}

const refused = async (copy: string): Promise<string> => {
  const error = await rerun(copy).catch((thrown: unknown) => thrown);
  if (!(error instanceof DiagnosticError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  return error.diagnostics.map(formatDiagnostic).join("\n");
};

describe("a folder of results", () => {
  it("carries the files that its run has read, and the command", () => {
    const { inputs, experiment, command, seed, engine, outside, left_out } = JSON.parse(
      readFileSync(record(original), "utf8"),
    ) as Record<string, object>;
    expect(Object.keys(inputs!).sort()).toEqual([
      "files/experiment.yaml",
      "files/sizes.txt",
      "schemes/own/own.p4.hbs",
      "schemes/own/scheme.mjs",
    ]);
    expect({ experiment, command, seed, engine, outside, left_out }).toEqual({
      experiment: "files/experiment.yaml",
      command: "p4loom run files/experiment.yaml",
      ...{ seed: 1, engine: "sim", outside: {}, left_out: [] },
    });
    expect(readFileSync(join(original, "repeat/files/schemes/own/scheme.mjs"), "utf8")).toBe(SCHEME);
  });

  it("gives the same bytes, from its own files alone, and is not changed", async () => {
    const result = await rerun(original);
    expect(result.differing).toEqual([]);
    expect(result.files).toBeGreaterThan(8);
    expect(rerunText("results", result)).toBe(
      `same bytes: all ${result.files} files of results were made again from what the folder carries\n`,
    );
    // A folder that a run has made again is a folder of results too.
    expect((await rerun(original)).differing).toEqual([]);
  }, 60_000);
});

describe("what differs", () => {
  it("a folder whose figures were made by another seed differs", async () => {
    const copy = changed((own) => edit(record(own), /"seed": 1/, '"seed": 7'));
    await listed(copy, "repeat/run.json");
    const result = await rerun(copy);
    const csv = result.differing.find(({ name }) => name === "results.csv")!;
    expect(csv.lines.find((line) => line.startsWith("line 2"))).toMatch(
      /^line 2: .*fct_mean_ms: "[\d.]+" in the folder, "[\d.]+" now/,
    );
    const text = rerunText("copy", result);
    expect(text).toMatch(/^\d+ of \d+ files of copy differ after p4loom run files\/experiment\.yaml:\n/);
    expect(text).toContain("\nresults.csv\n    line ");
    expect(text).not.toContain("same bytes");
  }, 60_000);

  it("a figure that was changed together with its digest is found, and its cell is named", async () => {
    const copy = changed((own) => edit(join(own, "results.csv"), /^ecmp,all,2,(\d+)/m, "ecmp,all,2,99"));
    await listed(copy, "results.csv");
    const { differing } = await rerun(copy);
    expect(differing).toEqual([
      {
        name: "results.csv",
        lines: [expect.stringMatching(/^line \d+: flows: "99" in the folder, "\d+" now$/)],
      },
    ]);
  }, 60_000);

  it("other versions are named beside it", async () => {
    const copy = changed((own) => edit(record(own), /"node": "v[^"]+"/, '"node": "v1.2.3"'));
    await listed(copy, "repeat/run.json");
    const result = await rerun(copy);
    expect([result.differing, result.notes]).toEqual([
      [],
      [`the results were made by Node v1.2.3, this is ${process.version}`],
    ]);
  }, 60_000);
});

describe("what is refused", () => {
  it("a folder without a record, and a record that is none", async () => {
    expect(await refused(join(folder, "nowhere"))).toMatch(
      /error\[P43090\]: .*nowhere has no record of its run: cannot read/,
    );
    for (const [from, to, what] of [
      [/"experiment": "files/, '"experiment": "../files', "expected a path below the folder"],
      [/"seed": 1/, '"seed": -1', "seed"],
      [/"engine": "sim"/, '"engine": "none"', "engine"],
      [/^\{/, "", "P43090"],
    ] as const)
      expect(await refused(changed((own) => edit(record(own), from, to)))).toContain(what);
  });

  it("files that have changed or are missing", async () => {
    for (const name of ["results.json", "programs/ecmp/tor.p4", "repeat/files/files/sizes.txt"]) {
      const tampered = await refused(changed((own) => writeFileSync(join(own, name), "other")));
      expect(tampered).toContain(`error[P43091]`);
      expect(tampered).toContain(`${name} is not as the run wrote it`);
      expect(await refused(changed((own) => rmSync(join(own, name))))).toContain(`${name} is missing`);
    }
    expect(await refused(changed((own) => rmSync(join(own, ".p4loom-files.json"))))).toContain(
      "does not name repeat/run.json",
    );
    // An input that is listed in neither place would be run unseen.
    const unlisted = changed((own) =>
      edit(record(own), /"files\/sizes.txt": "\w+"/, `"files/other.txt": "${"0".repeat(64)}"`),
    );
    expect(await refused(unlisted)).toContain("does not name repeat/files/files/other.txt");
  });

  it("inputs that the folder does not carry, and runs on real switches", async () => {
    const long = changed((own) => edit(record(own), /"left_out": \[\]/, '"left_out": ["trace.csv"]'));
    await listed(long, "repeat/run.json");
    expect(await refused(long)).toContain("error[P43092]: ");
    const outside = changed((own) =>
      edit(record(own), /"outside": \{\}/, `"outside": {"/no/such/file": "${"0".repeat(64)}"}`),
    );
    await listed(outside, "repeat/run.json");
    expect(await refused(outside)).toContain("the run has read /no/such/file");
    const real = changed((own) => edit(record(own), /"engine": "sim"/, '"engine": "switch"'));
    expect(await refused(real)).toMatch(/error\[P43093\]: the run in .* was on engine switch/);
  });
});
