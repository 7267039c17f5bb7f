/**
 * The programs for TNA, PSA and PNA that the fuzzer of pipelines runs: those of this repository and, where `CORPUS` names the folder
 * of public programs (tools/tna/corpus.ts), each of these that is there.
 */
import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Diagnostics } from "../../../src/base/index.js";
import { compileInput } from "../../../src/toolchain/loading/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import {
  caseName,
  chipDefines,
  programFile,
  readCases,
  reasonToSkip,
  searchPath,
} from "../../../tools/tna/corpus.js";
import type { FuzzProgram } from "./switch-programs.js";
import { stfFrames } from "./switch-programs.js";

/** A file that is compiled when its turn comes. */
interface Listed {
  readonly name: string;
  readonly path: string;
  readonly include: readonly string[];
  readonly define: readonly string[];
}

const root = resolve(import.meta.dirname, "../../..");
const FOLDERS = ["test/golden/tna/run", "test/golden/psa", "test/golden/pna", "examples/schemes/tofino"];

function ownPrograms(): Listed[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith(".p4") && file !== "common.p4")
      .sort()
      .map((file) => join(root, folder, file)),
  );
  return [...inFolders, join(root, "test/golden/tna/controllers.p4")].map((path) => ({
    name: relative(root, path),
    path,
    include: [],
    // Programs for Tofino 2 say so by their names.
    define: path.includes("/t2_") ? chipDefines("tofino2") : [],
  }));
}

function corpusPrograms(corpus: string | undefined): Listed[] {
  if (corpus === undefined || !existsSync(join(corpus, "corpus.tsv"))) return [];
  return readCases(corpus)
    .filter((one) => one.standalone && one.duplicateOf === undefined)
    .filter((one) => reasonToSkip(corpus, one) === undefined)
    .map((one) => ({
      name: caseName(one),
      path: programFile(corpus, one),
      include: searchPath(corpus, one),
      define: [...chipDefines(one.chip), ...one.defines],
    }));
}

const listed = [...ownPrograms(), ...corpusPrograms(process.env["CORPUS"])];

export const pipelineCount = listed.length;

/** The programs that were used last: all of them would take too much memory. */
const KEPT = 4;
const kept = new Map<number, FuzzProgram>();

/** A program by its number. */
export function pipelineAt(number: number): FuzzProgram {
  const found = kept.get(number) ?? load(listed[number]!);
  kept.delete(number);
  kept.set(number, found);
  for (const old of kept.keys()) if (kept.size > KEPT) kept.delete(old);
  return found;
}

function load({ name, path, include, define }: Listed): FuzzProgram {
  const input = compileInput({ path, include: [...include], define: [...define] });
  const program = compile(input, new Diagnostics())?.program;
  return { name, program, frames: stfFrames(path), commands: "" };
}
