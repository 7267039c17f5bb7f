/** The command line of `p4loom run`. */
import { type Command, Option } from "commander";
import { repeatable } from "../switch/switch-options.js";

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
  pcap?: boolean | string;
  traceFlow?: string[];
  timeline?: boolean;
  workers?: string;
  workerMemory?: string;
  jobTimeout?: string;
  resume?: boolean;
  shard?: string;
  gather?: boolean;
  many?: boolean;
  slurm?: boolean;
  slurmOptions?: string;
  slurmTasks?: string;
  dryRun?: boolean;
  sweepWorker?: boolean;
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
    .addOption(
      new Option("--network <kind>", "tool that makes hosts and links of a testbed: netns or mininet"),
    )
    .option(
      "--allow-missing <list>",
      "run without delay or rate of links where the kernel does not support them",
    )
    .option(
      "--pcap [links]",
      "testbed: capture every switch port into OUT/pcaps; simulator: these links (all, NODE, NODE:PORT, 'NODE NODE', with commas) into OUT/captures",
    )
    .addOption(repeatable("--trace-flow <n>", "simulator: trace every hop of flow N into OUT/traces"))
    .option(
      "--timeline",
      "write a page with a time slider for each run: OUT/timelines/*.html, and its rows as *.jsonl",
    )
    .option("--workers <n>", "sweep: processes that run its jobs (default: the number of processors)")
    .option("--worker-memory <mb>", "sweep: heap of each worker")
    .option("--job-timeout <time>", "sweep: end a worker whose job takes longer: 90s, 10min, 2h")
    .option("--resume", "sweep: keep the finished jobs of the folder, run the others")
    .option("--shard <i/n>", "sweep: run part i of n, on any machine; the last part makes the results")
    .option("--gather", "sweep: run no jobs; make the results of the finished jobs of the folder")
    .option("--no-gather", "sweep: make no results")
    .option("--many", "sweep: accept more than 10,000 jobs")
    .option("--slurm", "sweep: run its jobs as an array job of Slurm, wait for it, make the results")
    .option("--slurm-options <text>", 'options of sbatch: "--partition=long --time=2:00:00 --mem-per-cpu=2G"')
    .option("--slurm-tasks <n>", "tasks of the array job (default: 64, at most one per job)")
    .option("--dry-run", "with --slurm: print the script, submit nothing")
    .addOption(new Option("--sweep-worker", "a worker process of a sweep").hideHelp());
}
