/** All statements by name: those of the shell and those of simple_switch_CLI. The two have no name in common. */
import { usageText } from "./command.js";
import type { Command } from "./context.js";
import { processStatements } from "./shell/process-statements.js";
import { readStatements } from "./shell/read-statements.js";
import { sessionStatements } from "./shell/session-statements.js";
import { watchStatements } from "./shell/watch.js";
import { writeStatements } from "./shell/write-statements.js";
import { textCommands } from "./text/index.js";

const SHELL = {
  ...readStatements,
  ...writeStatements,
  ...watchStatements,
  ...processStatements,
  ...sessionStatements,
};

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({ ...SHELL, ...textCommands }),
);

/** Usage of the commands of simple_switch_CLI, sorted. */
export function commandHelp(): string[] {
  return Object.values(textCommands).map(usageText).sort();
}
