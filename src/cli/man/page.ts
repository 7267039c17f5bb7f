/** The manual page, from the definitions of the commands that also make `--help` and the completion scripts. */

import type { Command } from "commander";
import { defined } from "../../base/index.js";
import { EXAMPLES } from "../examples.js";
import { version } from "../version.js";

/** Text for troff: no line begins a request, backslashes and hyphens are literal. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1");
}

/** How a command is called, as its help says. */
function synopsis(command: Command): string {
  const args = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? "..." : ""}`;
    return one.required ? `\\fI${escaped(name)}\\fR` : `[\\fI${escaped(name)}\\fR]`;
  });
  const options = command.options.some(({ hidden }) => !hidden) ? ["[\\fIoptions\\fR]"] : [];
  return [`\\fBp4loom ${escaped(command.name())}\\fR`, ...options, ...args].join(" ");
}

function section(command: Command): string[] {
  const lines = [
    `.SS "${escaped(command.name())}"`,
    synopsis(command),
    ".PP",
    `${escaped(command.description())}.`,
  ];
  for (const argument of command.registeredArguments)
    if (argument.description !== "")
      lines.push(".TP", `\\fI${escaped(argument.name())}\\fR`, escaped(argument.description));
  for (const option of command.options) {
    if (option.hidden) continue;
    const value: unknown = option.defaultValue;
    const shown = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
    const text = shown ? "" : ` (default: ${option.defaultValueDescription ?? String(value)})`;
    lines.push(".TP", `\\fB${escaped(option.flags)}\\fR`, escaped(option.description + text));
  }
  const examples = EXAMPLES[command.name()] ?? [];
  for (const [line, does] of examples)
    lines.push(".PP", `${escaped(does)}:`, ".RS", ".nf", escaped(line), ".fi", ".RE");
  return lines;
}

/** The page of section 1 as troff source. */
export function manualPage(program: Command): string {
  return [
    `.TH P4LOOM 1 "" "p4loom ${version}" "User Commands"`,
    ".SH NAME",
    `p4loom \\- ${escaped(program.description())}`,
    ".SH SYNOPSIS",
    "\\fBp4loom\\fR \\fIcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]",
    ".SH COMMANDS",
    // Commands that p4loom starts itself have no description, because users do not run them.
    ...program.commands.filter((command) => command.description() !== "").flatMap(section),
    '.SH "EXIT STATUS"',
    ...[
      ["0", "success"],
      ["1", "the input is wrong, does not fit, or an expectation failed; diagnostics give the reason"],
      ["2", "wrong usage"],
      ["70", "an internal error, with instructions for a report"],
    ].flatMap(([status, meaning]) => [".TP", `\\fB${status}\\fR`, defined(meaning)]),
    "",
  ].join("\n");
}
