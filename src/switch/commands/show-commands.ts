/** Commands that only tell: tables, entries, action profiles, multicast groups, the program. */
import { fail, maskOf } from "../../base/index.js";
import type { ActionCall, bmv2, Match, TableAction, TableEntry } from "../../program/index.js";
import type { ProfileControl, TableControl } from "../control/instance.js";
import type { KeyField } from "../tables/shape.js";
import type { CliContext, Command } from "./context.js";
import { CODES, type Word } from "./values.js";

/** The smaller priority wins in this language, the larger in P4Runtime. */
const LOWEST = 0x7fffffff;

type Actions = ReadonlyMap<string, bmv2.Bmv2Action>;

/** Hexadecimal digits, two for each byte of the width. */
function hex(value: bigint, width: number): string {
  return value.toString(16).padStart(2 * Math.ceil(width / 8), "0");
}

function actionText(call: ActionCall, actions: Actions): string {
  const slots = actions.get(call.action)?.runtime_data ?? [];
  return `${call.action} - ${slots.map(({ name, bitwidth }) => hex(call.params[name] ?? 0n, bitwidth)).join(", ")}`;
}

function signature({ name, runtime_data }: bmv2.Bmv2Action): string {
  return `${name.padEnd(30)} [${runtime_data.map((slot) => `${slot.name}(${slot.bitwidth})`).join(", ")}]`;
}

/** A field of a key as it would be written in a command; a don't-care part is not there. */
function partText({ kind, width }: KeyField, part: Match | undefined): string {
  switch (part?.kind) {
    case "exact":
      return hex(part.value, width);
    case "lpm":
      return `${hex(part.value, width)}/${part.prefixLength}`;
    case "ternary":
      return `${hex(part.value, width)} &&& ${hex(part.mask, width)}`;
    case "optional":
      return `${hex(part.value, width)} &&& ${hex(maskOf(width), width)}`;
    case "range":
      return `${hex(part.low, width)} -> ${hex(part.high, width)}`;
    case undefined:
      if (kind === "lpm") return `${hex(0n, width)}/0`;
      if (kind === "range") return `${hex(0n, width)} -> ${hex(maskOf(width), width)}`;
      return `${hex(0n, width)} &&& ${hex(0n, width)}`;
  }
}

function targetText(table: TableControl, action: TableAction | undefined): string {
  const { actions } = table.info;
  switch (action?.kind) {
    case undefined:
      return "EMPTY";
    case "action":
      return `Action entry: ${actionText(action, actions)}`;
    case "member":
      return `Index: member(${action.memberId})`;
    case "group":
      return `Index: group(${action.groupId})`;
    case "oneShot":
      return action.actions.map((call) => `${call.weight} of ${actionText(call, actions)}`).join("\n");
  }
}

function printLines(context: CliContext, text: string): void {
  for (const line of text.split("\n")) context.print(line);
}

function printEntry(context: CliContext, table: TableControl, handle: number): void {
  const stored = table.store.entries.get(handle)!;
  const width = Math.max(20, ...table.fieldNames.map((name) => name.length));
  context.print(`Dumping entry 0x${handle.toString(16)}`);
  context.print("Match key:");
  table.shape.fields.forEach((field, i) => {
    const name = table.fieldNames[i]!;
    const part = stored.match.find((candidate) => candidate.field === name);
    context.print(`* ${name.padEnd(width)}: ${field.kind.toUpperCase().padEnd(10)}${partText(field, part)}`);
  });
  if (table.priority) context.print(`Priority: ${LOWEST - stored.priority}`);
  printLines(context, targetText(table, stored.action));
  if (!table.info.table.support_timeout) return;
  const idle = context.instance.clock.now() - table.store.lastHit[handle]!;
  context.print(
    `Life: ${Math.floor(idle / 1000)}ms since hit, timeout is ${stored.idleTimeoutNs / 1_000_000n}ms`,
  );
}

function printProfile(context: CliContext, { name, info, store }: ProfileControl): void {
  printLines(context, "==========\nMEMBERS");
  for (const entity of context.device.query([{ kind: "member", profile: name }])) {
    if (entity.kind !== "member") continue;
    printLines(context, `**********\nDumping member ${entity.memberId}`);
    context.print(`Action entry: ${actionText(entity.action, info.actions)}`);
  }
  if (!store.hasSelector) return;
  printLines(context, "==========\nGROUPS");
  for (const entity of context.device.query([{ kind: "group", profile: name }])) {
    if (entity.kind !== "group") continue;
    const members = entity.members.map(({ memberId, weight }) =>
      weight === 1 ? memberId : `${memberId} x ${weight}`,
    );
    printLines(context, `**********\nDumping group ${entity.groupId}\nMembers: [${members.join(", ")}]`);
  }
}

