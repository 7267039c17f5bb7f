/** The words of `p4loom grade`. */
import { availableParallelism } from "node:os";
import { type Command, InvalidArgumentError, Option } from "commander";
import { SWITCH_ENGINES, type SwitchEngine } from "../../testbed/index.js";

export interface GradeArguments {
  submissions?: string;
  out?: string;
  workers: number;
  json?: boolean;
  engine: "sim" | SwitchEngine;
  bmv2?: string;
}

export function defineGrade(command: Command): Command {
  return command
    .description("run the tests of an exercise, on its folder's own files or on many submissions")
    .argument("<folder>", "folder with exercise.yaml")
    .option("--submissions <dir>", "grade each folder or file in DIR")
    .option("--out <dir>", "write results.json, results.csv and gradescope/NAME/results.json to DIR")
    .option("--workers <n>", "submissions at a time", wholeNumber, availableParallelism())
    .addOption(
      new Option("--engine <engine>", "simulator, or real switches (needs root)")
        .choices(["sim", ...SWITCH_ENGINES])
        .default("sim"),
    )
    .option("--bmv2 <path>", "simple_switch_grpc, if it is not on PATH")
    .option("--json", "print the results as JSON");
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("expected a whole number from 1 to 999");
}
