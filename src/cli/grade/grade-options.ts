/** The words of `p4loom grade`. */
import { availableParallelism } from "node:os";
import { type Command, InvalidArgumentError } from "commander";

export interface GradeArguments {
  submissions?: string;
  out?: string;
  workers: number;
  json?: boolean;
}

export function defineGrade(command: Command): Command {
  return command
    .description("run the tests of an exercise, on its folder's own files or on many submissions")
    .argument("<folder>", "folder with exercise.yaml")
    .option("--submissions <dir>", "grade each folder or file in DIR")
    .option("--out <dir>", "write results.json, results.csv and gradescope/NAME/results.json to DIR")
    .option("--workers <n>", "submissions at a time", wholeNumber, availableParallelism())
    .option("--json", "print the results as JSON");
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("expected a whole number from 1 to 999");
}
