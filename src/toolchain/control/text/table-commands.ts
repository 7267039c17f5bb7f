/** `table_*`: entries by handle. */
import { defined, fail } from "../../../base/index.js";
import type { Match, TableAction, TableEntry, Update } from "../../device/index.js";
import type { TableInfo } from "../../program/index.js";
import { CODES } from "../codes.js";
import { type Commands, MANY } from "../command.js";
import { actionsOf, type CommandOf, type Context, count, slotNames, type Words } from "../context.js";
import { ofKind } from "../entities.js";
import { type EntryKey, keyText } from "../entry-handles.js";
import { findNamed } from "../names.js";
import { readMatch } from "../values.js";
import { halves, type Word } from "../words.js";
import { colonHex, entryText, kindName, LOWEST, partText, tableKind, targetText } from "./format.js";
import { printProfile } from "./profile-commands.js";

const namesOf = (slots: readonly { readonly name: string }[]) => slots.map(({ name }) => name);

function readMatches(context: Context, table: TableInfo, words: readonly Word[], name: Word): Match[] {
  const fields = table.fields.list;
  if (words.length !== fields.length)
    fail(
      CODES.form,
      words.at(-1)?.span ?? name.span,
      `table ${table.name} has ${count(fields.length, "match field")}${fields.length === 0 ? "" : ` (${slotNames(fields)})`}, not ${words.length}`,
    );
  return words.flatMap((word, i) => readMatch(defined(fields[i]), word, context) ?? []);
}

/** The entry's priority: the last word, if the table needs a priority. */
function readPriority(context: Context, table: TableInfo, rest: readonly Word[], name: Word): number {
  const [word, more] = rest;
  if (!table.hasPriority) {
    if (word !== undefined) fail(CODES.form, word.span, `too many words for table ${table.name}`);
    return 0;
  }
  if (word === undefined || more !== undefined)
    fail(
      CODES.form,
      more?.span ?? name.span,
      `an entry of table ${table.name} needs a priority as its last word`,
    );
  return LOWEST - context.integer("the priority", word, LOWEST - 1);
}

async function insert(context: Context, table: TableInfo, key: EntryKey, action: TableAction): Promise<void> {
  // Entries that existed before have the smaller handles.
  const handles = await context.state.entries.of(table.name);
  const { match, priority } = key;
  await context.device.write([
    { type: "insert", entity: { kind: "tableEntry", table: table.name, match, priority, action } },
  ]);
  context.print(`Entry has been added with handle ${handles.add(key)}`);
}

function printCall(
  context: Context,
  name: string,
  call: TableAction & { kind: "action" },
  table: TableInfo,
): void {
  const slots = actionsOf(table).find((action) => action.name === call.action)?.params.list ?? [];
  context.print(`${"action:".padEnd(20)} ${name}`);
  const data = slots.map((slot) => colonHex(defined(call.params[slot.name]), slot.bitwidth));
  context.print(`${"runtime data:".padEnd(20)} ${data.join("\t")}`);
}

async function keyOf(context: Context, table: TableInfo, word: Word): Promise<[number, EntryKey]> {
  const handle = context.integer("the handle", word);
  const key = await (await context.state.entries.of(table.name)).key(handle);
  if (key === undefined)
    fail(CODES.missing, word.span, `table ${table.name} has no entry with handle ${handle}`);
  return [handle, key];
}

/** The present entry of the device. */
async function readEntry(
  context: Context,
  table: TableInfo,
  word: Word,
  more: { idle?: boolean } = {},
): Promise<[number, TableEntry]> {
  const [handle, { match, priority }] = await keyOf(context, table, word);
  const query = { kind: "tableEntry" as const, table: table.name, match, priority, ...more };
  const found = await context.device.read([query]);
  const text = keyText({ match, priority });
  const entry = ofKind(found, "tableEntry").find((one) => keyText(one) === text);
  if (entry === undefined)
    fail(CODES.missing, word.span, `table ${table.name} has no entry with handle ${handle} any more`);
  return [handle, entry];
}

