/** Statements about the session: programs, files, help, the end. */
import { didYouMean, fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { type Commands, usageText } from "../command.js";
import type { Command, CommandOf } from "../context.js";
import { candidatesFor, endsOf } from "../names.js";
import { actionText, saveAll } from "./read-statements.js";

/** Statements in the order of their use, by heading. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  "What is there": ["info", "tables", "table", "actions", "profiles", "counters", "meters", "registers"],
  "What it holds": ["dump", "read", "members", "groups", "multicast", "clone", "digests", "value-sets"],
  "Change it": ["insert", "modify", "delete", "default", "clear", "write", "packet-out"],
  "What happens": ["watch"],
  "The switch as a whole": [
    "show_ports",
    "add_port",
    "remove_port",
    "save_state",
    "restore_state",
    "reset_state",
  ],
  "The session": ["load", "source", "save", "help", "exit", "quit"],
};

function overview(commands: ReadonlyMap<string, Command>): string[] {
  const lines: string[] = [];
  const width = Math.max(...Object.values(HEADINGS).flatMap((names) => names.map(({ length }) => length)));
  for (const [heading, names] of Object.entries(HEADINGS)) {
    lines.push(`${heading}:`);
    for (const name of names) lines.push(`  ${name.padEnd(width)}  ${commands.get(name)?.summary ?? ""}`);
  }
  const listed = new Set(Object.values(HEADINGS).flat());
  const text = [...commands.keys()].filter((name) => !listed.has(name)).sort();
  lines.push(`Commands of simple_switch_CLI (${text.length}):`);
  let line = " ";
  for (const name of text) {
    if (line.length + name.length + 1 > 100) {
      lines.push(line);
      line = " ";
    }
    line += ` ${name}`;
  }
  lines.push(line, "`help WORD` explains a statement, a table or an action.");
  return lines;
}

const end: CommandOf<0>["run"] = async (context) => context.end();

export const sessionStatements: Commands = {
  load: {
    usage: "load <file>",
    summary: "load a program: P4-16, or BMv2 JSON with its P4Info beside it",
    least: 1,
    most: 1,
    bare: true,
    reloads: true,
    async run(context, [word], name) {
      const read = context.surroundings.loadProgram;
      if (read === undefined) fail(CODES.unable, name.span, "`load`: no files can be read here");
      await context.device.load(await read(word.text, word.span));
    },
  },
  source: {
    usage: "source <file>",
    summary: "run a file: statements, commands of simple_switch_CLI, or sN-runtime.json",
    least: 1,
    most: 1,
    bare: true,
    async run(context, [word], name) {
      const read = context.surroundings.readFile;
      if (read === undefined) fail(CODES.unable, name.span, "`source`: no files can be read here");
      await context.runFile(read(word.text, word.span));
    },
  },
  save: {
    usage: "save [file]",
    summary: "write the state of the switch as statements, to a file or to the output",
    least: 0,
    most: 1,
    async run(context, [word], name) {
      if (word === undefined) {
        await saveAll(context);
        return;
      }
      const write = context.surroundings.writeFile;
      if (write === undefined) fail(CODES.unable, name.span, "`save`: no files can be written here");
      const lines: string[] = [];
      await saveAll(context.to({ print: (line) => lines.push(line) }));
      write(word.text, lines.map((line) => `${line}\n`).join(""));
    },
  },
  help: {
    usage: "help [word]",
    summary: "list the statements, or explain one, a table or an action",
    least: 0,
    most: 1,
    bare: true,
    async run(context, [word]) {
      const { commands, index } = context;
      if (word === undefined) {
        for (const line of overview(commands)) context.print(line);
        return;
      }
      const command = commands.get(word.text);
      const [table] = candidatesFor(index.tables.list, word.text);
      const [action] = candidatesFor(index.actions.list, word.text);
      if (command !== undefined) context.print(`${usageText(command)}\n  ${command.summary}`);
      else if (table !== undefined) {
        const key = table.fields.list.map((field) => `${field.name}=${FORMS[field.kind]}`).join(" ");
        const priority = table.hasPriority ? " priority=N" : "";
        context.print(`insert ${table.name} ${key} => ACTION${priority}`);
        for (const use of table.actions.values()) context.print(`  ${actionText(use.action)}`);
      } else if (action !== undefined) context.print(actionText(action));
      else {
        const names = [...index.tables.list, ...index.actions.list].flatMap(({ name }) => endsOf(name));
        const hint = didYouMean(word.text, [...commands.keys(), ...names], "`");
        fail(CODES.name, word.span, `no statement, table or action is called \`${word.text}\`${hint}`);
      }
    },
  },
  exit: { usage: "exit", summary: "leave the shell", least: 0, most: 0, bare: true, run: end },
  quit: { usage: "quit", summary: "leave the shell", least: 0, most: 0, bare: true, run: end },
};

/** How a value of each kind of field is written. */
const FORMS = {
  exact: "VALUE",
  lpm: "VALUE/LENGTH",
  ternary: "VALUE&&&MASK",
  range: "LOW->HIGH",
  optional: "VALUE",
  other: "?",
} as const;
