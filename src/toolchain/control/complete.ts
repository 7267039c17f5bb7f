/** The words that are possible at the cursor: names of statements, objects, fields, actions and parameters. */
import { defined, given, printable } from "../../base/index.js";
import type { ActionInfo, P4InfoIndex, Slot, TableInfo } from "../program/index.js";
import { COMMANDS } from "./commands.js";
import type { Command } from "./context.js";
import { actionsOf, profileActions } from "./context.js";
import { candidatesFor, endsOf, type Named, shortestName } from "./names.js";
import { listResources } from "./resources.js";
import { OPTIONS } from "./shell/statements.js";

export interface Completion {
  /** Where the word at the cursor starts; candidates take the place of the text from there to the cursor. */
  readonly from: number;
  /** Sorted. No blank follows a candidate that ends in `=`. */
  readonly candidates: readonly string[];
}

/** Candidates for the last word of a line up to the cursor. `index`: the names of the program, if there is one. */
export function completions(line: string, cursor: number, index: P4InfoIndex | undefined): Completion {
  const before = line.slice(0, cursor);
  const words = before.split(/\s+/);
  const current = words.at(-1) ?? "";
  const [name, ...rest] = words.slice(0, -1).filter((word) => word !== "");
  const all = name === undefined ? [...COMMANDS.keys()] : candidates(COMMANDS.get(name), name, rest, index);
  const found = all.flatMap((candidate) => {
    const forms = typeof candidate === "string" ? [candidate] : candidate;
    return forms.find((form) => form.startsWith(current)) ?? [];
  });
  // a terminal would interpret control characters
  const harmless = found.filter((one) => printable(one) === one);
  return { from: cursor - current.length, candidates: [...new Set(harmless)].sort() };
}

/** A word, or several forms of it: the first form that begins with the typed text is offered. */
type Candidate = string | readonly string[];

function candidates(
  command: Command | undefined,
  name: string,
  words: readonly string[],
  index: P4InfoIndex | undefined,
): readonly Candidate[] {
  if (name === "add_port")
    return [[], ["files="], words[1]?.includes("=") ? [] : ["netns="]][words.length] ?? [];
  if (command === undefined || index === undefined) return name === "help" ? [...COMMANDS.keys()] : [];
  if (name === "help")
    return [...COMMANDS.keys(), ...namesOf(index.tables.list), ...namesOf(index.actions.list)];
  if (/^(insert|modify|delete)$/.test(name)) return forObject(index, name, words);
  if (name === "default") return words.length === 0 ? namesOf(index.tables.list) : forDefault(index, words);
  if (name === "watch")
    return ["packets", "digests", "idle", "ports", "events=", "for=", ...namesOf(index.tables.list)];
  if (name === "read" || name === "write") return forElement(index, name, words);
  if (name === "packet-out")
    return assignments(index.controllerHeaders.byName("packet_out")?.fields.list ?? [], words);
  if (name === "dump" && words.length > 0) {
    const [table] = candidatesFor(index.tables.list, defined(words[0]));
    return table === undefined ? [] : assignments(table.fields.list, words.slice(1));
  }
  return forUsage(index, command.usage, words);
}

/** Names in their shortest unique form; in a longer form when the user has begun to type that form. */
function namesOf(things: readonly Named[]): Candidate[] {
  const names = things.map(({ name }) => name);
  return names.map((name) => [shortestName(name, names), ...endsOf(name).reverse()]);
}

/** `name=` for each slot that is not given yet. */
function assignments(
  slots: readonly Slot[],
  words: readonly string[],
  more: readonly string[] = [],
): Candidate[] {
  const given = words.map((word) => word.slice(0, word.indexOf("=")));
  const names = slots.map(({ name }) => name);
  const named = slots.filter((slot) => !given.some((word) => candidatesFor([slot], word).length > 0));
  // values without a name belong to the first remaining slots
  const open = named.slice(words.filter((word) => !word.includes("=")).length);
  return [
    ...open.map(({ name }) =>
      [shortestName(name, names), ...endsOf(name).reverse()].map((form) => `${form}=`),
    ),
    ...more.filter((name) => !given.includes(name)).map((name) => `${name}=`),
  ];
}

const OBJECTS = ["member", "group", "multicast", "clone", "digest"];

