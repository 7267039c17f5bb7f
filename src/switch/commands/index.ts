/**
 * The command text of simple_switch_CLI: one command a line, `#` starts a comment. Every mistake is a
 * diagnostic at its word; a command that fails changes nothing, and the ones behind it still run.
 */
import { DiagnosticError, type Diagnostics, type SourceFile, type Span } from "../../base/index.js";
import { DeviceError } from "../../program/index.js";
import type { Switch } from "../switch.js";
import { CliContext, type Command } from "./context.js";
import { showCommands } from "./show-commands.js";
import { stateCommands } from "./state-commands.js";
import { tableCommands } from "./table-commands.js";
import { CODES, type Word } from "./values.js";

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({ ...tableCommands, ...stateCommands, ...showCommands }),
);

/** Names and usage of all commands, sorted. */
export function commandHelp(): string[] {
  return [...COMMANDS.values()].map(({ usage }) => usage).sort();
}

/** Runs the commands of a file in order; answers of reading commands go to `print`, a line each. */
export function runCommands(
  device: Switch,
  file: SourceFile,
  diagnostics: Diagnostics,
  print: (line: string) => void = () => {},
): void {
  const context = new CliContext(device, print);
  let offset = 0;
  for (const line of file.text.split("\n")) {
    runLine(context, file, line, offset, diagnostics);
    offset += line.length + 1;
  }
}

function runLine(
  context: CliContext,
  file: SourceFile,
  line: string,
  offset: number,
  diagnostics: Diagnostics,
): void {
  const text = line.replace(/#.*$/, "");
  const words = [...text.matchAll(/\S+/g)].map((match): Word => {
    const start = offset + match.index;
    return { text: match[0], span: { file, start, end: start + match[0].length } };
  });
  const [name, ...rest] = words;
  if (name === undefined) return;
  const whole: Span = { file, start: name.span.start, end: words.at(-1)!.span.end };
  const command = COMMANDS.get(name.text);
  if (command === undefined) {
    diagnostics.error(CODES.command, name.span, `there is no command \`${name.text}\``);
    return;
  }
  if (rest.length < command.least || rest.length > command.most) {
    diagnostics.error(CODES.argument, whole, `wrong number of words; usage: ${command.usage}`);
    return;
  }
  try {
    command.run(context, rest, name);
  } catch (error) {
    if (error instanceof DiagnosticError)
      for (const diagnostic of error.diagnostics) diagnostics.add(diagnostic);
    else if (error instanceof DeviceError)
      diagnostics.error(CODES.refused, whole, `the switch refuses: ${error.message} (${error.code})`);
    else throw error;
  }
}
