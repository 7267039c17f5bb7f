/** Statements that write: entries, members, groups, replication, digests, counters, meters, registers, packets. */
import { defined, fail, fromHex, given } from "../../../base/index.js";
import type {
  Entity,
  GroupMember,
  Match,
  MeterConfig,
  Replica,
  TableEntry,
  Update,
} from "../../device/index.js";
import type { TableInfo } from "../../program/index.js";
import { CODES } from "../codes.js";
import { type Commands, MANY } from "../command.js";
import { type Command, type Context, profileActions } from "../context.js";
import { findNamed } from "../names.js";
import { findRegister, findResource, type Resource } from "../resources.js";
import { readInteger, readMatch, readSlot, readValue } from "../values.js";
import { halves, partOf, type Word } from "../words.js";
import { assignment, element, readCall, readDuration, readEntry, takeOptions } from "./parts.js";
import { show } from "./read-statements.js";

type Verb = Update["type"];

function need(words: readonly Word[], what: string, at: Word): Word {
  return words[0] ?? fail(CODES.form, at.span, `${what} is missing`);
}

function tooMany(words: readonly Word[]): void {
  const [extra] = words;
  if (extra !== undefined) fail(CODES.form, extra.span, `\`${extra.text}\` is an extra word`);
}

/** `PORT` or `PORT/INSTANCE`. */
function readReplicas(words: readonly Word[]): Replica[] {
  return words.map((word) => {
    const slash = word.text.indexOf("/");
    const end = slash < 0 ? word.text.length : slash;
    const port = readInteger("the port", partOf(word, 0, end), 511);
    const instance = slash < 0 ? 0 : readInteger("the instance", partOf(word, slash + 1), 0xffff);
    return { port, instance };
  });
}

/** `ID`, `ID*WEIGHT`, `ID@WATCH_PORT`, `ID*WEIGHT@WATCH_PORT`. */
function readMembers(words: readonly Word[]): GroupMember[] {
  return words.map((word) => {
    const match = /^(\d+)(?:\*(\d+))?(?:@(\d+))?$/.exec(word.text);
    if (match === null)
      fail(CODES.value, word.span, `\`${word.text}\` is not a member; write ID, ID*WEIGHT or ID*WEIGHT@PORT`);
    const [, memberId, weight = "1", watch] = match;
    return {
      memberId: Number(memberId),
      weight: Number(weight),
      ...given({ watchPort: watch === undefined ? undefined : Number(watch) }),
    };
  });
}

type Reader = (context: Context, verb: Verb, words: readonly Word[], at: Word) => Entity;

/** The objects besides table entries that `insert`, `modify` and `delete` accept, by the word after them. */
const KINDS: Readonly<Record<string, Reader>> = {
  member(context, verb, words, at) {
    const [front, behind] = halves(words);
    const profile = context.profile(need(front, "the action profile", at));
    const memberId = readInteger("the member", need(front.slice(1), "the member's id", at), 0xffffffff, 1);
    tooMany(front.slice(2));
    if (verb === "delete") {
      // P4Runtime finds a member by its id; any action of the profile is accepted here
      const [any] = profileActions(profile);
      const params = Object.fromEntries(any?.params.list.map(({ name }) => [name, 0n]) ?? []);
      return {
        kind: "member",
        profile: profile.name,
        memberId,
        action: { action: any?.name ?? "", params },
      };
    }
    const owner = `action profile ${profile.name}`;
    const action = readCall(context, profileActions(profile), owner, behind ?? [], at.span);
    return { kind: "member", profile: profile.name, memberId, action };
  },
  group(context, verb, words, at) {
    const [front, behind = []] = halves(words);
    const profile = context.profile(need(front, "the action profile", at));
    const groupId = readInteger("the group", need(front.slice(1), "the group's id", at), 0xffffffff, 1);
    tooMany(front.slice(2));
    const { options, rest } = takeOptions(behind, ["max"]);
    const maxSize = options.max === undefined ? 0 : readInteger("the size", options.max);
    const members = verb === "delete" ? [] : readMembers(rest);
    return { kind: "group", profile: profile.name, groupId, members, maxSize };
  },
  multicast(context, verb, words, at) {
    const [front, behind = []] = halves(words);
    const groupId = readInteger("the group", need(front, "the group's id", at), 0xffff, 1);
    tooMany(front.slice(1));
    context.state.forgetNodes();
    return { kind: "multicastGroup", groupId, replicas: verb === "delete" ? [] : readReplicas(behind) };
  },
  clone(_context, verb, words, at) {
    const [front, behind = []] = halves(words);
    const sessionId = readInteger("the session", need(front, "the session's id", at), 32767);
    tooMany(front.slice(1));
    const { options, rest } = takeOptions(behind, ["length", "class"]);
    return {
      kind: "cloneSession",
      sessionId,
      replicas: verb === "delete" ? [] : readReplicas(rest),
      classOfService: options.class === undefined ? 0 : readInteger("the class", options.class),
      packetLengthBytes: options.length === undefined ? 0 : readInteger("the length", options.length, 0xffff),
    };
  },
  digest(context, _verb, words, at) {
    const { options, rest } = takeOptions(words, ["size", "timeout", "ack"]);
    const word = need(rest, "the digest", at);
    tooMany(rest.slice(1));
    const { name } = findNamed("digest", context.index.digests.list, word);
    const time = (value: Word | undefined): bigint =>
      value === undefined ? 0n : readDuration("the time", value);
    return {
      kind: "digest",
      digest: name,
      maxListSize: options.size === undefined ? 1 : readInteger("the size", options.size, 0x7fffffff),
      maxTimeoutNs: time(options.timeout),
      ackTimeoutNs: time(options.ack),
    };
  },
};

