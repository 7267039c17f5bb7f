/** The codes of an example's diagnostics, by what reads its input. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiagnosticError, Diagnostics, SourceFile } from "../../src/base/index.js";
import { loadExperimentFile } from "../../src/fabric/experiment/index.js";
import { buildTopology, topologySchema } from "../../src/fabric/topology/index.js";
import { readTrafficFile } from "../../src/fabric/traffic/index.js";
import { readRuntimeFile, runCommands } from "../../src/toolchain/control/index.js";
import { loadDocument } from "../../src/toolchain/documents/index.js";
import { fitProgram, onePipe, pipesOf } from "../../src/toolchain/fit/index.js";
import { readProject } from "../../src/toolchain/loading/project-file.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { P4InfoIndex, readP4Info, validateP4Info } from "../../src/toolchain/program/index.js";
import { p4infoOf } from "../toolchain/control/start.js";
import { loadTarget } from "../toolchain/fit/golden.js";
import { play } from "../toolchain/stf/small.js";
import { startUnconfigured } from "../toolchain/switch/golden.js";

type Reader = (file: SourceFile, diagnostics: Diagnostics) => unknown;

/** The hosts of the traffic files. */
const HOSTS = new Set(["h1", "h2", "h3"]);

/** By code, the first that matches. */
const READERS: readonly [codes: RegExp, reader: Reader][] = [
  // A file that includes itself finds itself.
  [
    /^P40[1-6]/,
    (file, found) =>
      compile({ file, resolveInclude: (path) => (path === file.path ? file : undefined) }, found),
  ],
  [/^P4005/, ({ text }) => inFile("p4loom.yaml", text, readProject)],
  [
    /^P440/,
    (file, found) => {
      const result = compile({ file, form: "hardware" }, found);
      if (result === undefined) return;
      const [pipe] = pipesOf(result.program);
      const program = pipe === undefined ? result.program : onePipe(result.program, pipe);
      for (const one of fitProgram(program, loadTarget("tofino")).diagnostics) found.add(one);
    },
  ],
  [
    /^P410/,
    (file, found) => {
      const info = readP4Info(file, undefined, found);
      if (info !== undefined) validateP4Info(info, found);
    },
  ],
  [/^P421/, readTopology],
  [/^P4232/, (file, found) => readTrafficFile(file, HOSTS, found)],
  [/^P4321/, (file, found) => readRuntimeFile(file, found)?.updates(new P4InfoIndex(p4infoOf("l3")), found)],
  [/^P4320/, (file, found) => runCommands(startUnconfigured("l3").device, file, found, () => {})],
  // Schemes are read as parts of experiments.
  [/^P4(?:22|3|5)/, (file, found) => loadExperimentFile(file, found)],
];

function readTopology(file: SourceFile, diagnostics: Diagnostics): void {
  const document = loadDocument(file, topologySchema, diagnostics);
  if (document !== undefined) buildTopology(document.value, document.locate);
}

/** Reads the input as the tool that reports the code, and returns the codes of errors and warnings; of notes only this one. */
export async function codesOf(code: string, name: string, text: string): Promise<string[]> {
  if (code.startsWith("P4125")) return (await play(text)).codes;
  const reader = READERS.find(([codes]) => codes.test(code))?.[1];
  if (reader === undefined) throw new Error(`${code}: nothing here reads ${name}`);
  const diagnostics = new Diagnostics();
  try {
    await reader(new SourceFile(name, text), diagnostics);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    for (const one of error.diagnostics) diagnostics.add(one);
  }
  return diagnostics.list
    .filter((one) => one.severity !== "info" || one.code === code)
    .map((one) => one.code);
}

/** Calls `read` with the path of a file that has the text. */
function inFile(name: string, text: string, read: (path: string) => unknown): void {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-example-"));
  try {
    const path = join(folder, name);
    writeFileSync(path, text);
    read(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
