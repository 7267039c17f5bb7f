/** `counter_*`, `meter_*`, `register_*` and `pvs_*`. */
import { defined, fail, maskOf } from "../../../base/index.js";
import type { CounterData, Match, MeterConfig, ReadQuery, TableEntry, Update } from "../../device/index.js";
import type { TableInfo, ValueSetInfo } from "../../program/index.js";
import { CODES } from "../codes.js";
import type { Commands } from "../command.js";
import type { Context, Words } from "../context.js";
import { countersIn, metersIn, registersIn } from "../entities.js";
import { findNamed } from "../names.js";
import { findRegister, findResource, type RegisterInfo, type Resource } from "../resources.js";
import { readValue } from "../values.js";
import type { Word } from "../words.js";
import { floatText, hex } from "./format.js";

/** Rates of meters are per microsecond in the command text, and per second in P4Runtime. */
const MICROSECONDS = 1_000_000;

/** The entry with that handle, as a key. */
async function entryAt(
  context: Context,
  resource: Resource & { table: TableInfo },
  word: Word,
): Promise<TableEntry> {
  const { table } = resource;
  const handle = context.integer("the handle", word);
  const key = await (await context.state.entries.of(table.name)).key(handle);
  if (key === undefined)
    fail(CODES.missing, word.span, `table ${table.name} has no entry with handle ${handle}`);
  return { kind: "tableEntry", table: table.name, match: key.match, priority: key.priority };
}

/** How to read one element. */
async function queryOf(
  context: Context,
  kind: "counter" | "meter",
  resource: Resource,
  word: Word,
): Promise<ReadQuery> {
  if ("table" in resource) {
    const { table, match, priority } = await entryAt(context, resource, word);
    return { kind: kind === "counter" ? "directCounter" : "directMeter", table, match, priority };
  }
  const index = context.indexed(`${kind} ${resource.name}`, word, resource.size);
  return kind === "counter" ? { kind, counter: resource.name, index } : { kind, meter: resource.name, index };
}

async function writeCounter(
  context: Context,
  resource: Resource,
  word: Word,
  data: CounterData,
): Promise<void> {
  const entity: Update["entity"] =
    "table" in resource
      ? { kind: "directCounter", entry: await entryAt(context, resource, word), data }
      : {
          kind: "counter",
          counter: resource.name,
          index: context.indexed(`counter ${resource.name}`, word, resource.size),
          data,
        };
  await context.device.write([{ type: "modify", entity }]);
}

/** `rate:burst`, the rate in units per microsecond. */
function readRate(word: Word): [bigint, bigint] {
  const match = /^(\d+(?:\.\d*)?(?:e[+-]?\d+)?):(\d+)$/i.exec(word.text);
  if (match === null)
    fail(CODES.value, word.span, `\`${word.text}\` is not \`rate:burst\` (units per microsecond, and units)`);
  const exact = Number(match[1]) * MICROSECONDS;
  const rate = Math.round(exact);
  if (Math.abs(exact - rate) > 1e-6 * exact || exact >= 2 ** 63)
    fail(
      CODES.value,
      word.span,
      `the rate ${match[1]} is ${exact} units per second; P4Runtime has whole numbers below 2^63`,
    );
  return [BigInt(rate), BigInt(defined(match[2]))];
}

function readConfig(committed: Word, peak: Word): MeterConfig {
  const [committedRate, committedBurst] = readRate(committed);
  const [peakRate, peakBurst] = readRate(peak);
  if (peakRate < committedRate)
    fail(
      CODES.value,
      peak.span,
      `the peak rate of ${peak.text} is below the committed rate of ${committed.text}`,
    );
  return { committedRate, committedBurst, peakRate, peakBurst };
}

function directNote(context: Context, resource: Resource): void {
  if ("table" in resource) context.print(`this is the direct counter for table ${resource.table.name}`);
}

/** Every element of a register as an update. */
function fillRegister({ name, size }: RegisterInfo, value: bigint): Update[] {
  return Array.from({ length: size }, (_, index) => ({
    type: "modify",
    entity: { kind: "register", register: name, index, value },
  }));
}

/** A value of all fields joined, as one member of a value set. */
function memberOf(set: ValueSetInfo, value: bigint): Match[] {
  let rest = set.fields.list.reduce((sum, { bitwidth }) => sum + bitwidth, 0);
  return set.fields.list.map(({ name, kind, bitwidth }): Match => {
    rest -= bitwidth;
    const part = (value >> BigInt(rest)) & maskOf(bitwidth);
    switch (kind) {
      case "lpm":
        return { kind, field: name, value: part, prefixLength: bitwidth };
      case "ternary":
        return { kind, field: name, value: part, mask: maskOf(bitwidth) };
      case "range":
        return { kind, field: name, low: part, high: part };
      case "optional":
        return { kind, field: name, value: part };
      default:
        return { kind: "exact", field: name, value: part };
    }
  });
}

