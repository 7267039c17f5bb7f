/** `table_*`: entries and default entries. */
import { fail } from "../../base/index.js";
import type { TableAction, TableEntry } from "../../program/index.js";
import { describeCall, readCall } from "./actions.js";
import type { Command, Commands, Context } from "./command.js";
import type { BookEntry } from "./entry-book.js";
import { describePart, devicePriority, readKey, shownPriority } from "./keys.js";
import { findAction, type NamedTable } from "./names.js";
import { dumpProfile, existingGroup, existingMember } from "./profile-commands.js";
import { readInteger } from "./values.js";
import { type Word, wholeNumber } from "./words.js";

function checkDirect(table: NamedTable, word: Word): void {
  if (table.profile === undefined) return;
  fail(
    "P41156",
    word.span,
    `table ${table.name} takes its actions from action profile ${table.profile.name}`,
    "use table_indirect_add and act_prof_create_member",
  );
}

function checkIndirect(table: NamedTable, word: Word, group: boolean): void {
  if (table.profile === undefined) {
    fail("P41156", word.span, `table ${table.name} has no action profile`, "use table_add");
  }
  if (group && !table.profile.withSelector) {
    fail("P41156", word.span, `action profile ${table.profile.name} of table ${table.name} has no selector, so no groups`);
  }
}

/** `KEY... => REST... [PRIORITY]` */
function splitEntry(table: NamedTable, words: readonly Word[], place: Word) {
  const end = table.ordered ? words.length - 1 : words.length;
  const arrow = words.findIndex(({ text }) => text === "=>");
  if (arrow < 0 || arrow >= end) {
    fail(
      "P41152",
      (words.at(-1) ?? place).span,
      arrow < 0
        ? "`=>` is missing between the key and what follows it"
        : `table ${table.name} has ternary or range fields: the last word is the entry's priority, and it is missing`,
    );
  }
  return {
    match: readKey(table, words.slice(0, arrow), words[arrow]!),
    arrow: words[arrow]!,
    rest: words.slice(arrow + 1, end),
    priority: devicePriority(table, words[end]),
  };
}

function insert(context: Context, table: NamedTable, entry: Omit<TableEntry, "kind" | "table">): string {
  const book = context.entries(table);
  context.apply({ type: "insert", entity: { kind: "tableEntry", table: table.name, ...entry } });
  return `Entry has been added with handle ${book.add(entry.match, entry.priority).handle}`;
}

function current(context: Context, table: NamedTable, entry: BookEntry): TableEntry {
  const { match, priority } = entry;
  const found = context
    .query({ kind: "tableEntry", table: table.name, match, priority, idle: true })
    .find((candidate) => !candidate.isDefault);
  if (found !== undefined) return found;
  fail("P41155", context.span, `table ${table.name} no longer has the entry with handle ${entry.handle}`);
}

/** The entry with another action or timeout; what an update cannot carry is left out. */
function modify(context: Context, entry: TableEntry, change: Partial<TableEntry>): void {
  const { elapsedNs: _elapsed, isConst: _const, counter: _counter, meter: _meter, ...kept } = entry;
  context.apply({ type: "modify", entity: { ...kept, ...change } });
}

function setDefault(context: Context, table: NamedTable, action: TableAction | undefined): void {
  context.apply({
    type: "modify",
    entity: {
      kind: "tableEntry",
      table: table.name,
      match: [],
      priority: 0,
      isDefault: true,
      ...(action === undefined ? {} : { action }),
    },
  });
}

function describeAnyAction(table: NamedTable, action: TableAction | undefined): string {
  switch (action?.kind) {
    case undefined:
      return "EMPTY";
    case "action":
      return describeCall(action, table.actions);
    case "member":
      return `Index: member(${action.memberId})`;
    case "group":
      return `Index: group(${action.groupId})`;
    case "oneShot":
      return action.actions
        .map((call) => `${describeCall(call, table.actions)}, weight ${call.weight}`)
        .join("\n");
  }
}

function describeEntry(table: NamedTable, handle: number, entry: TableEntry): string {
  const width = Math.max(20, ...table.key.map(({ shown }) => shown.length));
  const kindOf = (kind: string) => (kind === "optional" ? "TERNARY" : kind.toUpperCase());
  const lines = [
    `Dumping entry 0x${handle.toString(16)}`,
    "Match key:",
    ...table.key.map(
      (part) => `* ${part.shown.padEnd(width)}: ${kindOf(part.kind).padEnd(10)}${describePart(part, entry.match)}`,
    ),
  ];
  if (table.ordered) lines.push(`Priority: ${shownPriority(entry.priority)}`);
  lines.push(describeAnyAction(table, entry.action));
  if (table.table.support_timeout) {
    const ms = (ns: bigint | undefined) => (ns ?? 0n) / 1_000_000n;
    lines.push(`Life: ${ms(entry.elapsedNs)}ms since hit, timeout is ${ms(entry.idleTimeoutNs)}ms`);
  }
  return lines.join("\n");
}

