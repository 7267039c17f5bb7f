/** The command line of `p4loom explain`. */
import type { Command } from "commander";

export interface ExplainArguments {
  json?: boolean;
}

export function defineExplain(command: Command): Command {
  return command
    .description("explain a diagnostic: what it means, what to do, a wrong and a right input")
    .argument("[code...]", "codes such as P40305, or groups such as P403; none: the list of groups")
    .option("--json", "print the explanation as JSON, inputs whole");
}
