/**
 * The public programs behind the golden outputs, from a folder that is not part of the project: `CORPUS/OWNER+NAME/PATH`, with the list
 * `CORPUS/corpus.tsv`, whose columns say for which chip, with which macros and which include folders a program is compiled.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compileInput } from "../../src/toolchain/loading/index.js";
import type { CompileInput } from "../../src/toolchain/p4/index.js";

/** By the names of golden folders; undefined where `corpus` is no such folder. */
export function goldenPrograms(corpus: string | undefined): Map<string, () => CompileInput> | undefined {
  if (corpus === undefined || !existsSync(join(corpus, "corpus.tsv"))) return undefined;
  const [head, ...rows] = readFileSync(join(corpus, "corpus.tsv"), "utf8").trimEnd().split("\n");
  const columns = (head ?? "").split("\t");
  const programs = new Map<string, () => CompileInput>();
  for (const row of rows) {
    const cells = row.split("\t");
    const cell = (name: string): string => cells[columns.indexOf(name)] ?? "";
    const root = join(corpus, cell("repo").replace("/", "+"));
    const path = join(root, cell("path"));
    const variant = cell("variant") === "" ? "" : `__${cell("variant")}`;
    const name = `${cell("repo").replace("/", "_")}__${cell("path").replace(/[/ ]/g, "_")}${variant}`;
    const folders = cell("include_dirs")
      .split(",")
      .filter((one) => one !== "");
    const include = [...folders.map((folder) => join(root, folder)), dirname(path)];
    const macros = cell("defines")
      .split(/\s+/)
      .filter((one) => one !== "")
      .map((one) => one.replace(/^-D/, ""));
    const input = (chip: readonly string[]) => () =>
      compileInput({ path, include, define: [...chip, ...macros] });
    programs.set(name, input(["__TARGET_TOFINO__=1"]));
    programs.set(`${name}--tofino2`, input(["__TARGET_TOFINO__=2", "__TOFINO2_VARIANT__=1"]));
  }
  return programs;
}