function entriesOf(context: Context, table: NamedTable): TableEntry[] {
  return context
    .query({ kind: "tableEntry", table: table.name, idle: true })
    .filter((entry) => !entry.isDefault);
}

function deleteEntry(context: Context, args: readonly Word[]): string {
  const table = context.names.tables.find(args[0]!);
  const book = context.entries(table);
  const entry = book.find(args[1]!);
  const { match, priority } = entry;
  context.apply({ type: "delete", entity: { kind: "tableEntry", table: table.name, match, priority } });
  book.remove(entry);
  return `Deleting entry ${entry.handle} from ${args[0]!.text}`;
}

/** `table_indirect_add` and `table_indirect_set_default`, with a member or a group. */
function indirectAdd(group: boolean): Command {
  return {
    usage: `TABLE KEY... => ${group ? "GROUP" : "MEMBER"} [PRIORITY]`,
    help: `add an entry that points to a ${group ? "group" : "member"}`,
    min: 3,
    max: Number.POSITIVE_INFINITY,
    run(context, args) {
      const table = context.names.tables.find(args[0]!);
      checkIndirect(table, args[0]!, group);
      const { match, arrow, rest, priority } = splitEntry(table, args.slice(1), args[0]!);
      if (rest.length !== 1) {
        fail("P41152", (rest[1] ?? arrow).span, `one ${group ? "group" : "member"} handle follows \`=>\`, not ${rest.length} words`);
      }
      const action = pointer(context, table, rest[0]!, group);
      return `Adding entry to indirect match table ${table.name}\n${insert(context, table, { match, priority, action })}`;
    },
  };
}

function pointer(context: Context, table: NamedTable, word: Word, group: boolean): TableAction {
  const profile = table.profile!;
  if (!group) return { kind: "member", memberId: existingMember(context, profile, word).memberId };
  const { groupId, members } = existingGroup(context, profile, word);
  if (members.length === 0) {
    fail("P41156", word.span, `group ${groupId} of action profile ${profile.name} is empty: no entry can point to it`);
  }
  return { kind: "group", groupId };
}

function indirectSetDefault(group: boolean): Command {
  return {
    usage: `TABLE ${group ? "GROUP" : "MEMBER"}`,
    help: `point the default entry to a ${group ? "group" : "member"}`,
    min: 2,
    max: 2,
    run(context, args) {
      const table = context.names.tables.find(args[0]!);
      checkIndirect(table, args[0]!, group);
      setDefault(context, table, pointer(context, table, args[1]!, group));
      return "";
    },
  };
}

const resetDefault: Command = {
  usage: "TABLE",
  help: "give a table its own default action back",
  min: 1,
  max: 1,
  run(context, args) {
    setDefault(context, context.names.tables.find(args[0]!), undefined);
    return "";
  },
};

