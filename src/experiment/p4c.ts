/** p4c-bm2-ss in place of our own compiler. */
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { Diagnostics, fail, SourceFile } from "../base/index.js";
import { type Program, readBmv2, readP4Info } from "../program/index.js";

/** Last lines of p4c's messages that a diagnostic repeats. */
const MOST_LINES = 12;

/** Fails with P43012 unless p4c can be called. */
export function checkP4c(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    fail("P43012", undefined, `cannot run p4c: ${path} is no program (--p4c)`, "give the path of p4c-bm2-ss");
  }
}

/** BMv2 JSON and P4Info as p4c makes them. Fails with P43012 where p4c does. */
export async function compileWithP4c(path: string, file: SourceFile): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-p4c-"));
  try {
    const [source, json, info] = ["program.p4", "program.json", "program.p4info.txtpb"];
    writeFileSync(join(folder, source!), file.text);
    const flags = ["--arch", "v1model", source!, "-o", json!, "--p4runtime-files", info!];
    const { exitCode, stderr, shortMessage } = await execa(path, flags, { cwd: folder, reject: false });
    if (exitCode !== 0) {
      const said = stderr === "" ? (shortMessage ?? "") : stderr;
      fail("P43012", undefined, `p4c does not compile ${file.path}`, ...said.split("\n").slice(-MOST_LINES));
    }
    const diagnostics = new Diagnostics();
    const read = (name: string) => new SourceFile(name, readFileSync(join(folder, name), "utf8"));
    const bmv2 = readBmv2(read(json!), diagnostics);
    const p4info = readP4Info(read(info!), "text", diagnostics);
    diagnostics.throwIfErrors();
    return { bmv2: bmv2!, p4info: p4info! };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
