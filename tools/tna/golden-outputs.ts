/**
 * What the open Tofino compiler wrote for public programs, from a folder that is not part of the project: `as-published/PROGRAM/` and
 * `adapted/PROGRAM/`, each with `p4info.txtpb` and `bfrt.json`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { type P4Info, readBfrt, readP4Info } from "../../src/toolchain/program/index.js";

export interface GoldenOutput {
  /** OWNER_REPOSITORY__PATH, and `--tofino2` for that chip. */
  readonly program: string;
  readonly edition: "as-published" | "adapted";
  readonly p4infoText: () => string;
  readonly p4info: () => P4Info;
  readonly bfrt: () => unknown;
}

/** Undefined where `rival` is no such folder. */
export function goldenOutputs(rival: string | undefined): GoldenOutput[] | undefined {
  if (rival === undefined || !existsSync(join(rival, "as-published"))) return undefined;
  const found: GoldenOutput[] = [];
  for (const edition of ["as-published", "adapted"] as const) {
    const folder = join(rival, edition);
    for (const program of existsSync(folder) ? readdirSync(folder).sort() : []) {
      const read = (name: string) => {
        const path = join(folder, program, name);
        return new SourceFile(path, readFileSync(path, "utf8"));
      };
      found.push({
        program,
        edition,
        p4infoText: () => read("p4info.txtpb").text,
        p4info: () => readOrThrow((diagnostics) => readP4Info(read("p4info.txtpb"), "text", diagnostics)),
        bfrt: () => readOrThrow((diagnostics) => readBfrt(read("bfrt.json"), diagnostics)),
      });
    }
  }
  return found;
}

function readOrThrow<T>(read: (diagnostics: Diagnostics) => T | undefined): T {
  const diagnostics = new Diagnostics();
  const result = read(diagnostics);
  diagnostics.throwIfErrors();
  return result!;
}