/** A member as one number; the masks of parts that match more than one value follow it. */
function memberText(set: ValueSetInfo, member: readonly Match[]): string {
  let value = 0n;
  let mask = 0n;
  let bits = 0;
  for (const { name, bitwidth } of set.fields.list) {
    const part = member.find(({ field }) => field === name);
    const all = maskOf(bitwidth);
    const [partValue, partMask] =
      part === undefined
        ? [0n, 0n]
        : part.kind === "ternary"
          ? [part.value, part.mask]
          : part.kind === "lpm"
            ? [part.value, all ^ maskOf(bitwidth - part.prefixLength)]
            : [part.kind === "range" ? part.low : part.value, all];
    value = (value << BigInt(bitwidth)) | partValue;
    mask = (mask << BigInt(bitwidth)) | partMask;
    bits += bitwidth;
  }
  return mask === maskOf(bits) ? hex(value, bits) : `${hex(value, bits)} &&& ${hex(mask, bits)}`;
}

function valueSet(context: Context, word: Word): ValueSetInfo {
  return findNamed("value set", context.index.valueSets.list, word);
}

async function setMembers(context: Context, set: ValueSetInfo): Promise<(readonly Match[])[]> {
  const found = await context.device.read([{ kind: "valueSet", valueSet: set.name }]);
  return found.flatMap((one) => (one.kind === "valueSet" ? [...one.members] : []));
}

async function writeMembers(
  context: Context,
  set: ValueSetInfo,
  members: (readonly Match[])[],
): Promise<void> {
  await context.device.write([{ type: "modify", entity: { kind: "valueSet", valueSet: set.name, members } }]);
}

function changeSet(add: boolean) {
  return async (context: Context, words: Words<2>): Promise<void> => {
    const set = valueSet(context, words[0]);
    const bits = set.fields.list.reduce((sum, { bitwidth }) => sum + bitwidth, 0);
    const made = memberOf(set, readValue("the value", words[1], bits));
    const text = memberText(set, made);
    const others = (await setMembers(context, set)).filter((member) => memberText(set, member) !== text);
    await writeMembers(context, set, add ? [...others, made] : others);
  };
}

