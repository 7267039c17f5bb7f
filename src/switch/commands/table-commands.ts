/** `table_*` and `act_prof_*`. */
import { fail } from "../../base/index.js";
import type { Match, TableAction } from "../../program/index.js";
import type { TableControl } from "../control/instance.js";
import type { StoredEntry } from "../tables/store.js";
import type { CliContext, Command } from "./context.js";
import { CODES, readMatch, type Word } from "./values.js";

const MANY = Number.POSITIVE_INFINITY;

/** The smaller number wins in this language, the larger in P4Runtime. */
const LOWEST = 0x7fffffff;

function fromCliPriority(priority: number): number {
  return LOWEST - priority;
}

/** Splits the words before and behind `=>`. */
function halves(words: readonly Word[]): [readonly Word[], readonly Word[]] {
  const arrow = words.findIndex(({ text }) => text === "=>");
  return arrow < 0 ? [words, []] : [words.slice(0, arrow), words.slice(arrow + 1)];
}

function readMatches(table: TableControl, words: readonly Word[], name: Word): Match[] {
  const { fields } = table.shape;
  if (words.length !== fields.length)
    fail(
      CODES.argument,
      words.at(-1)?.span ?? name.span,
      `table ${table.name} has ${fields.length} match field${fields.length === 1 ? "" : "s"}${fields.length === 0 ? "" : ` (${table.fieldNames.join(", ")})`}, not ${words.length}`,
    );
  return fields.flatMap((field, i) => readMatch(field, table.fieldNames[i]!, words[i]!) ?? []);
}

/** The entry's priority: the last word, where the table needs one. */
function priorityOf(context: CliContext, table: TableControl, rest: readonly Word[], name: Word): number {
  if (!table.priority) {
    if (rest.length > 0) fail(CODES.argument, rest[0]!.span, `too many words for table ${table.name}`);
    return 0;
  }
  if (rest.length !== 1)
    fail(
      CODES.argument,
      rest[1]?.span ?? name.span,
      `an entry of table ${table.name} needs a priority as its last word`,
    );
  return fromCliPriority(context.integer("the priority", rest[0], LOWEST - 1));
}

function insert(
  context: CliContext,
  table: TableControl,
  match: Match[],
  priority: number,
  action: TableAction,
): void {
  context.device.apply([
    { type: "insert", entity: { kind: "tableEntry", table: table.name, match, priority, action } },
  ]);
  context.print(`entry added with handle ${[...table.store.entries.values()].at(-1)!.number}`);
}

function entryOf(table: TableControl, word: Word, handle: number): StoredEntry {
  const entry = table.store.entries.get(handle);
  if (entry === undefined)
    fail(CODES.argument, word.span, `table ${table.name} has no entry with handle ${handle}`);
  return entry;
}

function modify(
  context: CliContext,
  table: TableControl,
  entry: StoredEntry,
  action: TableAction,
  more: object = {},
): void {
  const { match, priority, idleTimeoutNs } = entry;
  context.device.apply([
    {
      type: "modify",
      entity: { kind: "tableEntry", table: table.name, match, priority, action, idleTimeoutNs, ...more },
    },
  ]);
}

function indirect(kind: "member" | "group"): Command["run"] {
  return (context, words, name) => {
    const table = context.table(words[0]!);
    const [keys, [target, ...rest]] = halves(words.slice(1));
    if (target === undefined) fail(CODES.argument, name.span, `a ${kind} is missing behind \`=>\``);
    const match = readMatches(table, keys, name);
    const priority = priorityOf(context, table, rest, name);
    const id = context.integer(`the ${kind}`, target);
    // BMv2 refuses entries that point to an empty group.
    if (kind === "group" && table.profile?.store.groups.get(id)?.members.length === 0)
      fail(CODES.refused, target.span, `group ${id} has no members`);
    insert(
      context,
      table,
      match,
      priority,
      kind === "member" ? { kind, memberId: id } : { kind, groupId: id },
    );
  };
}

