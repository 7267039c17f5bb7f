/**
 * The list of public TNA programs (`corpus.tsv`) and the folder in which they were put: `CORPUS/OWNER+NAME/PATH`, with
 * the list as `CORPUS/corpus.tsv`. The programs are no part of this repository.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Diagnostics } from "../../src/base/index.js";
import { loadProgram } from "../../src/toolchain/loading/index.js";
import type { Program } from "../../src/toolchain/program/index.js";

/** The chips, as the rival's records name them. */
export type Chip = "tofino" | "tofino2";

/** One program for one chip. */
export interface Case {
  repo: string;
  commit: string;
  path: string;
  variant: string;
  class: string;
  chip: Chip;
  /** The list has the program for both chips. */
  isForBoth: boolean;
  lines: number;
  /** `NAME` or `NAME=VALUE`, without those of the chip. */
  defines: string[];
  /** Folders relative to the repository. */
  includeFolders: string[];
  /** Whether the list says that the program compiles alone. */
  standalone: boolean;
  /** The listed program, `OWNER__NAME/PATH`, to which this one is equal after preprocessing. */
  duplicateOf: string | undefined;
}

/** What `NAME=VALUE` options the open compiler's driver gives for a chip. */
export function chipDefines(chip: Chip): string[] {
  return chip === "tofino" ? ["__TARGET_TOFINO__=1"] : ["__TARGET_TOFINO__=2", "__TOFINO2_VARIANT__=1"];
}

/** Names a case in files and tables. */
export function caseName({ repo, path, variant, chip }: Case): string {
  return `${repo}/${path}${variant === "" ? "" : `#${variant}`}@${chip}`;
}

/** Where the program's file is below the corpus. */
export function programFile(corpus: string, { repo, path }: Case): string {
  return join(corpus, repo.replace("/", "+"), path);
}

/** The folders that the program's includes are looked up in, after the folder of the including file. */
export function searchPath(corpus: string, one: Case): string[] {
  const root = join(corpus, one.repo.replace("/", "+"));
  const named = one.includeFolders.map((folder) => join(root, folder));
  return [...named, dirname(programFile(corpus, one))];
}

/** The program of a case, as `fit` takes it, with options of p4c's command line. */
export async function loadCase(corpus: string, one: Case, options: readonly string[] = []): Promise<Program> {
  const load = async (path: string): Promise<Program> => {
    const files = {
      path,
      include: searchPath(corpus, one),
      define: [...chipDefines(one.chip), ...one.defines],
      form: "hardware" as const,
    };
    return (await loadProgram(files, new Diagnostics(), "ignore")).program;
  };
  const file = programFile(corpus, one);
  if (options.length === 0) return load(file);
  // A program can state such options itself, at a declaration.
  const stated = options.map((option, i) => `@command_line("${option}")\nconst bit<1> option_${i} = 0;\n`);
  const folder = mkdtempSync(join(tmpdir(), "p4loom-tna-"));
  try {
    const path = join(folder, "main.p4");
    writeFileSync(path, `#include "${resolve(file)}"\n${stated.join("")}`);
    return await load(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All cases of the list: designs first, then as listed. A program for both chips is two cases. */
export function readCases(corpus: string): Case[] {
  const [head, ...rows] = readFileSync(join(corpus, "corpus.tsv"), "utf8").trimEnd().split("\n");
  const names = head!.split("\t");
  const cases = rows.flatMap((line) => {
    const cells = line.split("\t");
    return casesOfRow((name) => cells[names.indexOf(name)] ?? "");
  });
  return [...cases.filter((one) => one.class === "design"), ...cases.filter((one) => one.class !== "design")];
}

function casesOfRow(cell: (name: string) => string): Case[] {
  const list = (name: string, separator: string | RegExp) =>
    cell(name)
      .split(separator)
      .filter((part) => part !== "");
  const chips: Chip[] =
    cell("arch") === "tna+t2na" ? ["tofino", "tofino2"] : cell("target") === "2" ? ["tofino2"] : ["tofino"];
  return chips.map((chip) => ({
    repo: cell("repo"),
    commit: cell("commit"),
    path: cell("path"),
    variant: cell("variant"),
    class: cell("class"),
    chip,
    isForBoth: chips.length > 1,
    lines: Number(cell("lines")),
    defines: list("defines", /\s+/).map((text) => text.replace(/^-D/, "")),
    includeFolders: list("include_dirs", ","),
    standalone: cell("standalone") === "yes",
    duplicateOf: cell("dup_of") === "" ? undefined : cell("dup_of"),
  }));
}

/** Why a case cannot be judged; undefined when it can. */
export function reasonToSkip(corpus: string, one: Case): string | undefined {
  return existsSync(programFile(corpus, one)) ? undefined : "the file is not in the corpus folder";
}

/** The lines of a file of JSON lines; none where there is no file. */
export function linesOf<T>(path: string): T[] {
  const texts = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  return texts.filter((text) => text.startsWith("{")).map((text): T => JSON.parse(text));
}
