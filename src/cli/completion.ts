/** `p4loom completion`: a script that completes p4loom's command line in a shell. */
import type { Command } from "commander";
import { fail } from "../base/index.js";
import { CODES } from "./codes.js";
import { completableCommands } from "./completion/model.js";
import { completionScript, SHELLS } from "./completion/scripts.js";
import { EXIT } from "./outcome.js";

/** Prints the script. Fails with P40005 for a shell that is not known. */
export async function completion(name: string, program: Command): Promise<number> {
  const shell = SHELLS.find((known) => known === name);
  if (shell === undefined)
    fail(CODES.wrongValue, undefined, `completion ${name}: expected one of ${SHELLS.join(", ")}`);
  process.stdout.write(completionScript(shell, completableCommands(program)));
  return EXIT.success;
}
