/** Statements that only read: the objects of the program, and the state of the switch. */
import { defined, didYouMean, fail, given } from "../../../base/index.js";
import { DeviceError, type Entity, type Match, type ReadQuery, type TableEntry } from "../../device/index.js";
import type { ActionInfo, Slot, TableInfo } from "../../program/index.js";
import { CODES } from "../codes.js";
import { type Commands, MANY } from "../command.js";
import { actionsOf, type Command, type Context } from "../context.js";
import { entriesIn, ofKind } from "../entities.js";
import { candidatesFor, endsOf, findNamed, type Named } from "../names.js";
import { findRegister, findResource, listResources } from "../resources.js";
import { readMatch } from "../values.js";
import type { Word } from "../words.js";
import { covers } from "./covers.js";
import { dataOf } from "./data.js";
import { assignment, element } from "./parts.js";
import { statementOf } from "./statements.js";

export function show(context: Context, entities: readonly Entity[]): void {
  for (const entity of entities) {
    context.print(statementOf(context, entity));
    context.data(dataOf(context, entity));
  }
}

const slotText = ({ name, bitwidth, isString }: Slot): string => `${name}: ${isString ? "string" : bitwidth}`;

export const actionText = ({ name, params }: ActionInfo): string =>
  `${name}(${params.list.map(slotText).join(", ")})`;

/** Reads entities of one kind. When the switch does not support it, the answer is empty, with a comment that says so. */
async function readIfThere(context: Context, what: string, query: ReadQuery): Promise<Entity[]> {
  try {
    return await context.device.read([query]);
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    context.print(`# ${what}: the switch does not report them (${error.code})`);
    return [];
  }
}

/** Fields of a lookup, `field=value`; each field reduces the set of entries. */
function readWanted(context: Context, table: TableInfo, words: readonly Word[]): Match[] {
  return words.flatMap((word) => {
    const pair = assignment(word);
    if (pair === undefined) fail(CODES.form, word.span, "give `field=value`");
    const field = findNamed("match field", table.fields.list, pair.name, `table ${table.name}`);
    return readMatch(field, pair.value, { naming: context.naming, plain: true }) ?? [];
  });
}

async function defaultOf(context: Context, table: TableInfo): Promise<TableEntry | undefined> {
  const found = await context.device.read([{ kind: "tableEntry", table: table.name, isDefault: true }]);
  const [entry] = ofKind(found, "tableEntry");
  return entry?.action === undefined ? undefined : { ...entry, isDefault: true };
}

/** The entries of a table with their counts, the highest priority first; then the default entry. */
async function dumpTable(context: Context, table: TableInfo, wanted: readonly Match[]): Promise<void> {
  const more = given({
    counter: table.directCounter === undefined ? undefined : true,
    idle: table.message.idleTimeoutBehavior === 0 ? undefined : true,
  });
  const found = await context.device.read([{ kind: "tableEntry", table: table.name, ...more }]);
  show(
    context,
    entriesIn(found).filter((entry) => covers(table, entry, wanted)),
  );
  const own = await defaultOf(context, table);
  if (own !== undefined) show(context, [own]);
}

/** The whole state, in an order in which it can be written again. */
export async function saveAll(context: Context): Promise<void> {
  const { index } = context;
  const counted = (entity: Entity): boolean => {
    if (entity.kind === "counter" || entity.kind === "directCounter")
      return entity.data.packets !== 0n || entity.data.bytes !== 0n;
    if (entity.kind === "register") return entity.value !== 0n;
    if (entity.kind === "meter" || entity.kind === "directMeter") return entity.config !== undefined;
    return entity.kind !== "valueSet" || entity.members.length > 0;
  };
  const part = async (what: string, there: boolean, query: ReadQuery): Promise<void> => {
    if (there) show(context, (await readIfThere(context, what, query)).filter(counted));
  };
  await part("members", index.actionProfiles.list.length > 0, { kind: "member" });
  await part(
    "groups",
    index.actionProfiles.list.some(({ message }) => message.withSelector),
    { kind: "group" },
  );
  for (const table of index.tables.list) {
    await part(table.name, true, { kind: "tableEntry", table: table.name });
    const own = await defaultOf(context, table);
    // the default entry of a table with an action profile is constant
    if (own !== undefined && table.profile === undefined) show(context, [own]);
  }
  const direct = (key: "directCounter" | "directMeter"): boolean =>
    index.tables.list.some((table) => table[key] !== undefined);
  await part("counters of entries", direct("directCounter"), { kind: "directCounter" });
  await part("meters of entries", direct("directMeter"), { kind: "directMeter" });
  await part("counters", index.counters.list.length > 0, { kind: "counter" });
  await part("meters", index.meters.list.length > 0, { kind: "meter" });
  await part("registers", index.registers.list.length > 0, { kind: "register" });
  await part("value sets", index.valueSets.list.length > 0, { kind: "valueSet" });
  await part("multicast groups", true, { kind: "multicastGroup" });
  await part("clone sessions", true, { kind: "cloneSession" });
  await part("digests", index.digests.list.length > 0, { kind: "digest" });
}

