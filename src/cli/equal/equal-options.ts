/** The command line of `p4loom equal`. */
import type { Command } from "commander";
import { repeatable } from "../switch/switch-options.js";

export interface EqualArguments {
  entries?: string;
  seed?: string;
  maxPaths?: string;
  time?: string;
  json?: boolean;
  I: string[];
  D: string[];
  U: string[];
  jsonDiagnostics?: boolean;
}

export function defineEqual(command: Command): Command {
  return command
    .description("prove that two v1model programs do the same, or show a packet with which they differ")
    .argument("<first>", "P4-16 source or BMv2 JSON")
    .argument("<second>", "P4-16 source or BMv2 JSON")
    .option(
      "--entries <same|none|file>",
      "same: both programs get the same entries, all that there can be; none: tables have what the program begins with; a YAML file: as same, with the second program's names of tables, actions, keys and parameters (default: same)",
    )
    .option("--seed <n>", "seed of the order of paths (default: 1)")
    .option("--max-paths <n>", "end after so many paths (default: 20000)")
    .option("--time <seconds>", "end after this time (default: 60)")
    .option("--json", "print the result as JSON")
    .addOption(repeatable("-I <dir>", "search DIR for included files"))
    .addOption(repeatable("-D <macro[=value]>", "define a macro"))
    .addOption(repeatable("-U <macro>", "undefine a macro"))
    .option("--json-diagnostics", "print diagnostics as one JSON object a line");
}
