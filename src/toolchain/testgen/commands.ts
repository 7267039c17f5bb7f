/** The commands that give a switch what a path needs: entries, groups, sessions, cells of registers. */
import { defined, given } from "../../base/index.js";
import type { bmv2 } from "../program/index.js";
import type { Term } from "../solver/index.js";
import type { Copies, Entry, Path } from "../symbolic/index.js";

/** Tests of a Tofino have entries in the notation of its compiler's tests. */
export type Target = "v1model" | "tofino";

export interface Settings {
  readonly target: Target;
  /** Whether cells of registers get what the path reads of them. */
  readonly writesRegisters: boolean;
}

export interface Command {
  /** Of simple_switch_CLI. */
  readonly command: string;
  /** The same in a packet test, where it is written otherwise. */
  readonly line?: string;
}

type ValueOf = (term: Term) => bigint;

export function commandsOf(
  { situation }: Path,
  value: ValueOf,
  { target, writesRegisters }: Settings,
): Command[] {
  const members = new Map<string, number>();
  const commands: Command[] = [];
  const isTofino = target === "tofino";
  const call = (terms: readonly Term[]) => terms.map((term) => hex(value(term)));
  for (const { table, action, parameters } of situation.defaults)
    commands.push({
      command: ["table_set_default", table.name, action.name, ...call(parameters)].join(" "),
      ...(isTofino ? { line: `setdefault ${table.name} ${callText(action, call(parameters))}` } : {}),
    });
  for (const entry of situation.entries) {
    const { table, key, action, parameters } = entry;
    const keys = table.key.map((part, i) => keyText(part, value(defined(key[i])), defined(key[i]).width));
    const priority = table.match_type === "ternary" || table.match_type === "range" ? ["1"] : [];
    if (table.type === "simple") {
      const line = isTofino ? addLine(entry, priority, call) : undefined;
      commands.push({
        command: ["table_add", table.name, action.name, ...keys, "=>", ...call(parameters), ...priority].join(
          " ",
        ),
        ...given({ line }),
      });
      continue;
    }
    const profile = table.action_profile ?? "";
    const member = members.get(profile) ?? 0;
    members.set(profile, member + 1);
    commands.push(
      { command: ["act_prof_create_member", profile, action.name, ...call(parameters)].join(" ") },
      { command: ["table_indirect_add", table.name, ...keys, "=>", String(member), ...priority].join(" ") },
    );
  }
  for (const { set, key } of situation.members)
    commands.push({ command: `pvs_add ${set} ${hex(value(key))}` });
  // Two requests of one path may name the same group or session.
  const made: Copies[] = [];
  const parts = ({ id, port, instance }: Copies) => [id, port, instance].map(value).join();
  for (const copies of situation.copies) {
    if (made.some((one) => one.kind === copies.kind && parts(one) === parts(copies))) continue;
    commands.push(...copyCommands(copies, value, made).map((command) => ({ command })));
    made.push(copies);
  }
  if (writesRegisters)
    commands.push(...registerCommands(situation.cells, value).map((command) => ({ command })));
  return commands;
}

/** The cells that hold something else than at the start. */
function registerCommands(cells: Path["situation"]["cells"], value: ValueOf): string[] {
  const commands = cells.flatMap(({ register, index, value: cell, start }) =>
    value(cell) === start ? [] : [`register_write ${register} ${value(index)} ${hex(value(cell))}`],
  );
  return [...new Set(commands)];
}

function callText({ name, runtime_data }: bmv2.Bmv2Action, values: readonly string[]): string {
  return `${name}(${runtime_data.map((parameter, i) => `${parameter.name}:${values[i]}`).join(",")})`;
}

/** An entry as the tests of the Tofino compiler have it; undefined where they have no way to name its keys. */
function addLine(
  { table, key, action, parameters }: Entry,
  priority: readonly string[],
  texts: (terms: readonly Term[]) => string[],
): string | undefined {
  const names = table.key.map(({ name = "" }) => name);
  if (new Set(names).size < names.length || names.some((name) => !/^[\w.$]+$/.test(name))) return undefined;
  const keys = texts(key).map((text, i) => `${names[i]}:${text}`);
  return ["add", table.name, ...priority, ...keys, callText(action, texts(parameters))].join(" ");
}

function copyCommands(
  { kind, id, port, instance }: Copies,
  value: ValueOf,
  earlier: readonly Copies[],
): string[] {
  if (kind === "session") return [`mirroring_add ${value(id)} ${value(port)}`];
  const node = earlier.filter((one) => one.kind === "group").length;
  return [
    `mc_mgrp_create ${value(id)}`,
    `mc_node_create ${value(instance)} ${value(port)}`,
    `mc_node_associate ${value(id)} ${node}`,
  ];
}

function keyText({ match_type }: bmv2.TableKey, value: bigint, width: number): string {
  const text = hex(value);
  switch (match_type) {
    case "lpm":
      return `${text}/${width}`;
    case "ternary":
    case "optional":
      return `${text}&&&${hex((1n << BigInt(width)) - 1n)}`;
    case "range":
      return `${text}->${text}`;
    default:
      return text;
  }
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
