/**
 * Lists of objects, settings of the target, loading of programs; and the commands that no P4Runtime switch can carry
 * out.
 */
import { defined, fail, fromHex, given } from "../../../base/index.js";
import {
  type CrcParameters,
  DeviceError,
  type PacketGenerator,
  type QueueSelection,
  type TargetSettings,
} from "../../device/index.js";
import type { Program } from "../../program/index.js";
import { CODES } from "../codes.js";
import { type Commands, MANY } from "../command.js";
import { actionsOf, type Command, type Context } from "../context.js";
import { findNamed } from "../names.js";
import { readValue } from "../values.js";
import type { Word } from "../words.js";
import { signature, tableText } from "./format.js";

const sortedByName = <T extends { name: string }>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => (a.name < b.name ? -1 : 1));

function settingsOf(context: Context, name: Word): TargetSettings {
  const { settings } = context.device;
  if (settings === undefined)
    fail(
      CODES.unable,
      name.span,
      `\`${name.text}\`: P4Runtime has no request for this, and the switch has no extension for it`,
      "p4loom's switch has it; simple_switch has it over Thrift, with simple_switch_CLI",
    );
  return settings;
}

function readQueues(context: Context, [port, priority]: readonly Word[]): QueueSelection {
  return given({
    port: port && context.integer("the port", port, 511),
    priority: priority && context.integer("the priority", priority, 255),
  });
}

/** A calculation of the program with one of these algorithms. */
function findCalculation(context: Context, word: Word, algorithm: string): string {
  const calculations = context.device.program?.bmv2.calculations ?? [];
  const { name, algo } = findNamed("calculation", calculations, word);
  if (algo !== algorithm) fail(CODES.name, word.span, `calculation ${name} is ${algo}, not ${algorithm}`);
  return name;
}

function readFlag(word: Word): boolean {
  return readValue("a flag", { ...word, text: word.text.toLowerCase() }, 1) === 1n;
}

/** Name, polynomial, start, final XOR, data reflected, remainder reflected. */
function setCrc(width: 16 | 32): Command {
  return {
    usage: `set_crc${width}_parameters <calculation> <polynomial> <start> <final xor> <reflect data> <reflect remainder>`,
    summary: `set the parameters of a crc${width}_custom hash`,
    least: 6,
    most: 6,
    async run(context, words, name) {
      const settings = settingsOf(context, name);
      const calculation = findCalculation(context, words[0], `crc${width}_custom`);
      const read = (word: Word): bigint => readValue("a CRC parameter", word, width);
      const parameters: CrcParameters = {
        polynomial: read(words[1]),
        initial: read(words[2]),
        finalXor: read(words[3]),
        reflectData: readFlag(words[4]),
        reflectRemainder: readFlag(words[5]),
      };
      await settings.setCrcParameters(calculation, width, parameters);
    },
  };
}

function readKey(word: Word): Uint8Array {
  if (!/^(?:[0-9a-fA-F]{8})+$/.test(word.text))
    fail(CODES.value, word.span, `the key is \`${word.text}\`; give hexadecimal digits, eight for each word`);
  return defined(fromHex(word.text));
}

/** `port/period/start/frame`; the switch checks ranges of times. */
function readGenerator(context: Context, word: Word): PacketGenerator {
  const parts = word.text.split("/");
  const [port, period, start, frame] = parts.map((text) => ({ ...word, text }));
  const bytes =
    frame !== undefined && /^(?:[0-9a-fA-F]{2})+$/.test(frame.text) ? fromHex(frame.text) : undefined;
  if (
    parts.length !== 4 ||
    port === undefined ||
    period === undefined ||
    start === undefined ||
    bytes === undefined
  )
    fail(
      CODES.value,
      word.span,
      `the generator is \`${word.text}\`; give port/period/start/frame: the times in nanoseconds, the frame in hexadecimal digits`,
    );
  return {
    port: context.integer("the port", port, 511),
    periodNs: context.integer("the period", period, undefined, 1000),
    startNs: context.integer("the start", start),
    frame: bytes,
  };
}

