/** The command line of `p4loom net`. */
import type { Command } from "commander";
import { repeatable } from "../switch/switch-options.js";

export interface NetArguments {
  exec: string[];
  engine: string;
  network: string;
  bmv2?: string;
  p4c?: string;
  program?: string;
  p4: boolean;
  pcap: boolean;
  allowMissing?: string;
  quiet?: boolean;
  I: string[];
  D: string[];
}

export function defineNet(command: Command): Command {
  return command
    .description("run an exercise folder of the P4 tutorials: topology.json, sN-runtime.json, .p4")
    .argument("[topology]", "topology.json, or the exercise's folder", ".")
    .addOption(
      repeatable(
        "--exec <line>",
        "run a line instead of reading lines from the prompt, such as 'h1 ping -c1 h2'",
      ),
    )
    .option("--engine <engine>", "kind of the switches: switch (ours) or bmv2", "switch")
    .option("--network <kind>", "tool that makes hosts and links: netns or mininet", "netns")
    .option("--bmv2 <path>", "simple_switch_grpc (default: the one on PATH)")
    .option("--p4c <path>", "compile with this p4c-bm2-ss instead of our own compiler")
    .option("--program <file>", "program of switches that name none (default: the Makefile's DEFAULT_PROG)")
    .option("--no-p4", "start switches without a program; a controller loads one")
    .option("--no-pcap", "write no pcap files")
    .option(
      "--allow-missing <list>",
      "run without delay or rate of links where the kernel does not support them",
    )
    .option("--quiet", "print nothing while starting")
    .addOption(repeatable("-I <dir>", "search DIR for included files"))
    .addOption(repeatable("-D <macro[=value]>", "define a macro"));
}
