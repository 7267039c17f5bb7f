/** p4c-bm2-ss in place of the compiler of p4loom. */
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Diagnostics, defined, fail, given, type SourceFile } from "../../base/index.js";
import { loadProgram, runCommand } from "../../toolchain/loading/index.js";
import type { Program } from "../../toolchain/program/index.js";
import { CODES } from "./codes.js";

/** Maximum number of lines of p4c's messages that a diagnostic quotes: the last ones. */
const MAX_QUOTED_LINES = 12;

/** Fails with P43012 where p4c cannot be run. */
export function checkP4c(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    fail(
      CODES.p4c,
      undefined,
      `cannot run p4c: ${path} is no program (--p4c)`,
      "give the path of p4c-bm2-ss",
    );
  }
}

/** Files that p4c-bm2-ss reads and writes: paths, absolute or relative to `cwd`. */
export interface P4cFiles {
  readonly source: string;
  /** BMv2 JSON and P4Info as text. */
  readonly json: string;
  readonly p4info: string;
  /** Folders of `#include`, and macros as `NAME` or `NAME=VALUE`. */
  readonly include?: readonly string[];
  readonly define?: readonly string[];
}

/** Runs p4c-bm2-ss to its end. `why`: reason of its failure, undefined where it succeeded; `said`: its messages, unless `shown`. */
export async function runP4c(
  path: string,
  { source, json, p4info, include = [], define = [] }: P4cFiles,
  options: { readonly cwd?: string /** Its messages go to our stderr. */; readonly shown?: boolean } = {},
): Promise<{ why: string | undefined; said: string }> {
  const flags = [...include.map((folder) => `-I${folder}`), ...define.map((macro) => `-D${macro}`)];
  const out = ["--p4runtime-files", p4info, "-o", json];
  const argv = [path, "--arch", "v1model", "--p4v", "16", ...flags, ...out, source];
  const { error: why, stderr } = await runCommand(argv, {
    output: options.shown ? "shown" : "kept",
    ...given({ cwd: options.cwd }),
  });
  return { why, said: stderr === "" && why !== undefined ? `${path}: ${why}` : stderr };
}

/** BMv2 JSON and P4Info as p4c makes them. Fails with P43012 where p4c does. */
export async function compileWithP4c(path: string, file: SourceFile): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-p4c-"));
  try {
    const [source, json, info] = ["program.p4", "program.json", "program.p4info.txtpb"];
    writeFileSync(join(folder, defined(source)), file.text);
    const files = { source: defined(source), json: defined(json), p4info: defined(info) };
    const { why, said } = await runP4c(path, files, { cwd: folder });
    if (why !== undefined)
      fail(
        CODES.p4c,
        undefined,
        `p4c does not compile ${file.path}`,
        ...said.split("\n").slice(-MAX_QUOTED_LINES),
      );
    const made = {
      path: join(folder, defined(json)),
      p4info: join(folder, defined(info)),
      include: [],
      define: [],
    };
    return (await loadProgram(made, new Diagnostics(), "error")).program;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