/** A command that no P4Runtime switch supports. */
function unable(usage: string, summary: string, why: string): Command {
  return {
    usage,
    summary: `${summary} (not over P4Runtime)`,
    least: 0,
    most: MANY,
    bare: true,
    run: async (_context, _words, name) =>
      fail(CODES.unable, name.span, `\`${name.text}\` is not possible here: ${why}`),
  };
}

function needProgram(context: Context, name: Word): Program {
  const { program } = context.device;
  if (program === undefined)
    fail(CODES.unable, name.span, `\`${name.text}\`: the switch does not report its BMv2 program`);
  return program;
}

/** The program that `load_new_config_file` read, until `swap_configs`. */
const waiting = new WeakMap<object, Program>();

export const targetCommands: Commands = {
  show_tables: {
    usage: "show_tables",
    summary: "list the tables with their keys",
    least: 0,
    most: 0,
    async run(context) {
      for (const table of sortedByName(context.index.tables.list)) context.print(tableText(table));
    },
  },
  show_actions: {
    usage: "show_actions",
    summary: "list the actions with their parameters",
    least: 0,
    most: 0,
    async run(context) {
      for (const action of sortedByName(context.index.actions.list)) context.print(signature(action));
    },
  },
  show_pvs: {
    usage: "show_pvs",
    summary: "list the parser value sets",
    least: 0,
    most: 0,
    async run(context) {
      for (const { name, fields } of sortedByName(context.index.valueSets.list)) {
        const bits = fields.list.reduce((sum, { bitwidth }) => sum + bitwidth, 0);
        context.print(`${name.padEnd(30)} [compressed bitwidth:${bits}]`);
      }
    },
  },
  table_info: {
    usage: "table_info <table>",
    summary: "show a table's key and actions",
    least: 1,
    most: 1,
    async run(context, words) {
      const table = context.table(words[0]);
      context.print(`${tableText(table)}\n${"*".repeat(80)}`);
      for (const action of sortedByName(actionsOf(table))) context.print(signature(action));
    },
  },
  table_show_actions: {
    usage: "table_show_actions <table>",
    summary: "list a table's actions",
    least: 1,
    most: 1,
    async run(context, words) {
      for (const action of sortedByName(actionsOf(context.table(words[0])))) context.print(signature(action));
    },
  },
  switch_info: {
    usage: "switch_info",
    summary: "show the switch's name and program",
    least: 0,
    most: 0,
    bare: true,
    async run(context) {
      context.print(`${"name".padEnd(25)}: ${context.device.name}`);
      const { program } = context.device;
      context.print(
        `${"program".padEnd(25)}: ${program?.bmv2.program ?? context.index.p4info.pkgInfo?.name ?? ""}`,
      );
    },
  },
  set_queue_depth: {
    usage: "set_queue_depth <packets> [port] [priority]",
    summary: "set how many packets may wait: in all queues, in those of a port, or in one",
    least: 1,
    most: 3,
    async run(context, words, name) {
      const settings = settingsOf(context, name);
      const packets = context.integer("the depth", words[0]);
      await settings.setQueueDepth(packets, readQueues(context, words.slice(1)));
    },
  },
  set_queue_rate: {
    usage: "set_queue_rate <packets a second> [port] [priority]",
    summary: "set how fast packets leave: all queues, those of a port, or one",
    least: 1,
    most: 3,
    async run(context, words, name) {
      const settings = settingsOf(context, name);
      const rate = context.integer("the rate", words[0]);
      await settings.setQueueRate(rate, readQueues(context, words.slice(1)));
    },
  },
  set_crc16_parameters: setCrc(16),
  set_crc32_parameters: setCrc(32),
  set_toeplitz_hash_key: {
    usage: "set_toeplitz_hash_key <calculation> <key>",
    summary: "set the key of a toeplitz hash, in hexadecimal",
    least: 2,
    most: 2,
    async run(context, words, name) {
      const settings = settingsOf(context, name);
      const calculation = findCalculation(context, words[0], "toeplitz");
      const key = readKey(words[1]);
      if (settings.setToeplitzKey === undefined)
        fail(
          CODES.unable,
          name.span,
          `\`${name.text}\`: the key of a toeplitz hash cannot be set in this switch`,
        );
      await settings.setToeplitzKey(calculation, key);
    },
  },
  set_expire_time: {
    usage: "set_expire_time <profile> <milliseconds>",
    summary: "set how long entries with an expire-time profile of PNA last; 0: for ever (p4loom only)",
    least: 2,
    most: 2,
    async run(context, words, name) {
      const settings = settingsOf(context, name);
      const profile = context.integer("the profile", words[0]!);
      const milliseconds = context.integer("the time", words[1]!);
      if (settings.setExpireTime === undefined)
        fail(CODES.unable, name.span, `\`${name.text}\`: expire times cannot be set in this switch`);
      await settings.setExpireTime(profile, milliseconds * 1_000_000);
    },
  },
  set_packet_generators: {
    usage: "set_packet_generators [<port>/<period ns>/<start ns>/<frame> ...]",
    summary: "replace the packet generators of the switch; a frame is in hexadecimal (p4loom only)",
    least: 0,
    most: MANY,
    async run(context, words, name) {
      const settings = settingsOf(context, name);
      if (settings.setGenerators === undefined)
        fail(CODES.unable, name.span, `\`${name.text}\`: this switch has no packet generators`);
      await settings.setGenerators(words.map((word) => readGenerator(context, word)));
    },
  },
  load_new_config_file: {
    usage: "load_new_config_file <file>",
    summary: "read a program, with the P4Info beside it, for swap_configs",
    least: 1,
    most: 1,
    bare: true,
    async run(context, [word], name) {
      const read = context.surroundings.loadProgram;
      if (read === undefined) fail(CODES.unable, name.span, `\`${name.text}\`: no files can be read here`);
      const program = await read(word.text, word.span);
      context.print("Loading new Json config");
      try {
        await context.device.verify?.(program);
      } catch (error) {
        // a target that cannot check a program in advance reports errors at swap_configs
        if (!(error instanceof DeviceError) || error.code !== "UNIMPLEMENTED") throw error;
      }
      waiting.set(context.device, program);
    },
  },
  swap_configs: {
    usage: "swap_configs",
    summary: "run the program that load_new_config_file read",
    least: 0,
    most: 0,
    bare: true,
    reloads: true,
    async run(context, _words, name) {
      const program = waiting.get(context.device);
      if (program === undefined)
        fail(CODES.missing, name.span, "no program waits: read one with load_new_config_file");
      context.print("Swapping configs");
      await context.device.load(program);
      waiting.delete(context.device);
    },
  },
  write_config_to_file: {
    usage: "write_config_to_file <file>",
    summary: "write the running program's BMv2 JSON to a file",
    least: 1,
    most: 1,
    async run(context, [word], name) {
      const write = context.surroundings.writeFile;
      if (write === undefined)
        fail(CODES.unable, name.span, `\`${name.text}\`: no files can be written here`);
      write(word.text, `${JSON.stringify(needProgram(context, name).bmv2, null, 2)}\n`);
    },
  },
  serialize_state: unable(
    "serialize_state <file>",
    "write BMv2's own state format",
    "the format is BMv2's own; `save_state <file>` writes the state, `save <file>` writes it as statements",
  ),
  mc_set_lag_membership: unable(
    "mc_set_lag_membership <lag> <ports>",
    "set the ports of a link aggregation group",
    "P4Runtime has no link aggregation groups",
  ),
  get_time_elapsed: unable(
    "get_time_elapsed",
    "show the switch's clock",
    "P4Runtime does not report the switch's clock",
  ),
  get_time_since_epoch: unable(
    "get_time_since_epoch",
    "show the switch's clock",
    "P4Runtime does not report the switch's clock",
  ),
};
