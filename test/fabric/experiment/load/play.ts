/** Load experiments from text, read and run. */
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import type { LoadOutcome } from "../../../../src/fabric/experiment/kinds/load/load-figures.js";
import type { Load } from "../../../../src/fabric/experiment/kinds/load/schema.js";
import { loadKind } from "../../../../src/fabric/experiment/read.js";
import { jobContext } from "../job-context.js";

const HEAD = "name: test\n";

export function read(text: string): { load: Load | undefined; messages: string[] } {
  const diagnostics = new Diagnostics();
  const load = loadKind(LOAD, new SourceFile("l.yaml", HEAD + text), diagnostics);
  return { load, messages: diagnostics.list.map((one) => formatDiagnostic(one)) };
}

export function loadOf(text: string): Load {
  const { load, messages } = read(text);
  if (load === undefined || messages.length > 0) throw new Error(messages.join("\n"));
  return load;
}

/** One outcome a scheme. */
export async function play(load: Load, seed = 1): Promise<readonly LoadOutcome[]> {
  return (await LOAD.runner.run(load, LOAD.units(load), jobContext(seed))).outcomes;
}
