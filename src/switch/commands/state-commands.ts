/** Counters, meters, registers, value sets, replication, queues and hash parameters. */
import { fail } from "../../base/index.js";
import { bmv2Hash } from "../../hash/index.js";
import type { MeterArray } from "../tables/resources.js";
import type { CliContext, Command } from "./context.js";
import { CODES, readValue, type Word } from "./values.js";

const MANY = Number.POSITIVE_INFINITY;

function indexed<T extends { size: number }>(array: T, word: Word, index: number): number {
  if (index >= array.size)
    fail(CODES.argument, word.span, `the index is ${index}; there are 0 to ${array.size - 1}`);
  return index;
}

/** Arrays of their own and those of tables, by name, for counters and meters alike. */
function counterAt(context: CliContext, words: readonly Word[]) {
  for (const table of context.instance.tables.values()) {
    if (table.directCounter !== words[0]!.text) continue;
    const handle = context.integer("the handle", words[1]);
    if (!table.store.entries.has(handle))
      fail(CODES.argument, words[1]!.span, `table ${table.name} has no entry with handle ${handle}`);
    return { array: table.store, index: handle };
  }
  const array = context.find("counter", context.instance.counters, words[0]!);
  return { array, index: indexed(array, words[1]!, context.integer("the index", words[1])) };
}

function meterAt(context: CliContext, words: readonly Word[]): { array: MeterArray; index: number } {
  for (const table of context.instance.tables.values()) {
    if (table.directMeter !== words[0]!.text || table.store.meter === undefined) continue;
    const handle = context.integer("the handle", words[1]);
    if (!table.store.entries.has(handle))
      fail(CODES.argument, words[1]!.span, `table ${table.name} has no entry with handle ${handle}`);
    return { array: table.store.meter, index: handle };
  }
  const array = context.find("meter", context.instance.meters, words[0]!);
  return { array, index: indexed(array, words[1]!, context.integer("the index", words[1])) };
}

/** `rate:burst`, the rate in units a microsecond. */
function rateAndBurst(word: Word): [number, number] {
  const match = /^(\d+(?:\.\d+)?(?:e[+-]?\d+)?):(\d+)$/i.exec(word.text);
  if (match === null)
    fail(CODES.argument, word.span, `\`${word.text}\` is no \`rate:burst\` (units a microsecond, and units)`);
  return [Number(match[1]), Number(match[2])];
}

function ports(context: CliContext, words: readonly Word[]): number[] {
  return words.map((word) => context.integer("a port", word, 511));
}

function group(context: CliContext, word: Word): number {
  const id = context.integer("the multicast group", word, 0xffff);
  if (!context.instance.replication.groups.has(id))
    fail(CODES.argument, word.span, `there is no multicast group ${id}`);
  return id;
}

function node(context: CliContext, word: Word): number {
  const handle = context.integer("the node", word);
  if (context.instance.replication.node(handle) === undefined)
    fail(CODES.argument, word.span, `there is no multicast node ${handle}`);
  return handle;
}

function session(context: CliContext, word: Word): number {
  return context.integer("the mirror", word, 32767);
}

/** `set_crc16_parameters` and its like: name, polynomial, start, final XOR, data reflected, remainder reflected. */
function setCrc(width: 16 | 32): Command {
  return {
    usage: `set_crc${width}_parameters <calculation> <polynomial> <start> <final xor> <reflect data> <reflect remainder>`,
    least: 6,
    most: 6,
    run(context, words) {
      const { calculations } = context.instance.program.bmv2;
      const index = calculations.findIndex(({ name }) => name === words[0]!.text);
      if (index < 0) fail(CODES.argument, words[0]!.span, `there is no calculation \`${words[0]!.text}\``);
      const { algo } = calculations[index]!;
      if (algo !== `crc${width}_custom`)
        fail(
          CODES.argument,
          words[0]!.span,
          `calculation ${words[0]!.text} is ${algo}, not crc${width}_custom`,
        );
      const [poly, init, xorout] = [1, 2, 3].map((i) =>
        Number(readValue("a CRC parameter", words[i]!.text, width, words[i]!.span)),
      );
      const [refin, refout] = [4, 5].map(
        (i) => readValue("a flag", words[i]!.text.toLowerCase(), 1, words[i]!.span) === 1n,
      );
      context.instance.state.F[index] = bmv2Hash(algo, {
        width,
        poly: poly!,
        init: init!,
        xorout: xorout!,
        refin: refin!,
        refout: refout!,
      });
    },
  };
}

function valueSetMember(add: boolean): Command["run"] {
  return (context, words) => {
    const set = context.find("value set", context.instance.valueSets, words[0]!);
    const value = readValue("the value", words[1]!.text, set.width, words[1]!.span);
    const made = set.member([], value, (1n << BigInt(set.width)) - 1n);
    const others = set.members.filter(({ values }) => values.join() !== made.values.join());
    if (add && set.maxSize > 0 && others.length >= set.maxSize)
      fail(
        CODES.refused,
        words[0]!.span,
        `value set ${set.name} is full: it has room for ${set.maxSize} members`,
      );
    set.members = add ? [...others, made] : others;
  };
}

