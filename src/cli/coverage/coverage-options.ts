/** The command line of `p4loom coverage`. */
import type { Command } from "commander";
import { repeatable } from "../switch/switch-options.js";

export interface CoverageArguments {
  port?: string;
  commands?: string;
  p4info?: string;
  seed?: string;
  lcov?: string;
  html?: string;
  json?: boolean;
  min?: string;
  I: string[];
  D: string[];
  U: string[];
  jsonDiagnostics?: boolean;
}

export function defineCoverage(command: Command): Command {
  return command
    .description("show which statements, branches, table actions and parser states packets reach")
    .argument(
      "<program>",
      "P4-16 source or BMv2 JSON; the folder of an exercise, whose tests run on its solution; or an experiment (.yaml), which runs in the simulator",
    )
    .argument(
      "[packets...]",
      "STF tests, and captures (.pcap, .pcapng) of packets to send; with an exercise or an experiment: the program to report",
    )
    .option("--port <n>", "port by which the packets of captures enter (default: 0)")
    .option(
      "--commands <file>",
      "simple_switch_CLI commands or a tutorial's runtime.json, run before captures",
    )
    .option("--p4info <file>", "P4Info of a BMv2 JSON")
    .option(
      "--seed <n>",
      "seed of the random extern (default: 1), or of the experiment (default: the file's)",
    )
    .option("--lcov <file>", "write the result for lcov, genhtml and editors; `-`: to stdout")
    .option("--html <file>", "write the sources with what was reached as a page")
    .option("--json", "print the result as JSON")
    .option("--min <percent>", "fail when fewer statements are reached")
    .addOption(repeatable("-I <dir>", "search DIR for included files"))
    .addOption(repeatable("-D <macro[=value]>", "define a macro"))
    .addOption(repeatable("-U <macro>", "undefine a macro"))
    .option("--json-diagnostics", "print diagnostics as one JSON object a line");
}