export const resourceCommands: Commands = {
  counter_read: {
    usage: "counter_read <counter> <index>",
    summary: "show a counter; for a table's counter give the entry's handle",
    least: 2,
    most: 2,
    async run(context, words) {
      const counter = findResource("counter", context.index, words[0]);
      const query = await queryOf(context, "counter", counter, words[1]);
      const [data] = countersIn(await context.device.read([query]));
      directNote(context, counter);
      context.print(
        `${words[0].text}[${words[1].text}]= (${data?.bytes ?? 0} bytes, ${data?.packets ?? 0} packets)`,
      );
    },
  },
  counter_write: {
    usage: "counter_write <counter> <index> <packets> <bytes>",
    summary: "set a counter",
    least: 4,
    most: 4,
    async run(context, words) {
      const counter = findResource("counter", context.index, words[0]);
      const [packets, bytes] = [words[2], words[3]].map((word) => readValue("a count", word, 63));
      if ("table" in counter) context.print(`writing to direct counter for table ${counter.table.name}`);
      await writeCounter(context, counter, words[1], { packets: packets!, bytes: bytes! });
      context.print(`${words[0].text}[${words[1].text}] has been updated`);
    },
  },
  counter_reset: {
    usage: "counter_reset <counter>",
    summary: "set all its elements to 0",
    least: 1,
    most: 1,
    async run(context, words) {
      const counter = findResource("counter", context.index, words[0]);
      const data: CounterData = { packets: 0n, bytes: 0n };
      directNote(context, counter);
      const updates: Update[] = [];
      if ("table" in counter) {
        const handles = await context.state.entries.of(counter.table.name);
        for (const [, { kind, table, match, priority }] of await handles.read()) {
          const entry: TableEntry = { kind, table, match, priority };
          updates.push({ type: "modify", entity: { kind: "directCounter", entry, data } });
        }
      } else {
        for (let index = 0; index < counter.size; index++)
          updates.push({ type: "modify", entity: { kind: "counter", counter: counter.name, index, data } });
      }
      await context.device.write(updates);
    },
  },
  register_read: {
    usage: "register_read <register> [index]",
    summary: "show one element or all",
    least: 1,
    most: 2,
    async run(context, [word, at]) {
      const { name, size } = findRegister(context.index, word);
      if (at === undefined) {
        const values = registersIn(await context.device.read([{ kind: "register", register: name }]));
        context.print(`${word.text}= ${values.map(({ value }) => value).join(", ")}`);
        return;
      }
      const index = context.indexed(`register ${name}`, at, size);
      const [found] = registersIn(await context.device.read([{ kind: "register", register: name, index }]));
      context.print(`${word.text}[${index}]= ${found?.value ?? 0}`);
    },
  },
  register_write: {
    usage: "register_write <register> <index> <value>",
    summary: "set one element",
    least: 3,
    most: 3,
    async run(context, words) {
      const { name, size, bits } = findRegister(context.index, words[0]);
      const index = context.indexed(`register ${name}`, words[1], size);
      const value = readValue("the value", words[2], bits);
      await context.device.write([
        { type: "modify", entity: { kind: "register", register: name, index, value } },
      ]);
    },
  },
  register_reset: {
    usage: "register_reset <register>",
    summary: "set all its elements to 0",
    least: 1,
    most: 1,
    run: (context, words) => context.device.write(fillRegister(findRegister(context.index, words[0]), 0n)),
  },
  meter_set_rates: {
    usage: "meter_set_rates <meter> <index> <rate:burst> <rate:burst>",
    summary: "set committed and peak rate, in units per microsecond",
    least: 4,
    most: 4,
    async run(context, words) {
      const meter = findResource("meter", context.index, words[0]);
      const config = readConfig(words[2], words[3]);
      const entity: Update["entity"] =
        "table" in meter
          ? { kind: "directMeter", entry: await entryAt(context, meter, words[1]), config }
          : {
              kind: "meter",
              meter: meter.name,
              index: context.indexed(`meter ${meter.name}`, words[1], meter.size),
              config,
            };
      await context.device.write([{ type: "modify", entity }]);
    },
  },
  meter_array_set_rates: {
    usage: "meter_array_set_rates <meter> <rate:burst> <rate:burst>",
    summary: "set the rates of all elements",
    least: 3,
    most: 3,
    async run(context, words) {
      const meter = findResource("meter", context.index, words[0]);
      if ("table" in meter)
        fail(CODES.form, words[0].span, `meter ${meter.name} belongs to the entries of ${meter.table.name}`);
      const config = readConfig(words[1], words[2]);
      await context.device.write(
        Array.from({ length: meter.size }, (_, index) => ({
          type: "modify" as const,
          entity: { kind: "meter" as const, meter: meter.name, index, config },
        })),
      );
    },
  },
  meter_get_rates: {
    usage: "meter_get_rates <meter> <index>",
    summary: "show the rates, in units per microsecond",
    least: 2,
    most: 2,
    async run(context, words) {
      const meter = findResource("meter", context.index, words[0]);
      const query = await queryOf(context, "meter", meter, words[1]);
      const [config] = metersIn(await context.device.read([query]));
      if (config === undefined) {
        context.print("WARNING: expected 2 rates but only received 0");
        return;
      }
      const rates = [
        [config.committedRate, config.committedBurst],
        [config.peakRate, config.peakBurst],
      ] as const;
      for (const [i, [rate, burst]] of rates.entries())
        context.print(`${i}: info rate = ${floatText(Number(rate) / MICROSECONDS)}, burst size = ${burst}`);
    },
  },
  pvs_add: {
    usage: "pvs_add <value set> <value>",
    summary: "add a value to a parser value set",
    least: 2,
    most: 2,
    run: changeSet(true),
  },
  pvs_remove: {
    usage: "pvs_remove <value set> <value>",
    summary: "remove a value from a parser value set",
    least: 2,
    most: 2,
    run: changeSet(false),
  },
  pvs_get: {
    usage: "pvs_get <value set>",
    summary: "show the values of a parser value set",
    least: 1,
    most: 1,
    async run(context, words) {
      const set = valueSet(context, words[0]);
      for (const member of await setMembers(context, set)) context.print(memberText(set, member));
    },
  },
  pvs_clear: {
    usage: "pvs_clear <value set>",
    summary: "remove all values",
    least: 1,
    most: 1,
    run: (context, words) => writeMembers(context, valueSet(context, words[0]), []),
  },
};
