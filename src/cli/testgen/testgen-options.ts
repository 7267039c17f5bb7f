/** The command line of `p4loom testgen`. */
import type { Command } from "commander";
import { repeatable } from "../switch/switch-options.js";

export interface TestgenArguments {
  out?: string;
  seed?: string;
  maxTests?: string;
  maxPaths?: string;
  time?: string;
  allPaths?: boolean;
  format?: string;
  p4info?: string;
  json?: boolean;
  junit?: string;
  I: string[];
  D: string[];
  U: string[];
  jsonDiagnostics?: boolean;
}

export function defineTestgen(command: Command): Command {
  return command
    .description(
      "make packet tests of a program for v1model or a Tofino that reach its statements, branches and table actions",
    )
    .argument("<program>", "P4-16 source or BMv2 JSON")
    .option("--out <dir>", "write the tests NAME-1.stf, NAME-2.stf, ... into DIR (default: the report alone)")
    .option(
      "--format <list>",
      "files to write: stf (a file each), ptf (one Python file, over P4Runtime), entries (a P4Runtime WriteRequest each), exercise (stf, and tests.yaml with their list for an exercise); separated by commas (default: stf)",
    )
    .option("--seed <n>", "seed of the order of paths and of the values in packets (default: 1)")
    .option("--max-tests <n>", "end after so many tests (default: 1000)")
    .option("--max-paths <n>", "end after so many paths (default: 2000)")
    .option("--time <seconds>", "end after this time (default: 30)")
    .option("--all-paths", "keep a test for each path, also where it reaches nothing new")
    .option("--p4info <file>", "P4Info of a BMv2 JSON")
    .option("--json", "print the report as JSON")
    .option("--junit <file>", "write the tests and what they do not reach as JUnit's XML")
    .addOption(repeatable("-I <dir>", "search DIR for included files"))
    .addOption(repeatable("-D <macro[=value]>", "define a macro"))
    .addOption(repeatable("-U <macro>", "undefine a macro"))
    .option("--json-diagnostics", "print diagnostics as one JSON object a line");
}