/** Writes an entry with a new action or timeout; its other properties stay. */
async function modify(context: Context, entry: TableEntry, change: Partial<TableEntry>): Promise<void> {
  const { elapsedNs: _, isConst: __, counter: ___, meter: ____, ...kept } = entry;
  await context.device.write([{ type: "modify", entity: { ...kept, ...change } }]);
}

function setDefault(table: TableInfo, action: TableAction | undefined): Update {
  const entity: TableEntry = {
    kind: "tableEntry",
    table: table.name,
    match: [],
    priority: 0,
    isDefault: true,
  };
  return { type: "modify", entity: action === undefined ? entity : { ...entity, action } };
}

function needProfile(table: TableInfo, word: Word, selector = false): void {
  if (table.profile === undefined)
    fail(CODES.form, word.span, `table ${table.name} has no action profile: it is no indirect table`);
  if (selector && !table.profile.message.withSelector)
    fail(CODES.form, word.span, `action profile ${table.profile.name} has no selector, so no groups`);
}

function indirect(kind: "member" | "group"): CommandOf<1>["run"] {
  return async (context, words, name) => {
    const table = context.table(words[0]);
    needProfile(table, words[0], kind === "group");
    const [keys, behind = []] = halves(words.slice(1));
    const [target, ...rest] = behind;
    if (target === undefined) fail(CODES.form, name.span, `a ${kind} is missing after \`=>\``);
    const match = readMatches(context, table, keys, name);
    const priority = readPriority(context, table, rest, name);
    const id = context.integer(`the ${kind}`, target) + 1;
    if (kind === "group") await refuseEmptyGroup(context, table, target, id);
    context.print(`Adding entry to indirect match table ${table.name}`);
    const action: TableAction = kind === "member" ? { kind, memberId: id } : { kind, groupId: id };
    await insert(context, table, { match, priority }, action);
  };
}

/** BMv2 refuses entries that point to an empty group; P4Runtime allows them. */
async function refuseEmptyGroup(
  context: Context,
  table: TableInfo,
  word: Word,
  groupId: number,
): Promise<void> {
  const found = await context.device.read([{ kind: "group", profile: table.profile!.name, groupId }]);
  if (found.some((one) => one.kind === "group" && one.groupId === groupId && one.members.length === 0))
    fail(CODES.refused, word.span, `group ${word.text} has no members`);
}

function indirectDefault(kind: "member" | "group"): CommandOf<2>["run"] {
  return async (context, words) => {
    const table = context.table(words[0]);
    needProfile(table, words[0], kind === "group");
    const id = context.integer(`the ${kind}`, words[1]) + 1;
    const action: TableAction = kind === "member" ? { kind, memberId: id } : { kind, groupId: id };
    await context.device.write([setDefault(table, action)]);
  };
}

/** All entries, the members and groups of an indirect table, and the default entry. */
async function dump(context: Context, table: TableInfo): Promise<void> {
  const handles = await context.state.entries.of(table.name);
  const timed = table.message.idleTimeoutBehavior !== 0;
  const entries = await handles.read(timed ? { idle: true } : {});
  context.print("==========\nTABLE ENTRIES");
  for (const [handle, entry] of entries) {
    context.print(`**********\n${entryText(table, handle, entry, actionsOf(table))}`);
  }
  if (table.profile !== undefined) await printProfile(context, table.profile);
  const read = await context.device.read([{ kind: "tableEntry", table: table.name, isDefault: true }]);
  const [own] = ofKind(read, "tableEntry");
  context.print(
    `==========\nDumping default entry\n${targetText(own?.action, actionsOf(table))}\n==========`,
  );
}

async function deleteEntry(context: Context, words: Words<2>): Promise<void> {
  const table = context.table(words[0]);
  const [handle, { match, priority }] = await keyOf(context, table, words[1]);
  context.print(`Deleting entry ${handle} from ${words[0].text}`);
  await context.device.write([
    { type: "delete", entity: { kind: "tableEntry", table: table.name, match, priority } },
  ]);
  (await context.state.entries.of(table.name)).remove(handle);
}

