/** Runs an experiment of the kind `spread`. */
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { loadAnyKind } from "../../../../src/fabric/experiment/index.js";
import { KINDS } from "../../../../src/fabric/experiment/kinds/registry.js";

/** The rows of an experiment with these lines of its file. */
export async function rowsOf(lines: string): Promise<Record<string, unknown>[]> {
  const diagnostics = new Diagnostics();
  const file = new SourceFile("spread.yaml", `kind: spread\nname: spread\n${lines}`);
  const loaded = loadAnyKind(file, diagnostics, KINDS);
  diagnostics.throwIfErrors();
  return JSON.parse((await loaded!.run({})).json).rows;
}
