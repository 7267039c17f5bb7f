/** The command line of `p4loom fmt`. */
import { type Command, Option } from "commander";

export interface FmtArguments {
  check?: boolean;
  write?: boolean;
  stdin?: boolean;
}

export function defineFmt(command: Command): Command {
  return command
    .description("format P4 programs: only white space changes; tokens, comments and preprocessor lines stay")
    .argument("[file...]", "P4 sources, or folders of them")
    .addOption(
      new Option("--check", "write nothing; list the files that are not formatted").conflicts("write"),
    )
    .option("--write", "write the result to the files instead of stdout")
    .addOption(new Option("--stdin", "format stdin to stdout").conflicts(["write", "check"]));
}