function describeTable(context: Context, table: TableInfo): void {
  const { name, fields, message, profile, directCounter, directMeter, hasPriority } = table;
  context.print(`table ${name}`);
  for (const { name: field, kind, bitwidth, isString } of fields.list)
    context.print(`  key      ${field}: ${kind} ${isString ? "string" : `${bitwidth}`}`);
  for (const { action, scope } of table.actions.values())
    context.print(`  action   ${actionText(action)}${["", "  entries only", "  default only"][scope] ?? ""}`);
  context.print(`  size     ${message.size} entries${message.isConstTable ? ", constant" : ""}`);
  if (hasPriority) context.print("  priority larger wins");
  if (profile !== undefined) {
    const groups = profile.message.withSelector ? ", with groups" : "";
    context.print(`  profile  ${profile.name}, ${profile.message.size} members${groups}`);
  }
  if (directCounter !== undefined) context.print(`  counter  ${directCounter.name}`);
  if (directMeter !== undefined) context.print(`  meter    ${directMeter.name}`);
  if (message.idleTimeoutBehavior !== 0) context.print("  timeouts entries may have an idle timeout");
  context.data({
    table: name,
    key: fields.list.map((field) => ({ name: field.name, kind: field.kind, bitwidth: field.bitwidth })),
    actions: actionsOf(table).map((action) => ({
      name: action.name,
      params: action.params.list.map((slot) => ({ name: slot.name, bitwidth: slot.bitwidth })),
    })),
    size: Number(message.size),
  });
}

/** A list with one name on each line, followed by details. */
function listing(
  usage: string,
  summary: string,
  lines: (context: Context) => (readonly [name: string, more: string])[],
): Command {
  return {
    usage,
    summary,
    least: 0,
    most: 0,
    async run(context) {
      const rows = lines(context);
      const width = Math.max(0, ...rows.map(([name]) => name.length));
      for (const [name, more] of rows) {
        context.print(`${name.padEnd(width)}  ${more}`.trimEnd());
        context.data({ name, ...given({ text: more || undefined }) });
      }
      if (rows.length === 0) context.print("# none");
    },
  };
}

const resourceLines = (kind: "counter" | "meter") => (context: Context) =>
  listResources(kind, context.index).map(
    (one) => [one.name, "table" in one ? `of the entries of ${one.table.name}` : `[${one.size}]`] as const,
  );

/** `read counter NAME[i]`: one element, or all elements that differ from their initial value. */
async function readElements(
  context: Context,
  kind: "counter" | "meter" | "register",
  word: Word,
): Promise<void> {
  const { name, index } = element(word);
  let query: ReadQuery;
  if (kind === "register") {
    const { name: register, size } = findRegister(context.index, name);
    query = {
      kind,
      register,
      ...given({ index: index && context.indexed(`register ${register}`, index, size) }),
    };
  } else {
    const found = findResource(kind, context.index, name);
    if ("table" in found) {
      if (index !== undefined)
        fail(
          CODES.form,
          index.span,
          `${kind} ${found.name} has no indexes: it belongs to the entries of ${found.table.name}`,
        );
      query = { kind: kind === "counter" ? "directCounter" : "directMeter", table: found.table.name };
    } else {
      const at = index && { index: context.indexed(`${kind} ${found.name}`, index, found.size) };
      query = kind === "counter" ? { kind, counter: found.name, ...at } : { kind, meter: found.name, ...at };
    }
  }
  const entities = await context.device.read([query]);
  const plain = (one: Entity): boolean =>
    one.kind === "counter"
      ? one.data.packets === 0n && one.data.bytes === 0n
      : one.kind === "register"
        ? one.value === 0n
        : one.kind === "meter" && one.config === undefined;
  const shown = index === undefined ? entities.filter((one) => !plain(one)) : entities;
  show(context, shown);
  const left = entities.length - shown.length;
  if (left > 0)
    context.print(
      `# ${left} ${left === entities.length ? "" : "more "}${kind === "meter" ? "without rates" : "at 0"}`,
    );
}

const ELEMENTS = ["counter", "meter", "register"] as const;

/** The kind of array that a name belongs to, when the statement does not say it. */
function kindOf(context: Context, word: Word): (typeof ELEMENTS)[number] {
  const { name } = element(word);
  const { index } = context;
  const lists: Record<(typeof ELEMENTS)[number], readonly Named[]> = {
    counter: listResources("counter", index),
    meter: listResources("meter", index),
    register: index.registers.list,
  };
  const kinds = ELEMENTS.filter((kind) => candidatesFor(lists[kind], name.text).length > 0);
  if (kinds.length === 1) return defined(kinds[0]);
  if (kinds.length > 1)
    fail(
      CODES.name,
      name.span,
      `\`${name.text}\` may be a ${kinds.join(" or a ")}`,
      "name the kind: `read KIND NAME`",
    );
  const all = ELEMENTS.flatMap((kind) => lists[kind]).flatMap((one) => endsOf(one.name));
  const hint = didYouMean(name.text, all, "`");
  fail(CODES.name, name.span, `the program has no counter, meter or register \`${name.text}\`${hint}`);
}