/** The lowest number that is not taken. */
function freeId(taken: ReadonlyMap<number, unknown>): number {
  let id = 0;
  while (taken.has(id)) id++;
  return id;
}

function changeGroup(context: CliContext, words: readonly Word[], add: boolean): void {
  const profile = context.profile(words[0]!);
  const memberId = context.integer("the member", words[1]);
  const groupId = context.integer("the group", words[2]);
  const group = profile.store.groups.get(groupId);
  if (group === undefined)
    fail(CODES.argument, words[2]!.span, `action profile ${profile.name} has no group ${groupId}`);
  const present = group.members.some((member) => member.memberId === memberId);
  if (!add && !present) fail(CODES.argument, words[1]!.span, `group ${groupId} has no member ${memberId}`);
  const members = add
    ? [...group.members, { memberId, weight: 1 }]
    : group.members.filter((member) => member.memberId !== memberId);
  context.device.apply([
    { type: "modify", entity: { kind: "group", profile: profile.name, groupId, members, maxSize: 0 } },
  ]);
}

export const tableCommands: Readonly<Record<string, Command>> = {
  table_add: {
    usage: "table_add <table> <action> <match fields> => <parameters> [priority]",
    least: 2,
    most: MANY,
    run(context, words, name) {
      const table = context.table(words[0]!);
      const [keys, values] = halves(words.slice(2));
      const { action, params, rest } = context.action(table.info.actions, words[1]!, values);
      const match = readMatches(table, keys, name);
      insert(context, table, match, priorityOf(context, table, rest, name), {
        kind: "action",
        action,
        params,
      });
    },
  },
  table_set_default: {
    usage: "table_set_default <table> <action> <parameters>",
    least: 2,
    most: MANY,
    run(context, words) {
      const table = context.table(words[0]!);
      const { action, params, rest } = context.action(table.info.actions, words[1]!, words.slice(2));
      if (rest.length > 0) fail(CODES.argument, rest[0]!.span, `too many parameters for action ${action}`);
      context.device.apply([
        {
          type: "modify",
          entity: {
            kind: "tableEntry",
            table: table.name,
            match: [],
            priority: 0,
            isDefault: true,
            action: { kind: "action", action, params },
          },
        },
      ]);
    },
  },
  table_reset_default: {
    usage: "table_reset_default <table>",
    least: 1,
    most: 1,
    run(context, words) {
      const table = context.table(words[0]!);
      context.device.apply([
        {
          type: "modify",
          entity: { kind: "tableEntry", table: table.name, match: [], priority: 0, isDefault: true },
        },
      ]);
    },
  },
  table_modify: {
    usage: "table_modify <table> <action> <handle> [=>] <parameters>",
    least: 3,
    most: MANY,
    run(context, words) {
      const table = context.table(words[0]!);
      const values = words.slice(3).filter(({ text }) => text !== "=>");
      const { action, params } = context.action(table.info.actions, words[1]!, values);
      const entry = entryOf(table, words[2]!, context.integer("the handle", words[2]));
      modify(context, table, entry, { kind: "action", action, params });
    },
  },
  table_delete: {
    usage: "table_delete <table> <handle>",
    least: 2,
    most: 2,
    run(context, words) {
      const table = context.table(words[0]!);
      const { match, priority } = entryOf(table, words[1]!, context.integer("the handle", words[1]));
      context.device.apply([
        { type: "delete", entity: { kind: "tableEntry", table: table.name, match, priority } },
      ]);
    },
  },
  table_clear: {
    usage: "table_clear <table>",
    least: 1,
    most: 1,
    run(context, words) {
      const table = context.table(words[0]!);
      context.device.apply(
        [...table.store.entries.values()].map(({ match, priority }) => ({
          type: "delete" as const,
          entity: { kind: "tableEntry" as const, table: table.name, match, priority },
        })),
      );
    },
  },
  table_set_timeout: {
    usage: "table_set_timeout <table> <handle> <milliseconds>",
    least: 3,
    most: 3,
    run(context, words) {
      const table = context.table(words[0]!);
      const entry = entryOf(table, words[1]!, context.integer("the handle", words[1]));
      const idleTimeoutNs = BigInt(context.integer("the timeout", words[2])) * 1_000_000n;
      modify(context, table, entry, entry.action, { idleTimeoutNs });
    },
  },
  table_num_entries: {
    usage: "table_num_entries <table>",
    least: 1,
    most: 1,
    run: (context, words) => context.print(String(context.table(words[0]!).store.entries.size)),
  },
  table_indirect_add: {
    usage: "table_indirect_add <table> <match fields> => <member> [priority]",
    least: 2,
    most: MANY,
    run: indirect("member"),
  },
  table_indirect_add_with_group: {
    usage: "table_indirect_add_with_group <table> <match fields> => <group> [priority]",
    least: 2,
    most: MANY,
    run: indirect("group"),
  },
  table_indirect_delete: {
    usage: "table_indirect_delete <table> <handle>",
    least: 2,
    most: 2,
    run: (context, words, name) => tableCommands.table_delete!.run(context, words, name),
  },
  act_prof_create_member: {
    usage: "act_prof_create_member <profile> <action> [parameters]",
    least: 2,
    most: MANY,
    run(context, words) {
      const profile = context.profile(words[0]!);
      const { action, params, rest } = context.action(profile.info.actions, words[1]!, words.slice(2));
      if (rest.length > 0) fail(CODES.argument, rest[0]!.span, `too many parameters for action ${action}`);
      const memberId = freeId(profile.store.members);
      context.device.apply([
        {
          type: "insert",
          entity: { kind: "member", profile: profile.name, memberId, action: { action, params } },
        },
      ]);
      context.print(`member created with handle ${memberId}`);
    },
  },
  act_prof_modify_member: {
    usage: "act_prof_modify_member <profile> <action> <member> [parameters]",
    least: 3,
    most: MANY,
    run(context, words) {
      const profile = context.profile(words[0]!);
      const { action, params } = context.action(profile.info.actions, words[1]!, words.slice(3));
      const memberId = context.integer("the member", words[2]);
      context.device.apply([
        {
          type: "modify",
          entity: { kind: "member", profile: profile.name, memberId, action: { action, params } },
        },
      ]);
    },
  },
  act_prof_delete_member: {
    usage: "act_prof_delete_member <profile> <member>",
    least: 2,
    most: 2,
    run(context, words) {
      const profile = context.profile(words[0]!);
      const memberId = context.integer("the member", words[1]);
      const action = { action: "", params: {} };
      context.device.apply([
        { type: "delete", entity: { kind: "member", profile: profile.name, memberId, action } },
      ]);
    },
  },
  act_prof_create_group: {
    usage: "act_prof_create_group <profile>",
    least: 1,
    most: 1,
    run(context, words) {
      const profile = context.profile(words[0]!);
      const groupId = freeId(profile.store.groups);
      context.device.apply([
        {
          type: "insert",
          entity: { kind: "group", profile: profile.name, groupId, members: [], maxSize: 0 },
        },
      ]);
      context.print(`group created with handle ${groupId}`);
    },
  },
  act_prof_delete_group: {
    usage: "act_prof_delete_group <profile> <group>",
    least: 2,
    most: 2,
    run(context, words) {
      const profile = context.profile(words[0]!);
      const groupId = context.integer("the group", words[1]);
      context.device.apply([
        {
          type: "delete",
          entity: { kind: "group", profile: profile.name, groupId, members: [], maxSize: 0 },
        },
      ]);
    },
  },
  act_prof_add_member_to_group: {
    usage: "act_prof_add_member_to_group <profile> <member> <group>",
    least: 3,
    most: 3,
    run: (context, words) => changeGroup(context, words, true),
  },
  act_prof_remove_member_from_group: {
    usage: "act_prof_remove_member_from_group <profile> <member> <group>",
    least: 3,
    most: 3,
    run: (context, words) => changeGroup(context, words, false),
  },
};
