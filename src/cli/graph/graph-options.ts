/** The command line of `p4loom graph`. */
import type { Command } from "commander";
import { repeatable } from "../switch/switch-options.js";

export interface GraphArguments {
  block?: string[];
  calls?: boolean;
  dot?: boolean;
  svg?: boolean;
  json?: boolean;
  out?: string;
  I: string[];
  D: string[];
  U: string[];
  jsonDiagnostics?: boolean;
}

export function defineGraph(command: Command): Command {
  return command
    .description("draw the parsers and the control flow of a program, as DOT or SVG")
    .argument("<program>", "P4-16 source")
    .option("--block <name...>", "only these parsers and controls")
    .option("--calls", "draw a control that another one applies as one node, and by itself")
    .option("--dot", "in the language of Graphviz; without --svg and --json the default")
    .option("--svg", "as a drawing")
    .option("--json", "nodes and edges as JSON")
    .option("--out <dir>", "write a file NAME.dot or NAME.svg for each block into DIR instead of stdout")
    .addOption(repeatable("-I <dir>", "search DIR for included files"))
    .addOption(repeatable("-D <macro[=value]>", "define a macro"))
    .addOption(repeatable("-U <macro>", "undefine a macro"))
    .option("--json-diagnostics", "print diagnostics as one JSON object a line");
}