export const tableCommands: Commands = {
  table_add: {
    usage: "table_add <table> <action:table> <key:table> => <parameters:action> [priority]",
    summary: "add an entry; the smaller priority wins",
    least: 2,
    most: MANY,
    async run(context, words, name) {
      const table = context.table(words[0]);
      const owner = `table ${table.name}`;
      const info = findNamed("action", actionsOf(table), words[1], owner);
      const [keys, values] = halves(words.slice(2));
      if (values === undefined && info.params.list.length > 0)
        fail(
          CODES.form,
          words.at(-1)!.span,
          "`=>` is missing between the match fields and the parameters",
          `write ${["table_add", words[0].text, words[1].text, ...namesOf(table.fields.list), "=>", ...namesOf(info.params.list)].join(" ")}${table.hasPriority ? " PRIORITY" : ""}`,
        );
      const [call, rest] = context.call(info, values ?? [], words[1]);
      const match = readMatches(context, table, keys, name);
      const priority = readPriority(context, table, rest, name);
      context.print(`Adding entry to ${tableKind(table)} match table ${words[0].text}`);
      const key = table.fields.list.map((field) => {
        const part = match.find((candidate) => candidate.field === field.name);
        return `${kindName(field).toUpperCase()}-${partText(field, part, colonHex)}`;
      });
      context.print(`${"match key:".padEnd(20)} ${key.join("\t")}`);
      const action: TableAction = { kind: "action", ...call };
      printCall(context, words[1].text, action, table);
      await insert(context, table, { match, priority }, action);
    },
  },
  table_set_default: {
    usage: "table_set_default <table> <action:table> <parameters:action>",
    summary: "set the default action",
    least: 2,
    most: MANY,
    async run(context, words) {
      const table = context.table(words[0]);
      const info = findNamed("action", actionsOf(table), words[1], `table ${table.name}`);
      const [call, [extra]] = context.call(info, words.slice(2), words[1]);
      if (extra !== undefined) fail(CODES.form, extra.span, `too many parameters for action ${info.name}`);
      const action: TableAction = { kind: "action", ...call };
      context.print(`Setting default action of ${words[0].text}`);
      printCall(context, words[1].text, action, table);
      await context.device.write([setDefault(table, action)]);
    },
  },
  table_reset_default: {
    usage: "table_reset_default <table>",
    summary: "restore the program's default action",
    least: 1,
    most: 1,
    run: (context, words) => context.device.write([setDefault(context.table(words[0]), undefined)]),
  },
  table_modify: {
    usage: "table_modify <table> <action:table> <handle> [=>] <parameters:action>",
    summary: "give an entry another action",
    least: 3,
    most: MANY,
    async run(context, words) {
      const table = context.table(words[0]);
      const info = findNamed("action", actionsOf(table), words[1], `table ${table.name}`);
      const values = words.slice(words[3]?.text === "=>" ? 4 : 3);
      const [call, [extra]] = context.call(info, values, words[1]);
      if (extra !== undefined) fail(CODES.form, extra.span, `too many parameters for action ${info.name}`);
      const [handle, entry] = await readEntry(context, table, words[2]);
      context.print(`Modifying entry ${handle} for ${tableKind(table)} match table ${words[0].text}`);
      await modify(context, entry, { action: { kind: "action", ...call } });
    },
  },
  table_delete: {
    usage: "table_delete <table> <handle>",
    summary: "delete an entry",
    least: 2,
    most: 2,
    run: deleteEntry,
  },
  table_clear: {
    usage: "table_clear <table>",
    summary: "delete all entries",
    least: 1,
    most: 1,
    async run(context, words) {
      const table = context.table(words[0]);
      const handles = await context.state.entries.of(table.name);
      const entries = await handles.read();
      await context.device.write(
        entries.map(([, { match, priority }]) => ({
          type: "delete" as const,
          entity: { kind: "tableEntry" as const, table: table.name, match, priority },
        })),
      );
      handles.clear();
    },
  },
  table_set_timeout: {
    usage: "table_set_timeout <table> <handle> <milliseconds>",
    summary: "set an entry's idle timeout",
    least: 3,
    most: 3,
    async run(context, words) {
      const table = context.table(words[0]);
      if (table.message.idleTimeoutBehavior === 0)
        fail(CODES.form, words[0].span, `table ${table.name} does not support idle timeouts`);
      const milliseconds = context.integer("the timeout", words[2]);
      const [handle, entry] = await readEntry(context, table, words[1]);
      context.print(`Setting a ${milliseconds} ms timeout for entry ${handle}`);
      await modify(context, entry, { idleTimeoutNs: BigInt(milliseconds) * 1_000_000n });
    },
  },
  table_num_entries: {
    usage: "table_num_entries <table>",
    summary: "count the entries",
    least: 1,
    most: 1,
    async run(context, words) {
      const handles = await context.state.entries.of(context.table(words[0]).name);
      context.print(String((await handles.read()).length));
    },
  },
  table_dump: {
    usage: "table_dump <table>",
    summary: "show all entries",
    least: 1,
    most: 1,
    run: (context, words) => dump(context, context.table(words[0])),
  },
  table_dump_entry: {
    usage: "table_dump_entry <table> <handle>",
    summary: "show an entry by its handle",
    least: 2,
    most: 2,
    async run(context, words) {
      const table = context.table(words[0]);
      const timed = table.message.idleTimeoutBehavior !== 0;
      const [handle, entry] = await readEntry(context, table, words[1], timed ? { idle: true } : {});
      context.print(entryText(table, handle, entry, actionsOf(table)));
    },
  },
  table_dump_entry_from_key: {
    usage: "table_dump_entry_from_key <table> <key:table> [priority]",
    summary: "show an entry by its key",
    least: 1,
    most: MANY,
    async run(context, words, name) {
      const table = context.table(words[0]);
      const cut = 1 + table.fields.list.length;
      const match = readMatches(context, table, words.slice(1, cut), name);
      const priority = readPriority(context, table, words.slice(cut), name);
      const handles = await context.state.entries.of(table.name);
      const timed = table.message.idleTimeoutBehavior !== 0;
      const entries = await handles.read(timed ? { idle: true } : {});
      const wanted = keyText({ match, priority });
      const found = entries.find(([, entry]) => keyText(entry) === wanted);
      if (found === undefined)
        fail(CODES.missing, words[1]?.span ?? name.span, `table ${table.name} has no entry with this key`);
      context.print(entryText(table, ...found, actionsOf(table)));
    },
  },
  table_indirect_add: {
    usage: "table_indirect_add <table> <key:table> => <member> [priority]",
    summary: "add an entry that points to a member",
    least: 2,
    most: MANY,
    run: indirect("member"),
  },
  table_indirect_add_with_group: {
    usage: "table_indirect_add_with_group <table> <key:table> => <group> [priority]",
    summary: "add an entry that points to a group",
    least: 2,
    most: MANY,
    run: indirect("group"),
  },
  table_indirect_delete: {
    usage: "table_indirect_delete <table> <handle>",
    summary: "delete an entry of an indirect table",
    least: 2,
    most: 2,
    async run(context, words) {
      needProfile(context.table(words[0]), words[0]);
      await deleteEntry(context, words);
    },
  },
  table_indirect_set_default: {
    usage: "table_indirect_set_default <table> <member>",
    summary: "make a member the default",
    least: 2,
    most: 2,
    run: indirectDefault("member"),
  },
  table_indirect_set_default_with_group: {
    usage: "table_indirect_set_default_with_group <table> <group>",
    summary: "make a group the default",
    least: 2,
    most: 2,
    run: indirectDefault("group"),
  },
  table_indirect_reset_default: {
    usage: "table_indirect_reset_default <table>",
    summary: "restore the program's default",
    least: 1,
    most: 1,
    async run(context, words) {
      const table = context.table(words[0]);
      needProfile(table, words[0]);
      await context.device.write([setDefault(table, undefined)]);
    },
  },
};
