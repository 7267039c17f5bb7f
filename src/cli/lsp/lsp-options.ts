/** The command line of `p4loom lsp`. */
import { type Command, Option } from "commander";
import { repeatable } from "../switch/switch-options.js";

export interface LspArguments {
  I: string[];
  D: string[];
  U: string[];
  target?: string;
}

export function defineLsp(command: Command): Command {
  return command
    .description("run a language server for editors, on standard input and output")
    .addOption(repeatable("-I <dir>", "search DIR for included files"))
    .addOption(repeatable("-D <macro[=value]>", "define a macro"))
    .addOption(repeatable("-U <macro>", "undefine a macro"))
    .option(
      "--target <target>",
      "show the stages of tables on this target (see fit; default: tofino, or tofino2 for its programs)",
    )
    .addOption(
      new Option("--stdio", "name of the transport, which editors add; there is no other").hideHelp(),
    );
}
