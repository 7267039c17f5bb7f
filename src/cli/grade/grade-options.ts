/** The words of `p4loom grade`. */
import { type Command, InvalidArgumentError } from "commander";

export interface GradeArguments {
  submissions?: string;
  out?: string;
  workers?: number;
  json?: boolean;
  engine: string;
  bmv2?: string;
}

export function defineGrade(command: Command): Command {
  return command
    .description("run the tests of an exercise, on its folder's own files or on many submissions")
    .argument("<folder>", "folder with exercise.yaml")
    .option("--submissions <dir>", "grade each folder, .zip or file in DIR, which may itself be a .zip")
    .option("--out <dir>", "write results.json, results.csv and gradescope/NAME/results.json to DIR")
    .option(
      "--workers <n>",
      "number of submissions at the same time (default: one for each processor; 1 with real switches)",
      wholeNumber,
    )
    .option(
      "--engine <engine>",
      "sim: the simulator; switch, bmv2: real processes of our switch or BMv2, as root",
      "sim",
    )
    .option("--bmv2 <path>", "simple_switch_grpc for the engine bmv2 (default: the one on PATH)")
    .option("--json", "print the results as JSON");
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("expected a whole number from 1 to 999");
}