const READABLE: Readonly<Record<string, ReadQuery>> = {
  members: { kind: "member" },
  groups: { kind: "group" },
  multicast: { kind: "multicastGroup" },
  clone: { kind: "cloneSession" },
  digests: { kind: "digest" },
  "value-sets": { kind: "valueSet" },
};

/** A list of all objects of one kind in the switch. */
function held(name: string, summary: string): Command {
  return {
    usage: name,
    summary,
    least: 0,
    most: 0,
    async run(context) {
      const found = await context.device.read([defined(READABLE[name])]);
      show(context, found);
      if (found.length === 0) context.print("# none");
    },
  };
}

function heldOfProfile(name: "members" | "groups", summary: string): Command {
  return {
    usage: `${name} [profile]`,
    summary,
    least: 0,
    most: 1,
    async run(context, [word]) {
      const query = defined(READABLE[name]) as ReadQuery & { kind: "member" | "group" };
      const profile = word === undefined ? {} : { profile: context.profile(word).name };
      const found = await context.device.read([{ ...query, ...profile }]);
      show(context, found);
      if (found.length === 0) context.print("# none");
    },
  };
}

export const readStatements: Commands = {
  info: {
    usage: "info",
    summary: "show the program of the switch, and the number of objects of each kind",
    least: 0,
    most: 0,
    bare: true,
    async run(context) {
      const { index, device } = context;
      const program = device.program?.bmv2.program ?? index.p4info.pkgInfo?.name ?? "";
      context.print(`switch   ${device.name}`);
      context.print(`program  ${program === "" ? "-" : program}`);
      const counts = {
        tables: index.tables,
        actions: index.actions,
        profiles: index.actionProfiles,
        counters: index.counters,
        meters: index.meters,
        registers: index.registers,
        digests: index.digests,
        "value sets": index.valueSets,
      };
      const present = Object.entries(counts).filter(([, { list }]) => list.length > 0);
      const text = present.map(([name, { list }]) => `${list.length} ${name}`).join(", ");
      context.print(`has      ${text === "" ? "nothing" : text}`);
      context.data({ switch: device.name, program });
    },
  },
  tables: listing("tables", "list the tables: key, then size", ({ index }) =>
    index.tables.list.map(({ name, fields, message }) => {
      const key = fields.list.map((field) => `${field.name}: ${field.kind}`).join(", ");
      return [name, `(${key})  ${message.size}`] as const;
    }),
  ),
  table: {
    usage: "table <table>",
    summary: "describe a table",
    least: 1,
    most: 1,
    run: async (context, [word]) => describeTable(context, context.table(word)),
  },
  actions: listing("actions", "list the actions with their parameters", ({ index }) =>
    index.actions.list.map((action) => [actionText(action), ""] as const),
  ),
  profiles: listing("profiles", "list the action profiles and selectors", ({ index }) =>
    index.actionProfiles.list.map(({ name, tables, message }) => {
      const kind = message.withSelector ? "selector" : "profile";
      return [name, `${kind} of ${tables.map((table) => table.name).join(", ")}  ${message.size}`] as const;
    }),
  ),
  counters: listing("counters", "list the counters", resourceLines("counter")),
  meters: listing("meters", "list the meters", resourceLines("meter")),
  registers: listing("registers", "list the registers", ({ index }) =>
    index.registers.list.map(({ name, message }) => {
      const bits = index.bitwidthOf(message.typeSpec);
      return [name, `[${message.size}] of ${bits === undefined ? "structs" : `${bits} bits`}`] as const;
    }),
  ),
  dump: {
    usage: "dump [table] [field=value ...]",
    summary: "show entries as statements: all, those of a table, or those that match values",
    least: 0,
    most: MANY,
    async run(context, [word, ...wanted]) {
      const tables = word === undefined ? context.index.tables.list : [context.table(word)];
      for (const table of tables) {
        if (word === undefined) context.print(`# table ${table.name}`);
        await dumpTable(context, table, readWanted(context, table, wanted));
      }
    },
  },
  read: {
    usage: "read [counter|meter|register] <element>",
    summary: "show one element, NAME[3], or all elements that are not 0",
    least: 1,
    most: 2,
    async run(context, words, name) {
      const kind = ELEMENTS.find((one) => one === words[0].text);
      const word = kind === undefined ? words[0] : words[1];
      if (word === undefined) fail(CODES.form, name.span, `the ${kind} is missing`);
      if (kind === undefined && words.length > 1)
        fail(CODES.form, words[0].span, `\`${words[0].text}\` is none of ${ELEMENTS.join(", ")}`);
      await readElements(context, kind ?? kindOf(context, word), word);
    },
  },
  members: heldOfProfile("members", "show the members of action profiles"),
  groups: heldOfProfile("groups", "show the groups of action selectors"),
  multicast: held("multicast", "show the multicast groups"),
  clone: held("clone", "show the clone sessions"),
  digests: held("digests", "show which digests are on"),
  "value-sets": held("value-sets", "show the members of parser value sets"),
};