export const stateCommands: Readonly<Record<string, Command>> = {
  counter_read: {
    usage: "counter_read <counter> <index>",
    least: 2,
    most: 2,
    run(context, words) {
      const { array, index } = counterAt(context, words);
      context.print(
        `${words[0]!.text}[${index}]= (${array.bytes[index]} bytes, ${array.packets[index]} packets)`,
      );
    },
  },
  counter_write: {
    usage: "counter_write <counter> <index> <packets> <bytes>",
    least: 4,
    most: 4,
    run(context, words) {
      const { array, index } = counterAt(context, words);
      array.packets[index] = context.integer("the packets", words[2], Number.MAX_SAFE_INTEGER);
      array.bytes[index] = context.integer("the bytes", words[3], Number.MAX_SAFE_INTEGER);
    },
  },
  counter_reset: {
    usage: "counter_reset <counter>",
    least: 1,
    most: 1,
    run(context, words) {
      for (const table of context.instance.tables.values()) {
        if (table.directCounter !== words[0]!.text) continue;
        table.store.packets.fill(0);
        table.store.bytes.fill(0);
        return;
      }
      const array = context.find("counter", context.instance.counters, words[0]!);
      array.packets.fill(0);
      array.bytes.fill(0);
    },
  },
  register_read: {
    usage: "register_read <register> [index]",
    least: 1,
    most: 2,
    run(context, words) {
      const array = context.find("register", context.instance.registers, words[0]!);
      if (words.length === 1) {
        const values = Array.from({ length: array.size }, (_, i) => array.get(i));
        context.print(`${array.name}= ${values.join(", ")}`);
        return;
      }
      const index = indexed(array, words[1]!, context.integer("the index", words[1]));
      context.print(`${array.name}[${index}]= ${array.get(index)}`);
    },
  },
  register_write: {
    usage: "register_write <register> <index> <value>",
    least: 3,
    most: 3,
    run(context, words) {
      const array = context.find("register", context.instance.registers, words[0]!);
      const index = indexed(array, words[1]!, context.integer("the index", words[1]));
      array.set(index, readValue("the value", words[2]!.text, array.width, words[2]!.span));
    },
  },
  register_reset: {
    usage: "register_reset <register>",
    least: 1,
    most: 1,
    run: (context, words) => {
      context.find("register", context.instance.registers, words[0]!).data.fill(0);
    },
  },
  meter_set_rates: {
    usage: "meter_set_rates <meter> <index> <rate:burst> <rate:burst>",
    least: 4,
    most: 4,
    run(context, words) {
      const { array, index } = meterAt(context, words);
      const [committedRate, committedBurst] = rateAndBurst(words[2]!);
      const [peakRate, peakBurst] = rateAndBurst(words[3]!);
      if (peakRate < committedRate)
        fail(
          CODES.argument,
          words[3]!.span,
          `the peak rate ${peakRate} is below the committed rate ${committedRate}`,
        );
      array.configure(
        index,
        { committedRate, committedBurst, peakRate, peakBurst },
        context.instance.clock.now(),
      );
    },
  },
  meter_array_set_rates: {
    usage: "meter_array_set_rates <meter> <rate:burst> <rate:burst>",
    least: 3,
    most: 3,
    run(context, words) {
      const array = context.find("meter", context.instance.meters, words[0]!);
      const [committedRate, committedBurst] = rateAndBurst(words[1]!);
      const [peakRate, peakBurst] = rateAndBurst(words[2]!);
      const now = context.instance.clock.now();
      for (let i = 0; i < array.size; i++)
        array.configure(i, { committedRate, committedBurst, peakRate, peakBurst }, now);
    },
  },
  meter_get_rates: {
    usage: "meter_get_rates <meter> <index>",
    least: 2,
    most: 2,
    run(context, words) {
      const { array, index } = meterAt(context, words);
      const rates = array.rates(index);
      if (rates === undefined) context.print(`${words[0]!.text}[${index}]= no rates`);
      else
        context.print(
          `${words[0]!.text}[${index}]= ${rates.committedRate}:${rates.committedBurst} ${rates.peakRate}:${rates.peakBurst}`,
        );
    },
  },
  mc_mgrp_create: {
    usage: "mc_mgrp_create <group>",
    least: 1,
    most: 1,
    run(context, words) {
      const id = context.integer("the multicast group", words[0], 0xffff);
      const { replication } = context.instance;
      if (replication.groups.has(id))
        fail(CODES.refused, words[0]!.span, `there is a multicast group ${id} already`);
      replication.createGroup(id);
    },
  },
  mc_mgrp_destroy: {
    usage: "mc_mgrp_destroy <group>",
    least: 1,
    most: 1,
    run: (context, words) => context.instance.replication.removeGroup(group(context, words[0]!)),
  },
  mc_node_create: {
    usage: "mc_node_create <rid> <ports>",
    least: 1,
    most: MANY,
    run(context, words) {
      const rid = context.integer("the rid", words[0], 0xffff);
      const handle = context.instance.replication.createNode(rid, ports(context, words.slice(1)));
      context.print(`node created with handle ${handle}`);
    },
  },
  mc_node_update: {
    usage: "mc_node_update <node> <ports>",
    least: 1,
    most: MANY,
    run: (context, words) =>
      context.instance.replication.updateNode(node(context, words[0]!), ports(context, words.slice(1))),
  },
  mc_node_destroy: {
    usage: "mc_node_destroy <node>",
    least: 1,
    most: 1,
    run: (context, words) => context.instance.replication.destroyNode(node(context, words[0]!)),
  },
  mc_node_associate: {
    usage: "mc_node_associate <group> <node>",
    least: 2,
    most: 2,
    run(context, words) {
      const handle = node(context, words[1]!);
      if (context.instance.replication.node(handle)!.group !== undefined)
        fail(CODES.refused, words[1]!.span, `node ${handle} is in a multicast group already`);
      context.instance.replication.associate(group(context, words[0]!), handle);
    },
  },
  mc_node_dissociate: {
    usage: "mc_node_dissociate <group> <node>",
    least: 2,
    most: 2,
    run(context, words) {
      const [id, handle] = [group(context, words[0]!), node(context, words[1]!)];
      if (context.instance.replication.node(handle)!.group !== id)
        fail(CODES.refused, words[1]!.span, `node ${handle} is not in multicast group ${id}`);
      context.instance.replication.dissociate(id, handle);
    },
  },
  mirroring_add: {
    usage: "mirroring_add <mirror> <port>",
    least: 2,
    most: 2,
    run(context, words) {
      const port = context.integer("the port", words[1], 511);
      context.instance.replication.sessions.set(session(context, words[0]!), {
        port,
        classOfService: 0,
        lengthLimit: 0,
      });
    },
  },
  mirroring_add_mc: {
    usage: "mirroring_add_mc <mirror> <group>",
    least: 2,
    most: 2,
    run(context, words) {
      const id = context.integer("the multicast group", words[1], 0xffff);
      context.instance.replication.sessions.set(session(context, words[0]!), {
        group: id,
        classOfService: 0,
        lengthLimit: 0,
      });
    },
  },
  mirroring_delete: {
    usage: "mirroring_delete <mirror>",
    least: 1,
    most: 1,
    run(context, words) {
      const id = session(context, words[0]!);
      if (!context.instance.replication.sessions.delete(id))
        fail(CODES.refused, words[0]!.span, `there is no mirror ${id}`);
    },
  },
  mirroring_get: {
    usage: "mirroring_get <mirror>",
    least: 1,
    most: 1,
    run(context, words) {
      const id = session(context, words[0]!);
      const found = context.instance.replication.sessions.get(id);
      if (found === undefined) fail(CODES.refused, words[0]!.span, `there is no mirror ${id}`);
      context.print(
        `mirror ${id}: ${found.port === undefined ? `group ${found.group}` : `port ${found.port}`}`,
      );
    },
  },
  pvs_add: { usage: "pvs_add <value set> <value>", least: 2, most: 2, run: valueSetMember(true) },
  pvs_remove: { usage: "pvs_remove <value set> <value>", least: 2, most: 2, run: valueSetMember(false) },
  pvs_get: {
    usage: "pvs_get <value set>",
    least: 1,
    most: 1,
    run(context, words) {
      const set = context.find("value set", context.instance.valueSets, words[0]!);
      for (const { values } of set.members)
        context.print(`0x${[...values].map((w) => (w >>> 0).toString(16).padStart(8, "0")).join("")}`);
    },
  },
  pvs_clear: {
    usage: "pvs_clear <value set>",
    least: 1,
    most: 1,
    run: (context, words) => {
      context.find("value set", context.instance.valueSets, words[0]!).members = [];
    },
  },
  set_queue_depth: {
    usage: "set_queue_depth <packets> [port]",
    least: 1,
    most: 2,
    run(context, words) {
      const depth = context.integer("the depth", words[0]);
      const { limits } = context.device.queues;
      limits.setDepth(depth, words.length === 1 ? {} : { port: context.integer("the port", words[1], 511) });
    },
  },
  set_queue_rate: {
    usage: "set_queue_rate <packets a second> [port]",
    least: 1,
    most: 2,
    run(context, words) {
      const rate = context.integer("the rate", words[0]);
      if (rate === 0)
        fail(CODES.argument, words[0]!.span, "the rate is 0; a queue needs at least 1 packet a second");
      const { limits } = context.device.queues;
      limits.setRate(rate, words.length === 1 ? {} : { port: context.integer("the port", words[1], 511) });
    },
  },
  set_crc16_parameters: setCrc(16),
  set_crc32_parameters: setCrc(32),
};