function readUpdate(context: Context, verb: Verb, words: readonly Word[], at: Word): Update {
  const [first, ...rest] = words[0]?.text === "table" && words.length > 1 ? words.slice(1) : words;
  const kind = Object.hasOwn(KINDS, first!.text) ? KINDS[first!.text] : undefined;
  if (kind !== undefined) return { type: verb, entity: kind(context, verb, rest, first!) };
  const table = context.table(first!);
  const [key, behind] = halves(rest);
  if (behind === undefined && verb !== "delete")
    fail(CODES.form, words.at(-1)?.span ?? at.span, "the action is missing: `=> ACTION PARAMETERS`");
  return {
    type: verb,
    entity: readEntry(context, table, key, verb === "delete" ? undefined : behind, first!),
  };
}

const ENTRY_USAGE = "TABLE field=value ... => ACTION parameter=value ... [priority=N] [timeout=TIME]";

const OBJECT_USAGE = [
  "member PROFILE ID => ACTION parameter=value ...",
  "group PROFILE ID => MEMBER[*WEIGHT][@WATCH_PORT] ... [max=N]",
  "multicast ID => PORT[/INSTANCE] ...",
  "clone ID => PORT[/INSTANCE] ... [length=BYTES] [class=N]",
  "digest NAME [size=N] [timeout=TIME] [ack=TIME]",
];