function tableText({ name, profile, shape, fieldNames }: TableControl): string {
  const key = shape.fields.map(({ kind, width }, i) => `${fieldNames[i]}(${kind}, ${width})`);
  return `${name.padEnd(30)} [implementation=${profile?.name ?? "None"}, mk=${key.join(", ")}]`;
}

function sorted<T>(things: ReadonlyMap<string, T>): T[] {
  return [...things].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, thing]) => thing);
}

function printActions(context: CliContext, word: Word): void {
  for (const action of sorted(context.table(word).info.actions)) context.print(signature(action));
}

export const showCommands: Readonly<Record<string, Command>> = {
  table_dump: {
    usage: "table_dump <table>",
    least: 1,
    most: 1,
    run(context, words) {
      const table = context.table(words[0]!);
      printLines(context, "==========\nTABLE ENTRIES");
      for (const handle of table.store.entries.keys()) {
        context.print("**********");
        printEntry(context, table, handle);
      }
      if (table.profile !== undefined) printProfile(context, table.profile);
      const [own] = context.device
        .query([{ kind: "tableEntry", table: table.name, isDefault: true }])
        .filter((entity): entity is TableEntry => entity.kind === "tableEntry");
      printLines(context, `==========\nDumping default entry\n${targetText(table, own?.action)}\n==========`);
    },
  },
  table_dump_entry: {
    usage: "table_dump_entry <table> <handle>",
    least: 2,
    most: 2,
    run(context, words) {
      const table = context.table(words[0]!);
      const handle = context.integer("the handle", words[1]);
      if (!table.store.entries.has(handle))
        fail(CODES.argument, words[1]!.span, `table ${table.name} has no entry with handle ${handle}`);
      printEntry(context, table, handle);
    },
  },
  table_info: {
    usage: "table_info <table>",
    least: 1,
    most: 1,
    run(context, words) {
      printLines(context, `${tableText(context.table(words[0]!))}\n${"*".repeat(80)}`);
      printActions(context, words[0]!);
    },
  },
  table_show_actions: {
    usage: "table_show_actions <table>",
    least: 1,
    most: 1,
    run: (context, words) => printActions(context, words[0]!),
  },
  show_tables: {
    usage: "show_tables",
    least: 0,
    most: 0,
    run(context) {
      for (const table of sorted(context.instance.tables)) context.print(tableText(table));
    },
  },
  show_actions: {
    usage: "show_actions",
    least: 0,
    most: 0,
    run(context) {
      const tables = [...context.instance.tables.values()];
      const actions = new Map(tables.flatMap(({ info }) => [...info.actions]));
      for (const action of sorted(actions)) context.print(signature(action));
    },
  },
  show_pvs: {
    usage: "show_pvs",
    least: 0,
    most: 0,
    run(context) {
      for (const { name, width } of sorted(context.instance.valueSets))
        context.print(`${name.padEnd(30)} [compressed bitwidth:${width}]`);
    },
  },
  act_prof_dump: {
    usage: "act_prof_dump <profile>",
    least: 1,
    most: 1,
    run: (context, words) => printProfile(context, context.profile(words[0]!)),
  },
  mc_dump: {
    usage: "mc_dump",
    least: 0,
    most: 0,
    run(context) {
      const { replication } = context.instance;
      printLines(context, "==========\nMC ENTRIES");
      for (const [id, group] of [...replication.groups].sort(([a], [b]) => a - b)) {
        printLines(context, `**********\nmgrp(${id})`);
        for (const handle of group.nodes) {
          const { rid, ports } = replication.node(handle)!;
          context.print(`  -> (L1h=${handle}, rid=${rid}) -> (ports=[${ports.join(", ")}], lags=[])`);
        }
        for (const { port, instance } of group.given ?? [])
          context.print(`  -> (rid=${instance}) -> (ports=[${port}])`);
      }
      context.print("==========");
    },
  },
  switch_info: {
    usage: "switch_info",
    least: 0,
    most: 0,
    run(context) {
      context.print(`name      : ${context.device.name}`);
      context.print(`program   : ${context.instance.program.bmv2.program ?? ""}`);
    },
  },
  reset_state: {
    usage: "reset_state",
    least: 0,
    most: 0,
    run: (context) => context.device.install(context.instance.program),
  },
};
