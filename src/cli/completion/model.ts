/** What can be completed on the command line, taken from the definitions of the commands. */
import { readdirSync } from "node:fs";
import type { Argument, Command, Option } from "commander";
import { ENGINES } from "../../fabric/experiment/index.js";
import { SCHEMES } from "../../fabric/schemes/index.js";
import { NETWORKS, OMISSIONS, SWITCH_ENGINES } from "../../fabric/testbed/index.js";
import { packageFile } from "../../toolchain/loading/index.js";

/** What a value can be: one of some words, a file, or a folder. Otherwise nothing is offered. */
export interface Completable {
  readonly words: readonly string[];
  readonly files: boolean;
  readonly folders: boolean;
}

interface CompletableOption {
  /** `-o` and `--out`, as they are typed. */
  readonly flags: readonly string[];
  readonly summary: string;
  /** Undefined: the option takes no value, or its value is optional. */
  readonly value: Completable | undefined;
}

export interface CompletableCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletableOption[];
  /** In their order. */
  readonly values: readonly Completable[];
}

/** Values that the definitions describe in words only, by `COMMAND OPTION` or `COMMAND ARGUMENT`. */
function knownWords(): ReadonlyMap<string, readonly string[]> {
  const targets = readdirSync(packageFile("data/targets"))
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.replace(/\.yaml$/, ""));
  return new Map<string, readonly string[]>([
    ["run --engine", ENGINES],
    ["run --network", NETWORKS],
    ["run --allow-missing", OMISSIONS],
    ["net --engine", SWITCH_ENGINES],
    ["net --network", NETWORKS],
    ["net --allow-missing", OMISSIONS],
    ["generate scheme", Object.keys(SCHEMES)],
    [
      "generate --topology",
      [...new Set(Object.values(SCHEMES).flatMap(({ report }) => report?.topologies ?? []))],
    ],
    ["fit --target", targets],
    ["lsp --target", targets],
    ["switch --log-level", ["trace", "debug", "info", "warn", "error", "off"]],
    ["switch --grpc-server-addr", ["none"]],
    ["new --for", ["moodle"]],
    ["completion shell", ["bash", "zsh", "fish"]],
  ]);
}

/** Names of values in `<...>` that are paths. */
const FILES = /<(?:file|files|path|program|test|topology|experiment)>|\[(?:program|topology|file)\]/;
const FOLDERS = /<dir>/;

/** All commands of a program, in the order of its help. */
export function completableCommands(program: Command): CompletableCommand[] {
  const words = knownWords();
  const completable = (key: string, text: string, choices: readonly string[] | undefined): Completable => ({
    words: choices ?? words.get(key) ?? [],
    files: FILES.test(text) || key.endsWith(" --target"),
    folders: FOLDERS.test(text),
  });
  const option = (command: string, one: Option): CompletableOption => ({
    flags: [one.short, one.long].filter((flag) => flag !== undefined),
    summary: one.description,
    value: one.required
      ? completable(`${command} ${one.long ?? one.short}`, one.flags, one.argChoices)
      : undefined,
  });
  const argument = (command: string, one: Argument): Completable =>
    completable(
      `${command} ${one.name()}`,
      one.required ? `<${one.name()}>` : `[${one.name()}]`,
      one.argChoices,
    );
  const shown = new Set(program.createHelp().visibleCommands(program));
  const commands = program.commands.filter((command) => shown.has(command));
  return commands.map((command) => ({
    name: command.name(),
    summary: command.description(),
    options: [
      ...command.options.filter(({ hidden }) => !hidden).map((one) => option(command.name(), one)),
      { flags: ["-h", "--help"], summary: "display help for command", value: undefined },
    ],
    values: command.registeredArguments.map((one) => argument(command.name(), one)),
  }));
}

/** The position of a word, for scripts that look it up: `COMMAND OPTION` or `COMMAND NUMBER`, with its possible values. */
export function completablePlaces(commands: readonly CompletableCommand[]): [string, Completable][] {
  return commands.flatMap(({ name, options, values }) => [
    ...options.flatMap(({ flags, value }) =>
      value === undefined ? [] : flags.map((flag): [string, Completable] => [`${name} ${flag}`, value]),
    ),
    ...values.map((value, i): [string, Completable] => [`${name} ${i}`, value]),
  ]);
}

/** Whether anything is offered there. */
export function isOffered({ words, files, folders }: Completable): boolean {
  return words.length > 0 || files || folders;
}
