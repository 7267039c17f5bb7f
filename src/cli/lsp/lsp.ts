/** `p4loom lsp`: the language server. */
import { resolve } from "node:path";
import { startOnStdio } from "../../toolchain/language-server/index.js";
import { projectReader } from "../../toolchain/loading/index.js";
import { EXIT } from "../outcome.js";
import { loadTarget } from "../targets.js";
import { version } from "../version.js";
import type { LspArguments } from "./lsp-options.js";

/** Serves until the editor ends the connection. Wrong targets are reported before anything is read. */
export async function lsp({ I: include, D: define, U: undefine, target }: LspArguments): Promise<number> {
  if (target !== undefined) loadTarget(target);
  await startOnStdio({
    settings: {
      include: include.map((folder) => resolve(folder)),
      define,
      undefine,
    },
    project: await projectReader(),
    loadTarget,
    target,
    version,
    folder: process.cwd(),
  });
  return EXIT.success;
}
