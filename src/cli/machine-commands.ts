/** The commands that look after this machine: `doctor` and `clean`. */
import type { Command } from "commander";
import type { CleanOptions } from "./clean.js";
import type { DoctorOptions } from "./doctor.js";
import { conclude } from "./outcome.js";

export function defineMachineCommands(program: Command): void {
  program
    .command("doctor")
    .description("report what this machine has for the testbed, which commands work, and what to install")
    .option("--bmv2 <path>", "simple_switch_grpc that is not on PATH")
    .option("--p4c <path>", "p4c-bm2-ss that is not on PATH")
    .option("--json", "print one JSON document")
    .action(async (options: DoctorOptions) => {
      await conclude(async () => (await import("./doctor.js")).doctor(options));
    });
  program
    .command("clean")
    .description("remove processes and namespaces of testbed runs whose process has ended")
    .option("--json", "print one JSON document")
    .action(async (options: CleanOptions) => {
      await conclude(async () => (await import("./clean.js")).clean(options));
    });
}