export const tableCommands: Commands = {
  table_set_default: {
    usage: "TABLE ACTION [PARAMETER...]",
    help: "set the default action of a table",
    min: 2,
    max: Number.POSITIVE_INFINITY,
    run(context, args) {
      const table = context.names.tables.find(args[0]!);
      checkDirect(table, args[0]!);
      const action = findAction(args[1]!, `table ${table.name}`, table.actions);
      const words = args.slice(args[2]?.text === "=>" ? 3 : 2);
      const call = readCall(action, words, args[1]!);
      setDefault(context, table, { kind: "action", ...call });
      return `Setting default action of ${args[0]!.text}\n${describeCall(call, table.actions)}`;
    },
  },
  table_reset_default: resetDefault,
  table_add: {
    usage: "TABLE ACTION KEY... => PARAMETER... [PRIORITY]",
    help: "add an entry; the smaller priority wins",
    min: 2,
    max: Number.POSITIVE_INFINITY,
    run(context, args) {
      const table = context.names.tables.find(args[0]!);
      checkDirect(table, args[0]!);
      const action = findAction(args[1]!, `table ${table.name}`, table.actions);
      const { match, arrow, rest, priority } = splitEntry(table, args.slice(2), args[1]!);
      const call = readCall(action, rest, arrow);
      const added = insert(context, table, { match, priority, action: { kind: "action", ...call } });
      return [
        `Adding entry to ${table.table.match_type} match table ${args[0]!.text}`,
        `${"match key:".padEnd(20)} ${table.key.map((part) => describePart(part, match)).join("\t")}`,
        describeCall(call, table.actions),
        added,
      ].join("\n");
    },
  },
  table_modify: {
    usage: "TABLE ACTION HANDLE [=>] [PARAMETER...]",
    help: "give an entry another action",
    min: 3,
    max: Number.POSITIVE_INFINITY,
    run(context, args) {
      const table = context.names.tables.find(args[0]!);
      checkDirect(table, args[0]!);
      const action = findAction(args[1]!, `table ${table.name}`, table.actions);
      const entry = context.entries(table).find(args[2]!);
      const call = readCall(action, args.slice(args[3]?.text === "=>" ? 4 : 3), args[2]!);
      modify(context, current(context, table, entry), { action: { kind: "action", ...call } });
      return `Modifying entry ${entry.handle} for ${table.table.match_type} match table ${args[0]!.text}`;
    },
  },
  table_delete: {
    usage: "TABLE HANDLE",
    help: "delete an entry",
    min: 2,
    max: 2,
    run: deleteEntry,
  },
  table_clear: {
    usage: "TABLE",
    help: "delete all entries of a table but the default one",
    min: 1,
    max: 1,
    run(context, args) {
      const table = context.names.tables.find(args[0]!);
      const updates = entriesOf(context, table).map(({ match, priority }) => ({
        type: "delete" as const,
        entity: { kind: "tableEntry" as const, table: table.name, match, priority },
      }));
      context.apply(...updates);
      // BMv2 starts to count from 0 again.
      context.forget(table);
      return "";
    },
  },
  table_set_timeout: {
    usage: "TABLE HANDLE MILLISECONDS",
    help: "set the idle timeout of an entry",
    min: 3,
    max: 3,
    run(context, args) {
      const table = context.names.tables.find(args[0]!);
      if (!table.table.support_timeout) {
        fail("P41156", args[0]!.span, `table ${table.name} does not support idle timeouts`);
      }
      const entry = context.entries(table).find(args[1]!);
      const ms = wholeNumber(args[2]!, "number of milliseconds");
      modify(context, current(context, table, entry), { idleTimeoutNs: BigInt(ms) * 1_000_000n });
      return `Setting a ${ms} ms timeout for entry ${entry.handle}`;
    },
  },
  table_num_entries: {
    usage: "TABLE",
    help: "count the entries of a table",
    min: 1,
    max: 1,
    run: (context, args) => String(entriesOf(context, context.names.tables.find(args[0]!)).length),
  },
  table_dump: {
    usage: "TABLE",
    help: "show all entries of a table",
    min: 1,
    max: 1,
    run(context, args) {
      const table = context.names.tables.find(args[0]!);
      const book = context.entries(table);
      const entries = entriesOf(context, table);
      book.update(entries);
      const lines = ["==========", "TABLE ENTRIES"];
      for (const entry of entries) {
        const { handle } = book.withKey(entry.match, entry.priority)!;
        lines.push("**********", describeEntry(table, handle, entry));
      }
      if (table.profile !== undefined) lines.push(dumpProfile(context, table.profile));
      const [own] = context.query({ kind: "tableEntry", table: table.name, isDefault: true });
      lines.push("==========", "Dumping default entry", describeAnyAction(table, own?.action), "==========");
      return lines.join("\n");
    },
  },
  table_dump_entry: {
    usage: "TABLE HANDLE",
    help: "show one entry",
    min: 2,
    max: 2,
    run(context, args) {
      const table = context.names.tables.find(args[0]!);
      const entry = context.entries(table).find(args[1]!);
      return describeEntry(table, entry.handle, current(context, table, entry));
    },
  },
  table_dump_entry_from_key: {
    usage: "TABLE KEY... [PRIORITY]",
    help: "show the entry with a key",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    run(context, args) {
      const table = context.names.tables.find(args[0]!);
      const words = args.slice(1);
      const last = table.ordered ? words.pop() : undefined;
      if (table.ordered && readInteger(last?.text ?? "") === undefined) {
        fail("P41152", (last ?? args[0]!).span, `table ${table.name} has ternary or range fields: the priority is missing`);
      }
      const match = readKey(table, words, args[0]!);
      const book = context.entries(table);
      book.update(entriesOf(context, table));
      const entry = book.withKey(match, devicePriority(table, last));
      if (entry === undefined) fail("P41155", context.span, `table ${table.name} has no entry with this key`);
      return describeEntry(table, entry.handle, current(context, table, entry));
    },
  },
  table_indirect_add: indirectAdd(false),
  table_indirect_add_with_group: indirectAdd(true),
  table_indirect_delete: {
    usage: "TABLE HANDLE",
    help: "delete an entry that points to a member or group",
    min: 2,
    max: 2,
    run(context, args) {
      checkIndirect(context.names.tables.find(args[0]!), args[0]!, false);
      return deleteEntry(context, args);
    },
  },
  table_indirect_set_default: indirectSetDefault(false),
  table_indirect_set_default_with_group: indirectSetDefault(true),
  table_indirect_reset_default: resetDefault,
};
