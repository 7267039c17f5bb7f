/** `p4loom lsp`: the language server. */
import { resolve } from "node:path";
import { startOnStdio } from "../../toolchain/language-server/index.js";
import { EXIT } from "../outcome.js";
import { loadTarget } from "../targets.js";
import { version } from "../version.js";
import type { LspArguments } from "./lsp-options.js";

/** Serves until the editor ends the connection. Wrong targets are reported before anything is read. */
export async function lsp({ I: include, D: define, U: undefines, target }: LspArguments): Promise<number> {
  loadTarget(target);
  const defines = define.map((macro): [string, string] => {
    const equals = macro.indexOf("=");
    return equals < 0 ? [macro, "1"] : [macro.slice(0, equals), macro.slice(equals + 1)];
  });
  await startOnStdio({
    settings: {
      include: include.map((folder) => resolve(folder)),
      defines: Object.fromEntries(defines),
      undefines,
    },
    loadTarget,
    target,
    version,
    folder: process.cwd(),
  });
  return EXIT.success;
}
