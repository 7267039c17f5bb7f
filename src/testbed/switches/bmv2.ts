/** BMv2's simple_switch_grpc as the switch of a lab: where it is, and its command line. */
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fail } from "../../base/index.js";

export interface Bmv2Files {
  readonly switchGrpc: string;
  /** simple_switch_CLI, for what P4Runtime has no word for; undefined: not installed. */
  readonly cli: string | undefined;
}

/** The first program of that name on PATH. */
export function onPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Fails with P43103 when there is none. */
export function findBmv2(path: string | undefined): Bmv2Files {
  const switchGrpc = path ?? onPath("simple_switch_grpc");
  if (switchGrpc === undefined) {
    fail(
      "P43103",
      undefined,
      "simple_switch_grpc (BMv2) is not on PATH",
      "give its path with --bmv2, or use our own switch: --engine switch",
    );
  }
  if (!existsSync(switchGrpc)) fail("P43103", undefined, `there is no ${switchGrpc} (--bmv2)`);
  const beside = join(dirname(switchGrpc), "simple_switch_CLI");
  return { switchGrpc, cli: existsSync(beside) ? beside : onPath("simple_switch_CLI") };
}
