/**
 * The programs in p4/ are what the schemes generate for examples/topologies/clos.yaml with their default
 * parameters, and a packet test of each role. `npm run golden` writes them again. A program that differs from an earlier
 * one only in comments is not stored: the packet test of its role names the earlier one.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { SCHEMES, schemeNamed } from "../../../src/fabric/schemes/index.js";
import { renderPrograms } from "../../../src/toolchain/generate/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { readStf, runStf } from "../../../src/toolchain/stf/index.js";
import { congaPacketScript, TOR_EXPECTATIONS } from "../../fabric/schemes/conga/packet-script.js";
import { dahuPacketScript } from "../../fabric/schemes/dahu/packet-script.js";
import { DRILL_EXPECTATIONS, drillPacketScript } from "../../fabric/schemes/drill/packet-script.js";
import { EXPECTATIONS, p4tePacketScript } from "../../fabric/schemes/p4te/packet-script.js";
import { packetScript } from "../../fabric/schemes/packet-script.js";
import { example } from "../../fabric/topology/load.js";
import { templates } from "./load.js";

/** How the packet test of a program is written, and how many expectations it has. */
const SCRIPTS: Readonly<
  Record<string, { write: typeof packetScript; expectations: number; ofProgram?: Record<string, number> }>
> = {
  conga: { write: congaPacketScript, expectations: 21, ofProgram: { "tor.p4": TOR_EXPECTATIONS } },
  dahu: { write: dahuPacketScript, expectations: 21 },
  drill: { write: drillPacketScript, expectations: 0, ofProgram: DRILL_EXPECTATIONS },
  // Its other selectors name routes: test/fabric/schemes/multiroute sends packets along them.
  multiroute: {
    write: (topology, plan, program) => packetScript(topology, plan, program, [0]),
    expectations: 9,
  },
  p4te: { write: p4tePacketScript, expectations: EXPECTATIONS },
};

const update = process.env["P4LOOM_GOLDEN"] === "update";

/** Schemes whose programs no scheme before them has. */
const RENDERED = Object.keys(SCHEMES)
  .filter((name, i, all) => !all.slice(0, i).some((other) => sourcesOf(other) === sourcesOf(name)))
  // Two of its programs are P-ECMP's, which are shown there.
  .sort((a, b) => Number(a === "multiroute") - Number(b === "multiroute"));

function sourcesOf(name: string): string {
  const scheme = schemeNamed(name)!;
  return JSON.stringify(
    renderPrograms(templates, scheme.plan(example("clos"), scheme.parameters.parse({})).programs),
  );
}

/** Path of the stored program by the text of a program without comments. */
const stored = new Map<string, string>();
const withoutComments = (text: string) => text.replace(/^\s*\/\/.*\n/gm, "");
/** The path of the stored program with the same code, which is this one if there is none before it. */
function storedPath(path: string, text: string): string {
  const code = withoutComments(text);
  if (!stored.has(code)) stored.set(code, path);
  return stored.get(code)!;
}

describe.each(RENDERED)("p4/%s", (name) => {
  const folder = resolve(import.meta.dirname, "../../../p4", name);
  const scheme = schemeNamed(name)!;
  const topology = example("clos");
  const { write, expectations, ofProgram } = SCRIPTS[name] ?? { write: packetScript, expectations: 21 };
  const plan = scheme.plan(topology, scheme.parameters.parse({}));
  const programs = renderPrograms(templates, plan.programs).map(({ file, text }) => {
    const path = `p4/${name}/${file}`;
    return { file, text, path, shownBy: storedPath(path, text) };
  });
  const tests = plan.programs.map((program, i) => ({
    file: `${program.name}.stf`,
    text: write(topology, plan, program).replace(programs[i]!.path, programs[i]!.shownBy),
  }));
  const files = [...programs.filter(({ path, shownBy }) => path === shownBy), ...tests];
  if (update) {
    mkdirSync(folder, { recursive: true });
    for (const file of readdirSync(folder)) rmSync(join(folder, file));
    for (const { file, text } of files) writeFileSync(join(folder, file), text);
  }

  it.each(files)("$file is up to date", ({ file, text }) => {
    expect(readFileSync(join(folder, file), "utf8")).toBe(text);
  });

  it("holds nothing else", () => {
    expect(readdirSync(folder).sort()).toEqual(files.map(({ file }) => file).sort());
  });

  it.each(programs)("$file passes its packet test", async ({ file, shownBy }) => {
    const test = join(folder, file.replace(/\.p4$/, ".stf"));
    const script = readFileSync(test, "utf8");
    expect(script).toContain(`# p4loom stf ${shownBy} `);
    const diagnostics = new Diagnostics();
    const program = readFileSync(resolve(import.meta.dirname, "../../..", shownBy), "utf8");
    const result = compile({ file: new SourceFile(shownBy, program) }, diagnostics);
    const commands = readStf(new SourceFile(test, script), diagnostics);
    diagnostics.throwIfErrors();
    const { passed, failed } = await runStf(commands, result!.program, diagnostics);
    expect(diagnostics.list.map(formatDiagnostic)).toEqual([]);
    expect({ passed, failed }).toEqual({ passed: ofProgram?.[file] ?? expectations, failed: 0 });
  });
});
