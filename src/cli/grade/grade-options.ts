/** The words of `p4loom grade`. */
import { type Command, InvalidArgumentError } from "commander";

export interface GradeArguments {
  submissions?: string;
  out?: string;
  since?: string;
  workers?: number;
  json?: boolean;
  engine: string;
  bmv2?: string;
  student?: boolean;
  format?: string;
  roster?: string;
  column?: string;
  audit?: boolean;
  mutants?: number;
  seed?: number;
  packets?: number;
}

export function defineGrade(command: Command): Command {
  return command
    .description("run the tests of an exercise, on its folder's own files or on many submissions")
    .argument("<folder>", "folder with exercise.yaml")
    .option("--submissions <dir>", "grade each folder, .zip or file in DIR, which may itself be a .zip")
    .option("--out <dir>", "write results.json, results.csv and gradescope/NAME/results.json to DIR")
    .option(
      "--since <file>",
      "results.json of an earlier grading: say what changed; with --out, write changes.csv too",
    )
    .option(
      "--workers <n>",
      "number of submissions at the same time (default: one for each processor; 1 with real switches)",
      number(1, 999),
    )
    .option(
      "--engine <engine>",
      "sim: the simulator; switch, bmv2: real processes of our switch or BMv2, as root",
      "sim",
    )
    .option("--bmv2 <path>", "simple_switch_grpc for the engine bmv2 (default: the one on PATH)")
    .option(
      "--student",
      "print what a student may read: of hidden tests only how many failed, and their points",
    )
    .option(
      "--format <platform>",
      "print the gradebook that canvas or moodle imports, as CSV; needs --roster",
    )
    .option("--roster <file>", "students, as the platform exports its gradebook (CSV)")
    .option("--column <title>", "name of the assignment in the gradebook (default: the exercise's title)")
    .option("--audit", "change the solution in small ways, and list the changes that no test detects")
    .option("--mutants <n>", "maximum number of changes of an audit (default: 1000)", number(1, 100_000))
    .option(
      "--packets <n>",
      "random packets that compare a change with the solution (default: 10000)",
      number(0, 1_000_000),
    )
    .option(
      "--seed <n>",
      "seed of an audit: of its choice of changes and its packets (default: 1)",
      number(0, 4_294_967_295),
    )
    .option("--json", "print the results as JSON");
}

function number(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
    if (value >= low && value <= high) return value;
    throw new InvalidArgumentError(`expected a whole number from ${low} to ${high}`);
  };
}
