/** The command line of `p4loom run`. */
import { type Command, Option } from "commander";

export interface RunArguments {
  engine?: string;
  seed?: string;
  runs?: string;
  out?: string;
  json?: boolean;
  p4c?: string;
  bmv2?: string;
  network?: string;
  allowMissing?: string;
  pcap?: boolean;
}

export function defineRun(command: Command): Command {
  return command
    .description("run an experiment file: build, compile, simulate or run on a testbed, report")
    .argument("<experiment>", "experiment file (YAML)")
    .option(
      "--engine <engine>",
      "sim: the packet simulator; switch, bmv2: real processes of our switch or BMv2, Linux hosts, kernel TCP (default: the file's)",
    )
    .option("--seed <n>", "replace the file's seed")
    .option("--runs <n>", "replace the file's number of runs")
    .option("--out <dir>", "folder for results.json, figures and report.html")
    .option("--json", "print results.json to stdout")
    .option("--p4c <path>", "compile with this p4c-bm2-ss instead of our own compiler")
    .option("--bmv2 <path>", "simple_switch_grpc for the engine bmv2 (default: the one on PATH)")
    .addOption(new Option("--network <kind>", "who makes hosts and links of a testbed: netns or mininet"))
    .option("--allow-missing <list>", "go without delay or rate of links where the kernel has none")
    .option("--pcap", "capture every switch port of a testbed into OUT/pcaps");
}