function verb(type: Verb, summary: string): Command {
  const short = (usage: string): string =>
    type === "delete" ? usage.replace(/ =>.*/, "").replace(/ \[size.*/, "") : usage;
  const entry = type === "delete" ? "TABLE field=value ... [priority=N]" : ENTRY_USAGE;
  return {
    usage: [entry, ...OBJECT_USAGE.map(short)].map((line) => `${type} ${line}`).join("\n"),
    summary,
    least: 1,
    most: MANY,
    async run(context, words, name) {
      const update = readUpdate(context, type, words, name);
      await context.device.write([update]);
    },
  };
}

function defaultEntry(table: TableInfo): TableEntry {
  return { kind: "tableEntry", table: table.name, match: [], priority: 0, isDefault: true };
}

/** The entry of a direct resource: the key after its name. */
function keyedEntry(context: Context, table: TableInfo, words: readonly Word[], at: Word): TableEntry {
  const { kind, table: name, match, priority } = readEntry(context, table, words, undefined, at);
  return { kind, table: name, match, priority };
}

/** `write counter NAME[i] => ...` or `write counter NAME KEY => ...`: the elements, and the words of the values. */
function readPlaces(
  context: Context,
  kind: "counter" | "meter",
  words: readonly Word[],
  at: Word,
): { resource: Resource; indexes: number[]; entry: TableEntry | undefined; rest: readonly Word[] } {
  const { name, index } = element(need(words, `the ${kind}`, at));
  const resource = findResource(kind, context.index, name);
  const [front, behind] = halves(words.slice(1));
  if ("table" in resource) {
    if (behind === undefined) fail(CODES.form, at.span, "write the entry's key, then `=>`, then the values");
    return { resource, indexes: [], entry: keyedEntry(context, resource.table, front, name), rest: behind };
  }
  if (behind !== undefined) tooMany(front);
  const indexes =
    index === undefined
      ? Array.from({ length: resource.size }, (_, i) => i)
      : [context.indexed(`${kind} ${resource.name}`, index, resource.size)];
  return { resource, indexes, entry: undefined, rest: behind ?? front };
}

const CIR = ["cir", "cburst", "pir", "pburst"] as const;

function readMeter(rest: readonly Word[], at: Word): MeterConfig | undefined {
  if (rest.length === 1 && rest[0]?.text === "default") return undefined;
  const { options, rest: others } = takeOptions(rest, CIR);
  tooMany(others);
  const [committedRate, committedBurst, peakRate, peakBurst] = CIR.map((name) => {
    const word = options[name] ?? fail(CODES.form, at.span, `\`${name}=\` is missing; or write \`default\``);
    return readValue(`\`${name}\``, word, 63);
  });
  return {
    committedRate: committedRate!,
    committedBurst: committedBurst!,
    peakRate: peakRate!,
    peakBurst: peakBurst!,
  };
}

function writeCounter(context: Context, words: readonly Word[], at: Word): Update[] {
  const { resource, indexes, entry, rest } = readPlaces(context, "counter", words, at);
  const { options, rest: others } = takeOptions(rest, ["packets", "bytes"]);
  tooMany(others);
  const amount = (word: Word | undefined): bigint =>
    word === undefined ? 0n : readValue("a count", word, 63);
  const data = { packets: amount(options.packets), bytes: amount(options.bytes) };
  if (entry !== undefined) return [{ type: "modify", entity: { kind: "directCounter", entry, data } }];
  return indexes.map((index) => ({
    type: "modify",
    entity: { kind: "counter", counter: resource.name, index, data },
  }));
}

function writeMeter(context: Context, words: readonly Word[], at: Word): Update[] {
  const { resource, indexes, entry, rest } = readPlaces(context, "meter", words, at);
  const config = readMeter(rest, at);
  const rates = config === undefined ? {} : { config };
  if (entry !== undefined) return [{ type: "modify", entity: { kind: "directMeter", entry, ...rates } }];
  return indexes.map((index) => ({
    type: "modify",
    entity: { kind: "meter", meter: resource.name, index, ...rates },
  }));
}

/** `NAME[i]=v`, `NAME[*]=v`, or the value as a separate word, which may follow `=` or `=>`. */
function writeRegister(context: Context, words: readonly Word[], at: Word): Update[] {
  const first = need(words, "the register", at);
  const pair = assignment(first);
  const { name, index } = element(pair?.name ?? first);
  const { name: register, size, bits } = findRegister(context.index, name);
  const rest = words.slice(1).filter(({ text }) => text !== "=" && text !== "=>");
  const word = pair?.value ?? need(rest, "the value", at);
  tooMany(rest.slice(pair === undefined ? 1 : 0));
  if (index === undefined && !/\[\*\]/.test(first.text))
    fail(CODES.form, first.span, `name the element: ${register}[0], or ${register}[*] for all`);
  const value = readValue("the value", word, bits);
  const indexes =
    index === undefined
      ? Array.from({ length: size }, (_, i) => i)
      : [context.indexed(`register ${register}`, index, size)];
  return indexes.map((at_) => ({
    type: "modify",
    entity: { kind: "register", register, index: at_, value },
  }));
}

/** Members as words: parts between commas, in the order of the fields or by their names. */
function writeValueSet(context: Context, words: readonly Word[], at: Word): Update[] {
  const [front, behind = []] = halves(words);
  const set = findNamed("value set", context.index.valueSets.list, need(front, "the value set", at));
  tooMany(front.slice(1));
  const fields = set.fields.list;
  const members = behind.map((word) => {
    let start = 0;
    const parts = word.text.split(",").map((text) => {
      const part = partOf(word, start, start + text.length);
      start += text.length + 1;
      return part;
    });
    if (parts.length !== fields.length)
      fail(
        CODES.form,
        word.span,
        `a member has ${fields.length} parts, separated by commas, not ${parts.length}`,
      );
    return fields.flatMap((field, i): Match[] => {
      const part = readMatch(field, defined(parts[i]), { naming: context.naming, plain: true });
      return part === undefined ? [] : [part];
    });
  });
  return [{ type: "modify", entity: { kind: "valueSet", valueSet: set.name, members } }];
}

const WRITERS: Readonly<Record<string, (context: Context, words: readonly Word[], at: Word) => Update[]>> = {
  counter: writeCounter,
  meter: writeMeter,
  register: writeRegister,
  "value-set": writeValueSet,
};

export const writeStatements: Commands = {
  insert: verb("insert", "add an entry, or a member, group, multicast, clone, digest"),
  modify: verb("modify", "give an entry another action; the same for the other objects"),
  delete: verb("delete", "delete an entry by its key, or another object by its id"),
  default: {
    usage: "default TABLE [=> ACTION parameter=value ... | reset]",
    summary: "show or set the default action; `default TABLE reset`: restore the program's",
    least: 1,
    most: MANY,
    async run(context, words, name) {
      const table = context.table(words[0]);
      const entry = defaultEntry(table);
      if (words.length === 1) {
        const found = await context.device.read([{ kind: "tableEntry", table: table.name, isDefault: true }]);
        show(
          context,
          found.map((one) => (one.kind === "tableEntry" ? { ...one, isDefault: true } : one)),
        );
        return;
      }
      if (words.length === 2 && words[1]?.text === "reset") {
        await context.device.write([{ type: "modify", entity: entry }]);
        return;
      }
      const [front, behind] = halves(words.slice(1));
      tooMany(front);
      const actions = [...table.actions.values()].map(({ action }) => action);
      const call = readCall(context, actions, `table ${table.name}`, behind ?? [], name.span);
      await context.device.write([
        { type: "modify", entity: { ...entry, action: { kind: "action", ...call } } },
      ]);
    },
  },
  clear: {
    usage: "clear <table>",
    summary: "delete all entries of a table except those of the program",
    least: 1,
    most: 1,
    async run(context, [word]) {
      const table = context.table(word);
      const found = await context.device.read([{ kind: "tableEntry", table: table.name }]);
      const entries = found.filter(
        (one): one is TableEntry => one.kind === "tableEntry" && !one.isConst && !one.isDefault,
      );
      await context.device.write(
        entries.map(({ match, priority }) => ({
          type: "delete" as const,
          entity: { kind: "tableEntry" as const, table: table.name, match, priority },
        })),
      );
      context.print(`# ${entries.length} deleted`);
    },
  },
  write: {
    usage:
      "write counter ELEMENT => packets=N bytes=N\nwrite meter ELEMENT => cir=N cburst=N pir=N pburst=N | default\nwrite register NAME[N]=VALUE\nwrite value-set NAME => PART,PART,... ...",
    summary: "set one element, NAME[3], all elements, NAME[*], or the element of an entry",
    least: 2,
    most: MANY,
    async run(context, [kind, ...words]) {
      const writer = Object.hasOwn(WRITERS, kind.text) ? WRITERS[kind.text] : undefined;
      if (writer === undefined)
        fail(CODES.form, kind.span, `\`${kind.text}\` is none of ${Object.keys(WRITERS).join(", ")}`);
      await context.device.write(writer(context, words, kind));
    },
  },
  "packet-out": {
    usage: "packet-out [field=value ...] HEXADECIMAL",
    summary: "send a packet; the fields are those of its header, `packet_out`",
    least: 1,
    most: MANY,
    async run(context, words) {
      const slots = context.index.controllerHeaders.byName("packet_out")?.fields.list ?? [];
      const metadata: Record<string, bigint> = Object.fromEntries(slots.map(({ name }) => [name, 0n]));
      let digits = "";
      for (const word of words) {
        const pair = assignment(word);
        if (pair === undefined) {
          if (fromHex(word.text.length % 2 === 0 ? word.text : `0${word.text}`) === undefined)
            fail(CODES.value, word.span, `\`${word.text}\` is not hexadecimal`);
          digits += word.text;
          continue;
        }
        const slot = findNamed("field", slots, pair.name, "packet_out");
        metadata[slot.name] = readSlot(`field ${slot.name}`, slot, pair.value, context);
      }
      const payload = fromHex(digits);
      if (payload === undefined)
        fail(
          CODES.value,
          defined(words.at(-1)).span,
          `a packet is whole bytes; here are ${digits.length} digits`,
        );
      await context.device.packetOut({ payload, metadata });
    },
  },
};