function forObject(index: P4InfoIndex, verb: string, words: readonly string[]): readonly Candidate[] {
  const [object, ...rest] = words;
  if (object === undefined) return [...namesOf(index.tables.list), ...OBJECTS];
  const arrow = rest.indexOf("=>");
  switch (object) {
    case "member":
    case "group": {
      if (rest.length === 0) return namesOf(index.actionProfiles.list);
      const [profile] = candidatesFor(index.actionProfiles.list, defined(rest[0]));
      if (arrow < 0) return rest.length === 2 && verb !== "delete" ? ["=>"] : [];
      if (object === "group") return ["max="];
      return profile === undefined ? [] : call(profileActions(profile), rest.slice(arrow + 1));
    }
    case "multicast":
      return rest.length === 1 && verb !== "delete" ? ["=>"] : [];
    case "clone":
      return arrow < 0 ? (rest.length === 1 && verb !== "delete" ? ["=>"] : []) : ["length=", "class="];
    case "digest":
      return rest.length === 0 ? namesOf(index.digests.list) : ["size=", "timeout=", "ack="];
    default: {
      const [table] = candidatesFor(index.tables.list, object);
      if (table === undefined) return [];
      if (arrow >= 0) return target(table, rest.slice(arrow + 1));
      const options = table.hasPriority ? OPTIONS : OPTIONS.filter((name) => name !== "priority");
      const key = assignments(table.fields.list, rest);
      return [...key, ...(verb === "delete" ? optionsOf(table) : [...options.map((o) => `${o}=`), "=>"])];
    }
  }
}

function optionsOf(table: TableInfo): string[] {
  return table.hasPriority ? ["priority="] : [];
}

function target(table: TableInfo, words: readonly string[]): readonly Candidate[] {
  const options = OPTIONS.map((name) => `${name}=`);
  if (table.profile === undefined)
    return words.length === 0
      ? call(actionsOf(table), words)
      : [...call(actionsOf(table), words), ...options];
  const bar = words.lastIndexOf("|");
  const set = words.slice(bar + 1);
  const start = words.length === 0 ? ["member", "group"] : [];
  const more = set.length === 0 ? [] : ["weight=", "watch=", "|", ...options];
  return [...start, ...call(actionsOf(table), set), ...more];
}

function call(actions: readonly ActionInfo[], words: readonly string[]): readonly Candidate[] {
  if (words.length === 0) return namesOf(actions);
  const [action] = candidatesFor(actions, defined(words[0]));
  return action === undefined ? [] : assignments(action.params.list, words.slice(1));
}

function forDefault(index: P4InfoIndex, words: readonly string[]): readonly Candidate[] {
  const [table] = candidatesFor(index.tables.list, defined(words[0]));
  const arrow = words.indexOf("=>");
  if (arrow < 0) return words.length === 1 ? ["=>", "reset"] : [];
  return table === undefined ? [] : call(actionsOf(table), words.slice(arrow + 1));
}

function forElement(index: P4InfoIndex, verb: string, words: readonly string[]): readonly Candidate[] {
  const names: Readonly<Record<string, readonly Named[]>> = {
    counter: listResources("counter", index),
    meter: listResources("meter", index),
    register: index.registers.list,
    ...given({ "value-set": verb === "write" ? index.valueSets.list : undefined }),
  };
  const [kind, ...rest] = words;
  if (kind === undefined)
    return [...Object.keys(names), ...(verb === "read" ? Object.values(names).flatMap(namesOf) : [])];
  if (rest.length === 0) return namesOf(names[kind] ?? []);
  if (verb === "read" || kind === "register") return [];
  if (rest.includes("=>"))
    return kind === "counter"
      ? ["packets=", "bytes="]
      : kind === "meter"
        ? ["cir=", "cburst=", "pir=", "pburst=", "default"]
        : [];
  const [resource] = candidatesFor(names[kind] ?? [], defined(rest[0]));
  const table = (resource as { table?: TableInfo } | undefined)?.table;
  return table === undefined
    ? ["=>"]
    : [...assignments(table.fields.list, rest.slice(1)), ...optionsOf(table), "=>"];
}

/** The words that are possible for a placeholder of a usage line, given the words before it. */
function forUsage(index: P4InfoIndex, usage: string, words: readonly string[]): readonly Candidate[] {
  const places = usage.split(/ (?=[<[=])/).slice(1);
  const arrow = words.indexOf("=>");
  const arrowPlace = places.findIndex((place) => place.startsWith("=>"));
  const [table] = candidatesFor(index.tables.list, words[0] ?? "");
  if (arrowPlace >= 0 && arrow < 0 && table !== undefined) {
    const needed = places.slice(0, arrowPlace).length - 1 + table.fields.list.length;
    if (words.length >= needed) return ["=>"];
  }
  const place = arrow >= 0 ? "" : (places[words.length] ?? "");
  const [profile] = candidatesFor(index.actionProfiles.list, words[0] ?? "");
  switch (place.replace(/[<>[\]]/g, "").replace(/\|.*/, "")) {
    case "table":
      return namesOf(index.tables.list);
    case "action:table":
      return table === undefined ? [] : namesOf(actionsOf(table));
    case "action:profile":
      return profile === undefined ? [] : namesOf(profileActions(profile));
    case "profile":
      return namesOf(index.actionProfiles.list);
    case "counter":
      return namesOf(listResources("counter", index));
    case "meter":
      return namesOf(listResources("meter", index));
    case "register":
      return namesOf(index.registers.list);
    case "value set":
      return namesOf(index.valueSets.list);
    default:
      return [];
  }
}
